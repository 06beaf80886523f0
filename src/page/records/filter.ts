import type { HookRecord } from '../../emit/record.js';
import { plainJson } from '../../plain.js';
import type { HookTally } from '../../why/tally.js';
import { Tallies } from '../../why/tally.js';
import type { KeptRecords } from './kept.js';
import { bitOf, SHADOW } from './outcome.js';
import type { RowOnPage } from './row.js';

/** Which rows are shown; every condition that is set must hold. */
export interface Filter {
  /** An agent's key. */
  readonly agent: string;
  readonly event: string;
  /** A hook's name. */
  readonly hook: string;
  /** Outcomes as bits, one of which must match; 0: any outcome. */
  readonly outcomes: number;
  readonly text: string;
}

export const NO_FILTER: Filter = { agent: '', event: '', hook: '', outcomes: 0, text: '' };

export const isFiltering = (filter: Filter): boolean =>
  (Object.keys(NO_FILTER) as (keyof Filter)[]).some((key) => filter[key] !== NO_FILTER[key]);

/** `until`: output of hooks that came after this time is not searched. */
export function matches(
  row: RowOnPage,
  { agent, event, hook, outcomes, text }: Filter,
  until = Number.POSITIVE_INFINITY,
): boolean {
  if (agent !== '' && row.agent.key !== agent) return false;
  if (event !== '' && row.event !== event) return false;
  if (outcomes !== 0 && (row.marks & outcomes) === 0) return false;
  if (hook !== '' && !row.ran.some(({ name }) => name === hook)) return false;
  return text === '' || holds(row, text, until);
}

/** Searches the record's whole JSON, and what its hooks printed. Its writer may have escaped invisible characters, so both forms are tried. */
function holds({ text: line, runs = [], about, came }: RowOnPage, text: string, until: number): boolean {
  const wanted = text.toLowerCase();
  if (about.toLowerCase().includes(wanted) || came.toLowerCase().includes(wanted)) return true;
  const forms = [JSON.stringify(wanted), plainJson(wanted)].map((one) => one.slice(1, -1));
  const has = (one: string): boolean => {
    const json = one.toLowerCase();
    return forms.some((form) => json.includes(form));
  };
  return has(line) || runs.some((one) => has(one) && !(timeIn(one) > until));
}

const timeIn = (line: string): number => Date.parse((JSON.parse(line) as HookRecord).time);

/** How many of the ordered `rows` had come by a time. */
export function countUntil(rows: readonly RowOnPage[], at: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as RowOnPage).at <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface FireCounts {
  readonly fires: number;
  readonly denied: number;
  readonly failed: number;
  readonly alarms: number;
}

export function countsOf(rows: readonly RowOnPage[]): FireCounts {
  let [fires, denied, failed, alarms] = [0, 0, 0, 0];
  for (const row of rows) {
    if (row.alarm) alarms += 1;
    else if (row.marks !== SHADOW) fires += 1;
    if (row.marks & bitOf('denied')) denied += 1;
    if (row.marks & bitOf('failed')) failed += 1;
  }
  return { fires, denied, failed, alarms };
}

/** Hooks as `hookscope stats` counts them. `until`: only background runs that had ended by then count. */
export function tallies(
  rows: readonly RowOnPage[],
  { ended }: Pick<KeptRecords, 'ended'>,
  hook: string,
  until: number,
): HookTally[] {
  const counted = new Tallies();
  for (const row of rows)
    for (const one of row.marks === SHADOW ? [] : row.ran)
      if (hook === '' || one.name === hook) counted.add(row, one, undefined);
  for (const end of ended) if (end.at <= until) counted.end(end);
  return counted.rows();
}
