import type { HookRecord } from '../../emit/record.js';
import { wellFormedJson } from '../../plain.js';

/** Bytes of a record that is sent whole: a broker takes a megabyte. */
const MOST_BYTES = 768 * 1024;
interface Bounds {
  /** Characters of a text. */
  readonly longest: number;
  /** Entries of a list, and keys of an object. */
  readonly most: number;
}
/** Those of a record that is too large, one after the other until it fits. With the last, too, ids and hashes are whole. */
const BOUNDS: readonly Bounds[] = [
  { longest: 4_096, most: 100 },
  { longest: 512, most: 50 },
  { longest: 128, most: 5 },
];
/** Levels of what was not known when this was written. */
const DEEPEST = 6;
const NAMED = 20;

/** What a record says about what was looked at. Half of it would be something else, so it is left out as a whole. */
const WHOLE = ['input', 'final_input', 'versions', 'losses'];
/** What a decision always says. */
const DECIDING = new Set(
  'event fold continue verdict blocked continues endedBy reason stopReason decidedBy overruled failures conflicts'.split(
    ' ',
  ),
);

/** The line of a record; of one that is too large only its result, with what is missing named in `truncated`. undefined: not even that has so few bytes. */
export function lineOf(record: HookRecord, most = MOST_BYTES): Buffer | undefined {
  const whole = Buffer.from(`${wellFormedJson(record)}\n`);
  if (whole.length <= most) return whole;
  for (const bounds of BOUNDS) {
    const line = Buffer.from(`${wellFormedJson(shortened(record, bounds))}\n`);
    if (line.length <= most) return line;
  }
  return undefined;
}

/** Without what its result can do without, and with what is left within bounds. */
function shortened(record: HookRecord, bounds: Bounds): object {
  const { truncated = [], ...rest } = record as unknown as Record<string, unknown> & { truncated?: readonly string[] };
  const places = new Set<string>(truncated);
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (!WHOLE.includes(key)) kept[key] = value;
    else places.add(key);
  }
  if ('input' in rest) kept['input'] = {};
  if (Array.isArray(kept['handlers'])) kept['handlers'] = withoutOutputs(kept['handlers'], record, bounds.most, places);
  const { decision } = kept;
  if (typeof decision === 'object' && decision !== null)
    kept['decision'] = Object.fromEntries(
      Object.entries(decision).filter(([key, value]) => {
        const stays = DECIDING.has(key) || JSON.stringify(value ?? null).length <= bounds.longest;
        if (!stays) places.add(`decision.${key}`);
        return stays;
      }),
    );
  const cut = Object.fromEntries(
    Object.entries(kept).map(([key, value]) => [key, short(value, [key], bounds, places)]),
  );
  return { ...cut, truncated: [...places].slice(0, NAMED) };
}

/** The rows of handlers, of many the first and the one that decided. */
function withoutOutputs(handlers: readonly object[], record: HookRecord, most: number, places: Set<string>): object[] {
  const decidedBy = record.type === 'hook_fire' ? record.decision.decidedBy : undefined;
  const isDecider = (row: object): boolean => (row as { id?: string }).id === decidedBy;
  const first = handlers.slice(0, most);
  const rows = first.some(isDecider)
    ? first
    : [...first.slice(0, most - 1), ...handlers.filter(isDecider)].slice(0, most);
  if (rows.length < handlers.length) places.add('handlers');
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).filter(([key]) => {
        const stays = !['output', 'warnings', 'answers'].includes(key);
        if (!stays) places.add(`handlers.*.${key}`);
        return stays;
      }),
    ),
  );
}

/** A value with its texts cut, and with the first of many entries. */
function short(value: unknown, path: readonly string[], bounds: Bounds, places: Set<string>): unknown {
  const name = (): void => void places.add(path.slice(0, 3).join('.'));
  if (typeof value === 'string') {
    if (value.length <= bounds.longest) return value;
    name();
    return `${value.slice(0, bounds.longest - 1)}…`;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const most = path.length < DEEPEST ? Math.max(bounds.most, path.length === 2 ? 30 : 0) : 0;
  const stays = entries.slice(0, most).filter(([key]) => key.length <= bounds.longest);
  if (stays.length < entries.length) name();
  const cut = stays.map(([key, one]) => [key, short(one, [...path, Array.isArray(value) ? '*' : key], bounds, places)]);
  return Array.isArray(value) ? cut.map(([, one]) => one) : Object.fromEntries(cut);
}
