import { randomUUID } from 'node:crypto';
import type { AgentMiddleware, AIMessage, HumanMessage, SystemMessage } from 'langchain';
import { z } from 'zod';
import type { Session } from '../session/types.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks } from '../values/shape.js';
import { langchain } from './langchain/package.js';
import { type AgentOptions, AgentRuns } from './langchain/runs.js';
import { isControlFlow, toolWrapper } from './langchain/tool.js';
import { withContext } from './prompts.js';
import type { ToolHow } from './tool-how.js';
import { handleLoopError } from './turn.js';

export type { AskedCall, Deferral, Question } from './langchain/pause.js';
export type { AgentOptions } from './langchain/runs.js';
export type { ToolHow } from './tool-how.js';

/** The options of `hooks` besides the session. */
export interface HooksOptions {
  /**
   * Set it for a subagent: each of its runs becomes an agent of the session, with a scope below the agent whose tool called it, from SubagentStart to SubagentStop (or to an
   * interruption, which fires no SubagentStop). An agent with its caller's middleware is a subagent too, of type `agent`.
   */
  readonly agent?: AgentOptions | undefined;
  /** By the tool's name. */
  readonly toolHow?: Readonly<Record<string, ToolHow>> | undefined;
}

const OPTIONS: Keys<HooksOptions> = { agent: checks.object, toolHow: checks.object };

const TURN = z.object({
  status: z.enum(['done', 'blocked', 'ended', 'unfinished']),
  reason: z.string().optional(),
  capped: z.boolean().optional(),
});
const STATE = z.object({ hooks: TURN.optional() });

/**
 * A session as LangChain middleware: it fires UserPromptSubmit before the agent begins, the tools' events and PostToolBatch in every step of its loop, then Stop,
 * whose hooks may make it continue with their reason as the next message.
 *
 * ```ts
 * const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
 * const agent = createAgent({ model, tools, middleware: [hooks(session)] });
 * const { messages } = await agent.invoke({ messages: 'Weather?' });
 * ```
 *
 * The agent's state has the result of the turn as `hooks`: `{ status, reason }`. `done`: hooks let it stop; `blocked`: a hook erased the prompt; `ended`: a hook, a
 * deferred call, an interruption or a call that could not be judged ended the loop; `unfinished`: LangChain ended the loop, or a call waits.
 *
 * A session has one run at a time. Calls are judged as the middleware before this one leaves them. If middleware after this one changes the arguments of a judged call,
 * the call does not run; what such middleware runs in the tool's place is not seen by hooks. Throws INVALID_OPTIONS.
 */
