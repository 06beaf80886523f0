import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HookRecord } from '../../emit/record.js';
import { ownFolder } from '../../plugins/own-folder.js';
import type { Batch } from '../../server/batches.js';
import type { ServerPaths } from '../../server/places.js';
import { besideServer } from '../../store/beside.js';
import { keptPlaces, openStores } from '../../store/place.js';
import { readQuery } from '../../store/query.js';
import { recordsFile } from './record-sink.js';

/** Keeps hosts' records where all commands look for them. */
export interface Keeper {
  push(batch: Batch): void;
  /** Resolves when no record has been waiting too long; undefined if none has. */
  caughtUp(): Promise<void> | undefined;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The data that the writing thread starts with. */
export interface KeepData {
  readonly file: string;
  /** One number: bytes of records that are not written. */
  readonly waiting: Int32Array;
}
/** Messages to that thread. */
export type KeeperCommand =
  | { readonly type: 'records'; readonly batch: Batch }
  | { readonly type: 'flush' | 'close'; readonly id: number };
/** Messages from it. */
export type KeeperMessage =
  | { readonly type: 'done'; readonly id: number }
  /** The oldest batch is written. */
  | { readonly type: 'kept' }
  | { readonly type: 'tell'; readonly message: string };

/** Megabytes of young objects, which live until the next message: with Node's default of 16, garbage collection would copy most of them. */
const YOUNG = 64;
/** Bytes that may wait for the thread. */
const WAITING = 64 * 1024 * 1024;
/** Milliseconds after which an unwritten record holds up answers, so that a kill loses the records of the last 50 ms of answers at most. */
const LATE = 40;
/** The longest that answers are held up, in milliseconds: a disk may hang, and another process may lock the file. */
const PATIENCE = 500;

/** For a server, in a thread: masking and writing take longer than answering. */
export function createKeeper(places: ServerPaths, tell: (text: string) => void): Keeper {
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
  /** When the first record of each unwritten batch came, by `performance.now()`. */
  const unwritten: number[] = [];
  let wake: () => void = () => undefined;
  let impatient = false;
  let waited: Promise<void> | undefined;
  const isLate = (): boolean => unwritten.length > 0 && performance.now() - (unwritten[0] as number) > LATE;
  const catchUp = async (): Promise<void> => {
    const timer = setTimeout(() => {
      impatient = true;
      tell(
        'records are written too slowly to wait for: more than those of the last 50 ms may be missing after a crash',
      );
      wake();
    }, PATIENCE);
    while (isLate() && !impatient)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    clearTimeout(timer);
    waited = undefined;
  };
  const over = (why: string): void => {
    if (gone) return;
    gone = true;
    if (why !== '') tell(`records are no longer kept: ${why}`);
    for (const resolve of done.values()) resolve();
    done.clear();
    unwritten.length = 0;
    wake();
  };
  thread.on('message', (message: KeeperMessage) => {
    if (message.type === 'tell') tell(message.message);
    else if (message.type === 'kept') {
      unwritten.shift();
      if (!isLate()) impatient = false;
      wake();
    } else {
      done.get(message.id)?.();
      done.delete(message.id);
    }
  });
  thread.on('error', (error) => over(error.message));
  thread.on('exit', () => over(''));
  const post = (message: KeeperCommand): void => thread.postMessage(message);
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
      unwritten.push(batch.since);
      post({ type: 'records', batch });
    },
    caughtUp() {
      if (impatient || !isLate()) return undefined;
      waited ??= catchUp();
      return waited;
    },
    flush: () => ask('flush'),
    async close() {
      await ask('close');
      if (dropped > 0) tell(`records that were not kept: ${dropped}`);
      await thread.terminate();
    },
  };
}

/** The stored records that a request's query selects. `lost` hears of one of two files that cannot be read. Throws INVALID_OPTIONS for an invalid query. */
export async function* keptRecords(
  places: ServerPaths,
  params: URLSearchParams,
  lost: (error: Error) => void,
): AsyncGenerator<HookRecord> {
  const query = readQuery(params);
  const kept = keptPlaces(places.state);
  // Before the first record there is no store.
  if (kept.length === 0) return;
  const store = await openStores(kept, {}, (_, error) => lost(error));
  try {
    yield* store.records(query);
  } finally {
    await store.close();
  }
}

/**
 * The records written from now on to where the server keeps them, until the signal fires. Reading problems are dropped here: whoever reads kept records sees them.
 * Files stay open for the next call, since libsql would leave closed ones open until the next garbage collection.
 */
export function keptFromNow(places: ServerPaths): (signal: AbortSignal) => AsyncIterable<HookRecord> {
  const store = besideServer(places.state, () => undefined);
  return (signal) => store.follow(signal);
}
