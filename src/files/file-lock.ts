import { linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../values/make-folder.js';
import { isRunning, startOf, wasRunningAt } from '../values/processes.js';
import { readRegularFile } from './regular-file.js';

/** The number of tries, and the milliseconds between them. */
const TRIES = 500;
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
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      writeFileSync(lock, holder(), { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        // A lock without a process id would be waited for.
        rmSync(lock, { force: true });
        throw error;
      }
    }
    if (isHeld(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    else remove(lock);
  }
  throw new Error(`${lock} is held by another command; if there is none, remove it`);
}

/** What a lock says of its holder, which is this process: its id, and when it started, which tells it from a later process with the same id. */
export function holder(): string {
  return [process.pid, startOf(process.pid)].join(' ').trim();
}

/** Whether the holder of a lock is alive, or has not written its id yet. */
export function isHeld(lock: string): boolean {
  try {
    const [id, started] = readRegularFile(lock).toString('utf8').trim().split(' ');
    const [pid, { mtimeMs }] = [Number(id), statSync(lock)];
    if (pid === 0) return Date.now() - mtimeMs < EMPTY;
    return isRunning(pid) && (started === undefined ? wasRunningAt(pid, mtimeMs) : startOf(pid) === started);
  } catch (error) {
    // It has been released at this moment; nobody holds what is no file.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Removes a lock whose holder is gone. Of several processes that want to, one gets it, and it gives back what another has taken meanwhile. */
function remove(lock: string): void {
  const own = `${lock}.${process.pid}`;
  try {
    renameSync(lock, own);
    if (isHeld(own)) linkSync(own, lock);
  } catch {
    // Another process was first.
  }
  rmSync(own, { force: true, recursive: true });
}
