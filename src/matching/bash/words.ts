import type { Command, CommandArgument, Word, WordPart } from 'unbash';

/** One word of a command: its text after quoting, and how much of its beginning is sure before the command runs. */
export interface KnownWord {
  readonly text: string;
  /** Undefined: all of it. */
  readonly sure: string | undefined;
  /** It is one word, however its unknown parts turn out. */
  readonly whole?: boolean;
}

/** The words of a command, its name first; leading assignments and redirections are none of them. */
export function wordsOf(command: Command): KnownWord[] {
  if (command.name === undefined) return [];
  const [name, ...args] = [command.name, ...command.args].map(knownWord);
  return [plainName(name as KnownWord), ...args];
}

/** `"$DIR/bin/tool"` is a tool wherever it is. */
function plainName(name: KnownWord): KnownWord {
  const [tail] = /\/[\w.+-]+$/.exec(name.text) ?? [];
  return name.sure !== undefined && name.whole && tail !== undefined ? { text: `.${tail}`, sure: undefined } : name;
}

export function knownWord(word: CommandArgument): KnownWord {
  if (word.type === 'Word') return { text: word.value, sure: sureStart(word), whole: isWhole(word.parts ?? []) };
  const { name, value } = word;
  if (value.type !== 'Word') return { text: word.text, sure: `${name}=` };
  const { text, sure } = knownWord(value);
  // The text of `a[i]+=v` is kept as written.
  const plain = word.index === undefined && !word.append;
  return {
    text: plain ? `${name}=${text}` : word.text,
    sure: sure === undefined ? undefined : `${name}=${sure}`,
    whole: true,
  };
}

/** Whether it stays one word: its uncertain parts are in double quotes, and not a list. */
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
        // These are paths without blanks, unless the line sets them, which is checked separately.
        if (/^\$\{?(?:HOME|PWD|OLDPWD|TMPDIR)\}?$/.test(part.text)) return true;
        return quoted && !/[@*]/.test(part.text.slice(0, 200));
    }
  });
}

/** Text in which nothing is left for the shell to find out; undefined: there is something. */
export function sureText(parts: readonly WordPart[]): string | undefined {
  const text: string[] = [];
  return collect(parts, text) ? text.join('') : undefined;
}

function sureStart(word: Word): string | undefined {
  if (word.parts === undefined) return undefined;
  const start: string[] = [];
  return collect(word.parts, start) ? undefined : start.join('');
}

/** Collects literal text up to the first part that only the shell can know; false if there is one. */
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

/** A word that a runner puts others in the place of: `{}` of xargs and find, `:::` of parallel; `${x}` is the shell's own. */
export function isHole(word: KnownWord, hole = '{}'): boolean {
  return word.text.includes(hole) || /(?<!\$)\{[^\s,{}]*\}|^:::/.test(word.text);
}

/** The rest of a word from some position on. */
export function restOf(word: KnownWord, from: number): KnownWord {
  return { ...word, text: word.text.slice(from), sure: word.sure?.slice(from) };
}

/** Whether a word certainly names a file, and not a special input of the shell: `/dev/stdin`, `/proc/self/fd/0`, `<(…)`. */
export function isFile({ text, sure, whole }: KnownWord): boolean {
  if (/(?:^|\/)(?:std(?:in|out|err)|tty|\d+|-)$|\/dev\/|\/proc\//.test(text)) return false;
  return sure === undefined || (whole === true && /\/[\w.-]+$/.test(text));
}

/** The words that `env -S` makes of one; undefined: they cannot be known. */
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

/** The text that a pattern is compared with. */
export interface CommandText {
  readonly text: string;
  /** Its certain beginning, if not all of it is known. */
  readonly sure?: string | undefined;
}

/**
 * The words from any place on as texts, with the command's path and without. `open`: more words may follow, and
 * holes stand for some. Joined once: a runner's words are asked for at every place.
 */
export function textsOf(words: readonly KnownWord[], hole?: string): (at: number, open: boolean) => CommandText[] {
  const joined = words.map((word) => word.text).join(' ');
  const offsets = [0];
  for (const word of words) offsets.push((offsets.at(-1) ?? 0) + word.text.length + 1);
  /** By place: the next word that is uncertain, and the next that would be if placeholders were filled. */
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

/** More words than these are not spelled out. */
const MOST_SPELLED = 20;

/** `a{b,c}` is `ab ac`; undefined: it is too many words, or has braces of another kind. */
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

/** The first braces with a comma, and no others, in them. */
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
