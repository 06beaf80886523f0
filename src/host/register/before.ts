import type { ByName } from '../../scopes/by-name.js';
import { namesOf, OrderCircle, order } from '../../scopes/order.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import { nearest } from '../../values/nearest.js';
import { wrong } from './handler-entry.js';

/**
 * What `before` and `after` ask for must be possible: INVALID_HOOKS names the circle. Names that nobody has are fine, plugins come
 * and go; what is likely a mistake is warned of. Only what the new hooks can change is looked at.
 */
export function checkOrder(scope: Scope, added: readonly Registration[], warn: (message: string) => void): void {
  for (const event of new Set(added.map((r) => r.spec.name))) {
    const some = added.filter((r) => r.spec.name === event);
    scope.withNames(event, some, (names, circle) => {
      const own = some.find((r) => [...r.before, ...r.after].includes(r.name) && !names.isThere(r, r.name));
      if (own || circle) refuse(event, own, () => [...scope.own(event), ...some]);
      for (const warning of mistakes(names, some)) warn(`${event}: ${warning}`);
    });
  }
}

function refuse(event: string, own: Registration | undefined, list: () => readonly Registration[]): void {
  const all = list();
  try {
    if (own) throw new OrderCircle([own.name, own.name]);
    order(all);
  } catch (error) {
    if (!(error instanceof OrderCircle)) throw error;
    // Each runs before the next, or after it if that was asked for.
    const key = all.some(({ before }) => before.length > 0) ? 'before' : 'after';
    const names = key === 'before' ? error.names : [...error.names].reverse();
    const circle = names.map((name) => `"${name}"`).join(' → ');
    throw wrong(`${event}: ${key}: ${circle}`, 'the order goes round in a circle');
  }
}

/** Among more names none is looked for that resembles another: each new hook would be compared with all. */
const MOST_NAMES = 1_000;
/** So many hooks that ask for the same name are warned of. */
const MOST_WARNED = 20;

/** Names that no hook of the stage has but that resemble one: those the new hooks use, and those that may mean a new hook. */
function* mistakes(names: ByName, added: readonly Registration[]): Generator<string> {
  const isNew = new Set(added);
  const fresh = new Map<string, Registration>();
  // A name that others had before was told of when it came.
  for (const r of added)
    for (const name of namesOf(r)) if (!fresh.has(name) && names.isOnlyOf(name, isNew)) fresh.set(name, r);
  if (names.open <= MOST_NAMES && fresh.size <= MOST_NAMES)
    for (const [stage, name] of names.openNames()) {
      const elsewhere = fresh.get(name);
      const near = elsewhere ? undefined : nearest(name, fresh.keys());
      if (elsewhere === undefined && near === undefined) continue;
      for (const [key, r] of few(names.wishing(name, stage)))
        if (!isNew.has(r)) yield words(r, key, name, elsewhere, near as string);
    }
  for (const r of added)
    for (const [key, name] of [...entries('before', r), ...entries('after', r)]) {
      if (names.isThere(r, name) || ![...few(names.wishing(name, r.stage))].some(([, one]) => one === r)) continue;
      const elsewhere = names.elsewhere(r, name);
      const near = elsewhere || names.names.size > MOST_NAMES ? undefined : nearest(name, namesOfOthers(names, r));
      if (elsewhere ?? near) yield words(r, key, name, elsewhere, near as string);
    }
}

function words(r: Registration, key: string, name: string, elsewhere: Registration | undefined, near: string): string {
  const wish = `${r.name} is to run ${key} "${name}", which`;
  if (elsewhere === undefined) return `${wish} nobody is called. Did you mean "${near}"?`;
  return `${wish} is in stage ${elsewhere.stage} and not in its own, ${r.stage}: stages come first`;
}

function* few<T>(all: Iterable<T>): Generator<T> {
  let left = MOST_WARNED;
  for (const one of all) {
    if (left-- === 0) return;
    yield one;
  }
}

/** Without the names that are its own alone. */
const namesOfOthers = (names: ByName, r: Registration): string[] =>
  [...names.names.keys()].filter((name) => names.elsewhere(r, name) !== undefined);

const entries = (key: 'before' | 'after', r: Registration): [string, string][] => r[key].map((name) => [key, name]);
