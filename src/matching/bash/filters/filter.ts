import type { KnownWord } from '../words.js';

/** What a filter such as sed or awk writes, besides its output. */
export interface FilterUse {
  /** The files that it may write. Undefined: its words are not understood completely, so it may write any file. */
  readonly files: readonly KnownWord[] | undefined;
  /** It writes lines of its standard input as they are, each at most once. */
  readonly copies?: boolean;
  /** Further words may be files that it writes. */
  readonly grows?: true;
}

/** Reads the words of a filter, without its name. */
export type FilterReader = (words: readonly KnownWord[]) => FilterUse;

export const ANY: FilterUse = { files: undefined };

/** Thrown when a script or an option is not understood. */
export class UnclearError extends Error {}

/** Whether a word may become none or several, or options. */
export const mayVary = ({ text, sure, whole }: KnownWord): boolean =>
  sure !== undefined && whole !== true && /^[$`]/.test(text);

/** Whether all of a word is one expansion. */
export const isUnknown = ({ text, sure }: KnownWord): boolean =>
  sure === '' && /^(?:\$\w+|\$\{[^{}]*\}|\$\(.*\)|`.*`)$/s.test(text);

/** A file with the name that a script gives it. The word is the script. */
export const namedIn = (word: KnownWord, name: string): KnownWord => ({
  ...word,
  sure: word.sure !== undefined && /[$`]/.test(name) ? '' : undefined,
  text: name.includes('/') ? name : `./${name}`,
});

/** Reads a text from its beginning to its end. */
export class ScriptReader {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get next(): string | undefined {
    return this.text[this.at];
  }

  /** Reads what the expression, which is sticky, matches here. */
  take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const [taken] = expression.exec(this.text) ?? [];
    if (taken !== undefined) this.at += taken.length;
    return taken;
  }
}

/** Understands the words by `read`, or takes them for unknown if that throws. */
export function understood(read: () => FilterUse): FilterUse {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnclearError) return ANY;
    throw error;
  }
}
