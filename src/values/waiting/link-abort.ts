import { type Link, LinkedList } from '../linked-list.js';
import type { EndSignal } from './lazy-signal.js';

/** Something that a signal can end. */
export interface Abortable {
  end(reason: unknown): void;
}

/** One entry per signal, since most signals are passed to many fires in turn. */
const OBEDIENCE = new WeakMap<EndSignal, Obedience>();
const ONCE = Object.freeze({ once: true });

/** Ends the target when the signal fires. Returns a function that unlinks it. */
export function linkAbort(signal: EndSignal, obedient: Abortable): () => void {
  let obedience = OBEDIENCE.get(signal);
  if (obedience === undefined) {
    obedience = new Obedience(signal);
    OBEDIENCE.set(signal, obedience);
  }
  return obedience.add(obedient);
}

/** Everything that one signal ends. The signal gets a single listener however many fires share it, since Node warns at the eleventh, and none while the list is empty. */
class Obedience {
  readonly #signal: EndSignal;
  readonly #all = new LinkedList<Abortable>();
  readonly #listener: () => void;

  constructor(signal: EndSignal) {
    this.#signal = signal;
    this.#listener = () => this.#end();
  }

  add(obedient: Abortable): () => void {
    if (this.#all.isEmpty) this.#signal.addEventListener('abort', this.#listener, ONCE);
    const link = this.#all.add(obedient);
    return () => this.#remove(link);
  }

  #remove(link: Link<Abortable>): void {
    if (this.#all.remove(link) && this.#all.isEmpty) this.#signal.removeEventListener('abort', this.#listener);
  }

  #end(): void {
    for (const obedient of this.#all.toArray()) obedient.end(this.#signal.reason);
  }
}
