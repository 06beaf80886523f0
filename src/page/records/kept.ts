import type { FireRecord, HookRecord, HookResponse } from '../../emit/record.js';
import { readRecord } from '../../store/read-record.js';
import type { RecordQuery } from '../../store/store.js';
import { isWanted } from '../../store/store.js';
import { BackgroundRuns, type RunEnd } from '../../why/background.js';
import { type CallFound, callOf } from '../../why/calls.js';
import { hasRun } from '../../why/meaning.js';
import { SameHooks } from '../../why/same-hook.js';
import { countedIn } from '../../why/tally.js';
import { AgentsOnPage } from './agents.js';
import { gravest, withFailure } from './outcome.js';
import { alarmRow, fireRow, type RowOnPage } from './row.js';

/** The end of a run in the background. */
export type BackgroundEnd = RunEnd & { readonly at: number };

/** What the page holds of a call. */
export interface CallOnPage {
  readonly found: CallFound;
  /** The other rows of the call. */
  readonly others: readonly RowOnPage[];
  /** Rows that may be of the same call. */
  readonly doubtful: readonly RowOnPage[];
}

/** The records that a page holds. */
export class KeptRecords {
  /** `once`: a record that comes more than once is added only once. */
  constructor(readonly once: boolean) {}

  readonly agents = new AgentsOnPage();
  /** Ordered by time. */
  rows: RowOnPage[] = [];
  readonly ended: BackgroundEnd[] = [];
  /** How many lines were not records. */
  foreign = 0;
  /** How many records are neither fires nor alarms. */
  others = 0;
  readonly #seen = new Map<string, Set<number>>();
  /** The responses of hooks by fire, and all records by call, as lines. */
  readonly #fires = new Map<string, string[]>();
  readonly #calls = new Map<string, string[]>();
  /** Without a limit, because a file may have the end of a run far from its fire. */
  readonly #background = new BackgroundRuns<RowOnPage>(Number.POSITIVE_INFINITY);
  readonly #hooks = new SameHooks();
  #sorted = true;

  /** Adds a line of a store. Returns whether it was a new record. */
  add(text: string): boolean {
    try {
      const { record } = readRecord(JSON.parse(text));
      if (record !== undefined) return this.#add(record, text);
    } catch {
      // Not one of our records.
    }
    if (text.trim() !== '') this.foreign += 1;
    return false;
  }

