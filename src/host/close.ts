import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '../emit/bus.js';
import { HookscopeError } from '../errors.js';
import { describeError } from '../values/message.js';
import { resultOf } from '../values/promises.js';
import { LONGEST_TIMER } from '../values/timer.js';
import type { Background } from './call/background.js';
import type { Clock } from './call/clock.js';

/** What a plugin left to be called at close; one each time it was applied. */
export interface Cleanup {
  readonly plugin: string;
  readonly cleanup: () => unknown;
}

interface Closing {
  readonly clock: Clock;
  readonly background: Background;
  readonly bus: Bus;
  /** Seconds. */
  readonly closeTimeout: number;
  readonly cleanups: readonly Cleanup[];
  /** MCP servers that hooks have called. */
  readonly servers: { close(): Promise<void> };
  report(message: string): void;
}

/** Processes that were told to end get this long, milliseconds. */
const KILL = 3_000;

/** Waits for work under way, then cancels and kills it; returns the names of what was pending. */
export async function closeHost({
  clock,
  background,
  bus,
  closeTimeout,
  cleanups,
  servers,
  report,
}: Closing): Promise<{ pending: string[] }> {
  const idle = async (): Promise<void> => {
    while (!clock.idle) await sleep(5);
  };
  const settled = async (): Promise<void> => {
    await idle();
    await background.followed();
  };
  await within(closeTimeout * 1000, settled());
  const pending = [...new Set([...[...clock.pending()].flatMap((node) => node.pendingNames()), ...background.names()])];
  const closed = new HookscopeError('CLOSED', {});
  for (const node of [...clock.pending()]) node.fire.cancel(closed);
  // Cancelled fires are reported first.
  await within(KILL, Promise.all([idle(), background.endAll(), background.drained()]));
  const ended = servers.close();
  await Promise.all(cleanups.map((one) => cleanUp(one, report)));
  await ended;
  bus.close();
  return { pending };
}

/** A plugin that fails or hangs does not keep the others from cleaning up. */
async function cleanUp({ plugin, cleanup }: Cleanup, report: (message: string) => void): Promise<void> {
  try {
    if (!(await within(KILL, resultOf(cleanup)))) report(`Plugin ${plugin} did not clean up within ${KILL / 1000} s`);
  } catch (error) {
    report(`Plugin ${plugin} failed while it was cleaned up: ${describeError(error)}`);
  }
}

/** Waits for the work, but no longer than that many milliseconds; whether it was done by then. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const over = sleep(Math.min(ms, LONGEST_TIMER), undefined, { signal: done.signal }).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    done.abort();
  }
}
