import type { Registration } from '../../scopes/registration.js';
import { PendingFire } from '../call/clock.js';
import type { RunningFire } from '../call/facts.js';
import { type EventHook, runThroughTaps, type TapDriver } from '../hooks.js';
import type { Walk } from './walk.js';

/** A walk through an event's own tapable hook, in which the plan is one tap. */
export class TappedWalk implements TapDriver {
  readonly #fire: RunningFire;
  readonly #walk: Walk;
  readonly #called = new Set<Registration>();
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

  get called(): ReadonlySet<Registration> {
    return this.#called;
  }

  /** Calls a raw tap like any handler. Its place is before or after the whole plan. */
  tap(registration: Registration): Promise<void> {
    this.#called.add(registration);
    return this.#until((done) => this.#walk.tap(registration, this.#planned !== undefined, done));
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
