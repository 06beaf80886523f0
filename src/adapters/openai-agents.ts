import type {
  AgentInputItem,
  CallModelInputFilter,
  NonStreamRunOptions,
  Runner,
  RunResult,
  RunState,
  RunToolApprovalItem,
  StreamedRunResult,
} from '@openai/agents';
import { HookscopeError, isErrorOf } from '../errors.js';
import type { SpawnOptions } from '../session/options.js';
import type { Session } from '../session/types.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks } from '../values/shape.js';
import { loadPeer } from '../values/waiting/peer.js';
import { runAgent } from './agents.js';
import { checkAgentTool } from './given.js';
import { keepAlways, sayAlways } from './openai-agents/always.js';
import { type AgentAsTool, type AnyAgent, Cast, type Sdk } from './openai-agents/cast.js';
import { conversation, userItem } from './openai-agents/items.js';
import { type AnyTool, approvalOf, argumentsOf, type Invoke, refusedCall } from './openai-agents/tool.js';
import { withContext, wordsOf } from './prompts.js';
import { Steps } from './steps.js';
import type { StepsOptions } from './steps-options.js';
import { callText } from './texts.js';
import type { ToolHow } from './tool-how.js';
import { runTurn, type Turn } from './turn.js';

export type { AnyAgent } from './openai-agents/cast.js';
export type { AnyTool } from './openai-agents/tool.js';
export type { ToolHow } from './tool-how.js';
export type { Turn } from './turn.js';

/** The result of one round of the SDK's loop. */
export type Ran<A extends AnyAgent, Context> = RunResult<Context, A> | StreamedRunResult<Context, A>;
/** The user's message as text, a conversation that ends with it, or the state of a turn that waited for approvals. */
export type Input<A extends AnyAgent, Context> = string | readonly AgentInputItem[] | RunState<Context, A>;

/** The options of `drive`, in addition to those of the SDK's own `run`. */
export interface DriveOptions<A extends AnyAgent, Context = undefined>
  extends Omit<NonStreamRunOptions<Context, A>, 'stream'> {
  /** By the tool's name. */
  readonly toolHow?: Readonly<Record<string, ToolHow>> | undefined;
  /** Your own runner, for example with another model provider. Default: the SDK's `run`. */
  readonly runner?: Runner | undefined;
  /** Turns on streaming: it is called with the SDK's stream of each round, before the first event. */
  readonly onStream?: ((stream: StreamedRunResult<Context, A>) => unknown) | undefined;
  /**
   * Shows your user the input of a call that waits for approval, after the hooks' rewrites; the approval is then for that input. It does not decide who is asked. If it
   * throws, the call is denied. Absent: the approval is for the model's input, which the SDK shows, and a call that a hook rewrites is denied.
   */
  readonly onAsk?: StepsOptions['onAsk'];
}

const DRIVE: Keys<DriveOptions<AnyAgent>> = {
  toolHow: checks.object,
  runner: checks.object,
  onStream: checks.fn,
  onAsk: checks.fn,
  context: true,
  maxTurns: { expected: 'a number or null', accepts: (value) => value === null || typeof value === 'number' },
  signal: checks.object,
  previousResponseId: checks.text,
  conversationId: checks.text,
  session: checks.object,
  sessionInputCallback: checks.fn,
  callModelInputFilter: checks.fn,
  toolErrorFormatter: checks.fn,
  outputGuardrailBlockedMessage: {
    expected: 'a string or a function',
    accepts: (value) => ['string', 'function'].includes(typeof value),
  },
  reasoningItemIdPolicy: checks.text,
  tracing: checks.object,
  sandbox: checks.object,
  toolExecution: checks.object,
  toolNotFoundBehavior: checks.text,
  toolNameCollisionPolicy: checks.text,
  errorHandlers: checks.object,
};

/** The result of a turn, with the conversation. */
export interface Driven<A extends AnyAgent, Context = undefined> extends Turn<Ran<A, Context>> {
  /** The conversation. Append the user's next message, and pass it to the next `drive`. */
  readonly history: readonly AgentInputItem[];
  /** The agent to which the conversation was handed last. */
  readonly agent: AnyAgent;
  /** Calls that wait for the user. Call `state.approve(item)` or `state.reject(item)` for each, and pass the state to `drive`. */
  readonly interruptions: readonly RunToolApprovalItem[];
  /** The state of the last round. */
  readonly state: RunState<Context, A> | undefined;
}

const PEER = { entry: 'hookscope/adapters/openai-agents', peer: '@openai/agents', range: '^0.20.0' };
const isKnown = (sdk: Sdk): boolean => typeof sdk.RunState?.fromStringWithContext === 'function' && !!sdk.getHandoff;
/** The agents by the tools that `agentTool` made of them. */
const AGENTS = new WeakMap<object, AgentAsTool>();

