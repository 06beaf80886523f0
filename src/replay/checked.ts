import type { HookRecord } from '../emit/record.js';
import { HookscopeError } from '../errors.js';
import { readRecord } from '../store/read-record.js';
import { checkOption } from '../values/options.js';
import { findProblem, kindOf } from '../values/problem.js';
import { checks, isObject, type Json, type OptionCheck } from '../values/shape.js';
import type { RecordedFire } from './recorded.js';

/** What can be replayed: a record, or a fire that was read from records before. */
export type ReplayItem = HookRecord | RecordedFire;

/** The required fields of a fire, and of each of its hooks. */
const FIRE: Readonly<Record<string, OptionCheck>> = {
  place: checks.text,
  id: checks.text,
  time: checks.text,
  event: checks.text,
  session: { expected: 'a string', accepts: (value) => typeof value === 'string' },
  scope: checks.text,
  input: checks.object,
  versions: checks.list,
  hooks: { expected: 'an array', accepts: (value) => value === undefined || Array.isArray(value) },
  truncated: checks.list,
  inferred: checks.list,
};
const HOOK: Readonly<Record<string, OptionCheck>> = { name: checks.text, kind: checks.text, answers: checks.list };

/** Checks records and fires passed in code, like those from a file. Rejects with INVALID_OPTIONS, which names the entry and its key. */
export async function* checkedSource(
  source: AsyncIterable<ReplayItem> | Iterable<ReplayItem>,
): AsyncGenerator<ReplayItem> {
  let index = 0;
  for await (const one of source) {
    const read = await checked(one, `replay: source[${index}]`);
    if (read !== undefined) yield read;
    index += 1;
  }
}

/** Checks one entry; undefined for a record of a type that this version does not know. */
async function checked(one: unknown, where: string): Promise<ReplayItem | undefined> {
  if (!isObject(one)) throw wrong(where, `expected a record or a fire, got ${kindOf(one)}`);
  if (!('type' in one)) return checkedFire(one, where);
  const reading = readRecord(one);
  if (reading.record !== undefined) return reading.record;
  if (reading.unknown !== undefined) return undefined;
  const { hookRecord } = await import('../emit/fire-schema.js');
  const { field, expected, got } = findProblem(hookRecord, one) ?? {
    field: 'time',
    expected: 'ISO 8601',
    got: 'another text',
  };
  throw wrong(`${where}.${field}`, `expected ${expected}, got ${got}`);
}

function checkedFire(fire: Json, where: string): RecordedFire {
  for (const [key, check] of Object.entries(FIRE)) checkOption(`${where}.${key}`, fire[key], check);
  for (const [i, hook] of ((fire['hooks'] ?? []) as readonly unknown[]).entries()) {
    const at = `${where}.hooks[${i}]`;
    if (!isObject(hook)) throw wrong(at, `expected an object, got ${kindOf(hook)}`);
    for (const [key, check] of Object.entries(HOOK)) checkOption(`${at}.${key}`, hook[key], check);
  }
  return fire as unknown as RecordedFire;
}

const wrong = (where: string, expected: string): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', { where, expected });
