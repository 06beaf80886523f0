import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../files/json-file.js';
import { replaceFile } from '../../files/replace-file.js';
import { findProblem } from '../../values/problem.js';
import { schema, zod } from '../../values/zod.js';
import { type Bundle, readBundle } from '../bundle/bundle.js';
import { TrustedKeys } from '../bundle/trusted.js';

const keptSchema = schema(() =>
  zod().object({
    /** The highest that was ever in force. */
    sequence: zod().int().nonnegative(),
    /** When the bundle came into force, ISO 8601. */
    since: zod().string(),
    /** The last good one, as it was sent. */
    bundle: zod().string(),
    /** The bundles that changed the keys, in order. */
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
}

const fileOf = (folder: string, channel: string): string => join(folder, `${channel}.bundle.json`);

/** Reads what was in force last. Its signatures are checked as if it had just arrived, because anyone who can write files may have written it. */
export function readKept(folder: string, channel: string, configured: readonly string[]): KeptChannel {
  const file = fileOf(folder, channel);
  const keys = new TrustedKeys(configured);
  if (!existsSync(file)) return { sequence: 0, keys };
  try {
    const value: unknown = JSON.parse(readText(file));
    const problem = findProblem(keptSchema(), value);
    if (problem !== undefined) throw new Error(`${problem.field}: expected ${problem.expected}`);
    const { sequence, since, bundle: text, rotations } = value as Zod;
    for (const rotation of rotations) {
      const bundle = readBundle(Buffer.from(rotation));
      // The configuration has the new keys already, so this one changes nothing.
      if (!configured.some((key) => bundle.isSignedBy(key)) && keys.rotations.length === 0) continue;
      keys.check(bundle);
      keys.take(bundle);
    }
    const bundle = readBundle(Buffer.from(text));
    keys.check(bundle);
    return { bundle, since, sequence: Math.max(sequence, bundle.manifest.sequence), keys };
  } catch (error) {
    return {
      sequence: 0,
      keys: new TrustedKeys(configured),
      problem: `${file} does not count: ${(error as Error).message}`,
    };
  }
}

type Zod = { sequence: number; since: string; bundle: string; rotations: string[] };

/** Writes it whole or not at all, for its owner alone. Throws what the system says. */
export function writeKept(folder: string, bundle: Bundle, since: string, keys: TrustedKeys): void {
  const text = (one: Bundle): string => Buffer.from(one.bytes).toString('utf8');
  const kept: Zod = {
    sequence: bundle.manifest.sequence,
    since,
    bundle: text(bundle),
    rotations: keys.rotations.map(text),
  };
  replaceFile(fileOf(folder, bundle.manifest.channel), JSON.stringify(kept), 0o600);
}
