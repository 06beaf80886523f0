import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { HookscopeError } from '../errors.js';
import { sha256 } from '../values/sha256.js';
import { type Bundle, packBundle, readBundle } from './bundle/bundle.js';
import type { SigningKey } from './bundle/keys.js';
import { type Authored, authoredSchema, type BundleManifest, MOST_AHEAD } from './bundle/manifest.js';
import { readChecked } from './checked-file.js';
import type { FleetEngine, Posted } from './engine.js';
import { canaryOf } from './policy/follow.js';

/** The contents of a bundle's folder. */
export interface PolicySource {
  readonly about: Authored;
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Reads `bundle.json` and the files below its roots. Throws FILE, INVALID_CONFIG. */
export function readSource(folder: string): PolicySource {
  const file = join(folder, 'bundle.json');
  const value = readChecked(file, authoredSchema());
  const { $schema: _, ...about } = value as Authored & { $schema?: string };
  const files = new Map<string, Buffer>();
  for (const root of about.roots) {
    for (const entry of list(join(folder, root), file, root)) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) files.set(relative(folder, path).split(sep).join('/'), readFileSync(path));
      else if (!entry.isDirectory()) throw new HookscopeError('FILE', { file: path, problem: 'is no regular file' });
    }
  }
  return { about, files: new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function list(folder: string, file: string, root: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    const expected = `names ${root}, which is no folder beside it`;
    throw new HookscopeError('INVALID_CONFIG', { file, where: 'roots', expected }, { cause: error });
  }
}

/** The content to post. */
export interface Draft {
  readonly team: string;
  readonly channel: string;
  readonly source: PolicySource;
  readonly revision?: string | undefined;
  readonly canary?: number | undefined;
  readonly keys: readonly SigningKey[];
}

/** The content as a bundle of a sequence. Without a given revision, the revision is a hash of the content. */
export function bundleOf(
  { team, channel, source: { about, files }, revision, canary, keys }: Draft,
  sequence: number,
): Bundle {
  const content = sha256(Buffer.from(JSON.stringify([...files].map(([path, bytes]) => [path, sha256(bytes)]))));
  const manifest: Omit<BundleManifest, 'files'> = {
    ...about,
    team,
    channel,
    sequence,
    revision: revision ?? content.slice(0, 12),
    created: new Date().toISOString(),
    ...(canary === undefined ? {} : { canary }),
  };
  return readBundle(packBundle(manifest, files, keys));
}

/** The current content of a channel, and the earlier ones. */
export interface ChannelState {
  readonly main: Posted | undefined;
  readonly canary: Posted | undefined;
  /** The highest sequence that was ever posted. */
  readonly sequence: number;
  /** Contents of the channel itself, the oldest first. */
  readonly history: readonly Bundle[];
}

/** How far another operator's sequence may be ahead of the newest trusted one; less than what a host accepts. */
const LEAP = MOST_AHEAD / 10;

/** `keys`: the channel whose sequence to continue. */
export async function stateOf(
  engine: FleetEngine,
  channel: string,
  keys: readonly SigningKey[] = [],
): Promise<ChannelState> {
  const [main, canary] = [await engine.policy.history(channel), await engine.policy.history(canaryOf(channel))];
  const read = (posted: readonly Posted[]): Bundle[] =>
    posted.flatMap(({ bytes }) => {
      try {
        return [readBundle(bytes)];
      } catch {
        // The posted bytes are not a bundle.
        return [];
      }
    });
  const all = [...read(main), ...read(canary)];
  const highest = (of: readonly Bundle[]): number => Math.max(0, ...of.map(({ manifest }) => manifest.sequence));
  const own = highest(all.filter((bundle) => keys.some(({ id }) => bundle.isSignedBy(id))));
  // Anyone who may post can choose any number: no host accepts a sequence that leaps too far, so it is not continued.
  const sequence = own === 0 ? highest(all) : highest(all.filter((bundle) => bundle.manifest.sequence <= own + LEAP));
  return {
    main: main.at(-1),
    canary: canary.at(-1),
    sequence,
    history: read(main),
  };
}

/** Posts it with the next sequence number. Rejects with FLEET_FAILED if another operator has posted in the meantime. */
export async function post(engine: FleetEngine, draft: Draft, state: ChannelState): Promise<Bundle> {
  const bundle = bundleOf(draft, state.sequence + 1);
  const [key, there] =
    draft.canary === undefined ? [draft.channel, state.main] : [canaryOf(draft.channel), state.canary];
  await engine.policy.post(key, bundle.bytes, there?.version ?? 0);
  return bundle;
}

/** The content of a bundle posted earlier, to be signed again. */
export function sourceOf({ manifest, files }: Bundle): PolicySource {
  const { roots, expires, approvers } = manifest;
  // What it may change is no question any more, and its keys have changed.
  return { about: { roots, ...(expires && { expires }), ...(approvers && { approvers }) }, files };
}
