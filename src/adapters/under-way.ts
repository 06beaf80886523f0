import { AsyncLocalStorage } from 'node:async_hooks';
import { timerUntil, within } from '../values/waiting/timer.js';

/** A call under way, which may itself be waited for. */
interface Running {
  ended?: Promise<unknown>;
}

/** The calls that the code which runs is part of: a tool that waited for its own end would wait for ever. */
const WITHIN = new AsyncLocalStorage<readonly Running[]>();

/** How long the calls under way are waited for, milliseconds: a framework that has gone on without them gets no result of theirs. */
const SOON = 2_000;

/** The calls under way. */
export class UnderWay {
  readonly #running = new Set<Running>();

  async follow<T>(call: () => Promise<T>): Promise<T> {
    const running: Running = {};
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

  /** Waits for them, two seconds at most; one that takes longer is not waited for again. `drop` ends what nobody makes any more, and is called each time that some have ended. */
  async settled(drop: () => void): Promise<void> {
    const own = WITHIN.getStore() ?? [];
    const deadline = performance.now() + SOON;
    for (;;) {
      drop();
      const others = [...this.#running].filter((one) => !own.includes(one));
      if (others.length === 0) return;
      if (await within(timerUntil(deadline), Promise.allSettled(others.map(({ ended }) => ended)))) continue;
      for (const left of others) this.#running.delete(left);
      return;
    }
  }
}
