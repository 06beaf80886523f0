import type { ByName } from '../../scopes/by-name.js';
import { namesOf, OrderCircle, order } from '../../scopes/order.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import { nearest } from '../../values/nearest.js';
import { wrong } from './handler-entry.js';

/**
 * Checks that the order which `before` and `after` ask for is possible: INVALID_HOOKS names a circle. Names that no hook has are allowed,
 * because plugins come and go; likely mistakes get a warning. Only what the new hooks can change is checked.
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
    // The arrows read as "runs before", or as "runs after" if no hook uses `before`.
    const key = all.some(({ before }) => before.length > 0) ? 'before' : 'after';
    const names = key === 'before' ? error.names : [...error.names].reverse();
    const circle = names.map((name) => `"${name}"`).join(' → ');
    throw wrong(`${event}: ${key}: ${circle}`, 'the order is cyclic');
  }
}

/** With more names than this, similar names are not looked for: each new hook would be compared with all of them. */
const MOST_NAMES = 1_000;
/** How many hooks that ask for one name get a warning. */
const MOST_WARNED = 20;

/** Warnings of names that no hook of the stage has, but that resemble one: names that new hooks use, and names that may mean a new hook. */
function* mistakes(names: ByName, added: readonly Registration[]): Generator<string> {
  const isNew = new Set(added);
  const fresh = new Map<string, Registration>();
  // A name that other hooks already had was warned of when the first of them was added.
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

/** All names but those that only this hook has. */
const namesOfOthers = (names: ByName, r: Registration): string[] =>
  [...names.names.keys()].filter((name) => names.elsewhere(r, name) !== undefined);

const entries = (key: 'before' | 'after', r: Registration): [string, string][] => r[key].map((name) => [key, name]);
