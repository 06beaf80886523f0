import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import type { CustomEvents } from '../events/catalogue.js';
import type { HostOptions } from '../host/options.js';
import { checkConfig, type HookscopeConfig, hostOptionsOf } from './config.js';
import { parseJson, readText } from './json-file.js';
import { importDefault, messageOf } from './module.js';

/** A configuration that was read and checked. */
export interface LoadedConfig {
  /** Absolute. */
  readonly file: string;
  readonly config: HookscopeConfig;
  /** Its options for `createHost`. */
  readonly hostOptions: HostOptions<CustomEvents>;
  /** It is a program and has run. */
  readonly isCode: boolean;
}

/** In this order; the first that is there counts. */
const PLACES = ['hookscope.config.ts', 'hookscope.config.mjs', 'hookscope.config.js', 'hookscope.config.json'];

/**
 * Reads a configuration that somebody named: `.ts`, `.js` or `.mjs`, whose default export it is, or `.json`. Code in it runs.
 * @throws HookscopeError FILE, INVALID_CONFIG
 */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  const file = resolve(path);
  try {
    statSync(file);
  } catch (error) {
    throw new HookscopeError('FILE', { file, problem: 'there is no such file' }, { cause: error });
  }
  const loaders = loadersThat(() => undefined);
  if (!Object.hasOwn(loaders, extname(file))) {
    throw new HookscopeError('INVALID_CONFIG', {
      file,
      where: '',
      expected: `expected one of ${Object.keys(loaders).join(', ')}`,
    });
  }
  const { lilconfig } = await import('lilconfig');
  const found = await lilconfig('hookscope', { loaders }).load(file);
  return checked(file, found?.config);
}

/**
 * The `hookscope.config.*` of a directory, itself and not above it; undefined: there is none. It can run programs, so file and
 * directory must be the user's own and nobody else's to write.
 * @throws HookscopeError UNTRUSTED, FILE, INVALID_CONFIG
 */
export async function findConfig(directory: string = process.cwd()): Promise<LoadedConfig | undefined> {
  const folder = resolve(directory);
  const first = PLACES.map((name) => join(folder, name)).find((path) => existsSync(path));
  // Whatever reads it next does not look whether it ever ends.
  if (first !== undefined) readText(first);
  const { lilconfig } = await import('lilconfig');
  const finder = lilconfig('hookscope', {
    searchPlaces: PLACES,
    stopDir: folder,
    ignoreEmptySearchPlaces: false,
    cache: false,
    loaders: loadersThat(checkOwner),
  });
  const found = await finder.search(folder);
  return found ? checked(found.filepath, found.config) : undefined;
}

function checked(file: string, found: unknown): LoadedConfig {
  const config = checkConfig(found, file);
  return { file, config, hostOptions: hostOptionsOf(config), isCode: !file.endsWith('.json') };
}

type Loader = (file: string, text: string) => unknown;

/** Loaders by extension that look at each file with `first`. */
function loadersThat(first: (file: string) => void): Record<string, Loader> {
  const json: Loader = (file, text) => {
    first(file);
    return parseJson(text, file);
  };
  const code: Loader = async (file) => {
    first(file);
    try {
      return await importDefault(file);
    } catch (error) {
      throw new HookscopeError(
        'INVALID_CONFIG',
        { file, where: '', expected: `it could not be run: ${messageOf(error)}` },
        { cause: error },
      );
    }
  };
  return { '.json': json, '.ts': code, '.js': code, '.mjs': code };
}

/** Throws UNTRUSTED unless the file and the folders it lies in, behind links too, are the user's own and closed to others. */
function checkOwner(file: string): void {
  // Windows has neither owner ids nor mode bits to look at.
  const user = process.getuid?.();
  if (user === undefined) return;
  const real = realpathSync(file);
  for (const path of new Set([real, dirname(real), dirname(file)])) {
    const { uid, mode } = statSync(path);
    if (uid !== user) throw new HookscopeError('UNTRUSTED', { file, why: `${path} belongs to another user` });
    if ((mode & 0o022) !== 0)
      throw new HookscopeError('UNTRUSTED', { file, why: `${path} may be written by other users` });
  }
}
