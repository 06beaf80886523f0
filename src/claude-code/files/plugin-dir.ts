import { existsSync, realpathSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { whyNoFolder } from '../../files/folder.js';
import { findPositions, findSyntaxError, readHookText } from '../../files/json-file.js';
import { isTooDeep } from '../../files/nesting.js';
import { kindOf } from '../../values/problem.js';
import { isObject, isText } from '../../values/shape.js';
import { problemOf } from './findings.js';
import { problemsOfRepeated } from './repeated.js';
import { broken, checkFile, type HookFile, type ReadFileOptions, readSettings } from './settings.js';
import { misspeltKeys } from './settings-keys.js';

/** The hooks in a plugin's folder. */
export interface PluginDir {
  readonly name: string;
  /** The absolute path of the folder. */
  readonly root: string;
  /** The plugin's files with hooks. Hooks in the manifest itself come last. */
  readonly files: readonly HookFile[];
  /** The default values of `userConfig` in the manifest. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

export const MANIFEST = join('.claude-plugin', 'plugin.json');
/** The keys of a manifest that are read, beside its name. */
export const MANIFEST_KEYS: readonly string[] = ['hooks', 'userConfig'];
export const DEFAULT_HOOKS = join('hooks', 'hooks.json');

/** Reads a plugin's hooks: `hooks/hooks.json`, and the hooks that the manifest contains or names. Never rejects. */
export async function readPluginDir(folder: string, options: ReadFileOptions): Promise<PluginDir> {
  const root = resolve(folder);
  const file = join(root, MANIFEST);
  const noFolder = whyNoFolder(root);
  if (noFolder !== undefined)
    return { name: basename(root), root, files: [broken(root, { message: noFolder })], defaults: {} };
  const manifest = existsSync(file) ? await readManifest(file) : { data: {} };
  if ('bad' in manifest) return { name: basename(root), root, files: [manifest.bad], defaults: {} };
  const { data, text = '{}' } = manifest;
  const paths = new Set(existsSync(join(root, DEFAULT_HOOKS)) ? [join(root, DEFAULT_HOOKS)] : []);
  const inline: HookFile[] = [];
  const placeOf = findPositions(text);
  const entries = [data['hooks'] ?? []].flat() as unknown[];
  for (const [i, entry] of entries.entries()) {
    const path = ['hooks', ...(Array.isArray(data['hooks']) ? [i] : [])];
    const locate: NonNullable<ReadFileOptions['locate']> = (inner) => placeOf([...path, ...inner.slice(1)]);
    if (isText(entry)) {
      const found = within(root, entry);
      if ('problem' in found)
        inline.push(broken(file, { message: `hooks: ${found.problem}`, ...(await placeOf(path)) }));
      else paths.add(found.path);
    } else {
      // The manifest has hooks by event, or nests them once more under "hooks".
      const hooks = isObject(entry) && isObject(entry['hooks']) ? entry['hooks'] : entry;
      inline.push(await checkFile({ hooks }, file, { ...options, hooksOnly: true, locate }));
    }
  }
  const problems = await problemsOfRepeated(text, data, { file, keys: ['name', ...MANIFEST_KEYS] });
  const misspelt = misspeltKeys(data, MANIFEST_KEYS);
  problems.push(...(await Promise.all(misspelt.map((finding) => problemOf(finding, { file, locate: placeOf })))));
  if (problems.length > 0) {
    const own = inline.pop() ?? (await checkFile({}, file, { ...options, hooksOnly: true }));
    inline.push({ ...own, problems: [...own.problems, ...problems] });
  }
  const files = await Promise.all([...paths].map((path) => readHooksFile(path, options)));
  const name = isText(data['name']) && data['name'] !== '' ? data['name'] : basename(root);
  return { name, root, files: [...files, ...inline], defaults: defaultsOf(data['userConfig']) };
}

async function readManifest(
  file: string,
): Promise<{ data: Readonly<Record<string, unknown>>; text?: string } | { bad: HookFile }> {
  let text = '';
  try {
    text = readHookText(file).replace(/^\uFEFF/, '');
    if (isTooDeep(text)) return { bad: broken(file, { message: 'is nested too deeply' }) };
    const data: unknown = JSON.parse(text);
    return isObject(data)
      ? { data, text }
      : { bad: broken(file, { message: `expected an object, got ${kindOf(data)}` }) };
  } catch (error) {
    const found = error instanceof HookscopeError ? undefined : await findSyntaxError(text);
    const message = found ? `is not JSON: ${found.what}` : problemIn(error);
    return { bad: broken(file, { message, ...(found && { line: found.line, column: found.column }) }) };
  }
}

async function readHooksFile(file: string, options: ReadFileOptions): Promise<HookFile> {
  let text: string;
  try {
    text = readHookText(file);
  } catch (error) {
    return broken(file, { message: problemIn(error) });
  }
  return readSettings(text, file, { ...options, hooksOnly: true, whole: true });
}

/** Resolves a path in the manifest, which must be inside the plugin even after following links. */
function within(root: string, entry: string): { readonly path: string } | { readonly problem: string } {
  const path = resolve(root, entry);
  if (!existsSync(path)) return { problem: `${entry} does not exist` };
  const inside = relative(realpathSync(root), realpathSync(path));
  if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside)
    return { problem: `${entry} lies outside the plugin` };
  return { path };
}

/** The default values in `userConfig: { key: { default: … } }`. */
function defaultsOf(config: unknown): Record<string, unknown> {
  if (!isObject(config)) return {};
  const entries = Object.entries(config).flatMap(([key, option]) =>
    isObject(option) && option['default'] !== undefined ? [[key, option['default']]] : [],
  );
  return Object.fromEntries(entries);
}

/** What is wrong, without the file's name, which our errors have too. */
function problemIn(error: unknown): string {
  const details = (error as { details?: { problem?: string } }).details;
  return details?.problem ?? (error as Error).message;
}
