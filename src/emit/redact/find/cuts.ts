import type { Span } from './quoted.js';

/** A text without parts of it, and the way back. */
export interface Bare {
  readonly text: string;
  /** Where a part of the bare text is in the whole one. */
  back(span: Span): Span;
}

/** Leaves out what matches a pattern (with its flag `g`). `told`: what was left out. */
export function without(text: string, pattern: RegExp, told?: (part: string) => void): Bare {
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
  /** How much was left out before a place; of the end of a part, what was left out there comes after it. */
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

/** Colours and the like of a terminal, as they are and as JSON and programs write them. */
const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
const BEGINS = String.raw`(?:${ESCAPE}|\\{1,8}(?:u001[bB]|x1[bB]|033|e))`;
const ENDS = String.raw`(?:${BELL}|\\{1,8}(?:u0007|x07|007|a)|${BEGINS}\\{1,8})`;
const SEQUENCES = new RegExp(
  String.raw`${BEGINS}(?:\[[\d;:?]{0,40}[A-Za-z]|\([AB0]|\][^${BELL}${ESCAPE}\\\n]{0,400}${ENDS})`,
  'g',
);
const WRITTEN = /\\(?:u001b|x1b|033|e)[[\](]/i;

/** The text that a terminal shows, if it is another than the one written. */
export function withoutColours(text: string): Bare | undefined {
  return text.includes(ESCAPE) || WRITTEN.test(text) ? without(text, SEQUENCES) : undefined;
}
