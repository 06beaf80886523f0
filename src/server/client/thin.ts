import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ownFolder } from '../../plugins/own-folder.js';
import { absoluteSet, headersOf, type NamedSet } from '../named-set.js';

export interface ThinOptions {
  /** What the command names; made absolute from `cwd`. */
  readonly set?: NamedSet;
  readonly cwd?: string;
  /** The agent whose hook it is. Default: `claude-code`. */
  readonly as?: string;
  /** A person sits at the agent, and can be asked. */
  readonly attended?: boolean;
  /** Seconds that the agent waits for it. */
  readonly timeout?: number;
  readonly onFailure?: 'block' | 'allow';
  /** The Node that fires where no server runs. Default: this one. */
  readonly node?: string;
  /** The environment by which the server and programs are found; default: the process's. Written into the command, because a project can change an agent's. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The script that agents start: `sh`, curl, and Node where it needs it. */
export const thinScript = (): string => join(ownFolder(), 'dist', 'hookscope-hook.sh');

/** A command line for `/bin/sh -c` that answers one event of an agent's: the thin command, by absolute path. */
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
  const { HOME: home = homedir(), XDG_STATE_HOME: state, XDG_CONFIG_HOME: config, XDG_RUNTIME_DIR: runtime } = env;
  const places = Object.entries({
    // Uses the current home folder, because a project's settings can change that as well.
    XDG_STATE_HOME: state || join(home, '.local/state'),
    XDG_RUNTIME_DIR: runtime ?? '',
    XDG_CONFIG_HOME: config || join(home, '.config'),
  }).map(([name, value]) => `${name}=${quoted(value)}`);
  return [...places, ...CLEARED, `PATH=${quoted(pathOf(env))}`, SHELL, ...words.map(quoted)].join(' ');
}

/** Variables that load other code into a shell, Node or curl: a project's settings can set these for an agent, too. */
const CLEARED = ['BASH_ENV', 'ENV', 'LD_PRELOAD', 'NODE_OPTIONS', 'NODE_PATH', 'OPENSSL_CONF'].map(
  (name) => `${name}=`,
);

/** By its path, so that neither `PATH` nor a shell function decides what runs. */
const SHELL = existsSync('/bin/sh') ? '/bin/sh' : 'sh';

/** The folders of programs, as they are now; without those of a project, which npm and npx put in front. */
function pathOf({ PATH = '' }: NodeJS.ProcessEnv): string {
  const folders = PATH.split(':').filter((one) => isAbsolute(one) && !/\/node_modules(?:\/|$)/.test(one));
  return folders.length > 0 ? folders.join(':') : '/usr/local/bin:/usr/bin:/bin';
}

/** One word of a shell's. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
