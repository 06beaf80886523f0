import { HookscopeError } from '../../errors.js';
import { sha256 } from '../../values/sha256.js';
import type { Bundle } from '../bundle/bundle.js';
import { overlapOf } from '../bundle/paths.js';
import type { TrustedKeys } from '../bundle/trusted.js';
import type { Posted, Stop } from '../engine.js';
import type { ChannelStatus } from '../status.js';
import { checkDrift } from './drift.js';
import type { FollowOptions, Heard } from './follow-options.js';
import { type KeptChannel, readKept, whyNotKept } from './kept.js';
import { endOf, isAsAllowed, lastGood, reasonOf, whyExpired } from './last-good.js';
import { isFromTeam, isMeant } from './meant.js';
import { type PreparedPolicy, preparePolicy, readPolicy } from './prepare.js';
import { readPosted } from './rotations.js';

/** The key under which a canary is stored next to the channel's own bundle. */
export const canaryOf = (channel: string): string => `${channel}.canary`;

/** Follows one channel: what is posted there is verified, checked, compared with what was decided, and put into force, or refused with the reason. */
export class Follower {
  readonly #options: FollowOptions;
  readonly #stops: Stop[] = [];
  readonly #waiting = new Map<string, Heard>();
  readonly #seen = new Set<string>();
  /** The bundle refused last, by its key. */
  readonly #failed = new Map<string, Heard>();
  /** The keys of bundles of which it is not known who has signed them, since what was posted before could not be read. */
  readonly #unread = new Set<string>();
  /** The version of the channel up to which its keys were followed, since there is this connection. */
  #at = 0;
  #kept: KeptChannel;
  #policy: PreparedPolicy | undefined;
  #refused: ChannelStatus['refused'];
  /** Why every gate asks, other than that the policy has expired. */
  #asks: string | undefined;
  /** The policy whose end was reported. */
  #ended: PreparedPolicy | undefined;
  #masks: PreparedPolicy['redact'] | undefined;
  /** What those mask that the team has signed, and that are refused here. */
  readonly #refusedMasks = new Map<string, PreparedPolicy['redact']>();
  /** Counts the connections. */
  #connection = 0;
  #work: Promise<void>;
  #known: () => void = () => undefined;
  /** Resolves when the channel's own word has been heard. */
  readonly known: Promise<void>;
  /** Resolves when the last good bundle is in force. */
  readonly begun: Promise<void>;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.known = new Promise((resolve) => {
      this.#known = resolve;
    });
    const { folder, channel, keys, tell } = options;
    this.#kept = readKept(folder, channel, keys);
    if (this.#kept.problem !== undefined) tell(this.#kept.problem);
    this.begun = this.#begin();
    this.#work = this.begun;
    for (const key of [channel, canaryOf(channel)])
      this.#stops.push(options.engine.policy.watch(key, (posted) => this.#hear(key, { posted, on: this.#connection })));
  }

