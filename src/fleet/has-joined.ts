import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configHome } from '../values/user-folders.js';

/** The file that names the fleet which this user of this machine has joined: `$XDG_CONFIG_HOME/hookscope/fleet.json`, else under `~/.config`. */
export function joinedFile(env: NodeJS.ProcessEnv = process.env): string {
  return join(configHome(env), 'hookscope', 'fleet.json');
}

/**
 * Whether a fleet was joined, as far as can be told without loading the code that reads the file. Anything at the path counts, even a link that leads nowhere: a file that cannot be read must not mean running
 * without the fleet's policy.
 */
export function hasJoined(file = joinedFile()): boolean {
  const folder = dirname(file);
  return isThere(file) || [folder, dirname(folder)].some((one) => isThere(one) && !existsSync(one));
}

/** ENOTDIR: a part of the path is a file, as in `XDG_CONFIG_HOME=/dev/null`. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
