import type { HookRecord } from '../../emit/record.js';
import { timerMs } from '../../values/waiting/timer.js';
import type { FleetEngine } from '../engine.js';
import { lossIn } from './aside.js';
import { lineOf } from './line.js';
import type { PassedMark, QueuedDecision, Wal } from './wal.js';

/** How many records may be in flight at once. */
const WINDOW = 256;
/** Milliseconds before a failed send is repeated. */
const AGAIN = 500;
/** After so many failures in a row it is told. */
const TOLD = 2;
/** Milliseconds after which the cursor is written while few records come. */
const SAVE = 1_000;

/** Bytes of a record that a broker would not take: shorter each time, then it is dropped. */
const SHORTER = [128 * 1024, 16 * 1024];

/** What sends has to know of its log. */
export interface Sender {
  readonly engine: FleetEngine;
  readonly host: string;
  /** Nothing is sent yet. */
  isHeld(): boolean;
  /** As it may leave the host now; undefined: it cannot. */
  masked(waiting: QueuedDecision): Buffer | undefined;
  /** Gets the reason when decisions are not taken though the other side is there, once, and undefined when they are again. */
  refused(why: unknown): void;
}

interface DecisionInTransit extends QueuedDecision {
  done: boolean;
  /** How many records are dropped with it. */
  lost?: number;
}

/** Sends what waits in a log, and moves the log's cursor past what was acknowledged. After a failure it sends again from the first record that was not acknowledged. */
export class Forwarder {
  readonly #wal: Wal;
  readonly #sender: Sender;
  #queue: DecisionInTransit[] = [];
  /** Those behind one that has failed, by their places: they are not sent again. */
  readonly #taken = new Map<string, PassedMark>();
  #generation = 0;
  #timer: NodeJS.Timeout | undefined;
  #save: NodeJS.Timeout | undefined;
  #over = false;
  /** How often in a row nothing was taken, while there was a connection. */
  #refusals = 0;
  readonly #idle = new Set<() => void>();
  readonly #forget: () => void;

  constructor(wal: Wal, sender: Sender) {
    this.#wal = wal;
    this.#sender = sender;
    this.#forget = sender.engine.onChange(() => this.wake());
  }

  /** Checks whether there is anything to send. */
  wake(): void {
    const { engine, isHeld } = this.#sender;
    if (this.#over || isHeld() || !engine.connected || this.#timer !== undefined) return;
    const room = WINDOW - this.#queue.length;
    if (room <= 0) return;
    let found: readonly QueuedDecision[];
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

  #send(sending: DecisionInTransit): void {
    const generation = this.#generation;
    this.#queue.push(sending);
    const before = this.#taken.get(placeOf(sending));
    const sent = before ? Promise.resolve(before.lost) : this.#pass(sending);
    sent.then(
      (lost) => {
        sending.done = true;
        if (this.#refusals >= TOLD) this.#sender.refused(undefined);
        this.#refusals = 0;
        if (lost !== undefined) sending.lost = lost;
        if (generation === this.#generation) this.#passed();
        else this.#taken.set(placeOf(sending), { ...sending.next, lost });
      },
      (error) => {
        if (generation !== this.#generation) return;
        // A connection that is lost is told of as such, a moment later.
        this.#refusals = this.#sender.engine.connected ? this.#refusals + 1 : 0;
        if (this.#refusals === TOLD) this.#sender.refused(error);
        this.#again();
      },
    );
  }

  /** Resolves when it is sent, or to the number of records that are dropped in its place: what a broker never takes would keep all others from it. */
  async #pass(waiting: QueuedDecision): Promise<number | undefined> {
    const { engine, host, masked } = this.#sender;
    const written = waiting.line.toString('utf8');
    const lost = lossIn(written);
    const id = lost === undefined ? idOf(written) : undefined;
    if (id === undefined) return lost;
    const line = masked(waiting);
    if (line === undefined) return 1;
    const text = line.toString('utf8');
    const shorter = SHORTER.map((most) => () => lineOf(JSON.parse(text) as HookRecord, most)?.subarray(0, -1));
    for (const of of [() => line, ...shorter]) {
      const bytes = of();
      if (bytes === undefined) continue;
      try {
        await engine.decisions.append(host, id, bytes);
        return undefined;
      } catch (error) {
        if (!isTooLarge(error)) throw error;
      }
    }
    return 1;
  }

  /** Moves the cursor past the oldest that are acknowledged. */
  #passed(): void {
    let count = 0;
    while (this.#queue[count]?.done) count += 1;
    if (count === 0) return;
    const passed = this.#queue.slice(0, count);
    this.#wal.acknowledge(passed.map(({ next, lost }) => ({ ...next, lost })));
    for (const sending of passed) this.#taken.delete(placeOf(sending));
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
    for (const sending of this.#queue)
      if (sending.done) this.#taken.set(placeOf(sending), { ...sending.next, lost: sending.lost });
    this.#queue = [];
    this.#wal.rewind();
    // What was dropped in the meantime is behind the cursor.
    while (this.#taken.size > 2 * WINDOW) this.#taken.delete(this.#taken.keys().next().value as string);
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

const placeOf = ({ next: { segment, offset } }: QueuedDecision): string => `${segment}/${offset}`;

/** Whether a broker takes no message that is so large, now or later: it says so, or the client knows. */
function isTooLarge(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause)
    if (/max_payload|maximum payload|message size exceeds maximum/i.test(one.message)) return true;
  return false;
}

/** The fire's id; for other records their position in their host's stream. undefined: it is not a record. */
function idOf(line: string): string | undefined {
  try {
    const { type, fire_id, host_id, seq } = JSON.parse(line) as Record<string, unknown>;
    return type === 'hook_fire' && typeof fire_id === 'string' ? fire_id : `${host_id}:${seq}`;
  } catch {
    return undefined;
  }
}
