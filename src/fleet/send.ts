import { HookscopeError } from '../errors.js';
import type { Bundle, SealedBundle } from './bundle/bundle.js';
import type { FleetEngine } from './engine.js';
import { overtaken } from './memory.js';
import type { ChannelState } from './operator.js';
import { changesNotKept, type JudgedPost, judge } from './policy/chain.js';
import { reasonOf } from './policy/last-good.js';
import { canaryOf, keepChange, type PolicyPost } from './policy/posts.js';

/** How often a bundle is posted whose change of keys counts already: anybody with an operator's credentials can post in between. */
const TRIES = 20;

/**
 * Posts it, and reads back whether it counts. A change of keys is kept before its bundle is posted: whatever a former key signs from then on comes later in the order. Rejects with
 * FLEET_FAILED where it cannot be posted, or another operator has posted meanwhile, so that it counts for nobody; with what has become of the keys. Resolves with what is left to be said.
 */
export async function post(engine: FleetEngine, bundle: Bundle, state: ChannelState): Promise<string[]> {
  engine.policy.fits?.(bundle.bytes);
  const changes = changesNotKept(state.counted, bundle);
  const isChange = changes.at(-1)?.id === bundle.id;
  const isMeant = isNext(bundle, state);
  if (isChange) return change(engine, bundle, state, { older: changes.slice(0, -1), isMeant });
  const { channel, canary } = bundle.manifest;
  const [key, there] = canary === undefined ? [channel, state.main] : [canaryOf(channel), state.canary];
  await engine.policy.post(key, bundle.bytes, there?.version ?? 0);
  const problems = isMeant ? await whetherItCounts(bundle, state) : [];
  return [...problems, ...(await keepOlder(engine, changes, state))];
}

const isCounted = ({ why }: JudgedPost): boolean => why === undefined;

/** It counts if nothing else comes before it. */
function isNext({ bytes, manifest: { team, channel, canary } }: Bundle, { chain }: ChannelState): boolean {
  const version = Number.MAX_SAFE_INTEGER;
  const place = canary === undefined ? 'main' : 'canary';
  return isCounted(judge(chain, { bytes, version, place }, { team, channel }));
}

interface ChangeOptions {
  /** Earlier changes that an older hookscope has not kept. */
  readonly older: readonly SealedBundle[];
  /** Whether it counts if nothing else is posted before it. */
  readonly isMeant: boolean;
}

/** Its change of keys first, and then the bundle on top of whatever was posted since, as long as nothing else has counted. */
async function change(engine: FleetEngine, bundle: Bundle, state: ChannelState, how: ChangeOptions): Promise<string[]> {
  const { isMeant } = how;
  let now = await changeKept(engine, bundle, state, how);
  const kept = 'its change of keys is kept and counts from the next bundle on, and the bundle itself is not posted';
  for (let left = TRIES; ; left--) {
    const last = lastOf(now, 'main');
    let problem: unknown;
    try {
      await engine.policy.post(bundle.manifest.channel, bundle.bytes, last);
    } catch (error) {
      problem = error;
    }
    if (problem === undefined) return isMeant ? whetherItCounts(bundle, state, 'the keys have changed') : [];
    now = await readAgain(state, bundle, `${kept} (${reasonOf(problem)}); push it again`);
    if (isWholeIn(now, bundle)) return [];
    if (isMeant && now.chain.last !== bundle.id) throw outdone(bundle, now, 'the keys have changed');
    const isOvertaken = lastOf(now, 'main') !== last;
    if (left <= 1 || !isOvertaken) throw failed(bundle, `${kept}: ${reasonOf(problem)}; push it again`);
  }
}

/** Keeps the change behind those before it: a host that reads them in another order would stop at the keys of an earlier one. */
async function changeKept(engine: FleetEngine, bundle: Bundle, state: ChannelState, { older, isMeant }: ChangeOptions) {
  const before = await readAgain(state, bundle, 'nothing is posted, and the keys have not changed');
  if (lastOf(before, 'main') !== lastOf(state, 'main')) throw overtaken(bundle.manifest.channel);
  let after = lastOf(state, 'keys');
  try {
    for (const one of older) after = await keepChange(engine, one, after);
  } catch (error) {
    const what = 'an earlier change of keys could not be kept beside the channel, so this one is not posted';
    throw failed(bundle, `${what}: ${reasonOf(error)}; push it again`);
  }
  let problem: unknown;
  try {
    await keepChange(engine, bundle, after);
  } catch (error) {
    problem = error;
  }
  const doubt = problem === undefined ? '' : `${reasonOf(problem)}; `;
  const now = await readAgain(state, bundle, `${doubt}whether the keys have changed is not known; push it again`);
  if (problem !== undefined && !isIn(now, bundle, 'keys')) throw failed(bundle, `${doubt}the keys have not changed`);
  if (isMeant && !isIn(now, bundle, 'keys')) throw outdone(bundle, now, 'the keys have not changed');
  return now;
}

/** Somebody else may have posted at the same time. */
async function whetherItCounts(bundle: Bundle, state: ChannelState, what = 'it is posted'): Promise<string[]> {
  let now: ChannelState;
  try {
    now = await state.again();
  } catch (error) {
    return [`it is posted, and whether it counts cannot be read back (see fleet status): ${reasonOf(error)}`];
  }
  if (isIn(now, bundle, bundle.manifest.canary === undefined ? 'main' : 'canary')) return [];
  throw outdone(bundle, now, what);
}

/** Changes that an older hookscope has not kept. */
async function keepOlder(engine: FleetEngine, changes: ReturnType<typeof changesNotKept>, state: ChannelState) {
  try {
    let after = changes.length > 0 ? lastOf(await state.again(), 'keys') : 0;
    for (const one of changes) after = await keepChange(engine, one, after);
    return [];
  } catch (error) {
    return [
      `it is posted, and an earlier change of keys could not be kept beside the channel, so that later bundles may push it out: ${reasonOf(error)}; the next push keeps it`,
    ];
  }
}

const lastOf = ({ judged }: ChannelState, place: PolicyPost['place']): number =>
  judged.findLast(({ post: one }) => one.place === place)?.post.version ?? 0;

const isIn = ({ counted }: ChannelState, { id }: Bundle, place: PolicyPost['place']): boolean =>
  counted.some(({ post: one, sealed }) => one.place === place && sealed?.id === id);

/** Whether it is there with its files. Anybody who has seen its change can post that, which has the same id. */
const isWholeIn = ({ counted }: ChannelState, { id, bytes }: Bundle): boolean =>
  counted.some(({ post: { place, bytes: there }, sealed }) => {
    return place === 'main' && sealed?.id === id && Buffer.compare(there, bytes) === 0;
  });

async function readAgain(state: ChannelState, bundle: Bundle, what: string): Promise<ChannelState> {
  try {
    return await state.again();
  } catch (error) {
    throw failed(bundle, `${what}: ${reasonOf(error)}`);
  }
}

function outdone(bundle: Bundle, { judged }: ChannelState, what: string): HookscopeError {
  const why = judged.findLast(({ sealed }) => sealed?.id === bundle.id)?.why;
  const reason =
    why === undefined
      ? 'is no longer kept, since others have pushed it out of the channel'
      : `counts for no host, since somebody else has posted at the same time (${reasonOf(why)})`;
  return failed(bundle, `${what}, and ${bundle.name} ${reason}; look at what is there, and push it again`);
}

const failed = ({ manifest: { channel } }: Bundle, problem: string): HookscopeError =>
  new HookscopeError('FLEET_FAILED', { place: `the channel ${channel}`, problem });
