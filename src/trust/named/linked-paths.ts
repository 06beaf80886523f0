import { readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path';

/** A path as its text says, and as the system reads a `..` behind a link. */
export function readingsOf(path: string, projectDir: string): string[] {
  const own = normalize(path);
  if (!path.includes('..')) return [own];
  let at = isAbsolute(path) ? sep : projectDir;
  for (const part of path.split('/')) at = part === '..' ? dirname(targetOf(at)) : join(at, part);
  return at === resolve(projectDir, own) ? [own] : [own, at];
}

/** Where a link leads; any other path is its own target. */
function targetOf(path: string): string {
  try {
    readlinkSync(path);
    return realpathSync(path);
  } catch {
    return path;
  }
}
