/**
 * How much of a text may still be read more than once. A list is read to its end, however long it is; where lists are within lists, as no text
 * of anybody has them by the hundred, the inner ones are read in part at last, so that reading a text takes a time that grows with its length.
 */
let left = 0;
const TIMES = 16;
/** What every list may have read. */
const LEAST = 8192;

/** To be called before a text is read. */
export function beginReading(text: string): void {
  left = TIMES * text.length;
}

/** The index up to which something that begins at an index may be read. */
export function reachOf(text: string, from: number): number {
  return Math.min(text.length, from + Math.max(LEAST, left));
}

/** Tells how far it was read. */
export function wasRead(from: number, to: number): void {
  left -= to - from;
}
