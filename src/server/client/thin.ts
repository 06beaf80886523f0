import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { ownFolder } from '../../plugins/own-folder.js';
import { configHome, runtimeFolder, stateHome } from '../../values/user-folders.js';
import { absoluteSet, headersOf, type NamedSet } from '../named-set.js';

export interface ThinOptions {
  /** The hooks that the command names; relative paths are resolved from `cwd`. */
  readonly set?: NamedSet;
  readonly cwd?: string;
  /** The agent whose hook it is. Default: `claude-code`. */
  readonly as?: string;
  /** A user is at the agent and can be asked. */
  readonly attended?: boolean;
  /** How long the agent waits for the command, in seconds. */
  readonly timeout?: number;
  readonly onFailure?: 'block' | 'allow';
  /** The Node executable that fires events if no server runs. Default: this one. */
  readonly node?: string;
  /** The environment for finding server and programs. It is written into the command, because a project can change the agent's. Default: the process's. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The script that agents start. It needs `sh` and curl, and Node only if there is no server. */
export const thinScript = (): string => join(ownFolder(), 'dist', 'hookscope-hook.sh');

/** A command line for `/bin/sh -c` that answers one event of an agent with the thin command, by its absolute path. */
export function thinCommand(event: string, options: ThinOptions = {}): string {
  const { set = {}, as, attended, cwd = process.cwd(), timeout, onFailure } = options;
  const { node = process.execPath, env = process.env } = options;
  const named = headersOf(absoluteSet(set, cwd), cwd).flatMap(([name, value]) => {
    const flag = name.replace('hookscope-', '--');
    return value === '--no-config' ? [value] : [flag, value];
  });
  const words = [
    thinScript(),
    '--node',
    node,
    ...(as === undefined ? [] : ['--as', as]),
    event,
    ...(attended ? ['--attended'] : []),
    ...named,
    ...(timeout === undefined ? [] : ['--timeout', String(timeout)]),
    ...(onFailure === undefined ? [] : ['--on-failure', onFailure]),
  ];
  const places = Object.entries({
    // With the home folder of now, because a project's settings can change that too.
    XDG_STATE_HOME: stateHome(env),
    XDG_RUNTIME_DIR: runtimeFolder(env) ?? '',
    XDG_CONFIG_HOME: configHome(env),
  }).map(([name, value]) => `${name}=${quoted(value)}`);
  return [...places, ...CLEARED, `PATH=${quoted(pathOf(env))}`, SHELL, ...words.map(quoted)].join(' ');
}

/** Variables that load other code into a shell, Node or curl. They are cleared, because a project's settings can set them for an agent. */
const CLEARED = ['BASH_ENV', 'ENV', 'LD_PRELOAD', 'NODE_OPTIONS', 'NODE_PATH', 'OPENSSL_CONF'].map(
  (name) => `${name}=`,
);

/** The shell by its path, so that neither `PATH` nor a shell function decides what runs. */
const SHELL = existsSync('/bin/sh') ? '/bin/sh' : 'sh';

/** The current PATH, without a project's folders, which npm and npx prepend. */
function pathOf({ PATH = '' }: NodeJS.ProcessEnv): string {
  const folders = PATH.split(':').filter((one) => isAbsolute(one) && !/\/node_modules(?:\/|$)/.test(one));
  return folders.length > 0 ? folders.join(':') : '/usr/local/bin:/usr/bin:/bin';
}

/** Quotes a word for a shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
