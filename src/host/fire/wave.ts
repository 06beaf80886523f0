import { readOnly } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import { type Attempt, PENDING, SILENT } from '../call/attempt.js';
import type { RunningFire } from '../call/facts.js';
import { type CallOwner, HandlerCall } from '../call/handler-call.js';
import type { Slot } from './slot.js';

/** Handlers that are called at the same time, each with its own call. The wave is over when all have answered. A hot class (CONTRIBUTING.md). */
export class Wave implements CallOwner {
  readonly slots: readonly Slot[];
  /** The answers, each at its slot's index. Of a handler that was not called there is none. */
  readonly results: (Attempt | undefined)[] = [];
  /** Slot indexes, in the order in which the slots answered. */
  private readonly finished: number[] = [];
  private readonly fire: RunningFire;
  private readonly done: () => void;
  /** Pending calls, each at its slot's index. */
  private readonly calls: (HandlerCall | undefined)[] = [];
  private left: number;
  private began = false;

  constructor(fire: RunningFire, slots: readonly Slot[], done: () => void) {
    this.fire = fire;
    this.slots = slots;
    this.done = done;
    this.left = slots.length;
  }

  /** Calls them all. true: all answered synchronously, and `done` is not called. */
  begin(input: RunningFire['input']): boolean {
    const { slots } = this;
    const view = readOnly(input);
    try {
      for (let i = 0; i < slots.length; i++) {
        // One of them cancelled the fire: the others are not called.
        if (this.fire.cancelled) {
          this.left -= slots.length - i;
          break;
        }
        const result = this.call(slots[i] as Slot, input, view, i);
        if (result !== PENDING) this.take(i, result);
      }
    } catch (error) {
      this.cancel();
      throw error;
    }
    if (this.fire.cancelled) this.cancel();
    this.began = true;
    return this.left === 0;
  }

  private call(slot: Slot, input: Json, view: Json, i: number): Attempt | undefined | typeof PENDING {
    const { fire } = this;
    const call = new HandlerCall(fire, this, slot.registration, i, input, view);
    const result = call.begin(slot.registration, input, slot.ask());
    if (result === PENDING) this.calls[i] = call;
    return result;
  }

  private take(i: number, result: Attempt | undefined): void {
    this.results[i] = result ?? SILENT;
    this.finished.push(i);
    this.left--;
  }

  answered(result: Attempt | undefined, call: HandlerCall): void {
    const i = call.indexInWave;
    if (this.calls[i] === undefined) return;
    this.calls[i] = undefined;
    call.release();
    this.take(i, result);
    if (this.left === 0 && this.began) this.done();
  }

  /** The slot indexes of the answers in the order of finishing. For recorded answers, which have `finished`, it is the order of the recorded fire. */
  inOrder(): readonly number[] {
    const { results, finished } = this;
    if (!results.some((result) => result?.finished !== undefined)) return finished;
    const when = (i: number): number => results[i]?.finished ?? i;
    return [...finished].sort((a, b) => when(a) - when(b));
  }

  cancel(): void {
    for (const call of [...this.calls]) call?.cancel();
  }
}
