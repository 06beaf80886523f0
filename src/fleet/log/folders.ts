import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync, renameSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readRegularFile } from '../../files/regular-file.js';
import { replaceFile } from '../../files/replace-file.js';
import { makeFolder } from '../../values/make-folder.js';
import { isRunning, startOf } from '../../values/processes.js';

/** Milliseconds of silence after which a process on another machine counts as gone. */
const GONE = 60_000;
const OWNER = 'owner.json';
const OURS = /^log-[0-9a-f-]{36}$/;
/** Taken, but its new owner is not written in it yet; during that time nobody else may take it. */
const TAKEN = /^taken-[0-9a-f-]{36}$/;

interface FolderOwner {
  readonly pid: number;
  readonly where: string;
  /** When the process was started, as the system counts it: process ids are reused. */
  readonly since?: string | undefined;
}

/** A folder for one process's log. */
export function makeLogFolder(parent: string): string {
  makeFolder(parent);
  const folder = join(parent, `log-${randomUUID()}`);
  makeFolder(folder);
  claim(folder);
  return folder;
}

/** Marks its process as alive; false: another process has taken it for dead, or the folder was removed. */
export function touch(folder: string): boolean {
  const now = new Date();
  try {
    utimesSync(join(folder, OWNER), now, now);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** Leaves the folder to the next process. */
export function release(folder: string): void {
  try {
    replaceFile(join(folder, OWNER), JSON.stringify({ pid: 0, where: 'nowhere' }), 0o600);
  } catch {
    // The folder is gone.
  }
}

/**
 * Takes over the logs left by processes that are gone. If several try, one gets it, by renaming the folder; it gets a name that others look for only once the
 * new owner is written in it.
 */
export function adopt(parent: string): string[] {
  const found = existsSync(parent) ? readdirSync(parent).filter((name) => OURS.test(name) || TAKEN.test(name)) : [];
  return found.flatMap((name) => {
    const folder = join(parent, name);
    if (!isOrphan(folder) || (TAKEN.test(name) && movedOf(folder) > Date.now() - GONE)) return [];
    const id = randomUUID();
    const [taken, own] = [join(parent, `taken-${id}`), join(parent, `log-${id}`)];
    try {
      renameSync(folder, taken);
      claim(taken);
      renameSync(taken, own);
    } catch {
      // Another was first.
      return [];
    }
    return [own];
  });
}

/** When it was last given another name, in milliseconds. */
const movedOf = (folder: string): number => statSync(folder, { throwIfNoEntry: false })?.ctimeMs ?? Date.now();

function claim(folder: string): void {
  replaceFile(
    join(folder, OWNER),
    JSON.stringify({ pid: process.pid, where: whereabouts(), since: startOf(process.pid) } satisfies FolderOwner),
    0o600,
  );
}

function isOrphan(folder: string): boolean {
  const file = join(folder, OWNER);
  try {
    const { pid, where, since } = JSON.parse(readRegularFile(file).toString('utf8')) as FolderOwner;
    if (pid === 0) return true;
    // A process that is stopped, or was asleep with its machine, is silent and yet there.
    if (where === whereabouts()) return !isRunning(pid) || (since !== undefined && startOf(pid) !== since);
    return Date.now() - statSync(file).mtimeMs > GONE;
  } catch {
    // It is being made, or was cut short by a crash.
    return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > GONE;
  }
}

/** Identifies where a process id is unique: this machine, and the container on it. */
function whereabouts(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not on Linux.
  }
  return `${hostname()} ${namespace}`;
}
