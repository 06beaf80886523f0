import { UNKNOWN } from './values.js';
import type { ShellCommand, ShellWord } from './words.js';

/** Keywords before a command. */
export const RESERVED = new Set('then else elif do if while until ! { } fi done esac'.split(' '));
/** Keywords that open a block whose commands may or may not run. */
export const OPENING = new Set('if while until for case'.split(' '));
export const CLOSING = new Set('fi done esac'.split(' '));

/** Whether a word is a keyword: one that is quoted or escaped is not. */
const isKeyword = (word: ShellWord | undefined, keyword: string): boolean =>
  word?.text === keyword && word.raw === keyword;

/** The keywords at the beginning of a command. */
export function leadOf({ words }: ShellCommand): readonly ShellWord[] {
  const first = words.findIndex(
    ({ text, raw, redirect }) => redirect !== undefined || raw !== text || !RESERVED.has(text),
  );
  return first === -1 ? words : words.slice(0, first);
}

/** A command without `function name`, and the function whose body it begins. */
export function bodyOf(
  command: ShellCommand,
  previous: ShellCommand | undefined,
): { readonly command: ShellCommand; readonly name?: string | undefined } {
  const { words, brackets } = command;
  const lead = leadOf(command);
  const [keyword, name, ...body] = words.slice(lead.length);
  if (isKeyword(keyword, 'function') && body.length > 0)
    return { command: { ...command, words: [...lead, ...body] }, name: name?.text };
  return { command, name: brackets === '()' ? previous?.words.at(-1)?.text : undefined };
}

/** Tells the patterns of a `case`, such as `a)` and `(a | b)`, from commands. */
export class CasePatterns {
  /** The depth of subshells at which each open `case` stands. */
  readonly #open: number[] = [];
  #depth = 0;
  /** A pattern comes next. */
  #expects = false;
  /** The last pattern ended with a parenthesis that belongs to no subshell. */
  #closes = false;

  /** The parentheses of subshells before a command. */
  bracketsOf({ brackets = '' }: ShellCommand): string {
    const closed = this.#closes ? brackets.replace(')', '') : brackets;
    this.#closes = false;
    const own = this.#expects ? closed.replace('(', '') : closed;
    for (const bracket of own) this.#depth += bracket === '(' ? 1 : -1;
    return own;
  }

  isPattern(command: ShellCommand): boolean {
    const { words, ends } = command;
    if (isKeyword(words[0], 'esac') && ends !== ')') return this.#close();
    // The `in` of a `case` may stand on a line of its own.
    if (this.#expects && isKeyword(words[0], 'in') && ends === '\n') return true;
    // Nothing else ends a pattern, so this is none, and what was taken for a `case` has ended.
    const isEnded = ends !== ')' && ends !== '|';
    if (this.#expects && isEnded) return this.#close();
    // An empty branch is no command.
    const isPattern = this.#expects || (ends === ')' && this.#open.at(-1) === this.#depth);
    const isCase = !isPattern && opensCase(command);
    if (isCase) this.#open.push(this.#depth);
    if (isPattern || isCase) {
      this.#closes = ends === ')';
      this.#expects = !this.#closes;
    } else if (this.#open.length > 0 && ends === ';;') this.#expects = true;
    return isPattern;
  }

  #close(): false {
    this.#open.pop();
    this.#expects = false;
    return false;
  }
}

function opensCase(command: ShellCommand): boolean {
  const { words, ends } = command;
  const [keyword, subject, , first] = words.slice(leadOf(command).length);
  // `case x in esac` has no branch.
  const isEmpty = isKeyword(first, 'esac') && ends !== ')';
  return isKeyword(keyword, 'case') && subject !== undefined && !isEmpty && /^[)|\n]$/.test(ends);
}

/** A function of a line, as far as its calls are concerned. */
interface ShellFunction {
  /** The folders to which each definition goes. */
  readonly goes: (readonly (readonly string[])[])[];
  /** It runs the command that it is given: `run() { "$@" || exit 2; }`. */
  wraps: boolean;
}

const MOST_MOVES = 16;

/** The functions that a text defines. */
export class ShellFunctions {
  readonly #functions = new Map<string, ShellFunction>();

  get(name: string | undefined): ShellFunction | undefined {
    return name === undefined ? undefined : this.#functions.get(name);
  }

  defines(name: string, goes: readonly (readonly string[])[]): void {
    this.#of(name).goes.push(goes.length > MOST_MOVES ? [[UNKNOWN]] : goes);
  }

  wraps(name: string): void {
    this.#of(name).wraps = true;
  }

  /** The folders to which a call goes. If a definition leads to a folder that only the run can tell, it counts unless another one follows. */
  goes(name: string | undefined): readonly (readonly string[])[] {
    const { goes = [] } = this.get(name) ?? {};
    const isOpen = (moves: readonly (readonly string[])[]): boolean => moves.flat().some((to) => to.includes(UNKNOWN));
    return goes.flatMap((moves, i) => (isOpen(moves) && i < goes.length - 1 ? [] : moves)).slice(0, MOST_MOVES);
  }

  #of(name: string): ShellFunction {
    const known = this.#functions.get(name) ?? { goes: [], wraps: false };
    this.#functions.set(name, known);
    return known;
  }
}
