import type { ModelMessage, StopCondition, Tool, ToolSet } from 'ai';
import { z } from 'zod';
import { HookscopeError } from '../errors.js';
import type { SpawnOptions } from '../session/options.js';
import type { Session } from '../session/types.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks } from '../values/shape.js';
import { runAgent } from './agents.js';
import { ApprovalReplies, refused } from './ai/approvals.js';
import { conversation, isFinished, ranHere, type UserPrompt } from './ai/messages.js';
import { type Generated, type PrepareStep, prepare, whole } from './ai/steps.js';
import { type MadeCall, unseenIn, wrapTool } from './ai/tool.js';
import { checkGiven } from './given.js';
import { withContext, wordsOf } from './prompts.js';
import { Steps } from './steps.js';
import type { StepsOptions } from './steps-options.js';
import type { ToolHow } from './tool-how.js';
import { runTurn, type Turn } from './turn.js';

export type { UserPrompt } from './ai/messages.js';
export type { Generated } from './ai/steps.js';
export type { ToolHow } from './tool-how.js';
export type { Turn } from './turn.js';

/** The options of `drive`. */
export interface DriveOptions<Tools extends ToolSet> {
  /**
   * The user's message or, for a subagent's session, the task. Default: the user's messages at the end of `messages`. If the last message is
   * another one (a tool message with answers to `needsApproval`), the turn that waited for it continues, without UserPromptSubmit.
   */
  readonly prompt?: UserPrompt | undefined;
  /** The conversation before the prompt. */
  readonly messages?: readonly ModelMessage[] | undefined;
  /** The system prompt, to which hooks' context is appended. Set it here, not in `messages`, where this one replaces it (ai 6). */
  readonly system?: string | undefined;
  readonly tools?: Tools | undefined;
  /** By the tool's name. */
  readonly toolHow?: Readonly<Partial<Record<keyof Tools, ToolHow>>> | undefined;
  /** Your own stop conditions; hooks can end the loop besides. Default: 20 steps, as in the SDK's `ToolLoopAgent`. */
  readonly stopWhen?: StopCondition<Tools> | readonly StopCondition<Tools>[] | undefined;
  /** Your own `prepareStep`; hooks' context is appended to the system prompt that it returns. */
  readonly prepareStep?: PrepareStep<Tools> | undefined;
  /**
   * Shows your user the input of a call that waits for approval, after the hooks' rewrites; the approval is then for that input. It does not decide who is asked. If it
   * throws, the call is denied. Absent: the approval is for the model's input, which the SDK shows, and a call that a hook rewrites is denied.
   */
  readonly onAsk?: StepsOptions['onAsk'];
}

function isPrompt(value: unknown): boolean {
  return [value]
    .flat()
    .every((one) => typeof value === 'string' || typeof (one as ModelMessage | null)?.role === 'string');
}

/** The default step limit of the SDK's own agents. */
const STEPS = 20;
const limit = ({ steps }: { readonly steps: readonly unknown[] }): boolean => steps.length === STEPS;

const DRIVE: Keys<DriveOptions<ToolSet>> = {
  prompt: { expected: 'a string, a message or an array of messages', accepts: isPrompt },
  messages: checks.list,
  system: checks.text,
  tools: checks.object,
  toolHow: checks.object,
  stopWhen: { expected: 'a function or an array of functions', accepts: (v) => [v].flat().every(checks.fn.accepts) },
  prepareStep: checks.fn,
  onAsk: checks.fn,
};

/** The arguments of `generateText` and `streamText` for one round; `model` and every other setting are yours. */
export interface RoundSettings<Tools extends ToolSet> {
  readonly messages: ModelMessage[];
  readonly tools: Tools;
  readonly stopWhen: StopCondition<Tools>[];
  readonly prepareStep: PrepareStep<Tools>;
}

/** The result of a turn, with the conversation. */
export interface Driven<Result> extends Turn<Result> {
  readonly messages: readonly ModelMessage[];
}

/**
 * Runs one turn of the AI SDK's tool loop on a session. It fires UserPromptSubmit, the tools' events and PostToolBatch in
 * every step, then Stop, whose hooks may begin another round with their reason as the next message.
 *
 * ```ts
 * const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
 * const { text } = await drive(session, { prompt, system, tools }, (round) => generateText({ model, ...round }));
 * ```
 *
 * The tools of one step run in parallel, as the SDK runs them. If the session has no `ask`, a call that the user must be asked about waits for an approval of the SDK, and the
 * turn is `unfinished`, as after a call whose tool has `needsApproval`; in a subagent the call is denied. Rejects with what `generate` throws, after StopFailure (if aborted: after
 * `session.interrupt()`), and with INVALID_OPTIONS if a tool ran that is not one of the round's.
 */
