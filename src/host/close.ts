import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '../emit/bus.js';
import { HookscopeError } from '../errors.js';
import { doneWithin } from '../values/waiting/timer.js';
import type { Background } from './call/background.js';
import type { Clock } from './call/clock.js';

interface ClosingParts {
  readonly clock: Clock;
  readonly background: Background;
  readonly bus: Bus;
  /** Seconds. */
  readonly closeTimeout: number;
  /** Plugins, and anything else with a cleanup. */
  readonly lives: { close(): Promise<void> };
  /** Cancels the work of open sessions, which is reported before the stream ends. */
  readonly sessions: { abandon(): Promise<void> };
  /** MCP servers that hooks have called; names those that had to be killed. */
  readonly servers: { close(): Promise<readonly string[]> };
}

/** Milliseconds that processes get to exit after they were told to end. */
const KILL = 3_000;
/** Milliseconds to wait for a trace collector that does not answer: an agent may be waiting for a command that closes its host. */
const HAND_ON = 2_000;

/** Waits for work under way, then cancels or kills the rest. Returns the names of what was still pending. */
export async function closeHost({
  clock,
  background,
  bus,
  closeTimeout,
  lives,
  sessions,
  servers,
}: ClosingParts): Promise<{ pending: string[] }> {
  const idle = async (): Promise<void> => {
    while (!clock.idle) await sleep(5);
  };
  const settled = async (): Promise<void> => {
    await idle();
    await background.followed();
  };
  await doneWithin(closeTimeout * 1000, settled());
  const pending = [...new Set([...[...clock.pending()].flatMap((node) => node.pendingNames()), ...background.names()])];
  const closed = new HookscopeError('CLOSED', {});
  for (const node of [...clock.pending()]) node.fire.cancel(closed);
  // Cancelled fires are reported first.
  await doneWithin(KILL, Promise.all([idle(), background.endAll(), background.drained()]));
  await doneWithin(KILL, sessions.abandon());
  const ended = servers.close();
  await lives.close();
  pending.push(...(await ended));
  bus.close();
  await doneWithin(Math.min(closeTimeout * 1000, HAND_ON), bus.tracing?.close() ?? Promise.resolve());
  return { pending };
}
