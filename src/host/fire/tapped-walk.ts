import type { Registration } from '../../scopes/registration.js';
import { PendingFire } from '../call/clock.js';
import type { RunningFire } from '../call/facts.js';
import { type EventHook, runThroughTaps, type TapDriver } from '../hooks.js';
import type { Walk } from './walk.js';

/** A walk through an event's own tapable hook, in which the plan is one tap. */
export class TappedWalk implements TapDriver {
  readonly #fire: RunningFire;
  readonly #walk: Walk;
  readonly #tapped = new Map<Registration, Promise<void>>();
  #planned: Promise<void> | undefined;
  /** Each tells tapable that one tap has answered. */
  readonly #done: (() => void)[] = [];

  constructor(fire: RunningFire, walk: Walk) {
    this.#fire = fire;
    this.#walk = walk;
  }

  async run(hook: EventHook): Promise<void> {
    const { clock } = this.#fire.services;
    const underWay = new PendingFire(this.#fire);
    clock.watch(underWay);
    try {
      await runThroughTaps(hook, this.#fire, this);
      this.#walk.endTaps();
    } catch (error) {
      this.#fire.fail(error);
    }
    clock.forget(underWay);
  }

  /** Runs the plan on the first call; later calls return the same promise. */
  runPlan(): Promise<void> {
    this.#planned ??= this.#until((done) => this.#walk.runPlan(done));
    return this.#planned;
  }

  hasCalled(registration: Registration): boolean {
    return this.#tapped.has(registration);
  }

  /** Calls a raw tap like any handler, on the first call. Its place is before or after the whole plan. */
  tap(registration: Registration): Promise<void> {
    const before = this.#tapped.get(registration);
    if (before !== undefined) return before;
    const tapped = this.#until((done) => this.#walk.tap(registration, this.#planned !== undefined, done));
    this.#tapped.set(registration, tapped);
    return tapped;
  }

  /** The fire has failed: tapable need not wait any more. */
  leave(): void {
    for (const done of this.#done) done();
  }

  #until(begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      this.#done.push(resolve);
      try {
        begin(resolve);
      } catch (error) {
        this.#fire.fail(error);
      }
    });
  }
}