  get roots(): readonly string[] {
    return (this.#policy?.bundle ?? this.#kept.bundle)?.manifest.roots ?? [];
  }

  get policy(): PreparedPolicy | undefined {
    return this.#policy;
  }

  /** What is masked: also where the last policy, or what is posted, cannot be in force. */
  get masks(): readonly PreparedPolicy['redact'][] {
    return [...(this.#masks ? [this.#masks] : []), ...this.#refusedMasks.values()];
  }

  /** What is posted is known, since there is this connection. */
  get isHeard(): boolean {
    return this.#seen.size === 2;
  }

  get status(): ChannelStatus {
    const bundle = this.#policy?.bundle;
    const manifest = bundle?.manifest;
    const asks = this.#asks ?? (bundle && whyExpired(bundle));
    return {
      channel: this.#options.channel,
      ...(bundle && {
        revision: bundle.manifest.revision,
        sequence: bundle.manifest.sequence,
        digest: sha256(bundle.bytes),
      }),
      ...(manifest && this.#kept.since !== undefined && { since: this.#kept.since }),
      ...(manifest?.canary !== undefined && { canary: manifest.canary }),
      ...(asks !== undefined && { asks }),
      ...(this.#refused && { refused: this.#refused }),
    };
  }

  /** The last policy cannot be in force here, or what is posted cannot be judged, and may be once what it needs is there. */
  get waits(): boolean {
    return this.#unread.size > 0 || (this.#policy === undefined && this.#kept.bundle !== undefined);
  }

  /** The broker is not there: whatever is posted meanwhile is not heard of. */
  lost(): void {
    this.#at = 0;
    this.#connection += 1;
    this.#seen.clear();
  }

  /** What the host allows has changed: looks again at what was refused, and at what is in force. */
  again(): void {
    this.#next(async () => {
      if (this.#policy === undefined ? this.#kept.bundle === undefined : isAsAllowed(this.#policy, this.#options))
        return;
      await this.#begin();
      this.#options.changed();
    });
    for (const [key, heard] of this.#failed) this.#hear(key, heard);
  }

  /** Reports the end of a policy; gates look at the clock themselves. */
  look(): void {
    const why = this.#policy && this.#ended !== this.#policy ? whyExpired(this.#policy.bundle) : undefined;
    if (why === undefined) return;
    this.#ended = this.#policy;
    this.#options.tell(`${why}; every gate asks`);
    this.#options.changed();
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#work;
  }

  /** Does one thing after the other; what fails ends neither the process nor what comes after it. */
  #next(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error) => this.#note(error, undefined));
  }

  /** The last good one, until something better is known. */
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
    if (error !== undefined) this.#note(error, bundle);
    else if (bundle !== undefined && this.#refused?.sequence === bundle.manifest.sequence) this.#refused = undefined;
  }

  #hear(key: string, heard: Heard): void {
    this.#waiting.set(key, heard);
    this.#next(() => this.#consider(key));
  }

  async #consider(key: string): Promise<void> {
    const heard = this.#waiting.get(key);
    if (heard === undefined) return;
    this.#waiting.delete(key);
    if (heard.posted === undefined) this.#passed(key);
    else await this.#judge(key, heard.posted, heard);
    if (heard.on === this.#connection && !this.#unread.has(key)) this.#seen.add(key);
    if (!this.isHeard) return;
    // Nothing was ever posted, as far as is known here, so there is nothing to wait for.
    const isNone = this.#policy === undefined && this.#refused === undefined;
    if (isNone && this.#kept.sequence === 0 && this.#kept.problem === undefined && this.#asks !== undefined)
      this.#ask(undefined);
    this.#known();
    this.#options.changed();
  }

  /** Nothing of it is refused any more. */
  #passed(key: string): void {
    this.#failed.delete(key);
    this.#unread.delete(key);
    this.#refusedMasks.delete(key);
  }

  async #judge(key: string, posted: Posted, heard: Heard): Promise<void> {
    let bundle: Bundle | undefined;
    let isOurs = false;
    this.#unread.delete(key);
    try {
      if (this.#kept.lost)
        throw new HookscopeError('BUNDLE_REFUSED', { bundle: key, reason: this.#kept.problem ?? '' });
      const { team, channel: of, host } = this.#options;
      const isMain = key === of;
      const read = await readPosted(posted, this.#kept, { ...this.#options, isMain, after: this.#at });
      if ('unread' in read) {
        this.#unread.add(key);
        throw read.unread;
      }
      bundle = read.bundle;
      const kept = { ...this.#kept, keys: read.keys };
      const there = this.#policy?.bundle ?? this.#kept.bundle;
      const place = { isMain, team, channel: of, host, kept, there, isThere: this.#policy !== undefined };
      isOurs = isFromTeam(bundle, place);
      if (isMeant(bundle, place)) {
        await this.#take(bundle, kept.keys);
        this.#at = read.at ?? this.#at;
      }
      this.#passed(key);
    } catch (error) {
      this.#failed.set(key, heard);
      const read = bundle !== undefined && isOurs ? await readPolicy(bundle).catch(() => undefined) : undefined;
      if (read !== undefined) this.#refusedMasks.set(key, read.redact);
      else if (!this.#unread.has(key)) this.#refusedMasks.delete(key);
      this.#note(error, bundle);
      const { channel } = this.#options;
      if (this.#policy === undefined)
        this.#ask(`the fleet's policy (${channel}) cannot be in force here: ${reasonOf(error)}`);
    }
  }

  async #take(bundle: Bundle, keys: TrustedKeys): Promise<void> {
    const { folder, claimed } = this.#options;
    const { manifest } = bundle;
    const refuse = (reason: string): never => {
      throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
    };
    const both = overlapOf(manifest.roots, claimed());
    if (both) refuse(`its root ${both[0]} overlaps ${both[1]}, which the bundle of another channel has`);
    const policy = await preparePolicy(bundle, this.#options.allowed(), this.#options.directory);
    try {
      await checkDrift(policy, this.#options.recent());
      this.#enforce(policy);
    } catch (error) {
      await policy.plugins.end();
      throw error;
    }
    keys.take(bundle);
    const since = new Date().toISOString();
    this.#kept = { bundle, since, sequence: manifest.sequence, keys };
    this.#refused = undefined;
    const why = whyNotKept(folder, bundle, since, keys);
    if (why !== undefined) this.#options.tell(why);
    this.#options.changed();
  }

  /** Puts the policy into force, with what its end means. */
  #enforce(policy: PreparedPolicy): void {
    const { channel, managed } = this.#options;
    managed.replace(channel, { policy, until: endOf(policy.bundle) });
    this.#policy = policy;
    this.#asks = undefined;
    this.#masks = policy.redact;
  }

  #ask(asks: string | undefined): void {
    const { channel, managed } = this.#options;
    this.#asks = asks;
    managed.replace(channel, { policy: this.#policy, asks });
  }

  #note(error: unknown, bundle: Bundle | undefined): void {
    const reason = reasonOf(error);
    const manifest = bundle?.manifest;
    // The same refusal is not reported twice.
    if (this.#refused?.reason === reason && this.#refused.sequence === manifest?.sequence) return;
    this.#refused = {
      ...(manifest && { revision: manifest.revision, sequence: manifest.sequence }),
      reason,
      at: new Date().toISOString(),
    };
    this.#options.tell(`the bundle ${bundle?.name ?? 'that was sent'} is refused: ${reason}`);
    this.#options.changed();
  }
}
