import { realpathSync, statSync } from 'node:fs';

/** Whether a path is one of these files: by its name, by where links lead, or by its inode. */
export function sameFiles(paths: readonly string[]): (path: string) => boolean {
  const known = new Set(paths.flatMap(waysTo));
  return (path) => waysTo(path).some((way) => known.has(way));
}

/** The texts that two names of one file have in common. */
function waysTo(path: string): string[] {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return [path, realpathSync(path), `${dev}:${ino}`];
  } catch {
    // It is gone, or it is all of a package: its name is all there is.
    return [path];
  }
}
