import { HookscopeError } from '../../errors.js';
import { readSealed, type SealedBundle } from '../bundle/bundle.js';
import { MOST_AHEAD } from '../bundle/manifest.js';
import type { TrustedKeys } from '../bundle/trusted.js';
import { KEPT_POSTS } from '../engine.js';
import type { PolicyPost } from './posts.js';

/** What the posts of a channel come to, for everybody who follows them: which keys sign, and which number counted last. */
export interface Chain {
  readonly keys: TrustedKeys;
  /** The number that counted last. */
  readonly floor: number;
  /** The id of what counted last: posted again and signed, it is the same one. The id is of what was signed, and says nothing of the signatures. */
  readonly last?: string | undefined;
}

interface ChannelRef {
  readonly team: string;
  readonly channel: string;
}

/** A post, and what it is to the chain. */
export interface JudgedPost {
  readonly post: PolicyPost;
  /** Absent: nothing of it can be read. */
  readonly sealed?: SealedBundle;
  /** Why it counts for nothing; absent: it counts. */
  readonly why?: unknown;
  /** It counts for nothing for its number alone: most often it is one that has counted, posted again. */
  readonly isLate?: boolean;
}

interface FoldedChain {
  readonly chain: Chain;
  readonly judged: readonly JudgedPost[];
  /** What was posted in between is lost, and what is there is signed with keys that nothing leads to: nothing counts. */
  readonly gap?: HookscopeError;
}

/** What goes on from here, and what does not: BUNDLE_REFUSED. Whether a host can take it as its policy is no question here. */
export function whyNotNext(
  { keys, floor }: Chain,
  sealed: SealedBundle,
  isMain: boolean,
  { team, channel }: ChannelRef,
  ahead = MOST_AHEAD,
) {
  const { manifest, name } = sealed;
  const refuse = (reason: string): HookscopeError => new HookscopeError('BUNDLE_REFUSED', { bundle: name, reason });
  const isCanary = manifest.canary !== undefined;
  const unsigned = whyNotSigned({ keys }, sealed);
  if (unsigned !== undefined) return unsigned;
  if (manifest.team !== team || manifest.channel !== channel)
    return refuse(`it is for the channel ${manifest.channel} of the team ${manifest.team}`);
  if (isMain === isCanary) return refuse('a canary is posted where all hosts look, or the other way round');
  if (isCanary && manifest.keys !== undefined)
    return refuse('a canary cannot change the keys: those it is tried on would follow nothing that the old ones sign');
  if (manifest.sequence <= floor)
    return refuse(
      `its sequence is ${manifest.sequence}, and ${floor} has counted before: old content is signed anew under a higher one`,
    );
  // After the highest possible number, no further bundle could be posted.
  if (floor > 0 && manifest.sequence > floor + ahead)
    return refuse(`its sequence is ${manifest.sequence}, more than ${ahead} above the one that counted last, ${floor}`);
  return undefined;
}

function whyNotSigned({ keys }: Pick<Chain, 'keys'>, sealed: SealedBundle): HookscopeError | undefined {
  try {
    keys.check(sealed);
    return undefined;
  } catch (error) {
    return error as HookscopeError;
  }
}

/** What a post is to the chain as it is. */
export function judge(chain: Chain, post: PolicyPost, of: ChannelRef): JudgedPost {
  const { chain: _, ...judged } = step(chain, post, of);
  return judged;
}

/** One post after the others. A post that does not count changes nothing. `ahead`: how far its number may be above the last one. */
function step(
  chain: Chain,
  post: PolicyPost,
  of: ChannelRef,
  ahead = MOST_AHEAD,
): JudgedPost & { readonly chain: Chain } {
  let sealed: SealedBundle;
  try {
    sealed = readSealed(post.bytes, chain.keys.whyNot);
  } catch (why) {
    return { chain, post, why };
  }
  const isMain = post.place !== 'canary';
  if (post.place === 'keys' && sealed.manifest.keys === undefined)
    return {
      chain,
      post,
      sealed,
      why: new HookscopeError('BUNDLE_REFUSED', { bundle: sealed.name, reason: 'it changes no keys' }),
    };
  if (sealed.id === chain.last && isMain === (sealed.manifest.canary === undefined)) {
    const forged = whyNotSigned(chain, sealed);
    return forged === undefined ? { chain, post, sealed } : { chain, post, sealed, why: forged };
  }
  const why = whyNotNext(chain, sealed, isMain, of, ahead);
  if (why !== undefined)
    return { chain, post, sealed, why, isLate: whyNotNext({ ...chain, floor: 0 }, sealed, isMain, of) === undefined };
  const keys = chain.keys.copy();
  keys.take(sealed);
  return { chain: { keys, floor: sealed.manifest.sequence, last: sealed.id }, post, sealed };
}

/** What may be missing before posts: nothing; what came before a host that begins with the keys that it was given; or what a host that had followed the channel has missed. */
type MissingPosts = 'nothing' | 'the beginning' | 'what was missed';

interface How {
  readonly missing?: MissingPosts;
  /** Some may be missing before the posts. */
  readonly isGap?: boolean;
  /** The version up to which posts were judged before. */
  readonly since?: number;
}

/**
 * The one judge of posts, for hosts that are there, come back or come late, and for operators: what the posts of a channel come to, in the order of posting, from what was known before
 * them. Where some are missing, a change of keys may be among them: what nobody known has signed shows it.
 */
