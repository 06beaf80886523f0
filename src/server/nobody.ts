import type { Registrar } from '../host/register/registrar.js';
import type { Scope } from '../scopes/scope.js';

/** The files whose hooks wait for consent, if no other hook could be asked about any call; undefined: some could. */
export function waitingAlone(registrar: Registrar): ReadonlySet<string> | undefined {
  // Nearly always a hook of the host's itself answers that.
  const { root } = registrar;
  if ([root, ...root.children].some(asks)) return undefined;
  const { anything, scopes } = registrar.known();
  if (anything || scopes.some(asks)) return undefined;
  return new Set(scopes.flatMap(registrationsOf).map(({ source }) => source.file ?? source.kind));
}

const registrationsOf = (scope: Scope) => scope.events().flatMap((event) => scope.own(event));

/** A hook that waits for consent stands where it would be asked. */
const asks = (scope: Scope): boolean =>
  scope.events().some((event) => scope.own(event).some(({ skip }) => skip?.reason !== 'trust'));
