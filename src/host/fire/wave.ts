import { type Attempt, PENDING, SILENT } from '../call/attempt.js';
import { aborted } from '../call/call-failures.js';
import { type CallOwner, HandlerCall } from '../call/handler-call.js';
import type { RunningFire } from './facts.js';
import type { HandlerState } from './notes.js';

/** Handlers that are called at the same time, each by a call of its own. It is over when all have answered. */
export class Wave implements CallOwner {
  readonly slots: readonly HandlerState[];
  readonly results: Attempt[] = [];
  readonly #fire: RunningFire;
  readonly #done: (wave: Wave) => void;
  readonly #calls = new Map<HandlerCall, number>();
  #left: number;
  #began = false;

  constructor(fire: RunningFire, slots: readonly HandlerState[], done: (wave: Wave) => void) {
    this.#fire = fire;
    this.slots = slots;
    this.#done = done;
    this.#left = slots.length;
  }

  /** Calls them all. true: all answered synchronously, and `done` is not called. */
  begin(input: RunningFire['input']): boolean {
    this.slots.forEach((slot, i) => {
      const result = this.#call(slot, input, i);
      if (result !== PENDING) this.#take(i, result);
    });
    // One of them cancelled the fire while the others were being called.
    if (this.#fire.cancelled) this.cancel();
    this.#began = true;
    return this.#left === 0;
  }

  #call(slot: HandlerState, input: RunningFire['input'], i: number): Attempt | undefined | typeof PENDING {
    const fire = this.#fire;
    if (fire.cancelled) return { failure: aborted() };
    const call = new HandlerCall(fire, this);
    const result = call.begin(slot.registration, input, slot.calls > 0 ? 'reask' : 'first');
    if (result === PENDING) this.#calls.set(call, i);
    return result;
  }

  #take(i: number, result: Attempt | undefined): void {
    this.results[i] = result ?? SILENT;
    this.#left--;
  }

  answered(result: Attempt | undefined, call: HandlerCall): void {
    const i = this.#calls.get(call);
    if (i === undefined) return;
    this.#calls.delete(call);
    call.release();
    this.#take(i, result);
    if (this.#left === 0 && this.#began) this.#done(this);
  }

  cancel(): void {
    for (const call of [...this.#calls.keys()]) call.cancel();
  }
}
