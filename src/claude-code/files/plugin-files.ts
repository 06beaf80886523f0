import { join } from 'node:path';
import { completeFiles } from './places.js';
import { DEFAULT_HOOKS, MANIFEST } from './plugin-dir.js';
import { findSources } from './sources.js';

/** The files that determine a plugin's hooks: the manifest and the default hook file (even if they do not exist), the files that the manifest names, and skills. */
export async function filesWithHooks(dir: string): Promise<string[]> {
  const usual = [join(dir, MANIFEST), join(dir, DEFAULT_HOOKS)];
  const found = await findSources(completeFiles({ places: [], plugins: [{ dir, trusted: true }] }, []));
  return [...new Set([...usual, ...found.filter(({ plugin }) => plugin !== undefined).map(({ file }) => file.file)])];
}
