import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HookRecord } from '../../emit/record.js';
import { createRedactor, type Redactor } from '../../emit/redact/redactor.js';
import type { Sink } from '../../emit/sink.js';
import { ndjsonSink } from '../../emit/sinks/ndjson.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { FleetEngine } from '../engine.js';
import type { LogStatus } from '../status.js';
import { adopt, makeLogFolder, release, touch } from './folders.js';
import { Forwarder } from './forward.js';
import { type LogBounds, Wal } from './wal.js';

/** Masking options in addition to the defaults. Plain data, since it goes to a thread. */
export interface MaskOptions {
  readonly keys?: readonly string[];
  readonly paths?: readonly string[];
  readonly patterns?: readonly RegExp[];
}

export interface OutboxOptions extends LogBounds {
  /** The host's folder, with the logs of all its processes. */
  readonly folder: string;
  readonly host: string;
  readonly engine: FleetEngine;
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
  /** The records that a new bundle is compared with. */
  readonly #recent: Sink;
  readonly #adopted = new Map<string, Omit<OwnLog, 'folder'>>();
  readonly #timer: NodeJS.Timeout;
  #redactor: Redactor = createRedactor();
  #failed = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    const { folder } = options;
    this.#recent = ndjsonSink(recentIn(folder), {
      redact: false,
      maxBytes: 4 * 1024 * 1024,
      keep: 1,
      logger: () => undefined,
    });
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

  mask(options: MaskOptions): void {
    this.#redactor = createRedactor(options);
  }

  /** Records as lines of JSON, as they were emitted. */
  push(lines: readonly string[]): void {
    const masked: Buffer[] = [];
    for (const line of lines) {
      const record = this.#redactor.redact(JSON.parse(line) as HookRecord);
      masked.push(lineOf(record));
      if (record.type === 'hook_fire') this.#recent.push(record);
    }
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
    await Promise.all([this.#recent.flush(), this.#own?.forwarder.drained(most)]);
  }

  /** Records that are not sent within this many milliseconds are left to the next process. */
  async close(most: number): Promise<void> {
    clearInterval(this.#timer);
    await this.drained(most);
    await this.#recent.close();
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
    const { folder: parent, engine, host } = this.#options;
    const folder = makeLogFolder(parent);
    const wal = new Wal(folder, this.#options);
    return { folder, wal, forwarder: new Forwarder(wal, engine, host) };
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
    } catch (error) {
      if (this.#failed === 0) this.#options.tell(`the log of decisions cannot be looked after: ${messageOf(error)}`);
    }
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
    const { folder: parent, engine, host } = this.#options;
    for (const folder of adopt(parent)) {
      const wal = new Wal(folder, this.#options);
      const forwarder = new Forwarder(wal, engine, host);
      this.#adopted.set(folder, { wal, forwarder });
      forwarder.wake();
    }
  }
}

/** When a record was made. */
function timeIn(line: Buffer | undefined): string | undefined {
  const [, time] = /"time":"([\d:.TZ-]{20,30})"/.exec(line?.toString('utf8') ?? '') ?? [];
  return time;
}

/** Bytes of a record that is sent whole: a broker takes a megabyte. */
const MOST_BYTES = 768 * 1024;

/** The line of a record; if it is too large, only its result. */
function lineOf(record: HookRecord): Buffer {
  const line = Buffer.from(`${JSON.stringify(record)}\n`);
  if (line.length <= MOST_BYTES || record.type !== 'hook_fire') return line;
  const { final_input: _, input: __, handlers, truncated = [], ...rest } = record;
  const short = {
    ...rest,
    input: {},
    handlers: handlers.map(({ output: _output, warnings: _warnings, ...handler }) => handler),
    truncated: [...truncated, 'input', 'final_input', 'handlers.*.output'],
  };
  return Buffer.from(`${JSON.stringify(short)}\n`);
}

/** The file with a host's newest decisions. */
export const recentIn = (folder: string): string => join(folder, 'recent.ndjson');
