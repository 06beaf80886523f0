import { nearest } from '../values/nearest.js';
import { wrongOption } from '../values/options.js';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The milliseconds in `90s`, `1.5h`, `2d`; undefined: not a duration. */
function millisecondsOf(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(number) * (UNITS[unit] as number);
}

/** A duration of an option, in milliseconds. Throws INVALID_OPTIONS. */
export function readDuration(text: string, where: string): number {
  const found = millisecondsOf(text);
  if (found !== undefined) return found;
  throw wrongOption(where, `expected a duration, as in 250ms, 90s, 15m, 1h or 2d, got "${text}"`);
}

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** A moment of an option, in milliseconds since 1970, given as a duration before `now` or as an ISO 8601 time. Throws INVALID_OPTIONS. */
export function readMoment(text: string, where: string, now: number = Date.now()): number {
  const ago = millisecondsOf(text);
  const time =
    ago === undefined ? (ISO.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN) : now - ago;
  if (isDate(time)) return time;
  throw wrongOption(
    where,
    `expected how long ago, as in 90s, 1h or 2d, or a time, as in 2026-01-31 or 2026-01-31T09:15Z, got "${text}"`,
  );
}

/** Whether the month has that day: `Date.parse` takes February 30 for March 2. */
const isDay = (day: string): boolean => new Date(day).toJSON()?.startsWith(day) === true;

/** Whether a `Date` can hold the time. */
const isDate = (time: number): boolean => Math.abs(time) <= 8.64e15;

/** A count of an option. Throws INVALID_OPTIONS. */
export function readCount(text: string, where: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw wrongOption(where, `expected a whole number of 0 or more, got "${text}"`);
}

/** A number over 0 of an option. Throws INVALID_OPTIONS. */
export function readFactor(text: string, where: string): number {
  const factor = Number(text);
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw wrongOption(where, `expected a number over 0, got "${text}"`);
}

/** A port of this machine; 0: any. Throws INVALID_OPTIONS. */
export function readPort(text: string, where: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port < 65_536) return port;
  throw wrongOption(where, `expected a port from 0 to 65535, got "${text}"`);
}

/** Accepts one of a few words. */
export function wordOf<const Word extends string>(...words: Word[]): (text: string, where: string) => Word {
  return (text, where) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    const listed = words.join(', ').replace(/, ([^,]*)$/, ' or $1');
    throw wrongOption(where, `expected ${listed}, got "${text}"`, nearest(text, words));
  };
}
