import { beginning } from '../../emit/redact/total.js';
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

/** What was read of an answer: as much of it as is right, and what is wrong with it. */
export interface ReadAnswer {
  readonly answer?: ModelVerdict;
  readonly failure?: Failure;
  readonly warnings: readonly string[];
}

/** Reads an answer, which is an object or JSON text. */
export function readModelAnswer(given: unknown): ReadAnswer {
  const value = typeof given === 'string' ? objectIn(given) : given;
  if (value === undefined) {
    const shown = beginning(String(given), 200);
    const message = `The model did not answer with a JSON object: ${shown}`;
    return { failure: { cause: 'bad_json', message }, warnings: [] };
  }
  const { answer, wrong } = answerOf(value);
  const warnings = answer === undefined ? [] : unknownKeys(value as Json);
  if (wrong === undefined) return { ...(answer && { answer }), warnings };
  const message = `The model's answer { ok, reason, impossible? }: ${wrong}`;
  return { ...(answer && { answer }), failure: { cause: 'bad_schema', message }, warnings };
}

/** A text that is one code fence. Models often write JSON so. */
const FENCE = /^```\w*\s([\s\S]*)```$/;

/** Parses the whole text as an object. An object within prose is not accepted: it may be quoted from the untrusted input. */
function objectIn(text: string): Json | undefined {
  const trimmed = text.trim();
  return parseObject((FENCE.exec(trimmed)?.[1] ?? trimmed).trim());
}

/** The answer without what is wrong in it, which is told. Models write null for absent fields. */
function answerOf(value: unknown): { readonly answer?: ModelVerdict; readonly wrong?: string } {
  if (!isObject(value)) return { wrong: `expected an object, got ${jsonText(value)}` };
  const { ok, reason, impossible } = value;
  if (typeof ok !== 'boolean') return { wrong: `ok: expected true or false, got ${jsonText(ok)}` };
  const wrong =
    !isAbsent(reason) && typeof reason !== 'string'
      ? `reason: expected a string, got ${jsonText(reason)}`
      : !isAbsent(impossible) && typeof impossible !== 'boolean'
        ? `impossible: expected true or false, got ${jsonText(impossible)}`
        : undefined;
  const answer = {
    ok,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof impossible === 'boolean' && { impossible }),
  };
  return { answer, ...(wrong !== undefined && { wrong }) };
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
