import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packBundle } from '../../src/fleet/bundle/bundle.js';
import { makeKey, readKey, type SigningKey } from '../../src/fleet/bundle/keys.js';
import type { BundleManifest } from '../../src/fleet/bundle/manifest.js';
import { sha256 } from '../../src/values/sha256.js';

/** A folder of a test's own. */
export const ownFolder = (): string => mkdtempSync(join(tmpdir(), 'hookscope-fleet-'));

/** A key to sign with. */
export function newKey(): SigningKey {
  const file = join(ownFolder(), 'key.pem');
  makeKey(file);
  return readKey(file);
}

export const denies = (what: string, reason: string) => ({
  hooks: {
    PreToolUse: [{ matcher: 'Bash', if: `Bash(${what})`, hooks: [{ type: 'rule', decision: 'deny', reason }] }],
  },
});

/** A bundle of the channel `stable` of the team `acme`. */
export function bundleOf(
  sequence: number,
  files: Readonly<Record<string, unknown>>,
  keys: readonly SigningKey[],
  about: Partial<BundleManifest> = {},
): Uint8Array {
  return packBundle(
    {
      team: 'acme',
      channel: 'stable',
      sequence,
      revision: `r${sequence}`,
      created: new Date().toISOString(),
      roots: ['acme'],
      ...about,
    },
    new Map(
      Object.entries(files).map(([path, content]) => [
        path,
        Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
      ]),
    ),
    keys,
  );
}

/** A script that hosts allow as long as `allows(true)` was said last; it notes that it ran. */
export function script() {
  const folder = ownFolder();
  const [file, allow, ran] = [join(folder, 'guard.sh'), join(folder, 'allow.json'), join(folder, 'ran')];
  writeFileSync(file, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  const allows = (may: boolean, more: object = {}): void => {
    const commands = may ? { [file]: { [file]: sha256(readFileSync(file)) } } : {};
    writeFileSync(allow, JSON.stringify({ ...more, commands }));
  };
  const hook = { type: 'command', command: file };
  return { allow, ran, allows, hook };
}