/**
 * Runs one turn of OpenAI Agents on a session. It fires UserPromptSubmit, the tools' events and PostToolBatch in every step, then Stop, whose hooks may
 * begin another round with their reason as the next message.
 *
 * ```ts
 * const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
 * const { text } = await drive(session, agent, 'What is the weather in Rome?');
 * ```
 *
 * If the session has no `ask`, a call that the user must be asked about waits for an approval of the SDK: the turn is `unfinished`, with `interruptions` and `state`.
 * An agent that takes over the conversation has its own scope until the turn ends; its type is the agent's name.
 *
 * Rejects with what the SDK throws, after StopFailure (if aborted: after `session.interrupt()`; at the limit of turns: at once), with PEER, and with INVALID_OPTIONS,
 * for example for a tool that would run without hooks.
 */
export async function drive<A extends AnyAgent, Context = undefined>(
  session: Session,
  agent: A,
  input: Input<A, Context>,
  options: DriveOptions<A, Context> = {},
): Promise<Driven<A, Context>> {
  checkKeys(options, DRIVE, 'drive: ');
  const sdk = await loadPeer(PEER, () => import('@openai/agents'), isKnown);
  if (!(agent instanceof sdk.Agent)) throw wrongAgent();
  if (typeof input !== 'string' && !Array.isArray(input) && !(input instanceof sdk.RunState)) throw wrongInput();
  const { toolHow = {}, runner, onStream, onAsk, ...given } = options;
  const limit = (error: unknown): boolean => isErrorOf(error, sdk.MaxTurnsExceededError);
  const steps = new Steps(session, { signal: options.signal, limit, onAsk });
  const cast = new Cast(sdk, steps, agent, {
    toolHow,
    agentOf: (tool) => AGENTS.get(tool),
    runAgent: runAgentOf(steps, options),
  });
  const waited = input instanceof sdk.RunState ? await resumed(sdk, steps, { cast, agent, state: input }) : undefined;
  const { before, asked } = conversation(waited ? waited.history : (input as string | readonly AgentInputItem[]));
  const run = (runner ? runner.run.bind(runner) : sdk.run) as RunFunction<A, Context>;
  const settings = { ...given, callModelInputFilter: filterOf(steps, cast, given.callModelInputFilter) };
  const isKept = options.session !== undefined || options.conversationId !== undefined;
  let history: readonly AgentInputItem[] = before;
  let last: Ran<A, Context> | undefined;
  let current: AnyAgent = waited ? waited._currentAgent : cast.copy(agent);
  const round = async (items: RunInput): Promise<Ran<A, Context>> => {
    await cast.enter(current);
    if (!onStream) return await run(current, items, settings);
    const stream = (await run(current, items, { ...settings, stream: true })) as StreamedRunResult<Context, A>;
    await Promise.all([onStream(stream), stream.completed]);
    return stream;
  };
  try {
    const prompt = waited ? undefined : wordsOf(asked);
    const turn = await runTurn(steps, prompt, async ({ instruction, context }) => {
      const added = instruction === undefined ? withContext(asked, context, 'input_text') : [userItem(instruction)];
      history = [...history, ...added];
      const items = isKept && last ? added : [...history];
      last = await round(waited && !last ? waited : items);
      while (letUnreadableBe(last)) last = await round(last.state as RunState<unknown, AnyAgent>);
      // The batch of the last step, which may have other calls besides one that waits.
      await steps.endBatch();
      history = last.history;
      current = last.lastAgent ?? current;
      // If the caller stops reading the stream, the round ends without the calls that the model wanted.
      const left = 'cancelled' in last && last.cancelled;
      const finished = last.interruptions.length === 0 && !left;
      const text = finished && steps.over === undefined ? textOf(last.finalOutput) : '';
      return { result: last, text, finished };
    });
    const { state } = last ?? {};
    const interruptions = (last?.interruptions ?? []).filter((item) => !isUnreadable(item));
    return { ...turn, history, agent: cast.original(current), interruptions, state };
  } finally {
    await steps.release();
  }
}

/**
 * A call with unreadable arguments waits for an approval, because the SDK could not ask the tool whether it needs one. Such a call never runs, so it is approved here, to tell
 * the model at once. Returns true if no other call waits.
 */
function letUnreadableBe<A extends AnyAgent, Context>({ interruptions, state }: Ran<A, Context>): boolean {
  const unread = interruptions.filter(isUnreadable);
  for (const item of unread) state.approve(item);
  return unread.length > 0 && unread.length === interruptions.length;
}

const isUnreadable = ({ rawItem }: RunToolApprovalItem): boolean =>
  rawItem.type === 'function_call' && argumentsOf(rawItem.arguments) === undefined;

type RunInput = AgentInputItem[] | RunState<unknown, AnyAgent>;
type RunFunction<A extends AnyAgent, Context> = (
  agent: AnyAgent,
  input: RunInput,
  options: object,
) => Promise<Ran<A, Context>>;

