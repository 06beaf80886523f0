import { HookscopeError } from '../../errors.js';
import { isEnforcedIn } from '../../host/plan/shadows.js';
import { sha256 } from '../../values/sha256.js';
import type { Bundle } from '../bundle/bundle.js';
import { MOST_AHEAD } from '../bundle/manifest.js';
import type { KeptChannel } from './kept.js';

/** The host that checks a bundle, and the bundle before it. */
interface Place {
  /** Posted for all hosts; else for a share of them. */
  readonly isMain: boolean;
  readonly team: string;
  readonly channel: string;
  readonly host: string;
  readonly kept: KeptChannel;
  /** The bundle in force now, or last. */
  readonly there: Bundle | undefined;
  readonly isThere: boolean;
}

/** Whether a bundle comes from the team and is for this host, whatever becomes of it here: then what it masks is masked. */
export function isFromTeam(
  bundle: Bundle,
  { isMain, team, channel, host, kept: { keys, sequence } }: Omit<Place, 'there' | 'isThere'>,
): boolean {
  const { manifest } = bundle;
  const isFor = manifest.canary === undefined ? isMain : !isMain && isEnforcedIn(manifest.canary, host);
  if (!isFor || manifest.team !== team || manifest.channel !== channel || manifest.sequence <= sequence) return false;
  try {
    keys.check(bundle);
    return true;
  } catch {
    return false;
  }
}

/** Whether a bundle is for this host, and another than that in force. Throws BUNDLE_REFUSED. */
export function isMeant(
  bundle: Bundle,
  { isMain, team, channel, host, kept: { keys, sequence }, there, isThere }: Place,
): boolean {
  const { manifest } = bundle;
  const refuse = (reason: string): never => {
    throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
  };
  keys.check(bundle);
  if (manifest.team !== team || manifest.channel !== channel)
    refuse(`it is for the channel ${manifest.channel} of the team ${manifest.team}`);
  const isSame = manifest.sequence === sequence && there !== undefined && sha256(there.bytes) === sha256(bundle.bytes);
  if (isMain !== (manifest.canary === undefined))
    refuse('a canary is posted where all hosts look, or the other way round');
  // A host has one that it took before it refused such ones.
  if (!isSame && manifest.canary !== undefined && manifest.keys !== undefined)
    refuse('a canary cannot change the keys: those it is tried on would follow nothing that the old ones sign');
  if (manifest.canary !== undefined && !isEnforcedIn(manifest.canary, host)) return false;
  if (isSame) return !isThere;
  if (manifest.sequence <= sequence) {
    // A canary is ahead of the other hosts, and is superseded by the next regular bundle.
    const isUsual = !isMain || there?.manifest.canary !== undefined;
    if (isUsual && manifest.sequence < sequence) return false;
    refuse(
      `its sequence is ${manifest.sequence}, and ${sequence} was in force here: old content is signed anew under a higher one`,
    );
  }
  // After the highest possible number, no further bundle could be posted.
  if (sequence > 0 && manifest.sequence > sequence + MOST_AHEAD)
    refuse(`its sequence is ${manifest.sequence}, more than ${MOST_AHEAD} above that in force here, ${sequence}`);
  if (manifest.expires !== undefined && Date.parse(manifest.expires) <= Date.now())
    refuse(`it has expired on ${manifest.expires}`);
  return true;
}
