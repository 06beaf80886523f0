import { type TextSpan, take } from '../quoted.js';
import { isLiteral } from './brackets.js';
import type { OwnValues } from './lines.js';
import type { Reach } from './reach.js';

const ATTRIBUTE = /=\s{0,8}\\{0,8}(?:"([^"<>\\]+)|'([^'<>\\]+))/g;
const BEGINS_LINE = /(?:^|[\r\n>]|\\[nr])[ \t]*$/;
/** A line of a help text, `  <iban>  the number to pay to`, and the line below it. */
const HELP = />[ \t]{2,}[^\s<][^\n<]*[ \t][^\n<]*\n(?:(?:[^\n<]*|[ \t]*<[\w.-]+>[ \t]{2,}[^\n<]*)(\n)|[^\n]*$)/y;
const BLANK = /^(?:\\+[nrt])*$/;
const CDATA = '<![CDATA[';

/** All texts in an element, also in those within it. `open`: the index of its `<`; `tag`: its name. */
export function elementValues(reach: Reach, open: number, tag: string): OwnValues | undefined {
  const { text } = reach;
  const begin = reach.next('>', open);
  if (text[begin - 1] === '/') return undefined;
  const end = reach.next(`</${tag}`, begin);
  // Only what is closed is an element; of an output that is still written, the rest may come.
  if (end === text.length) {
    if (!BEGINS_LINE.test(text.slice(Math.max(0, open - 80), open))) return undefined;
    const help = take(HELP, text, begin);
    if (help?.[1] !== undefined) return undefined;
    return { spans: [], end: begin, hold: { at: open, until: help === undefined ? `</${tag}` : '\n' } };
  }
  const spans: TextSpan[] = [];
  for (let at = begin + 1; at < end; ) {
    const isData = text.startsWith(CDATA, at);
    const from = isData ? at + CDATA.length : at;
    const next = Math.min(end, reach.next(isData ? ']]>' : text[at] === '<' ? '>' : '<', from));
    if (isData || text[at] !== '<') {
      const said = text.slice(from, next);
      const trimmed = said.trim();
      const start = from + said.indexOf(trimmed);
      if (!BLANK.test(trimmed) && !isLiteral(trimmed)) spans.push([start, start + trimmed.length]);
    } else
      for (const { index, 0: part, 1: double, 2: single } of text.slice(at, next).matchAll(ATTRIBUTE)) {
        const to = at + index + part.length;
        spans.push([to - ((double ?? single) as string).length, to]);
      }
    at = isData ? next + 3 : text[at] === '<' ? next + 1 : next;
  }
  return { spans, end };
}
