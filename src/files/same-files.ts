import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, parse, resolve, sep } from 'node:path';

/** Linux follows at most this many links in one path. */
const MOST_LINKS = 40;

/** The absolute path, and the path after each symbolic link in it is followed, one at a time. */
export function namesOf(path: string): string[] {
  const names = [resolve(path)];
  while (names.length <= MOST_LINKS) {
    const next = followed(names.at(-1) as string);
    if (next === undefined || names.includes(next)) break;
    names.push(next);
  }
  return names;
}

/** The path with its first symbolic link replaced by the link's target; undefined if it contains none. */
function followed(path: string): string | undefined {
  const { root } = parse(path);
  let at = root;
  const parts = path.slice(root.length).split(sep);
  for (const [i, part] of parts.entries()) {
    at = resolve(at, part);
    try {
      if (lstatSync(at).isSymbolicLink()) return resolve(dirname(at), readlinkSync(at), ...parts.slice(i + 1));
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Identifies an existing file by device and inode; undefined if it does not exist or its path contains a link. */
export function inodeOf(path: string): string | undefined {
  try {
    if (realpathSync(path) !== path) return undefined;
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
