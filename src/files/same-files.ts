import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, parse, resolve, sep } from 'node:path';

/** As many links as the system follows for one path. */
const MOST_LINKS = 40;

/** Every name under which a path can be found from here on: itself, and what it becomes as one link after the other is followed. */
export function namesOf(path: string): string[] {
  const names = [resolve(path)];
  while (names.length <= MOST_LINKS) {
    const next = followed(names.at(-1) as string);
    if (next === undefined || names.includes(next)) break;
    names.push(next);
  }
  return names;
}

/** The path with its first link replaced by where that leads. */
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

/** Tells files apart that are there; undefined: it is not, or it is a link. */
export function inodeOf(path: string): string | undefined {
  try {
    if (realpathSync(path) !== path) return undefined;
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
