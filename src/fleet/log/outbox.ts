import { rmSync } from 'node:fs';
import { ended, plain } from '../../plain.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { FleetEngine } from '../engine.js';
import type { LogStatus } from '../status.js';
import { asideIn } from './aside.js';
import { adopt, makeLogFolder, release, touch } from './folders.js';
import { Forwarder } from './forward.js';
import { MaskedLog, type MaskOptions } from './masked.js';
import { type LogBounds, Wal } from './wal.js';

export interface OutboxOptions extends LogBounds {
  /** The host's folder, with the logs of all its processes. */
  readonly folder: string;
  readonly host: string;
  readonly engine: FleetEngine;
  /** Nothing is sent before it is told what is masked. */
  readonly waitsForMasks?: boolean;
  tell(text: string): void;
}

/** Milliseconds between signs of life, which is also when logs of others are looked for. */
const ALIVE = 10_000;

/** A log on disk, and the sender of its records. */
interface OwnLog {
  readonly folder: string;
  readonly wal: Wal;
  readonly forwarder: Forwarder;
}

/** Masks decisions, keeps them on disk, and sends them. */
export class Outbox {
  readonly #options: OutboxOptions;
  /** Undefined: it could not be made yet. */
  #own: OwnLog | undefined;
  readonly #masked: MaskedLog;
  readonly #adopted = new Map<string, Omit<OwnLog, 'folder'>>();
  readonly #timer: NodeJS.Timeout;
  #failed = 0;
  #isHeld: boolean;
  #isRefused = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#isHeld = options.waitsForMasks === true;
    this.#masked = new MaskedLog(options.folder);
    this.#look();
    this.#timer = setInterval(() => this.#look(), ALIVE);
    this.#timer.unref();
  }

  get status(): LogStatus {
    const all = [...(this.#own ? [this.#own] : []), ...this.#adopted.values()].map(({ wal }) => wal);
    const sum = (of: (wal: Wal) => number): number => all.reduce((total, wal) => total + of(wal), 0);
    const [oldest] = all.flatMap((wal) => timeIn(wal.oldest) ?? []).sort();
    return {
      sent: sum((wal) => wal.sent),
      waiting: sum((wal) => wal.waiting),
      ...(oldest === undefined ? {} : { oldest }),
      dropped: sum((wal) => wal.dropped) + this.#failed,
    };
  }

  /** `isHeld`: nothing is sent until it is told again. */
  mask(options: MaskOptions, isHeld = false): void {
    this.#masked.mask(options);
    this.#isHeld = isHeld;
    for (const { wal, forwarder } of [...(this.#own ? [this.#own] : []), ...this.#adopted.values()]) {
      wal.setOld();
      forwarder.wake();
    }
  }

  /** Records as lines of JSON, as they were emitted. */
  push(lines: readonly string[]): void {
    const { lines: masked, lost } = this.#masked.lines(lines);
    this.#failed += lost;
    try {
      this.#own ??= this.#made();
      this.#own.wal.append(masked);
    } catch (error) {
      if (this.#failed === 0) this.#options.tell(`decisions cannot be kept: ${messageOf(error)}`);
      this.#failed += masked.length;
    }
    this.#own?.forwarder.wake();
  }

  /** Resolves when everything is sent, or after this many milliseconds. */
  async drained(most: number): Promise<void> {
    await Promise.all([this.#masked.flush(), this.#own?.forwarder.drained(most)]);
  }

  /** Records that are not sent within this many milliseconds are left to the next process. */
  async close(most: number): Promise<void> {
    clearInterval(this.#timer);
    await this.drained(most);
    await this.#masked.close();
    const adopted = [...this.#adopted].map(([folder, one]) => ({ folder, ...one }));
    for (const { folder, wal, forwarder } of [...adopted, ...(this.#own ? [this.#own] : [])]) {
      forwarder.stop();
      wal.close();
      if (wal.waiting === 0) rmSync(folder, { recursive: true, force: true });
      else release(folder);
    }
  }

  /** A separate folder, and the sender of its records. Throws the system's error. */
  #made(): OwnLog {
    const folder = makeLogFolder(this.#options.folder);
    return { folder, ...this.#sent(folder) };
  }

  #sent(folder: string): Omit<OwnLog, 'folder'> {
    const { engine, host } = this.#options;
    const wal = new Wal(folder, this.#options);
    const forwarder = new Forwarder(wal, {
      engine,
      host,
      isHeld: () => this.#isHeld,
      refused: (why) => this.#refused(why),
      masked: ({ line, next }) => (wal.isNew(next) ? line : this.#masked.again(line)),
    });
    return { wal, forwarder };
  }

  #refused(why: unknown): void {
    const isRefused = why !== undefined;
    // Of several logs of the host the first speaks.
    if (isRefused === this.#isRefused) return;
    this.#isRefused = isRefused;
    const { engine, tell } = this.#options;
    const wait = `${ended(messageOf(why))} They wait on disk, and are sent again until they are taken`;
    tell(isRefused ? `decisions are not taken by ${plain(engine.place)}: ${wait}` : 'decisions are taken again');
  }

  /** A sign of life, and a look at what others have left. A disk that takes nothing now may do so the next time. */
  #look(): void {
    try {
      if (this.#own !== undefined && !touch(this.#own.folder)) {
        this.#own.forwarder.stop();
        this.#own.wal.leave();
        this.#own = undefined;
      }
      this.#own ??= this.#made();
      this.#adopt();
      this.#takeAside();
    } catch (error) {
      if (this.#failed === 0) this.#options.tell(`the log of decisions cannot be looked after: ${messageOf(error)}`);
    }
  }

  /** What processes without a connection have put aside becomes a part of this log; each file goes to one of those who try. */
  #takeAside(): void {
    const own = this.#own as OwnLog;
    for (const file of asideIn(this.#options.folder)) {
      try {
        own.wal.take(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    own.forwarder.wake();
  }

  #adopt(): void {
    for (const [folder, { wal, forwarder }] of this.#adopted) {
      if (wal.waiting > 0) touch(folder);
      else {
        forwarder.stop();
        wal.close();
        this.#adopted.delete(folder);
        rmSync(folder, { recursive: true, force: true });
      }
    }
    for (const folder of adopt(this.#options.folder)) {
      const log = this.#sent(folder);
      this.#adopted.set(folder, log);
      log.forwarder.wake();
    }
  }
}

/** When a record was made. */
function timeIn(line: Buffer | undefined): string | undefined {
  const [, time] = /"time":"([\d:.TZ-]{20,30})"/.exec(line?.toString('utf8') ?? '') ?? [];
  return time;
}
