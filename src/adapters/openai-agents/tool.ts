import type { FunctionTool, RunContext, Tool } from '@openai/agents';
import { approved, refusal } from '../../session/tool/approved.js';
import type { ToolCall, ToolResult } from '../../session/tool/call.js';
import { type Content, OUTPUT } from '../../session/tool/content.js';
import { isObject } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import { askedInAnyCase } from '../asked.js';
import { rejectOnAbort } from '../reject-on-abort.js';
import type { Steps } from '../steps.js';
import { callText, contentText } from '../texts.js';
import type { ToolHow } from '../tool-how.js';
import { alwaysOf } from './always.js';
import { inTime, type TimeoutSdk } from './in-time.js';

/** A function tool of the SDK. */
export type AnyTool = Extract<Tool, { type: 'function' }>;
type FunctionDetails = Parameters<FunctionTool['invoke']>[2];
type SdkContext = RunContext<unknown>;

/** The result of the SDK's own tools when they throw; it hides the error's text from the model. */
const FAILED = 'An error occurred while running the tool. Please try again.';

/** What the tools of one agent share. */
export interface AgentTools {
  readonly steps: Steps;
  readonly sdk: TimeoutSdk;
  /** The agent that the SDK runs. */
  readonly owner: object;
  readonly how: ToolHow | undefined;
}

/** The user's answer for a call of this agent. A call of another agent with the same tool name and id is not covered. */
export const approvalOf = (
  context: Pick<SdkContext, 'isToolApproved'>,
  call: { readonly toolName: string; readonly callId: string; readonly agent: object },
): boolean | undefined => context.isToolApproved(call);

/** Wraps a tool so that the session runs it. `call` runs in place of the tool's own `invoke`. */
export function wrapTool({ steps, sdk, owner, how }: AgentTools, tool: AnyTool, call = invoke(tool)): AnyTool {
  const { name } = tool;
  const approval = (context: SdkContext, callId: string) =>
    approvalOf(context, { toolName: name, callId, agent: owner });
  const make = (id: string | undefined, input: unknown, more: Partial<ToolCall> = {}): ToolCall => ({
    ...how,
    name,
    ...(id === undefined ? {} : { id }),
    input,
    render: () => [OUTPUT],
    ...more,
  });
  return {
    ...tool,
    // The SDK's timeout would count the hooks' time too; `inTime` applies it to the tool only.
    timeoutMs: undefined,
    // The SDK calls this before every call that the user was not asked about.
    async needsApproval(context: SdkContext, input: unknown, id?: string) {
      if (id === undefined || steps.session.agent_id !== undefined) return false;
      if (approval(context, id) !== undefined) return true;
      const always = alwaysOf(owner, name);
      if (always?.approved === false) return false;
      // An approval of all calls answers the tool's own question, not that of hooks.
      const needsApproval = always === undefined && (await tool.needsApproval(context, input as never, id));
      const made = make(id, input, { needsApproval });
      if (!needsApproval) return await steps.asks(made, { said });
      if (steps.how.onAsk) return await steps.asks(askedInAnyCase(made), { said });
      // The SDK asks whatever hooks decide, and shows the input that the model made.
      steps.asked(id, name, input);
      return true;
    },
    async invoke(context: SdkContext, given: string, details?: FunctionDetails) {
      const id = details?.toolCall?.callId;
      const input = argumentsOf(given);
      if (input === undefined) return callText(await steps.run({ ...make(id, {}), invalid: NO_OBJECT }));
      const isApproved = id !== undefined && approval(context, id) === true;
      const always = isApproved ? undefined : alwaysOf(owner, name);
      // A subagent's call cannot wait for a later answer, so the session's `ask` is called now.
      const asks = steps.session.agent_id !== undefined && (await tool.needsApproval(context, input as never, id));
      const own = inTime(sdk, tool, context);
      const made = make(id, input, {
        // An approval of all calls is not an answer for this particular input.
        ...(isApproved ? { pause: approved(alwaysOf(owner, name)?.approved) } : {}),
        needsApproval: asks,
        execute: (final, { signal }) => {
          const given = { ...details, signal: either(details?.signal, signal) };
          const work = own.run(given, async (inner) => await call(context, final, inner));
          return rejectOnAbort(work, details?.signal);
        },
        ...(always?.approved === false ? refusedCall(always.message) : {}),
      });
      // If the session cannot judge the call, it rejects, and the loop ends.
      const answer = await steps.run(made, { said }).then(output, messageOf);
      own.raise();
      return answer;
    },
  } as unknown as AnyTool;
}

/** The options of a call that the user refused: it does not run, whatever hooks and rules say. */
export const refusedCall = (message: string | undefined): Pick<ToolCall, 'permission' | 'pause' | 'execute'> => ({
  permission: () => ({ behavior: 'ask' }),
  pause: refusal(message),
  execute: () => {
    throw new Error(message ?? 'The user refused it.');
  },
});

/** The text for the model if the arguments cannot be parsed. */
export const NO_OBJECT = 'The arguments are no JSON object. Please try again with valid JSON.';

/** The arguments of a call; `undefined` if the model's text is not a JSON object, so that the tool is not called. */
export function argumentsOf(text: string): Record<string, unknown> | undefined {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const either = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one ? AbortSignal.any([one, other]) : other;

export type Invoke = (context: SdkContext, input: unknown, details: NonNullable<FunctionDetails>) => unknown;

function invoke(tool: AnyTool): Invoke {
  return async (context, input, details) => {
    const answer: unknown = await tool.invoke(context, JSON.stringify(input), details);
    if (answer === FAILED) throw new Error(FAILED);
    return answer;
  };
}

/** The SDK's result of a call: the tool's own output, followed by the hooks' additions. */
function output(result: ToolResult): unknown {
  const { status, content, response } = result;
  const [first, ...added] = typeof content === 'string' ? [] : content;
  if (status !== 'ran' || first?.type !== OUTPUT.type) return callText(result);
  if (added.length === 0) return response;
  const text = contentText(added);
  if (typeof response === 'string') return `${response}\n\n${text}`;
  const parts = [response].flat();
  return parts.every(isPart) ? [...parts, { type: 'text', text }] : `${JSON.stringify(response)}\n\n${text}`;
}

const isPart = (part: unknown): boolean =>
  ['text', 'image', 'file'].includes((part as { type?: string } | null)?.type ?? '');

function said(result: ToolResult): Content {
  const given = output(result);
  return typeof given === 'string' ? given : (JSON.stringify(given) ?? '');
}