export function hooks(session: Session, options: HooksOptions = {}): AgentMiddleware<typeof STATE> {
  checkKeys(options, OPTIONS, 'hooks: ');
  const runs = new AgentRuns(session, options.agent, { passThrough: isControlFlow });
  const tools = toolWrapper(runs, options.toolHow ?? {});
  // Context by the messages of a model call, so that a retried call gets the same context again.
  const added = new WeakMap<object, string>();
  return langchain.createMiddleware({
    name: 'hookscope',
    stateSchema: STATE,
    wrapToolCall: tools.wrap,
    beforeAgent: {
      canJumpTo: ['end'],
      async hook({ messages }, runtime) {
        const run = await runs.of(runtime, true);
        const end = messages.slice(messages.findLastIndex(({ type }) => type === 'ai' || type === 'tool') + 1);
        // System messages are not part of the user's prompt.
        const asked = end.filter((message) => message.type !== 'system' && !run.seen.has(textOf(message)));
        const [first] = asked as HumanMessage[];
        if (first === undefined || run.session.agent_id !== undefined) return { hooks: cameOf('unfinished') };
        const text = asked.map((message) => message.text).join('\n');
        const { blocked, endsLoop, reason, context } = await run.session.prompt(text);
        if (endsLoop) run.steps.over = reason ?? 'A hook ended the loop.';
        if (blocked) return { messages: erased(asked), jumpTo: 'end', hooks: cameOf('blocked', reason) };
        const [said] = withContext([first as HumanText], context, 'text');
        const whole = said === first ? first : replaced(first, said);
        run.seen = new Set([...end, whole].map(textOf));
        if (endsLoop) return { jumpTo: 'end', hooks: cameOf('ended', reason) };
        return { messages: whole === first ? [] : [whole], hooks: cameOf('unfinished') };
      },
    },
    async wrapModelCall(request, handler) {
      const run = await runs.of(request.runtime);
      const { steps } = run;
      const { messages } = request.state;
      if (!added.has(messages)) {
        tools.pauses.forget(request.runtime);
        await steps.endBatch(callIds(messages));
        added.set(messages, steps.over === undefined ? steps.systemPrompt('') : '');
      }
      if (steps.over !== undefined) {
        run.mute = randomUUID();
        return new langchain.AIMessage({ content: '', id: run.mute });
      }
      const systemMessage = below(request.systemMessage, added.get(messages) ?? '');
      run.failed = undefined;
      try {
        return await handler({ ...request, systemMessage });
      } catch (error) {
        run.failed = error;
        // A subagent within a call may be retried, so hooks are told when the call is over.
        const { signal } = request.runtime;
        if (!run.inCall || signal?.aborted) await handleLoopError(steps, error, signal);
        throw error;
      }
    },
    afterAgent: {
      canJumpTo: ['model'],
      async hook(state, runtime) {
        const { messages, hooks: before } = state as typeof state & z.infer<typeof STATE>;
        const run = await runs.of(runtime);
        const { steps } = run;
        await steps.endBatch(callIds(messages));
        const last = messages.at(-1);
        const mute = last && last.id === run.mute ? [last] : [];
        // Other middleware ended the run before these calls were made; the model cannot continue without their results.
        if (steps.over === undefined && last?.type === 'ai' && callIds([last]).length > 0)
          return { hooks: cameOf('unfinished') };
        const lastMessage = last?.type === 'ai' && mute.length === 0 ? last.text : '';
        const { continues, instruction = '', decision, capped } = await steps.stop({ lastMessage });
        if (continues) {
          const next = new langchain.HumanMessage({ content: instruction, id: randomUUID() });
          run.seen = new Set([...run.seen, textOf(next)]);
          return { messages: [next], jumpTo: 'model' };
        }
        const came = before?.status === 'blocked' ? before : cameOf(decision ? 'done' : 'ended', steps.over, capped);
        return { messages: erased(mute), hooks: came };
      },
    },
  }) as AgentMiddleware<typeof STATE>;
}

/** The result of a turn, in the agent's state as `hooks`. */
type TurnResult = z.infer<typeof TURN>;

function cameOf(status: TurnResult['status'], reason?: string, capped = false): TurnResult {
  return { status, ...(reason === undefined ? {} : { reason }), ...(capped ? { capped } : {}) };
}

/** Updates that make LangGraph remove the messages. */
const erased = (messages: MessageTexts): never[] => messages.map(({ id }) => ({ type: 'remove', id })) as never[];

/** A key of a message: its id and content. */
const textOf = ({ id, content }: { readonly id?: string | undefined; readonly content: unknown }): string =>
  JSON.stringify([id, content]);

type MessageTexts = readonly { readonly type: string; readonly text: string; readonly id?: string | undefined }[];

/** The calls of the last model turn, as the model gave them. */
function callIds(messages: MessageTexts): string[] {
  const last = messages.findLast((message) => message.type === 'ai') as AIMessage | undefined;
  return (last?.tool_calls ?? []).map((call) => call.id ?? '');
}

type HumanText = Pick<HumanMessage, 'content'>;

const replaced = ({ lc_kwargs, id }: HumanMessage, said: HumanText | undefined): HumanMessage =>
  new langchain.HumanMessage({ ...lc_kwargs, id, content: said?.content } as never);

/** Appends text to a system message. Its blocks are not changed, so that provider-specific fields are kept. */
function below(message: SystemMessage, text: string): SystemMessage {
  if (text === '') return message;
  if (message.text === '') return new langchain.SystemMessage(text);
  const { content } = message;
  const whole =
    typeof content === 'string'
      ? `${content}\n\n${text}`
      : [...content, { type: 'text' as const, text: `\n\n${text}` }];
  return new langchain.SystemMessage({ ...message.lc_kwargs, id: message.id, content: whole } as never);
}
