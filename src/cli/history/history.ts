import { formatFire } from '../../emit/reading/print.js';
import type { HookRecord } from '../../emit/record.js';
import { plainJson } from '../../plain.js';
import type { RecordStore } from '../../store/store.js';
import { wrongOption } from '../../values/options.js';
import { type Flags, RECORD_OPTIONS } from '../options.js';
import type { Terminal } from '../terminal.js';
import { type FilterFlags, type RecordFilter, readFilter } from './filter.js';
import { type LineOptions, recordLine } from './line.js';
import { type MaskFlags, maskedName, maskOf } from './masked.js';
import { type StoreFlags, withStore } from './open.js';
import { tellUnclosed } from './unclosed.js';

type ShowFlags = FilterFlags & MaskFlags & Flags<'limit' | 'long' | 'json'>;

type HistoryFlags = StoreFlags & ShowFlags & Flags<'format' | 'out'>;

/** The default of `--limit`: a few screens. */
const LIMIT = 100;

export async function historyCommand(
  _args: readonly string[],
  flags: HistoryFlags,
  terminal: Terminal,
): Promise<number> {
  // Errors in options are reported before a store is opened.
  const filter = readFilter(flags);
  if (isTrace(flags)) return traceCommand(flags, filter, terminal);
  return withStore(flags, terminal, async (store) => {
    const hosts = new Set<string | undefined>();
    const code = await showRecords(store, flags, terminal, (record, text) => {
      hosts.add(record.host_id);
      return text;
    });
    await tellUnclosed(flags.store, { hosts, store }, terminal);
    return code;
  });
}

/** Prints what a store holds, the newest last. `dressed` may add to a record's text. Throws INVALID_OPTIONS. */
export async function showRecords(
  store: RecordStore,
  flags: ShowFlags,
  terminal: Terminal,
  dressed: (record: HookRecord, text: string) => string = (_, text) => text,
): Promise<number> {
  const filter = readFilter(flags);
  const { limit = LIMIT } = flags;
  const mask = maskOf(flags);
  await filter.checkEvent(store);
  const words = (record: HookRecord): string => {
    const masked = mask.record(record);
    // These names may come from other records, which were not masked.
    const names = { agent: mask.text(filter.agentOf(masked)), decider: maskedName(filter.deciderOf(record), mask) };
    return dressed(record, textOf(masked, flags, { ...names, slow: filter.slow, color: terminal.color }));
  };
  if (limit === 0) await filter.learnFrom(store, terminal.signal);
  const shown =
    limit === 0
      ? await printAll(store, filter, words, terminal)
      : await printNewest(store, filter, { limit, words }, terminal);
  if (shown === 0 && !terminal.signal.aborted) tellNothing(store, filter, terminal);
  return 0;
}

function tellNothing({ place }: RecordStore, filter: RecordFilter, terminal: Terminal): void {
  const hook = filter.unknownHook();
  terminal.tell(`nothing of that kind is in ${place}${hook === undefined ? '' : `: ${hook}`}`);
}

/** Throws INVALID_OPTIONS for an option that does not go with the format. */
function isTrace({ format, out, limit, long, json }: HistoryFlags): boolean {
  if (format === undefined && out !== undefined) throw wrongOption('--out', 'is for --format trace');
  if (format === undefined) return false;
  const other = limit !== undefined ? '--limit' : long ? '--long' : json ? '--json' : undefined;
  if (other !== undefined)
    throw wrongOption(other, 'is not for --format trace; --since and --until say how much it holds');
  return true;
}

async function traceCommand(flags: HistoryFlags, filter: RecordFilter, terminal: Terminal): Promise<number> {
  const { writeTrace } = await import('./trace.js');
  const { out } = flags;
  const isAll = RECORD_OPTIONS.every((key) => flags[key] === undefined);
  return withStore(flags, terminal, async (store) => {
    await filter.checkEvent(store);
    const slices = await writeTrace({ store, filter, mask: maskOf(flags), isAll, terminal, out });
    if (terminal.signal.aborted) return 1;
    if (slices === 0) tellNothing(store, filter, terminal);
    else if (out !== undefined)
      terminal.tell(`${out} holds ${slices} slices; open it in https://ui.perfetto.dev or chrome://tracing`);
    return 0;
  });
}

/** Prints the oldest first, each as it is read, so that nothing is kept in memory. */
async function printAll(
  store: RecordStore,
  filter: RecordFilter,
  words: (record: HookRecord) => string,
  terminal: Terminal,
): Promise<number> {
  let shown = 0;
  for await (const record of store.records(filter.query)) {
    if (terminal.gone || terminal.signal.aborted) break;
    if (filter.match(record) !== 'yes') continue;
    await terminal.print(words(record));
    shown += 1;
  }
  return shown;
}

interface NewestOptions {
  readonly limit: number;
  readonly words: (record: HookRecord) => string;
}

/** How many records are read beyond those that are shown, for the names of the hooks that decided about calls. */
const BEYOND = 200;

/** Prints the newest `limit` records, the newest last. */
async function printNewest(
  store: RecordStore,
  filter: RecordFilter,
  { limit, words }: NewestOptions,
  terminal: Terminal,
): Promise<number> {
  // Calls and alarms, which are small, are kept until older records give the types of their agents; of a matching fire only its line is kept.
  const found: (string | HookRecord)[] = [];
  let sure = 0;
  let more = false;
  let beyond = 0;
  for await (const record of store.records({ ...filter.query, newest: true })) {
    if (terminal.signal.aborted) return 0;
    const match = filter.match(record);
    if (match === 'no') continue;
    if (sure === limit) {
      more = true;
      // The fires of a call are older than its record.
      if (!filter.seeksDecider() || ++beyond > BEYOND) break;
      continue;
    }
    if (match === 'yes') sure += 1;
    found.push(match === 'yes' && record.type === 'hook_fire' ? words(record) : record);
  }
  const small = found.filter((one) => typeof one !== 'string');
  await filter.learnTypes(small, store, terminal.signal);
  const lines = found.flatMap((one) => {
    if (typeof one === 'string') return [one];
    return filter.match(one) === 'yes' ? [words(one)] : [];
  });
  for (const line of lines.slice(0, limit).reverse()) {
    if (terminal.gone) break;
    await terminal.print(line);
  }
  if (more || lines.length > limit)
    terminal.tell(`the newest ${limit} are shown; --limit N shows more, --limit 0 all of them`);
  return lines.length;
}

function textOf(record: HookRecord, flags: ShowFlags, options: LineOptions): string {
  if (flags.json) return jsonOf(record);
  const { color } = options;
  const line = recordLine(record, { ...options, hook: flags.hook });
  if (!flags.long || record.type !== 'hook_fire') return line;
  // The record is masked already, unless --no-redact was given.
  const [, ...hooks] = formatFire(record, { color, redact: false }).split('\n');
  return [line, ...hooks].join('\n');
}

/** A record that is nested too deeply for JSON is mentioned, not shown. */
export function jsonOf(record: HookRecord): string {
  try {
    return plainJson(record);
  } catch {
    const { type, seq, time } = record;
    return plainJson({ type, seq, time, truncated: ['it nests too deep to be printed'] });
  }
}
