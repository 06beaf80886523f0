import { accessSync, constants, statSync } from 'node:fs';
import { hashRegularFile } from '../files/hash-file.js';
import { OPEN_IT, readRegularFile, UnreadFileError } from '../files/regular-file.js';

/** The hash of the file at a path, following links; null if there is no file, `unreadable` if there is one that cannot be read. */
export function hashFile(path: string): string | null {
  return whatIsThere(() => hashRegularFile(path));
}

/** Like `hashFile`, but returns the file's bytes. */
export function bytesAt(path: string): Buffer | null | typeof UNREADABLE {
  return whatIsThere(() => readRegularFile(path));
}

function whatIsThere<T>(read: () => T): T | null | typeof UNREADABLE {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadFileError) return error.isFolder ? null : UNREADABLE;
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ENOENT' ? null : UNREADABLE;
  }
}

/** Whether this user may execute a file; false if it does not exist. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    // On some systems the superuser passes without any bit.
    return (statSync(path).mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** What to do about a file that this user may not read. Unread, nobody knows whether what may be executed is a script, which its interpreter has to read. */
export const openIt = (path: string): string =>
  `${OPEN_IT}${isExecutable(path) ? '; only a compiled program runs unread: hookscope serve --data binds its name alone, whatever it then holds' : ''}`;

/** Takes the place of a hash if the file cannot be read. */
export const UNREADABLE = 'unreadable';

/** Why a file cannot be read, in words. */
export function whyUnread(path: string): string {
  try {
    hashRegularFile(path);
    return 'it could not be read';
  } catch (error) {
    return error instanceof UnreadFileError ? `it ${error.message}` : (error as Error).message;
  }
}
