import type { Command, CommandArgument, SyntaxNode, Word, WordPart } from 'unbash';

/** One word of a command: its text without quotes, and the beginning of it that is known before the command runs. */
export interface KnownWord {
  readonly text: string;
  /** The known beginning; undefined if the whole word is known. */
  readonly sure: string | undefined;
  /** Whether it stays one word, whatever its unknown parts expand to. */
  readonly whole?: boolean;
  /** If not all of it is known: its text, with each expansion between two NUL. Those in quotes begin with one. */
  readonly marked?: string;
}

/** The words of a command, beginning with its name, without leading assignments and redirections. */
export function wordsOf(command: Command): KnownWord[] {
  if (command.name === undefined) return [];
  const [name, ...args] = [command.name, ...command.args].map(knownWord);
  return [plainName(name as KnownWord), ...args];
}

/** Takes `"$DIR/bin/tool"` for a known program, wherever it is. */
function plainName(name: KnownWord): KnownWord {
  const [tail] = /\/[\w.+-]+$/.exec(name.text) ?? [];
  return name.sure !== undefined && name.whole && tail !== undefined ? { text: `.${tail}`, sure: undefined } : name;
}

export function knownWord(word: CommandArgument): KnownWord {
  if (word.type === 'Word') {
    const { value: text, parts = [] } = word;
    const sure = sureStart(word);
    const known = { text, sure, whole: isWhole(parts) };
    return sure === undefined ? known : { ...known, marked: markedText(parts) };
  }
  const { name, value } = word;
  if (value.type !== 'Word') return { text: word.text, sure: `${name}=` };
  const { text, sure, marked = text } = knownWord(value);
  // The text of `a[i]=v` and `a+=v` is kept as written.
  const plain = word.index === undefined && !word.append;
  return {
    text: plain ? `${name}=${text}` : word.text,
    sure: sure === undefined ? undefined : `${name}=${sure}`,
    whole: true,
    marked: `${name}=${marked}`,
  };
}

/** The text of the parts, with expansions marked. Globs are text, since a file of such a name is rare. */
function markedText(parts: readonly WordPart[], quote = ''): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case 'Literal':
        case 'SingleQuoted':
        case 'AnsiCQuoted':
          return part.value;
        case 'DoubleQuoted':
        case 'LocaleString':
          return markedText(part.parts, '"');
        case 'Glob':
          return part.text;
        default:
          return `\0${quote}${part.text.replaceAll('\n', ' ')}\0`;
      }
    })
    .join('');
}

/** Whether the parts stay one word: the unknown ones are in double quotes, and not lists such as `$@`. */
function isWhole(parts: readonly WordPart[], quoted = false): boolean {
  return parts.every((part) => {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
      case 'ArithmeticExpansion':
        return true;
      case 'DoubleQuoted':
      case 'LocaleString':
        return isWhole(part.parts, true);
      default:
        // These variables are paths without blanks, unless the line sets them, which is checked separately.
        if (/^\$\{?(?:HOME|PWD|OLDPWD|TMPDIR)\}?$/.test(part.text)) return true;
        return quoted && !/[@*]/.test(part.text.slice(0, 200));
    }
  });
}

/** The text of the parts if the shell has nothing to expand in them, else undefined. */
export function sureText(parts: readonly WordPart[]): string | undefined {
  const text: string[] = [];
  return collect(parts, text) ? text.join('') : undefined;
}

function sureStart(word: Word): string | undefined {
  if (word.parts === undefined) return undefined;
  const start: string[] = [];
  return collect(word.parts, start) ? undefined : start.join('');
}

