import { ansiUnescaped } from '../ansi-quote.js';
import { ShellSource } from './source.js';

/** A part of a word: literal text, or an expression that the shell expands. */
export type WordPart =
  | string
  /** The text inside `${…}`, or the name after `$`. */
  | { readonly kind: 'variable'; readonly source: string }
  /** `$(…)`, backticks, `<(…)`. */
  | { readonly kind: 'command'; readonly line: string }
  /** `{a,b}`. */
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  /** A glob, arithmetic or an array, whose value is known only at run time. `glob`: its text, if it is one. `source`: what is expanded in it. */
  | { readonly kind: 'unknown'; readonly glob?: string; readonly source?: string };

/** One word of a command line. */
export interface ShellWord {
  /** The source text. */
  readonly raw: string;
  /** The text without quotes. Expansions are left as they are written. */
  readonly text: string;
  readonly parts: readonly WordPart[];
  /** The redirection before the word, if any. With `<<`, the word is the whole here-document; with `((`, the whole arithmetic. */
  readonly redirect?: Redirect;
  /** A here-document in which nothing is expanded. */
  readonly literal?: true;
}

type Redirect = '<' | '<<' | '<<<' | '>' | '((';

/** The words up to the next `;`, `|`, `&`, parenthesis or line end. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** The separator before it: `|`, `&&`, … */
  readonly after: string;
  /** The separator after it. */
  readonly ends: string;
  readonly raw: string;
  /** The parentheses between the command before it and itself. */
  readonly brackets?: string;
}

