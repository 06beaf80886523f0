import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../files/json-file.js';
import { replaceFile } from '../../files/replace-file.js';
import { describeError } from '../../values/message.js';
import { findProblem } from '../../values/problem.js';
import { schema, zod } from '../../values/zod.js';
import { type Bundle, readBundle, readSealed, type Sealed } from '../bundle/bundle.js';
import { TrustedKeys } from '../bundle/trusted.js';

const keptSchema = schema(() =>
  zod().object({
    /** The highest that was ever in force. */
    sequence: zod().int().nonnegative(),
    /** When the bundle came into force, ISO 8601. */
    since: zod().string(),
    /** The last good one, as it was sent. */
    bundle: zod().string(),
    /** What the bundles that changed the keys have signed, in order. */
    rotations: zod().array(zod().string()),
  }),
);

/** What a host keeps of a channel between its runs. */
export interface KeptChannel {
  readonly bundle?: Bundle;
  readonly since?: string;
  readonly sequence: number;
  readonly keys: TrustedKeys;
  /** Why what is on disk does not count. */
  readonly problem?: string;
  /** Which keys and which sequence counted last cannot be known: no bundle does until the file is removed. */
  readonly lost?: true;
}

const fileOf = (folder: string, channel: string): string => join(folder, `${channel}.bundle.json`);

/** Reads what was in force last. Its signatures are checked as if it had just arrived, because anyone who can write files may have written it. */
export function readKept(folder: string, channel: string, configured: readonly string[]): KeptChannel {
  const file = fileOf(folder, channel);
  const keys = new TrustedKeys(configured);
  let kept: { readonly sequence: number; readonly since: string; bundle: Bundle; rotations: Sealed[] };
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return { sequence: 0, keys };
    const value: unknown = JSON.parse(readText(file));
    const problem = findProblem(keptSchema(), value);
    if (problem !== undefined) throw new Error(`${problem.field}: expected ${problem.expected}`);
    const { bundle, rotations, ...rest } = value as Zod;
    kept = {
      ...rest,
      bundle: readBundle(Buffer.from(bundle)),
      rotations: rotations.map((one) => readSealed(Buffer.from(one))),
    };
    const broken = [kept.bundle, ...kept.rotations].find((one) => !one.signers.some(one.isSignedBy));
    if (broken !== undefined) throw new Error(`nobody has signed ${broken.name}`);
  } catch (error) {
    const how = 'to begin anew with the keys that this host joined with, remove it and start again';
    const problem = `${file} cannot be read, and no policy counts without it: ${(error as Error).message.slice(0, 300)}; ${how}`;
    return { sequence: 0, keys, problem, lost: true };
  }
  const { bundle, rotations, sequence, since } = kept;
  try {
    for (const rotation of rotations) {
      // The configuration has the new keys already, so this one changes nothing.
      if (!configured.some((key) => rotation.isSignedBy(key)) && keys.rotations.length === 0) continue;
      keys.check(rotation);
      keys.take(rotation);
    }
    keys.check(bundle);
    return { bundle, since, sequence: Math.max(sequence, bundle.manifest.sequence), keys };
  } catch (error) {
    // This host was given other keys since.
    const problem = `${file} does not count: ${(error as Error).message}`;
    return { sequence: 0, keys: new TrustedKeys(configured), problem };
  }
}

type Zod = { sequence: number; since: string; bundle: string; rotations: string[] };

/** Writes it whole or not at all, for its owner alone. Throws what the system says. */
export function writeKept(folder: string, bundle: Bundle, since: string, keys: TrustedKeys): void {
  const text = (one: Sealed): string => Buffer.from(one.bytes).toString('utf8');
  const kept: Zod = {
    sequence: bundle.manifest.sequence,
    since,
    bundle: text(bundle),
    rotations: keys.rotations.map(text),
  };
  replaceFile(fileOf(folder, bundle.manifest.channel), JSON.stringify(kept), 0o600);
}

/** Keeps it for the next start; why it cannot be kept. */
export function whyNotKept(folder: string, bundle: Bundle, since: string, keys: TrustedKeys): string | undefined {
  try {
    writeKept(folder, bundle, since, keys);
    return undefined;
  } catch (error) {
    return `the bundle ${bundle.name} is in force, and cannot be kept for the next start: ${describeError(error)}`;
  }
}
