import { timerMs } from '../../values/waiting/timer.js';
import type { FleetEngine } from '../engine.js';
import type { Waiting, Wal } from './wal.js';

/** How many records may be in flight at once. */
const WINDOW = 256;
/** Milliseconds before a failed send is repeated. */
const AGAIN = 500;
/** Milliseconds after which the cursor is written while few records come. */
const SAVE = 1_000;

interface Sending extends Waiting {
  done: boolean;
}

/** Sends what waits in a log, and moves the log's cursor past what was acknowledged. After a failure it sends again from the first record that was not acknowledged. */
export class Forwarder {
  readonly #wal: Wal;
  readonly #engine: FleetEngine;
  readonly #host: string;
  #queue: Sending[] = [];
  #generation = 0;
  #timer: NodeJS.Timeout | undefined;
  #save: NodeJS.Timeout | undefined;
  #over = false;
  readonly #idle = new Set<() => void>();
  readonly #forget: () => void;

  constructor(wal: Wal, engine: FleetEngine, host: string) {
    this.#wal = wal;
    this.#engine = engine;
    this.#host = host;
    this.#forget = engine.onChange(() => this.wake());
  }

  /** Checks whether there is anything to send. */
  wake(): void {
    if (this.#over || !this.#engine.connected || this.#timer !== undefined) return;
    const room = WINDOW - this.#queue.length;
    if (room <= 0) return;
    let found: readonly Waiting[];
    try {
      found = this.#wal.next(room);
    } catch {
      // The log cannot be read now; this is tried again.
      this.#again();
      return;
    }
    for (const waiting of found) this.#send({ ...waiting, done: false });
    if (this.#queue.length === 0) this.#rest();
  }

  /** Resolves when nothing is waiting any more, or after this many milliseconds. */
  drained(most: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#idle.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timerMs(most));
      this.#idle.add(done);
      if (this.#wal.waiting === 0) done();
      else this.wake();
    });
  }

  stop(): void {
    this.#over = true;
    this.#generation += 1;
    clearTimeout(this.#timer);
    clearTimeout(this.#save);
    this.#forget();
  }

  #send(sending: Sending): void {
    const generation = this.#generation;
    this.#queue.push(sending);
    const id = idOf(sending.line);
    const sent = id === undefined ? Promise.resolve() : this.#engine.decisions.append(this.#host, id, sending.line);
    sent.then(
      () => {
        sending.done = true;
        if (generation === this.#generation) this.#passed();
      },
      () => {
        if (generation === this.#generation) this.#again();
      },
    );
  }

  /** Moves the cursor past the oldest that are acknowledged. */
  #passed(): void {
    let count = 0;
    while (this.#queue[count]?.done) count += 1;
    if (count === 0) return;
    this.#wal.acknowledge(this.#queue.slice(0, count).map(({ next }) => next));
    this.#queue = this.#queue.slice(count);
    this.#save ??= setTimeout(() => {
      this.#save = undefined;
      this.#wal.save();
    }, SAVE).unref();
    // Reads in large batches, because each read opens a file.
    if (this.#queue.length <= WINDOW / 2) this.wake();
  }

  #again(): void {
    this.#generation += 1;
    this.#queue = [];
    this.#wal.rewind();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.wake();
    }, AGAIN);
  }

  #rest(): void {
    if (this.#wal.waiting > 0) return;
    for (const done of [...this.#idle]) done();
  }
}

/** The fire's id; for other records their position in their host's stream. undefined: it is not a record. */
function idOf(line: Buffer): string | undefined {
  try {
    const { type, fire_id, host_id, seq } = JSON.parse(line.toString('utf8')) as Record<string, unknown>;
    return type === 'hook_fire' && typeof fire_id === 'string' ? fire_id : `${host_id}:${seq}`;
  } catch {
    return undefined;
  }
}
