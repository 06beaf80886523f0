import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { type Batch, recordsOf } from '../../server/batches.js';
import type { FromKeeper, KeepData, ToKeeper } from './keep.js';
import { sinkFor } from './record-sink.js';

// A thread of a server that masks and writes records, so that no call waits for it.
const port = parentPort;
const { file, waiting } = workerData as KeepData;
const send = (message: FromKeeper): void => port?.postMessage(message);
const sink = await sinkFor(file, (message) => send({ type: 'tell', message }));

/** Milliseconds that batches wait for others, beside those of `Batches`: a transaction writes the same pages for one record as for hundreds. */
const TOGETHER = 25;
/** How much less urgent it is to keep records than to answer. */
const LATER = 10;
/** Whoever waits for an answer goes first where there are fewer processors than there is work. Linux alone has threads with priorities of their own. */
try {
  const thread = Number(basename(readlinkSync('/proc/thread-self')));
  setPriority(thread, Math.min(getPriority() + LATER, constants.priority.PRIORITY_LOW));
} catch {
  // It has the priority of all others.
}

let batches: Batch[] = [];
let timer: NodeJS.Timeout | undefined;

function take(): void {
  clearTimeout(timer);
  timer = undefined;
  const taken = batches;
  batches = [];
  for (const batch of taken) {
    for (const record of recordsOf(batch)) sink.push(record);
    Atomics.sub(waiting, 0, batch.bytes.length);
  }
}

port?.on('message', (message: ToKeeper) => {
  if (message.type === 'records') {
    batches.push(message.batch);
    timer ??= setTimeout(take, TOGETHER);
    return;
  }
  take();
  const done = message.type === 'close' ? sink.close() : sink.flush();
  void done.finally(() => {
    send({ type: 'done', id: message.id });
    if (message.type === 'close') port.close();
  });
});
