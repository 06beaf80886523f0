import { mergedStore } from './merged.js';
import { keptNames, openStores } from './place.js';
import type { RecordStore, StoreOptions } from './store.js';

/** The stores in a server's state folder: its own records, and those of commands that answered without it. `tell` reports a store that cannot be read. */
export function besideServer(state: string, tell: NonNullable<StoreOptions['note']>): RecordStore {
  return mergedStore(keptNames(state).map((place) => bestEffort(place, tell)));
}

/** Before a record, the server is asked once more if it did not answer: the record may be one of its own. */
export function afterServer(beside: RecordStore, server: RecordStore): RecordStore {
  return {
    ...beside,
    async *follow(signal) {
      for await (const record of beside.follow(signal)) {
        await server.tryAgain?.();
        yield record;
      }
    },
  };
}

function bestEffort(place: string, tell: NonNullable<StoreOptions['note']>): RecordStore {
  let opened: RecordStore | undefined;
  const open = async (): Promise<RecordStore> => (opened ??= await openStores([place], { note: tell }));
  return {
    place,
    async *records(query) {
      yield* (await open()).records(query);
    },
    async *follow(signal) {
      try {
        yield* (await open()).follow(signal);
      } catch (error) {
        tell(`shows only what the server answers: ${(error as Error).message}`);
      }
    },
    close: async () => opened?.close(),
  };
}
