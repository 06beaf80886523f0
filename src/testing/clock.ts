import { install } from '@sinonjs/fake-timers';

/** A clock that a test advances. */
export interface FakeClock extends Disposable {
  /** Advances the clock by this many seconds, and runs everything that is due, including callbacks and promises. */
  advance(seconds: number): Promise<void>;
  /** Restores the real time. Further calls do nothing. */
  restore(): void;
}

const FAKED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] as const;

/**
 * Stops timers, `Date` and `performance.now()` of this process until `restore()`, to test timeouts of callbacks and of hooks in the
 * background. Commands and requests, which run outside this process, keep the real time.
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
