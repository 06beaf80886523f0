import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { PackedLine } from '../../emit/packed.js';
import { linesOf } from '../../server/batches.js';
import type { KeepData, KeeperCommand, KeeperMessage } from './keep.js';
import { sinkFor } from './record-sink.js';

// A thread of a server that masks and writes records, so that no call waits for it.
const port = parentPort;
const { file, waiting } = workerData as KeepData;
const send = (message: KeeperMessage): void => port?.postMessage(message);
const sink = await sinkFor(file, (message) => send({ type: 'tell', message }));

/** How much lower the priority of keeping records is than that of answering. */
const LATER = 5;
/** Answers go first if there is more work than processors. Only Linux has priorities for threads. */
try {
  const thread = Number(basename(readlinkSync('/proc/thread-self')));
  setPriority(thread, Math.min(getPriority() + LATER, constants.priority.PRIORITY_LOW));
} catch {
  // The thread keeps the normal priority.
}

/** A database can store a line as it came, without serialising its records again. */
const push = (line: PackedLine): void => {
  if ('pushLine' in sink) sink.pushLine(line);
  else for (const record of line.records) sink.push(record);
};

port?.on('message', (message: KeeperCommand) => {
  if (message.type === 'records') {
    for (const line of linesOf(message.batch)) push(line);
    void sink.flush().finally(() => {
      Atomics.sub(waiting, 0, message.batch.bytes.length);
      send({ type: 'kept' });
    });
    return;
  }
  const done = message.type === 'close' ? sink.close() : sink.flush();
  void done.finally(() => {
    send({ type: 'done', id: message.id });
    if (message.type === 'close') port.close();
  });
});
