import type { AcceptedChange } from '../../trust/acceptances.js';
import { type Bindings, hashOf } from './files.js';
import { hashesOf } from './scripts.js';

/** What accepting these files changes: each with its hash as it was bound, and as it is now. */
export function acceptedChanges(paths: readonly string[], { files, scripts }: Bindings): AcceptedChange[] {
  const bound = Object.entries(files).map(([path, { sha256 }]) => [path, sha256] as const);
  const before = new Map([...hashesOf(scripts), ...bound]);
  return paths.map((what) => ({ what, from: before.get(what) ?? null, to: hashOf(what) }));
}
