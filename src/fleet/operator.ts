import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { HookscopeError } from '../errors.js';
import { sha256 } from '../values/sha256.js';
import { type Bundle, packBundle, readBundle } from './bundle/bundle.js';
import type { SigningKey } from './bundle/keys.js';
import { type AuthoredManifest, authoredSchema, type BundleManifest, HIGHEST } from './bundle/manifest.js';
import { isBelow } from './bundle/paths.js';
import { TrustedKeys } from './bundle/trusted.js';
import { readOwnChecked } from './checked-file.js';
import { type FleetEngine, KEPT_POSTS, type Posted } from './engine.js';
import { type Chain, foldPosts, type JudgedPost, missingBefore } from './policy/chain.js';
import { type PolicyPost, postsIn } from './policy/posts.js';

/** The contents of a bundle's folder. */
export interface PolicySource {
  readonly about: AuthoredManifest;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Reads `bundle.json` and the files below its roots. Rejects with FILE, INVALID_CONFIG. */
export async function readSource(folder: string): Promise<PolicySource> {
  const file = join(folder, 'bundle.json');
  const value = await readOwnChecked(file, authoredSchema());
  const { $schema: _, ...about } = value as AuthoredManifest & { $schema?: string };
  const files = new Map<string, Buffer>();
  for (const root of about.roots) {
    const before = files.size;
    for (const entry of list(join(folder, root), file, root)) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) files.set(relative(folder, path).split(sep).join('/'), readFileSync(path));
      else if (!entry.isDirectory()) throw new HookscopeError('FILE', { file: path, problem: 'is no regular file' });
    }
    if (files.size > before || hasFile(files, root)) continue;
    const expected = `names ${root}, in which there is no file`;
    throw new HookscopeError('INVALID_CONFIG', { file, where: 'roots', expected });
  }
  return { about, files: new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

const hasFile = (files: ReadonlyMap<string, Buffer>, root: string): boolean =>
  [...files.keys()].some((path) => isBelow(root, path));

/** What lies beside the roots of a policy's folder, and is no part of it. */
interface UnusedFiles {
  /** Files of hooks, those in the folder itself and directly in its subfolders. */
  readonly files: readonly string[];
  /** Folders that cannot be read, and why. */
  readonly unread: readonly string[];
}

export function besideIn(folder: string, { about: { roots } }: PolicySource): UnusedFiles {
  const unread: string[] = [];
  const entriesIn = (path: string) => {
    try {
      return readdirSync(join(folder, path), { withFileTypes: true }).filter(({ name }) => !NOT_MEANT.test(name));
    } catch (error) {
      unread.push(`${path} (${(error as NodeJS.ErrnoException).code})`);
      return [];
    }
  };
  const isHooks = (entry: Dirent): boolean => entry.isFile() && entry.name.endsWith('.json');
  const files = entriesIn('.').flatMap((entry) => {
    const { name } = entry;
    if (roots.includes(name)) return [];
    if (!entry.isDirectory()) return isHooks(entry) ? [name] : [];
    return entriesIn(name)
      .filter(isHooks)
      .map((one) => `${name}/${one.name}`);
  });
  return { files: files.sort(), unread };
}

const NOT_MEANT = /^(?:\.|node_modules$|(?:bundle|package|package-lock|tsconfig)\.json$)/;

function list(folder: string, file: string, root: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    const expected = `names ${root}, which is no folder beside it`;
    throw new HookscopeError('INVALID_CONFIG', { file, where: 'roots', expected }, { cause: error });
  }
}

/** The content to post. */
export interface BundleDraft {
  readonly team: string;
  readonly channel: string;
  readonly source: PolicySource;
  readonly revision?: string | undefined;
  readonly canary?: number | undefined;
  /** Of a bundle that is gone back to: when that was made. */
  readonly created?: string | undefined;
  readonly keys: readonly SigningKey[];
}

