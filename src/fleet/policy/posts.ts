import { type SealedBundle, withoutFiles } from '../bundle/bundle.js';
import type { FleetEngine, Posted } from '../engine.js';

/** Where a post is: for all hosts, for a share of them, or among the changes of keys. */
export type PostPlace = 'main' | 'canary' | 'keys';

export interface PolicyPost extends Posted {
  readonly place: PostPlace;
}

/** The key under which a canary is stored next to the channel's own bundle. */
export const canaryOf = (channel: string): string => `${channel}.canary`;

/** The key under which the changes of a channel's keys are kept, however many bundles follow them. */
const changesOf = (channel: string): string => `${channel}.keys`;

const PLACES = [
  ['main', (channel: string) => channel],
  ['canary', canaryOf],
  ['keys', changesOf],
] as const satisfies readonly (readonly [PostPlace, (channel: string) => string])[];

/** In the order of posting, which is one over all keys of a channel. */
export const inOrder = (posts: readonly PolicyPost[]): PolicyPost[] => posts.toSorted((a, b) => a.version - b.version);

async function postsOf(channel: string, read: (key: string) => Promise<readonly Posted[]>): Promise<PolicyPost[]> {
  const all = PLACES.map(async ([place, keyOf]) => (await read(keyOf(channel))).map((one) => ({ ...one, place })));
  return inOrder((await Promise.all(all)).flat());
}

/** What was posted to a channel after a version, with the rights of a host. */
export const postsAfter = ({ policy }: FleetEngine, channel: string, after: number): Promise<PolicyPost[]> =>
  postsOf(channel, async (key) =>
    (await (policy.past?.(key, after) ?? policy.history(key))).filter(({ version }) => version > after),
  );

/** All that a channel keeps, with the rights of an operator. */
export const postsIn = ({ policy }: FleetEngine, channel: string): Promise<PolicyPost[]> =>
  postsOf(channel, (key) => policy.history(key));

/** Keeps a change of keys where no later bundle pushes it out, on top of that version of what is kept there (0: nothing). Resolves with its own version. */
export const keepChange = ({ policy }: FleetEngine, bundle: SealedBundle, after: number): Promise<number> =>
  policy.post(changesOf(bundle.manifest.channel), withoutFiles(bundle).bytes, after);
