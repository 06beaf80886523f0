/** How many of the records that came last are remembered. */
export const REMEMBERED = 10_000;
/** After this many known records in a row, a reading has reached what the page has. */
const KNOWN = 100;

/** When a record was made, from its text; undefined: it does not say. */
export function timeIn(text: string): number | undefined {
  const at = Date.parse(/"time":"([^"]{10,40})"/.exec(text)?.[1] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The beginning of a record, which identifies it: its number, its time and, unless it is an older one, its host. */
const idOf = (text: string): string => /^\{"seq":\d+,"time":"[^"]*"(?:,"host_id":"[^"]*")?/.exec(text)?.[0] ?? text;

/**
 * Remembers the records that came last, so that a store can be read backwards from its end to a known place. Times alone do not show that
 * place: a clock may be set, and a record may come from a clock that is days ahead.
 */
export class CatchUp {
  readonly #recent = new Set<string>();
  /** When the page last heard of the server, by its own clock. */
  #contact: number | undefined;

  /** Remembers a record that came, or was read from the end of the store. */
  note(text: string): void {
    const id = idOf(text);
    this.#recent.delete(id);
    this.#recent.add(id);
    if (this.#recent.size > REMEMBERED) this.#recent.delete(this.#recent.values().next().value as string);
  }

  heard(now: number): void {
    this.#contact = now;
  }

  /** For one reading, newest first: the result says of each line whether all further lines are known. `back`: milliseconds before the last contact that are read in any case. */
  reading(back: number): (line: string) => boolean {
    const since = (this.#contact ?? Number.NEGATIVE_INFINITY) - back;
    let known = 0;
    let isBefore = false;
    return (line) => {
      known = this.#recent.has(idOf(line)) ? known + 1 : 0;
      // With several files, records with a time ahead come first, and show nothing about the others.
      isBefore ||= (timeIn(line) ?? Number.POSITIVE_INFINITY) < since;
      return isBefore && known >= KNOWN;
    };
  }
}

/** The time from which records older than `lines`, which are newest first, can be read; undefined if there are none, or none that could be told from these. */
export function olderThan(
  lines: readonly string[],
  { most, added, until }: { readonly most: number; readonly added: number; readonly until: number },
): number | undefined {
  if (lines.length < most) return undefined;
  // The last line may be unreadable, and then has no time.
  const oldest = lines.findLast((line) => timeIn(line) !== undefined);
  const at = oldest === undefined ? undefined : timeIn(oldest);
  return at === undefined || (added === 0 && at >= until) ? undefined : at;
}
