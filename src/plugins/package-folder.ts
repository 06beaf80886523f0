import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, dirname as up } from 'node:path';

/** Whether a plugin's name is the name of a package and not a path. */
export function isPackageName(name: string): boolean {
  return !/^\.{1,2}(?:[/\\]|$)|^file:/.test(name) && !isAbsolute(name);
}

/** The real path of the package's folder, resolved from a folder; undefined if there is none. Runs none of its code. */
export function packageFolder(name: string, from: string): string | undefined {
  const own = /^(?:@[^/\\]+[/\\])?[^/\\]+/.exec(name)?.[0] ?? name;
  for (let folder = from; ; folder = up(folder)) {
    const installed = join(folder, 'node_modules', own);
    if (existsSync(installed)) return realpathSync(installed);
    if (exportsItself(folder, own)) return realpathSync(folder);
    if (folder === up(folder)) return undefined;
  }
}

/** A package with `exports` can import itself by its own name. */
function exportsItself(folder: string, name: string): boolean {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    return manifest['name'] === name && manifest['exports'] !== undefined;
  } catch {
    return false;
  }
}
