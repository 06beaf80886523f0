import { AsyncLocalStorage } from 'node:async_hooks';
import { doneWithin, timerUntil } from '../values/waiting/timer.js';

/** A call under way; `ended` is what can be waited for. */
interface RunningCall {
  ended?: Promise<unknown>;
}

/** The calls that the running code is part of. They are not waited for, because a tool that waits for its own end would wait forever. */
const WITHIN = new AsyncLocalStorage<readonly RunningCall[]>();

/** How long calls under way are waited for, in milliseconds. After that, the framework has gone on without their results. */
const SOON = 2_000;

/** The calls under way. */
export class RunningCalls {
  readonly #running = new Set<RunningCall>();

  async follow<T>(call: () => Promise<T>): Promise<T> {
    const running: RunningCall = {};
    this.#running.add(running);
    try {
      const around = [...(WITHIN.getStore() ?? []), running];
      const ended = WITHIN.run(around, call);
      running.ended = ended;
      return await ended;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Waits for the calls, at most two seconds; one that takes longer is not waited for again. `drop` ends calls that are not made, each time some have ended. */
  async settled(drop: () => void): Promise<void> {
    const own = WITHIN.getStore() ?? [];
    const deadline = performance.now() + SOON;
    for (;;) {
      drop();
      const others = [...this.#running].filter((one) => !own.includes(one));
      if (others.length === 0) return;
      if (await doneWithin(timerUntil(deadline), Promise.allSettled(others.map(({ ended }) => ended)))) continue;
      for (const left of others) this.#running.delete(left);
      return;
    }
  }
}
