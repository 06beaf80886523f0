import { closeSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { isAt, nameOf, OWNER_ONLY } from './owned-file.js';

/** A lock older than this (milliseconds) was left by a dead process: moving the files takes a few milliseconds. */
const STALE_LOCK = 10_000;

/**
 * Rotates a full file: path to path.1, path.1 to path.2, and so on; the oldest is deleted only if all `keep` places are taken. `file`: the open
 * file; nothing is moved if another process has rotated it already. false: another process is rotating now, so the file may grow a little longer.
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
