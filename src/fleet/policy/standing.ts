import { isEnforcedIn } from '../../host/plan/shadows.js';
import { sha256 } from '../../values/sha256.js';
import { type Bundle, readBundle, type SealedBundle } from '../bundle/bundle.js';
import type { ChannelStatus } from '../status.js';
import type { JudgedPost } from './chain.js';
import { onceEach } from './copies.js';
import type { FollowOptions } from './follow-options.js';
import { type KeptChannel, type RefusedBundle, readKept, whyNotKept } from './kept.js';
import { endOf, isAsAllowed, lastGood, prepareHere, reasonOf, whyExpired } from './last-good.js';
import { type PreparedPolicy, readBundledPolicy } from './prepare.js';
import { type PolicyPart, Refusals } from './refusals.js';

const isCanary = ({ manifest }: SealedBundle): boolean => manifest.canary !== undefined;
const placeOf = (sealed: SealedBundle): 'main' | 'canary' => (isCanary(sealed) ? 'canary' : 'main');

/** What is in force of a channel on this host, what it refuses, and what it keeps of both. */
export class ChannelPolicy {
  readonly #options: FollowOptions;
  readonly #refusals: Refusals;
  #kept: KeptChannel;
  #policy: PreparedPolicy | undefined;
  /** Why every gate asks, other than that the policy has expired. */
  #asks: string | undefined;
  /** The policy whose end was reported. */
  #ended: PreparedPolicy | undefined;
  #masks: PreparedPolicy['redact'] | undefined;
  /** What those mask that count, and are refused here. */
  readonly #refusedMasks = new Map<PolicyPart, PreparedPolicy['redact']>();

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#refusals = new Refusals(options);
    const { folder, channel, keys, tell } = options;
    this.#kept = readKept(folder, channel, keys);
    if (this.#kept.problem !== undefined) tell(this.#kept.problem);
  }

  get kept(): KeptChannel {
    return this.#kept;
  }

