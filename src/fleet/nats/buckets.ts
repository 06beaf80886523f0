import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import type { FleetEngine, Posted } from '../engine.js';
import { overtaken } from '../memory.js';
import type { Connection } from './connection.js';
import { loaded } from './load.js';
import type { Subjects } from './subjects.js';

/** Posts of a channel that are kept, to roll back to. */
const HISTORY = 32;
/** Milliseconds that the last word of a host is kept. */
const KEPT = 7 * 24 * 3600 * 1000;
/** The server refuses a larger message (`max_payload`). */
const MOST_BYTES = 1024 * 1024;

type Verbs = Pick<FleetEngine, 'policy' | 'state'> & { prepare(): Promise<void> };

/** Policy and state are key-value buckets. */
export function createBuckets(connection: Connection, subjects: Subjects): Verbs {
  const kvm = async (nc: NatsConnection) => {
    const { Kvm } = await loaded(() => import('@nats-io/kv'), '@nats-io/kv');
    return new Kvm(nc);
  };
  const open = async (bucket: string, nc = connection.get()): Promise<KV> => (await kvm(nc)).open(bucket);
  const tried = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw connection.failed(error);
    }
  };

  return {
    policy: {
      watch: (channel, seen) => {
        let told: number | undefined;
        const tell = (posted: Posted | undefined): void => {
          const version = posted?.version ?? 0;
          // After a loss of the connection what stands there is seen again.
          if (told === version) return;
          told = version;
          seen(posted);
        };
        return connection.each(async (nc, signal) => {
          const bucket = await open(subjects.policy, nc);
          if ((await bucket.get(channel)) === null) tell(undefined);
          const entries = await bucket.watch({ key: channel });
          const stop = (): void => entries.stop();
          if (signal.aborted) stop();
          signal.addEventListener('abort', stop, { once: true });
          for await (const { operation, value, revision } of entries)
            tell(operation === 'PUT' ? { bytes: value, version: revision } : undefined);
        });
      },
      post: (channel, bytes, after) =>
        tried(async () => {
          const bucket = await open(subjects.policy);
          try {
            return await (after === 0 ? bucket.create(channel, bytes) : bucket.update(channel, bytes, after));
          } catch (error) {
            if (/wrong last sequence/.test(String(error))) throw overtaken(channel);
            throw error;
          }
        }),
      history: (channel) =>
        tried(async () => {
          const posts: Posted[] = [];
          for await (const { operation, value, revision } of await (await open(subjects.policy)).history({
            key: channel,
          }))
            if (operation === 'PUT') posts.push({ bytes: value, version: revision });
          return posts;
        }),
    },
    state: {
      share: (host, bytes) => tried(async () => void (await (await open(subjects.state)).put(host, bytes))),
      all: () =>
        tried(async () => {
          const bucket = await open(subjects.state);
          const all: { host: string; bytes: Uint8Array }[] = [];
          for await (const { key, operation, value } of await bucket.history({ key: '>' }))
            if (operation === 'PUT') all.push({ host: key, bytes: value });
          return all;
        }),
    },
    prepare: () =>
      tried(async () => {
        const all = await kvm(connection.get());
        await all.create(subjects.policy, { history: HISTORY, maxValueSize: MOST_BYTES });
        await all.create(subjects.state, { history: 1, ttl: KEPT });
      }),
  };
}
