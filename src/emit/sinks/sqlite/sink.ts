import { setTimeout as sleep } from 'node:timers/promises';
import { HookscopeError, isHookscopeError } from '../../../errors.js';
import { wellFormedJson } from '../../../plain.js';
import { describeError } from '../../../values/message.js';
import { checkKeys, checkOption, type Keys } from '../../../values/options.js';
import { FILLED, oneOf, SECONDS } from '../../../values/shape.js';
import { messageOf } from '../../../values/waiting/promises.js';
import { report } from '../../guard.js';
import { type PackedLine, packed } from '../../packed.js';
import type { HookRecord } from '../../record.js';
import { redactorOf } from '../../redact/redactor.js';
import {
  checkInteger,
  createStreams,
  queueDefaults,
  readPiece,
  SINK,
  type Sink,
  type SinkOptions,
  sinkAround,
} from '../../sink.js';
import { createQueue } from '../../sink-queue.js';
import { createOpenMark } from '../files/open-mark.js';
import { createWriteReport } from '../files/write-report.js';
import { sqliteProblem } from './driver.js';
import { openRecordFile, type RecordFile, type RecordFileOptions } from './file.js';
import { type RecordRow, recordsIn, rowOf, rowOfPacked } from './rows.js';

/** Options of `sqliteSink`. */
export interface SqliteOptions extends SinkOptions {
  /** Most records that wait to be written; default: as many as fit `maxPendingBytes`. Newer records are dropped. */
  readonly capacity?: number;
  /** Seconds that a record is kept; default 30 days. 0: forever. */
  readonly maxAge?: number;
  /** Most bytes of records; beyond that the oldest are deleted. Default 512 MiB. */
  readonly maxBytes?: number;
  /** `sync`: a record is on the disk when `push` returns, so the agent waits for each write. Default: written in the next turn. */
  readonly durability?: 'batch' | 'sync';
}

const SQLITE: Keys<SqliteOptions> = { ...SINK, maxAge: SECONDS, maxBytes: true, durability: oneOf('batch', 'sync') };

const DAY = 86_400;
/** The most rows in one transaction. */
const BATCH = 1024;
/** Milliseconds that a statement waits for a lock: in `batch`, and in `sync` or at opening. */
const SHORT_WAIT = 20;
const LONG_WAIT = 5_000;
/** Milliseconds between two prunings by age. */
const PRUNE_EVERY = 60_000;
/** Milliseconds before the next part is deleted: other processes may be waiting to write. */
const PRUNE_ON = 100;
/** Milliseconds that a closing sink may spend on deleting the rest. */
const PRUNE_LAST = 500;

/** A sink that also takes records in the form in which another thread sends them. */
export interface RecordSink extends Sink {
  /** Takes the records of a line, and stores its text as it is if masking changes nothing. Never throws, never waits. */
  pushLine(line: PackedLine): void;
}

/** Like `openRecordFile`; every error becomes FILE. */
function openNow(path: string, options: Omit<RecordFileOptions, 'wait'>): RecordFile {
  try {
    return openRecordFile(path, { ...options, wait: LONG_WAIT });
  } catch (error) {
    if (isHookscopeError(error)) throw error;
    throw new HookscopeError(
      'FILE',
      { file: path, problem: `cannot be written: ${describeError(error)}` },
      { cause: error },
    );
  }
}

