import { parentPort, workerData } from 'node:worker_threads';
import type { HookRecord } from '../../emit/record.js';
import { type FromKeeper, sinkFor, type ToKeeper } from './keep.js';

// A thread of a server that masks and writes records, so that no call waits for it.
const port = parentPort;
const send = (message: FromKeeper): void => port?.postMessage(message);
const sink = await sinkFor((workerData as { file: string }).file, (message) => send({ type: 'tell', message }));

port?.on('message', (message: ToKeeper) => {
  if (message.type === 'records') {
    for (const line of message.lines.split('\n')) sink.push(JSON.parse(line) as HookRecord);
    send({ type: 'taken', characters: message.lines.length });
    return;
  }
  const done = message.type === 'close' ? sink.close() : sink.flush();
  void done.finally(() => {
    send({ type: 'done', id: message.id });
    if (message.type === 'close') port.close();
  });
});
