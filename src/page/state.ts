import {
  countsOf,
  countUntil,
  type Filter,
  type FireCounts,
  isFiltering,
  matches,
  NO_FILTER,
} from './records/filter.js';
import { KeptRecords } from './records/kept.js';
import { type RowOnPage, rowAt } from './records/row.js';
import { batch, computed, signal } from './ui.js';

/** The source of the records, and its state. */
export type Status =
  | { readonly type: 'none' }
  | { readonly type: 'reading'; readonly what: string }
  | { readonly type: 'file'; readonly name: string }
  | { readonly type: 'live' }
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'refused'; readonly why: string };

export type Tab = 'fires' | 'hooks' | 'scopes';

export const status = signal<Status>({ type: 'none' });
/** What the server could not read of what it has kept; empty: nothing. */
export const unread = signal('');
export const kept = signal(new KeptRecords(false));
/** Increases whenever something is added. */
export const version = signal(0);
export const filter = signal<Filter>(NO_FILTER);
export const tab = signal<Tab>('fires');
/** The scrubber's moment, in milliseconds since 1970: later records are not shown; undefined: all are shown, and new ones. */
export const until = signal<number | undefined>(undefined);
/** The part of time that the lanes show; undefined: all of it. */
export const span = signal<readonly [from: number, to: number] | undefined>(undefined);
export const selected = signal<RowOnPage | undefined>(undefined);
/** Loads older records of the store; undefined: there are none. */
export const older = signal<(() => Promise<void>) | undefined>(undefined);
/** The scope tree as the server reports it; undefined: unknown. */
export const scopes = signal<unknown>(undefined);

export const rows = computed<readonly RowOnPage[]>(() => {
  version.value;
  return kept.value.rows;
});
/** The time from the first start to the last end. */
export const extent = computed<readonly [number, number]>(() => {
  version.value;
  const all = rows.value;
  if (all.length === 0) return [0, 1];
  let first = Number.POSITIVE_INFINITY;
  for (const { start } of all) if (start < first) first = start;
  return [first, Math.max((all.at(-1) as RowOnPage).at, first + 1)];
});
const told = computed<readonly RowOnPage[]>(() => {
  version.value;
  const all = rows.value;
  const end = until.value;
  return end === undefined ? all : all.slice(0, countUntil(all, end)).map((row) => rowAt(row, end));
});
/** The rows that pass the filters and the scrubber, by time. */
export const shown = computed<readonly RowOnPage[]>(() => {
  version.value;
  const wanted = filter.value;
  const all = told.value;
  return isFiltering(wanted) ? all.filter((row) => matches(row, wanted, until.value)) : all.slice();
});
/** Counts of the rows without the filter by outcome, whose buttons show these counts. */
export const counts = computed<FireCounts>(() => {
  version.value;
  const wanted = { ...filter.value, outcomes: 0 };
  const filtering = isFiltering(wanted);
  return countsOf(filtering ? told.value.filter((row) => matches(row, wanted, until.value)) : told.value);
});

export const changeFilter = (change: Partial<Filter>): void => {
  filter.value = { ...filter.value, ...change };
};

/** Text that was typed and is not searched for yet; undefined: none. Kept apart from the filter, because each new record renders the field again. */
export const typed = signal<string | undefined>(undefined);
/** Milliseconds without a key after which typed text is searched for. */
const TYPED = 150;
let typing: ReturnType<typeof setTimeout> | undefined;

export function typeText(text: string): void {
  clearTimeout(typing);
  typed.value = text;
  typing = setTimeout(() => setFilter({ ...filter.peek(), text }), TYPED);
}

/** Sets the filter, and drops text that was typed and is not searched for yet. */
export function setFilter(to: Filter): void {
  clearTimeout(typing);
  batch(() => {
    typed.value = undefined;
    filter.value = to;
  });
}

const MANY = 20_000;
let waiting = false;
/** Called after records were added: they are shown together, because they come in thousands. */
export function changed(): void {
  if (waiting) return;
  waiting = true;
  // Many rows take longer to count and to draw.
  const ms = kept.peek().rows.length > MANY ? 250 : 50;
  setTimeout(() => {
    waiting = false;
    showAdded();
  }, ms);
}

export function showAdded(): void {
  kept.value.settle();
  version.value += 1;
}

/** Begins with another source, and removes everything of the one before. */
export function begin(at: Status, { once }: { readonly once: boolean }): KeptRecords {
  const fresh = new KeptRecords(once);
  batch(() => {
    kept.value = fresh;
    status.value = at;
    setFilter(NO_FILTER);
    until.value = undefined;
    span.value = undefined;
    selected.value = undefined;
    older.value = undefined;
    unread.value = '';
    scopes.value = undefined;
    version.value += 1;
  });
  return fresh;
}
