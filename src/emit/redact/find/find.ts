import { asLines, asSigns, withoutColours } from './cuts.js';
import { isOpenKey } from './formats/blocks.js';
import { manifestSecrets } from './formats/manifests.js';
import { tableSecrets } from './formats/tables.js';
import { webKeySecrets } from './formats/web-keys.js';
import type { Hold } from './own/lines.js';
import { ownNames } from './own/names.js';
import { MOST_HELD } from './own/reach.js';
import { withoutPrefixes } from './prefixes.js';
import { type TextSpan, take } from './quoted.js';
import { merged, scanner } from './scan.js';
import { compileTokens } from './shapes.js';
import { formatSecrets } from './shell/printf.js';

/** Finds the secrets of texts. */
export interface Finder {
  /** In order, without overlaps. */
  find(text: string): readonly TextSpan[];
  /** A shorter text holds no secret. */
  readonly shortest: number;
  /** The kind of a value by its shape: the shape's name, else `secret`. */
  nameOf(value: string): string;
  /** The index where an unfinished private key begins; -1: none. */
  openKey(text: string): number;
  /** What a text that follows must be read behind, if this one ends within the value of one of the caller's own names; else ''. */
  rest(text: string): string;
  /** The first value behind an index that counts only once its end is there, if that may still come. */
  hold(text: string, from: number): Hold | undefined;
  /** Whether a name is one of the caller's own. */
  isOwn(name: string): boolean;
}

const NOTHING: readonly TextSpan[] = [];
/** A shorter text cannot be distinguished from a word. */
const SHORTEST = 8;
const BEGIN = /^-{4,5} ?BEGIN /;

export function createFinder(
  wanted: (name: string) => boolean,
  patterns: readonly RegExp[],
  keys: ReadonlySet<string> = new Set(),
): Finder {
  const tokens = compileTokens(wanted);
  const named = wanted('named');
  const pem = wanted('private-key');
  const scan = scanner(tokens, { named, url: wanted('url-password'), pem });
  const find = (text: string): readonly TextSpan[] => (named ? everyReading(text, scan) : scan(text));
  const matched = patternFinder(patterns);
  const names = ownNames(keys);
  return {
    shortest: matched === undefined && names === undefined ? SHORTEST : 0,
    find(text) {
      let spans = text.length < SHORTEST ? NOTHING : find(text);
      const shown = named ? withoutColours(text) : undefined;
      if (shown !== undefined) spans = merged([...spans, ...find(shown.text).map(shown.back)]);
      if (pem && text.includes('kty')) spans = merged([...spans, ...webKeySecrets(text)]);
      const own = names?.find(text);
      if (own !== undefined) spans = merged([...spans, ...own.spans, ...cutValues(text, own.holds)]);
      if (matched !== undefined) spans = merged([...spans, ...matched(text)]);
      return spans.length > 0 && text.includes('[redacted ') ? without(spans, text) : spans;
    },
    rest: (text) => names?.rest(text) ?? '',
    hold: (text, from) => names?.hold(text, from),
    isOwn: (name) => names?.has(name) === true,
    nameOf: (value) => (BEGIN.test(value) ? 'private-key' : tokens.nameOf(value)),
    openKey(text) {
      const at = text.lastIndexOf('BEGIN ');
      for (const begin of at < 0 ? [] : [at - 5, at - 6]) if (begin >= 0 && isOpenKey(text, begin)) return begin;
      return -1;
    },
  };
}

/**
 * The sign behind the beginning of a text that was cut (`../part.ts`), which ends with a word: at the end of the whole text or of a text in
 * quotes, or before the note on its length. Any other is part of the text.
 */
