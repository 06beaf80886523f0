import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { homeFolder } from '../values/user-folders.js';

/** Entries that mark a project's root, the most reliable first. */
const SIGNS = ['.claude', '.git'];

/** The project of a call if the client names none: the nearest enclosing folder with one of these entries, or else the folder itself. */
export function foundProject(cwd: string): string {
  const home = homeFolder();
  for (const sign of SIGNS) {
    // Such an entry in the home folder belongs to the user, not to a project.
    for (let folder = cwd; folder !== dirname(folder) && folder !== home; folder = dirname(folder))
      if (existsSync(join(folder, sign))) return folder;
  }
  return cwd;
}
