import { type TextSpan, take } from '../quoted.js';
import { isLiteral } from './brackets.js';
import type { OwnValues } from './lines.js';
import type { Reach } from './reach.js';

const ATTRIBUTE = /=\s{0,8}\\{0,8}(?:"([^"<>\\]+)|'([^'<>\\]+))/g;
/** A line of a help text, `  <iban>  the number to pay to`, and one below it: until that is there, it is not known what the first is. */
const HELP = />[ \t]{2,}[^\s<][^\n<]*[ \t][^\n<]*\n(?:[ \t]*(?:<[\w.-]+>[ \t]{2,}|--?\w|\[)[^\n]*(\n)|[^\n]*$)/y;
/** `Usage: pay <iban> [--to NAME]`. */
const USAGE = /(?:^|\n)[^\n]*\busage\b[^\n]*$/i;
const BLANK = /^(?:\\+[nrt])*$/;
/** Texts within an element, and comments. */
const DATA = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
] as const;

/** All texts in an element, also in its attributes and in those within it. `open`: the index of its `<`; `tag`: its name. */
export function elementValues(reach: Reach, open: number, tag: string): OwnValues | undefined {
  const { text } = reach;
  const begin = reach.next('>', open);
  const spans: TextSpan[] = [];
  putAttributes(text, [open + 1 + tag.length, begin + 1], spans);
  if (text[begin - 1] === '/') return spans.length === 0 ? undefined : { spans, end: begin };
  const end = reach.closingTag(open, tag);
  // Only what is closed is an element; of an output that is still written, the rest may come.
  if (end === undefined) {
    const help = take(HELP, text, begin);
    const isTold = help?.[1] !== undefined || USAGE.test(text.slice(Math.max(0, open - 200), open));
    const hold = { at: open, until: help === undefined ? `</${tag}` : '\n' };
    return { spans, end: begin, ...(isTold ? {} : { hold }) };
  }
  for (let at = begin + 1; at < end; ) {
    const data = DATA.find(([begins]) => text.startsWith(begins, at));
    const from = data === undefined ? at : at + data[0].length;
    const next = Math.min(end, reach.next(data?.[1] ?? (text[at] === '<' ? '>' : '<'), from));
    if (data !== undefined || text[at] !== '<') {
      const said = text.slice(from, next);
      const trimmed = said.trim();
      const start = from + said.indexOf(trimmed);
      if (!BLANK.test(trimmed) && !isLiteral(trimmed)) spans.push([start, start + trimmed.length]);
    } else putAttributes(text, [at, next], spans);
    at = data === undefined ? (text[at] === '<' ? next + 1 : next) : next + data[1].length;
  }
  return { spans, end };
}

function putAttributes(text: string, [from, to]: TextSpan, spans: TextSpan[]): void {
  for (const { index, 0: part, 1: double, 2: single } of text.slice(from, to).matchAll(ATTRIBUTE)) {
    const end = from + index + part.length;
    spans.push([end - ((double ?? single) as string).length, end]);
  }
}
