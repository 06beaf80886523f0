import { asSchema, type Tool, type ToolResultPart } from 'ai';
import type { ToolCall, ToolResult } from '../session/call.js';
import type { Content, ContentBlock } from '../session/content.js';
import { bytesAsJson, isBytes } from '../values/binary.js';
import { messageOf } from '../values/promises.js';
import type { Steps } from './steps.js';
import { callText, contentText } from './texts.js';

/** What the session should know of a tool beside its name: its effect, its MCP server, rules of its own. */
export type ToolHow = Pick<ToolCall, 'effect' | 'mcp' | 'permission' | 'ask' | 'classify'>;

/** Where the tool's own output stands in what the model gets. */
const OUTPUT: ContentBlock = { type: 'hookscope-output' };

type Execute = NonNullable<Tool<unknown, unknown>['execute']>;
type ExecuteOptions = Parameters<Execute>[1];

/** The tool, run by the session; one without `execute` stays as it is. */
export function wrapTool(steps: Steps, name: string, tool: Tool, how: ToolHow | undefined): Tool {
  if (!tool.execute) return tool;
  const outputs = new Map<string, ModelOutput>();
  const run = (input: unknown, options: ExecuteOptions, piece?: (output: unknown) => void): Promise<unknown> =>
    runCall({ steps, name, tool, how, outputs }, { input, options, piece });
  const wrapped: Pick<Tool<unknown, unknown>, 'execute' | 'toModelOutput'> = {
    execute: yields(tool.execute)
      ? (input, options) => pieces((piece) => run(input, options, piece))
      : (input, options) => run(input, options),
    // A call of an earlier conversation is said as the tool says it.
    toModelOutput: (given) => outputs.get(given.toolCallId) ?? outputOf(name, tool, given),
  };
  return { ...tool, ...wrapped } as Tool;
}

interface Wrapped {
  readonly steps: Steps;
  readonly name: string;
  readonly tool: Tool;
  readonly how: ToolHow | undefined;
  readonly outputs: Map<string, ModelOutput>;
}

interface Made {
  readonly input: unknown;
  readonly options: ExecuteOptions;
  /** Takes what the tool yields, as it does. */
  readonly piece: ((output: unknown) => void) | undefined;
}

async function runCall({ steps, name, tool, how, outputs }: Wrapped, { input, options, piece }: Made) {
  const { toolCallId: id, abortSignal } = options;
  let read: { readonly input: unknown } | undefined;
  const call: ToolCall<unknown> = {
    ...how,
    name,
    id,
    input,
    render: () => [OUTPUT],
    async check(rewritten) {
      const checked = await asSchema(tool.inputSchema).validate?.(rewritten);
      if (checked?.success === false) return messageOf(checked.error);
      if (checked) read = { input: checked.value };
      return undefined;
    },
    execute(final, { signal }) {
      const either = abortSignal ? AbortSignal.any([abortSignal, signal]) : signal;
      const running = tool.execute?.call(tool, read ? read.input : final, { ...options, abortSignal: either });
      return lastOf(running, piece);
    },
  };
  const result = await steps.run(call as ToolCall, {
    signal: abortSignal,
    said: async (result) => {
      if (result.status !== 'ran') return result.content;
      const output = await modelOutput(name, tool, result);
      outputs.set(id, output);
      return contentOf(output);
    },
  });
  // The SDK's way to give the model an error result is to throw.
  if (result.status !== 'ran') throw new Error(callText(result), { cause: result });
  return result.hidden ? contentText(result.content) : result.response;
}

/** The SDK shows what a tool yields only if it is told at once that the tool yields: an `async function*`, bound or not. */
function yields(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
}

/** What is handed over while the work runs, each piece at once, and last what comes of it. */
async function* pieces(work: (piece: (output: unknown) => void) => Promise<unknown>): AsyncGenerator<unknown> {
  const waiting: unknown[] = [];
  let wake: () => void = () => undefined;
  let over = false;
  const running = work((output) => {
    waiting.push(output);
    wake();
  }).finally(() => {
    over = true;
    wake();
  });
  // Whatever it throws is thrown below.
  running.catch(() => undefined);
  let shown: unknown = waiting;
  while (!over || waiting.length > 0) {
    if (waiting.length > 0) {
      shown = waiting.shift();
      yield shown;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const final = await running;
  if (final !== shown) yield final;
}

/** A tool that yields has its last value as its output. */
async function lastOf(output: unknown, piece: Made['piece']): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (last of output as AsyncIterable<unknown>) piece?.(last);
  return last;
}

type ModelOutput = ToolResultPart['output'];
type ToolOutput = Parameters<NonNullable<Tool['toModelOutput']>>[0];

/** What the model gets of a call that ran: the tool's own words for its output, or what hooks put there, and what they add below. */
async function modelOutput(name: string, tool: Tool, result: ToolResult): Promise<ModelOutput> {
  const { content, id, input, response } = result;
  if (typeof content === 'string') return text(content);
  const [first, ...added] = content;
  if (first?.type !== OUTPUT.type) return text(contentText(content));
  return below(
    await outputOf(name, tool, { toolCallId: id, input, output: response } as ToolOutput),
    contentText(added),
  );
}

/** As the tool says it, else as the SDK would. A tool that cannot say what a hook made of its output says that. */
async function outputOf(name: string, { toModelOutput }: Tool, given: ToolOutput): Promise<ModelOutput> {
  const { output } = given;
  if (!toModelOutput) return typeof output === 'string' ? text(output) : { type: 'json', value: output ?? null };
  try {
    return await toModelOutput(given);
  } catch (error) {
    return { type: 'error-text', value: `${name} ran, and could not say its output: ${String(error)}` };
  }
}

/** The output with what hooks add below it. */
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
