import type { TextSpan } from './quoted.js';

/** A text from which parts were removed. */
export interface CutText {
  readonly text: string;
  /** Maps a span of the bare text to the original. */
  back(span: TextSpan): TextSpan;
}

/** Removes the matches of a pattern, which must have the flag `g`. `told` is called with each. */
export function without(text: string, pattern: RegExp, told?: (part: string) => void): CutText {
  const places: number[] = [];
  const sums: number[] = [];
  let removed = 0;
  const bare = text.replace(pattern, (...found) => {
    const [part, at] = [found[0] as string, found.at(-2) as number];
    told?.(part);
    places.push(at - removed);
    removed += part.length;
    sums.push(removed);
    return '';
  });
  /** How many characters were removed before an index; `isEnd`: without a removal exactly at the index. */
  const before = (place: number, isEnd: boolean): number => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = places[middle] as number;
      if (isEnd ? at < place : at <= place) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? 0 : (sums[low - 1] as number);
  };
  return {
    text: bare,
    back: ([start, end, open]) => [start + before(start, false), end + before(end, true), open === true],
  };
}

/** ANSI escape sequences (colours and the like), raw or as escaped in JSON and source code. */
const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
const BEGINS = String.raw`(?:${ESCAPE}|\\{1,8}(?:u001[bB]|x1[bB]|033|e))`;
const ENDS = String.raw`(?:${BELL}|\\{1,8}(?:u0007|x07|007|a)|${BEGINS}\\{1,8})`;
const SEQUENCES = new RegExp(
  String.raw`${BEGINS}(?:\[[\d;:?]{0,40}[A-Za-z]|\([AB0]|\][^${BELL}${ESCAPE}\\\n]{0,400}${ENDS})`,
  'g',
);
const WRITTEN = /\\(?:u001b|x1b|033|e)[[\](]/i;

/** The text as a terminal shows it, if it has escape sequences. */
export function withoutColours(text: string): CutText | undefined {
  return text.includes(ESCAPE) || WRITTEN.test(text) ? without(text, SEQUENCES) : undefined;
}

const LINE_IS_WRITTEN = /\\[nt]/;
/**
 * An escaped line end, escaped any number of times, and its replacement of the same length. Escaping also doubles the backslash of a line
 * that continues in the next: with it, there are three, six or twelve.
 */
const WRITTEN_LINE = /\\+[nrt]/g;
const asLine = (written: string): string =>
  (written.length % 3 === 1 ? '\\' : ' ').padStart(written.length - 1) + (written.endsWith('n') ? '\n' : ' ');

/** The text with its escaped line ends as line ends, as JSON puts several lines into one string. */
export function asLines(text: string): string {
  return LINE_IS_WRITTEN.test(text) ? text.replace(WRITTEN_LINE, asLine) : text;
}

const WRITTEN_SIGN =
  /(?:&lt;|\\{1,8}u003c)(?:\\{1,8}(?=\/))?(?=[\w/!])|<\\{1,8}(?=\/)|&(?:gt|quot|#34);|\\{1,8}u00(?:3e|2[267])|%(?:5c%22|22(?:(?:%20|\+){0,4}%3a(?:%20|\+){0,4})?)/gi;

/**
 * The text with escaped signs of elements (`&lt;`, `\u003c`, `<\/a>`) and of JSON (`\u0022`, `&quot;`, `%22`) as they are meant, of the same
 * length: a quote stands behind as many backslashes as that takes, like those of JSON within JSON.
 */
export function asSigns(text: string): string {
  return text.replace(WRITTEN_SIGN, (written) => {
    const { length } = written;
    if (written.startsWith('%2')) return String.raw`\\"`.concat(length > 3 ? ':' : '').padEnd(length);
    if (written[0] === '%') return written;
    if (/(?:22|quot;|34;)$/.test(written)) return '"'.padStart(length, '\\');
    if (written.endsWith('27')) return "'".padStart(length, '\\');
    if (written.endsWith('26')) return '&'.repeat(length);
    return /gt;|e$/i.test(written) ? '>'.padEnd(length) : '<'.padStart(length);
  });
}
