import { beginning } from '../../emit/redact/part.js';
import type { Failure } from '../../events/failure.js';
import { isObject, type Json } from '../../values/shape.js';
import { jsonText } from '../../values/waiting/promises.js';
import { parseObject } from '../output.js';

/** The question of a prompt or agent hook to the harness's model. */
export interface ModelRequest {
  /** `prompt`: one question, one answer. `agent`: investigate with whatever tools the harness provides, then answer. */
  readonly kind: 'prompt' | 'agent';
  /** The hook's text with the event's input as JSON in place of `$ARGUMENTS`, or after the text if it has none. */
  readonly prompt: string;
  /** JSON Schema of the answer. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The model the hook names, if it names one. */
  readonly model?: string;
  readonly event: string;
  /** The event's input, read-only. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseID?: string;
  /** The project's directory. */
  readonly projectDir: string;
  /** Fires on the hook's timeout, on the caller's abort and when the host closes. */
  readonly signal: AbortSignal;
}

/** A model's answer about a hook's condition. */
export interface ModelVerdict {
  /** false: the event's deny or block, which also ends the turn; on Stop and SubagentStop: continue. */
  readonly ok: boolean;
  readonly reason?: string;
  /** On Stop and SubagentStop: it can never be met, so end all the same. */
  readonly impossible?: boolean;
}

/** The host option `model`. A string is the answer as JSON, alone or in one code fence. What it throws is the hook's failure. */
export type HookModel = (request: ModelRequest) => Promise<ModelVerdict | string> | ModelVerdict | string;

/** JSON Schema of `ModelVerdict`. */
export const ANSWER_SCHEMA = Object.freeze({
  type: 'object',
  properties: {
    ok: { type: 'boolean', description: 'Whether the condition is met.' },
    reason: { type: 'string', description: 'Why, in a sentence or two. Needed where ok is false.' },
    impossible: { type: 'boolean', description: 'The condition can never be met, so nobody should go on trying.' },
  },
  required: ['ok'],
  additionalProperties: false,
});

/** Reads an answer of either type. */
export function readModelAnswer(given: unknown): { readonly answer: ModelVerdict } | { readonly failure: Failure } {
  const value = typeof given === 'string' ? objectIn(given) : given;
  if (value === undefined) {
    const shown = beginning(String(given), 200);
    return { failure: { cause: 'bad_json', message: `The model did not answer with a JSON object: ${shown}` } };
  }
  const answer = answerOf(value);
  if (typeof answer !== 'string') return { answer };
  return { failure: { cause: 'bad_schema', message: `The model's answer { ok, reason, impossible? }: ${answer}` } };
}

/** The text as one code fence, as models like to write JSON. */
const FENCE = /^```\w*\s([\s\S]*)```$/;

/** The object that the whole text is. An object within prose may be quoted from the input, which would then be its own judge. */
function objectIn(text: string): Json | undefined {
  const trimmed = text.trim();
  return parseObject((FENCE.exec(trimmed)?.[1] ?? trimmed).trim());
}

/** The answer; a string says what is wrong with it. Models write null for what they leave out. */
function answerOf(value: unknown): ModelVerdict | string {
  if (!isObject(value)) return `expected an object, got ${jsonText(value)}`;
  const { ok, reason, impossible } = value;
  if (typeof ok !== 'boolean') return `ok: expected true or false, got ${jsonText(ok)}`;
  if (!isAbsent(reason) && typeof reason !== 'string') return `reason: expected a string, got ${jsonText(reason)}`;
  if (!isAbsent(impossible) && typeof impossible !== 'boolean')
    return `impossible: expected true or false, got ${jsonText(impossible)}`;
  return { ok, ...(isAbsent(reason) ? {} : { reason }), ...(isAbsent(impossible) ? {} : { impossible }) };
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
