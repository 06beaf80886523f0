import type { CutText } from '../cuts.js';
import { take } from '../quoted.js';

/** A text, or some lines of it, as it may be meant. */
export interface TextView extends CutText {
  /** It ends where the whole text does, so that text that follows may belong to it. */
  readonly isLast: boolean;
  /** Writes the rest of a reading as the lines of the whole text are written. */
  written(rest: string, open: number): string;
}

/** Prefixes that tools add to each line. */
const PREFIXES = [
  // A log line's time, level and source; the name of a container or stream.
  String.raw`(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,:Z+-]{0,20}\]?[ \t]|[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8} [\w.-]{1,100} [\w./-]{1,100}(?:\[\d{1,9}\])?: |[\w.-]{1,60} {1,30}\| ?|\[[\w.:-]{1,40}\][ \t])(?:\[[\w.:-]{1,40}\][ \t]|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b:?[ \t]{1,2}){0,4}`,
  // A line number; `file:12:`, `file-12-` and `file:`, as grep prints them.
  String.raw`[ \t]*\d{1,6}(?:→|\t| {2}|[:|-])`,
  String.raw`(?:[\w./@-]{1,200}?\.\w{1,8}|[\w./@-]{1,200})(?::\d{1,6}:|-\d{1,6}-)`,
  String.raw`[\w./@-]{0,100}[./][\w./@-]{1,100}:(?![:/])`,
  // A quoted mail; a comment.
  String.raw`>[ \t]?`,
  String.raw`[ \t]*(?:#|//|\*)(?:[ \t]|(?=\r?(?:\n|$)))`,
].map((one) => new RegExp(one, 'y'));
const HEAD = '@@ -1 +1 @@\n';
/** A line of a difference. A `-` or `+` may be a list item. */
const SIGN = /[-+ \\](?!-- |\+\+ )|(?=\r?(?:\n|$))/y;
/** The most quotes of a line behind which the first line of a text in JSON is looked for. */
const MOST_QUOTES = 20;

/** Where a line begins, where it does behind its prefix, and where the next one does. */
type Line = readonly [from: number, bare: number, end: number];

/** The lines behind each name without the prefixes that they have in common with the name's line. `name`: matches the names. */
export function linesWithPrefixes(text: string, name: RegExp): readonly TextView[] {
  const named = namedLines(text, name);
  const runs = PREFIXES.flatMap((prefix) => runsOf(text, prefix, named));
  const signed = runsOf(text, SIGN, named).flatMap((lines) => {
    const signs = new Set(lines.map(([from]) => text[from]));
    const isBoth = signs.has('-') && signs.has('+');
    if (!isBoth) return signs.has('-') || signs.has('+') ? [lines] : [];
    // What was, and what is.
    return ['+', '-'].map((other) => lines.filter(([from]) => text[from] !== other));
  });
  return [...runs.map((lines) => viewOf(text, lines)), ...signed.map((lines) => viewOf(text, lines, HEAD))];
}

/** A line without the prefix that a tool added to it. */
export function withoutPrefix(line: string): string {
  for (const prefix of [...PREFIXES, SIGN])
    if (take(prefix, line, 0) !== undefined) return line.slice(prefix.lastIndex);
  return line;
}

interface NamedLine {
  readonly from: number;
  readonly first: number;
  last: number;
}

function namedLines(text: string, name: RegExp): readonly NamedLine[] {
  const lines: NamedLine[] = [];
  let end = -1;
  for (const { index } of text.matchAll(new RegExp(name.source, `g${name.flags}`))) {
    if (index < end) (lines.at(-1) as NamedLine).last = index;
    else {
      lines.push({ from: text.lastIndexOf('\n', index) + 1, first: index, last: index });
      end = text.indexOf('\n', index);
      if (end < 0) end = text.length;
    }
  }
  return lines;
}

function runsOf(text: string, prefix: RegExp, named: readonly NamedLine[]): readonly (readonly Line[])[] {
  const runs: (readonly Line[])[] = [];
  let read = 0;
  for (const line of named) {
    if (line.from < read) continue;
    const first = firstLine(text, prefix, line);
    if (first === undefined) continue;
    const lines = [first];
    for (let at = first[2]; at < text.length && take(prefix, text, at) !== undefined; ) {
      const end = behindLine(text, at);
      lines.push([at, prefix.lastIndex, end]);
      at = end;
    }
    read = (lines.at(-1) as Line)[2];
    if (first[0] === line.from || lines.length > 1) runs.push(lines);
  }
  return runs;
}

/** The line of a name behind its prefix, which may begin a text in quotes, as in JSON. */
function firstLine(text: string, prefix: RegExp, { from, first, last }: NamedLine): Line | undefined {
  let at = from;
  for (let quotes = 0; quotes <= MOST_QUOTES && at <= first; quotes++) {
    const isOne = take(prefix, text, at) !== undefined && prefix.lastIndex <= last;
    if (isOne) return [at, prefix.lastIndex, behindLine(text, from)];
    const next = text.slice(at, first).indexOf('"');
    if (next < 0) return undefined;
    at += next + 1;
  }
  return undefined;
}

function behindLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function viewOf(text: string, lines: readonly Line[], head = ''): TextView {
  const starts: number[] = [];
  let bare = '';
  for (const [, from, end] of lines) {
    starts.push(bare.length);
    bare += text.slice(from, end);
  }
  const lineOf = (place: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const back = (place: number): number => {
    const line = lineOf(place);
    return (lines[line] as Line)[1] + place - (starts[line] as number);
  };
  return {
    text: bare,
    back: ([start, end, open]) => [back(start), end > start ? back(end - 1) + 1 : back(end), open === true],
    isLast: !text.includes('\n', (lines.at(-1) as Line)[2]),
    written(rest, open) {
      const [from, to] = lines[lineOf(open)] as Line;
      return head + rest.replace(/(?<=^|\n)(?=.)/gs, () => text.slice(from, to) || ' ');
    },
  };
}
