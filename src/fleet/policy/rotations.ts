import { HookscopeError } from '../../errors.js';
import { type Bundle, readBundle, readSealed, type Sealed } from '../bundle/bundle.js';
import { MOST_AHEAD } from '../bundle/manifest.js';
import type { TrustedKeys } from '../bundle/trusted.js';
import type { FleetEngine, Posted } from '../engine.js';
import type { KeptChannel } from './kept.js';
import { reasonOf } from './last-good.js';

interface Channel {
  readonly team: string;
  readonly channel: string;
}

/**
 * The keys that count after these posts of a channel, in the order of posting, where that of this sequence was in force and these keys counted. Each is judged as if it had just
 * arrived: what a key signs once another has taken its place changes nothing.
 */
export function keysAfter(
  posts: readonly Sealed[],
  { keys, sequence }: Pick<KeptChannel, 'keys' | 'sequence'>,
  { team, channel }: Channel,
): TrustedKeys {
  const after = keys.copy();
  let last = sequence;
  for (const post of posts) {
    const { manifest: of } = post;
    const isNext = of.sequence > last && (last === 0 || of.sequence <= last + MOST_AHEAD);
    if (of.team !== team || of.channel !== channel || of.canary !== undefined || !isNext) continue;
    try {
      after.check(post);
    } catch {
      // Nobody who counts has signed it.
      continue;
    }
    after.take(post);
    last = of.sequence;
  }
  return after;
}

/** What was posted, as far as it is a bundle; signatures were not checked. */
export const sealedIn = (posts: readonly Pick<Posted, 'bytes'>[]): Sealed[] =>
  posts.flatMap(({ bytes }) => {
    try {
      return [readSealed(bytes)];
    } catch {
      // Anybody with an operator's credentials can post anything.
      return [];
    }
  });

/** What is posted, and by which keys it is judged. */
interface ReadPost {
  readonly bundle: Bundle;
  readonly keys: TrustedKeys;
  /** The version of the channel up to which the keys were followed; absent: they were not. */
  readonly at?: number;
}

/** What was posted before it cannot be read now, so nothing is known of who may have signed it. */
export interface Unread {
  readonly unread: HookscopeError;
}

/**
 * Reads what is posted, and says by which keys it is judged: those that count at its place, after all that was posted since what is in force here, as far as the channel keeps it. A
 * canary's place is after all that is posted for all hosts. `after`: the version of the channel up to which this host has followed. Rejects with BUNDLE_REFUSED.
 */
export async function readPosted(
  { bytes, version }: Posted,
  kept: Pick<KeptChannel, 'keys' | 'sequence'>,
  {
    engine: { policy },
    isMain,
    after,
    ...of
  }: Channel & { readonly engine: FleetEngine; readonly isMain: boolean; readonly after: number },
): Promise<ReadPost | Unread> {
  const { keys } = kept;
  const bundle = readKnown(bytes, keys);
  const isOld = bundle !== undefined && bundle.manifest.sequence <= kept.sequence;
  if (isOld && keys.whyNot(bundle.isSignedBy) === undefined) return { bundle, keys };
  let posts: readonly Posted[];
  try {
    // A broker that has lost its disk counts from one again.
    const from = isMain && version <= after ? 0 : after;
    posts = await (policy.past?.(of.channel, from) ?? policy.history(of.channel));
    posts = posts.filter((one) => one.version > from && !(isMain && one.version >= version));
  } catch (error) {
    const reason = `what was posted before it cannot be read now, so whether its keys still count is not known: ${reasonOf(error)}; it is tried again`;
    return { unread: new HookscopeError('BUNDLE_REFUSED', { bundle: bundle?.name ?? 'that was sent', reason }) };
  }
  const later = keysAfter(sealedIn(posts), kept, of);
  const at = isMain ? version : Math.max(after, ...posts.map((one) => one.version));
  return { bundle: readBundle(bytes, later.whyNot), keys: later, at };
}

/** Undefined: none of the keys has signed it, and it is too large to be read. */
function readKnown(bytes: Uint8Array, keys: TrustedKeys): Bundle | undefined {
  let isForeign = false;
  try {
    return readBundle(bytes, (isSignedBy) => {
      const why = keys.whyNot(isSignedBy);
      isForeign = why !== undefined;
      return why;
    });
  } catch (error) {
    if (isForeign) return undefined;
    throw error;
  }
}
