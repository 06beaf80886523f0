import { put } from '../values/copies/put.js';
import { isObject, type Json } from '../values/shape.js';

/** The values that an agent's templates are filled with. */
export interface TemplateValues {
  /** Never empty. */
  readonly reason: string;
  /** The reason that the hook gave; undefined if it gave none. */
  readonly given: string | undefined;
  readonly value: unknown;
  readonly string: string;
}

/** Fills in the placeholders of a template. */
export function fillWords(words: Json, filling: TemplateValues): Json {
  const out: Record<string, unknown> = {};
  for (const [key, word] of Object.entries(words)) {
    const value = isObject(word) ? fillWords(word, filling) : filled(word, filling);
    if (value !== undefined) put(out, key, value);
  }
  return out;
}

function filled(word: unknown, { reason, given, value, string }: TemplateValues): unknown {
  switch (word) {
    case '$reason':
    case '$text':
      return reason;
    case '$reason?':
      return given;
    case '$value':
      return value;
    case '$string':
      return string;
    default:
      return word;
  }
}

/** Merges two answers: objects are merged recursively; of other values the first is kept. */
export function mergeWords(first: Json, second: Json): Json {
  const out: Record<string, unknown> = { ...first };
  for (const key of Object.keys(second)) {
    const [a, b] = [Object.hasOwn(first, key) ? first[key] : undefined, second[key]];
    if (a === undefined) put(out, key, b);
    else if (isObject(a) && isObject(b)) put(out, key, mergeWords(a, b));
  }
  return out;
}
