import type { FireRecord } from '../../emit/fire-record.js';
import { HookscopeError } from '../../errors.js';
import { describeError } from '../../values/message.js';
import { type Bundle, readBundle } from '../bundle/bundle.js';
import { overlapOf } from '../bundle/paths.js';
import type { FleetEngine, Posted, Stop } from '../engine.js';
import type { ChannelStatus } from '../status.js';
import type { Allowed } from './allowed.js';
import { driftOf } from './drift.js';
import { type KeptChannel, readKept, writeKept } from './kept.js';
import { lastGood, reasonOf, whyExpired } from './last-good.js';
import type { Managed } from './managed.js';
import { isMeant } from './meant.js';
import { type PreparedPolicy, preparePolicy } from './prepare.js';

export interface FollowOptions {
  readonly engine: FleetEngine;
  readonly team: string;
  readonly channel: string;
  readonly host: string;
  /** The folder of the last good bundle. */
  readonly folder: string;
  /** The folder in which commands run. */
  readonly directory: string;
  readonly keys: readonly string[];
  readonly managed: Managed;
  allowed(): Allowed;
  /** Roots of the other channels' bundles. */
  claimed(): readonly string[];
  /** The newest decisions of this host. */
  recent(): AsyncIterable<FireRecord>;
  changed(): void;
  tell(text: string): void;
}

/** The key under which a canary is stored next to the channel's own bundle. */
export const canaryOf = (channel: string): string => `${channel}.canary`;
/** Milliseconds: what a timer can wait at the longest, by far. */
const LOOK = 3_600_000;

