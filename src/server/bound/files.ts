import { type BigIntStats, readFileSync, realpathSync, statSync } from 'node:fs';
import { isClosed, OPEN_IT } from '../../files/regular-file.js';
import { namesOf } from '../../files/same-files.js';
import { packageFolder } from '../../plugins/package-folder.js';
import type { Consent } from '../../trust/consent.js';
import { bindPackage, ownFiles } from '../../trust/package-files.js';
import { sha256 } from '../../values/sha256.js';

/** The bound state of one file, or of all own files of a package (`…/**`). */
export interface BoundFile {
  readonly sha256: string | null;
  /** The file runs in our process, or decides what runs there. */
  readonly code: boolean;
  /** The real path when it was bound, if its path contains a link. */
  readonly real?: string;
  /** The paths on the way there, as one link after the other was followed. */
  readonly through?: readonly string[];
  /** Set if it is not a file, but the folder to which a package name resolves. */
  readonly leads?: { readonly name: string; readonly from: string };
  /** What was named and led to this file, such as a plugin's folder or a configuration; each with its paths as links are followed. */
  readonly by?: readonly (readonly string[])[];
}

/** The bound files, by absolute path. */
export type BoundFiles = Readonly<Record<string, BoundFile>>;

/** The files that commands name: by folder and file of the command (`keyOfScripts`), and by the name in the command. */
export type BoundScripts = Record<string, Record<string, Consent['files'][string]>>;

/** Everything that a set binds, as it is stored. */
export interface Bindings {
  readonly files: BoundFiles;
  readonly scripts: BoundScripts;
}

export const PACKAGE = '/**';

/** The current contents of the files, as one text: acceptance refers to this text. */
export function stateOf(paths: readonly string[]): string {
  const all = [...paths].sort().map((path) => [path, hashOf(path) ?? linkOf(path), String(statOf(path)?.mode)]);
  return sha256(JSON.stringify(all));
}

/** The files that differ from what was bound; nothing is cached. */
export function changedSince(files: BoundFiles): string[] {
  return Object.keys(files).filter((path) => isOther(path, files[path] as BoundFile));
}

export const isOther = (path: string, { leads, sha256 }: BoundFile): boolean =>
  (leads === undefined ? hashOf(path) : hashOfFolder(leads)) !== sha256;

/** What has become of a file that is not as it was bound; `no file`: there is something else in its place. */
export type FileFate = 'changed' | 'gone' | 'no file' | 'closed';

/** The same in words. */
export const FATES: Readonly<Record<FileFate, string>> = {
  changed: 'has changed',
  gone: 'is gone',
  'no file': 'is no file any more',
  closed: `cannot be read: ${OPEN_IT}`,
};

export function fateOf(path: string, bound: BoundFile | undefined): FileFate {
  if (isClosedIn(path)) return 'closed';
  // It may be in a folder further up.
  if (bound?.leads !== undefined) return hashOfFolder(bound.leads) === null ? 'gone' : 'changed';
  if (isNothing(placeOf(path))) return 'gone';
  const stats = statOf(placeOf(path));
  const isThere = path.endsWith(PACKAGE) ? stats?.isDirectory() : stats?.isFile();
  return isThere === true ? 'changed' : 'no file';
}

/** Whether this user may not read a file, or a part of a package. */
function isClosedIn(path: string): boolean {
  if (!path.endsWith(PACKAGE)) return isClosed(path);
  try {
    return ownFiles(placeOf(path)).some((file) => isClosed(file.path));
  } catch {
    // A folder that is there and cannot be listed.
    return isClosed(path) || statOf(placeOf(path))?.isDirectory() === true;
  }
}

/** Whether a file is gone that was named by itself, so that nothing can be served by that name. */
export const isNamedGone = (path: string, bound: BoundFile | undefined): boolean =>
  bound !== undefined &&
  ['gone', 'no file'].includes(fateOf(path, bound)) &&
  (bound.by ?? [[path]]).some((names) => names.includes(placeOf(path)));

/** Those files, and folders of packages. */
export const namedGone = (files: BoundFiles): string[] => [
  ...new Set(Object.entries(files).flatMap(([path, bound]) => (isNamedGone(path, bound) ? [placeOf(path)] : []))),
];

const placeOf = (path: string): string => (path.endsWith(PACKAGE) ? path.slice(0, -PACKAGE.length) : path);

/** Whether there is nothing at a path. What cannot be looked at, as in a folder that is closed to us, may be there. */
function isNothing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** A text that changes if a file may have changed; the file is not read. */
export function signOf(path: string): string {
  const stats = statOf(path);
  return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

export function realOf(path: string): Pick<BoundFile, 'real' | 'through'> {
  const real = linkOf(path);
  return real === null || real === path ? {} : { real, through: namesOf(path).slice(1, -1) };
}

/** The real path, with links resolved; null if it does not exist. */
function linkOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

export function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function hashOfFolder({ name, from }: NonNullable<BoundFile['leads']>): string | null {
  const folder = packageFolder(name, from);
  return folder === undefined ? null : sha256(folder);
}

export function hashOf(path: string): string | null {
  try {
    if (path.endsWith(PACKAGE)) return bindPackage(path.slice(0, -PACKAGE.length)).sha256;
    // A pipe can be read only once, and may never end.
    return statSync(path).isFile() ? sha256(readFileSync(path)) : null;
  } catch {
    return null;
  }
}
