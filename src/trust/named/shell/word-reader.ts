import { ansiUnescaped } from '../ansi-quote.js';
import { Groups } from './cases.js';
import { ShellSource } from './source.js';
import type { ShellCommand, ShellWord, WordPart } from './word.js';

const SEPARATOR = /&&|\|\||\|&|;;?|[|&()\n]/y;
const REDIRECTION = /\d*(&>>?|<<<|<<-?|<>|<&|<(?!\()|>>|>&|>\||>(?!\())/y;
/** After these separators, the command may continue on the next line. */
const CONTINUED = /^(?:\|[|&]?|&&)$/;
const NAME = /[A-Za-z_]\w*|\d|[@*#?$!-]/y;
const CHOICES = /\{([^{},\s'"`$\\]*,[^{}\s'"`$\\]*)\}/y;
const RANGE = /\{[\w-]+\.\.[^{}\s]*\}/y;
/** A glob, or the index of an array's element, in which there may be blanks. */
const BRACKET = /\[(?:[^\s[\]'";|&()<>]+\]|[^[\]\n;&|]*\](?=\+?=))/y;
const HOME = /~(?=[/\s;|&)]|$)/y;
const HERE = /~\+(?=[/\s;|&)]|$)/y;

/** Reads words and commands. */
export class WordReader extends ShellSource {
  /** The lines on which something begins whose end is not certain. */
  readonly unclear = new Set<string>();

  #doubt(at: number): void {
    const end = this.line.indexOf('\n', at);
    this.unclear.add(this.line.slice(at, end === -1 ? undefined : end).trim());
  }

  protected override closing(): number {
    const start = this.at;
    this.commands(true);
    if (this.at >= this.line.length) this.#doubt(start);
    return this.at;
  }

  /** `isInside`: up to the parenthesis that closes a substitution. */
  commands(isInside = false): ShellCommand[] {
    const commands: ShellCommand[] = [];
    const groups = new Groups();
    let words: ShellWord[] = [];
    let documents: { readonly word: ShellWord; readonly operator: string; readonly to: ShellWord[] }[] = [];
    let after = '';
    let isTest = false;
    const begin = this.at;
    let start = begin;
    while (this.at < this.line.length) {
      const char = this.line[this.at] as string;
      if (char === ' ' || char === '\t' || char === '\r') {
        this.at++;
        continue;
      }
      if (char === '#') {
        // It may be part of a pattern: `[[ x == @(a|#b) ]]`.
        if (isTest || (this.at > begin && /[(|]/.test(this.line[this.at - 1] as string))) this.#doubt(start);
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
        if (operator === '<<' || operator === '<<-') {
          documents.push({ word, operator, to: words });
          if (isTest) this.#doubt(start);
        } else words.push({ ...word, redirect: operator === '<<<' ? '<<<' : /^<[>&]?$/.test(operator) ? '<' : '>' });
      } else if (separator) {
        const raw = this.line.slice(start, separator.index).trim();
        const command = { words, after, ends: separator[0], raw };
        commands.push(command);
        if (isInside && groups.closes(command)) {
          // Some shells read the document behind the parenthesis.
          if (documents.length > 0 || groups.isUnclear) this.#doubt(begin);
          this.at = separator.index;
          return commands;
        }
        words = [];
        const continues = separator[0] === '\n' && CONTINUED.test(after) && commands.at(-1)?.words.length === 0;
        [after, start] = [continues ? after : separator[0], this.at];
        if (separator[0] === '\n') {
          for (const { word, operator, to } of documents) to.push(this.#document(word, operator));
          documents = [];
          start = this.at;
        }
      } else {
        const word = this.word(false);
        if (/^(?:\[\[|\]\])$/.test(word.raw)) isTest = word.raw === '[[';
        words.push(word);
      }
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
        expand({ kind: 'command', line: this.substitution() }, from);
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
      return { kind: 'command', line: this.substitution() };
    }
    if (this.line[this.at] === '{') {
      this.at++;
      return { kind: 'variable', source: this.inside('}', quoted) };
    }
    const name = this.match(NAME)?.[0];
    return name === undefined ? '$' : { kind: 'variable', source: name };
  }

  /** Reads a here-document up to the line that ends it. */
  #document({ text: end, raw: quoted }: ShellWord, operator: string): ShellWord {
    const [start, isLiteral] = [this.at, quoted !== end];
    let from = start;
    let line = '';
    let isEnded = false;
    let isClear = !/[$`\n]/.test(quoted);
    while (this.at < this.line.length && !isEnded) {
      const raw = this.line.slice(this.at, this.find('\n'));
      line += operator === '<<-' ? raw.replace(/^\t+/, '') : raw;
      this.at += raw.length + 1;
      const goesOn = !isLiteral && /(?<!\\)(?:\\\\)*\\$/.test(line);
      isEnded = !goesOn && line === end;
      // Shells differ in a line that is the end only together with the one before it, and, in a substitution, in `E)`.
      const isJoined = this.at > from + raw.length + 1;
      if (isEnded ? isJoined : this.depth > 0 && line.startsWith(end) && line.includes(')')) isClear = false;
      if (goesOn) line = line.slice(0, -1);
      else if (!isEnded) [line, from] = ['', this.at];
    }
    if (!isEnded || !isClear) this.unclear.add(`${operator}${quoted}`);
    const text = this.line.slice(start, isEnded ? from : undefined);
    return { raw: text, text, parts: [text], redirect: '<<', ...(isLiteral && { literal: true }) };
  }
}
