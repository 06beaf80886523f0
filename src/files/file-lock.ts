import { closeSync, lstatSync, openSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../values/make-folder.js';
import { isRunning, startOf, wasRunningAt } from '../values/processes.js';
import { readRegularFile } from './regular-file.js';

/** Milliseconds that a lock is waited for, and between two looks at one that is held. */
const PATIENCE = 5_000;
const PAUSE = 10;
/** Milliseconds after which a lock without a process id was left by a process that was killed before it could write it. */
const EMPTY = 2_000;

/** Does something while no other process does the same with that file. Throws the system's error if it cannot be locked. */
export function withLock<T>(file: string, work: () => T): T {
  const lock = `${file}.lock`;
  makeFolder(dirname(file));
  take(lock);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock: string): void {
  const end = performance.now() + PATIENCE;
  let held: string | undefined;
  do {
    if (createLock(lock)) return;
    held = isHeld(lock) ? lock : remove(lock);
    if (held !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
  } while (performance.now() < end);
  throw new Error(`${held ?? lock} is held by another command; if there is none, remove it`);
}

/** Creates a lock of this process; false if there is one. Throws the system's error, and then leaves nothing that it has created. */
export function createLock(lock: string): boolean {
  let handle: number;
  try {
    handle = openSync(lock, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeFileSync(handle, holder());
    return true;
  } catch (error) {
    // A lock without a process id would be waited for.
    rmSync(lock, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** What a lock says of its holder, which is this process: its id, and when it started, which tells it from a later process with the same id. */
export function holder(): string {
  return [process.pid, startOf(process.pid)].join(' ').trim();
}

/** Whether the holder of a lock is alive, or has not written its id yet. */
export function isHeld(lock: string): boolean {
  try {
    const stat = lstatSync(lock);
    // Nobody holds what is no file, such as a link.
    if (!stat.isFile()) return false;
    const [id, started] = readRegularFile(lock).toString('utf8').trim().split(' ');
    const pid = Number(id);
    if (pid === 0) return Math.abs(Date.now() - stat.mtimeMs) < EMPTY;
    return isRunning(pid) && (started === undefined ? wasRunningAt(pid, stat.mtimeMs) : startOf(pid) === started);
  } catch (error) {
    // It has been released at this moment.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/**
 * Removes a lock whose holder is gone. One process at a time does so, or it might remove what another has taken meanwhile.
 * Returns the file that another process holds, if there is nothing to remove.
 */
function remove(lock: string): string | undefined {
  const removal = `${lock}.removal`;
  try {
    // A process was killed while it removed one.
    if (!createLock(removal)) return removeDead(removal);
    try {
      return removeDead(lock);
    } finally {
      rmSync(removal, { force: true });
    }
  } catch (error) {
    const problem = `was left by a command that has ended, and cannot be removed (${(error as Error).message})`;
    throw new Error(`${lock} ${problem}; remove it as a user who may`, { cause: error });
  }
}

function removeDead(lock: string): string | undefined {
  if (isHeld(lock)) return lock;
  try {
    // Of a file that may not be removed, `rmSync` says that it is no folder.
    if (lstatSync(lock).isDirectory()) rmSync(lock, { recursive: true });
    else unlinkSync(lock);
  } catch (error) {
    // Another process has removed it at this moment.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return undefined;
}
