import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder for a user's lasting files: `$XDG_STATE_HOME/hookscope`, else `~/.local/state/hookscope`. A relative path in the variable is ignored, as its specification says. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const state = env['XDG_STATE_HOME'];
  const home = env['HOME'];
  return state !== undefined && isAbsolute(state)
    ? join(state, 'hookscope')
    : join(home !== undefined && isAbsolute(home) ? home : homedir(), '.local', 'state', 'hookscope');
}

/** Long outputs of hooks that outlive the process that fired them, a folder a session. */
export function keptOutputs(): string {
  return join(stateFolder(), 'outputs');
}