  get roots(): readonly string[] {
    return (this.#policy?.bundle ?? this.#kept.bundle)?.manifest.roots ?? [];
  }

  get policy(): PreparedPolicy | undefined {
    return this.#policy;
  }

  /** What is masked: also where the last policy, or what counts since, cannot be in force. */
  get masks(): readonly PreparedPolicy['redact'][] {
    return [...(this.#masks ? [this.#masks] : []), ...this.#refusedMasks.values()];
  }

  /** What was in force cannot be read, and so neither what it masks. */
  get isUnmasked(): boolean {
    const { lost = false, dropped = false, bundle } = this.#kept;
    return lost || (this.#masks === undefined && (dropped || bundle !== undefined));
  }

  /** The last policy cannot be in force here, and may be once what it needs is there. */
  get waits(): boolean {
    return this.#policy === undefined && this.#kept.bundle !== undefined;
  }

  get status(): ChannelStatus {
    const bundle = this.#policy?.bundle;
    const manifest = bundle?.manifest;
    const asks = this.#asks ?? (bundle && whyExpired(bundle));
    const refused = this.#refusals.first;
    const { floor } = this.#kept.chain;
    return {
      channel: this.#options.channel,
      ...(manifest && {
        revision: manifest.revision,
        sequence: manifest.sequence,
        digest: sha256(bundle?.bytes as Uint8Array),
      }),
      ...(floor > (manifest?.sequence ?? 0) && { counted: floor }),
      ...(manifest && this.#kept.since !== undefined && { since: this.#kept.since }),
      ...(manifest?.canary !== undefined && { canary: manifest.canary }),
      ...(asks !== undefined && { asks }),
      ...(refused && { refused }),
    };
  }

  /** Reports the end of a policy; gates look at the clock themselves. */
  look(): void {
    const why = this.#policy && this.#ended !== this.#policy ? whyExpired(this.#policy.bundle) : undefined;
    if (why === undefined) return;
    this.#ended = this.#policy;
    this.#options.tell(`${why}; every gate asks`);
    this.#options.changed();
  }

  /** The last good one, until something better is known; or what has counted since, if this host can take it by now. */
  async start(): Promise<void> {
    await this.#begin();
    await this.#retry();
  }

  async #begin(): Promise<void> {
    const { channel, managed } = this.#options;
    const { bundle } = this.#kept;
    let { policy, asks, until, error, masks } = await lastGood(channel, this.#kept, {
      ...this.#options,
      place: this.#options.engine.place,
    });
    try {
      managed.replace(channel, { policy, asks, until });
    } catch (refusal) {
      await policy?.plugins.end();
      [policy, error] = [undefined, refusal];
      asks = `the fleet's policy (${channel}) cannot be in force here: ${reasonOf(refusal)}`;
      managed.replace(channel, { asks });
    }
    this.#policy = policy;
    this.#asks = asks;
    this.#masks = masks;
    if (error !== undefined) this.refuse('kept', error, bundle);
    else this.#refusals.pass('kept');
  }

  /** What the host allows has changed: looks again at what is in force, and at what counts and was refused. */
  async again(): Promise<void> {
    const { bundle } = this.#kept;
    if (this.#policy === undefined ? bundle !== undefined : !isAsAllowed(this.#policy, this.#options)) {
      await this.#begin();
      this.#options.changed();
    }
    await this.#retry();
  }

  async #retry(): Promise<void> {
    for (const one of this.#kept.refused) if (await this.#newestOf([one])) this.#keep();
  }

  /**
   * What counts, in the order of posting, comes into force, or is refused: the last one for all hosts, else the one before it that this host can take; a canary after that likewise.
   * A canary before it is over, also where this host refuses what has ended it.
   */
  async settle(
    counted: readonly JudgedPost[],
    next: Pick<KeptChannel, 'chain' | 'counted' | 'at' | 'mark'>,
  ): Promise<void> {
    const before = this.#kept;
    this.#kept = { ...before, ...next };
    const posts = onceEach(
      counted.flatMap(({ post, sealed }) => (sealed && post.place !== 'keys' ? [{ sealed, posted: post.at }] : [])),
      before,
    );
    const last = posts.findLastIndex(({ sealed }) => !isCanary(sealed));
    if (last >= 0) {
      this.#forget('canary');
      const main = posts.filter(({ sealed }) => !isCanary(sealed));
      const isTaken = await this.#newestOf(main);
      if (!isTaken && this.#kept.bundle !== undefined && isCanary(this.#kept.bundle)) await this.#back();
    }
    const { host } = this.#options;
    const canaries = posts.slice(last + 1).filter(({ sealed }) => isEnforcedIn(sealed.manifest.canary as number, host));
    if (canaries.length > 0) await this.#newestOf(canaries);
    else if (posts.length > last + 1) this.#forget('canary');
    if (this.#kept.chain.floor > 0) this.#keep();
  }

  /** The newest of them that this host can take; what it says of the very newest is what it reports. */
  async #newestOf(posts: readonly RefusedBundle[]): Promise<boolean> {
    const [newest, ...older] = posts.toReversed();
    if (newest === undefined) return false;
    const place = placeOf(newest.sealed);
    for (const one of [newest, ...older]) {
      const isThere = one.sealed.id === this.#kept.bundle?.id && this.#policy !== undefined;
      try {
        if (!isThere) await this.#take(readBundle(one.sealed.bytes), one.posted);
      } catch (error) {
        if (one !== newest) continue;
        await this.#reject(place, one, error);
        continue;
      }
      if (one.sealed.id === newest.sealed.id) this.#forget(place);
      return true;
    }
    return false;
  }

  async #reject(place: 'main' | 'canary', one: RefusedBundle, error: unknown): Promise<void> {
    this.#kept = { ...this.#kept, refused: [...this.#others(place), one] };
    await this.#maskAs(one.sealed);
    this.refuse(place, error, one.sealed);
  }

  async #maskAs(sealed: SealedBundle): Promise<void> {
    try {
      const { redact } = await readBundledPolicy(readBundle(sealed.bytes));
      this.#refusedMasks.set(placeOf(sealed), redact);
    } catch {
      // Nobody can read what it masks.
      this.#refusedMasks.delete(placeOf(sealed));
    }
  }

  #others(place: 'main' | 'canary'): RefusedBundle[] {
    return this.#kept.refused.filter(({ sealed }) => placeOf(sealed) !== place);
  }

  /** Nothing of that place is refused any more. */
  #forget(place: 'main' | 'canary'): void {
    this.#kept = { ...this.#kept, refused: this.#others(place) };
    this.#refusedMasks.delete(place);
    this.pass(place);
  }

