import type { KV, KvEntry, KvWatchOptions } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { type FleetEngine, KEPT_POSTS, type Posted } from '../engine.js';
import { overtaken } from '../memory.js';
import type { Connection } from './connection.js';
import { jetstreamLibrary, loaded } from './load.js';
import type { Subjects } from './subjects.js';
import { answered, READ, watchChannel } from './watch.js';

/** Milliseconds that a host's last status is kept. */
const KEPT = 7 * 24 * 3600 * 1000;
/** The server refuses a larger message (`max_payload`). */
const MOST_BYTES = 1024 * 1024;
/** A channel that keeps 32 posts has sent them all long before. */
const MOST_READ = 8 * KEPT_POSTS;
/** Bytes of a message that are not the bundle. */
const HEADERS = 1024;

type BucketVerbs = Pick<FleetEngine, 'policy' | 'state'> & { prepare(): Promise<void> };

/** Policy and state are key-value buckets. */
export function createBuckets(connection: Connection, subjects: Subjects): BucketVerbs {
  const library = () => loaded(() => import('@nats-io/kv'), '@nats-io/kv');
  const kvm = async (nc: NatsConnection) => new (await library()).Kvm(nc);
  const open = async (bucket: string, nc = connection.get()): Promise<KV> => (await kvm(nc)).open(bucket);
  const tried = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw connection.failed(error);
    }
  };

  /** Every bucket takes a message with the header `Nats-Rollup: all` for the only one to keep: one host's state in place of all others'. */
  const noRollup = async (nc: NatsConnection, stream: string): Promise<void> => {
    const { streams: kept } = await (await jetstreamLibrary()).jetstreamManager(nc);
    const { config } = await kept.info(stream);
    if (config.allow_rollup_hdrs) await kept.update(stream, { ...config, allow_rollup_hdrs: false });
  };

  const fits = (bytes: Uint8Array): void => {
    const most = (connection.get().info?.max_payload ?? MOST_BYTES) - HEADERS;
    if (bytes.length > most)
      throw connection.failed(
        `the bundle has ${bytes.length} bytes, and the broker takes ${most} (its max_payload): leave out what hosts do not need, or make two channels of it`,
      );
  };

  return {
    policy: {
      fits,
      watch: (channel, seen) => watchChannel(connection, subjects, channel, seen),
      post: (channel, bytes, after) =>
        tried(async () => {
          fits(bytes);
          const bucket = await open(subjects.policy);
          try {
            return await (after === 0 ? bucket.create(channel, bytes) : bucket.update(channel, bytes, after));
          } catch (error) {
            if (!/wrong last sequence/.test(String(error))) throw error;
            const deleted = await deletedAfter(bucket, channel, after);
            if (deleted === undefined) throw overtaken(channel);
            return await bucket.update(channel, bytes, deleted);
          }
        }),
      history: (channel) =>
        tried(async () => {
          const bucket = await open(subjects.policy);
          const last = await bucket.get(channel);
          if (last === null) return [];
          const { KvWatchInclude } = await library();
          const all = await upTo(last.revision, bucket, { key: channel, include: KvWatchInclude.AllHistory });
          return all.filter(isThere).map(({ value, revision, created }) => ({
            bytes: value,
            version: revision,
            at: created.toISOString(),
          }));
        }),
      past: (channel, after) =>
        tried(async () => {
          const { jetstreamManager } = await jetstreamLibrary();
          const { direct } = await jetstreamManager(connection.get(), { checkAPI: false, timeout: READ });
          const [all, subject]: [Posted[], string] = [[], subjects.policyOf(channel)];
          for (let [seq, left] = [after + 1, MOST_READ]; all.length < 2 * KEPT_POSTS; left--) {
            const found = await answered(direct.getMessage(subjects.policyBucket, { seq, next_by_subj: subject }));
            if (found === null) break;
            if (found.seq < seq || left === 0) throw new Error(`it keeps sending what was posted before ${seq}`);
            if (!found.header.has('KV-Operation'))
              all.push({ bytes: found.data, version: found.seq, at: found.time.toISOString() });
            seq = found.seq + 1;
          }
          return all;
        }),
    },
    state: {
      share: (host, bytes) =>
        tried(async () => {
          const { jetstream } = await jetstreamLibrary();
          // A host may not ask for the bucket itself.
          await jetstream(connection.get()).publish(subjects.stateOf(host), bytes);
        }),
      all: () =>
        tried(async () => {
          const bucket = await open(subjects.state);
          const all = await reports(connection.get(), subjects, bucket);
          if (all.length === 0) return [];
          const now = await timeAt(connection.get(), subjects.stateBucket);
          return all.filter(isThere).map(({ key, value, created }) => ({
            host: key,
            bytes: value,
            age: Math.round(now - +created),
          }));
        }),
    },
    prepare: () =>
      tried(async () => {
        const all = await kvm(connection.get());
        await all.create(subjects.policy, { history: KEPT_POSTS, maxValueSize: MOST_BYTES });
        await all.create(subjects.state, { history: 1, ttl: KEPT });
        await noRollup(connection.get(), subjects.stateBucket);
      }),
  };
}

