import { join } from 'node:path';
import { wellFormedJson } from '../../plain.js';
import { checkKeys, checkOption, type Keys } from '../../values/options.js';
import { FILLED, oneOf } from '../../values/shape.js';
import { stateFolder } from '../../values/user-folders.js';
import { messageOf } from '../../values/waiting/promises.js';
import { report } from '../guard.js';
import type { HookRecord } from '../record.js';
import { redactorOf } from '../redact/redactor.js';
import {
  checkInteger,
  createStreams,
  queueDefaults,
  readPiece,
  SINK,
  type Sink,
  type SinkOptions,
  sinkAround,
} from '../sink.js';
import { createQueue } from '../sink-queue.js';
import { createOpenMark } from './files/open-mark.js';
import { createRotatingFile } from './files/rotating-file.js';
import { createSyncFile } from './files/sync-file.js';

/** Options of `ndjsonSink`. */
export interface NdjsonOptions extends SinkOptions {
  /** Most records that wait to be written; default: as many as fit `maxPendingBytes`. Newer records are dropped. */
  readonly capacity?: number;
  /** Most bytes in a file (a longer line gets a file of its own); default 64 MiB. */
  readonly maxBytes?: number;
  /** `sync`: a record is on the disk when `push` returns, so the agent waits for each write. Default: written in the next turn. */
  readonly durability?: 'batch' | 'sync';
  /** How many full files are kept next to the current one, as `path.1` (the newest) to `path.<keep>`; default 5. */
  readonly keep?: number;
}

const NDJSON: Keys<NdjsonOptions> = { ...SINK, maxBytes: true, keep: true, durability: oneOf('batch', 'sync') };

/**
 * Writes each record as one line of JSON to a file that only its owner can read (0600; missing folders are made 0700). The
 * file has only whole lines: part of a line that a crash left behind is moved to `path.torn` at the next opening. A record
 * that arrives while `maxPendingBytes` wait, or cannot be written (ENOSPC, EACCES …), is dropped and counted in `dropped`,
 * the logger reports it, and the next record is tried again.
 *
 * ```ts
 * const sink = ndjsonSink('logs/hooks.ndjson', { maxBytes: 10_000_000, keep: 3 });
 * sink.attach(host.events$);
 * await sink.close();
 * ```
 * `path`: default `$XDG_STATE_HOME/hookscope/records.ndjson`.
 * @throws HookscopeError INVALID_OPTIONS
 */
export function ndjsonSink(path: string = join(stateFolder(), 'records.ndjson'), options: NdjsonOptions = {}): Sink {
  checkOption('ndjsonSink(path)', path, FILLED);
  checkKeys(options, NDJSON, 'ndjsonSink: ');
  const { name = path, maxBytes = 64 * 1024 * 1024, keep = 5 } = options;
  checkInteger('ndjsonSink: maxBytes', maxBytes, 1);
  checkInteger('ndjsonSink: keep', keep, 1);
  const defaults = queueDefaults({ capacity: Number.MAX_SAFE_INTEGER, ...options }, 'ndjsonSink');
  const { logger } = defaults;
  const redactor = redactorOf(options.redact);
  const streams = createStreams();
  const file = createRotatingFile({ path, maxBytes, keep, logger });
  const now = options.durability === 'sync' ? createSyncFile({ path, maxBytes, keep, logger }) : undefined;
  const mark = createOpenMark(path, now !== undefined);
  let lost = 0;
  /** How many records were lost since the last successful write. */
  let lostSince = 0;
  let closed = false;
  const queue = createQueue<Buffer>({
    ...defaults,
    name,
    weigh: (line) => line.length,
    batch: 1024,
    async write(lines) {
      const missed = await file.append(lines);
      lost += missed;
      lostSince = missed === lines.length ? lostSince + missed : missed;
      mark.missed(lostSince);
    },
    failed: streams.detach,
  });

  // Serialised immediately, so that the file has the record as it was pushed, and only if there is room for it.
  function push(record: HookRecord): void {
    try {
      readPiece(redactor, record);
      if (closed || !queue.hasRoom) refuse();
      else take(Buffer.from(`${wellFormedJson(redactor?.redact(record) ?? record)}\n`), record.host_id);
    } catch (error) {
      lost += 1;
      report(logger, `Sink "${name}": record ${record.seq} cannot be written as JSON: ${messageOf(error)}`, error);
    }
  }

  function refuse(): void {
    queue.refuse();
    if (!closed) mark.refused();
  }

  function take(line: Buffer, host: string | undefined): void {
    mark.host(host);
    if (now === undefined) {
      queue.push(line);
      return;
    }
    const isWritten = now.append(line);
    if (!isWritten) lost += 1;
    lostSince = isWritten ? 0 : lostSince + 1;
    mark.missed(lostSince);
  }

  return sinkAround({
    name,
    streams,
    queue,
    push,
    lost: () => lost,
    async close() {
      closed = true;
      now?.close();
      const written = await queue.close();
      // A write that hangs may be lost, so the mark stays.
      if (written) mark.end(lostSince);
      const ended = file.close();
      // A write that hangs would also block the closing of the file.
      if (written) await ended;
    },
  });
}
