import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What a project's own folder holds, the surest sign first. */
const SIGNS = ['.claude', '.git'];

/** The project of a call whose client names none: the nearest folder from its own upwards that holds one of the signs, else its own. */
export function foundProject(cwd: string): string {
  for (const sign of SIGNS) {
    // What lies in the home folder is the user's.
    for (let folder = cwd; folder !== dirname(folder) && folder !== homedir(); folder = dirname(folder))
      if (existsSync(join(folder, sign))) return folder;
  }
  return cwd;
}
