import type { HookRecord } from '../../src/emit/record.js';
import { openStore } from '../../src/store/place.js';
import type { RecordQuery } from '../../src/store/store.js';

/** All that a file holds, or of it what is asked for. */
export async function readStore(path: string, query?: RecordQuery): Promise<HookRecord[]> {
  const store = await openStore(path);
  const all: HookRecord[] = [];
  for await (const record of store.records(query)) all.push(record);
  await store.close();
  return all;
}