/** What time it is at the broker, which says when a consumer was made. */
async function timeAt(nc: NatsConnection, stream: string): Promise<number> {
  const { jetstreamManager, DeliverPolicy, AckPolicy } = await jetstreamLibrary();
  const { consumers } = await jetstreamManager(nc);
  const how = { deliver_policy: DeliverPolicy.New, ack_policy: AckPolicy.None, inactive_threshold: SILENCE * 1e6 };
  const { created, name } = await consumers.add(stream, how);
  await consumers.delete(stream, name).catch(() => false);
  return Date.parse(created);
}

const isThere = ({ operation }: KvEntry): boolean => operation === 'PUT';

/** The revision of the mark that an entry was deleted, if that is all that came after this one. */
async function deletedAfter(bucket: KV, key: string, after: number): Promise<number | undefined> {
  const last = await bucket.get(key);
  if (last === null || isThere(last)) return undefined;
  const { KvWatchInclude } = await loaded(() => import('@nats-io/kv'), '@nats-io/kv');
  const all = await upTo(last.revision, bucket, { key, include: KvWatchInclude.AllHistory });
  return (all.findLast(isThere)?.revision ?? 0) <= after ? last.revision : undefined;
}

/** The latest status of each host. One that reports while all are read may not be among these: it is read by itself. */
async function reports(nc: NatsConnection, subjects: Subjects, bucket: KV): Promise<KvEntry[]> {
  const { streams } = await (await jetstreamLibrary()).jetstreamManager(nc);
  const { state } = await streams.info(subjects.stateBucket, { subjects_filter: '>' });
  if (state.messages === 0) return [];
  const found = new Map((await upTo(state.last_seq, bucket, {})).map((entry) => [entry.key, entry]));
  for (const subject of Object.keys(state.subjects ?? {})) {
    const host = subject.slice(subjects.stateOf('').length);
    const entry = found.has(host) ? null : await bucket.get(host);
    if (entry !== null) found.set(host, entry);
  }
  return [...found.values()];
}

/** Milliseconds without a value after which reading ends: what was still expected has expired. */
const SILENCE = 5_000;

/**
 * The entries of a bucket, up to the revision that was the last when reading began. The bucket's own `history` waits forever if a key is written meanwhile: the old value that it
 * still counts on is gone, and the new one has a higher revision.
 */
async function upTo(last: number, bucket: KV, options: KvWatchOptions): Promise<KvEntry[]> {
  const found: KvEntry[] = [];
  const entries = await bucket.watch(options);
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => entries.stop(), SILENCE);
  };
  wait();
  for await (const entry of entries) {
    wait();
    found.push(entry);
    // The last revision may be of no entry: one that was refused, or has expired.
    if (entry.revision >= last || entry.delta === 0) break;
  }
  clearTimeout(timer);
  return found;
}
