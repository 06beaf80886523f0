/** Parts of plain characters, none of them a way up; so a path means the same on every system, and leads nowhere else. */
const PART = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
const LONGEST = 200;

/** Why a bundle cannot contain a path; undefined: it can. */
export function whyNoPath(path: string): string | undefined {
  if (path.length > LONGEST) return `"${path.slice(0, 40)}…" is longer than ${LONGEST} characters`;
  if (path.split('/').every((part) => PART.test(part))) return undefined;
  return `"${path}" is no path within a bundle: its parts are letters, digits, ".", "_" and "-", and none is "." or ".."`;
}

export const isBelow = (root: string, path: string): boolean => path.startsWith(`${root}/`);

/** Two roots that claim the same files. */
export function overlapOf(roots: readonly string[], others: readonly string[]): [string, string] | undefined {
  for (const root of roots)
    for (const other of others)
      if (root === other || isBelow(root, other) || isBelow(other, root)) return [root, other];
  return undefined;
}
