import { isHookscopeError } from '../../errors.js';
import { describeError } from '../../values/message.js';
import type { Bundle } from '../bundle/bundle.js';
import type { Allowed } from './allowed.js';
import type { InForce } from './managed.js';
import { preparePolicy } from './prepare.js';

/** The current policy of the bundle that was in force last. */
export async function lastGood(
  channel: string,
  bundle: Bundle | undefined,
  { allowed, directory }: { allowed(): Allowed; readonly directory: string },
): Promise<InForce & { readonly error?: unknown }> {
  if (bundle === undefined) return { asks: `the fleet's policy (${channel}) is not known yet` };
  try {
    return { policy: await preparePolicy(bundle, allowed(), directory), asks: whyExpired(bundle) };
  } catch (error) {
    return { asks: `the fleet's policy (${channel}) cannot be in force here: ${reasonOf(error)}`, error };
  }
}

/** Undefined: it has not. */
export function whyExpired({ manifest: { expires }, name }: Bundle): string | undefined {
  if (expires === undefined || Date.parse(expires) > Date.now()) return undefined;
  return `the fleet's policy ${name} has expired on ${expires}`;
}

/** The reason in words, without the bundle's name. */
export function reasonOf(error: unknown): string {
  if (isHookscopeError(error) && error.code === 'BUNDLE_REFUSED') return (error.details as { reason: string }).reason;
  return describeError(error);
}
