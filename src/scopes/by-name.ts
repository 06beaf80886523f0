import { isPlaced, namesOf } from './order.js';
import type { Registration } from './registration.js';

/** Hooks by name, or by stage and name. */
type HooksByName = Map<string, Set<Registration>>;

/**
 * The hooks of one scope and event, indexed by their own names and by the names in their `before` and `after`. So a hook that is added or
 * removed is compared only with the hooks that it affects.
 */
export class ByName {
  readonly #called: HooksByName = new Map();
  readonly #wishing: { readonly before: HooksByName; readonly after: HooksByName } = {
    before: new Map(),
    after: new Map(),
  };
  /** By name alone, across all stages. */
  readonly #anywhere: HooksByName = new Map();
  /** Stage and name of each `before` or `after` that no hook of that stage matches. */
  readonly #open = new Set<string>();

  constructor(registrations: readonly Registration[] = []) {
    for (const r of registrations) this.#put(r);
  }

  /** The names of all hooks, including group names. */
  get names(): ReadonlyMap<string, unknown> {
    return this.#anywhere;
  }

  /** How many names in `before` and `after` match no hook of their stage. */
  get open(): number {
    return this.#open.size;
  }

  /** `moves`: a hook that was there already must run after one of the added ones. `circle`: the order has become impossible. */
  add(registrations: readonly Registration[]): { readonly moves: boolean; readonly circle: boolean } {
    let moves = false;
    let circle = false;
    // Added one at a time: a circle appears when its last hook is added.
    for (const r of registrations) {
      this.#put(r);
      const { done } = this.#behind(r).next();
      if (done === true) continue;
      moves = true;
      circle ||= this.#isInCircle(r);
    }
    return { moves, circle };
  }

  remove(registrations: readonly Registration[]): void {
    for (const r of registrations) {
      for (const name of namesOf(r)) {
        drop(this.#called, keyOf(r, name), r);
        drop(this.#anywhere, name, r);
        this.#settle(keyOf(r, name));
      }
      this.#eachWish(r, (lists, key) => drop(lists, key, r));
    }
  }

  /** Whether another hook of the same stage has this name. */
  isThere(r: Registration, name: string): boolean {
    return hasOther(this.#called.get(keyOf(r, name)), r);
  }

  /** Whether no hook but those has the name, in any stage. */
  isOnlyOf(name: string, some: ReadonlySet<Registration>): boolean {
    for (const r of this.#anywhere.get(name) ?? []) if (!some.has(r)) return false;
    return true;
  }

  /** Another hook of any stage that has this name. */
  elsewhere(r: Registration, name: string): Registration | undefined {
    for (const other of this.#anywhere.get(name) ?? []) if (other !== r) return other;
    return undefined;
  }

  /** The hooks of the stage whose `before` or `after` contains this name. */
  *wishing(name: string, stage: number): Generator<readonly ['before' | 'after', Registration]> {
    for (const how of ['before', 'after'] as const)
      for (const r of this.#wishing[how].get(`${stage}:${name}`) ?? []) yield [how, r];
  }

  /** The names in `before` and `after` that match no hook of their stage. */
  *openNames(): Generator<readonly [stage: number, name: string]> {
    for (const key of this.#open) {
      const at = key.indexOf(':');
      yield [Number(key.slice(0, at)), key.slice(at + 1)];
    }
  }

  #put(r: Registration): void {
    for (const name of namesOf(r)) {
      put(this.#called, keyOf(r, name), r);
      put(this.#anywhere, name, r);
      this.#settle(keyOf(r, name));
    }
    if (isPlaced(r)) this.#eachWish(r, (lists, key) => put(lists, key, r));
  }

  #eachWish(r: Registration, each: (lists: HooksByName, key: string) => void): void {
    for (const how of ['before', 'after'] as const)
      for (const name of r[how]) {
        each(this.#wishing[how], keyOf(r, name));
        this.#settle(keyOf(r, name));
      }
  }

  #settle(key: string): void {
    const isWished = this.#wishing.before.has(key) || this.#wishing.after.has(key);
    if (isWished && !this.#called.has(key)) this.#open.add(key);
    else this.#open.delete(key);
  }

  /** The hooks that must run before this one. */
  *#ahead(r: Registration): Generator<Registration> {
    for (const name of r.after) yield* others(this.#called.get(keyOf(r, name)), r);
    for (const name of namesOf(r)) yield* others(this.#wishing.before.get(keyOf(r, name)), r);
  }

  /** The hooks that must run after this one. */
  *#behind(r: Registration): Generator<Registration> {
    for (const name of r.before) yield* others(this.#called.get(keyOf(r, name)), r);
    for (const name of namesOf(r)) yield* others(this.#wishing.after.get(keyOf(r, name)), r);
  }

  /** Searches forwards and backwards in alternating steps: often one of the two directions ends at once. */
  #isInCircle(r: Registration): boolean {
    const ways = [reached(r, (one) => this.#ahead(one)), reached(r, (one) => this.#behind(one))];
    for (;;)
      for (const way of ways) {
        const { done, value } = way.next();
        if (done === true) return false;
        if (value === r) return true;
      }
  }
}

/** All hooks that can be reached from this one, including itself if it is in a circle. */
function* reached(from: Registration, next: (r: Registration) => Iterable<Registration>): Generator<Registration> {
  const seen = new Set<Registration>();
  const left = [from];
  for (let r = left.pop(); r !== undefined; r = left.pop())
    for (const one of next(r)) {
      if (seen.has(one)) continue;
      seen.add(one);
      left.push(one);
      yield one;
    }
}

const keyOf = ({ stage }: Registration, name: string): string => `${stage}:${name}`;

function put(lists: HooksByName, key: string, r: Registration): void {
  const list = lists.get(key);
  if (list) list.add(r);
  else lists.set(key, new Set([r]));
}

function drop(lists: HooksByName, key: string, r: Registration): void {
  const list = lists.get(key);
  list?.delete(r);
  if (list?.size === 0) lists.delete(key);
}

function* others(list: ReadonlySet<Registration> | undefined, r: Registration): Generator<Registration> {
  for (const other of list ?? []) if (other !== r) yield other;
}

const hasOther = (list: ReadonlySet<Registration> | undefined, r: Registration): boolean =>
  list !== undefined && list.size > (list.has(r) ? 1 : 0);
