import { parentPort, workerData } from 'node:worker_threads';
import type { NatsOptions } from '../nats/connection.js';
import { natsEngine } from '../nats/engine.js';
import type { LogStatus } from '../status.js';
import type { MaskOptions } from './masked.js';
import { Outbox } from './outbox.js';
import type { LogBounds } from './wal.js';

/** The data that the thread starts with. */
export interface LogData extends LogBounds {
  readonly folder: string;
  readonly host: string;
  readonly nats: NatsOptions;
}

/** To the thread; records are lines of JSON. */
export type LogThreadCommand =
  | { readonly type: 'records'; readonly lines: string }
  | { readonly type: 'mask'; readonly options: MaskOptions; readonly isHeld: boolean }
  | { readonly type: 'drain' | 'close'; readonly id: number; readonly most: number };
/** And from it. */
export type LogThreadMessage =
  | { readonly type: 'taken'; readonly characters: number }
  | { readonly type: 'status'; readonly status: LogStatus }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'tell'; readonly message: string };

/** Milliseconds between two status checks. */
const LOOK = 250;

// A thread of a host that has joined a fleet: to mask, to write and to send takes longer than to decide.
const port = parentPort;
if (port !== null) {
  const send = (message: LogThreadMessage): void => port.postMessage(message);
  const { nats, ...data } = workerData as LogData;
  const engine = natsEngine(nats);
  const outbox = new Outbox({
    ...data,
    engine,
    waitsForMasks: true,
    tell: (message) => send({ type: 'tell', message }),
  });
  let told = '';
  const status = (): void => {
    const now = JSON.stringify(outbox.status);
    if (now === told) return;
    told = now;
    send({ type: 'status', status: outbox.status });
  };
  const timer = setInterval(status, LOOK);
  port.on('message', (message: LogThreadCommand) => {
    if (message.type === 'records') {
      outbox.push(message.lines.split('\n'));
      send({ type: 'taken', characters: message.lines.length });
    } else if (message.type === 'mask') outbox.mask(message.options, message.isHeld);
    else void end(message);
  });

  // The first says that it has begun.
  status();

  const end = async ({ type, id, most }: Extract<LogThreadCommand, { type: 'drain' | 'close' }>): Promise<void> => {
    if (type === 'drain') await outbox.drained(most);
    else {
      clearInterval(timer);
      await outbox.close(most);
      await engine.close();
    }
    status();
    send({ type: 'done', id });
    if (type === 'close') port.close();
  };
}
