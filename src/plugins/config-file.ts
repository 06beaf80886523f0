import { realpathSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import type { CustomEvents } from '../events/catalogue.js';
import { checkFile } from '../files/folder.js';
import { parseOwnJson, readNamedText } from '../files/json-file.js';
import type { HostOptions } from '../host/options.js';
import { checkOption } from '../values/options.js';
import { FILLED } from '../values/shape.js';
import { checkConfig, type HookscopeConfig, hostOptionsOf } from './config.js';
import { importDefault } from './module.js';
import { whyNotRun } from './not-run.js';

/** A configuration that was read and checked. */
export interface LoadedConfig {
  /** The absolute path. */
  readonly file: string;
  readonly config: HookscopeConfig;
  /** The configuration's options for `createHost`. */
  readonly hostOptions: HostOptions<CustomEvents>;
  /** Whether the file is a program, which has run. */
  readonly isCode: boolean;
}

const EXTENSIONS = ['.json', '.ts', '.js', '.mjs'];

/**
 * Reads a configuration file: the default export of a `.ts`, `.js` or `.mjs` file, which is run, or the content of a `.json` file.
 * @throws HookscopeError INVALID_OPTIONS, FILE, INVALID_CONFIG
 */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  const { file, isCode } = locateConfig(path);
  const config = checkConfig(isCode ? await run(file) : await readJson(file), file);
  return { file, config, hostOptions: hostOptionsOf(config), isCode };
}

/** Resolves a path, and says whether the file is a program. Does not read the file. Throws FILE, INVALID_CONFIG. */
export function locateConfig(path: string): Pick<LoadedConfig, 'file' | 'isCode'> {
  checkOption('loadConfig(path)', path, FILLED);
  const file = resolve(path);
  checkFile(file);
  const extension = extname(file);
  if (!EXTENSIONS.includes(extension)) {
    throw new HookscopeError('INVALID_CONFIG', {
      file,
      where: '',
      expected: `expected one of ${EXTENSIONS.join(', ')}`,
    });
  }
  return { file, isCode: extension !== '.json' };
}

async function readJson(file: string): Promise<unknown> {
  const text = await readNamedText(file);
  return text.trim() === '' ? undefined : parseOwnJson(text, file);
}

async function run(file: string): Promise<unknown> {
  try {
    return await importDefault(realpathSync(file));
  } catch (error) {
    throw new HookscopeError(
      'INVALID_CONFIG',
      { file, where: '', expected: `it could not be run: ${await whyNotRun(error, file)}` },
      { cause: error },
    );
  }
}

/** Throws UNTRUSTED unless the file and its folder, also after resolving links, belong to the user and only the user can write to them. */
export function checkOwner(file: string): void {
  // Windows has neither owner ids nor mode bits.
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