/** The content as a bundle of a sequence. Without a given revision, the revision is a hash of the content. */
export function bundleOf(
  { team, channel, source: { about, files }, revision, canary, created, keys }: BundleDraft,
  sequence: number,
): Bundle {
  const content = sha256(Buffer.from(JSON.stringify([...files].map(([path, bytes]) => [path, sha256(bytes)]))));
  const manifest: Omit<BundleManifest, 'files'> = {
    ...about,
    team,
    channel,
    sequence,
    revision: revision ?? content.slice(0, 12),
    created: created ?? new Date().toISOString(),
    ...(canary === undefined ? {} : { canary }),
  };
  return readBundle(packBundle(manifest, files, keys));
}

/** As a host judges them that begins with these keys; what nobody known has signed is told, and keeps nothing else from counting. */
function judgedAsLate(
  keys: readonly string[],
  posts: readonly PolicyPost[],
  of: Pick<BundleManifest, 'team' | 'channel'>,
) {
  const from = { keys: new TrustedKeys(keys), floor: 0 };
  return foldPosts(from, posts, of, { isGap: missingBefore(posts, from, of, true) !== 'nothing' });
}

/** What is known about a channel by the bundles that count there. */
export interface ChannelState {
  /** What is posted there now, whoever has posted it. */
  readonly main: Posted | undefined;
  readonly canary: Posted | undefined;
  /** The number that counted last; undefined: it is not known, since nothing of what is there counts, or nothing for all hosts, and others may have been pushed out. */
  readonly sequence: number | undefined;
  /** Those that have counted for all hosts and for a share of them, each by sequence. */
  readonly history: readonly Bundle[];
  readonly canaries: readonly Bundle[];
  /** How many posts count for nothing, whatever their number is. */
  readonly foreign: number;
  /** All that is kept there, whoever has signed it, in the order of posting. */
  readonly posts: readonly PolicyPost[];
  /** All that is kept there, in the order of its posts, and what it comes to. */
  readonly judged: readonly JudgedPost[];
  readonly counted: readonly JudgedPost[];
  readonly chain: Chain;
  /** The same as it is now. */
  again(): Promise<ChannelState>;
}

/**
 * A channel as hosts see it that begin with these keys (public keys): whoever may post, and the broker, may put anything there, and what counts is judged as each of them judges it, in
 * the order of posting. So what a key signs once another has taken its place is no part of it, also where that key is named.
 */
export async function stateOf(
  engine: FleetEngine,
  of: { readonly team: string; readonly channel: string; readonly keys: readonly string[] },
): Promise<ChannelState> {
  const { team, channel, keys } = of;
  const posts = await postsIn(engine, channel);
  const { chain, judged } = judgedAsLate(keys, posts, { team, channel });
  const at = (place: PolicyPost['place']): JudgedPost[] => judged.filter(({ post }) => post.place === place);
  const counted = (place: PolicyPost['place']): Bundle[] => {
    // Anybody can post one again without its files, so the copy that counts is the first that can be read.
    const own = read(
      at(place)
        .filter(({ why }) => why === undefined)
        .map(({ post }) => post),
    );
    return own.filter(({ id }, i) => own.findIndex((one) => one.id === id) === i);
  };
  const shown = [...at('main'), ...at('canary')];
  const isAny = (some: readonly JudgedPost[]): boolean => some.some(({ why }) => why === undefined);
  const isLost = at('main').length >= KEPT_POSTS && !isAny(at('main'));
  return {
    main: at('main').at(-1)?.post,
    canary: at('canary').at(-1)?.post,
    sequence: isLost || (!isAny(judged) && shown.length > 0) ? undefined : chain.floor,
    history: counted('main'),
    canaries: counted('canary'),
    posts,
    foreign: shown.filter(({ why, isLate }) => why !== undefined && !isLate).length,
    judged,
    counted: judged.filter(({ why }) => why === undefined),
    chain,
    again: () => stateOf(engine, of),
  };
}

