import type { Keys } from '../../values/options.js';
import { checks, type OptionCheck, TEXTS } from '../../values/shape.js';

/** What is masked in records, and how. A value is masked if any of the options matches it. */
export interface RedactOptions {
  /**
   * Secrets that hookscope recognises by their shape or by the name beside them: all (default), none (false), or the kinds in this list
   * (`github-token`, `jwt`, `private-key`, `url-password`, `named` …).
   */
  readonly shapes?: boolean | readonly string[];
  /**
   * Names of fields whose whole value is masked, besides `password`, `token`, `authorization`, `api_key` and the like. Case-insensitive. Every text
   * and number in it is, whatever it says; true, false, null, empty texts and names of fields are not. In texts what follows the name is masked as
   * well: `"iban": "X"`, `iban=X`, `--iban X`, `<iban>X</iban>`, and every value of a list, an object, an element or the lines of YAML that the
   * name has; not a variable of a shell.
   */
  readonly keys?: readonly string[];
  /**
   * Paths whose whole value is masked: `input.tool_input.content`, `handlers.*.output`; `*` matches any one key. Every text and number in it is,
   * whatever it says; true, false, null, empty texts and names of fields are not.
   */
  readonly paths?: readonly string[];
  /**
   * Masks the first group of each match, or the whole match if there is no group. A number that matches in an input, an output or a
   * `decision.value` is masked as a whole. Patterns also apply to keys in them, except the known fields of the event or answer itself.
   */
  readonly patterns?: readonly RegExp[];
  /**
   * Called once with each string that is not empty and its path, except those masked as a whole by their name or path; also with long keys of inputs
   * and outputs, except the known fields of the event or answer itself. The other options are applied before: it gets `password=[redacted …]`. The
   * result replaces the string, and the other options apply to it once more, unless it is `[redacted …]` as a whole. undefined: the string stays as it
   * is. If it throws, or returns anything else, the string is masked, and so is a key that would replace another one. Of output that arrives in pieces
   * it gets whole lines, and parts of lines that are longer than 8 KB.
   */
  readonly mask?: (value: string, path: string) => string | undefined;
  /** The file with the key for the hashes in masks, mode 0600, created if missing; default `$XDG_STATE_HOME/hookscope/redact.key`. */
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
