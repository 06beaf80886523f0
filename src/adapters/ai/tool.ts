import type { Tool, ToolResultPart } from 'ai';
import { mayChange, reportOnce } from '../../session/inner.js';
import type { ToolCall, ToolResult } from '../../session/tool/call.js';
import { type Content, type ContentBlock, OUTPUT, withheldOf } from '../../session/tool/content.js';
import { bytesAsJson, isBytes } from '../../values/copies/binary.js';
import { messageOf, resultOf } from '../../values/waiting/promises.js';
import { askedInAnyCase } from '../asked.js';
import { rejectOnAbort } from '../reject-on-abort.js';
import type { Steps } from '../steps.js';
import { callText, contentText } from '../texts.js';
import type { ToolHow } from '../tool-how.js';
import type { ApprovalReplies } from './approvals.js';
import { judged, noting, schemaOf, theOneOf } from './input.js';
import { lastOf, pieces, yields } from './pieces.js';

/** Like OUTPUT, for a tool whose `toModelOutput` makes text of its output: the text is compared. */
const SAID: ContentBlock = { type: OUTPUT.type };

type SdkExecute = NonNullable<Tool<unknown, unknown>['execute']>;
type ExecuteOptions = Parameters<SdkExecute>[1];

/** How the tools of one turn are run. */
export interface ToolRun {
  readonly steps: Steps;
  /** The user's answers for calls that waited. */
  readonly answers: ApprovalReplies;
  /** Calls that ran, until their results are seen. Some models give two calls the same id. */
  readonly made: MadeCall[];
}

export interface MadeCall {
  readonly id: string;
  readonly name: string;
}

/** Removes the calls with these results, and returns the name of a tool that ran without hooks. The id alone matches tools that a round has under another name. */
export function unseenIn(made: MadeCall[], results: readonly ToolResultPart[]): string | undefined {
  const take = (is: (call: MadeCall) => boolean): boolean => {
    const at = made.findIndex(is);
    return at >= 0 && made.splice(at, 1).length > 0;
  };
  return results
    .filter(({ toolCallId, toolName }) => !take(({ id, name }) => id === toolCallId && name === toolName))
    .find(
      ({ toolCallId }) =>
        made.filter(({ id }) => id === toolCallId).length !== 1 || !take(({ id }) => id === toolCallId),
    )?.toolName;
}

/** Wraps a tool so that the session runs it. A tool without `execute` is not wrapped, and the host's logger is told that hooks do not see it. */
export function wrapTool(of: ToolRun, name: string, tool: Tool, how: ToolHow | undefined): Tool {
  const { execute } = tool;
  if (!execute) {
    const why = 'has no `execute`, so its calls run elsewhere: no hook is asked about them';
    reportOnce(of.steps.session, `drive: the tool "${name}" ${why}. Hooks that guard it need an \`execute\` here`);
    return tool;
  }
  const outputs: CallOutput[] = [];
  const calls: SdkCall[] = [];
  const wrapped = { ...of, name, tool, how, outputs };
  const callOf = (id: string, input: unknown): SdkCall => theOneOf(calls, id, input) ?? new SdkCall(wrapped, id, input);
  const own: Pick<Tool<unknown, unknown>, 'execute' | 'toModelOutput' | 'needsApproval'> = {
    execute: yields(execute)
      ? (input, options) => pieces((piece) => callOf(options.toolCallId, input).make(options, piece))
      : (input, options) => callOf(options.toolCallId, input).make(options),
    // The SDK calls this before every call. A call that the user was already asked about is judged when it is made.
    needsApproval: async (input, options) => {
      const id = options.toolCallId;
      if (of.answers.about(id, name, input) !== undefined) return true;
      // A subagent's call cannot wait for an answer, because the subagent ends with its turn.
      if (of.steps.session.agent_id !== undefined) return false;
      const call = new SdkCall(wrapped, id, input);
      const wants = await needsApproval(tool, input, options);
      if (wants && !of.steps.how.onAsk) return call.asked();
      calls.push(call);
      return await call.asks(wants);
    },
    // Results from earlier in the conversation are rendered by the tool itself.
    toModelOutput: (given) => {
      const of =
        theOneOf(outputs, given.toolCallId, given.input) ?? outputs.findLast(({ id }) => id === given.toolCallId);
      return of?.output ?? outputOf(name, tool, given);
    },
  };
  return { ...tool, ...noting(tool), ...own } as Tool;
}

type ApprovalOptions = Parameters<Extract<NonNullable<Tool['needsApproval']>, (...given: never[]) => unknown>>[1];

async function needsApproval({ needsApproval: own }: Tool, input: unknown, options: ApprovalOptions) {
  return typeof own === 'function' ? Boolean(await resultOf(() => own(input as never, options))) : own === true;
}

interface WrappedTool extends ToolRun {
  readonly name: string;
  readonly tool: Tool;
  readonly how: ToolHow | undefined;
  /** The model's text for the calls of this turn. Some models give two calls the same id. */
  readonly outputs: CallOutput[];
}

interface CallOutput {
  readonly id: string;
  /** The input that the model made. */
  readonly input: unknown;
  readonly output: ModelOutput;
}

/** The error of a call that did not run. The model gets its text, to which some versions of the SDK add the error's name. */
class ToolNotRunError extends Error {
  override toString(): string {
    return this.message;
  }
}

/** One call of a tool, from the hooks' judgement to the SDK's result. */
class SdkCall {
  readonly #of: WrappedTool;
  readonly #call: ToolCall;
  readonly id: string;
  /** The input as the SDK parsed it; after a rewrite by a hook, as the tool's schema parses the new one. */
  #given: unknown;
  readonly input: unknown;

