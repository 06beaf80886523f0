import { join } from 'node:path';
import { completeFiles } from './places.js';
import { DEFAULT_HOOKS, MANIFEST } from './plugin-dir.js';
import { findSources } from './sources.js';

/** The files of plugins that decide which hooks they have: the manifest and the usual file, also where it is not there, what the manifest names, and skills. */
export async function filesWithHooks(folders: readonly string[]): Promise<string[]> {
  const usual = folders.flatMap((folder) => [join(folder, MANIFEST), join(folder, DEFAULT_HOOKS)]);
  const plugins = folders.map((dir) => ({ dir, trusted: true }));
  const found = await findSources(completeFiles({ places: [], plugins }, []));
  return [...new Set([...usual, ...found.filter(({ plugin }) => plugin !== undefined).map(({ file }) => file.file)])];
}
