import { ON_FAILURE, type OnFailure } from '../events/failure.js';
import { checkOptions, type Keys } from '../values/options.js';
import {
  checks,
  isObject,
  isText,
  itemsOf,
  type OptionCheck,
  oneOf,
  SECONDS,
  type Shape,
  symbolIn,
} from '../values/shape.js';

/** Options of every hook that runs outside the host's process. Times are in seconds. */
export interface ExternalOptions {
  /** Seconds that the hook may take; 0: no limit. Default: the group's, else 60. */
  readonly timeout?: number;
  /** A permission rule, such as `Bash(git *)`, on tool events. It replaces the group's `if`. */
  readonly if?: string;
  /** The effect of the hook's failure. Default: the group's, else the source's, else the host's. */
  readonly onFailure?: OnFailure;
  /** Runs the hook only the first time. */
  readonly once?: boolean;
  /** A message for the harness to show while the hook runs. */
  readonly statusMessage?: string;
  /** The hook's name in records. */
  readonly name?: string;
}

/** Options of hooks that may run in the background. */
export interface BackgroundOptions {
  /** Continues without waiting for the hook: it decides nothing, and its context is delivered later. */
  readonly async?: boolean;
  /** Seconds that the hook may take in the background; 0: no limit. Default 30. */
  readonly asyncTimeout?: number;
}

export const TEXT: OptionCheck = {
  expected: 'a string that is not empty',
  accepts: (v) => isText(v) && v.trim() !== '',
};

export const NAMES: OptionCheck = {
  expected: 'an array of names',
  accepts: (v) => Array.isArray(v) && itemsOf(v).every(isText),
};

export const TEXTS_BY_NAME: OptionCheck = {
  expected: 'an object of strings',
  secret: true,
  accepts: (v) => isObject(v) && symbolIn(v) === undefined && Object.values(v).every(isText),
};

/** Plain data, which is sent as JSON. */
export const DATA: OptionCheck = {
  expected: 'an object of JSON values',
  accepts: (v) => isObject(v) && isData(v, []),
};

function isData(value: unknown, above: readonly object[]): boolean {
  if (typeof value !== 'object' || value === null) return !['function', 'symbol', 'bigint'].includes(typeof value);
  if (above.includes(value) || above.length > 1_000) return false;
  const within = [...above, value];
  if (Array.isArray(value)) return itemsOf(value).every((item) => item !== undefined && isData(item, within));
  return symbolIn(value) === undefined && Object.values(value).every((one) => isData(one, within));
}

export const OUTSIDE = {
  timeout: SECONDS,
  if: checks.text,
  onFailure: oneOf(...ON_FAILURE),
  once: checks.flag,
  statusMessage: checks.text,
  name: TEXT,
} satisfies Keys<ExternalOptions>;

export const BACKGROUND = { async: checks.flag, asyncTimeout: SECONDS } satisfies Keys<BackgroundOptions>;

/** Reports unknown keys before missing ones, because a misspelt key is both. `own` are the keys that are not options. */
export function checkNames(where: string, description: object, options: Shape, ...own: string[]): void {
  const known = [...own, 'type', ...Object.keys(options)];
  checkOptions(where, description, Object.fromEntries(known.map((key) => [key, true])), 'INVALID_OPTIONS', own[0]);
}

/** A deeply frozen copy of plain data. */
export function frozen<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(itemsOf(value).map(frozen)) as T;
  if (!isObject(value)) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, v]) => [key, frozen(v)]))) as T;
}
