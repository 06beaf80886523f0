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

/** Sorts one scope's registrations of one event: stage, then `before` and `after`, then the order they came in. Throws an OrderCircle. */
export function order(registrations: readonly Registration[]): Registration[] {
  const sorted = [...registrations].sort((a, b) => a.stage - b.stage);
  return sorted.some(isPlaced) ? place(sorted) : sorted;
}

/** Each after those that must come first, which otherwise stay where they are. With its own stack: the chain may be long. */
function place(sorted: readonly Registration[]): Registration[] {
  const firstOf = predecessors(sorted);
  const result: Registration[] = [];
  const seen = new Map<Registration, 'open' | 'done'>();
  const path: { readonly r: Registration; readonly rest: Registration[] }[] = [];
  const open = (r: Registration): void => {
    seen.set(r, 'open');
    path.push({ r, rest: firstOf(r).reverse() });
  };
  for (const r of sorted) {
    if (!seen.has(r)) open(r);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        seen.set(top.r, 'done');
        result.push(top.r);
        path.pop();
      } else if (!seen.has(next)) open(next);
      else if (seen.get(next) === 'open')
        throw circle(
          path.map((step) => step.r),
          next,
        );
    }
  }
  return result;
}

function circle(path: readonly Registration[], closing: Registration): OrderCircle {
  const round = path.slice(path.indexOf(closing)).reverse();
  return new OrderCircle([closing, ...round].map(({ name }) => name));
}

/** For each, in the order they came: those that want to run before it, and those it wants to run after. */
function predecessors(sorted: readonly Registration[]): (r: Registration) => Registration[] {
  const wanting = new Map<string, Registration[]>();
  const called = new Map<string, Registration[]>();
  const places = new Map(sorted.map((r, i) => [r, i]));
  for (const r of sorted) {
    for (const name of new Set(r.before)) put(wanting, keyOf(r, name), r);
    for (const name of namesOf(r)) put(called, keyOf(r, name), r);
  }
  return (r) => {
    const before = [...namesOf(r)].flatMap((name) => wanting.get(keyOf(r, name)) ?? []);
    const after = r.after.flatMap((name) => called.get(keyOf(r, name)) ?? []);
    const all = new Set([...before, ...after]);
    all.delete(r);
    return [...all].sort((a, b) => (places.get(a) as number) - (places.get(b) as number));
  };
}

/** Everything that a hook is called by. */
export const namesOf = (r: Registration): Set<string> => new Set([r.name, ...r.groups]);

const keyOf = ({ stage }: Registration, name: string): string => `${stage}:${name}`;

function put<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
