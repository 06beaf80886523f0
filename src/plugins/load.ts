import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HookscopeError } from '../errors.js';
import type { Plugin } from '../host/plugin-types.js';
import { warn } from '../plain.js';
import { nearestSpelling } from '../values/nearest.js';
import { checkKeys, checkOption, type Keys } from '../values/options.js';
import { checks, FILLED } from '../values/shape.js';
import {
  checkManifest,
  invalid,
  KEYWORD,
  manifestOf,
  type PackageManifest,
  packageOf,
  readManifest,
} from './manifest.js';
import { firstLineOf, importDefault, resolveImport } from './module.js';
import { whyNotRun } from './not-run.js';
import { isPackageName } from './package-folder.js';

/** Options of `loadPlugin`. */
export interface LoadPluginOptions {
  /** The directory from which package names and relative paths are resolved. Default: the process's current directory. */
  readonly from?: string;
  /** Called with problems that do not prevent the plugin from working. Default: `process.emitWarning`. */
  readonly warn?: (message: string) => void;
}

const LOAD: Keys<LoadPluginOptions> = { from: checks.text, warn: checks.fn };

/** The place of a plugin. A single file has no manifest. */
interface LocatedPlugin {
  readonly file: string;
  readonly manifest?: PackageManifest | undefined;
}

/**
 * Loads a plugin by the name of its npm package, or by a path to a file (`./my-plugin.js`, `.ts`) or to a package's folder. Resolves to
 * the default export, which `definePlugin` has made. Apply it with `host.use(plugin, options)`.
 *
 * A package declares the versions of hookscope that it supports in its peerDependencies; any other version is an error.
 *
 * ```ts
 * await host.use(await loadPlugin('hookscope-plugin-protected-paths'), { paths: ['dist/**'] });
 * ```
 * @throws HookscopeError INVALID_OPTIONS, PLUGIN_NOT_FOUND, INVALID_PLUGIN
 */
export async function loadPlugin(name: string, options: LoadPluginOptions = {}): Promise<Plugin> {
  checkOption('loadPlugin(name)', name, FILLED);
  checkKeys(options, LOAD, 'loadPlugin: ');
  const { from = process.cwd(), warn: tell = warn } = options;
  const { file, manifest } = await locatePlugin(name, from);
  if (manifest) await checkManifest(name, manifest, tell);
  let found: unknown;
  try {
    found = await importDefault(file);
  } catch (error) {
    throw invalid(name, `could not be loaded: ${await whyNotRun(error, file)}`, error);
  }
  return checkExport(name, found);
}

/** Finds a plugin. Rejects with PLUGIN_NOT_FOUND, INVALID_PLUGIN. Runs none of its code. */
export function locatePlugin(name: string, from: string): Promise<LocatedPlugin> {
  return isPackageName(name) ? locatePackage(name, from) : locatePath(name, from);
}

/** The name under which an acceptance lists a plugin: its file, or all files of its package (`…/**`). */
export async function boundName(name: string, from: string): Promise<string> {
  const { file, manifest } = await locatePlugin(name, from);
  const real = realpathSync(file);
  const root = manifest && packageOf(real);
  return root === undefined ? real : `${root}/**`;
}

async function locatePath(name: string, from: string): Promise<LocatedPlugin> {
  const path = resolve(from, name.startsWith('file:') ? fileURLToPath(name) : name);
  if (!existsSync(path)) throw new HookscopeError('PLUGIN_NOT_FOUND', { plugin: name, from, isPath: true });
  if (!statSync(path).isDirectory()) return { file: realpathSync(path) };
  const manifest = await readManifest(path);
  if (manifest?.name === undefined) throw invalid(name, 'is a folder without a package.json that names a package');
  if (manifest.exports !== undefined) return { file: await resolveFrom(manifest.name, path, name), manifest };
  return { file: join(path, typeof manifest.main === 'string' ? manifest.main : 'index.js'), manifest };
}

async function locatePackage(name: string, from: string): Promise<LocatedPlugin> {
  const file = await resolveFrom(name, from, name);
  return { file, manifest: await manifestOf(file) };
}

/** The packages that are installed in a folder, without those of a scope. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Resolves like an `import` in a file of this folder. Errors name `plugin`. */
async function resolveFrom(specifier: string, folder: string, plugin: string): Promise<string> {
  let url: string;
  try {
    url = await resolveImport(specifier, join(folder, 'noname.js'));
  } catch (error) {
    if (isMissingPackage(error)) {
      const full = `${KEYWORD}-${plugin}`;
      const installed = namesIn(join(folder, 'node_modules'));
      const short = (one: string): string => one.replace(`${KEYWORD}-`, '');
      const spelt = nearestSpelling(short(plugin), installed.map(short));
      const near = installed.includes(full) ? full : installed.find((one) => short(one) === spelt);
      throw new HookscopeError('PLUGIN_NOT_FOUND', { plugin, from: folder, nearest: near }, { cause: error });
    }
    throw invalid(plugin, `could not be found in its package: ${firstLineOf(error)}`, error);
  }
  if (!url.startsWith('file:')) throw invalid(plugin, `expected a package or a path, got ${url}`);
  const file = fileURLToPath(url);
  if (!existsSync(file)) throw invalid(plugin, `its file ${file} does not exist; was it built?`);
  return file;
}

function isMissingPackage(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    code === 'ERR_INVALID_MODULE_SPECIFIER' ||
    (code === 'ERR_MODULE_NOT_FOUND' && message.startsWith('Cannot find package'))
  );
}

/** Checked by shape: the plugin may have been made by another copy of hookscope. */
function checkExport(name: string, found: unknown): Plugin {
  if (found === undefined) throw invalid(name, 'has no default export; expected export default definePlugin({ … })');
  const { name: own, apply } = (typeof found === 'object' && found !== null ? found : {}) as Partial<Plugin>;
  if (typeof own !== 'string' || own === '' || typeof apply !== 'function') {
    const got = typeof found === 'function' ? 'a function' : 'something else';
    throw invalid(
      name,
      `its default export is ${got}; expected export default definePlugin({ name, apply(scope, options) })`,
    );
  }
  return found as Plugin;
}
