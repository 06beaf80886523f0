import type { ShellCommand, ShellWord } from './shell-words.js';

/** Keywords before a command. */
export const RESERVED = new Set('then else elif do if while until ! { } fi done esac'.split(' '));
/** Keywords that open a block whose commands may or may not run. */
export const OPENING = new Set('if while until for case'.split(' '));
export const CLOSING = new Set('fi done esac'.split(' '));

/** The keywords at the beginning of a command. */
export function leadOf({ words }: ShellCommand): readonly ShellWord[] {
  const first = words.findIndex(({ text, redirect }) => redirect !== undefined || !RESERVED.has(text));
  return first === -1 ? words : words.slice(0, first);
}

/** A command without `function name`, and the function whose body it begins. */
export function bodyOf(
  command: ShellCommand,
  previous: ShellCommand | undefined,
): { readonly command: ShellCommand; readonly name?: string | undefined } {
  const { words, brackets } = command;
  if (words[0]?.text === 'function' && words.length > 2)
    return { command: { ...command, words: words.slice(2) }, name: words[1]?.text };
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
    if (words[0]?.text === 'esac') {
      this.#open.pop();
      this.#expects = false;
      return false;
    }
    // An empty branch is no command.
    const isPattern = this.#expects || (ends === ')' && this.#open.at(-1) === this.#depth);
    const isCase = !isPattern && words[leadOf(command).length]?.text === 'case';
    if (isCase) this.#open.push(this.#depth);
    if (isPattern || isCase) {
      this.#closes = ends === ')';
      this.#expects = !this.#closes;
    } else if (this.#open.length > 0 && ends === ';;') this.#expects = true;
    return isPattern;
  }
}
