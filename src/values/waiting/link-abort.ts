import type { EndSignal } from './lazy-signal.js';

/** Something that a signal can end. */
export interface Abortable {
  end(reason: unknown): void;
}

/** Many fires may share one signal: it gets a single listener, since Node warns at the eleventh. */
const OBEYING = new WeakMap<EndSignal, { readonly all: Set<Abortable>; readonly listener: () => void }>();

/** Ends the target when the signal fires. Returns a function that unlinks it. */
export function linkAbort(signal: EndSignal, obedient: Abortable): () => void {
  const known = OBEYING.get(signal) ?? listen(signal);
  known.all.add(obedient);
  return () => {
    known.all.delete(obedient);
    if (known.all.size > 0 || OBEYING.get(signal) !== known) return;
    OBEYING.delete(signal);
    signal.removeEventListener('abort', known.listener);
  };
}

function listen(signal: EndSignal) {
  const all = new Set<Abortable>();
  const listener = (): void => {
    for (const obedient of [...all]) obedient.end(signal.reason);
  };
  const made = { all, listener };
  OBEYING.set(signal, made);
  signal.addEventListener('abort', listener, { once: true });
  return made;
}
