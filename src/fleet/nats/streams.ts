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

type Verbs = FleetEngine['decisions'] & { prepare(): Promise<void> };

/** Decisions are a stream. */
export function createStream(connection: Connection, subjects: Subjects): Verbs {
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
    const found = await consumer.consume({ max_messages: 500 });
    const stop = (): void => found.stop();
    follow?.addEventListener('abort', stop, { once: true });
    if (follow?.aborted) stop();
    try {
      for await (const message of found) {
        const id = message.headers?.get('Nats-Msg-Id') ?? `${message.seq}`;
        yield { host: subjects.hostIn(message.subject), id, bytes: message.data, place: message.seq };
        if (follow === undefined && message.seq >= last) return;
      }
    } finally {
      follow?.removeEventListener('abort', stop);
      await found.close().catch(() => undefined);
      await consumer.delete().catch(() => false);
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
