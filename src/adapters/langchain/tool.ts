import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { AgentMiddleware, ToolMessage } from 'langchain';
import type { PermissionCall } from '../../session/options.js';
import type { ToolCall, ToolResult } from '../../session/tool/call.js';
import { standIn } from '../../session/tool/stand-in.js';
import { messageOf } from '../../values/waiting/promises.js';
import { callText, contentText } from '../texts.js';
import type { ToolHow } from '../tool-how.js';
import { langchain } from './package.js';
import { canPause, type PausableNode, Pauses } from './pause.js';
import type { AgentRuns } from './runs.js';

type WrapToolCall = NonNullable<AgentMiddleware['wrapToolCall']>;
type Request = Parameters<WrapToolCall>[0];
type ToolHandler = Parameters<WrapToolCall>[1];
type WrapResult = Awaited<ReturnType<WrapToolCall>>;
type GraphCommand = Exclude<WrapResult, ToolMessage>;
type RequestTool = NonNullable<Request['tool']>;

/** Whether an error is LangGraph's control flow: a pause, a jump to another graph, or the end of a drained graph. */
export const isControlFlow = (error: unknown): boolean =>
  (error as { is_bubble_up?: unknown } | undefined)?.is_bubble_up === true;

/** The middleware's `wrapToolCall`: every call is run by the session. */
export function toolWrapper(runs: AgentRuns, toolHow: Readonly<Record<string, ToolHow>>) {
  const pauses = new Pauses();
  // One function for all calls, because a call that is made again must have the identical `pause` to be recognised.
  const pause = (input: unknown, call: PermissionCall) => pauses.ask(NODE.getStore() as PausableNode, input, call);
  const tools: { readonly wrap: WrapToolCall; readonly pauses: Pauses } = {
    pauses,
    async wrap(request, handler) {
      const { id = '', name } = request.toolCall;
      const run = await runs.of(request.runtime);
      const node = request.runtime as PausableNode;
      const made: ToolReturn = { given: undefined };
      const wrong = await whatIsWrong(request.tool, request.toolCall.args);
      const call: ToolCall = {
        ...(Object.hasOwn(toolHow, name) ? toolHow[name] : {}),
        name,
        ...(id === '' ? {} : { id }),
        input: request.toolCall.args,
        invalid: wrong === undefined ? undefined : `${name} does not take these arguments: ${wrong}`,
        pause: id !== '' && canPause(node) ? pause : undefined,
        check: (input) => whatIsWrong(request.tool, input),
        execute: standIn((input, context, begun) => {
          const { signal } = context;
          return runs.within(run, context, () => runTool(made, request, { handler, input, signal, begun }));
        }),
      };
      try {
        const result = await NODE.run(node, () => run.steps.run(call, { signal: request.runtime.signal }));
        if (result.status === 'deferred' && call.pause) {
          run.steps.over = undefined;
          await pauses.defer(node, { id: result.id, name, args: result.input }, result.reason);
        }
        const given = messageFor(result, made.given, request);
        if ('graph' in given && given.graph !== undefined) await run.steps.endBatch();
        return given;
      } catch (error) {
        if (isControlFlow(error)) throw error;
        return errorMessage(messageOf(error), request);
      }
    },
  };
  return tools;
}

/** The node in which the current call is made. */
const NODE = new AsyncLocalStorage<PausableNode>();

interface ToolReturn {
  given: WrapResult | undefined;
}

interface FinalCall {
  readonly handler: ToolHandler;
  readonly input: Record<string, unknown>;
  readonly signal: AbortSignal;
  /** Called when the tool begins. */
  readonly begun: () => void;
}

