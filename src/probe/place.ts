import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../values/make-folder.js';

/** The caller's environment variables that an agent gets: for finding programs, and for the locale. */
const PASSED = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'] as const;

/** The folders of a run: a fresh home, configuration and project. */
export interface ProbeFolders {
  readonly folder: string;
  readonly project: string;
  /** The complete environment of all programs in the run. */
  readonly env: Readonly<Record<string, string>>;
  write(path: string, text: string): string;
  /** The lines of a file; none if it does not exist. */
  lines(path: string): readonly string[];
}

/** The part of the caller's environment that an agent and its driver get. */
export const passedOn = (caller: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(PASSED.flatMap((name) => (caller[name] === undefined ? [] : [[name, caller[name]]])));

export function openPlace(folder: string, caller: NodeJS.ProcessEnv): ProbeFolders {
  for (const name of ['home', 'config', 'project', 'state', 'run', 'tmp']) makeFolder(join(folder, name));
  return {
    folder,
    project: join(folder, 'project'),
    env: {
      ...passedOn(caller),
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_RUNTIME_DIR: join(folder, 'run'),
      XDG_CONFIG_HOME: join(folder, 'home/.config'),
      XDG_DATA_HOME: join(folder, 'home/.local/share'),
      // Shared by all runs, so that the agent unpacks its files only once.
      XDG_CACHE_HOME: join(dirname(folder), 'cache'),
      TERM: 'dumb',
      NO_COLOR: '1',
    },
    write(path, text) {
      const file = join(folder, path);
      makeFolder(dirname(file));
      writeFileSync(file, text);
      return file;
    },
    lines(path) {
      try {
        return readFileSync(join(folder, path), 'utf8').split('\n');
      } catch {
        return [];
      }
    },
  };
}
