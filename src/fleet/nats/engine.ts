import type { FleetEngine } from '../engine.js';
import { createBuckets } from './buckets.js';
import { Connection, type NatsOptions } from './connection.js';
import { createQuestions } from './questions.js';
import { createStream } from './streams.js';
import { subjectsOf } from './subjects.js';

/** A fleet on NATS with JetStream, 2.9 or later. Returns immediately; it connects and reconnects in the background. */
export function natsEngine(options: NatsOptions): FleetEngine {
  const connection = new Connection(options);
  const subjects = subjectsOf(options.team);
  const buckets = createBuckets(connection, subjects);
  const { prepare, ...decisions } = createStream(connection, subjects);
  return {
    place: connection.place,
    get connected() {
      return connection.connected;
    },
    get problem() {
      return connection.problem;
    },
    onChange: (call) => connection.onChange(call),
    policy: buckets.policy,
    state: buckets.state,
    decisions,
    ask: createQuestions(connection, subjects),
    async prepare() {
      await buckets.prepare();
      await prepare();
    },
    close: () => connection.close(),
  };
}
