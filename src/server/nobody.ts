import type { Registrar } from '../host/register/registrar.js';
import type { Scope } from '../scopes/scope.js';

/** The files whose hooks wait for consent, if there are no other hooks; undefined if there are. */
export function waitingAlone(registrar: Registrar): ReadonlySet<string> | undefined {
  // The host's own hooks are checked first, because they nearly always decide.
  const { root } = registrar;
  if ([root, ...root.children].some(asks)) return undefined;
  const { anything, scopes } = registrar.known();
  if (anything || scopes.some(asks)) return undefined;
  return new Set(scopes.flatMap(registrationsOf).map(({ source }) => source.file ?? source.kind));
}

const registrationsOf = (scope: Scope) => scope.events().flatMap((event) => scope.own(event));

/** Whether a scope has a hook that does not wait for consent. */
const asks = (scope: Scope): boolean =>
  scope.events().some((event) => scope.own(event).some(({ skip }) => skip?.reason !== 'trust'));
