import type { Registration, Untrusted } from '../../scopes/registration.js';
import type { Attempt } from './attempt.js';
import type { FireFacts } from './facts.js';

/** A hook that is not as it was accepted does not run: a failure, which asks at least, and denies where nobody can be asked. */
export function untrusted(fire: FireFacts, registration: Registration, { file, why }: Untrusted): Attempt {
  // It did not run, so its single run is still due.
  if (registration.once) registration.scope.giveBack(registration);
  fire.services.notices.tell(fire.input['session_id'], file, why);
  const blocks = fire.options.canAsk === false ? ({ blocks: true } as const) : {};
  return { failure: { cause: 'untrusted', message: why, ...blocks } };
}
