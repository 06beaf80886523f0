import type { Registration } from '../scopes/registration.js';
import type { Scope } from '../scopes/scope.js';
import { wrong } from './handler-entry.js';

/** Names in `before` must be there already, or come in the same call, in the same stage. */
export function checkBefore(scope: Scope, added: readonly Registration[]): void {
  for (const r of added) {
    for (const name of r.before) {
      const known = [...scope.own(r.entry.name), ...added].some(
        (o) => o !== r && o.entry === r.entry && o.stage === r.stage && o.name === name,
      );
      if (!known)
        throw wrong(
          `${r.entry.name}: before: "${name}"`,
          `no hook of that name is registered in scope "${scope.id}", stage ${r.stage}`,
        );
    }
  }
}
