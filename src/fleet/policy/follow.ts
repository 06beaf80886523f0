import { HookscopeError } from '../../errors.js';
import { greatest } from '../../values/append.js';
import { sha256 } from '../../values/sha256.js';
import { doneWithin } from '../../values/waiting/timer.js';
import type { Posted, Stop } from '../engine.js';
import type { ChannelStatus } from '../status.js';
import { foldPosts, type JudgedPost, judge, missingBefore } from './chain.js';
import type { FollowOptions } from './follow-options.js';
import type { KeptChannel } from './kept.js';
import { reasonOf } from './last-good.js';
import { canaryOf, inOrder, type PolicyPost, postsAfter } from './posts.js';
import type { PreparedPolicy } from './prepare.js';
import { ChannelPolicy } from './standing.js';

/** Milliseconds to read all that was posted. */
const PATIENCE = 60_000;

const HEADS = ['main', 'canary'] as const;
type HeadName = (typeof HEADS)[number];

/** Follows one channel: whenever something is posted, all posts since the last that was followed are judged in their order, and what counts comes into force, or is refused with the reason. */
export class Follower {
  readonly #options: FollowOptions;
  readonly #standing: ChannelPolicy;
  readonly #stops: Stop[] = [];
  /** What is posted now, as far as this connection has told. */
  readonly #heads = new Map<HeadName, Posted | undefined>();
  /** Of which the places are known, and what it comes to. */
  readonly #seen = new Set<HeadName>();
  /** Something was told, and not looked at yet. */
  #isNew = false;
  /** What is posted could not be read, so it is not known what counts. */
  #isUnread = false;
  /** On this connection it was seen that the channel is the one that was followed before. */
  #isSure = false;
  /** The highest version that this connection has told of, and whether it has told of a new post with a lower one: another channel's past. */
  #highest = 0;
  #isOther = false;
  #connection = new AbortController();
  #isClosed = false;
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
    this.#standing = new ChannelPolicy(options);
    this.begun = this.#standing.start();
    this.#work = this.begun;
    const { channel, engine } = options;
    for (const head of HEADS)
      this.#stops.push(
        engine.policy.watch(head === 'main' ? channel : canaryOf(channel), (posted) => this.#hear(head, posted)),
      );
  }

  get roots(): readonly string[] {
    return this.#standing.roots;
  }

  get policy(): PreparedPolicy | undefined {
    return this.#standing.policy;
  }

  get masks(): readonly PreparedPolicy['redact'][] {
    return this.#standing.masks;
  }

  /** What it masks is not known, so nothing of what hosts decide or ask may leave. */
  get isUnmasked(): boolean {
    return this.#standing.isUnmasked;
  }

  /** What is posted is known, since there is this connection. */
  get isHeard(): boolean {
    return this.#seen.size === HEADS.length;
  }

  get status(): ChannelStatus {
    return this.#standing.status;
  }

  /** The last policy cannot be in force here, or what is posted cannot be judged, and may be once what it needs is there. */
  get waits(): boolean {
    return this.#isUnread || this.#standing.waits;
  }

  /** The broker is not there: whatever is posted meanwhile is not heard of. */
  lost(): void {
    this.#connection.abort();
    this.#connection = new AbortController();
    this.#isSure = false;
    this.#highest = 0;
    this.#heads.clear();
    this.#seen.clear();
  }

  /** What the host allows has changed: looks again at what was refused, and at what is in force. */
  again(): void {
    this.#next(() => this.#standing.again());
    if (!this.#isUnread) return;
    this.#isNew = true;
    this.#next(() => this.#consider());
  }

  look(): void {
    this.#standing.look();
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#isClosed = true;
    this.#connection.abort();
    await this.#work;
  }

  /** Does one thing after the other; what fails ends neither the process nor what comes after it. */
  #next(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error) => this.#standing.refuse('unread', error, undefined));
  }

  #hear(head: HeadName, posted: Posted | undefined): void {
    const version = posted?.version ?? 0;
    if (version > 0 && version <= this.#highest && this.#heads.has(head)) this.#isOther = true;
    this.#highest = Math.max(this.#highest, version);
    this.#heads.set(head, posted);
    this.#isNew = true;
    this.#next(() => this.#consider());
  }

  async #consider(): Promise<void> {
    if (!this.#isNew || this.#isClosed) return;
    this.#isNew = false;
    const { signal } = this.#connection;
    const heads = new Map(this.#heads);
    try {
      await this.#follow(heads, signal);
      this.#isUnread = false;
      this.#standing.pass('unread');
    } catch (error) {
      // It is heard again with the next connection.
      if (signal.aborted) return;
      this.#isUnread = true;
      this.#standing.refuse('unread', error, undefined);
    }
    if (!signal.aborted && !this.#isUnread) for (const head of heads.keys()) this.#seen.add(head);
    if (!this.isHeard) return;
    this.#standing.beNone();
    this.#known();
    this.#options.changed();
  }

  async #follow(heads: ReadonlyMap<HeadName, Posted | undefined>, signal: AbortSignal): Promise<void> {
    const { kept } = this.#standing;
    if (this.#isOther) [this.#isSure, this.#isOther, this.#highest] = [false, false, 0];
    if (kept.lost) {
      const problem = new HookscopeError('BUNDLE_REFUSED', {
        bundle: this.#options.channel,
        reason: kept.problem ?? '',
      });
      if ([...heads.values()].some((one) => one !== undefined))
        this.#standing.refuse('head of main', problem, undefined);
      return;
    }
    const isBack = !this.#isSure || HEADS.some((head) => isAgain(head, heads.get(head), kept));
    const { posts, all, at } = await this.#posts(heads, isBack, signal);
    const { team, channel } = this.#options;
    const missing = missingBefore(all, kept.chain, { team, channel }, isBack && at === 0);
    const { chain, judged, gap } = foldPosts(kept.chain, posts, { team, channel }, { missing, since: kept.at });
    this.#isSure = gap === undefined;
    if (gap === undefined && (posts.length > 0 || at !== kept.at)) {
      const counted = judged.filter(({ why }) => why === undefined);
      const last = posts.at(-1);
      await this.#standing.settle(counted, {
        chain,
        counted:
          [kept.counted, ...counted.map(({ sealed }) => sealed)].find((one) => one?.id === chain.last) ?? kept.counted,
        at: last?.version ?? at,
        mark: last ? sha256(last.bytes) : at === kept.at ? kept.mark : kept.bundle && sha256(kept.bundle.bytes),
      });
    }
    for (const head of HEADS) this.#tellHead(head, heads.get(head), judged, isBack);
  }

  /**
   * What is posted since the host has followed last, up to what it was told of: all of that is there when it is read. `all`: also what came after that; `at`: up to where it has followed,
   * 0 if that is another channel's past or no longer kept.
   */
  async #posts(heads: ReadonlyMap<HeadName, Posted | undefined>, isBack: boolean, signal: AbortSignal) {
    const { kept } = this.#standing;
    const told = HEADS.flatMap((head): PolicyPost[] => {
      const posted = heads.get(head);
      return posted === undefined ? [] : [{ ...posted, place: head }];
    });
    const read = async (after: number): Promise<PolicyPost[]> => {
      const found = await this.#read(after, signal);
      const isThere = (one: PolicyPost) =>
        found.some(({ version, place }) => version === one.version && place === one.place);
      return inOrder([...found, ...told.filter((one) => one.version > after && !isThere(one))]);
    };
    let at = kept.at;
    let posts = await read(isBack ? Math.max(0, at - 1) : at);
    if (isBack) {
      at = placeIn(posts, told, kept);
      if (at === 0 && kept.at > 1) posts = await read(0);
    }
    // Of a channel whose last word was deleted it is not known how far that goes.
    const isDeleted = heads.has('main') && heads.get('main') === undefined;
    const bound = isDeleted
      ? Number.POSITIVE_INFINITY
      : greatest(
          0,
          told.map(({ version }) => version),
        );
    const all = posts.filter(({ version }) => version > at);
    return { posts: all.filter(({ version }) => version <= bound), all, at };
  }

  async #read(after: number, signal: AbortSignal): Promise<PolicyPost[]> {
    const { engine, channel } = this.#options;
    const done = new AbortController();
    const gone = new Promise<never>((_, reject) => {
      const over = (): void => reject(new Error('the connection is lost'));
      if (signal.aborted) over();
      signal.addEventListener('abort', over, { once: true, signal: done.signal });
    });
    try {
      let posts: readonly PolicyPost[] = [];
      const reading = postsAfter(engine, channel, after).then((found) => {
        posts = found;
      });
      if (await doneWithin(PATIENCE, Promise.race([reading, gone]))) return [...posts];
      throw new Error(`reading it from ${engine.place} took longer than ${PATIENCE / 1000} seconds`);
    } catch (error) {
      const reason = `what was posted before it cannot be read now, so whether its keys still count is not known: ${reasonOf(error)}; it is tried again`;
      throw new HookscopeError('BUNDLE_REFUSED', { bundle: 'that was sent', reason });
    } finally {
      done.abort();
    }
  }

  /** What is posted and does not count is reported for as long as it is posted; a canary, until something for all hosts counts. */
  #tellHead(head: HeadName, posted: Posted | undefined, judged: readonly JudgedPost[], isBack: boolean): void {
    const what = `head of ${head}` as const;
    const { kept } = this.#standing;
    const now = posted && judged.find(({ post }) => post.place === head && post.version === posted.version);
    const isOver = judged.some(
      ({ post, why }) => why === undefined && post.place === 'main' && post.version > (posted?.version ?? 0),
    );
    if (now === undefined && posted !== undefined && !isBack && !isOver) return;
    // A canary from before was judged when it came, which a process before this one may have seen.
    const isPast = head === 'canary' && (isOver || now === undefined);
    if (posted === undefined || isPast) {
      this.#standing.pass(what);
      return;
    }
    const { team, channel } = this.#options;
    const { sealed, why } = now ?? judge(kept.chain, { ...posted, place: head }, { team, channel });
    const known = [kept.bundle, kept.before?.bundle, kept.counted, ...kept.refused.map((one) => one.sealed)];
    if (why === undefined || known.some((one) => one !== undefined && one.id === sealed?.id)) this.#standing.pass(what);
    else this.#standing.refuse(what, why, sealed);
  }
}

/** It is told of what it has followed already: that is the same, or another channel's. */
const isAgain = (head: HeadName, posted: Posted | undefined, { at, mark }: KeptChannel): boolean =>
  posted !== undefined &&
  ((head === 'main' && posted.version < at) || (posted.version === at && sha256(posted.bytes) !== mark));

/** Up to which of these the host has followed; 0: none of them, since the broker has lost what it had, or no longer keeps that post, which look the same. */
function placeIn(posts: readonly PolicyPost[], told: readonly PolicyPost[], { at, mark, bundle }: KeptChannel): number {
  if (at === 0) {
    const own = bundle && sha256(bundle.bytes);
    return posts.findLast(({ bytes }) => sha256(bytes) === own)?.version ?? 0;
  }
  if (posts.some(({ version, bytes }) => version === at && sha256(bytes) === mark)) return at;
  return posts.length + told.length > 0 ? 0 : at;
}