/**
 * The bundle that counts for all hosts of a channel, and since when. Whose keys count is for hosts to say: here it is taken from those bundles that they have (`have`: their digests),
 * and where none of these is kept, each bundle is what it says of itself.
 */
export async function postedFor(
  engine: FleetEngine,
  channel: string,
  { team = '', have = [] }: { readonly team?: string; readonly have?: readonly string[] } = {},
): Promise<{ readonly bundle: Bundle; readonly since: string } | undefined> {
  const posts = await postsIn(engine, channel);
  const own = read(posts.filter(({ bytes }) => have.includes(sha256(bytes))));
  const keys = own.flatMap(({ signers, isSignedBy }) => signers.filter(isSignedBy));
  const { judged } = judgedAsLate(keys, posts, { team, channel });
  const found = (counts: boolean) =>
    judged
      .filter(({ post, why }) => post.place === 'main' && !(counts && why !== undefined))
      .flatMap(({ post }) => read([post]).map((bundle) => ({ bundle, since: post.at ?? bundle.manifest.created })));
  return found(true).at(-1) ?? found(false).at(-1);
}

function read(posted: readonly Posted[]): Bundle[] {
  return posted.flatMap(({ bytes }) => {
    try {
      return [readBundle(bytes)];
    } catch {
      // The posted bytes are not a bundle.
      return [];
    }
  });
}

/** The number of the next bundle. Throws FLEET_FAILED where it is not known: the number that anybody else has posted is none to go on from. */
export function nextSequence({ sequence }: ChannelState, channel: string): number {
  if (sequence !== undefined && sequence < HIGHEST) return sequence + 1;
  const place = `the channel ${channel}`;
  if (sequence !== undefined) {
    const problem = `the number ${sequence} has counted there, and there is none above it; where hosts have a lower one (see fleet status), give the number yourself (--sequence N), else make another channel`;
    throw new HookscopeError('FLEET_FAILED', { place, problem });
  }
  const problem =
    'nothing that is kept there is signed with the keys at hand, so the number to go on from is not known; if other keys of the team have signed it, name them (--key ed25519:…), else give the number yourself (--sequence N), one above the highest that fleet status shows';
  throw new HookscopeError('FLEET_FAILED', { place, problem });
}

/**
 * What to go back to: the revision of that name, else the one before what was posted last; where that was gone back to, the one before it in turn. While a canary is tried, that is what all other hosts have.
 * undefined: there is none.
 */
export function earlier({ history, canaries }: ChannelState, to: string | undefined): Bundle | undefined {
  if (to !== undefined) return history.findLast(({ manifest }) => manifest.revision === to);
  const [last, tried] = [history.at(-1), canaries.at(-1)];
  if (last === undefined || (tried?.manifest.sequence ?? 0) > last.manifest.sequence) return last;
  return way(history).at(-2);
}

/**
 * The bundles that have led to the last one, without those that were gone back behind. One that was gone back to says when the first of it was made; the same revision pushed again is
 * new, but for one pushed twice in a row.
 */
function way(history: readonly Bundle[]): Bundle[] {
  const left: Bundle[] = [];
  for (const bundle of history) {
    const { revision, created } = bundle.manifest;
    const again = left.findLastIndex(({ manifest: of }) => of.revision === revision && of.created === created);
    if (again >= 0) left.length = again;
    // What was gone back to was made before all that is kept: so was all that is left.
    else if (created < (history[0]?.manifest.created ?? '')) left.length = 0;
    else if (left.at(-1)?.manifest.revision === revision) left.pop();
    left.push(bundle);
  }
  return left;
}

/** The content of a bundle posted earlier, to be signed again. */
export function sourceOf({ manifest, files }: Bundle): PolicySource {
  const { roots, expires, approvers } = manifest;
  // What it may change is no question any more, and its keys have changed.
  return { about: { roots, ...(expires && { expires }), ...(approvers && { approvers }) }, files };
}
