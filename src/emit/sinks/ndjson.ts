import { checkKeys, type Keys } from '../../values/options.js';
import { messageOf } from '../../values/promises.js';
import { report } from '../guard.js';
import type { HookRecord } from '../record.js';
import { checkInteger, createStreams, queueDefaults, SINK, type Sink, type SinkOptions } from '../sink.js';
import { createQueue } from '../sink-queue.js';
import { createRotatingFile } from './rotating-file.js';

/** Options of `ndjsonSink`. */
export interface NdjsonOptions extends SinkOptions {
  /** Most records that wait to be written; default: as many as `maxPendingBytes` hold. The newest is the one dropped. */
  readonly capacity?: number;
  /** Most bytes of lines that wait to be written, 64 MiB unless given: so much an agent may cause before it lets the event loop turn. */
  readonly maxPendingBytes?: number;
  /** Most bytes a file holds (a single longer line has a file of its own); default 64 MiB. */
  readonly maxBytes?: number;
  /** How many full files are kept beside the current one, as `path.1` (the newest) to `path.<keep>`; default 5. */
  readonly keep?: number;
}

const NDJSON: Keys<NdjsonOptions> = { ...SINK, maxPendingBytes: true, maxBytes: true, keep: true };

/**
 * Writes each record as one line of JSON to a file only its owner can read (0600; missing folders are made 0700). Lines are
 * whole whatever happens to the process: the rest of a line cut short by a crash is moved to `path.torn` at the next opening.
 * What finds `maxPendingBytes` waiting is dropped, and so is what cannot be written (ENOSPC, EACCES …): it is counted in
 * `dropped`, the logger is informed, and the next record is tried again.
 *
 * ```ts
 * const sink = ndjsonSink('logs/hooks.ndjson', { maxBytes: 10_000_000, keep: 3 });
 * sink.attach(host.events$);
 * await sink.close();
 * ```
 * @throws HookscopeError INVALID_OPTIONS
 */
export function ndjsonSink(path: string, options: NdjsonOptions = {}): Sink {
  checkKeys(options, NDJSON, 'ndjsonSink: ');
  const { name = path, maxPendingBytes = 64 * 1024 * 1024, maxBytes = 64 * 1024 * 1024, keep = 5 } = options;
  checkInteger('ndjsonSink: maxPendingBytes', maxPendingBytes, 1);
  checkInteger('ndjsonSink: maxBytes', maxBytes, 1);
  checkInteger('ndjsonSink: keep', keep, 1);
  const defaults = queueDefaults({ capacity: Number.MAX_SAFE_INTEGER, ...options }, 'ndjsonSink');
  const { logger } = defaults;
  const streams = createStreams();
  const file = createRotatingFile({ path, maxBytes, keep, logger });
  let lost = 0;
  const queue = createQueue<Buffer>({
    ...defaults,
    name,
    maxWeight: maxPendingBytes,
    weigh: (line) => line.length,
    batch: 1024,
    async write(lines) {
      lost += await file.append(lines);
    },
    failed: streams.detach,
  });

  // Serialised at once, so that what is written is what was emitted; not at all when there is no room for it.
  function push(record: HookRecord): void {
    try {
      if (queue.hasRoom) queue.push(Buffer.from(`${JSON.stringify(record)}\n`));
      else queue.refuse();
    } catch (error) {
      lost += 1;
      report(logger, `Sink "${name}": record ${record.seq} cannot be written as JSON: ${messageOf(error)}`, error);
    }
  }

  return {
    name,
    attach: (events$) => streams.attach(events$, push),
    push,
    get dropped() {
      return queue.dropped + lost;
    },
    get pending() {
      return queue.pending;
    },
    flush: () => queue.flush(),
    async close() {
      streams.detach();
      const written = await queue.close();
      const closed = file.close();
      // A write that hangs would hold the closing of the file too.
      if (written) await closed;
    },
  };
}