const SEPARATOR = /&&|\|\||\|&|;;?|[|&()\n]/y;
const REDIRECTION = /\d*(&>>?|<<<|<<-?|<>|<&|<(?!\()|>>|>&|>\||>(?!\())/y;
/** After these separators, the command may continue on the next line. */
const CONTINUED = /^(?:\|[|&]?|&&)$/;
const NAME = /[A-Za-z_]\w*|\d|[@*#?$!-]/y;
const CHOICES = /\{([^{},\s'"`$\\]*,[^{}\s'"`$\\]*)\}/y;
const RANGE = /\{[\w-]+\.\.[^{}\s]*\}/y;
/** A glob, or the index of an array's element, in which there may be blanks. */
const BRACKET = /\[(?:[^\s[\]'"]+\]|[^[\]\n;&|]*\](?=\+?=))/y;
const HOME = /~(?=[/\s;|&)]|$)/y;
const HERE = /~\+(?=[/\s;|&)]|$)/y;

/**
 * Splits a command line into commands and words, for any POSIX shell. It is lenient: an unclosed quote or bracket ends at the end of
 * the text. Takes linear time.
 */
export function shellCommands(line: string): ShellCommand[] {
  return new WordReader(line).commands();
}

/** Reads a whole text as one word, such as the operand in `${NAME:-word}`. */
export function shellWord(text: string): ShellWord {
  return new WordReader(text).word(true);
}

/** Reads a text in which only `$`, backquotes and backslashes mean something: a here-document or arithmetic. */
export function shellText(text: string): readonly WordPart[] {
  return new WordReader(text).expansions();
}

class WordReader extends ShellSource {
  commands(): ShellCommand[] {
    const commands: ShellCommand[] = [];
    let words: ShellWord[] = [];
    let documents: { readonly word: ShellWord; readonly to: ShellWord[] }[] = [];
    let after = '';
    let start = 0;
    while (this.at < this.line.length) {
      const char = this.line[this.at] as string;
      if (char === ' ' || char === '\t' || char === '\r') {
        this.at++;
        continue;
      }
      if (char === '#') {
        this.at = this.find('\n');
        continue;
      }
      const arithmetic = this.#arithmetic();
      if (arithmetic) {
        words.push(arithmetic);
        continue;
      }
      const operator = this.match(REDIRECTION)?.[1];
      const separator = operator === undefined ? this.match(SEPARATOR) : null;
      if (operator !== undefined) {
        this.skipBlanks();
        const word = this.word(false);
        if (operator === '<<' || operator === '<<-') documents.push({ word, to: words });
        else words.push({ ...word, redirect: operator === '<<<' ? '<<<' : /^<[>&]?$/.test(operator) ? '<' : '>' });
      } else if (separator) {
        commands.push({ words, after, ends: separator[0], raw: this.line.slice(start, separator.index).trim() });
        words = [];
        const continues = separator[0] === '\n' && CONTINUED.test(after) && commands.at(-1)?.words.length === 0;
        [after, start] = [continues ? after : separator[0], this.at];
        if (separator[0] === '\n') {
          for (const { word, to } of documents) to.push(this.#document(word));
          documents = [];
          start = this.at;
        }
      } else words.push(this.word(false));
    }
    commands.push({ words, after, ends: '', raw: this.line.slice(start).trim() });
    let brackets = '';
    return commands.flatMap((command) => {
      const own = { ...command, brackets };
      brackets = command.words.length > 0 ? '' : brackets;
      if (command.ends === '(' || command.ends === ')') brackets += command.ends;
      return command.words.length > 0 ? [own] : [];
    });
  }

  /** Reads a word. `whole`: the rest of the text is one word. */
  word(whole: boolean): ShellWord {
    const parts: WordPart[] = [];
    const start = this.at;
    let text = '';
    const write = (written: string, source: string = written): void => {
      if (typeof parts.at(-1) === 'string') parts.push(`${parts.pop() as string}${written}`);
      else parts.push(written);
      text += source;
    };
    const expand = (part: WordPart, from: number): void => {
      parts.push(part);
      text += this.line.slice(from, this.at);
    };
    let quoted = false;
    /** How many brackets of `$[…]` are open, where a blank ends no word. */
    let open = 0;
    while (this.at < this.line.length) {
      const from = this.at;
      const char = this.line[from] as string;
      const next = this.line[from + 1];
      if (char === '\\') {
        this.at += 2;
        if (next !== undefined && next !== '\n') write(quoted && !'$`"\\'.includes(next) ? `\\${next}` : next);
      } else if (char === '"') {
        quoted = !quoted;
        this.at++;
        write('');
      } else if (char === '$' && next === '"' && !quoted) this.at++;
      else if (char === '$' && next === "'" && !quoted) {
        this.at += 2;
        write(ansiUnescaped(this.quoted(true)));
      } else if (char === "'" && !quoted) {
        this.at++;
        write(this.quoted(false));
      } else if (char === '$' && next === '[' && !quoted && this.line.includes(']', from)) {
        this.at += 2;
        write('$[');
        open++;
      } else if (char === '$' || char === '`') {
        const part = this.#expansion(quoted);
        if (typeof part === 'string') write(part);
        else expand(part, from);
      } else if (quoted || open > 0) {
        this.at++;
        write(char);
        if (!quoted) open += Number(char === '[') - Number(char === ']');
      } else if ((char === '<' || char === '>') && next === '(') {
        this.at += 2;
        expand({ kind: 'command', line: this.inside(')') }, from);
      } else if (!whole && char === '(' && /^\w+\+?=$/.test(text)) {
        parts.push({ kind: 'unknown' });
        break;
      } else if (!whole && /[\s;|&()<>]/.test(char)) break;
      else {
        const part = this.#pattern(text);
        if (part !== undefined) expand(part, from);
        else {
          this.at++;
          write(char);
        }
      }
    }
    // Skips a character that cannot begin a word, so that reading always advances.
    if (this.at === start && !whole) this.at++;
    return { raw: this.line.slice(start, this.at), text, parts };
  }

  /** Reads an expansion that an unquoted character begins: `~`, braces or a glob. */
  #pattern(before: string): WordPart | undefined {
    const char = this.line[this.at];
    if (char === '~' && (before === '' || /[=:]$/.test(before))) {
      if (this.match(HOME)) return { kind: 'variable', source: 'HOME' };
      if (this.match(HERE)) return { kind: 'variable', source: 'PWD' };
      this.at++;
      return { kind: 'unknown' };
    }
    if (char === '{') {
      const choices = this.match(CHOICES)?.[1];
      if (choices !== undefined) return { kind: 'choices', choices: choices.split(',') };
      const range = this.match(RANGE)?.[0];
      return range === undefined ? undefined : { kind: 'unknown', source: range };
    }
    if (char === '[') {
      const glob = this.match(BRACKET)?.[0];
      return glob === undefined ? undefined : { kind: 'unknown', glob, source: glob };
    }
    if (char !== '*' && char !== '?') return undefined;
    this.at++;
    return { kind: 'unknown', glob: char };
  }

  /** Reads `((…))`. A shell without arithmetic commands reads it as commands in two subshells. */
  #arithmetic(): ShellWord | undefined {
    const start = this.at;
    const source = this.between();
    if (source === undefined) return undefined;
    const raw = this.line.slice(start, this.at);
    const parts: WordPart[] = [
      { kind: 'command', line: source },
      { kind: 'unknown', source },
    ];
    return { raw, text: raw, parts, redirect: '((' };
  }

  /** Reads the whole text, in which quotes mean nothing. */
  expansions(): WordPart[] {
    const parts: WordPart[] = [];
    while (this.at < this.line.length) {
      const char = this.line[this.at];
      if (char === '$' || char === '`') parts.push(this.#expansion(true));
      else this.at += char === '\\' ? 2 : 1;
    }
    return parts;
  }

  #expansion(quoted: boolean): WordPart {
    if (this.line[this.at++] === '`') {
      const line = this.inside('`');
      return { kind: 'command', line: line.replace(/\\([`\\$])/g, '$1') };
    }
    const source = this.between();
    if (source !== undefined) return { kind: 'unknown', source };
    if (this.line[this.at] === '(') {
      this.at++;
      return { kind: 'command', line: this.inside(')') };
    }
    if (this.line[this.at] === '{') {
      this.at++;
      return { kind: 'variable', source: this.inside('}', quoted) };
    }
    const name = this.match(NAME)?.[0];
    return name === undefined ? '$' : { kind: 'variable', source: name };
  }

  /** Reads a here-document up to the line that ends it. */
  #document({ text: end, raw: quoted }: ShellWord): ShellWord {
    const start = this.at;
    const literal = quoted === end ? {} : { literal: true as const };
    while (this.at < this.line.length) {
      const from = this.at;
      this.at = this.find('\n') + 1;
      if (this.line.slice(from, this.at - 1).replace(/^\t+/, '') === end) {
        const text = this.line.slice(start, from);
        return { raw: text, text, parts: [text], redirect: '<<', ...literal };
      }
    }
    const text = this.line.slice(start);
    return { raw: text, text, parts: [text], redirect: '<<', ...literal };
  }
}
