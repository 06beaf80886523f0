import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, dirname as up } from 'node:path';

/** Whether a plugin is named by its package, and found from a folder; else by a path. */
export function isPackageName(name: string): boolean {
  return !/^\.{1,2}(?:[/\\]|$)|^file:/.test(name) && !isAbsolute(name);
}

/** The folder of the package that a name refers to from a folder, links resolved; undefined if there is none. Runs none of its code. */
export function packageFolder(name: string, from: string): string | undefined {
  const own = /^(?:@[^/\\]+[/\\])?[^/\\]+/.exec(name)?.[0] ?? name;
  for (let folder = from; ; folder = up(folder)) {
    const installed = join(folder, 'node_modules', own);
    if (existsSync(installed)) return realpathSync(installed);
    if (exportsItself(folder, own)) return realpathSync(folder);
    if (folder === up(folder)) return undefined;
  }
}

/** A package finds itself by its own name. */
function exportsItself(folder: string, name: string): boolean {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    return manifest['name'] === name && manifest['exports'] !== undefined;
  } catch {
    return false;
  }
}