  #add(record: HookRecord, text: string): boolean {
    if (this.once && this.#isKnown(record)) return false;
    const at = Date.parse(record.time);
    if (record.type === 'system') this.#addRun(record, text);
    else {
      const agent = this.agents.of(record.session_id, record.agent_id, at);
      if (record.tool_use_id !== undefined) push(this.#calls, callKey(record.session_id, record.tool_use_id), text);
      if (record.type === 'hook_fire') {
        this.agents.learn(record, agent, at);
        const hooks = countedIn(record, this.#hooks);
        const row = fireRow(record, { agent, hooks, at, text, runs: this.#linesOf(record) });
        this.#push(row);
        for (const handler of record.handlers) this.#end(row, this.#background.begin(record.fire_id, handler, row));
      } else if (record.type === 'hook_alarm') this.#push(alarmRow(record, agent, at, text));
      else {
        agent.type ??= record.agent_type;
        this.agents.ended(record);
        this.others += 1;
      }
    }
    return true;
  }

  /** Sorts the rows. Call it after records were added. */
  settle(): void {
    if (!this.#sorted) this.rows.sort((a, b) => a.at - b.at || a.seq - b.seq);
    this.#sorted = true;
  }

  get sessions(): number {
    return this.agents.lanes().filter(({ id }) => id === undefined).length;
  }

  /** The responses of the row's hooks that had come by `until`. */
  runsOf({ fire_id: fire }: RowOnPage, until: number): HookResponse[] {
    return (this.#fires.get(fire) ?? [])
      .map(parse)
      .filter(isResponse)
      .filter(({ time }) => Date.parse(time) <= until);
  }

  /** The records of the row's call that had come by `until`: fires, its end, alarms. */
  callOf(row: RowOnPage, until: number): CallOnPage {
    const { call, agent } = row;
    const lines = call === undefined ? [] : (this.#calls.get(callKey(agent.session, call)) ?? []);
    const known = new Map<HookRecord, string>();
    for (const line of new Set(lines)) {
      const record = parse(line);
      if (record !== undefined && Date.parse(record.time) <= until) known.set(record, line);
    }
    const records = [...known.keys()];
    const own = records.find((record) => known.get(record) === row.text);
    const found = own === undefined ? NOTHING : callOf(records, own);
    const rowsOf = (some: readonly HookRecord[]): RowOnPage[] => {
      const texts = new Set(some.map((record) => known.get(record)));
      return this.rows.filter((one) => one.call === call && one.text !== row.text && texts.has(one.text));
    };
    return { found, others: rowsOf(found.records), doubtful: rowsOf([...found.before, ...found.after]) };
  }

  /** Behaves like a store; yields only the newest fires, because each one is parsed again. */
  async *records(query: RecordQuery = {}): AsyncGenerator<HookRecord> {
    const { until = Number.POSITIVE_INFINITY } = query;
    let looked = 0;
    for (let i = this.rows.length - 1; i >= 0 && looked < LOOKED; i--) {
      const row = this.rows[i] as RowOnPage;
      if (row.at > until) continue;
      if (row.alarm || row.event !== query.event || row.agent.session !== query.session) continue;
      looked += 1;
      const record = recordOf(row);
      if (record !== undefined && isWanted(record, query)) yield record;
    }
  }

  /** The responses of the fire's hooks, a list that grows as they come; undefined if no hook ran. */
  #linesOf({ fire_id: fire, handlers }: FireRecord): readonly string[] | undefined {
    if (!handlers.some(hasRun)) return undefined;
    const lines = this.#fires.get(fire) ?? [];
    this.#fires.set(fire, lines);
    return lines;
  }

  #push(row: RowOnPage): void {
    const last = this.rows.at(-1);
    if (last !== undefined && (row.at < last.at || (row.at === last.at && row.seq < last.seq))) this.#sorted = false;
    this.rows.push(row);
  }

  #addRun(record: Extract<HookRecord, { type: 'system' }>, text: string): void {
    this.others += 1;
    if (record.subtype !== 'hook_response') return;
    push(this.#fires, record.fire_id, text);
    const row = this.#background.end(record);
    if (row !== undefined) this.#end(row, record);
  }

  #end(row: RowOnPage, end: RunEnd | undefined): void {
    if (end === undefined) return;
    const at = Date.parse(end.time);
    const { fire_id, handler_id, time, duration_ms, failure } = end;
    this.ended.push({ fire_id, handler_id, time, duration_ms, at, ...(failure === undefined ? {} : { failure }) });
    const marks = failure === undefined ? row.marks : withFailure(row.marks);
    if (row.before !== undefined && failure !== undefined && at < row.before.at) row.before = { ...row.before, at };
    if (marks === row.marks) return;
    row.before = { at, row: { ...row } };
    row.marks = marks;
    row.outcome = gravest(marks);
  }

  /** A record is identified by its host and number; an older one, which has no host, by its time and number. */
  #isKnown({ host_id: host, seq, time }: HookRecord): boolean {
    const key = host ?? `at ${time}`;
    const seen = this.#seen.get(key) ?? new Set();
    this.#seen.set(key, seen);
    if (seen.has(seq)) return true;
    seen.add(seq);
    return false;
  }
}

/** How many fires are searched for hooks of other scopes. */
const LOOKED = 2_000;

const NOTHING: CallFound = { records: [], before: [], after: [], others: 0 };

export function recordOf({ text }: RowOnPage): HookRecord | undefined {
  return parse(text);
}

const parse = (text: string): HookRecord | undefined => readRecord(JSON.parse(text)).record;
const isResponse = (record: HookRecord | undefined): record is HookResponse =>
  record?.type === 'system' && record.subtype === 'hook_response';
const callKey = (session: string, call: string): string => JSON.stringify([session, call]);

function push(lists: Map<string, string[]>, key: string, text: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [text]);
  else list.push(text);
}
