import type {
  generateText,
  LanguageModel,
  LanguageModelMiddleware,
  ModelMessage,
  SystemModelMessage,
  ToolSet,
} from 'ai';
import type { Steps } from '../steps.js';
import type { SdkStep } from './messages.js';
import { ai } from './package.js';

/** `prepareStep` as the SDK's own functions take it. */
export type PrepareStep<Tools extends ToolSet> = NonNullable<Parameters<typeof generateText<Tools>>[0]['prepareStep']>;

/** The part of the results of `generateText` and `streamText` that is needed. */
export interface Generated {
  readonly text: string | PromiseLike<string>;
  /** The messages of all steps (ai 6) or of the last step only (ai 7). */
  readonly response: Messages | PromiseLike<Messages>;
  /** The messages of all steps (ai 7 only). */
  readonly responseMessages?: readonly ModelMessage[] | PromiseLike<readonly ModelMessage[]>;
  /** Needed because an answer without content appears only here. */
  readonly steps?: readonly SdkStep[] | PromiseLike<readonly SdkStep[]>;
  /** The stream of `streamText`, the only place where errors of the model and the caller's abort appear. */
  readonly fullStream?: AsyncIterable<{ readonly type: string; readonly error?: unknown; readonly reason?: unknown }>;
}

interface Messages {
  readonly messages: readonly ModelMessage[];
}

/** Waits for the end of a round. The SDK's streams do not reject, so errors and aborts are read from their parts, and are not taken for an end. */
export async function whole(result: Generated, signal: () => AbortSignal | undefined) {
  for await (const part of result.fullStream ?? []) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') {
      signal()?.throwIfAborted();
      // If no step has ended yet, this rejects with the caller's reason.
      await result.text;
      throw new DOMException(String(part.reason ?? 'The stream was aborted'), 'AbortError');
    }
  }
  const [text, response] = [await result.text, await result.response];
  return { text, messages: (await result.responseMessages) ?? response.messages, made: await result.steps };
}

type Instructions = string | SystemModelMessage | SystemModelMessage[] | undefined;

/** The system prompt in ai 7, where it also applies to the following steps. */
interface InstructionFields {
  readonly instructions?: Instructions;
  readonly system?: Instructions;
}

/** What `prepare` needs from a turn. */
export interface TurnPreparation<Tools extends ToolSet> {
  readonly system?: string | undefined;
  readonly prepareStep?: PrepareStep<Tools> | undefined;
  /** Called with the caller's signal, as each model call gets it. */
  readonly onSignal: (signal: AbortSignal | undefined) => void;
}

/**
 * The `prepareStep` that appends waiting context to the system prompt of the next step, once. Calls that the user approved run before the first
 * step; if they end the loop, no model is called.
 */
export function prepare<Tools extends ToolSet>(steps: Steps, options: TurnPreparation<Tools>): PrepareStep<Tools> {
  let kept: Instructions;
  return async (step) => {
    await steps.endBatch([]);
    if (steps.over !== undefined) return { model: SILENT };
    const given = await options.prepareStep?.(step);
    const model = heard(given?.model ?? step.model, options.onSignal);
    const own = instructionsOf(given);
    const isKept = 'initialInstructions' in step;
    if (isKept) kept = own ?? kept;
    const first = isKept ? (step.initialInstructions as Instructions) : undefined;
    const base = own ?? kept ?? options.system ?? first ?? '';
    const said = below(base, steps);
    // An empty prompt is sent explicitly; otherwise the SDK would reuse the previous step's.
    if (said === '') return { ...given, model, ...(isKept ? { instructions: [] } : {}) };
    return { ...given, model, system: said, instructions: said };
  };
}

const instructionsOf = (given: InstructionFields | undefined): Instructions => given?.instructions ?? given?.system;

function below(base: Exclude<Instructions, undefined>, steps: Steps): Exclude<Instructions, undefined> {
  if (typeof base === 'string') return steps.systemPrompt(base);
  const content = steps.systemPrompt('');
  return [base, content === '' ? [] : [{ role: 'system' as const, content }]].flat();
}

/** Wraps the model to learn the caller's signal from its calls: there is no other source for it before a tool runs. */
function heard(model: LanguageModel, onSignal: TurnPreparation<ToolSet>['onSignal']): LanguageModel {
  // Not expected: the SDK has converted models of older versions by now.
  if (typeof model === 'string' || model.specificationVersion === 'v2') return model;
  const transformParams: LanguageModelMiddleware['transformParams'] = async ({ params }) => {
    onSignal(params.abortSignal);
    return params;
  };
  return ai.wrapLanguageModel({ model, middleware: { specificationVersion: 'v3', transformParams } });
}

/** Replaces the model when no model may be called any more, because the SDK's loop cannot be ended before its first step. */
const SILENT: Exclude<LanguageModel, string> & { specificationVersion: 'v3' } = {
  specificationVersion: 'v3',
  provider: 'hookscope',
  modelId: 'none',
  supportedUrls: {},
  doGenerate: async () => ({ content: [], finishReason: SILENCE, usage: NO_USAGE, warnings: [] }),
  doStream: async () => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] });
        controller.enqueue({ type: 'finish', finishReason: SILENCE, usage: NO_USAGE });
        controller.close();
      },
    }),
  }),
};
const SILENCE = { unified: 'other' as const, raw: undefined };
const NO_USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
