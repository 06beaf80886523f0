import { createHost, createSink, type HookRecord } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { callbacks, preToolUse } from './recorded.js';

type Attach = (host: ReturnType<typeof createHost>) => unknown;

const never = (): Promise<void> => new Promise(() => undefined);
const sleeps = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000).unref());
const throws = (): never => {
  throw new Error('no');
};
const logger = (): void => undefined;
const idle: Attach = (host) => host.events$.subscribe(() => undefined);
const sink =
  (write: (record: HookRecord) => void | Promise<void>): Attach =>
  (host) =>
    createSink(write, { logger }).attach(host.events$);

/** Fires from one turn of the event loop to the next. */
const TURN = 20;

/** A fire whose records go there. */
function firing(name: string, attach: Attach): Candidate {
  const host = createHost({ logger });
  host.register({ PreToolUse: [{ hooks: callbacks(10, 'async () => undefined') }] });
  attach(host);
  const run = (): unknown => host.fire('PreToolUse', preToolUse);
  const batch = async (count: number): Promise<void> => {
    for (let i = 1; i <= count; i++) {
      await run();
      // Sinks write in a turn of their own.
      if (i % TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { name, run, batch };
}

const beside = (name: string, attach: Attach): Case => ({
  name: `a fire beside a ${name}`,
  goal: 1.1,
  candidates: () => [firing('one idle subscriber', idle), firing(name, attach)],
  floor: 'one idle subscriber',
  subject: name,
  warmUp: 20,
  rounds: 40,
});

/** What does not take its records costs the agent no more than one who does nothing with them. */
export const cases: Case[] = [
  beside('sink that sleeps', sink(sleeps)),
  beside('sink that throws', sink(throws)),
  beside('sink that never ends a write', sink(never)),
  beside('subscriber that throws', (host) => host.events$.subscribe(throws)),
];