export async function drive<Tools extends ToolSet, Result extends Generated>(
  session: Session,
  options: DriveOptions<Tools>,
  generate: (round: RoundSettings<Tools>) => Result | PromiseLike<Result>,
): Promise<Driven<Result>> {
  checkGiven('drive', session, options, generate);
  checkKeys(options, DRIVE, 'drive: ');
  let signal: AbortSignal | undefined;
  const steps = new Steps(session, {
    onAsk: options.onAsk,
    // The SDK passes the caller's signal only to models and tools, so the one from the last model call is used.
    get signal() {
      return signal;
    },
  });
  const { before, asked } = conversation(options.messages ?? [], options.prompt);
  const own = options.tools ?? ({} as Tools);
  const messages: ModelMessage[] = asked.length > 0 ? [...before] : await refused(steps, own, before);
  const conditions = [options.stopWhen ?? limit].flat() as StopCondition<Tools>[];
  const isOver: StopCondition<Tools> = async ({ steps: made }) => {
    await steps.endBatch(made.at(-1)?.toolCalls.map((call) => call.toolCallId) ?? []);
    return steps.over !== undefined;
  };
  const how = (options.toolHow ?? {}) as Readonly<Record<string, ToolHow>>;
  const run = { steps, answers: new ApprovalReplies(before), made: [] as MadeCall[] };
  const wrapped = Object.entries(own as Record<string, Tool>).map(([name, tool]) => [
    name,
    wrapTool(run, name, tool, how[name]),
  ]);
  const tools = Object.fromEntries(wrapped) as Tools;
  const onSignal = (given: AbortSignal | undefined) => {
    signal = given;
  };
  const prepareStep = prepare<Tools>(steps, { system: options.system, prepareStep: options.prepareStep, onSignal });
  const prompt = asked.length === 0 ? undefined : wordsOf(asked);
  const turn = await runTurn(steps, prompt, async ({ instruction, context }) => {
    if (instruction !== undefined) messages.push({ role: 'user', content: instruction });
    else messages.push(...withContext(asked, context, 'text'));
    const result = await generate({ messages: [...messages], tools, stopWhen: [...conditions, isOver], prepareStep });
    // Only tested for, because reading the property creates a promise that may reject.
    if (!('response' in Object(result))) throw noResult();
    const { text, messages: said, made } = await whole(result, () => signal);
    signal?.throwIfAborted();
    messages.push(...said);
    const other = unseenIn(run.made, ranHere(said));
    if (other !== undefined) throw unseen(other);
    // If a call of the last step waits, the SDK does not call the stop condition, so the batch of its other calls ends here.
    await steps.endBatch([]);
    signal?.throwIfAborted();
    // The next round may have another signal, and this one may fire while Stop hooks are asked.
    signal = undefined;
    return { result, text, finished: isFinished(said, made) };
  });
  return { ...turn, messages };
}

const noResult = (): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', {
    where: 'drive(…, generate)',
    expected: 'expected a function that returns what generateText, streamText or an agent of the SDK returns',
  });

const unseen = (name: string): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', {
    where: 'drive(…, generate)',
    expected: `${name} ran, and no hook has seen it: give drive the tools, and the SDK those of the round ({ model, ...round })`,
  });

/** The options of `agentTool` besides those of `session.spawn`. */
export interface AgentToolOptions extends Omit<SpawnOptions, 'id' | 'parent' | 'signal'> {
  /** For the model: what the subagent can do. */
  readonly description: string;
  /** Works on the task, usually with `drive(child, { prompt, … }, …)`. Returns the tool's output. */
  run(child: Session, prompt: string, context: { readonly signal: AbortSignal }): string | Promise<string>;
}

/**
 * A tool that hands a task to a subagent. Each call spawns a child session with its own scope, so that its hooks see only its own calls, from
 * SubagentStart to SubagentStop (or to an interruption, which fires no SubagentStop). Pass it to `drive` among the tools of the parent session.
 */
export function agentTool(session: Session, options: AgentToolOptions): Tool<{ prompt: string }, string> {
  checkGiven('agentTool', session, options);
  const { description, run, ...spawn } = options;
  return {
    description,
    inputSchema: z.object({ prompt: z.string().describe('The task, with all the agent needs to know.') }),
    async execute({ prompt }, { abortSignal }) {
      const signal = abortSignal ?? new AbortController().signal;
      return runAgent(session, { ...spawn, signal }, (child) => run(child, prompt, { signal }));
    },
  };
}
