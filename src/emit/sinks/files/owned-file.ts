import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HookscopeError } from '../../../errors.js';
import { makeFolder } from '../../../values/make-folder.js';

/** O_NOFOLLOW: in a shared folder a symbolic link could lead anywhere. O_NONBLOCK: opening a pipe would wait. */
const APPEND =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
export const OWNER_ONLY = 0o600;

/** Opens a file for appending, creates it if missing, and makes it readable only by its owner. */
export const openOwned = (path: string): number => opened(path, checkOwned);

/** Like `openOwned`, but refuses a file that clearly does not hold records. */
export const openRecordsSync = (path: string): number => opened(path, checkRecords);

/** `openRecordsSync` with an asynchronous open. */
export async function openRecords(path: string): Promise<FileHandle> {
  makeFolder(dirname(path));
  const handle = await open(path, APPEND, OWNER_ONLY);
  try {
    checkRecords(handle.fd, path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function opened(path: string, check: (file: number, path: string) => void): number {
  makeFolder(dirname(path));
  const file = openSync(path, APPEND, OWNER_ONLY);
  try {
    check(file, path);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function checkRecords(file: number, path: string): void {
  const stats = fstatSync(file);
  if (stats.isFile() && stats.size > 0 && byteAt(file, 0) !== '{'.charCodeAt(0))
    throw new HookscopeError('FILE', {
      file: path,
      problem: 'holds something else than records; choose another file, or move it away',
    });
  checkOwned(file, path);
}

function checkOwned(file: number, path: string): void {
  const stats = fstatSync(file);
  if (!stats.isFile()) throw new HookscopeError('FILE', { file: path, problem: 'is not a regular file' });
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) fchmodSync(file, OWNER_ONLY);
}

/** Whether both are the same file, by inode. */
export function isSame(ours: Stats, there: Stats | undefined): boolean {
  return there?.ino === ours.ino && there.dev === ours.dev;
}

export const isAt = (path: string, file: number): boolean =>
  isSame(fstatSync(file), lstatSync(path, { throwIfNoEntry: false }));

export function byteAt(file: number, at: number): number | undefined {
  const byte = Buffer.alloc(1);
  return readSync(file, byte, 0, 1, at) === 1 ? byte[0] : undefined;
}

/** The error's code (`ENOSPC`, `EACCES`), or its text if it has none. */
export function nameOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
