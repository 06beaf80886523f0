import { isPlaced, namesOf, OrderCircle, order } from '../../scopes/order.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import { nearest } from '../../values/nearest.js';
import { wrong } from './handler-entry.js';

/**
 * What `before` and `after` ask for must be possible: INVALID_HOOKS names the circle. Names that nobody has are fine, plugins come
 * and go; what is likely a mistake is warned of.
 */
export function checkOrder(scope: Scope, added: readonly Registration[], warn: (message: string) => void): void {
  for (const event of new Set(added.map((r) => r.spec.name))) {
    // Sorting the existing hooks for every new one would be quadratic.
    if (!scope.placed(event) && !added.some(isPlaced)) continue;
    const all = [...scope.own(event), ...added.filter((r) => r.spec.name === event)];
    if (!all.some(isPlaced)) continue;
    checkCircle(event, all);
    for (const warning of mistakes(all, new Set(added))) warn(`${event}: ${warning}`);
  }
}

function checkCircle(event: string, all: readonly Registration[]): void {
  const own = all.find(
    (r) => [...r.before, ...r.after].includes(r.name) && !all.some((o) => o !== r && isCalled(o, r)),
  );
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

const isCalled = (other: Registration, r: Registration): boolean =>
  other.stage === r.stage && namesOf(other).has(r.name);

/** Names that no hook of the stage has but that resemble one: those the new hooks use, and those that may mean a new hook. */
function* mistakes(all: readonly Registration[], added: ReadonlySet<Registration>): Generator<string> {
  for (const r of all) {
    const others = all.filter((o) => o !== r && (added.has(r) || added.has(o)));
    for (const [key, name] of [...entries('before', r), ...entries('after', r)]) {
      if (all.some((o) => o !== r && o.stage === r.stage && namesOf(o).has(name))) continue;
      const elsewhere = others.find((o) => namesOf(o).has(name));
      const near = nearest(name, new Set(others.flatMap((o) => [...namesOf(o)])));
      if (elsewhere)
        yield `${r.name} is to run ${key} "${name}", which is in stage ${elsewhere.stage} and not in its own, ${r.stage}: stages come first`;
      else if (near !== undefined)
        yield `${r.name} is to run ${key} "${name}", which nobody is called. Did you mean "${near}"?`;
    }
  }
}

const entries = (key: 'before' | 'after', r: Registration): [string, string][] => r[key].map((name) => [key, name]);
