import { type BigIntStats, readFileSync, realpathSync, statSync } from 'node:fs';
import { namesOf } from '../../files/same-files.js';
import { packageFolder } from '../../plugins/package-folder.js';
import type { Consent } from '../../trust/consent.js';
import { bindPackage } from '../../trust/package-files.js';
import { sha256 } from '../../values/sha256.js';

/** One file, or all own files of a package (`…/**`), as it was. */
export interface Bound {
  readonly sha256: string | null;
  /** It runs in our process, or decides what does. */
  readonly code: boolean;
  /** Where its name led when it was bound, if it or a folder of it is a link. */
  readonly real?: string;
  /** What it was called on the way there, as one link after the other was followed. */
  readonly through?: readonly string[];
  /** Not a file, but the folder to which a package name resolves. */
  readonly leads?: { readonly name: string; readonly from: string };
  /** What was named and has brought it: a plugin's folder, a configuration. Each with what it is called as links are followed. */
  readonly by?: readonly (readonly string[])[];
}

/** The named files, by absolute path. */
export type BoundFiles = Readonly<Record<string, Bound>>;

/** The files that commands in it name, by the folder they are found from and the file that holds the command (`keyOfScripts`), and by the name. */
export type BoundScripts = Record<string, Record<string, Consent['files'][string]>>;

/** All that a set binds, as it is kept. */
export interface Bindings {
  readonly files: BoundFiles;
  readonly scripts: BoundScripts;
}

export const PACKAGE = '/**';

/** The current contents of the files, as one text: acceptance refers to this text. */
export function stateOf(paths: readonly string[]): string {
  const all = [...paths].sort().map((path) => [path, hashOf(path) ?? linkOf(path)]);
  return sha256(JSON.stringify(all));
}

/** Which of them are not as they were bound; a look without memory. */
export function changedSince(files: BoundFiles): string[] {
  return Object.keys(files).filter((path) => isOther(path, files[path] as Bound));
}

export const isOther = (path: string, { leads, sha256 }: Bound): boolean =>
  (leads === undefined ? hashOf(path) : hashOfFolder(leads)) !== sha256;

/** Tells whether a file may have changed, without reading it. */
export function signOf(path: string): string {
  const stats = statOf(path);
  return stats === undefined ? '' : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

export function realOf(path: string): Pick<Bound, 'real' | 'through'> {
  const real = linkOf(path);
  return real === null || real === path ? {} : { real, through: namesOf(path).slice(1, -1) };
}

/** Where it leads, whatever of it is a link; null: it is not there. */
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

export function hashOfFolder({ name, from }: NonNullable<Bound['leads']>): string | null {
  const folder = packageFolder(name, from);
  return folder === undefined ? null : sha256(folder);
}

export function hashOf(path: string): string | null {
  try {
    if (path.endsWith(PACKAGE)) return bindPackage(path.slice(0, -PACKAGE.length)).sha256;
    // A pipe is read once, and may never end.
    return statSync(path).isFile() ? sha256(readFileSync(path)) : null;
  } catch {
    return null;
  }
}
