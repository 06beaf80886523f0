/** How many characters of a subject a regular expression is tested on at most. */
export const LOOKED_AT = 256;
/** The ways of longer patterns are not counted. */
const LONGEST = 1000;
/** Larger quantifiers are not counted. */
const MOST_ROUNDS = 1000;

/** The ways in which a pattern can be tried on a subject of `LOOKED_AT` characters. */
export interface RegexCost {
  /** An upper bound of the ways to match from one position; Infinity if they were not counted. */
  readonly count: number;
  /** Whether it has an unbounded quantifier, so that the cost grows with the subject. */
  readonly loops: boolean;
}

/**
 * Counts the ways in which a pattern may be tried: alternatives add and sequences multiply. An unbounded loop over something that
 * matches in several ways is not counted. The result is an upper bound: no backtracking engine takes more paths.
 */
export function waysOf(source: string): RegexCost {
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
    // A body that matches in one way has a fixed length, so there are at most as many rounds as characters.
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
