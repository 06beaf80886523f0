import type { HookRecord } from '../emit/record.js';
import type { RecordQuery, RecordStore } from './store.js';

/** How many records are remembered, so that a record in two stores is returned once. */
const REMEMBERED = 10_000;

/** Several stores read as one, ordered by the time of their records. A record in two of them is returned once. */
export function mergedStore(stores: readonly RecordStore[]): RecordStore {
  return {
    place: stores.map(({ place }) => place).join(' and '),
    async *records(query: RecordQuery = {}) {
      const { limit = Number.POSITIVE_INFINITY, newest = false } = query;
      const isNew = onceOnly();
      let left = limit;
      for await (const record of inTurn(
        stores.map((store) => store.records(query)),
        newest,
      )) {
        if (left <= 0) return;
        if (!isNew(record)) continue;
        left -= 1;
        yield record;
      }
    },
    async *follow(signal) {
      const isNew = onceOnly();
      for await (const record of asTheyCome(stores.map((store) => store.follow(signal))))
        if (isNew(record)) yield record;
    },
    async close() {
      for (const store of stores) await store.close();
    },
  };
}

export function onceOnly(): (record: HookRecord) => boolean {
  const seen = new Set<string>();
  return ({ host_id: host, seq }: HookRecord & { readonly host_id?: string }) => {
    if (host === undefined) return true;
    const key = `${host} ${seq}`;
    if (seen.has(key)) return false;
    seen.add(key);
    if (seen.size > REMEMBERED) seen.delete(seen.values().next().value as string);
    return true;
  };
}

/** Merges sources that are each ordered by time. */
async function* inTurn(sources: readonly AsyncIterable<HookRecord>[], newest: boolean): AsyncGenerator<HookRecord> {
  const readers = sources.map((source) => source[Symbol.asyncIterator]());
  try {
    const heads = await Promise.all(readers.map((reader) => reader.next()));
    for (;;) {
      let next = -1;
      for (const [i, head] of heads.entries()) {
        if (head.done) continue;
        const best = heads[next];
        if (!best || isBefore(head.value, best.value, newest)) next = i;
      }
      if (next < 0) return;
      yield heads[next]?.value as HookRecord;
      heads[next] = await (readers[next] as AsyncIterator<HookRecord>).next();
    }
  } finally {
    for (const reader of readers) await reader.return?.(undefined);
  }
}

const isBefore = (one: HookRecord, other: HookRecord, newest: boolean): boolean =>
  newest ? one.time > other.time : one.time < other.time;

async function* asTheyCome(sources: readonly AsyncIterable<HookRecord>[]): AsyncGenerator<HookRecord> {
  const readers = sources.map((source) => source[Symbol.asyncIterator]());
  const ask = async (i: number) => ({ i, found: await (readers[i] as AsyncIterator<HookRecord>).next() });
  const asked = new Map(readers.map((_, i) => [i, ask(i)]));
  try {
    while (asked.size > 0) {
      const { i, found } = await Promise.race(asked.values());
      if (found.done) asked.delete(i);
      else {
        asked.set(i, ask(i));
        yield found.value;
      }
    }
  } finally {
    for (const reader of readers) void reader.return?.(undefined);
  }
}
