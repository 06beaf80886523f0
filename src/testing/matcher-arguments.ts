import { types } from 'node:util';
import type { Cause } from '../events/failure.js';
import { SKIP_REASONS } from '../scopes/skip.js';
import { nearest } from '../values/nearest.js';
import { wrongOption } from '../values/options.js';
import { checks, FILLED, isText, type OptionCheck, show } from '../values/shape.js';
import type { Fired } from './fired.js';

/** Every cause; one that is missing here does not compile. */
const CAUSES: Readonly<Record<Cause, true>> = {
  threw: true,
  timeout: true,
  spawn_failed: true,
  exit_code: true,
  signal: true,
  bad_json: true,
  bad_schema: true,
  too_large: true,
  http_status: true,
  connection: true,
  aborted: true,
  worker_died: true,
  untrusted: true,
};

/** What one argument may be: a value of a kind, or one of these names. */
export type Argument = OptionCheck | ((fired: Fired) => readonly string[]);

export const ARGUMENT = {
  any: checks.any,
  text: { expected: 'a string or a RegExp', accepts: (value) => isText(value) || types.isRegExp(value) },
  cause: () => Object.keys(CAUSES),
  reason: () => Object.keys(SKIP_REASONS),
  /** A hook that was renamed is never skipped. */
  hook: ({ record }) => [...new Set(record.handlers.map(({ name }) => name))],
} satisfies Readonly<Record<string, Argument>>;

/**
 * The opposite of an expectation is true of all that can never be, such as a misspelt reason: so what is given must be right. Throws
 * INVALID_OPTIONS.
 */
export function checkArguments(
  name: string,
  wanted: readonly Argument[],
  fired: Fired,
  given: readonly unknown[],
): void {
  for (const [at, value] of given.entries()) {
    if (value === undefined) continue;
    const argument = wanted[at];
    if (argument === undefined) throw wrongOption(name, `takes ${count(wanted.length)}, got ${show(value)} too`);
    checkArgument(name, argument, value, fired);
  }
}

const count = (most: number): string => (most === 0 ? 'no argument' : `no more than ${most}`);

function checkArgument(name: string, argument: Argument, value: unknown, fired: Fired): void {
  const check = typeof argument === 'function' ? FILLED : argument;
  if (!check.accepts(value)) throw wrongOption(name, `expected ${check.expected}, got ${show(value)}`);
  if (typeof argument !== 'function') return;
  const known = argument(fired);
  if (known.includes(value as string)) return;
  const there = known.length === 0 ? 'there is no hook' : `there are ${known.join(', ')}`;
  throw wrongOption(name, `${show(value)} is not known; ${there}`, nearest(value as string, known));
}