/** Follows one channel: what is posted there is verified, checked, compared with what was decided, and put into force, or refused with the reason. */
export class Follower {
  readonly #options: FollowOptions;
  readonly #stops: Stop[] = [];
  readonly #waiting = new Map<string, Posted | undefined>();
  readonly #seen = new Set<string>();
  /** The bundle refused last, by its key. */
  readonly #failed = new Map<string, Posted>();
  #kept: KeptChannel;
  #policy: PreparedPolicy | undefined;
  #refused: ChannelStatus['refused'];
  #asks: string | undefined;
  #timer: NodeJS.Timeout | undefined;
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
      this.#stops.push(options.engine.policy.watch(key, (posted) => this.#hear(key, posted)));
  }

  get roots(): readonly string[] {
    return this.#policy?.bundle.manifest.roots ?? [];
  }

  get policy(): PreparedPolicy | undefined {
    return this.#policy;
  }

  get status(): ChannelStatus {
    const manifest = this.#policy?.bundle.manifest;
    return {
      channel: this.#options.channel,
      ...(manifest && { revision: manifest.revision, sequence: manifest.sequence }),
      ...(manifest && this.#kept.since !== undefined && { since: this.#kept.since }),
      ...(manifest?.canary !== undefined && { canary: manifest.canary }),
      ...(this.#asks !== undefined && { asks: this.#asks }),
      ...(this.#refused && { refused: this.#refused }),
    };
  }

  /** Looks again at what was refused: what the host allows has changed. */
  again(): void {
    this.#work = this.#work.then(() => (this.#policy === undefined && this.#kept.bundle ? this.#begin() : undefined));
    for (const [key, posted] of this.#failed) this.#hear(key, posted);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    clearTimeout(this.#timer);
    await this.#work;
  }

  /** The last good one, until something better is known. */
  async #begin(): Promise<void> {
    const { channel, managed } = this.#options;
    const { bundle } = this.#kept;
    const { policy, asks, error } = await lastGood(channel, bundle, this.#options);
    if (error !== undefined) this.#note(error, bundle);
    this.#policy = policy;
    this.#asks = asks;
    managed.replace(channel, { policy, asks });
    if (policy !== undefined) this.#await();
  }

  #hear(key: string, posted: Posted | undefined): void {
    this.#waiting.set(key, posted);
    this.#work = this.#work.then(() => this.#consider(key));
  }

  async #consider(key: string): Promise<void> {
    if (!this.#waiting.has(key)) return;
    const posted = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (posted !== undefined) await this.#judge(key, posted);
    this.#seen.add(key);
    if (this.#seen.size < 2) return;
    // Nothing was ever posted, so nothing can be withheld.
    if (
      this.#policy === undefined &&
      this.#refused === undefined &&
      this.#kept.sequence === 0 &&
      this.#asks !== undefined
    )
      this.#ask(undefined);
    this.#known();
    this.#options.changed();
  }

  async #judge(key: string, posted: Posted): Promise<void> {
    let bundle: Bundle | undefined;
    try {
      bundle = readBundle(posted.bytes);
      const { team, channel: of, host } = this.#options;
      const there = this.#policy?.bundle ?? this.#kept.bundle;
      const isThere = this.#policy !== undefined;
      if (isMeant(bundle, { isMain: key === of, team, channel: of, host, kept: this.#kept, there, isThere }))
        await this.#take(bundle);
      this.#failed.delete(key);
    } catch (error) {
      this.#failed.set(key, posted);
      this.#note(error, bundle);
      const { channel } = this.#options;
      if (this.#policy === undefined && this.#asks !== undefined)
        this.#ask(`the fleet's policy (${channel}) cannot be in force here: ${reasonOf(error)}`);
    }
  }

  async #take(bundle: Bundle): Promise<void> {
    const { folder, claimed } = this.#options;
    const { manifest } = bundle;
    const refuse = (reason: string): never => {
      throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
    };
    const both = overlapOf(manifest.roots, claimed());
    if (both) refuse(`its root ${both[0]} overlaps ${both[1]}, which the bundle of another channel has`);
    const policy = await preparePolicy(bundle, this.#options.allowed(), this.#options.directory);
    try {
      await this.#compare(policy);
      this.#enforce(policy);
    } catch (error) {
      await policy.plugins.end();
      throw error;
    }
    const { keys } = this.#kept;
    keys.take(bundle);
    const since = new Date().toISOString();
    this.#kept = { bundle, since, sequence: manifest.sequence, keys };
    this.#refused = undefined;
    try {
      writeKept(folder, bundle, since, keys);
    } catch (error) {
      this.#options.tell(
        `the bundle ${bundle.name} is in force, and cannot be kept for the next start: ${describeError(error)}`,
      );
    }
    this.#options.changed();
  }

  /** Compares it with what was decided here. Rejects with BUNDLE_REFUSED if it would change more than its own limit allows. */
  async #compare(policy: PreparedPolicy): Promise<void> {
    const { manifest, name } = policy.bundle;
    const { maxDrift } = manifest;
    if (maxDrift === undefined) return;
    const { fires, changed, examples } = await driftOf(policy, this.#options.recent());
    const [first] = examples;
    if (first === undefined || changed / fires <= maxDrift) return;
    const example = `${first.event} ${first.fire} from ${first.then} to ${first.now}`;
    const reason = `it would change ${changed} of the last ${fires} decisions here, more than its maxDrift of ${maxDrift} lets it; ${example}`;
    throw new HookscopeError('BUNDLE_REFUSED', { bundle: name, reason });
  }

  /** Puts the policy into force, with what its end means. */
  #enforce(policy: PreparedPolicy): void {
    const { channel, managed } = this.#options;
    const asks = whyExpired(policy.bundle);
    managed.replace(channel, { policy, asks });
    this.#policy = policy;
    this.#asks = asks;
    this.#await();
  }

  /** Its end. */
  #await(): void {
    const { expires } = (this.#policy as PreparedPolicy).bundle.manifest;
    clearTimeout(this.#timer);
    if (expires === undefined || this.#asks !== undefined) return;
    this.#timer = setTimeout(() => this.#tick(), Math.min(Date.parse(expires) - Date.now() + 1, LOOK));
    this.#timer.unref();
  }

  #tick(): void {
    const policy = this.#policy as PreparedPolicy;
    // A timer cannot wait that long: what is in force stays as it is, with what has run once.
    if (whyExpired(policy.bundle) === undefined) {
      this.#await();
      return;
    }
    this.#enforce(policy);
    if (this.#asks !== undefined) this.#options.tell(`${this.#asks}; every gate asks`);
    this.#options.changed();
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
