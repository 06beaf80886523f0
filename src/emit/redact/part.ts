import { createFinder, type Finder } from './find/find.js';

/** Characters beyond a cut that are searched too: they may be what a secret is recognised by. */
const BEYOND = 4096;
/** The most characters of a word across the cut that are searched. */
const LONGEST = 65_536;
/** How often the cut is moved before it goes in front of the first possible secret. */
const TRIES = 8;
const HALF = /[\uD800-\uDBFF]$/;

let finder: Finder | undefined;

const secretsOf = (text: string): ReturnType<Finder['find']> => {
  finder ??= createFinder(() => true, []);
  return finder.find(text);
};

/** See `total.ts`, through which everything outside of this folder calls it. */
export function beginning(text: string, most: number, mark = '…'): string {
  if (text.length <= most) return text;
  return text.slice(0, endOf(text, Math.max(0, most - mark.length))).replace(HALF, '') + mark;
}

function endOf(text: string, most: number): number {
  let cut = wordEnd(text, most);
  const reach = text.slice(0, Math.max(cut + BEYOND, wordBehind(text, most)));
  const secrets = secretsOf(reach);
  for (let tries = 0; secrets[0] !== undefined && secrets[0][0] < cut; tries++) {
    if (tries === TRIES) return secrets[0][0];
    const kept = secretsOf(reach.slice(0, cut));
    const lost = secrets.find(
      ([start, end]) => start < cut && (end > cut || !kept.some(([from, to]) => from <= start && to >= end)),
    );
    if (lost === undefined) break;
    cut = lost[0];
  }
  return cut;
}

/** Where the last whole word ends, since a user's own patterns, unknown here, may match words. In a text without spaces, `most`. */
function wordEnd(text: string, most: number): number {
  for (let at = most; at >= most / 2 && at > 0; at--)
    if (/\s/.test(text[at] as string)) return text.slice(0, at).trimEnd().length;
  return most;
}

function wordBehind(text: string, from: number): number {
  const space = text.slice(from, from + LONGEST).search(/\s/);
  return space < 0 ? Math.min(text.length, from + LONGEST) : from + space;
}

/** The end of a text, of at most `most` characters, cut like `beginning`. */
export function ending(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.length - most;
  const offset = Math.max(0, cut - BEYOND);
  const secrets = secretsOf(text.slice(offset)).map(([start, end]) => [start + offset, end + offset] as const);
  let from = cut;
  for (let tries = 0; tries <= TRIES; tries++) {
    const told = secretsOf(text.slice(from)).map(([start, end]) => [start + from, end + from] as const);
    const lost = secrets.filter(
      ([start, end]) => end > from && (start < from || !told.some(([begin, to]) => begin <= start && to >= end)),
    );
    const last = (tries === TRIES ? secrets : lost).at(-1);
    if (lost.length === 0 || last === undefined) break;
    from = last[1];
  }
  const space = text.slice(from, from + most / 2).search(/\s/);
  const isWhole = /\s/.test(text[from - 1] ?? ' ');
  return text.slice(isWhole || space < 0 ? from : from + space).replace(/^[\uDC00-\uDFFF]/, '');
}
