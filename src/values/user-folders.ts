import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/**
 * The user's home folder: `$HOME`, else the account's. An empty or relative path in the variable is ignored, because it would make the current folder, which may be a project's, the user's.
 */
export function homeFolder(env: NodeJS.ProcessEnv = process.env): string {
  return absolute(env['HOME']) ?? absolute(process.env['HOME']) ?? accountHome();
}

/** The home folder of the user's account. A user without one has none: then the root folder, in which only an administrator writes. */
export function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    return resolve('/');
  }
}

/** A variable as hooks have it: HOME is `homeFolder()`, because a shell would expand `~` and `$HOME` to another folder than the one that is used here. */
export const hookVariable = (name: string): string | undefined =>
  // process.env inherits properties such as `constructor`, which are not variables.
  name === 'HOME' ? homeFolder() : Object.hasOwn(process.env, name) ? process.env[name] : undefined;

/** All variables as hooks have them. */
export const hookVariables = (): NodeJS.ProcessEnv => ({ ...process.env, HOME: homeFolder() });

/** `$XDG_CONFIG_HOME`, else `~/.config`. A relative path in this variable and the ones below is ignored, as the XDG specification requires. */
export const configHome = (env: NodeJS.ProcessEnv = process.env): string =>
  absolute(env['XDG_CONFIG_HOME']) ?? join(homeFolder(env), '.config');

/** `$XDG_STATE_HOME`, else `~/.local/state`. */
export const stateHome = (env: NodeJS.ProcessEnv = process.env): string =>
  absolute(env['XDG_STATE_HOME']) ?? join(homeFolder(env), '.local', 'state');

/** `$XDG_RUNTIME_DIR`, if there is one. */
export const runtimeFolder = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  absolute(env['XDG_RUNTIME_DIR']);

/** The folder for a user's lasting files. */
export const stateFolder = (env?: NodeJS.ProcessEnv): string => join(stateHome(env), 'hookscope');

/** The folder for long hook outputs that are kept after the process exits, with one subfolder per session. */
export const keptOutputs = (): string => join(stateFolder(), 'outputs');

export const absolute = (path: string | undefined): string | undefined =>
  path !== undefined && isAbsolute(path) ? path : undefined;
