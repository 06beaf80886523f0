import { order, type Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import { wrong } from './handler-entry.js';

/** Names in `before` must be there already, or come in the same call, in the same stage, and must not go round in a circle. */
export function checkBefore(scope: Scope, added: readonly Registration[]): void {
  for (const r of added) {
    for (const name of r.before) {
      const known = [...scope.own(r.spec.name), ...added].some(
        (o) => o !== r && o.spec === r.spec && o.stage === r.stage && o.name === name,
      );
      if (!known)
        throw wrong(
          `${r.spec.name}: before: "${name}"`,
          `no hook of that name is registered in scope "${scope.id}", stage ${r.stage}`,
        );
    }
  }
  checkCircles(scope, added);
}

function checkCircles(scope: Scope, added: readonly Registration[]): void {
  for (const event of new Set(added.filter((r) => r.before.length > 0).map((r) => r.spec.name))) {
    try {
      order([...scope.own(event), ...added.filter((r) => r.spec.name === event)]);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw wrong(`${event}: before: ${error.message}`, 'the order goes round in a circle');
    }
  }
}