  /** What is in force is a canary that is over: the one for all hosts before it is in force again. */
  async #back(): Promise<void> {
    const { before } = this.#kept;
    this.#kept = { ...this.#kept, bundle: before?.bundle, since: before?.since, before: undefined };
    await this.#begin();
    const refusal = this.#refusals.get('main');
    if (this.#policy === undefined && refusal !== undefined) this.#askFor(refusal.reason);
    this.#options.changed();
  }

  async #take(bundle: Bundle, posted: string | undefined): Promise<void> {
    const { channel, managed } = this.#options;
    const policy = await prepareHere(bundle, posted, this.#options);
    const { bundle: there, since, before } = this.#kept;
    const now = new Date().toISOString();
    // A canary that was posted after it stays in force.
    const isBelow = there !== undefined && isCanary(there) && there.manifest.sequence > bundle.manifest.sequence;
    try {
      if (!isBelow) managed.replace(channel, { policy, until: endOf(bundle) });
    } catch (error) {
      await policy.plugins.end();
      throw error;
    }
    if (isBelow) {
      this.#kept = { ...this.#kept, before: { bundle, since: now } };
      return policy.plugins.end();
    }
    const regular = there === undefined || isCanary(there) ? before : { bundle: there, since: since ?? now };
    this.#kept = { ...this.#kept, bundle, since: now, before: isCanary(bundle) ? regular : undefined };
    this.#policy = policy;
    this.#asks = undefined;
    this.#masks = policy.redact;
    this.pass('kept');
    this.#options.changed();
  }

  #keep(): void {
    const { folder, channel, keys, tell } = this.#options;
    const why = whyNotKept(folder, channel, this.#kept, keys);
    if (why !== undefined) tell(why);
  }

  /** Nothing was ever posted, as far as is known here, so there is nothing to wait for. */
  beNone(): void {
    const { bundle, problem } = this.#kept;
    const isNone = this.#policy === undefined && bundle === undefined && problem === undefined;
    if (isNone && this.#refusals.size === 0 && this.#asks !== undefined) this.#ask(undefined);
  }

  #askFor(reason: string): void {
    this.#ask(`the fleet's policy (${this.#options.channel}) cannot be in force here: ${reason}`);
  }

  #ask(asks: string | undefined): void {
    const { channel, managed } = this.#options;
    this.#asks = asks;
    managed.replace(channel, { policy: this.#policy, asks });
  }

  /** It is not refused any more. */
  pass(what: PolicyPart): void {
    this.#refusals.pass(what);
  }

  refuse(what: PolicyPart, error: unknown, bundle: Pick<SealedBundle, 'name' | 'manifest'> | undefined): void {
    const reason = reasonOf(error);
    const isOwn = what === 'main' || what === 'canary';
    const hasNone = this.#kept.bundle === undefined && this.#kept.refused.length === 0;
    // What counts for nothing is no reason beside one that there is already.
    if (this.#policy === undefined && (isOwn || (hasNone && what !== 'kept'))) this.#askFor(reason);
    this.#refusals.add(what, reason, bundle);
  }
}
