import { isEnforcedIn } from '../../host/plan/shadows.js';
import { sha256 } from '../../values/sha256.js';
import { type Bundle, readSealed, type SealedBundle } from '../bundle/bundle.js';
import { TrustedKeys } from '../bundle/trusted.js';
import { KEPT_POSTS } from '../engine.js';
import type { ChannelStatus, HostStatus } from '../status.js';
import { foldPosts, whyNotNext } from './chain.js';
import { reasonOf } from './last-good.js';
import type { PolicyPost } from './posts.js';

/** What a host says to a bundle that is for it, if it knows these keys and one of that sequence has counted last; undefined: it takes it. */
export function objectionOf(
  bundle: Bundle,
  { sequence = 0, keys }: { sequence?: number; readonly keys: readonly string[] },
): string | undefined {
  const { team, channel, canary, expires } = bundle.manifest;
  const chain = { keys: new TrustedKeys(keys), floor: sequence };
  const why = whyNotNext(chain, bundle, canary === undefined, { team, channel });
  if (why !== undefined) return reasonOf(why);
  return expires !== undefined && Date.parse(expires) <= Date.now() ? `it has expired on ${expires}` : undefined;
}

/** What those hosts that a bundle is for will say to it. Each has shared its state, which nobody has signed: it is a hint, and no proof. */
export function foresee(
  bundle: Bundle,
  keys: readonly string[],
  hosts: readonly HostStatus[],
  posts: readonly PolicyPost[] = [],
): { readonly refusals: readonly string[]; readonly doubts: readonly string[]; readonly byAll: boolean } {
  const { channel, canary } = bundle.manifest;
  const kept = posts.filter(({ place }) => place === 'main');
  // Where all have left, they are the ones that may come back.
  const there = hosts.filter(({ left }) => !left);
  const meant = (there.length > 0 ? there : hosts).flatMap(({ host, channels }) => {
    const own = channels.find((one) => one.channel === channel);
    const isFor = own !== undefined && (canary === undefined || isEnforcedIn(canary, host));
    if (!isFor) return [];
    return [
      { own, of: { host, sequence: own.counted ?? own.sequence ?? 0, keys: keysOf(own, bundle, posts) ?? keys } },
    ];
  });
  const refusals = meant.flatMap(({ of }) => {
    const why = objectionOf(bundle, of);
    return why === undefined ? [] : [`${of.host} refuses it: ${why}`];
  });
  const isAll = kept.length < KEPT_POSTS;
  const doubts = meant.flatMap(({ own, of: { host } }) => {
    const { digest, revision, sequence } = own;
    if (isAll || digest === undefined || kept.some(({ bytes }) => sha256(bytes) === digest)) return [];
    const what = `${host} has ${revision} (${sequence}), which the channel no longer keeps`;
    return [`${what}: if the keys have changed since, it refuses this one until it joins with the new key`];
  });
  return { refusals, doubts, byAll: refusals.length > 0 && refusals.length === meant.length };
}

/**
 * The keys that a host knows when the bundle comes: those that its own was signed with or has named, and those of the changes that will still be kept. undefined: it is not known.
 * `posts`: all that are kept, in the order of posting.
 */
function keysOf(
  { digest }: ChannelStatus,
  { manifest: { team, channel } }: Bundle,
  posts: readonly PolicyPost[],
): readonly string[] | undefined {
  const kept = posts.filter(({ place }) => place === 'main');
  const own = digest === undefined ? undefined : kept.find(({ bytes }) => sha256(bytes) === digest);
  const sealed = own && sealedOf(own);
  if (own === undefined || sealed === undefined) return undefined;
  const { manifest, signers, isSignedBy } = sealed;
  const before = posts
    .filter(({ version, place }) => version <= own.version && place !== 'canary')
    .map((one) => sealedOf(one)?.manifest)
    .findLast((one) => one?.team === team && one.channel === channel && one.keys?.some(isSignedBy));
  const known = new TrustedKeys(before?.keys ?? signers.filter(isSignedBy));
  // The new one pushes the oldest out.
  const left = kept.length < KEPT_POSTS ? kept : kept.slice(1 - KEPT_POSTS);
  const missed = posts.filter((one) => one.version > own.version && (one.place === 'keys' || left.includes(one)));
  return foldPosts({ keys: known, floor: manifest.sequence }, missed, { team, channel }).chain.keys.all;
}

function sealedOf({ bytes }: PolicyPost): SealedBundle | undefined {
  try {
    return readSealed(bytes);
  } catch {
    return undefined;
  }
}
