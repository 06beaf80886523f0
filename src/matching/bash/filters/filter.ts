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

/** Characters. What goes on for longer behind an open bracket is not understood. */
export const LONG = 400;

/** Thrown when a script or an option is not understood. */
export class UnclearError extends Error {}
/** Thrown when a script, read in this way, is one that every program refuses before it runs. */
export class InvalidError extends Error {}

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

/** Reads a text from its beginning to its end. Where it may be read in several ways, `choices` has the one that is taken. */
export class ScriptReader {
  at = 0;
  readonly text: string;
  readonly assumes = new Set<string>();
  readonly choices: number[];
  /** How many ways there were. */
  readonly ways: number[] = [];

  constructor(text: string, choices: readonly number[]) {
    this.text = text;
    this.choices = [...choices];
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

  /** Takes one of several ways to go on. */
  choose<T>(ways: readonly T[]): T {
    if (ways.length === 0) throw new InvalidError();
    if (ways.length === 1) return ways[0] as T;
    // There would be as many readings, at least.
    if (this.ways.length >= MOST_READINGS) throw new UnclearError();
    this.ways.push(ways.length);
    const choice = this.choices[this.ways.length - 1] ?? 0;
    this.choices[this.ways.length - 1] = choice;
    return ways[choice] as T;
  }
}

/** The limits for reading a script in every way: the readings, and the characters that are read again. */
const MOST_READINGS = 40;
const MOST_READ = 20_000;

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

/** Reads a script in every way in which it may be read. A reading that every program refuses does not count. */
export function readings<T extends ScriptReader>(
  text: string,
  begin: (text: string, choices: readonly number[]) => T,
  read: (one: T) => void,
): T[] {
  const done: T[] = [];
  let length = 0;
  const texts = emptied(text);
  const most = texts.length > 1 ? MOST_READ / 5 : MOST_READ;
  for (const one of texts) {
    const open: (readonly number[])[] = [[]];
    for (let tried = 0; ; tried++) {
      const choices = open.pop();
      if (choices === undefined) break;
      const script = begin(one, choices);
      if (tried > MOST_READINGS || length > most) throw new UnclearError();
      length += one.length;
      try {
        read(script);
        done.push(script);
      } catch (error) {
        if (!(error instanceof InvalidError)) throw error;
      }
      for (let at = choices.length; at < script.ways.length; at++)
        for (let way = 1; way < (script.ways[at] ?? 0); way++) open.push([...script.choices.slice(0, at), way]);
    }
    if (done.length === 0) throw new UnclearError();
  }
  return done;
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
