import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The file that names the fleet which this user of this machine has joined: `$XDG_CONFIG_HOME/hookscope/fleet.json`, else under `~/.config`. */
export function joinedFile(env: NodeJS.ProcessEnv = process.env): string {
  const config = env['XDG_CONFIG_HOME'];
  return join(
    config !== undefined && isAbsolute(config) ? config : join(homedir(), '.config'),
    'hookscope',
    'fleet.json',
  );
}

/** Whether one was joined, as far as can be told without loading what reads it. */
export const hasJoined = (): boolean => existsSync(joinedFile());
