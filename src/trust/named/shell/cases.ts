import type { ShellCommand, ShellWord } from './word.js';

/** Keywords before a command. */
export const RESERVED = new Set('then else elif do if while until ! { } fi done esac'.split(' '));
/** Keywords that open a block whose commands may or may not run. */
export const OPENING = new Set('if while until for case'.split(' '));
export const CLOSING = new Set('fi done esac'.split(' '));

/** Whether a word is a keyword: one that is quoted or escaped is not. */
export const isKeyword = (word: ShellWord | undefined, keyword: string): boolean =>
  word?.text === keyword && word.raw === keyword;

/** The keywords at the beginning of a command. */
export function leadOf({ words }: ShellCommand): readonly ShellWord[] {
  const first = words.findIndex(
    ({ text, raw, redirect }) => redirect !== undefined || raw !== text || !RESERVED.has(text),
  );
  return first === -1 ? words : words.slice(0, first);
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

  /** Whether a pattern comes next, perhaps in parentheses. */
  get expects(): boolean {
    return this.#expects;
  }

  /** Whether the last command ended with the parenthesis of a pattern. */
  get closes(): boolean {
    return this.#closes;
  }

  isPattern(command: ShellCommand): boolean {
    const { words, ends } = command;
    if (isKeyword(words[0], 'esac') && !isNamedEsac(command)) return this.#close();
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
  const [keyword, subject, word, first] = words.slice(leadOf(command).length);
  // `case x in esac` has no branch.
  const isEmpty = isKeyword(first, 'esac') && ends !== ')';
  const opens = /^[)|\n]$/.test(ends) || (ends === '(' && isKeyword(word, 'in') && first === undefined);
  return isKeyword(keyword, 'case') && subject !== undefined && !isEmpty && opens;
}

/** Whether `esac` is a pattern: `(esac)`, `a | esac)`. */
const isNamedEsac = ({ words, after, ends, brackets = '' }: ShellCommand): boolean =>
  isKeyword(words[0], 'esac') && ends === ')' && (after === '|' || brackets.endsWith('('));

/** Tells the parenthesis that closes a substitution from those of groups and patterns in it. */
export class Groups {
  readonly #cases = new CasePatterns();
  #brackets = '';
  #open = 0;
  /** Shells differ in a pattern or in a word that was read, so the parenthesis may be another one. */
  isUnclear = false;

  /** Whether a command ends with the parenthesis that closes the substitution. */
  closes(command: ShellCommand): boolean {
    const { words, ends } = command;
    const one = { ...command, brackets: this.#brackets };
    let isPattern = false;
    if (words.length > 0) {
      this.#cases.bracketsOf(one);
      this.#cases.isPattern(one);
      isPattern = this.#cases.closes;
      this.#brackets = '';
    }
    // `time case x in a)`
    const inner = words.findIndex((word, i) => isKeyword(word, 'case') && isKeyword(words[i + 2], 'in'));
    this.isUnclear ||= isNamedEsac(one) || inner > leadOf(one).length;
    if (ends === '(' || ends === ')') this.#brackets += ends;
    if (ends === '(' && !this.#cases.expects) this.#open++;
    if (ends === ')' && !isPattern) this.#open--;
    return this.#open < 0;
  }
}
