import type { UntrustedChange } from '../../scopes/registration.js';
import type { Attempt } from './attempt.js';
import type { FireFacts } from './facts.js';

/** A hook that differs from its accepted version is not run. That is a failure, which becomes at least an ask, or a deny if nobody can be asked. */
export function untrusted(fire: FireFacts, { file, why }: UntrustedChange): Attempt {
  fire.services.notices.tell(fire.input['session_id'], file, why);
  const blocks = fire.options.canAsk === false ? ({ blocks: true } as const) : {};
  return { failure: { cause: 'untrusted', message: why, ...blocks }, unstarted: true };
}
