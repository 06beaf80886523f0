/** How many of the records that came last are told apart. */
export const REMEMBERED = 10_000;
/** So many in a row that are known are where the reader was before. */
const KNOWN = 100;

/** When a record was made, from its text; undefined: it does not say. */
export function timeIn(text: string): number | undefined {
  const at = Date.parse(/"time":"([^"]{10,40})"/.exec(text)?.[1] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The host and number of a record, which are its first fields; its time where a host is not told. */
const idOf = (text: string): string => /^\{"seq":\d+,"time":"[^"]*"(?:,"host_id":"[^"]*")?/.exec(text)?.[0] ?? text;

/**
 * What came last, so that a store can be read backward from its end to the place that is known. Times alone do not tell that place: a clock
 * may be set, and a record may come from a clock that is days ahead.
 */
export class CaughtUp {
  readonly #recent = new Set<string>();
  /** When the page last heard of the server, by its own clock. */
  #contact: number | undefined;

  /** A record that came, or was read from the end of the store. */
  note(text: string): void {
    const id = idOf(text);
    this.#recent.delete(id);
    this.#recent.add(id);
    if (this.#recent.size > REMEMBERED) this.#recent.delete(this.#recent.values().next().value as string);
  }

  heard(now: number): void {
    this.#contact = now;
  }

  /** For one reading, the newest first: whether all that comes after these lines is known. `back`: milliseconds before the last contact, which are read in any case. */
  reading(back: number): (line: string) => boolean {
    const since = (this.#contact ?? Number.NEGATIVE_INFINITY) - back;
    let known = 0;
    let isBefore = false;
    return (line) => {
      known = this.#recent.has(idOf(line)) ? known + 1 : 0;
      // Of several files, those with a time ahead come first, and say nothing of the others.
      isBefore ||= (timeIn(line) ?? Number.POSITIVE_INFINITY) < since;
      return isBefore && known >= KNOWN;
    };
  }
}

/** Where older records go on after `lines`, the newest first; undefined: there are no older ones, or none that could be told from these. */
export function olderThan(
  lines: readonly string[],
  { most, added, until }: { readonly most: number; readonly added: number; readonly until: number },
): number | undefined {
  if (lines.length < most) return undefined;
  // The oldest line need be no fire, and an unreadable one has no time.
  const oldest = lines.findLast((line) => timeIn(line) !== undefined);
  const at = oldest === undefined ? undefined : timeIn(oldest);
  return at === undefined || (added === 0 && at >= until) ? undefined : at;
}
