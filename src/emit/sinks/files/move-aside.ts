import { closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { isAt, nameOf, OWNER_ONLY } from './owned-file.js';

/** A lock this old, in milliseconds, is a dead process's: to move files takes a few. */
const STALE_LOCK = 10_000;

/**
 * Moves a full file to path.1, what was there to path.2, and so on; the oldest goes only if all places are taken. `file`: the open one; if another
 * process has moved it already, nothing more is. false: another process is just doing it. Then the file may grow a little beyond its size.
 */
export function moveAside(path: string, { keep, file }: { readonly keep: number; readonly file: number }): boolean {
  const lock = takeLock(`${path}.lock`);
  if (lock === undefined) return false;
  try {
    if (isAt(path, file)) shift(path, keep);
  } finally {
    closeSync(lock);
    rmSync(`${path}.lock`, { force: true });
  }
  return true;
}

function shift(path: string, keep: number): void {
  const isThere = (place: number): boolean => lstatSync(`${path}.${place}`, { throwIfNoEntry: false }) !== undefined;
  let free = 1;
  while (free < keep && isThere(free)) free += 1;
  for (let place = free; place > 1; place -= 1) renameSync(`${path}.${place - 1}`, `${path}.${place}`);
  renameSync(path, `${path}.1`);
  for (let extra = keep + 1; isThere(extra); extra += 1) rmSync(`${path}.${extra}`);
}

function takeLock(path: string): number | undefined {
  try {
    return openSync(path, 'wx', OWNER_ONLY);
  } catch (error) {
    if (nameOf(error) !== 'EEXIST') throw error;
  }
  const lock = lstatSync(path, { throwIfNoEntry: false });
  if (lock !== undefined && Date.now() - lock.mtimeMs > STALE_LOCK) rmSync(path, { force: true });
  return undefined;
}
