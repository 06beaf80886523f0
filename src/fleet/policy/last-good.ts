import { HookscopeError, isHookscopeError } from '../../errors.js';
import { describeError } from '../../values/message.js';
import type { Bundle } from '../bundle/bundle.js';
import { overlapOf } from '../bundle/paths.js';
import { type AllowList, grantOf } from './allowed.js';
import { handlersIn } from './contents.js';
import { checkDrift } from './drift.js';
import type { FollowOptions } from './follow-options.js';
import type { KeptChannel } from './kept.js';
import type { PolicyInForce } from './managed.js';
import { pluginsIn } from './plugins.js';
import { type PreparedPolicy, preparePolicy, readBundledPolicy } from './prepare.js';

/** Characters of a reason: a bundle's author can make it as long as a bundle, and it is part of what hosts report. */
const MOST_REASON = 2_000;

/** The current policy of the bundle that was in force last, or why there is none; what its bundle masks is masked in either case. */
export async function lastGood(
  channel: string,
  { bundle, problem }: Pick<KeptChannel, 'bundle' | 'problem'>,
  { allowed, directory, place }: { allowed(): AllowList; readonly directory: string; readonly place: string },
): Promise<PolicyInForce & { readonly error?: unknown; readonly masks?: PreparedPolicy['redact'] | undefined }> {
  const of = `the fleet's policy (${channel})`;
  if (bundle === undefined)
    return {
      asks: `${of}${problem === undefined ? ` is not known yet: none has come from ${place}` : `: ${problem}`}`,
    };
  try {
    const policy = await preparePolicy(bundle, allowed(), directory);
    return { policy, until: endOf(bundle), masks: policy.redact };
  } catch (error) {
    const { redact: masks = undefined } = await readBundledPolicy(bundle).catch(() => ({}) as Partial<PreparedPolicy>);
    return { asks: `${of} cannot be in force here: ${reasonOf(error)}`, error, masks };
  }
}

/** A bundle that counts, ready to come into force on this host. `posted`: when, ISO 8601. Rejects with BUNDLE_REFUSED where it cannot. */
export async function prepareHere(
  bundle: Bundle,
  posted: string | undefined,
  { claimed, allowed, directory, recent }: FollowOptions,
): Promise<PreparedPolicy> {
  const { expires, created, roots } = bundle.manifest;
  const refuse = (reason: string): never => {
    throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
  };
  // One that has expired since it was posted is in force on the hosts that were there, and every gate asks.
  const end = Date.parse(expires ?? '');
  if (end <= Date.now() && end <= Date.parse(posted ?? created)) refuse(`it has expired on ${expires}`);
  const both = overlapOf(roots, claimed());
  if (both) refuse(`its root ${both[0]} overlaps ${both[1]}, which the bundle of another channel has`);
  const policy = await preparePolicy(bundle, allowed(), directory);
  try {
    await checkDrift(policy, recent());
    return policy;
  } catch (error) {
    await policy.plugins.end();
    throw error;
  }
}

/** Whether the host's file says the same of all that a policy runs as when that was looked at. */
export function isAsAllowed(
  { files, allowed: before }: PreparedPolicy,
  { allowed }: { allowed(): AllowList },
): boolean {
  const said = ({ list }: AllowList): string =>
    JSON.stringify(
      files.map((file) => [
        [...handlersIn(file)].map(({ handler }) => grantOf(handler, list) ?? null),
        pluginsIn(file).map(({ entry }) => list.plugins?.[entry] ?? null),
      ]),
    );
  try {
    return before !== undefined && said(before) === said(allowed());
  } catch {
    return false;
  }
}

/** From when on every gate asks; undefined: it has no end. */
export function endOf({ manifest: { expires }, name }: Bundle): PolicyInForce['until'] {
  if (expires === undefined) return undefined;
  return { time: Date.parse(expires), why: `the fleet's policy ${name} has expired on ${expires}` };
}

/** Undefined: it has not. */
export function whyExpired(bundle: Bundle): string | undefined {
  const end = endOf(bundle);
  return end !== undefined && end.time <= Date.now() ? end.why : undefined;
}

/** The reason in words, without the bundle's name. */
export function reasonOf(error: unknown): string {
  const isRefusal = isHookscopeError(error) && error.code === 'BUNDLE_REFUSED';
  const reason = isRefusal ? (error.details as { reason: string }).reason : describeError(error);
  return reason.length > MOST_REASON ? `${reason.slice(0, MOST_REASON)}…` : reason;
}