/** The implementation of `sqliteSink`. */
export function recordSink(path: string, options: SqliteOptions): RecordSink {
  checkOption('sqliteSink(path)', path, FILLED);
  checkKeys(options, SQLITE, 'sqliteSink: ');
  const { name = path, maxAge = 30 * DAY, maxBytes = 512 * 1024 * 1024, durability = 'batch' } = options;
  checkInteger('sqliteSink: maxBytes', maxBytes, 65_536);
  const defaults = queueDefaults({ capacity: Number.MAX_SAFE_INTEGER, ...options }, 'sqliteSink');
  const { logger } = defaults;
  const isSync = durability === 'sync';
  const redactor = redactorOf(options.redact);
  const retention = { maxAge: maxAge === 0 ? Number.POSITIVE_INFINITY : maxAge, maxBytes };
  const opening = { isSync, maxBytes, note: (text: string) => report(logger, text) };
  const streams = createStreams();
  const mark = createOpenMark(path, isSync);
  let file: RecordFile | undefined;
  let lost = 0;
  let lostSince = 0;
  const writing = createWriteReport(path, logger);
  /** No more records are taken. */
  let closed = false;
  /** No more are written. */
  let ended = false;
  let written = 0;
  let pruned = Number.NEGATIVE_INFINITY;
  let rest: NodeJS.Timeout | undefined;

  function insert(rows: readonly RecordRow[]): void {
    if (file?.isThere() === false) {
      report(logger, `${path} was deleted or moved while it was written; a new file is begun`);
      file.close();
      file = undefined;
    }
    file ??= openRecordFile(path, { ...opening, wait: isSync ? LONG_WAIT : SHORT_WAIT });
    file.insert(rows);
    for (const { json } of rows) written += json.length;
    const now = performance.now();
    if (written < maxBytes / 20 && now - pruned < PRUNE_EVERY) return;
    written = 0;
    pruned = now;
    prune();
  }

  function prune(): void {
    clearTimeout(rest);
    rest = undefined;
    if (!pruneSome()) return;
    rest = setTimeout(() => {
      try {
        prune();
      } catch (error) {
        report(logger, `What is too old is not deleted from ${path}: ${messageOf(error)}`, error);
      }
    }, PRUNE_ON).unref();
  }

  /** Whether more records are left to delete. */
  function pruneSome(): boolean {
    try {
      return file?.prune(retention) === true;
    } catch (error) {
      // Another process is writing, or there is no room: pruning is tried again later.
      if (sqliteProblem(error) === undefined) throw error;
      return false;
    }
  }

  function failed(error: unknown, count: number): void {
    lost += count;
    lostSince += count;
    const kind = sqliteProblem(error);
    // SQLite goes on with a file as it could be opened: only for reading.
    if (kind === 'closed') {
      file?.close();
      file = undefined;
    }
    // SQLite gives a full disk several names.
    writing.failed(error, kind ?? 'full');
    writing.lost(count);
    mark.missed(lostSince);
  }

  function settled(): void {
    writing.written();
    lostSince = 0;
    mark.missed(0);
  }

  /** Waits for other processes' locks without blocking the thread. */
  async function write(rows: readonly RecordRow[]): Promise<void> {
    for (let wait = 5; !ended; wait = Math.min(2 * wait, 250)) {
      try {
        insert(rows);
        return settled();
      } catch (error) {
        const kind = sqliteProblem(error);
        if (kind === undefined) throw error;
        if (kind !== 'busy')
          return failed(
            error,
            rows.reduce((sum, row) => sum + recordsIn(row), 0),
          );
        await sleep(wait);
      }
    }
  }

  const queue = createQueue<RecordRow>({
    ...defaults,
    name,
    weigh: ({ json }) => json.length,
    size: recordsIn,
    batch: BATCH,
    write,
    failed(dropped) {
      // The mark itself counts those that were refused.
      lostSince += dropped;
      mark.missed(lostSince);
      streams.detach();
    },
  });

  function push(record: HookRecord): void {
    try {
      readPiece(redactor, record);
      if (closed || !queue.hasRoom) {
        queue.refuse();
        if (!closed) mark.refused();
        return;
      }
      take(redactor?.redact(record) ?? record);
    } catch (error) {
      lost += 1;
      report(logger, `Sink "${name}": record ${record.seq} cannot be written: ${messageOf(error)}`, error);
    }
  }

  function take(masked: HookRecord, text = wellFormedJson(masked)): void {
    const row = rowOf(masked, text);
    if (isSync) pushNow(row);
    else keep(row);
  }

  function keep(row: RecordRow): void {
    mark.host(row.host_id ?? undefined);
    queue.push(row);
  }

  function pushLine({ records, text }: PackedLine): void {
    const [first] = records;
    if (isSync || closed || !queue.hasRoom || records.length === 1) for (const record of records) push(record);
    else if (first !== undefined)
      try {
        const masked = redactor === undefined ? records : records.map((record) => redactor.redact(record));
        const isAsItCame = masked.every((record, i) => record === records[i]);
        // If masking changed a name in one record only, the records no longer share it and cannot be packed.
        const [one, ...others] = isAsItCame ? [text] : packed(masked).map((item) => wellFormedJson(item));
        const row = others.length > 0 ? undefined : rowOfPacked(masked, one as string);
        if (row === undefined) for (const record of masked) take(record);
        else keep(row);
      } catch (error) {
        lost += records.length;
        report(logger, `Sink "${name}": records from ${first.seq} on cannot be written: ${messageOf(error)}`, error);
      }
  }

  function pushNow(row: RecordRow): void {
    mark.host(row.host_id ?? undefined);
    try {
      insert([row]);
      settled();
    } catch (error) {
      failed(error, 1);
    }
  }

  function letGo(): void {
    ended = true;
    writing.closed();
    try {
      const end = performance.now() + PRUNE_LAST;
      if (rest !== undefined) while (pruneSome() && performance.now() < end);
      clearTimeout(rest);
      file?.close();
    } catch (error) {
      report(logger, `${path} was not closed: ${messageOf(error)}`, error);
    }
    file = undefined;
  }

  if (isSync) file = openNow(path, opening);
  const sink = sinkAround({
    name,
    streams,
    queue,
    push,
    lost: () => lost,
    async close() {
      closed = true;
      if (await queue.close()) mark.end(lostSince);
      letGo();
    },
  });
  return Object.assign(sink, { pushLine });
}
