import { append } from '../../../../values/append.js';
import { asLines, asSigns, withoutColours } from '../cuts.js';
import type { TextSpan } from '../quoted.js';
import { assignedValue, optionValue } from './assigned.js';
import { elementValues } from './elements.js';
import { type Hold, mayEnd, type OwnValues, sectionBelow } from './lines.js';
import { namePatterns } from './patterns.js';
import { MOST_HELD, Reach } from './reach.js';
import { linesWithPrefixes, type TextView } from './runs.js';
import { behindSigns } from './signs.js';

/** Finds the values of the caller's own names. */
export interface OwnNames {
  /** The values, and those that would count if their end were there, in order. */
  find(text: string): { readonly spans: readonly TextSpan[]; readonly holds: readonly Hold[] };
  /** What a text that follows must be read behind, if this one ends within a value; else ''. */
  rest(text: string): string;
  /** The first value behind an index that counts only once its end is there, if that may still come. */
  hold(text: string, from: number): Hold | undefined;
  has(name: string): boolean;
}

interface Reading {
  readonly spans: readonly TextSpan[];
  readonly rest: string;
  /** If there is a rest: where the name of that value is. */
  readonly open: number;
  readonly holds: readonly Hold[];
}

/** Of a value that goes on, so much is read again as it is. */
const MOST_READ_AGAIN = 4096;
/** The longest text whose reading is kept. */
const MOST_KEPT = 65_536;
/** `iban` where a value may follow: the indexes where the name, its quote and its sign are. */
interface NamePlace {
  readonly at: number;
  readonly read: (reach: Reach) => OwnValues | undefined;
}

const NOTHING: Reading = { spans: [], rest: '', open: -1, holds: [] };

/**
 * Finds the values of the caller's own names, in lower case: `"iban": "X"`, `iban=X`, `--iban X`, `<iban>X</iban>`. Any value is a secret, in a
 * list, an object or lines below the name each one. undefined: there are no names.
 */
export function ownNames(names: ReadonlySet<string>): OwnNames | undefined {
  const all = [...names].filter((name) => name.trim() !== '').sort((a, b) => b.length - a.length);
  if (all.length === 0) return undefined;
  const known = new Set(all);
  const { assigned, apart, dotted, section, encoded, option, element, any } = namePatterns(all);
  const read = (text: string): Reading => {
    if (!any.test(text)) return NOTHING;
    const places: NamePlace[] = [];
    for (const { index, 0: part, 1: own = '' } of text.matchAll(assigned)) {
      places.push({
        at: index,
        read: (reach) => assignedValue(reach, [index, index + own.length], index + part.length),
      });
    }
    for (const { index, 0: part, 1: key, 2: other = '' } of text.matchAll(apart)) {
      const from = index + part.indexOf(key ?? other);
      const name = [from, from + (key ?? other).length] as const;
      places.push({ at: from, read: (reach) => assignedValue(reach, name, index + part.length) });
    }
    for (const { index, 0: part, 1: own = '' } of text.matchAll(dotted)) {
      const from = index + part.indexOf(own);
      places.push({
        at: from,
        read: (reach) => assignedValue(reach, [from, from + own.length], index + part.length),
      });
    }
    for (const { index, 0: part } of text.matchAll(section))
      places.push({ at: index, read: (reach) => sectionBelow(reach, index, index + part.length) });
    for (const { index, 0: part, 2: value = '' } of text.matchAll(encoded)) {
      const end = index + part.length;
      places.push({ at: index, read: () => ({ spans: [[end - value.length, end]], end }) });
    }
    for (const { index, 0: part, 1: own = '' } of text.matchAll(option))
      places.push({ at: index, read: (reach) => optionValue(reach, index + part.length, own) });
    for (const { index, 1: tag = '' } of text.matchAll(element))
      places.push({ at: index, read: (reach) => elementValues(reach, index, tag) });
    return readAll(text, places, known);
  };
  const readings = (text: string): readonly Reading[] => (any.test(text) ? views(text, any).map(readView(read)) : []);
  /** What a stream asks about next is mostly the text in which it has just found the values. */
  let last: { readonly text: string; readonly read: readonly Reading[] } | undefined;
  const again = (text: string): readonly Reading[] => (last?.text === text ? last.read : readings(text));
  return {
    find(text) {
      const all = readings(text);
      last = text.length > MOST_KEPT ? undefined : { text, read: all };
      return { spans: all.flatMap(({ spans }) => spans), holds: holdsOf(all) };
    },
    rest(text) {
      const open = again(text).filter(({ rest }) => rest !== '');
      const first = open.sort((a, b) => a.open - b.open)[0];
      if (first === undefined) return '';
      const line = text.lastIndexOf('\n', first.open) + 1;
      return text.length - line <= MOST_READ_AGAIN ? text.slice(line) : first.rest;
    },
    hold: (text, from) => holdsOf(again(text)).find((one) => one.at >= from),
    has: (one) => known.has(one.toLowerCase()) || known.has(bareName(one)),
  };
}

