import type { FunctionTool, RunContext, Tool } from '@openai/agents';
import type { ToolCall, ToolResult } from '../session/call.js';
import type { Content, ContentBlock } from '../session/content.js';
import type { Steps } from './steps.js';
import { callText, contentText } from './texts.js';

/** What the session should know of a tool beside its name: its effect, its MCP server, rules of its own. */
export type ToolHow = Pick<ToolCall, 'effect' | 'mcp' | 'permission' | 'ask' | 'classify'>;

/** A function tool of the SDK. */
export type AnyTool = Extract<Tool, { type: 'function' }>;
type Details = Parameters<FunctionTool['invoke']>[2];
type Context = RunContext<unknown>;

/** What the SDK's own tools answer in place of what they threw; its words are kept from everybody. */
const FAILED = 'An error occurred while running the tool. Please try again.';
/** Where the tool's own output stands in what the model gets. */
const OUTPUT: ContentBlock = { type: 'hookscope-output' };

/** The tool, run by the session. `call` is what is done where it is not the tool's own `invoke`. */
export function wrapTool(steps: Steps, tool: AnyTool, how: ToolHow | undefined, call = invoke(tool)): AnyTool {
  const { name } = tool;
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
    // Asked before every call that the user has not been asked about.
    async needsApproval(context: Context, input: unknown, id?: string) {
      const needs: boolean = await tool.needsApproval(context, input as never, id);
      if (id === undefined || steps.session.agent_id !== undefined) return false;
      if (needs || context.isToolApproved({ toolName: name, callId: id }) !== undefined) return true;
      return await steps.asks(make(id, input), { said });
    },
    async invoke(context: Context, given: string, details?: Details) {
      const id = details?.toolCall?.callId;
      const input: unknown = JSON.parse(given === '' ? '{}' : given);
      const approved = id !== undefined && context.isToolApproved({ toolName: name, callId: id }) === true;
      // Nobody can be asked later for a subagent: whoever the session has is asked now.
      const asks = steps.session.agent_id !== undefined && (await tool.needsApproval(context, input as never, id));
      const made = make(id, input, {
        ...(approved ? { pause: () => ({ behavior: 'allow' }) } : {}),
        ...(asks ? { permission: () => ({ behavior: 'ask' }) } : {}),
        execute: (final, { signal }) => call(context, final, { ...details, signal: either(details?.signal, signal) }),
      });
      try {
        return output(await steps.run(made, { said }));
      } catch (error) {
        // A session that cannot judge it: the loop is over.
        return error instanceof Error ? error.message : String(error);
      }
    },
  } as AnyTool;
}

const either = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one ? AbortSignal.any([one, other]) : other;

export type Invoke = (context: Context, input: unknown, details: NonNullable<Details>) => unknown;

function invoke(tool: AnyTool): Invoke {
  return async (context, input, details) => {
    const answer: unknown = await tool.invoke(context, JSON.stringify(input), details);
    if (answer === FAILED) throw new Error(FAILED);
    return answer;
  };
}

/** What the SDK gets of a call: the tool's own answer, with what hooks add below it. */
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
