import type { generateText, ModelMessage, StopCondition, Tool, ToolResultPart, ToolSet } from 'ai';
import { z } from 'zod';
import type { ToolCall, ToolResult } from '../session/call.js';
import type { Content, ContentBlock } from '../session/content.js';
import type { SpawnOptions } from '../session/options.js';
import type { Session } from '../session/types.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks } from '../values/shape.js';
import { runTurn, Steps, type Turn } from './turn.js';

export type { Turn } from './turn.js';

/** What the session should know of a tool beside its name: its effect, its MCP server, rules of its own. */
export type ToolHow = Pick<ToolCall, 'effect' | 'mcp' | 'permission' | 'ask' | 'classify'>;

/** What `drive` takes. */
export interface DriveOptions<Tools extends ToolSet> {
  /** The user's words; for a subagent's session, the task. */
  readonly prompt: string;
  /** The conversation before it. */
  readonly messages?: readonly ModelMessage[] | undefined;
  readonly system?: string | undefined;
  readonly tools?: Tools | undefined;
  /** By the tool's name. */
  readonly toolHow?: Readonly<Partial<Record<keyof Tools, ToolHow>>> | undefined;
  /** Your own conditions; a hook that ends the loop is one more. Default: none, the loop ends when the model is done. */
  readonly stopWhen?: StopCondition<Tools> | readonly StopCondition<Tools>[] | undefined;
  /** Your own; the context that hooks add goes below the system prompt it gives. */
  readonly prepareStep?: PrepareStep<Tools> | undefined;
}

const DRIVE: Keys<DriveOptions<ToolSet>> = {
  prompt: checks.text,
  messages: checks.list,
  system: checks.text,
  tools: checks.object,
  toolHow: checks.object,
  stopWhen: { expected: 'a function or an array of functions', accepts: (v) => [v].flat().every(checks.fn.accepts) },
  prepareStep: checks.fn,
};

/** What `generateText` and `streamText` get for one round; `model` and every other setting are yours. */
export interface RoundSettings<Tools extends ToolSet> {
  readonly messages: ModelMessage[];
  readonly tools: Tools;
  readonly stopWhen: StopCondition<Tools>[];
  readonly prepareStep: PrepareStep<Tools>;
}

/** What both of them give back, as far as it is needed. */
export interface Generated {
  readonly text: string | PromiseLike<string>;
  readonly finishReason: string | PromiseLike<string>;
  readonly response: Messages | PromiseLike<Messages>;
}

/** As the SDK's own functions take it. */
type PrepareStep<Tools extends ToolSet> = NonNullable<Parameters<typeof generateText<Tools>>[0]['prepareStep']>;

interface Messages {
  readonly messages: readonly ModelMessage[];
}

/** What came of a turn, and the conversation with it. */
export interface Driven<Result> extends Turn<Result> {
  readonly messages: readonly ModelMessage[];
}

/**
 * One turn of the AI SDK's tool loop on a session: UserPromptSubmit, in every step the tools' events and PostToolBatch, then
 * Stop, whose hooks may begin another round with their reason as the next message.
 *
 * ```ts
 * const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
 * const { text } = await drive(session, { prompt, system, tools }, (round) => generateText({ model, ...round }));
 * ```
 *
 * The tools of one step run beside each other, as the SDK runs them. A session without rules and without the user to ask denies
 * every call that no hook allows. Rejects with what `generate` throws, after StopFailure (aborted: after `session.interrupt()`).
 */
export async function drive<Tools extends ToolSet, Result extends Generated>(
  session: Session,
  options: DriveOptions<Tools>,
  generate: (round: RoundSettings<Tools>) => Result | PromiseLike<Result>,
): Promise<Driven<Result>> {
  checkKeys(options, DRIVE, 'drive: ');
  const steps = new Steps(session);
  const messages: ModelMessage[] = [...(options.messages ?? [])];
  const own = [options.stopWhen ?? []].flat() as StopCondition<Tools>[];
  const isOver: StopCondition<Tools> = async ({ steps: made }) => {
    await steps.endBatch(made.at(-1)?.toolCalls.map((call) => call.toolCallId) ?? []);
    return steps.over !== undefined;
  };
  const tools = wrap(
    steps,
    options.tools ?? ({} as Tools),
    (options.toolHow ?? {}) as Readonly<Record<string, ToolHow>>,
  );
  const prepareStep = prepare(steps, options);
  const turn = await runTurn(steps, options.prompt, async (content) => {
    messages.push({ role: 'user', content });
    const result = await generate({ messages: [...messages], tools, stopWhen: [...own, isOver], prepareStep });
    const [text, reason, response] = [await result.text, await result.finishReason, await result.response];
    messages.push(...response.messages);
    return { result, text, finished: reason !== 'tool-calls' };
  });
  return { ...turn, messages };
}

