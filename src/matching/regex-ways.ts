/** What of a subject a regular expression is run on, in characters. */
export const LOOKED_AT = 256;
/** A pattern longer than this is not counted. */
const LONGEST = 1000;
/** More rounds than this no subject needs. */
const MOST_ROUNDS = 1000;

/** How a pattern may be tried on a subject of `LOOKED_AT` characters. */
export interface Ways {
  /** At most so many ways to match from one place; Infinity: nobody has counted. */
  readonly count: number;
  /** It holds a quantifier without an end: what it costs grows with the subject. */
  readonly loops: boolean;
}

/**
 * Counts in how many ways a pattern may be tried: alternatives add up, what follows multiplies, a loop over what can be matched
 * in several ways is not counted. It is a bound and no estimate: no engine that backtracks takes more paths.
 */
export function waysOf(source: string): Ways {
  if (source.length > LONGEST) return { count: Number.POSITIVE_INFINITY, loops: true };
  const counter = new Counter(source);
  return { count: counter.alternatives(), loops: counter.loops };
}

const GROUP = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:))?/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y;
const CHARACTER = /\[(?:\\.|[^\]\\])*\]|\\k<[^>]*>|\\[pP]\{[^}]*\}|\\.|[\s\S]/y;

class Counter {
  loops = false;
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): number {
    let sum = this.#sequence();
    while (this.#source[this.#at] === '|') {
      this.#at++;
      sum += this.#sequence();
    }
    return sum;
  }

  #sequence(): number {
    let product = 1;
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] as string)) {
      product *= this.#repeated(this.#term());
    }
    return product;
  }

  #term(): number {
    if (this.#match(GROUP) === null) {
      this.#match(CHARACTER);
      return 1;
    }
    const count = this.alternatives();
    this.#at++;
    return count;
  }

  #repeated(ways: number): number {
    const found = this.#match(QUANTIFIER);
    if (found === null) return ways;
    const [text, from, more, to] = found;
    if (text.startsWith('?')) return ways + 1;
    const least = from === undefined ? Number(text.startsWith('+')) : Number(from);
    const most = from === undefined || (more !== undefined && to === '') ? undefined : Number(to ?? from);
    this.loops ||= most === undefined;
    if (Math.max(least, most ?? 0) > MOST_ROUNDS) return Number.POSITIVE_INFINITY;
    // A body that matches in one way has one length, unless it is none.
    if (ways === 1) return most === undefined ? Math.max(LOOKED_AT, least) : Math.max(1, most);
    return most === undefined ? Number.POSITIVE_INFINITY : (ways + 1) ** most;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
