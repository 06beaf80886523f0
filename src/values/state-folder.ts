import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder for a user's lasting files: `$XDG_STATE_HOME/hookscope`, else `~/.local/state/hookscope`. A relative path in the variable is ignored, as the XDG specification requires. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const state = env['XDG_STATE_HOME'];
  const home = env['HOME'];
  return state !== undefined && isAbsolute(state)
    ? join(state, 'hookscope')
    : join(home !== undefined && isAbsolute(home) ? home : homedir(), '.local', 'state', 'hookscope');
}

/** The folder for long hook outputs that are kept after the process exits, with one subfolder per session. */
export function keptOutputs(): string {
  return join(stateFolder(), 'outputs');
}
