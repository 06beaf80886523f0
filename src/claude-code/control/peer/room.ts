import type { Writable } from 'node:stream';

const EVENTS = ['drain', 'close', 'error'];

const waiting = new WeakMap<Writable, Promise<void>>();

/** Settles when a full stream accepts more data or has ended. Adds one set of listeners to the stream, however many callers wait. */
export function nextRoom(output: Writable): Promise<void> {
  const known = waiting.get(output);
  if (known !== undefined) return known;
  const room = new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of EVENTS) output.off(event, done);
      waiting.delete(output);
      resolve();
    };
    for (const event of EVENTS) output.on(event, done);
  });
  waiting.set(output, room);
  return room;
}
