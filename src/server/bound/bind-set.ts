import { join, resolve } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { readRegularFile } from '../../files/regular-file.js';
import { namesOf } from '../../files/same-files.js';
import { CodeFiles } from '../../plugins/code-files.js';
import { locateConfig } from '../../plugins/config-file.js';
import { judgeConfigs, pluginNames } from '../../plugins/config-trust.js';
import { isPackageName } from '../../plugins/package-folder.js';
import { createTrustStore } from '../../trust/store.js';
import { AGENT, type NamedSet } from '../named-set.js';
import { type BoundFile, type BoundFiles, hashOf, hashOfFolder, realOf, statOf } from './files.js';

/** Binds the files of a set as they are now. Nothing runs. */
export async function bindSet(set: NamedSet, cwd: string): Promise<BoundFiles> {
  const files: Record<string, BoundFile> = {};
  const put = (path: string, found: BoundFile, roots: readonly string[]): void => {
    const by = [...(files[path]?.by ?? []), ...roots.map(namesOf)];
    files[path] = { ...found, ...(by.length > 0 && { by }) };
  };
  const data = (path: string, ...roots: readonly string[]): void => {
    const file = resolve(cwd, path);
    put(file, { sha256: hashOf(file), code: false, ...realOf(file) }, roots);
  };
  const code = async (roots: readonly string[], follow: (code: CodeFiles) => Promise<void>): Promise<void> => {
    const found = new CodeFiles(cwd);
    await follow(found);
    for (const name of Object.keys(found.files)) {
      const path = resolve(cwd, name);
      put(path, { sha256: hashOf(path), code: true, ...realOf(path) }, roots);
    }
  };
  const plugin = async (name: string, from: string, ...roots: readonly string[]): Promise<void> => {
    const isPackage = isPackageName(name);
    const place = isPackage ? join(from, 'node_modules', name) : resolve(from, name);
    await code([place, ...roots], (found) => found.plugin(name, { from }));
    if (!isPackage) return;
    const leads = { name, from };
    put(place, { sha256: hashOfFolder(leads), code: true, leads }, [place, ...roots]);
  };
  const theirs = (set.from ?? []).filter((word) => !AGENT.test(word));
  for (const path of [...(set.hooks ?? []), ...(set.settings ?? []), ...theirs]) data(path);
  if (set.pluginDir !== undefined) {
    const { filesWithHooks } = await import('../../claude-code/files/plugin-files.js');
    for (const dir of set.pluginDir.map((one) => resolve(cwd, one)))
      for (const path of await filesWithHooks(dir)) data(path, dir);
  }
  for (const path of set.agent ?? []) data(statOf(resolve(cwd, path)) ? path : path.replace(/@[^/@]*$/, ''));
  if (typeof set.config === 'string') {
    const { file, isCode } = locateConfig(resolve(cwd, set.config));
    if (isCode) await code([file], (found) => found.follow(file));
    else {
      data(file);
      for (const name of namesIn(file)) await plugin(name, join(file, '..'), file);
    }
  }
  for (const name of set.plugin ?? []) await plugin(name, cwd);
  return files;
}

/** Like `bindSet`, for a server, which reads its files again when they change: a pipe could be read only once. Rejects with FILE. */
export async function bindServed(set: NamedSet, cwd: string): Promise<BoundFiles> {
  const files = await bindSet(set, cwd);
  const pipe = Object.keys(files).find((path) => {
    const stats = statOf(path);
    return stats !== undefined && !stats.isFile() && !stats.isDirectory();
  });
  if (pipe === undefined) return files;
  const problem = 'is no regular file, and a server reads its files again: write it to one, and name that';
  throw new HookscopeError('FILE', { file: pipe, problem });
}

/** Binds the configuration of a project that counts: the first that is accepted as it is. Nothing runs. */
export async function bindConfig(project: string): Promise<BoundFiles> {
  const accepted = (await judgeConfigs(project, createTrustStore())).find(({ held }) => held === undefined);
  return accepted === undefined ? {} : bindSet({ config: accepted.file }, project);
}

function namesIn(file: string): string[] {
  try {
    return pluginNames(JSON.parse(readRegularFile(file).toString('utf8')));
  } catch {
    // The error is reported when the file is loaded.
    return [];
  }
}