  constructor(of: WrappedTool, id: string, input: unknown) {
    const { name, tool, how, answers } = of;
    this.#of = of;
    this.id = id;
    this.input = input;
    this.#given = input;
    const seen = judged(name, input);
    const pause = answers.about(id, name, input);
    this.#call = {
      ...how,
      name,
      id,
      input: 'wrong' in seen ? {} : seen.input,
      invalid: 'wrong' in seen ? seen.wrong : undefined,
      render: () => [tool.toModelOutput ? SAID : OUTPUT],
      check: (rewritten) => this.#check(rewritten),
      ...(pause ? { pause } : {}),
    };
  }

  asks(needsApproval: boolean): Promise<boolean> {
    const call = { ...this.#call, needsApproval };
    return this.#of.steps.asks(needsApproval ? askedInAnyCase(call) : call, { said: this.#said });
  }

  /** Notes that the SDK asks the user whatever hooks decide, and shows the input that the model made. */
  asked(): boolean {
    const { id = '', name, input, invalid } = this.#call;
    if (invalid === undefined) this.#of.steps.asked(id, name, input);
    return invalid === undefined;
  }

  /** Runs the call. It throws for an error result, which is how the SDK passes errors to the model. */
  async make(options: ExecuteOptions, piece?: (output: unknown) => void): Promise<unknown> {
    const { name, steps, tool, made, answers } = this.#of;
    const { abortSignal } = options;
    answers.take(options.toolCallId, name, this.input);
    const call: ToolCall<unknown> = {
      ...this.#call,
      // A subagent's call cannot wait for a later answer, so the session's `ask` is called now.
      needsApproval: steps.session.agent_id !== undefined && (await needsApproval(tool, this.input, options)),
      execute: (_, { signal }) => {
        const either = abortSignal ? AbortSignal.any([abortSignal, signal]) : signal;
        const output: unknown = tool.execute?.call(tool, this.#given, { ...options, abortSignal: either });
        const holds = (): boolean =>
          mayChange(steps.current, 'PostToolUse', { tool_name: name, tool_input: this.#given });
        return rejectOnAbort(lastOf(output, piece, holds), abortSignal);
      },
    };
    // In ai 7 the tool's signal also covers the tool's own timeout. Once a model call has given the caller's signal, that one is used instead.
    const signal = steps.how.signal ? undefined : abortSignal;
    const result = await steps.run(call as ToolCall, { signal, said: this.#said });
    if (result.status !== 'ran') throw new ToolNotRunError(callText(result), { cause: result });
    made.push({ id: options.toolCallId, name });
    return result.hidden ? contentText(result.content) : result.response;
  }

  readonly #said = async (result: ToolResult): Promise<Content> => {
    if (result.status !== 'ran') return result.content;
    const output = await modelOutput(this.#of.name, this.#of.tool, { ...result, input: this.#given });
    this.#of.outputs.push({ id: result.id, input: this.input, output });
    return contentOf(output);
  };

  /** Parsed with the tool's own schema; for a rewritten input the parsed value runs. */
  async #check(rewritten: unknown): Promise<string | undefined> {
    const checked = await schemaOf(this.#of.tool.inputSchema).validate?.(rewritten);
    if (checked?.success === false) return messageOf(checked.error);
    this.#given = checked ? checked.value : rewritten;
    return undefined;
  }
}

type ModelOutput = ToolResultPart['output'];
type ModelOutputArgument = Parameters<NonNullable<Tool['toModelOutput']>>[0];

/** The model's text for a result: the tool's own rendering of its output or the hooks' replacement, followed by the hooks' additions. */
async function modelOutput(name: string, tool: Tool, result: ToolResult): Promise<ModelOutput> {
  const { content, id, input, response } = result;
  if (typeof content === 'string') return text(content);
  const [first, ...added] = content;
  if (first?.type !== OUTPUT.type) return text(contentText(content));
  return below(
    await outputOf(name, tool, { toolCallId: id, input, output: response } as ModelOutputArgument),
    contentText(added),
  );
}

/** Renders an output with the tool's `toModelOutput`, or like the SDK. If that throws, the text says so. What JSON cannot carry is withheld. */
async function outputOf(name: string, { toModelOutput }: Tool, given: ModelOutputArgument): Promise<ModelOutput> {
  const { output } = given;
  if (!toModelOutput) return typeof output === 'string' ? text(output) : { type: 'json', value: output ?? null };
  try {
    const own = (await resultOf(() => toModelOutput(given))) as ModelOutput;
    const withheld = withheldOf(own);
    return withheld === undefined ? own : text(withheld);
  } catch (error) {
    return { type: 'error-text', value: `${name} ran, and could not say its output: ${String(error)}` };
  }
}

/** Appends the hooks' additions to an output. */
function below(output: ModelOutput, added: string): ModelOutput {
  if (added === '') return output;
  if (output.type === 'content') return { ...output, value: [...output.value, { type: 'text', text: added }] };
  const value = `${contentText(contentOf(output))}\n\n${added}`;
  return output.type === 'error-text' || output.type === 'error-json' ? { type: 'error-text', value } : text(value);
}

function contentOf(output: ModelOutput): Content {
  if (output.type === 'content') return output.value;
  const said = output.type === 'execution-denied' ? (output.reason ?? '') : output.value;
  if (typeof said === 'string') return said;
  return JSON.stringify(typeof said === 'object' && said !== null && isBytes(said) ? bytesAsJson(said) : said);
}

const text = (value: string): ModelOutput => ({ type: 'text', value });
