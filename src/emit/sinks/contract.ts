import { deepEqual, equal, ok } from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HookRecord } from '../record.js';
import type { RecordStream, Sink, SinkOptions } from '../sink.js';

/** The sink under test, with an empty place of its own to store records in. */
export interface SinkUnderTest {
  /** Makes the sink. Called again only after the previous sink was closed, then for the same place. */
  make(options: SinkOptions): Sink;
  /** The stored records in the order of storing. Called after `flush` or `close`. */
  kept(): readonly HookRecord[] | Promise<readonly HookRecord[]>;
  /** Makes a sink whose every write fails; leave it out if that cannot be arranged. */
  broken?(options: SinkOptions): Sink;
}

/** One promise of the contract. `run` rejects with an AssertionError if the sink breaks it. */
export interface SinkCase {
  /** What the sink must do; used as a test's title. */
  readonly name: string;
  /** Makes a sink and checks the promise. */
  run(makeSink: () => SinkUnderTest | Promise<SinkUnderTest>): Promise<void>;
}

/** Recent times, since sinks may delete old records. */
const BEGAN = Date.now();

/** A sample record, as a host would make it. */
function record(seq: number, reason = 'not here'): HookRecord {
  return Object.freeze({
    seq,
    time: new Date(BEGAN + seq).toISOString(),
    host_id: 'c0ffee000000',
    type: 'tool_call',
    session_id: 'session-1',
    scope: 'session',
    tool_name: 'Bash',
    tool_use_id: `toolu_${seq}`,
    status: 'denied',
    ran: false,
    reason,
    hooks_ms: Object.freeze({ PreToolUse: 1 }),
  });
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

async function seqs(under: SinkUnderTest): Promise<number[]> {
  return (await under.kept()).map(({ seq }) => seq);
}

/** A stream like `host.events$` that counts its subscribers. */
function streamOf() {
  const watchers = new Set<(record: HookRecord) => void>();
  const events$: RecordStream = {
    subscribe({ next }) {
      const watcher = (one: HookRecord): void => next(one);
      watchers.add(watcher);
      return { unsubscribe: () => void watchers.delete(watcher) };
    },
  };
  return {
    events$,
    emit: (one: HookRecord): void => watchers.forEach((watcher) => void watcher(one)),
    get watchers() {
      return watchers.size;
    },
  };
}

function listener() {
  const told: string[] = [];
  return { told, logger: (message: string): void => void told.push(message) };
}

/**
 * The promises that every sink of hookscope keeps, as cases for any test runner:
 *
 * ```ts no-run
 * import { SINK_CONTRACT } from 'hookscope/sinks/contract';
 * for (const { name, run } of SINK_CONTRACT) test(name, () => run(() => ({ make, kept })));
 * ```
 */
export const SINK_CONTRACT: readonly SinkCase[] = [
  {
    name: 'keeps every record once, as it is, in order',
    async run(makeSink) {
      const under = await makeSink();
      const sink = under.make({ redact: false });
      for (const seq of upTo(500)) sink.push(record(seq));
      await sink.flush();
      equal(sink.pending, 0);
      await sink.close();
      deepEqual(
        await under.kept(),
        upTo(500).map((seq) => record(seq)),
      );
      equal(sink.dropped, 0);
    },
  },
  {
    name: 'goes on where an earlier one was closed',
    async run(makeSink) {
      const under = await makeSink();
      for (const seq of upTo(3)) {
        const sink = under.make({});
        sink.push(record(seq));
        await sink.close();
      }
      deepEqual(await seqs(under), upTo(3));
    },
  },
  {
    name: 'takes what a stream sends from attach to its undo',
    async run(makeSink) {
      const under = await makeSink();
      const sink = under.make({});
      const stream = streamOf();
      stream.emit(record(1));
      const undo = sink.attach(stream.events$);
      stream.emit(record(2));
      undo();
      undo();
      equal(stream.watchers, 0);
      stream.emit(record(3));
      await sink.close();
      deepEqual(await seqs(under), [2]);
    },
  },
  {
    name: 'takes what a stream sends once, however often it is attached',
    async run(makeSink) {
      const under = await makeSink();
      const sink = under.make({});
      const stream = streamOf();
      const undos = [sink.attach(stream.events$), sink.attach(stream.events$)];
      stream.emit(record(1));
      for (const undo of undos) undo();
      equal(stream.watchers, 0);
      stream.emit(record(2));
      await sink.close();
      deepEqual(await seqs(under), [1]);
    },
  },
  {
    name: 'drops the newest where too many wait, and counts each',
    async run(makeSink) {
      const under = await makeSink();
      const { told, logger } = listener();
      const sink = under.make({ capacity: 10, logger });
      for (const seq of upTo(50)) sink.push(record(seq));
      await sink.close();
      const kept = await seqs(under);
      equal(kept.length + sink.dropped, 50);
      deepEqual(kept, upTo(kept.length));
      ok(kept.length === 50 || told.length > 0, 'the logger was not told of what was dropped');
    },
  },
  {
    name: 'bounds what waits by bytes too',
    async run(makeSink) {
      const under = await makeSink();
      const sink = under.make({ maxPendingBytes: 100_000, logger: listener().logger });
      for (const seq of upTo(50)) sink.push(record(seq, 'word '.repeat(4000)));
      ok(sink.pending <= 12, `${sink.pending} records of 20,000 bytes wait where 100,000 bytes may`);
      await sink.close();
      equal((await seqs(under)).length + sink.dropped, 50);
    },
  },
  {
    name: 'close writes what waits, lets go of its streams, and takes nothing more',
    async run(makeSink) {
      const under = await makeSink();
      const sink = under.make({ logger: listener().logger });
      const stream = streamOf();
      sink.attach(stream.events$);
      for (const seq of upTo(100)) stream.emit(record(seq));
      await Promise.all([sink.close(), sink.close()]);
      equal(stream.watchers, 0);
      sink.push(record(101));
      await sink.flush();
      deepEqual(await seqs(under), upTo(100));
      equal(sink.dropped, 1);
    },
  },
  {
    name: 'masks secrets unless it is told not to',
    async run(makeSink) {
      const secret = `ghp_${'a1B2'.repeat(9)}`;
      for (const redact of [undefined, false] as const) {
        const under = await makeSink();
        const sink = under.make(redact === undefined ? {} : { redact });
        sink.push(record(1, `it printed ${secret}`));
        await sink.close();
        const [kept] = await under.kept();
        equal(JSON.stringify(kept).includes(secret), redact === false);
        equal(kept?.redacted?.count, redact === undefined ? 1 : undefined);
      }
    },
  },
  {
    name: 'push never throws, whatever it is given, and what is not stored is counted',
    async run(makeSink) {
      const under = await makeSink();
      const { told, logger } = listener();
      const sink = under.make({ logger });
      const circle: Record<string, unknown> = { ...record(1) };
      circle['hooks_ms'] = circle;
      for (const one of [circle, { ...record(2), reason: 1n }]) sink.push(one as never);
      sink.push(record(3));
      await sink.close();
      // A sink may end at a record that cannot be written, as those of `createSink` do.
      const { length } = await under.kept();
      equal(
        length + sink.dropped,
        3,
        `${length} of 3 records were stored, and ${sink.dropped} counted: ${told.join('; ')}`,
      );
    },
  },
  {
    name: 'one that fails tells the logger, counts what it lost, and holds nobody up',
    async run(makeSink) {
      const { broken } = await makeSink();
      if (broken === undefined) return;
      const { told, logger } = listener();
      const sink = broken({ logger });
      const stream = streamOf();
      sink.attach(stream.events$);
      for (const seq of upTo(20)) stream.emit(record(seq));
      await sink.flush();
      await nextTurn();
      for (const seq of upTo(20)) stream.emit(record(20 + seq));
      await sink.close();
      equal(sink.pending, 0);
      ok(sink.dropped >= 20, `${sink.dropped} of 20 lost records were counted`);
      ok(told.length > 0, 'the logger was not told');
      equal(stream.watchers, 0);
    },
  },
];
