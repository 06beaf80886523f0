import type { Registration } from './registration.js';

/** The order that `before` and `after` ask for is impossible: each of these must run before the next, and the first is also the last. */
export class OrderCircle extends RangeError {
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(names.join(' → '));
    this.names = names;
  }
}

export const isPlaced = (r: Registration): boolean => r.before.length > 0 || r.after.length > 0;

/** Sorts one scope's registrations for one event by stage, then by `before` and `after`, then by the order of registration. Throws an OrderCircle. */
export function order(registrations: readonly Registration[]): Registration[] {
  const sorted = [...registrations].sort((a, b) => a.stage - b.stage);
  return sorted.some(isPlaced) ? place(sorted) : sorted;
}

/** Moves each hook behind those that must run before it; all others keep their order. Uses its own stack instead of recursion, because chains may be long. */
function place(sorted: readonly Registration[]): Registration[] {
  const ahead = new OrderConstraints(sorted);
  const result: Registration[] = [];
  const open = new Set<Registration>();
  const path: Registration[] = [];
  for (const r of sorted) {
    if (!ahead.isDone(r)) path.push(r);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      open.add(top);
      const next = ahead.next(top);
      if (next === undefined) {
        ahead.done(top);
        result.push(top);
        path.pop();
      } else if (open.has(next)) throw circle(path, next);
      else path.push(next);
    }
  }
  return result;
}

function circle(path: readonly Registration[], closing: Registration): OrderCircle {
  const round = path.slice(path.indexOf(closing)).reverse();
  return new OrderCircle([closing, ...round].map(({ name }) => name));
}

/** Hooks in order of registration. The first `at` of them are done. */
interface Queue {
  readonly list: Registration[];
  at: number;
}

/** Finds what must run before a hook: the hooks that name it in `before`, and those that it names in `after`. Indexed by name, since many hooks may share one. */
class OrderConstraints {
  readonly #wanting = new Map<string, Queue>();
  readonly #called = new Map<string, Queue>();
  readonly #places = new Map<Registration, number>();
  readonly #done = new Set<Registration>();

  constructor(sorted: readonly Registration[]) {
    for (const r of sorted) {
      this.#places.set(r, this.#places.size);
      for (const name of new Set(r.before)) put(this.#wanting, keyOf(r, name), r);
      for (const name of namesOf(r)) put(this.#called, keyOf(r, name), r);
    }
  }

  isDone(r: Registration): boolean {
    return this.#done.has(r);
  }

  done(r: Registration): void {
    this.#done.add(r);
  }

  /** The first hook that must run before this one and is not done. */
  next(r: Registration): Registration | undefined {
    let first: Registration | undefined;
    const placeOf = (one: Registration): number => this.#places.get(one) as number;
    for (const queue of this.#queues(r)) {
      const one = queue && this.#head(queue, r);
      if (one && (first === undefined || placeOf(one) < placeOf(first))) first = one;
    }
    return first;
  }

  *#queues(r: Registration): Generator<Queue | undefined> {
    for (const name of namesOf(r)) yield this.#wanting.get(keyOf(r, name));
    for (const name of r.after) yield this.#called.get(keyOf(r, name));
  }

  #head(queue: Queue, but: Registration): Registration | undefined {
    const { list } = queue;
    while (queue.at < list.length && this.#done.has(list[queue.at] as Registration)) queue.at++;
    for (let i = queue.at; i < list.length; i++) {
      const one = list[i] as Registration;
      if (one !== but && !this.#done.has(one)) return one;
    }
    return undefined;
  }
}

/** All names that refer to a hook: its own and those of its groups. */
export const namesOf = (r: Registration): Set<string> => new Set([r.name, ...r.groups]);

const keyOf = ({ stage }: Registration, name: string): string => `${stage}:${name}`;

function put(queues: Map<string, Queue>, key: string, r: Registration): void {
  const queue = queues.get(key);
  if (queue) queue.list.push(r);
  else queues.set(key, { list: [r], at: 0 });
}
