import { type Bundle, readBundle, readSealed, type Sealed } from '../bundle/bundle.js';
import type { TrustedKeys } from '../bundle/trusted.js';
import type { FleetEngine, Posted } from '../engine.js';
import type { KeptChannel } from './kept.js';

/** The bundles among what is kept in a channel that may have changed its keys since the one of this sequence, in order; their signatures were not checked. */
export function rotationsIn(
  posts: readonly Pick<Posted, 'bytes'>[],
  { team, channel, sequence }: { readonly team: string; readonly channel: string; readonly sequence: number },
): Sealed[] {
  return posts
    .flatMap(({ bytes }) => {
      try {
        return [readSealed(bytes)];
      } catch {
        // Anybody with an operator's credentials can post anything.
        return [];
      }
    })
    .filter(({ manifest: of }) => of.keys !== undefined && of.canary === undefined && of.sequence > sequence)
    .filter(({ manifest: of }) => of.team === team && of.channel === channel)
    .sort((a, b) => a.manifest.sequence - b.manifest.sequence);
}

/**
 * Reads what is posted, and says by which keys it is judged: those that are known, or, where none of them has signed it, those that bundles missed here have put in
 * their place, as far as the channel keeps them. Each of those must be signed as if it had arrived. Rejects with BUNDLE_REFUSED.
 */
export async function readPosted(
  bytes: Uint8Array,
  { keys, sequence }: Pick<KeptChannel, 'keys' | 'sequence'>,
  {
    engine: { policy },
    team,
    channel,
  }: { readonly engine: FleetEngine; readonly team: string; readonly channel: string },
): Promise<{ readonly bundle: Bundle; readonly keys: TrustedKeys }> {
  let isForeign = false;
  const whyNot: TrustedKeys['whyNot'] = (isSignedBy) => {
    const why = keys.whyNot(isSignedBy);
    isForeign = why !== undefined;
    return why;
  };
  try {
    const bundle = readBundle(bytes, whyNot);
    if (whyNot(bundle.isSignedBy) === undefined) return { bundle, keys };
  } catch (error) {
    if (!isForeign) throw error;
  }
  // Without them it is judged by the keys that are known.
  const posts = await (policy.past ?? policy.history)(channel).catch(() => []);
  const later = keys.after(rotationsIn(posts, { team, channel, sequence }));
  return { bundle: readBundle(bytes, later.whyNot), keys: later };
}