/** What waits for the model goes below the system prompt of the step that comes next, once. */
function prepare<Tools extends ToolSet>(steps: Steps, options: DriveOptions<Tools>): PrepareStep<Tools> {
  return async (step) => {
    const own = await options.prepareStep?.(step);
    const base = own?.system ?? options.system ?? '';
    if (typeof base === 'string') {
      const system = steps.systemPrompt(base);
      return system === '' ? own : { ...own, system };
    }
    const content = steps.systemPrompt('');
    return { ...own, system: [base, content === '' ? [] : [{ role: 'system' as const, content }]].flat() };
  };
}

/** Every tool that runs here, run by the session; those without `execute` stay as they are. */
function wrap<Tools extends ToolSet>(steps: Steps, tools: Tools, how: Readonly<Record<string, ToolHow>>): Tools {
  const wrapped = Object.entries<Tool>(tools as Record<string, Tool>).map(([name, tool]) => [
    name,
    wrapTool(steps, name, tool, how[name]),
  ]);
  return Object.fromEntries(wrapped) as Tools;
}

/** Where the tool's own output stands in what the model gets. */
const OUTPUT: ContentBlock = { type: 'hookscope-output' };

function wrapTool(steps: Steps, name: string, tool: Tool, how: ToolHow | undefined): Tool {
  const { execute } = tool;
  if (!execute) return tool;
  const outputs = new Map<string, ModelOutput>();
  const wrapped: Pick<Tool<unknown, unknown>, 'execute' | 'toModelOutput'> = {
    async execute(input, options) {
      const { toolCallId: id, abortSignal } = options;
      const call: ToolCall<unknown> = {
        ...how,
        name,
        id,
        input,
        render: () => [OUTPUT],
        execute(final, { signal }) {
          const either = abortSignal ? AbortSignal.any([abortSignal, signal]) : signal;
          return lastOf(execute.call(tool, final, { ...options, abortSignal: either }));
        },
      };
      const result = await steps.run(call as ToolCall, async (result) => {
        if (result.status !== 'ran') return result.content;
        const output = await modelOutput(name, tool, result);
        outputs.set(id, output);
        return contentOf(output);
      });
      // The SDK's way to give the model an error result is to throw.
      if (result.status !== 'ran') {
        throw new Error(textOf(result.content) || (result.reason ?? `The call of ${name} was ${result.status}.`), {
          cause: result,
        });
      }
      return result.hidden ? textOf(result.content) : result.response;
    },
    // A call of an earlier conversation is said as the tool says it.
    toModelOutput: (given) => outputs.get(given.toolCallId) ?? outputOf(name, tool, given),
  };
  return { ...tool, ...wrapped } as Tool;
}

/** A tool that yields has its last value as its output. */
async function lastOf(output: unknown): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (last of output as AsyncIterable<unknown>);
  return last;
}

type ModelOutput = ToolResultPart['output'];
type ToolOutput = Parameters<NonNullable<Tool['toModelOutput']>>[0];

/** What the model gets of a call that ran: the tool's own words for its output, or what hooks put there, and what they add below. */
async function modelOutput(name: string, tool: Tool, result: ToolResult): Promise<ModelOutput> {
  const { content, id, input, response } = result;
  if (typeof content === 'string') return text(content);
  const [first, ...added] = content;
  if (first?.type !== OUTPUT.type) return text(textOf(content));
  return below(await outputOf(name, tool, { toolCallId: id, input, output: response } as ToolOutput), textOf(added));
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
  const value = `${textOf(contentOf(output))}\n\n${added}`;
  return output.type === 'error-text' || output.type === 'error-json' ? { type: 'error-text', value } : text(value);
}

function contentOf(output: ModelOutput): Content {
  if (output.type === 'content') return output.value;
  const said = output.type === 'execution-denied' ? (output.reason ?? '') : output.value;
  return typeof said === 'string' ? said : JSON.stringify(said);
}

const text = (value: string): ModelOutput => ({ type: 'text', value });

function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? String(block['text']) : JSON.stringify(block))).join('\n\n');
}

/** What `agentTool` takes beside what `session.spawn` does. */
export interface AgentToolOptions extends Omit<SpawnOptions, 'id' | 'parent' | 'signal'> {
  /** For the model: what the subagent is good for. */
  readonly description: string;
  /** Works on the task, usually by `drive(child, { prompt, … }, …)`. What it returns is the tool's output. */
  run(child: Session, prompt: string, context: { readonly signal: AbortSignal }): string | Promise<string>;
}

/**
 * A tool that hands a task to a subagent: each call spawns a child session with a scope of its own, from SubagentStart to
 * SubagentStop, so that its hooks see its calls alone. Give it to `drive` among the tools of the session it spawns from.
 */
export function agentTool(session: Session, options: AgentToolOptions): Tool<{ prompt: string }, string> {
  const { description, run, ...spawn } = options;
  return {
    description,
    inputSchema: z.object({ prompt: z.string().describe('The task, with all the agent needs to know.') }),
    async execute({ prompt }, { abortSignal }) {
      const signal = abortSignal ?? new AbortController().signal;
      const child = await session.spawn({ ...spawn, signal });
      try {
        return await run(child, prompt, { signal });
      } finally {
        await child.close();
      }
    },
  };
}
