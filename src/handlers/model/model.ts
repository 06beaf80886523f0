import { beginning } from '../../emit/redact/part.js';
import type { Failure } from '../../events/failure.js';
import { nearest } from '../../values/nearest.js';
import { isObject, type Json } from '../../values/shape.js';
import { jsonText } from '../../values/waiting/promises.js';
import { parseObject } from '../output.js';

/** The question that a prompt or agent hook asks the harness's model. */
export interface ModelRequest {
  /** `prompt`: one question, one answer. `agent`: investigate with whatever tools the harness provides, then answer. */
  readonly kind: 'prompt' | 'agent';
  /** The hook's text. The event's input as JSON replaces `$ARGUMENTS`, or follows the text if it has none. */
  readonly prompt: string;
  /** JSON Schema of the expected answer. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The model that the hook names, if any. */
  readonly model?: string;
  readonly event: string;
  /** The event's input, read-only. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseID?: string;
  /** The project's directory. */
  readonly projectDir: string;
  /** Aborts on the hook's timeout, on the caller's abort and when the host closes. */
  readonly signal: AbortSignal;
}

/** A model's answer about a hook's condition. */
export interface ModelVerdict {
  /** `false` is the event's deny or block and also ends the turn; on Stop and SubagentStop it keeps the agent going. */
  readonly ok: boolean;
  readonly reason?: string;
  /** On Stop and SubagentStop: the condition can never be met, so the agent may stop nevertheless. */
  readonly impossible?: boolean;
}

/** The host option `model`. It may answer with JSON text, alone or in one code fence. An error that it throws is the hook's failure. */
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

/** Reads an answer, which is an object or JSON text. */
export function readModelAnswer(
  given: unknown,
): { readonly answer: ModelVerdict; readonly warnings: readonly string[] } | { readonly failure: Failure } {
  const value = typeof given === 'string' ? objectIn(given) : given;
  if (value === undefined) {
    const shown = beginning(String(given), 200);
    return { failure: { cause: 'bad_json', message: `The model did not answer with a JSON object: ${shown}` } };
  }
  const answer = answerOf(value);
  if (typeof answer !== 'string') return { answer, warnings: unknownKeys(value as Json) };
  return { failure: { cause: 'bad_schema', message: `The model's answer { ok, reason, impossible? }: ${answer}` } };
}

/** A text that is one code fence. Models often write JSON so. */
const FENCE = /^```\w*\s([\s\S]*)```$/;

/** Parses the whole text as an object. An object within prose is not accepted: it may be quoted from the untrusted input. */
function objectIn(text: string): Json | undefined {
  const trimmed = text.trim();
  return parseObject((FENCE.exec(trimmed)?.[1] ?? trimmed).trim());
}

/** The answer, or a string that says what is wrong with it. Models write null for absent fields. */
function answerOf(value: unknown): ModelVerdict | string {
  if (!isObject(value)) return `expected an object, got ${jsonText(value)}`;
  const { ok, reason, impossible } = value;
  if (typeof ok !== 'boolean') return `ok: expected true or false, got ${jsonText(ok)}`;
  if (!isAbsent(reason) && typeof reason !== 'string') return `reason: expected a string, got ${jsonText(reason)}`;
  if (!isAbsent(impossible) && typeof impossible !== 'boolean')
    return `impossible: expected true or false, got ${jsonText(impossible)}`;
  return { ok, ...(isAbsent(reason) ? {} : { reason }), ...(isAbsent(impossible) ? {} : { impossible }) };
}

const KEYS = Object.keys(ANSWER_SCHEMA.properties);

/** Warnings about keys of an answer that are not read. */
function unknownKeys(answer: Json): string[] {
  return Object.keys(answer).flatMap((key) => {
    if (KEYS.includes(key)) return [];
    const near = nearest(key, KEYS);
    return `unknown key "${key}" in the model's answer${near === undefined ? '' : `; did you mean "${near}"?`}`;
  });
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;
