import { HookscopeError } from '../errors.js';
import { greatest } from '../values/append.js';
import type { FleetEngine, OpenQuestion, Posted, SentRecord, Stop } from './engine.js';

interface QueuedQuestion {
  readonly question: OpenQuestion;
  answered(answer: Uint8Array): Uint8Array;
}

/** Posts of a channel that are kept. */
const KEPT = 64;

/** What several engines in one process share. `away`: simulates an unreachable broker. */
export class MemoryBroker {
  readonly posts = new Map<string, Posted[]>();
  readonly entries: SentRecord[] = [];
  readonly ids = new Set<string>();
  readonly states = new Map<string, { readonly bytes: Uint8Array; readonly time: number }>();
  readonly waiting = new Map<string, QueuedQuestion>();
  readonly #listeners = new Set<() => void>();
  #away = false;

  get away(): boolean {
    return this.#away;
  }

  set away(away: boolean) {
    if (away === this.#away) return;
    this.#away = away;
    this.changed();
  }

  /** Notifies all listeners of a change. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls it at every change. */
  listen(listener: () => void): Stop {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/**
 * A fleet within one process, for tests and for trying: the same contract as NATS, and nothing outlives the process. Engines of one `broker` are one fleet.
 *
 * ```ts
 * const team = await fleet({ engine: memoryEngine(), team: 'acme', keys: ['ed25519:…'] });
 * ```
 */
export function memoryEngine(broker: MemoryBroker = new MemoryBroker()): FleetEngine {
  const stops = new Set<Stop>();
  let closed = false;
  const gone = (): boolean => closed || broker.away;
  const demand = (): void => {
    if (gone()) throw new HookscopeError('FLEET_FAILED', { place: 'memory', problem: 'nobody can be reached' });
  };
  const listen = (listener: () => void): Stop => {
    const stop = broker.listen(listener);
    stops.add(stop);
    return () => {
      stop();
      stops.delete(stop);
    };
  };

  return {
    place: 'memory',
    get connected() {
      return !gone();
    },
    onChange(call) {
      let last = gone();
      return listen(() => {
        if (last === gone()) return;
        last = gone();
        call();
      });
    },
    policy: {
      watch(channel, seen) {
        let told: number | undefined;
        const look = (): void => {
          if (gone()) told = undefined;
          if (gone()) return;
          const posted = broker.posts.get(channel)?.at(-1);
          if (told === (posted?.version ?? 0)) return;
          told = posted?.version ?? 0;
          seen(posted);
        };
        const stop = listen(look);
        queueMicrotask(look);
        return stop;
      },
      async post(channel, bytes, after) {
        demand();
        const posts = broker.posts.get(channel) ?? [];
        const there = posts.at(-1)?.version ?? 0;
        if (there !== after) throw overtaken(channel);
        const version =
          greatest(
            0,
            [...broker.posts.values()].map((of) => of.at(-1)?.version ?? 0),
          ) + 1;
        const post = { bytes: bytes.slice(), version, at: new Date().toISOString() };
        broker.posts.set(channel, [...posts, post].slice(-KEPT));
        broker.changed();
        return version;
      },
      async history(channel) {
        demand();
        return broker.posts.get(channel) ?? [];
      },
    },
    decisions: {
      async append(host, id, bytes) {
        demand();
        if (broker.ids.has(id)) return;
        broker.ids.add(id);
        broker.entries.push({ host, id, bytes: bytes.slice(), place: broker.entries.length + 1 });
        broker.changed();
      },
      async *read(after, follow) {
        demand();
        let at = after;
        for (;;) {
          while (at < broker.entries.length) yield broker.entries[at++] as SentRecord;
          if (follow === undefined || follow.aborted) return;
          await changed(follow, listen);
        }
      },
    },
    state: {
      async share(host, bytes) {
        demand();
        broker.states.set(host, { bytes: bytes.slice(), time: performance.now() });
        broker.changed();
      },
      async all() {
        demand();
        const now = performance.now();
        return [...broker.states].map(([host, { bytes, time }]) => ({ host, bytes, age: Math.round(now - time) }));
      },
    },
    ask: {
      open(host, id, bytes, answered) {
        const key = `${host}/${id}`;
        const waiting = { question: { host, id, bytes: bytes.slice() }, answered };
        broker.waiting.set(key, waiting);
        broker.changed();
        const stop = (): void => {
          stops.delete(stop);
          if (broker.waiting.get(key) !== waiting) return;
          broker.waiting.delete(key);
          broker.changed();
        };
        stops.add(stop);
        return stop;
      },
      watch(seen) {
        const known = new Map<string, OpenQuestion>();
        const look = (): void => {
          if (gone()) return;
          for (const [key, { host, id }] of known) {
            if (broker.waiting.has(key)) continue;
            known.delete(key);
            seen({ host, id });
          }
          for (const [key, { question }] of broker.waiting) {
            if (known.get(key) === question) continue;
            known.set(key, question);
            seen(question);
          }
        };
        const stop = listen(look);
        queueMicrotask(look);
        return stop;
      },
      async answer(host, id, answer) {
        demand();
        const waiting = broker.waiting.get(`${host}/${id}`);
        if (waiting === undefined)
          throw new HookscopeError('FLEET_FAILED', { place: 'memory', problem: `nobody waits for an answer to ${id}` });
        return waiting.answered(answer);
      },
    },
    prepare: async () => demand(),
    async close() {
      closed = true;
      for (const stop of [...stops]) stop();
      stops.clear();
    },
  };
}

/** The poster has not seen what another operator has posted. */
export const overtaken = (channel: string): HookscopeError =>
  new HookscopeError('FLEET_FAILED', {
    place: `the channel ${channel}`,
    problem: 'somebody else has posted to it meanwhile; look at what is there, and post again',
  });

/** Resolves at the next change, or when the signal fires. */
function changed(signal: AbortSignal, listen: (listener: () => void) => Stop): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const stop = listen(done);
    signal.addEventListener('abort', done, { once: true });
  });
}