/** Runs the tool itself on the final input. A result that is not a message for this call is a jump, which may contain one. */
async function runTool(
  made: ToolReturn,
  request: Request,
  { handler, input, signal, begun }: FinalCall,
): Promise<unknown> {
  const toolCall = { ...request.toolCall, args: input };
  const tool = request.tool && bound(request.tool, toolCall, { signal, begun });
  try {
    made.given = await handler({ ...request, toolCall, tool });
  } catch (error) {
    // Without `request.tool`, other middleware has the tool, or there is none; either error counts as the tool's own.
    if (!tool) begun();
    throw error;
  }
  const message = messageIn(made.given, request);
  if (message?.status === 'error') throw new Error(contentText(message.content as never));
  begun();
  return message?.content;
}

/** The tool, restricted to this call: other middleware cannot run it with other arguments. */
function bound(
  tool: RequestTool,
  { name, args: given }: Request['toolCall'],
  { signal, begun }: Pick<FinalCall, 'signal' | 'begun'>,
): RequestTool {
  // A copy, because middleware has the original and may change it in place.
  const args = structuredClone(given);
  const invoke = (made: Request['toolCall'], config?: { signal?: AbortSignal }): unknown => {
    if (made.name !== name || !isDeepStrictEqual(made.args, args))
      throw new Error(
        `The call of ${name} was changed after hooks had judged it. Put the middleware that does so before hookscope's.`,
      );
    const either = config?.signal ? AbortSignal.any([config.signal, signal]) : signal;
    begun();
    return (tool as unknown as { invoke(made: unknown, config: unknown): unknown }).invoke(
      { ...made, args: structuredClone(args) },
      { ...config, signal: either },
    );
  };
  return new Proxy(tool, { get: (of, key) => (key === 'invoke' ? invoke : Reflect.get(of, key, of)) });
}

type ParsedInput = { readonly success: boolean; readonly error?: unknown };

/** Why the tool's schema rejects an input; undefined if it accepts it. JSON schemas are checked by the tool itself. */
async function whatIsWrong(tool: Request['tool'], input: unknown): Promise<string | undefined> {
  const schema = (tool as { schema?: { safeParseAsync?(input: unknown): Promise<ParsedInput> } } | undefined)?.schema;
  const parsed = await schema?.safeParseAsync?.(input);
  return parsed?.success === false ? messageOf(parsed.error) : undefined;
}

type ToolMessageFields = Pick<ToolMessage, 'content' | 'status' | 'id' | 'name' | 'tool_call_id'>;

/** The message for the call. In a command it may be a plain object. */
function messageIn(given: WrapResult, { toolCall }: Request): ToolMessageFields | undefined {
  if (langchain.ToolMessage.isInstance(given)) return given;
  return messagesOf(given).find(
    (one) => (one as { tool_call_id?: unknown } | null)?.tool_call_id === toolCall.id,
  ) as ToolMessageFields;
}

const messagesOf = ({ update }: GraphCommand): unknown[] =>
  [(update as { messages?: unknown } | undefined)?.messages].flat();

/** The tool's result with the hooks' changes. */
function messageFor(result: ToolResult, given: WrapResult | undefined, request: Request): WrapResult {
  if (result.status !== 'ran' || given === undefined) return errorMessage(callText(result), request);
  const message = messageIn(given, request);
  if (message === undefined) return given;
  // Other fields may repeat the content, so they are dropped if the content was changed.
  const same = !result.hidden && result.response === message.content;
  const { id, name, tool_call_id, status } = message;
  const whole = { ...(langchain.ToolMessage.isInstance(message) ? message.lc_kwargs : message), id };
  const fields = { ...(same ? whole : { id, name, tool_call_id, status }), content: result.content };
  const now = new langchain.ToolMessage(fields as never);
  if (langchain.ToolMessage.isInstance(given)) return now;
  const messages = messagesOf(given).map((one) => (one === message ? now : one));
  const update = { ...(given.update as object), messages };
  return Object.assign(Object.create(Object.getPrototypeOf(given)), given, { update });
}

function errorMessage(content: string, { toolCall }: Request): ToolMessage {
  return new langchain.ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? '', status: 'error' });
}
