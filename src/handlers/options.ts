import { ON_FAILURE, type OnFailure } from '../events/failure.js';
import { checkOptions, type Keys } from '../values/options.js';
import { checks, isObject, isText, type OptionCheck, oneOf, SECONDS, type Shape } from '../values/shape.js';

/** Options of every hook that runs outside the process. Times are in seconds. */
export interface ExternalOptions {
  /** Seconds it may take; 0: no limit. Default: the group's, else 60. */
  readonly timeout?: number;
  /** A permission rule, `Bash(git *)`, on tool events. It goes before the group's. */
  readonly if?: string;
  /** The effect of its failure. Default: the group's, else the source's, else the host's. */
  readonly onFailure?: OnFailure;
  /** It runs only the first time. */
  readonly once?: boolean;
  /** For a harness to show while it runs. */
  readonly statusMessage?: string;
  /** Its name in records. */
  readonly name?: string;
}

/** Options of hooks that may run in the background. */
export interface BackgroundOptions {
  /** Go on without it: it decides nothing, and its context comes later. */
  readonly async?: boolean;
  /** Seconds it may take in the background; 0: no limit. Default 30. */
  readonly asyncTimeout?: number;
}

export const TEXT: OptionCheck = {
  expected: 'a string that is not empty',
  accepts: (v) => isText(v) && v.trim() !== '',
};

export const NAMES: OptionCheck = {
  expected: 'an array of names',
  accepts: (v) => Array.isArray(v) && v.every(isText),
};

export const TEXTS_BY_NAME: OptionCheck = {
  expected: 'an object of strings',
  secret: true,
  accepts: (v) => isObject(v) && Object.values(v).every(isText),
};

export const OUTSIDE = {
  timeout: SECONDS,
  if: checks.text,
  onFailure: oneOf(...ON_FAILURE),
  once: checks.flag,
  statusMessage: checks.text,
  name: TEXT,
} satisfies Keys<ExternalOptions>;

export const BACKGROUND = { async: checks.flag, asyncTimeout: SECONDS } satisfies Keys<BackgroundOptions>;

/** Unknown keys of a description are told before missing ones: a misspelt key is both. `own`: the keys it has beside its options. */
export function checkNames(where: string, description: object, options: Shape, ...own: string[]): void {
  const known = [...own, 'type', ...Object.keys(options)];
  checkOptions(where, description, Object.fromEntries(known.map((key) => [key, true])));
}

/** A deeply frozen copy of plain data. */
export function frozen<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen)) as T;
  if (!isObject(value)) return value;
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, v]) => [key, frozen(v)]))) as T;
}
