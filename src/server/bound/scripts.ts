import { isAbsolute, resolve } from 'node:path';
import { hashRegularFileSlowly } from '../../files/hash-file.js';
import { isClosed } from '../../files/regular-file.js';
import { hashFile, isExecutable, openIt, UNREADABLE, whyUnread } from '../../trust/file-hash.js';
import { type BoundScripts, signOf, statOf } from './files.js';

/** A separator that no path contains. */
const BETWEEN = '\0';

export const keyOfScripts = (folder: string, file: string): string => `${folder}${BETWEEN}${file}`;

/**
 * Converts keys of older versions, which had a colon between folder and file. If a key can be split in several ways, all are kept: a wrong
 * one looks like a change, which the user is asked about.
 */
export function readScripts(scripts: BoundScripts): BoundScripts {
  const all = Object.entries(scripts).flatMap(([key, found]) => waysToRead(key).map((one) => [one, found] as const));
  return Object.fromEntries(all);
}

function waysToRead(key: string): string[] {
  if (key.includes(BETWEEN)) return [key];
  const colons = [...key.matchAll(/:/g)].map(({ index }) => index);
  return colons
    .filter((at) => isAbsolute(key.slice(at + 1)))
    .map((at) => keyOfScripts(key.slice(0, at), key.slice(at + 1)));
}

/** The scripts that commands in these files name. */
export function scriptsOf(scripts: BoundScripts, holders: ReadonlySet<string>): BoundScripts {
  return Object.fromEntries(Object.entries(scripts).filter(([key]) => holders.has(holderOf(key))));
}

const folderOf = (key: string): string => key.slice(0, key.indexOf(BETWEEN));
const holderOf = (key: string): string => key.slice(key.indexOf(BETWEEN) + 1);

interface BoundScript {
  readonly path: string;
  readonly sha256: string | null;
  readonly executable: boolean;
  readonly holder: string;
}

/** The paths and hashes of all scripts, except those of which only the name is bound. */
export const hashesOf = (scripts: BoundScripts): [path: string, hash: string | null][] =>
  allOf(scripts).map(({ path, sha256 }) => [path, sha256]);

/** The paths of the scripts that could be executed when they were bound. */
export const executablesOf = (scripts: BoundScripts): ReadonlySet<string> =>
  new Set(allOf(scripts).flatMap(({ path, executable }) => (executable ? [path] : [])));

/** Whether one of those is still a file, and can no longer be executed. */
export const hasStopped = (path: string, executables: ReadonlySet<string>): boolean =>
  executables.has(path) && statOf(path)?.isFile() === true && !isExecutable(path);

/** All scripts, except those of which only the name is bound. */
function allOf(scripts: BoundScripts): BoundScript[] {
  return Object.entries(scripts).flatMap(([key, found]) =>
    Object.entries(found).flatMap(([name, { sha256, executable = false, data }]) =>
      data === true ? [] : [{ path: resolve(folderOf(key), name), sha256, executable, holder: holderOf(key) }],
    ),
  );
}

/** The scripts that differ from what was bound. */
export function changedScripts(scripts: BoundScripts): string[] {
  return pathsOf(allOf(scripts).filter((one) => isOther(one, hashFile(one.path))));
}

/** Whether a script has another hash than when it was bound, or was executable then and is not now. */
const isOther = ({ path, sha256, executable }: BoundScript, now: string | null): boolean =>
  now !== sha256 || (executable && !isExecutable(path));

const pathsOf = (all: readonly BoundScript[]): string[] => [...new Set(all.map(({ path }) => path))];

/** Messages about scripts that cannot be bound, so that their hooks fail. */
export function unboundScripts(scripts: BoundScripts): string[] {
  const all = allOf(scripts).filter(({ sha256 }) => sha256 === UNREADABLE);
  const told = all.map(({ path, holder }) => {
    const [what, unless] = isClosed(path)
      ? ['read', `until you ${openIt(path)}`]
      : ['bound', 'unless it is served with --data'];
    return `${path}, which ${holder} names, cannot be ${what}: ${whyUnread(path)}; hooks that name it fail as untrusted, ${unless}`;
  });
  return [...new Set(told)];
}

/** The largest file in bytes that is read at once. A larger one is read in pieces, so that calls are answered meanwhile. */
const AT_ONCE = 1024 * 1024;

/** Like `changedScripts`, but cached: a file is read again only if its size, times or inode have changed. */
export class ScriptsLook {
  readonly #seen = new Map<string, { readonly sign: string; readonly sha256: string | null | undefined }>();
  readonly #scripts: BoundScripts;
  #reading: Promise<void> = Promise.resolve();

  constructor(scripts: BoundScripts) {
    this.#scripts = scripts;
  }

  /** The changed scripts. A large file counts as unchanged until it has been read. */
  changed(): string[] {
    return pathsOf(
      allOf(this.#scripts).filter((one) => {
        const now = this.#hashOf(one.path);
        return isOther(one, now === undefined ? one.sha256 : now);
      }),
    );
  }

  /** Resolves when the large files that `changed` found have been read. */
  get read(): Promise<void> {
    return this.#reading;
  }

  #hashOf(path: string): string | null | undefined {
    const sign = signOf(path);
    const seen = this.#seen.get(path);
    if (seen?.sign === sign) return seen.sha256;
    const isLarge = (statOf(path)?.size ?? 0) > AT_ONCE;
    const sha256 = isLarge ? seen?.sha256 : hashFile(path);
    this.#seen.set(path, { sign, sha256 });
    // Large files are read one after the other.
    if (isLarge) this.#reading = this.#reading.then(() => this.#readSlowly(path, sign));
    return sha256;
  }

  async #readSlowly(path: string, sign: string): Promise<void> {
    const sha256 = await hashRegularFileSlowly(path).catch(() => hashFile(path));
    if (this.#seen.get(path)?.sign === sign) this.#seen.set(path, { sign, sha256 });
  }
}