const wrongInput = (): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', {
    where: 'drive(session, agent, input)',
    expected: "expected the user's text, the items of a conversation, or the state of a turn that waited",
  });

const wrongAgent = (): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', {
    where: 'drive(session, agent)',
    expected:
      'expected an Agent of the @openai/agents that hookscope finds (npm ls @openai/agents shows whether there are two)',
  });

/** Runs a subagent with what it inherits from the turn in which it is called. */
function runAgentOf<A extends AnyAgent, Context>(steps: Steps, options: DriveOptions<A, Context>) {
  const alone = { session: undefined, conversationId: undefined, previousResponseId: undefined, onStream: undefined };
  return (of: AgentAsTool): Invoke =>
    async (context, input, { signal }) => {
      const own = { ...options, ...alone, context, signal } as object as DriveOptions<AnyAgent, unknown>;
      const task = String((input as { input?: unknown }).input);
      return await runAgent(steps.current, { ...of.spawn, agent_type: of.agent.name, signal }, async (child) => {
        return (await drive<AnyAgent, unknown>(child, of.agent, task, own)).text;
      });
    };
}

/** Runs before every model call: it ends the previous step's batch, and appends waiting texts to the system prompt. */
function filterOf(steps: Steps, cast: Cast, own: CallModelInputFilter | undefined): CallModelInputFilter {
  return async (given) => {
    await steps.endBatch();
    if (steps.over !== undefined) throw steps.leave();
    const data = own ? await own({ ...given, agent: cast.original(given.agent) as never }) : given.modelData;
    const instructions = steps.systemPrompt(data.instructions ?? '');
    return instructions === '' ? data : { ...data, instructions };
  };
}

/** Moves the state to copies of the agents, and reports the calls that the user refused to the hooks. */
async function resumed<A extends AnyAgent, Context>(
  sdk: Sdk,
  steps: Steps,
  { cast, agent, state }: { readonly cast: Cast; readonly agent: A; readonly state: RunState<Context, A> },
): Promise<RunState<unknown, AnyAgent>> {
  const how = { contextStrategy: 'replace' } as const;
  const own = await sdk.RunState.fromStringWithContext(cast.copy(agent), state.toString(), state._context, how);
  await cast.enter(own._currentAgent);
  const asked = own.getInterruptions();
  keepAlways(state._currentAgent, own._currentAgent);
  for (const [i, item] of state._generatedItems.entries()) keepAlways(agentOf(item), agentOf(own._generatedItems[i]));
  for (const { rawItem, name = '', agent: owner } of state.getInterruptions()) {
    if (rawItem.type !== 'function_call') continue;
    const { callId } = rawItem;
    const item = asked.find((one) => 'callId' in one.rawItem && one.rawItem.callId === callId);
    const approved = approvalOf(state._context, { toolName: name, callId, agent: owner });
    if (!item || approved === undefined) continue;
    const message = approved ? undefined : state._context.getRejectionMessage(name, callId);
    // The SDK's own `alwaysApprove` would also let calls run that a hook asks about, so the answer is kept here.
    if (approvalOf(state._context, { toolName: name, callId: ANY, agent: owner }) !== undefined)
      sayAlways(item.agent, name, { approved, message });
    if (approved) own.approve(item);
    else {
      const call = { name, id: callId, input: argumentsOf(rawItem.arguments) ?? {} };
      own.reject(item, { message: callText(await steps.run({ ...call, ...refusedCall(message) })) });
    }
  }
  return own as RunState<unknown, AnyAgent>;
}

/** An id that no call has; an answer for it is one for all calls of the tool. */
const ANY = 'hookscope: any call';
const agentOf = (item: object | undefined): object | undefined => (item as { agent?: object } | undefined)?.agent;
const textOf = (output: unknown): string => (typeof output === 'string' ? output : (JSON.stringify(output) ?? ''));

/** The options of `agentTool`: the tool's name and description, and the options of `session.spawn`. */
export interface AgentToolOptions extends Omit<SpawnOptions, 'agent_type' | 'id' | 'parent' | 'signal'> {
  /** Default: the agent's name. */
  readonly toolName?: string | undefined;
  /** Tells the model what the subagent can do. */
  readonly toolDescription: string;
}

/**
 * A tool that hands a task to an agent, like the SDK's own `agent.asTool()`. In `drive`, each call spawns a child session with its own scope, whose type is the agent's name,
 * so that its hooks see only its own calls, from SubagentStart to SubagentStop (or to an interruption, which fires no SubagentStop).
 */
export function agentTool(agent: AnyAgent, options: AgentToolOptions): AnyTool {
  checkAgentTool(agent, options);
  const { toolName, toolDescription, ...spawn } = options;
  const tool = agent.asTool({ toolDescription, ...(toolName === undefined ? {} : { toolName }) }) as unknown as AnyTool;
  AGENTS.set(tool, { agent, spawn });
  return tool;
}
