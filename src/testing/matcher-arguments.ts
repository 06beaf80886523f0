import { types } from 'node:util';
import type { Cause } from '../events/failure.js';
import { SKIP_REASONS } from '../scopes/skip.js';
import { nearest } from '../values/nearest.js';
import { wrongOption } from '../values/options.js';
import { checks, FILLED, isText, type OptionCheck, show } from '../values/shape.js';
import type { Fired } from './fired.js';

/** Every cause. The type makes a missing one a compile error. */
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

/** The check of one argument: a kind of value, or one of a list of names. */
export type MatcherArgument = OptionCheck | ((fired: Fired) => readonly string[]);

export const ARGUMENT = {
  any: checks.any,
  text: { expected: 'a string or a RegExp', accepts: (value) => isText(value) || types.isRegExp(value) },
  cause: () => Object.keys(CAUSES),
  reason: () => Object.keys(SKIP_REASONS),
  /** Checked, because a name that no longer exists would never be skipped. */
  hook: ({ record }) => [...new Set(record.handlers.map(({ name }) => name))],
} satisfies Readonly<Record<string, MatcherArgument>>;

/**
 * Throws INVALID_OPTIONS for a wrong argument. Otherwise a negated expectation with a misspelt reason would always pass.
 */
export function checkArguments(
  name: string,
  wanted: readonly MatcherArgument[],
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

function checkArgument(name: string, argument: MatcherArgument, value: unknown, fired: Fired): void {
  const check = typeof argument === 'function' ? FILLED : argument;
  if (!check.accepts(value)) throw wrongOption(name, `expected ${check.expected}, got ${show(value)}`);
  if (typeof argument !== 'function') return;
  const known = argument(fired);
  if (known.includes(value as string)) return;
  const there = known.length === 0 ? 'there is no hook' : `there are ${known.join(', ')}`;
  throw wrongOption(name, `${show(value)} is not known; ${there}`, nearest(value as string, known));
}
