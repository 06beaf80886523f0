import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../files/json-file.js';
import { replaceFile } from '../../files/replace-file.js';
import { greatest } from '../../values/append.js';
import { describeError } from '../../values/message.js';
import { findProblem } from '../../values/problem.js';
import { schema, zod } from '../../values/zod.js';
import { type Bundle, readBundle, readSealed, type SealedBundle, withoutFiles } from '../bundle/bundle.js';
import { TrustedKeys } from '../bundle/trusted.js';
import type { Chain } from './chain.js';
import { alone } from './kept-lock.js';

const text = () => zod().string();
const keptSchema = schema(() =>
  zod().object({
    /** The highest that has counted. An older hookscope knew those alone that were in force. */
    sequence: zod().int().nonnegative(),
    /** When the bundle came into force, ISO 8601. */
    since: text().exactOptional(),
    /** The last good one, as it was sent. Absent: each that has counted was refused here. */
    bundle: text().exactOptional(),
    /** The keys that this host had joined with. */
    first: zod().array(text()).exactOptional(),
    /** What the bundles that changed the keys have signed, in order. */
    rotations: zod().array(text()),
    /** What the last one that counted has signed. */
    counted: text().exactOptional(),
    /** The version up to which the channel was followed, and the SHA-256 of what is posted there. */
    at: zod().int().nonnegative().exactOptional(),
    mark: text().exactOptional(),
    /** Beside a canary: the one for all hosts that is in force once that is over. */
    before: zod().object({ since: text(), bundle: text() }).exactOptional(),
    /** Those that have counted since, and are refused here. */
    refused: zod()
      .array(zod().object({ bundle: text(), posted: text().exactOptional() }))
      .exactOptional(),
  }),
);

/** A bundle that counts, and is refused by this host. */
export interface RefusedBundle {
  readonly sealed: SealedBundle;
  /** When it was posted, ISO 8601; absent: that is not known. */
  readonly posted?: string | undefined;
}

/** A bundle, and since when it is in force. */
interface BundleInForce {
  readonly bundle: Bundle;
  readonly since: string;
}

/** What a host keeps of a channel between its runs. */
export interface KeptChannel {
  /** The one in force, or the last one that was. */
  readonly bundle?: Bundle | undefined;
  readonly since?: string | undefined;
  /** Beside a canary: the regular one. */
  readonly before?: BundleInForce | undefined;
  readonly chain: Chain;
  /** What the last one that counted has signed. */
  readonly counted?: SealedBundle | undefined;
  /** The version up to which the channel was followed (0: it is not known), and the SHA-256 of what is posted there. */
  readonly at: number;
  readonly mark?: string | undefined;
  /** Those for all hosts, and canaries, that this host refuses. */
  readonly refused: readonly RefusedBundle[];
  /** Why what is on disk does not count. */
  readonly problem?: string;
  /** What was in force does not count any more, and so what it masks is not known. */
  readonly dropped?: true;
  /** Which keys and which sequence counted last cannot be known: no bundle does until the file is removed. */
  readonly lost?: true;
}

const fileOf = (folder: string, channel: string): string => join(folder, `${channel}.bundle.json`);
const asBytes = (one: string): Uint8Array => Buffer.from(one);
const asText = ({ bytes }: Pick<SealedBundle, 'bytes'>): string => Buffer.from(bytes).toString('utf8');

/** Reads what was known last. Its signatures are checked as if it had just arrived, because anyone who can write files may have written it. */
export function readKept(folder: string, channel: string, configured: readonly string[]): KeptChannel {
  const file = fileOf(folder, channel);
  const none = { chain: { keys: new TrustedKeys(configured), floor: 0 }, at: 0, refused: [] };
  let found: ReturnType<typeof parse>;
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return none;
    found = parse(readText(file));
  } catch (error) {
    const how = 'to begin anew with the keys that this host joined with, remove it and start again';
    const problem = `${file} cannot be read, and no policy counts without it: ${(error as Error).message.slice(0, 300)}; ${how}`;
    return { ...none, problem, lost: true };
  }
  const { keys, bad, broken } = keysIn(found, configured);
  const [why] = broken === undefined ? bad.values() : [broken];
  const problem = why && `${file} does not count: ${why.message}`;
  if (problem !== undefined && isOfOthers(found, configured, { keys, bad })) return { ...none, problem };
  if (problem !== undefined && broken !== undefined) return { ...none, problem, lost: true };
  const { rotations, sequence, first, ...kept } = without(found, bad);
  const numbers = all(kept).map((one) => one.manifest.sequence);
  const last = kept.counted ?? kept.bundle;
  const floor = greatest(sequence, numbers);
  const chain = { keys, floor, last: last?.manifest.sequence === floor ? last.id : undefined };
  // What is posted is read anew, since some of it may have to take the place of what does not count.
  return { ...kept, chain, ...(problem !== undefined && { at: 0, mark: undefined, problem }) };
}

type ParsedChannel = ReturnType<typeof parse>;
type UnreadableBundles = ReadonlyMap<SealedBundle, Error>;

/** This host was given other keys since. */
function isOfOthers(
  found: ParsedChannel,
  configured: readonly string[],
  { keys, bad }: { keys: TrustedKeys; bad: UnreadableBundles },
): boolean {
  if (found.first === undefined) return keys.rotations.length === 0 && all(found).every((one) => bad.has(one));
  const [first, now] = [new Set(found.first), new Set(configured)];
  return first.size !== now.size || [...first].some((key) => !now.has(key));
}

