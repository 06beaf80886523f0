import type { FleetEngine, SentRecord } from '../engine.js';
import type { Connection } from './connection.js';
import { jetstreamLibrary } from './load.js';
import type { Subjects } from './subjects.js';

/** Milliseconds for an acknowledgement. */
const PATIENCE = 5_000;
/** Nanoseconds in which the server itself drops what it has by id; beyond it readers do. */
const WINDOW = 2 * 60 * 1e9;
/** A reader that is gone is forgotten after this many milliseconds. */
const FORGET = 30_000;
/** Milliseconds between two looks whether anything is still to come, while nothing comes. */
const LOOK = 1_000;
/** After so many of them it is asked: what was sent is here by then. */
const QUIET = 2;

type StreamVerbs = FleetEngine['decisions'] & { prepare(): Promise<void> };

/** Decisions are a stream. */
export function createStream(connection: Connection, subjects: Subjects): StreamVerbs {
  const client = async () => (await jetstreamLibrary()).jetstream(connection.get());
  const tried = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw connection.failed(error);
    }
  };
  let sender: { readonly of: unknown; readonly js: Awaited<ReturnType<typeof client>> } | undefined;

  async function* read(after: number, follow?: AbortSignal): AsyncGenerator<SentRecord> {
    try {
      yield* entries(after, follow);
    } catch (error) {
      throw connection.failed(error);
    }
  }

  async function* entries(after: number, follow?: AbortSignal): AsyncGenerator<SentRecord> {
    const { jetstreamManager, DeliverPolicy } = await jetstreamLibrary();
    const manager = await jetstreamManager(connection.get());
    const { last_seq: last, first_seq: first, messages } = (await manager.streams.info(subjects.log)).state;
    if (follow === undefined && (messages === 0 || last <= after)) return;
    const js = manager.jetstream();
    const start = Math.max(after + 1, first);
    const consumer = await js.consumers.get(subjects.log, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: start,
      inactive_threshold: FORGET,
    });
    const gone = async (): Promise<unknown> => consumer.delete().catch(() => false);
    // The last sequence may be of no message: one that was refused, was deleted or has expired.
    if (follow === undefined && (await consumer.info()).num_pending === 0) return void (await gone());
    const found = await consumer.consume({ max_messages: 500 });
    const stop = (): void => found.stop();
    follow?.addEventListener('abort', stop, { once: true });
    if (follow?.aborted) stop();
    const looking = follow === undefined ? whenIdle(() => consumer.info(), stop) : undefined;
    try {
      for await (const message of found) {
        const { seq, info } = message;
        const id = message.headers?.get('Nats-Msg-Id') ?? `${seq}`;
        looking?.busy(true);
        yield { host: subjects.hostIn(message.subject), id, bytes: message.data, place: seq };
        looking?.busy(false);
        if (follow === undefined && (seq >= last || info.pending === 0)) return;
      }
      if (looking?.failure !== undefined) throw looking.failure;
    } finally {
      looking?.end();
      follow?.removeEventListener('abort', stop);
      await found.close().catch(() => undefined);
      await gone();
    }
  }

  return {
    append: (host, id, bytes) =>
      tried(async () => {
        const nc = connection.get();
        if (sender?.of !== nc) sender = { of: nc, js: await client() };
        await sender.js.publish(subjects.logOf(host), bytes, { msgID: id, timeout: PATIENCE });
      }),
    read,
    prepare: () =>
      tried(async () => {
        const { jetstreamManager } = await jetstreamLibrary();
        const manager = await jetstreamManager(connection.get());
        const isThere = await manager.streams.info(subjects.log).then(
          () => true,
          () => false,
        );
        if (isThere) return;
        await manager.streams.add({
          name: subjects.log,
          subjects: [subjects.logOf('*')],
          duplicate_window: WINDOW,
        });
      }),
  };
}

/** Looks while nothing comes whether anything is still to come; calls `stop` if not, or if that cannot be told. What was still expected may have been deleted, or the broker is gone. */
function whenIdle(look: () => Promise<{ readonly num_pending: number }>, stop: () => void) {
  let [quiet, isBusy] = [0, false];
  let failure: unknown;
  const timer = setInterval(async () => {
    if (isBusy || ++quiet < QUIET) return;
    try {
      if ((await look()).num_pending > 0 || isBusy || quiet < QUIET) return;
    } catch (error) {
      failure = error;
    }
    stop();
  }, LOOK);
  return {
    busy(is: boolean): void {
      [quiet, isBusy] = [0, is];
    },
    end: () => clearInterval(timer),
    get failure() {
      return failure;
    },
  };
}
