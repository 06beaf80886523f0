import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../values/sha256.js';
import type { Consent } from './consent.js';
import { hashFile } from './file-hash.js';

/** Folders inside a package whose files are not the package's own. */
const NOT_OWN = ['node_modules', '.git'];

/** Binds all of a package's own files together. The text lists them with their hashes, so that changes can be shown. */
export function bindPackage(root: string): Consent['files'][string] {
  const lines: string[] = [];
  const seen = new Set<string>();
  const walk = (folder: string, name: string): void => {
    const real = realpathSync(folder);
    if (seen.has(real)) return;
    seen.add(real);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const [path, own] = [join(folder, entry.name), `${name}${entry.name}`];
      if (NOT_OWN.includes(entry.name)) continue;
      if (isFolder(path)) walk(path, `${own}/`);
      else lines.push(`${hashFile(path) ?? 'no file'}  ${own}`);
    }
  };
  walk(root, '');
  const text = lines.sort().join('\n');
  return { sha256: sha256(text), text };
}

/** Whether a path is a folder, following links. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
