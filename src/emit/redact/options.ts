import type { Keys } from '../../values/options.js';
import { checks, type OptionCheck, TEXTS } from '../../values/shape.js';

/** What is masked in records, and how. The options add up: a value is masked if any of them matches. */
export interface RedactOptions {
  /**
   * Secrets that are known by their look or by the name beside them: all (default), none (false), or those of these names (`github-token`,
   * `jwt`, `private-key`, `url-password`, `named` …).
   */
  readonly shapes?: boolean | readonly string[];
  /** Names of fields whose whole value is masked, beside `password`, `token`, `authorization`, `api_key` and the like. Upper and lower case are the same. */
  readonly keys?: readonly string[];
  /** Places whose whole value is masked: `input.tool_input.content`, `handlers.*.output`; `*` is any one key. */
  readonly paths?: readonly string[];
  /** The first group of each match is masked, or all of it if there is no group. A number in an input, an output or a `decision.value` is masked as a whole; names of fields below their own are looked at, too. */
  readonly patterns?: readonly RegExp[];
  /** Called with each string and where it is; what it returns is kept instead. undefined: the other options decide. What it throws masks the string. */
  readonly mask?: (value: string, path: string) => string | undefined;
  /** The file of the key for masked values, mode 0600, created if missing; default `$XDG_STATE_HOME/hookscope/redact.key`. */
  readonly keyFile?: string;
}

const REGEXPS: OptionCheck = {
  expected: 'an array of regular expressions',
  accepts: (v) => Array.isArray(v) && v.every((one) => one instanceof RegExp),
};
const SHAPES: OptionCheck = {
  expected: 'true, false or an array of names of shapes',
  accepts: (v) => typeof v === 'boolean' || TEXTS.accepts(v),
};
export const REDACT: Keys<RedactOptions> = {
  shapes: SHAPES,
  keys: TEXTS,
  paths: TEXTS,
  patterns: REGEXPS,
  mask: checks.fn,
  keyFile: checks.text,
};

/** The values that `redact` accepts. */
export const REDACT_OPTION: OptionCheck = {
  expected: 'false, options of createRedactor, or what it returned',
  accepts: (v) => v === false || (typeof v === 'object' && v !== null),
};
