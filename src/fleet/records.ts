import type { HookRecord } from '../emit/record.js';
import { readRecord } from '../store/read-record.js';
import { isWanted, type RecordQuery, type RecordStore, type StoreOptions } from '../store/store.js';
import type { FleetEngine } from './engine.js';

/** How many ids are remembered to recognise duplicates that the broker's own window misses. */
const REMEMBERED = 1_000_000;
/** At most this many are held in order to return the newest first. */
const NEWEST = 100_000;

/** The decisions of a fleet, and whose each is. */
export interface FleetRecords extends RecordStore {
  hostOf(record: HookRecord): string | undefined;
}

/** The decisions of a fleet as records, each once. `host`: of that one alone. */
export function fleetRecords(
  engine: FleetEngine,
  host: string | undefined,
  { note = () => undefined }: StoreOptions = {},
): FleetRecords {
  const hosts = new WeakMap<HookRecord, string>();
  async function* entries(query: RecordQuery, follow?: AbortSignal): AsyncGenerator<HookRecord> {
    const seen = new Set<string>();
    for await (const entry of engine.decisions.read(0, follow)) {
      if (host !== undefined && entry.host !== host) continue;
      const id = `${entry.host} ${entry.id}`;
      if (seen.has(id)) continue;
      seen.add(id);
      if (seen.size > REMEMBERED) seen.delete(seen.values().next().value as string);
      const record = recordIn(entry.bytes);
      if (record === undefined) note(`${engine.place}: what ${entry.host} has sent as ${entry.id} is no record`);
      else if (isWanted(record, query)) {
        hosts.set(record, entry.host);
        yield record;
      }
    }
  }
  return {
    place: engine.place,
    hostOf: (record) => hosts.get(record),
    async *records(query: RecordQuery = {}) {
      const { newest = false, limit = Number.POSITIVE_INFINITY } = query;
      let left = limit;
      if (!newest) {
        for await (const record of entries(query)) {
          if (left-- <= 0) return;
          yield record;
        }
        return;
      }
      const all: HookRecord[] = [];
      for await (const record of entries(query)) {
        all.push(record);
        if (all.length >= 2 * NEWEST) all.splice(0, NEWEST);
      }
      // Hosts send when they can: what was decided first may have come last.
      all.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
      for (const record of all) {
        if (left-- <= 0) return;
        yield record;
      }
    },
    follow: (signal) => entries({}, signal),
    close: async () => undefined,
  };
}

function recordIn(bytes: Uint8Array): HookRecord | undefined {
  try {
    const read = readRecord(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return 'record' in read ? read.record : undefined;
  } catch {
    return undefined;
  }
}
