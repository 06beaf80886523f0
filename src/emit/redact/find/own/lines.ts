import { append } from '../../../../values/append.js';
import { indentOf } from '../formats/blocks.js';
import { type TextSpan, take } from '../quoted.js';
import { isClosed } from '../shell/whole.js';
import { isPlaceholder } from '../values.js';
import { isLeft, isLiteral, shortened, valuesWithin } from './brackets.js';
import { FEW, MOST_HELD, type Reach } from './reach.js';
import { withoutPrefix } from './runs.js';

export interface Hold {
  readonly at: number;
  readonly until: string;
}

const ITEM = /^[ \t]*(?:["'`[\](){},;#\d-]|\/\/|[^\s=:]*\r?$)|[,[{(][ \t]*\r?$/;
/** In parentheses each line is a word, or texts in quotes and numbers. */
const WORD =
  /^[ \t]*(?:(?:[\w.$[\]"'-]{1,80}=)?[^\s"'`]*|(?:(?:"[^"\n]*"|'[^'\n]*'|-?\d[\w.]*|[[\](){}])[ \t,]*)+),?[ \t]*(?:#.*)?\\?\r?$/;

/** Whether the end of a value may still come: not where much text is there that is nothing like it. */
export function mayEnd(text: string, { at, until }: Hold): boolean {
  if (text.length - at <= MOST_HELD) return true;
  const lines = text.slice(-MOST_HELD).split('\n').slice(1);
  const pattern = until.startsWith('<') ? /<|&lt;|\\u003c/i : until === ')' ? WORD : ITEM;
  const like = lines.filter((line) => pattern.test(line) || pattern.test(withoutPrefix(line)));
  return lines.length < FEW || like.length * 2 > lines.length;
}

/** What was read after a name. */
export interface OwnValues {
  readonly spans: readonly TextSpan[];
  /** The index behind what was read. */
  readonly end: number;
  /** If the text ends within the value: what text that follows must be read behind. */
  readonly rest?: string;
  /** If the value counts only once its end is there: where it begins, and its end. */
  readonly hold?: Hold;
}

/** Another name and its sign in the same line: `, id: 5`, ` status=200`. */
const PAIR = String.raw`[,;]?[ \t]+\\{0,8}["']?[\p{L}_][\p{L}\p{N}_.-]{0,100}\\{0,8}["']?(?:=(?!=)|:(?=[ \t]|\\{0,8}["']))`;
const ENDS = String.raw`\r?\n|${PAIR}|[ \t]+(?:#|//)(?:[ \t!]|$)|[,;]?[ \t]+[{[]\\{0,8}["']`;
const WRITTEN = String.raw`\\+[nr]`;
/** In a sentence or a log line, a value of several words ends with the clause, or with what is no word. */
const CLAUSE = String.raw`[,;.!?](?=[\s,;.!?]|$)|["\x60|<>{}&]|(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])|[ \t](?:[-–—=~]{1,3}|-{1,2}[A-Za-z][\w-]*)(?=[ \t=]|$)`;
const ending = (...ends: readonly string[]): RegExp => new RegExp(ends.join('|'), 'gu');
const END = ending(ENDS);
const END_WRITTEN = ending(ENDS, WRITTEN);
const END_OF_CLAUSE = ending(ENDS, WRITTEN, CLAUSE);
/** What code computes, and what stands for a value. */
const COMPUTED = /(?:await|new|typeof)[ \t]|[\w$.?!]{1,100}\(|\$\(|\{\{|\$\{|<%|<[^<>\n]{0,80}>[ \t]*(?:\r?\n|$)|\/\*/y;

/** A value without quotes. `whole`: nothing but the value is in the line; else it ends with its clause. `written`: line ends may be escaped. */
export function plainValue(
  { text }: Reach,
  at: number,
  { whole, written }: { readonly whole: boolean; readonly written: boolean },
): TextSpan | undefined {
  const computed = take(COMPUTED, text, at)?.[0];
  // A bracket that is never closed is part of a value: `aB3x(cd`.
  const isOpen = computed !== undefined && /\w\($/.test(computed) && !isClosed(text, at, COMPUTED.lastIndex, 1);
  if (computed !== undefined && !isOpen) return undefined;
  const pattern = whole ? (written ? END_WRITTEN : END) : END_OF_CLAUSE;
  pattern.lastIndex = at;
  const said = bare(text.slice(at, pattern.exec(text)?.index));
  if (said === '' || isLeft(said, true) || isLiteral(said)) return undefined;
  return !/[ \t]/.test(said) && isPlaceholder(said, '"') ? undefined : [at, at + said.length];
}

const OPENING: Readonly<Record<string, string>> = { ']': '[', '}': '{', ')': '(' };

/** A value without the comma behind it, or a bracket that closes around it. */
export function bare(value: string): string {
  let end = value.length;
  const left = new Map<string, number>();
  for (const character of value) left.set(character, (left.get(character) ?? 0) + 1);
  for (; end > 0; end--) {
    const last = value[end - 1] as string;
    const open = OPENING[last];
    const count = left.get(last) as number;
    if (open === undefined ? !/[,;\s]/.test(last) : count <= (left.get(open) ?? 0)) break;
    left.set(last, count - 1);
  }
  return value.slice(0, end);
}

const DASHES = /(?:-[ \t]+)*/y;
const KEY =
  /(?:\\{0,8}"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"'#[{,&*!|>%@`:\\][^\n:#]{0,200})[ \t]*:(?=[ \t]|\r?(?:\n|$))[ \t]*/y;
const SCALAR = /[|>][-+\d]{0,2}[ \t]*(?:#[^\n]*)?\r?(?=\n|$)/y;
const EMPTY = /[ \t]*(?:#(?:[ \t!#][^\n]*)?)?\r?(?=\n|$)/y;

/** The values in the lines below a name in YAML. `name`: where it begins; `head`: the index of what follows its colon. */
export function blockBelow(reach: Reach, name: number, head: number): OwnValues | undefined {
  const { text } = reach;
  const isScalar = take(SCALAR, text, head) !== undefined;
  if (!isScalar && take(EMPTY, text, head) === undefined) return undefined;
  const indent = indentOf(text, name);
  if (indent === undefined) return undefined;
  const begins = reach.next('\n', head) + 1;
  const spans: TextSpan[] = [];
  /** The indentation of the name of a scalar, all of whose lines are its value. */
  let scalar = isScalar ? indent : undefined;
  let line = begins;
  let first = line;
  let scalarHead = '';
  let last = begins;
  while (line < text.length) {
    const begin = line;
    last = begin;
    const end = reach.lineEnd(line);
    let at = line;
    while (text[at] === ' ' || text[at] === '\t') at++;
    const depth = at - line;
    const next = reach.next('\n', line) + 1;
    const isEmpty = at >= end;
    const isItem = text[at] === '-' && /\s/.test(text[at + 1] ?? ' ');
    if (!isEmpty && (isScalar || depth !== indent || !isItem) && depth <= indent) break;
    line = next;
    if (isEmpty || (scalar === undefined && text[at] === '#')) continue;
    if (scalar !== undefined && depth > scalar) {
      join(text, spans, [at, end], first);
      continue;
    }
    scalar = undefined;
    take(DASHES, text, at);
    at = DASHES.lastIndex;
    const column = at - begin;
    const isKey = take(KEY, text, at) !== undefined;
    if (isKey) at = KEY.lastIndex;
    if (take(SCALAR, text, at) !== undefined) {
      scalar = isKey ? column : depth;
      first = next;
      scalarHead = text.slice(begin, next);
      continue;
    }
    const value = valueIn(reach, at, end);
    append(spans, value.spans);
    if (value.end > end) line = reach.next('\n', value.end - 1) + 1;
  }
  if (line === begins && begins < text.length) return undefined;
  const from = text.lastIndexOf('\n', name - 1) + 1;
  return {
    spans,
    end: Math.min(line, text.length),
    ...(line >= text.length
      ? { rest: text.slice(from, begins) + (scalar === undefined ? '' : scalarHead) + unended(text, last, begins) }
      : {}),
  };
}

const GOES_ON = /(?!at |[-*#] |[<>|])\S/y;

/** The last line, if its end is not there yet. */
const unended = (text: string, last: number, least: number): string =>
  text.endsWith('\n') || last < least ? '' : shortened(text.slice(last));

/** A value that goes on in lines below that are indented further, as in YAML and headers. `end`: the end of its first line. */
export function linesBelow(reach: Reach, name: number, span: TextSpan): OwnValues {
  const { text } = reach;
  const spans = [span];
  const indent = indentOf(text, name);
  let end = reach.lineEnd(span[1]);
  if (indent === undefined || /\S/.test(text.slice(span[1], end))) return { spans, end: span[1] };
  const from = text.lastIndexOf('\n', name - 1) + 1;
  const first = reach.next('\n', end) + 1;
  let line = first;
  while (line < text.length) {
    let at = line;
    while (text[at] === ' ' || text[at] === '\t') at++;
    if (at - line <= indent || take(GOES_ON, text, at) === undefined || take(KEY, text, at) !== undefined) break;
    end = reach.lineEnd(line);
    spans.push([at, end]);
    line = reach.next('\n', line) + 1;
  }
  return line < text.length
    ? { spans, end }
    : {
        spans,
        end,
        rest: text.slice(from, first) + (end > first ? unended(text, text.lastIndexOf('\n') + 1, first) : ''),
      };
}

/** Lines of a scalar are one value. */
function join(text: string, spans: TextSpan[], [start, end]: TextSpan, first: number): void {
  const last = spans.at(-1);
  if (last !== undefined && last[0] >= first && !/\S/.test(text.slice(last[1], start)))
    spans[spans.length - 1] = [last[0], end];
  else spans.push([start, end]);
}

function valueIn(reach: Reach, at: number, end: number): { readonly spans: readonly TextSpan[]; readonly end: number } {
  const { text } = reach;
  if (at >= end) return { spans: [], end };
  if ('[{'.includes(text[at] as string) && !text.startsWith('{{', at)) return valuesWithin(reach, at);
  const quoted = reach.quoted(at);
  if (quoted !== undefined)
    return { spans: isLeft(text.slice(quoted.span[0], quoted.span[1]), false) ? [] : [quoted.span], end: quoted.end };
  let said = text.slice(at, end);
  const comment = said.search(/[ \t]#/);
  if (comment >= 0) said = said.slice(0, comment);
  said = said.trimEnd();
  return { spans: said === '' || isLiteral(said) ? [] : [[at, at + said.length]], end };
}

const PAIR_LINE = /[ \t]*(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[\w.-]{1,200})[ \t]*=[ \t]*/y;
const NO_PAIR = /[ \t]*(?:[#;][^\n]*)?\r?(?:\n|$)/y;

/** The values in the lines of a section in TOML, `[name]`. `name`: where it begins; `head`: the index of its first line. */
export function sectionBelow(reach: Reach, name: number, head: number): OwnValues | undefined {
  const { text } = reach;
  const spans: TextSpan[] = [];
  let line = head;
  while (line < text.length) {
    const isPair = take(PAIR_LINE, text, line) !== undefined;
    if (!isPair && take(NO_PAIR, text, line) === undefined) break;
    const value = isPair ? valueIn(reach, PAIR_LINE.lastIndex, reach.lineEnd(line)) : undefined;
    append(spans, value?.spans ?? []);
    line = reach.next('\n', Math.max(line, (value?.end ?? 0) - 1)) + 1;
  }
  const from = text.lastIndexOf('\n', name) + 1;
  return { spans, end: Math.min(line, text.length), ...(line < text.length ? {} : { rest: text.slice(from, head) }) };
}
