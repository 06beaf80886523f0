import { install } from '@sinonjs/fake-timers';

/** Time that a test moves. */
export interface FakeClock extends Disposable {
  /** Advances the clock by that many seconds, and runs everything due, including callbacks and promises. */
  advance(seconds: number): Promise<void>;
  /** Gives the real time back; safe to call twice. */
  restore(): void;
}

const FAKED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const;

/**
 * Stops timers, `Date` and `performance.now()` of this process until `restore()`, for timeouts of callbacks and hooks in the background. What
 * runs outside the process (commands, requests) keeps the real time.
 *
 * ```ts
 * using clock = fakeClock();
 * const firing = fireHook(slow, 'PreToolUse', payload.preToolUse.bash('ls'));
 * await clock.advance(61);
 * expectFired(await firing).toFail('timeout');
 * ```
 */
export function fakeClock(): FakeClock {
  const clock = install({ toFake: [...FAKED], shouldClearNativeTimers: true });
  let restored = false;
  const restore = (): void => {
    if (!restored) clock.uninstall();
    restored = true;
  };
  return {
    advance: async (seconds) => void (await clock.tickAsync(seconds * 1000)),
    restore,
    [Symbol.dispose]: restore,
  };
}