const CUT = /(?<!\s)…(?:(?=\.?\s*$)|(?= \(\d+ characters\))|(?=(\\*")))/g;
/** The beginning of a long text (`../../../host/call/large-output.ts`), and where it is cut, if other text is joined to it. */
const PREVIEW = /Preview:(?:\n|\\+n)/g;
const CUT_PREVIEW = /(?<!\s)…(?=\n|\\+n|$)/g;
/** The most characters of such a beginning, some of them escaped. */
const LONGEST_PREVIEW = 4200;
/** A value that begins directly behind its tag is no part of a sentence, so whatever is behind the sign, it was cut. */
const CUT_IN_LINE = /(?<=>)[\p{L}\p{N}+#$€-](?:[^\n<>\\…]{0,4000}[^\s<>\\…])?(?=…)/uy;
/** The most cuts in a text that are looked at. */
const MOST_CUTS = 8;

/** Values of the caller's own names whose end was cut off: `<iban>DE12…`, of which only an element that is closed would count. */
function cutValues(text: string, holds: readonly Hold[]): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  if (holds.length === 0 || !text.includes('…')) return spans;
  const put = (hold: Hold | undefined, cut: number): void => {
    if (hold === undefined || hold.at >= cut) return;
    const begin = behindOpening(text, hold);
    if (begin > 0 && begin < cut) spans.push([begin, cut]);
  };
  let cuts = 0;
  let next = 0;
  for (const { index: cut, 1: quote } of text.matchAll(CUT)) {
    while (next < holds.length && (holds[next] as Hold).at < cut) next++;
    if (next === 0 || (holds[next - 1] as Hold).at < cut - MOST_HELD) continue;
    if (++cuts > MOST_CUTS) break;
    const start = quote === undefined ? cut - MOST_HELD : startOfText(text, cut, quote);
    put(
      holds.find(({ at }) => at >= start),
      cut,
    );
  }
  let behind = 0;
  for (const { index } of text.matchAll(PREVIEW)) {
    if (index < behind) continue;
    behind = index + LONGEST_PREVIEW;
    const cut = [...text.slice(index, behind).matchAll(CUT_PREVIEW)].at(-1)?.index;
    if (cut !== undefined)
      put(
        holds.find(({ at }) => at >= index),
        index + cut,
      );
  }
  for (const hold of holds) {
    const begin = behindOpening(text, hold);
    if (hold.until !== ')' && take(CUT_IN_LINE, text, begin) !== undefined) spans.push([begin, CUT_IN_LINE.lastIndex]);
  }
  return spans;
}

/** The index behind the sign that opens a value; 0: there is none. */
const behindOpening = (text: string, { at, until }: Hold): number => text.indexOf(until === ')' ? '(' : '>', at) + 1;

/** Where the text in such quotes begins that ends at an index, as in JSON: it has no line end, and its own quotes are escaped more often. */
function startOfText(text: string, end: number, quote: string): number {
  const from = Math.max(0, end - MOST_HELD);
  let start = from;
  for (const { index, 0: sign } of text.slice(from, end).matchAll(/\\*"|\n/g))
    if (sign.length <= quote.length) start = from + index + sign.length;
  return start;
}

/** Finds the matches of the caller's own patterns; undefined: there are no patterns. */
export function patternFinder(patterns: readonly RegExp[]): ((text: string) => readonly TextSpan[]) | undefined {
  if (patterns.length === 0) return undefined;
  const all = patterns.map(
    (pattern) => new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}g`)].join('')),
  );
  return (text) => merged(all.flatMap((pattern) => matches(pattern, text)));
}

/** The secrets found in a text as it is, with its escaped line ends as line ends, and without the prefixes that tools add to lines. */
function everyReading(text: string, scan: (text: string) => readonly TextSpan[]): readonly TextSpan[] {
  let spans = scan(text);
  const lines = asLines(text);
  if (lines !== text) spans = merged([...spans, ...scan(lines)]);
  const signs = asSigns(text);
  if (signs !== text) spans = merged([...spans, ...scan(signs)]);
  const look = MANIFEST.test(text) ? (lines: string) => [...scan(lines), ...manifestSecrets(lines)] : scan;
  const bareLook = (bare: string) => [...look(bare), ...tableSecrets(bare)];
  const others = [...formatSecrets(lines, scan), ...tableSecrets(lines)];
  if (others.length > 0) spans = merged([...spans, ...others]);
  const bare = withoutPrefixes(lines, bareLook);
  if (bare.length > 0) spans = merged([...spans, ...bare]);
  return MANIFEST.test(text) ? merged([...spans, ...manifestSecrets(lines)]) : spans;
}

const MANIFEST = /apiVersion|kind"?:/;
const MASK = /\[redacted [a-z\d-]+ hmac:[\da-f]{16}\]/g;

/** Removes masked values from spans: a mask is not part of another secret. */
function without(spans: readonly TextSpan[], text: string): readonly TextSpan[] {
  const masks = [...text.matchAll(MASK)].map(({ index, 0: { length } }) => [index, index + length] as const);
  const left: TextSpan[] = [];
  let first = 0;
  for (const [start, end, open] of spans) {
    while (first < masks.length && (masks[first] as TextSpan)[1] <= start) first++;
    let from = start;
    for (let i = first; i < masks.length && (masks[i] as TextSpan)[0] < end; i++) {
      const [begins, ends] = masks[i] as TextSpan;
      if (/\w/.test(text.slice(from, begins))) left.push([from, begins]);
      from = Math.max(from, ends);
    }
    if (/\w/.test(text.slice(from, end)) && !(from > start && /^\W*(?:Private-MAC|END)/.test(text.slice(from, end))))
      left.push(open ? [from, end, open] : [from, end]);
  }
  return left;
}

/** The first group of each match, or the whole match if it has none. */
function matches(pattern: RegExp, text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const match of text.matchAll(pattern)) {
    const value = match[1] ?? match[0];
    const start = match.index + match[0].indexOf(value);
    if (value !== '') spans.push([start, start + value.length]);
  }
  return spans;
}
