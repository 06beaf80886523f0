import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { makeFolder } from '../../values/make-folder.js';

/** Never through a symbolic link: in a shared folder it could lead anywhere. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
export const OWNER_ONLY = 0o600;

/** Opens a file for appending, made if missing, and makes it readable by its owner alone, once `accept` has let it pass. */
export async function openOwned(
  path: string,
  accept: (handle: FileHandle, stats: Stats) => Promise<void> = async () => undefined,
): Promise<FileHandle> {
  makeFolder(dirname(path));
  const handle = await open(path, APPEND, OWNER_ONLY);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new HookscopeError('FILE', { file: path, problem: 'is not a regular file' });
    await accept(handle, stats);
    if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) await handle.chmod(OWNER_ONLY);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** As `openOwned`; a file that plainly holds something else than records is left as it is. */
export function openRecords(path: string): Promise<FileHandle> {
  return openOwned(path, async (handle, stats) => {
    if (stats.size === 0) return;
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, 0);
    if (buffer[0] === '{'.charCodeAt(0)) return;
    throw new HookscopeError('FILE', { file: path, problem: 'holds something else than records; choose another file' });
  });
}

export async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (nameOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** `ENOSPC`, `EACCES`; of an error without a code, its text. */
export function nameOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
