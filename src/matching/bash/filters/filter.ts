import type { Move } from '../moves.js';
import type { KnownWord } from '../words.js';
import { assumed } from './assumed.js';

/** What a filter such as sed or awk writes, besides its output. */
export interface FilterUse {
  /** The files that it may write. Undefined: its words are not understood completely, so it may write any file. */
  readonly files: readonly KnownWord[] | undefined;
  /** It writes lines of its standard input as they are, each at most once. */
  readonly copies?: boolean;
  /** Further words may be files that it writes, or only more than one. `operands`: unless they are options. */
  readonly grows?: true | 'more' | 'operands';
  /** Files that it copies. */
  readonly moves?: readonly Move[];
  /** Command lines that a shell runs, and whether they read the input of the filter. */
  readonly runs?: readonly (readonly [line: string, readsInput: boolean])[];
  /** What this assumes of expansions in its words; see assumed.ts. */
  readonly assumes?: ReadonlySet<string>;
}

/** Reads the words of a filter, without its name. */
export type FilterReader = (words: readonly KnownWord[]) => FilterUse;

export const ANY: FilterUse = { files: undefined };

/** Thrown when a script or an option is not understood: also when programs read it in several ways, or may refuse it. */
export class UnclearError extends Error {}

/** A text with an expansion in it, and one that is not in quotes. */
const UNIT = /\0([^\0]*)\0/g;
const BARE_UNIT = /\0([^\0"][^\0]*)\0/g;
/** An expansion that may be several words even in quotes. */
const SEVERAL = /^"?\$(?:[@*]|\{[!#]?(?:[@*]|\w+\[[@*]\]))/;

export const markedIn = ({ text, marked = text }: KnownWord): string => marked;
export const unitsIn = (marked: string): readonly string[] => [...marked.matchAll(UNIT)].map(([, unit = '']) => unit);
export const isSeveral = (unit: string): boolean => SEVERAL.test(unit);

/** The text with its expansions as they were written. */
export const unmarked = (text: string): string => text.replace(/\0"?/g, '');

/** Whether a word consists of expansions only. */
export const isUnknown = (word: KnownWord): boolean => word.sure === '' && /^(?:\0[^\0]*\0)+$/.test(markedIn(word));

/** The text of a word that stays there, whatever its expansions are. */
export const fixedIn = (word: KnownWord): string => markedIn(word).replace(UNIT, '');

/** Whether nothing may be left of a word, so that the next one is in its place. */
export const mayVanish = (word: KnownWord): boolean =>
  word.sure !== undefined && word.whole !== true && fixedIn(word) === '';

/** Assumes that a word stays one word, and is no other for its expansions. Throws if it may be several, as braces and globs are. */
export function assumeOne(word: KnownWord, assumes: Set<string>): void {
  if (word.sure === undefined || word.whole === true) return;
  if (/[*?[]/.test(fixedIn(word)) || unitsIn(markedIn(word)).some(isSeveral)) throw new UnclearError();
  assumeBare(word, assumes);
}

/** Assumes that the expansions in a word that are not in quotes are one word. Throws if there are others, such as braces. */
export function assumeBare(word: KnownWord, assumes: Set<string>): void {
  if (word.sure === undefined || word.whole === true) return;
  for (const [, unit = ''] of markedIn(word).matchAll(BARE_UNIT)) {
    if (!/^[$`]/.test(unit)) throw new UnclearError();
    assumes.add(assumed('word', unit));
  }
}

/** A file with the name that a script gives it. */
export const namedIn = (name: string): KnownWord => {
  const text = unmarked(name);
  return { text: text.includes('/') ? text : `./${text}`, sure: name.includes('\0') ? '' : undefined };
};

/**
 * The rest of brackets in a regular expression, in which a backslash hides a character. What begins with `[:` in them must be a class, and
 * a backslash hides no class: programs read that in several ways.
 */
const BRACKETS = /\^?\]?(?:\0[^\0]*\0|\[:[a-z]+:\]|\[(?![:.=])|\\(?:[^\n\0[]|\[(?![:.=]))|[^\]\\[\n\0])*\]/y;
/** Where brackets end in which a backslash is a character, if it is not where the others end. */
const EARLY_END = '\\]';
/** The rest of brackets in which nothing hides a `]`. */
const PLAIN_BRACKETS = /(?=(\^?\]?))\1[^\]\n\0]*\]/y;

/** Reads a text from its beginning to its end. */
export class ScriptReader {
  at = 0;
  readonly text: string;
  readonly assumes = new Set<string>();
  /** Where brackets can end at the latest. */
  readonly #lastEnd: number;

  constructor(text: string) {
    this.text = text;
    this.#lastEnd = Math.max(text.lastIndexOf(']'), text.lastIndexOf('\0'));
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

  /** Reads a regular expression and the mark behind it. Programs that do not know that brackets hide the mark refuse the brackets. */
  takeRegex(mark: string): string {
    const from = this.at;
    for (;;) {
      const char = this.next;
      if (char === mark) return this.text.slice(from, this.at++);
      if (char === '\0') this.take(/\0[^\0]*\0/y);
      else if (char === '\\') {
        // `\c` takes a further character in some programs.
        if (this.take(/\\[^c\n\0]/y) === undefined) throw new UnclearError();
      } else if (char === undefined || char === '\n') throw new UnclearError();
      else this.at++;
      if (char === '[') this.#brackets(mark);
    }
  }

  #brackets(mark: string): void {
    const from = this.at;
    // No program finds another end than the only one.
    if (this.take(PLAIN_BRACKETS) !== undefined && this.at > this.#lastEnd) return;
    this.at = from;
    const rest = this.take(BRACKETS);
    if (rest === undefined) throw new UnclearError();
    const early = rest.indexOf(EARLY_END);
    const left = early < 0 ? '' : rest.slice(early + EARLY_END.length);
    if (left.includes(mark) || left.includes('[')) throw new UnclearError();
  }
}

/** The limit for the characters of a script that is read with its expansions and without them. */
const MOST_READ = 4_000;
/** Control characters. Programs differ in which of them are blanks or end a line. */
const CONTROL = /[^\P{Cc}\0\t\n]/u;

/** More different expansions than these nobody writes in a script. */
export const MOST_EMPTY = 4;
/** Numbers, which are never empty. */
const NUMBER = /^"?\$(?:[?#$]|\{#\w+\}|\(\()/;

/** The script as it is, and with nothing in the place of each expansion that may be empty. */
function emptied(text: string): readonly string[] {
  const units = [...new Set(unitsIn(text))].filter((unit) => /^"?[$`]/.test(unit) && !NUMBER.test(unit));
  if (units.length > MOST_EMPTY) throw new UnclearError();
  let texts = [text];
  for (const unit of units) texts = texts.flatMap((one) => [one, one.replaceAll(`\0${unit}\0`, '')]);
  return [...new Set(texts)];
}

/** Reads a script as it is, and without the expansions that may be empty. */
export function readings<T>(text: string, read: (text: string) => T): readonly T[] {
  const texts = emptied(text);
  if (CONTROL.test(text) || (texts.length > 1 && texts.length * text.length > MOST_READ)) throw new UnclearError();
  return texts.map(read);
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