export function foldPosts(from: Chain, posts: readonly PolicyPost[], of: ChannelRef, how: How = {}): FoldedChain {
  const { missing = 'nothing', isGap = missing !== 'nothing', since = 0 } = how;
  const folded = walk(from, posts, of, { missing, isGap, since, isOver: isGap });
  // With nothing for all hosts that counts, a canary is not over.
  return folded.isAfterGap && isGap ? walk(from, posts, of, { missing, isGap, since, isOver: false }) : folded;
}

/** `isOver`: canaries that are posted where bundles may be missing are over, since they stay longer than the bundles that followed them. */
function walk(
  from: Chain,
  posts: readonly PolicyPost[],
  of: ChannelRef,
  { missing, isGap, since, isOver }: Required<How> & { readonly isOver: boolean },
): FoldedChain & { readonly isAfterGap: boolean } {
  const judged: JudgedPost[] = [];
  let [chain, last] = [from, since];
  // Changes of keys and canaries stay longer than the bundles for all that followed them: how far those had come is known once one of them counts.
  let isAfterGap = isGap;
  /** Keys that have signed what nobody known has, since something counted. */
  const strange = new Set<string>();
  for (const post of posts) {
    // Each post that is missing may have had a number that much higher.
    const ahead = MOST_AHEAD * (isAfterGap ? Math.max(1, post.version - last) : 1);
    const { chain: next, ...one } = overIn(step(chain, post, of, ahead), chain, isOver && isAfterGap);
    if (one.why === undefined && post.place === 'main') isAfterGap = false;
    if (next !== chain) {
      last = post.version;
      const isTied = strange.size === 0 || [...strange].some((key) => one.sealed?.isSignedBy(key));
      // The key that signs this one may have lost its place to them.
      if (missing === 'what was missed' && !isTied) return { ...gapIn(from, posts), isAfterGap: false };
      strange.clear();
    }
    if (missing !== 'nothing' && one.why !== undefined) for (const key of strangersOf(one, next, of)) strange.add(key);
    judged.push(one);
    chain = next;
  }
  return { ...(strange.size > 0 ? gapIn(from, posts) : { chain, judged }), isAfterGap };
}

type ChainStep = ReturnType<typeof step>;

/** A canary whose number says nothing, since what followed it may be missing. */
function overIn(one: ChainStep, chain: Chain, isOver: boolean): ChainStep {
  const { post, sealed, why } = one;
  if (!isOver || post.place !== 'canary' || why !== undefined || sealed === undefined) return one;
  const reason = 'it was posted before bundles that are no longer kept, and is over with those';
  return {
    chain,
    post,
    sealed,
    why: new HookscopeError('BUNDLE_REFUSED', { bundle: sealed.name, reason }),
    isLate: true,
  };
}

/**
 * What may be missing before these, all that is kept after what was judged last: as many as are kept may have pushed others out, and where nothing was judged before (`isFirst`) the first
 * that counts for all hosts shows whether the channel begins with it.
 */
export function missingBefore(
  posts: readonly PolicyPost[],
  from: Chain,
  of: ChannelRef,
  isFirst: boolean,
): MissingPosts {
  const main = posts.filter(({ place }) => place === 'main');
  if (from.floor > 0 && main.length >= KEPT_POSTS) return 'what was missed';
  if (!isFirst || main.length === 0) return 'nothing';
  const { judged } = foldPosts(from, posts, of, { isGap: true });
  let before = from.floor;
  for (const { post, sealed, why } of judged) {
    const number = why === undefined ? (sealed?.manifest.sequence ?? 0) : 0;
    if (number > 0 && post.place === 'main') return number > before + 1 ? 'the beginning' : 'nothing';
    before = Math.max(before, number);
  }
  return main.length >= KEPT_POSTS ? 'the beginning' : 'nothing';
}

function strangersOf({ post, sealed }: JudgedPost, { keys, last }: Chain, { team, channel }: ChannelRef): string[] {
  if (post.place !== 'main' || sealed === undefined || sealed.id === last) return [];
  if (sealed.manifest.team !== team || sealed.manifest.channel !== channel) return [];
  const signers = sealed.signers.filter(sealed.isSignedBy);
  const { known } = keys;
  return signers.some((key) => known.has(key)) ? [] : signers;
}

function gapIn(chain: Chain, posts: readonly PolicyPost[]): FoldedChain {
  const reason =
    'the channel no longer keeps all that was posted since, and what it keeps is signed with keys that nothing in it leads to, so none of it counts here: where the team has changed its keys, join with the new one; where others have posted there, remove what is theirs';
  const gap = new HookscopeError('BUNDLE_REFUSED', { bundle: 'that was sent', reason });
  return { chain, judged: posts.map((post) => ({ post, why: gap })), gap };
}

const namedIn = ({ manifest }: SealedBundle): string | undefined =>
  manifest.keys && [...new Set(manifest.keys)].sort().join();

/** Those bundles that change the keys, and are not kept among the changes yet. `counted`: what counts of a channel, in the order of posting; `next`: what is posted after that. */
export function changesNotKept(counted: readonly JudgedPost[], next?: SealedBundle): SealedBundle[] {
  const kept = new Set(counted.flatMap(({ post, sealed }) => (post.place === 'keys' && sealed ? [sealed.id] : [])));
  const found = [...counted.flatMap(({ sealed }) => sealed ?? []), ...(next ? [next] : [])];
  let named: string | undefined;
  return found.filter((one) => {
    const before = named;
    named = namedIn(one) ?? named;
    return named !== before && !kept.has(one.id);
  });
}
