import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../values/sha256.js';
import type { Consent } from './consent.js';
import { hashFile } from './file-hash.js';

/** Folders inside a package whose files are not the package's own. */
const NOT_OWN = ['node_modules', '.git'];

/** Binds all of a package's own files together. The text lists them with their hashes, so that changes can be shown. */
export function bindPackage(root: string): Consent['files'][string] {
  const lines = ownFiles(root).map(({ path, own }) => `${hashFile(path) ?? 'no file'}  ${own}`);
  const text = lines.sort().join('\n');
  return { sha256: sha256(text), text };
}

interface OwnFile {
  readonly path: string;
  /** Its path within the package. */
  readonly own: string;
}

/** All of a package's own files, and what else is none of its folders. Throws the system's error if a folder cannot be read. */
export function ownFiles(root: string): OwnFile[] {
  const found: OwnFile[] = [];
  const seen = new Set<string>();
  const walk = (folder: string, name: string): void => {
    const real = realpathSync(folder);
    if (seen.has(real)) return;
    seen.add(real);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const [path, own] = [join(folder, entry.name), `${name}${entry.name}`];
      if (NOT_OWN.includes(entry.name)) continue;
      if (isFolder(path)) walk(path, `${own}/`);
      else found.push({ path, own });
    }
  };
  walk(root, '');
  return found;
}

/** Whether a path is a folder, following links. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