/** What counts of it: neither the keys nor the number that counted last are forgotten for what does not. */
function without({ bundle, before, counted, refused, ...rest }: ParsedChannel, bad: UnreadableBundles) {
  const good = <T extends SealedBundle>(one: T | undefined): T | undefined => (one && bad.has(one) ? undefined : one);
  return {
    ...rest,
    bundle: good(bundle),
    before: good(before?.bundle) && before,
    counted: good(counted),
    refused: refused.filter(({ sealed }) => good(sealed)),
    ...(bundle && bad.has(bundle) && { dropped: true as const }),
  };
}

/** Throws what is wrong with it. */
function parse(json: string) {
  const value: unknown = JSON.parse(json);
  const problem = findProblem(keptSchema(), value);
  if (problem !== undefined) throw new Error(`${problem.field}: expected ${problem.expected}`);
  const { bundle, rotations, counted, before, refused = [], at = 0, ...rest } = value as ChannelFile;
  const kept = {
    ...rest,
    at,
    bundle: bundle === undefined ? undefined : readBundle(asBytes(bundle)),
    rotations: rotations.map((one) => readSealed(asBytes(one))),
    counted: counted === undefined ? undefined : readSealed(asBytes(counted)),
    before: before && { since: before.since, bundle: readBundle(asBytes(before.bundle)) },
    refused: refused.map((one): RefusedBundle => ({ sealed: readSealed(asBytes(one.bundle)), posted: one.posted })),
  };
  const broken = [...all(kept), ...kept.rotations].find((one) => !one.signers.some(one.isSignedBy));
  if (broken !== undefined) throw new Error(`nobody has signed ${broken.name}`);
  return kept;
}

interface ChannelFile {
  sequence: number;
  first?: readonly string[];
  since?: string;
  bundle?: string;
  rotations: string[];
  counted?: string;
  at?: number;
  mark?: string;
  before?: { since: string; bundle: string };
  refused?: { bundle: string; posted?: string }[];
}

type SignedParts = Pick<KeptChannel, 'bundle' | 'before' | 'counted' | 'refused'>;
const all = ({ bundle, before, counted, refused }: SignedParts): SealedBundle[] =>
  [bundle, before?.bundle, counted, ...refused.map(({ sealed }) => sealed)].filter((one) => one !== undefined);

/** The keys that count last; what none of those has signed that counted at its place (`bad`); and why it is not known which count (`broken`). */
function keysIn(kept: SignedParts & { readonly rotations: readonly SealedBundle[] }, configured: readonly string[]) {
  const bad = new Map<SealedBundle, Error>();
  const keys = new TrustedKeys(configured);
  const left = all(kept).sort((a, b) => a.manifest.sequence - b.manifest.sequence);
  const checkBelow = (sequence: number): void => {
    while (left[0] !== undefined && left[0].manifest.sequence < sequence) {
      const why = whyNot(keys, left[0]);
      if (why !== undefined) bad.set(left[0], why);
      left.shift();
    }
  };
  for (const rotation of kept.rotations) {
    // The configuration has the new keys already, so this one changes nothing.
    if (!configured.some((key) => rotation.isSignedBy(key)) && keys.rotations.length === 0) continue;
    checkBelow(rotation.manifest.sequence);
    const broken = whyNot(keys, rotation);
    if (broken !== undefined) return { keys, bad, broken };
    keys.take(rotation);
  }
  checkBelow(Number.POSITIVE_INFINITY);
  return { keys, bad };
}

function whyNot(keys: TrustedKeys, one: SealedBundle): Error | undefined {
  try {
    keys.check(one);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Writes it whole or not at all, for its owner alone, unless another process of this host is further. Throws what the system says. */
export function writeKept(folder: string, channel: string, kept: KeptChannel, configured: readonly string[]): void {
  const { chain, bundle, since, before, counted, at, mark, refused } = kept;
  const file = fileOf(folder, channel);
  const said: ChannelFile = {
    sequence: chain.floor,
    ...(since !== undefined && { since }),
    ...(bundle && { bundle: asText(bundle) }),
    first: configured,
    rotations: chain.keys.rotations.map(asText),
    ...(counted && { counted: asText(withoutFiles(counted)) }),
    at,
    ...(mark !== undefined && { mark }),
    ...(before && { before: { since: before.since, bundle: asText(before.bundle) } }),
    refused: refused.map(({ sealed, posted }) => ({
      bundle: asText(sealed),
      ...(posted !== undefined && { posted }),
    })),
  };
  alone(file, () => {
    if (isFurther(readKept(folder, channel, configured), kept)) return;
    replaceFile(file, JSON.stringify(said), 0o600);
  });
}

function isFurther(there: KeptChannel, { chain: { floor }, bundle }: KeptChannel): boolean {
  if (there.chain.floor !== floor) return there.chain.floor > floor;
  return (there.bundle?.manifest.sequence ?? 0) > (bundle?.manifest.sequence ?? 0);
}

/** Keeps it for the next start; why it cannot be kept. */
export function whyNotKept(
  folder: string,
  channel: string,
  kept: KeptChannel,
  configured: readonly string[],
): string | undefined {
  try {
    writeKept(folder, channel, kept, configured);
    return undefined;
  } catch (error) {
    const what = kept.counted?.name ?? kept.bundle?.name ?? channel;
    return `the bundle ${what} counts, and cannot be kept for the next start: ${describeError(error)}`;
  }
}