/** Collects literal text up to the first expansion; false if there is one. */
function collect(parts: readonly WordPart[], into: string[]): boolean {
  for (const part of parts) {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        into.push(part.value);
        break;
      case 'DoubleQuoted':
      case 'LocaleString':
        if (!collect(part.parts, into)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

/** Whether a word has a placeholder of a runner: `{}` in xargs and find, `:::` in parallel. `${x}` belongs to the shell. */
export function isHole(word: KnownWord, hole = '{}'): boolean {
  return word.text.includes(hole) || /(?<!\$)\{[^\s,{}]*\}|^:::/.test(word.text);
}

/** The rest of a word from a position on. */
export function restOf(word: KnownWord, from: number): KnownWord {
  const { text, sure, marked } = word;
  const rest = { ...word, text: text.slice(from), sure: sure?.slice(from) };
  return marked === undefined ? rest : { ...rest, marked: marked.slice(from) };
}

/** A descriptor and a process substitution: `2>(rm x)`, `{v}<(rm x)`. The index of a variable may have braces: `{v[}]}>(rm x)`. */
const BEHIND_DESCRIPTOR = /^(?:\d+|\{.*\})[<>]\(/s;

/** Whether a word is a process substitution directly behind a descriptor, which the parser does not look into. The shell runs it. */
export const hidesCommand = (node: SyntaxNode): boolean => hiddenIn(node) !== undefined;

/** The commands that such a word hides. */
export function hiddenIn(node: SyntaxNode): string | undefined {
  if (node.type !== 'Word' || !BEHIND_DESCRIPTOR.test(node.text)) return undefined;
  return node.text.slice(node.text.search(/[<>]\(/) + 2).replace(/\)$/, '');
}

/** Whether a word certainly names a file and not a special input such as `/dev/stdin`, `/proc/self/fd/0` or `<(…)`. */
export function isFile({ text, sure, whole }: KnownWord): boolean {
  if (/(?:^|\/)(?:std(?:in|out|err)|tty|\d+|-)$|\/dev\/|\/proc\//.test(text)) return false;
  return sure === undefined || (whole === true && /\/[\w.-]+$/.test(text));
}

/** Splits a word as `env -S` does; undefined if the result is unknown. */
export function splitWords(word: KnownWord): KnownWord[] | undefined {
  if (word.sure !== undefined || /\$/.test(word.text)) return undefined;
  const words: string[] = [];
  let text: string | undefined;
  let quote = '';
  for (let i = 0; i < word.text.length; i++) {
    const char = word.text[i] as string;
    if (char === '\\' && quote !== "'") {
      const next = word.text[++i] ?? '';
      if (next === 'c') break;
      if (/[fnrtv_]/.test(next) && quote === '') {
        if (text !== undefined) words.push(text);
        text = undefined;
      } else text = (text ?? '') + (next === '_' ? ' ' : next);
    } else if (char === quote) quote = '';
    else if (quote === '' && /['"]/.test(char)) {
      quote = char;
      text ??= '';
    } else if (quote === '' && /\s/.test(char)) {
      if (text !== undefined) words.push(text);
      text = undefined;
    } else if (quote === '' && char === '#' && text === undefined) break;
    else text = (text ?? '') + char;
  }
  if (text !== undefined) words.push(text);
  return words.map((known) => ({ text: known, sure: undefined }));
}

/** The text of a command, to which patterns are applied. */
export interface CommandText {
  readonly text: string;
  /** The known beginning, if not all of the text is known. */
  readonly sure?: string | undefined;
}

/**
 * Returns a function that gives the words from any index on as texts, with and without the command's path. `open`: more words may
 * follow, and placeholders stand for some. The words are joined only once, because a runner's words are needed at every index.
 */
export function textsOf(words: readonly KnownWord[], hole?: string): (at: number, open: boolean) => CommandText[] {
  const joined = words.map((word) => word.text).join(' ');
  const offsets = [0];
  for (const word of words) offsets.push((offsets.at(-1) ?? 0) + word.text.length + 1);
  /** For each index: the next word that is not completely known, without and with placeholders. */
  const unsure = nextOf(words, (word) => word.sure !== undefined);
  const holes = nextOf(words, (word) => word.sure !== undefined || isHole(word, hole));

  return (at, open) => {
    const next = (open ? holes : unsure)[at];
    const text = joined.slice(offsets[at]);
    let sure: string | undefined;
    if (next !== undefined) sure = joined.slice(offsets[at], offsets[next]) + (words[next]?.sure ?? '');
    else if (open) sure = `${text} `;
    const path = (words[at]?.text.lastIndexOf('/') ?? -1) + 1;
    return path > 0
      ? [
          { text, sure },
          { text: text.slice(path), sure: sure?.slice(path) },
        ]
      : [{ text, sure }];
  };
}

function nextOf(words: readonly KnownWord[], test: (word: KnownWord) => boolean): (number | undefined)[] {
  const next: (number | undefined)[] = [];
  for (let at = words.length - 1; at >= 0; at--) next[at] = test(words[at] as KnownWord) ? at : next[at + 1];
  return next;
}

/** The most words to which braces are expanded. */
const MOST_SPELLED = 20;

/** Expands `a{b,c}` to `ab ac`; undefined if that gives too many words or the word has other braces. */
export function withoutBraces(word: string): string[] | undefined {
  let words = [word];
  for (;;) {
    const more = words.flatMap((one) => {
      const [from, to] = bracesIn(one) ?? [];
      return from === undefined || to === undefined
        ? [one]
        : one
            .slice(from + 1, to)
            .split(',')
            .map((part) => one.slice(0, from) + part + one.slice(to + 1));
    });
    if (more.length > MOST_SPELLED) return undefined;
    if (more.length === words.length) return more.some((one) => one.includes('{')) ? undefined : more;
    words = more;
  }
}

/** The first innermost braces with a comma. */
function bracesIn(text: string): readonly [from: number, to: number] | undefined {
  let last = 0;
  for (let to = text.indexOf('}'); to !== -1; to = text.indexOf('}', last)) {
    const between = text.slice(last, to);
    const from = between.lastIndexOf('{');
    if (from !== -1 && between.includes(',', from)) return [last + from, to];
    last = to + 1;
  }
  return undefined;
}

/** Whether the last words of a runner say that it appends at most one: `xargs -n 1`. */
export function appendsOne(last: KnownWord | undefined, before: KnownWord | undefined): boolean {
  const isCount = last?.text === '1' && before !== undefined && /^(?:-\w*n|--max-args)$/.test(before.text);
  return isCount || /^(?:-\w*n1|--max-args=1)$/.test(last?.text ?? '');
}
