import { isEnforcedIn } from '../../host/plan/shadows.js';
import type { Bundle } from '../bundle/bundle.js';
import { TrustedKeys } from '../bundle/trusted.js';
import type { HostStatus } from '../status.js';
import { reasonOf } from './last-good.js';
import { isMeant } from './meant.js';

/** What a host says to a bundle that is for it, if it knows these keys and has one of that sequence in force; undefined: it takes it. */
export function objectionOf(
  bundle: Bundle,
  { host = 'host', sequence = 0, keys }: { host?: string; sequence?: number; readonly keys: readonly string[] },
): string | undefined {
  const { team, channel, canary } = bundle.manifest;
  const kept = { sequence, keys: new TrustedKeys(keys) };
  const place = { isMain: canary === undefined, team, channel, host, kept, there: undefined, isThere: true };
  try {
    return isMeant(bundle, place) ? undefined : `it has one of the sequence ${sequence}, which is newer`;
  } catch (error) {
    return reasonOf(error);
  }
}

/** What those hosts that a bundle is for will say to it. Each has shared its state, which nobody has signed: it is a hint, and no proof. */
export function foresee(
  bundle: Bundle,
  keys: readonly string[],
  hosts: readonly HostStatus[],
): { readonly refusals: readonly string[]; readonly byAll: boolean } {
  const { channel, canary } = bundle.manifest;
  const meant = hosts.flatMap(({ host, left, channels }) => {
    const own = left ? undefined : channels.find((one) => one.channel === channel);
    const isFor = own !== undefined && (canary === undefined || isEnforcedIn(canary, host));
    return isFor ? [{ host, sequence: own.sequence ?? 0, keys }] : [];
  });
  const refusals = meant.flatMap((one) => {
    const why = objectionOf(bundle, one);
    return why === undefined ? [] : [`${one.host} refuses it: ${why}`];
  });
  return { refusals, byAll: refusals.length > 0 && refusals.length === meant.length };
}