const holdsOf = (all: readonly Reading[]): readonly Hold[] =>
  all.flatMap(({ holds }) => holds).sort((a, b) => a.at - b.at);

/** `--iban`, `@iban`, `user.iban` and `iban[]` without what is not part of the name. */
const bareName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/^.*\.|^[-@$:]+|\[\]$/g, '');

/** A text as it is, as a terminal shows it, with its escaped line ends as line ends, and its lines without their prefixes. */
function views(text: string, name: RegExp): readonly TextView[] {
  const shown = withoutColours(text);
  const whole = [{ text, back: (span: TextSpan) => span }, ...(shown === undefined ? [] : [shown])];
  return whole.flatMap((one, i) => {
    const lines = asLines(one.text);
    const all = [...new Set([one.text, lines, asSigns(one.text)])].map((as) => ({ ...one, text: as }));
    const asIs = all.map((cut) => ({ ...cut, isLast: true, written: (rest: string) => rest }));
    if (i < whole.length - 1) return asIs;
    const bare = linesWithPrefixes(lines, name);
    return [...asIs, ...bare.map((view) => ({ ...view, back: (span: TextSpan) => one.back(view.back(span)) }))];
  });
}

/** Those whose end may still come. Of those that begin long before the end of the text, all with the same end may, or none. */
function openHolds(text: string, holds: readonly Hold[]): readonly Hold[] {
  const known = new Map<string, boolean>();
  return holds.filter((one) => {
    if (text.length - one.at <= MOST_HELD) return true;
    const may = known.get(one.until) ?? mayEnd(text, one);
    known.set(one.until, may);
    return may;
  });
}

const readView =
  (read: (text: string) => Reading) =>
  ({ text, back, isLast, written }: TextView): Reading => {
    const { spans, rest, open, holds } = read(text);
    const at = (index: number): number => back([index, index + 1])[0];
    return {
      spans: spans.map(back),
      rest: isLast && rest !== '' ? written(rest, open) : '',
      open: rest === '' ? -1 : at(open),
      holds: isLast ? openHolds(text, holds).map((one) => ({ ...one, at: at(one.at) })) : [],
    };
  };

function readAll(text: string, places: NamePlace[], known: ReadonlySet<string>): Reading {
  const reach = new Reach(text);
  const spans: TextSpan[] = [];
  const regions: TextSpan[] = [];
  let end = 0;
  let rest = '';
  let open = -1;
  const holds: Hold[] = [];
  for (const place of places.sort((a, b) => a.at - b.at)) {
    // What was read for one name is not read again for the next.
    if (place.at < end) continue;
    const found = place.read(reach);
    if (found === undefined) continue;
    append(spans, found.spans);
    if (found.rest !== undefined) [rest, open] = [found.rest, place.at];
    if (found.hold !== undefined) holds.push(found.hold);
    if (found.end > place.at) regions.push([place.at, found.end]);
    end = Math.max(end, found.end);
  }
  append(spans, behindSigns(text, known, { regions, read: spans }));
  return { spans, rest, open, holds };
}
