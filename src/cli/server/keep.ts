import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HookRecord } from '../../emit/record.js';
import { ownFolder } from '../../plugins/own-folder.js';
import type { Batch } from '../../server/batches.js';
import type { Places } from '../../server/places.js';
import { keptPlaces, openStores } from '../../store/place.js';
import { readQuery } from '../../store/query.js';
import { recordsFile } from './record-sink.js';

/** Keeps hosts' records where all commands look for them. */
export interface Keeper {
  push(batch: Batch): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** What the thread that writes is given. */
export interface KeepData {
  readonly file: string;
  /** One number: bytes of records that wait for the thread. */
  readonly waiting: Int32Array;
}
/** To that thread. */
export type ToKeeper =
  | { readonly type: 'records'; readonly batch: Batch }
  | { readonly type: 'flush' | 'close'; readonly id: number };
/** And from it. */
export type FromKeeper =
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'tell'; readonly message: string };

/** Megabytes for what lives from one message to the next: with Node's own 16 most of it would be copied on the way. */
const YOUNG = 64;
/** Bytes that may wait for the thread. */
const WAITING = 64 * 1024 * 1024;

/** For a server, in a thread: to mask and to write takes longer than to answer. */
export function createKeeper(places: Places, tell: (text: string) => void): Keeper {
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  const workerData: KeepData = { file: recordsFile(places), waiting };
  const thread = new Worker(join(ownFolder(), 'dist/cli/keep-thread.js'), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const done = new Map<number, () => void>();
  let ids = 0;
  let dropped = 0;
  let gone = false;
  const over = (why: string): void => {
    if (gone) return;
    gone = true;
    if (why !== '') tell(`records are no longer kept: ${why}`);
    for (const resolve of done.values()) resolve();
    done.clear();
  };
  thread.on('message', (message: FromKeeper) => {
    if (message.type === 'tell') tell(message.message);
    else {
      done.get(message.id)?.();
      done.delete(message.id);
    }
  });
  thread.on('error', (error) => over(error.message));
  thread.on('exit', () => over(''));
  const post = (message: ToKeeper): void => thread.postMessage(message);
  const ask = (type: 'flush' | 'close'): Promise<void> => {
    if (gone) return Promise.resolve();
    return new Promise((resolve) => {
      const id = ++ids;
      done.set(id, resolve);
      post({ type, id });
    });
  };
  return {
    push(batch) {
      if (gone || Atomics.load(waiting, 0) > WAITING) {
        if (dropped === 0 && !gone) tell('records come faster than they can be kept, so some are lost');
        dropped += batch.count;
        return;
      }
      Atomics.add(waiting, 0, batch.bytes.length);
      post({ type: 'records', batch });
    },
    flush: () => ask('flush'),
    async close() {
      await ask('close');
      if (dropped > 0) tell(`records that were not kept: ${dropped}`);
      await thread.terminate();
    },
  };
}

/** What is kept there, by the query of a request. Throws INVALID_OPTIONS for one that is none. */
export async function* keptRecords(places: Places, params: URLSearchParams): AsyncGenerator<HookRecord> {
  const query = readQuery(params);
  const kept = keptPlaces(places.state);
  // Before the first record there is nothing.
  if (kept.length === 0) return;
  const store = await openStores(kept);
  try {
    yield* store.records(query);
  } finally {
    await store.close();
  }
}
