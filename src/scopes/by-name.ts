import { isPlaced, namesOf } from './order.js';
import type { Registration } from './registration.js';

/** Hooks of one stage by a name. */
type Lists = Map<string, Set<Registration>>;

/**
 * The hooks of one scope and event by what they are called, and by the names they are placed by. So a hook that comes or goes is compared
 * with those that it concerns, not with all.
 */
export class ByName {
  readonly #called: Lists = new Map();
  readonly #wishing: { readonly before: Lists; readonly after: Lists } = { before: new Map(), after: new Map() };
  /** By name alone, whatever the stage. */
  readonly #anywhere: Lists = new Map();
  /** Wishes about a name that no hook of the stage has. */
  readonly #open = new Set<string>();

  constructor(registrations: readonly Registration[] = []) {
    for (const r of registrations) this.#put(r);
  }

  /** All names of all hooks. */
  get names(): ReadonlyMap<string, unknown> {
    return this.#anywhere;
  }

  /** How many names are wished for that no hook of the stage has. */
  get open(): number {
    return this.#open.size;
  }

  /** `moves`: others that were there must run behind one of them. `circle`: the order has become impossible. */
  add(registrations: readonly Registration[]): { readonly moves: boolean; readonly circle: boolean } {
    let moves = false;
    let circle = false;
    // One by one: a circle is there as soon as the last hook of it is.
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

  /** Whether another hook of its stage has the name. */
  isThere(r: Registration, name: string): boolean {
    return hasOther(this.#called.get(keyOf(r, name)), r);
  }

  /** A hook of any stage with the name. */
  elsewhere(r: Registration, name: string): Registration | undefined {
    for (const other of this.#anywhere.get(name) ?? []) if (other !== r) return other;
    return undefined;
  }

  /** Who is placed by the name. */
  *wishing(name: string, stage: number): Generator<readonly ['before' | 'after', Registration]> {
    for (const how of ['before', 'after'] as const)
      for (const r of this.#wishing[how].get(`${stage}:${name}`) ?? []) yield [how, r];
  }

  /** The names that are wished for, each with its stage, and that no hook of it has. */
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

  #eachWish(r: Registration, each: (lists: Lists, key: string) => void): void {
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

  /** Those that must run before it. */
  *#ahead(r: Registration): Generator<Registration> {
    for (const name of r.after) yield* others(this.#called.get(keyOf(r, name)), r);
    for (const name of namesOf(r)) yield* others(this.#wishing.before.get(keyOf(r, name)), r);
  }

  /** Those that must run after it. */
  *#behind(r: Registration): Generator<Registration> {
    for (const name of r.before) yield* others(this.#called.get(keyOf(r, name)), r);
    for (const name of namesOf(r)) yield* others(this.#wishing.after.get(keyOf(r, name)), r);
  }

  /** Looks both ways by turns, because often there is hardly anything in one of them. */
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

/** Everything that can be reached from it, the hook itself if there is a way round. */
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

function put(lists: Lists, key: string, r: Registration): void {
  const list = lists.get(key);
  if (list) list.add(r);
  else lists.set(key, new Set([r]));
}

function drop(lists: Lists, key: string, r: Registration): void {
  const list = lists.get(key);
  list?.delete(r);
  if (list?.size === 0) lists.delete(key);
}

function* others(list: ReadonlySet<Registration> | undefined, r: Registration): Generator<Registration> {
  for (const other of list ?? []) if (other !== r) yield other;
}

const hasOther = (list: ReadonlySet<Registration> | undefined, r: Registration): boolean =>
  list !== undefined && list.size > (list.has(r) ? 1 : 0);
