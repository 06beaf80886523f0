import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { HookscopeError } from '../errors.js';
import { makeFolder } from '../values/make-folder.js';

/** The largest file of ours that is read, in bytes. A larger one is not from us, and reading it could take longer than the agent waits. */
const LARGEST = 256 * 1024 * 1024;
const TYPE = 0o170000;
const TYPES = { folder: 0o040000, file: 0o100000, socket: 0o140000 } as const;

/**
 * Node cannot ask the system which user is at the other end of a socket. So the folder and what is in it must belong to this user and be
 * closed to all others; links are not followed. Throws UNTRUSTED, and FILE if it does not exist.
 */
export function checkOwned(path: string, type: keyof typeof TYPES): void {
  const stats = seen(path);
  if (stats === undefined) throw new HookscopeError('FILE', { file: path, problem: `there is no such ${type}` });
  const refuse = (why: string): HookscopeError =>
    new HookscopeError('UNTRUSTED', { file: path, why, remedy: 'Look who has made it, and move it away' });
  if ((stats.mode & TYPE) !== TYPES[type]) throw refuse(`it is no ${type}`);
  const user = process.getuid?.();
  if (user === undefined) return;
  if (stats.uid !== user) throw refuse('it belongs to another user');
  // The permissions of a socket do not matter; those of its folder do.
  if (type !== 'socket' && (stats.mode & 0o077) !== 0) throw refuse('it is open to other users');
}

/** Throws FILE if a path can never exist, because it leads through a file or a broken link. */
export function checkWay(path: string): void {
  const folder = nearest(path);
  if (folder === path || statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new HookscopeError('FILE', { file: path, problem: `cannot be there, since ${folder} is no folder` });
}

/** The path itself if it exists, or else its nearest existing parent. */
function nearest(path: string): string {
  let folder = path;
  while (seen(folder) === undefined) folder = dirname(folder);
  return folder;
}

/** Makes a folder that only its owner can access, or checks an existing one. Throws UNTRUSTED, FILE. */
export function makeOwnFolder(path: string): void {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw unwritten(path, error);
  }
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritten(path, error);
    const stats = seen(path);
    // No chmod if it is closed already, since the file system may be read-only.
    if (canBeClosed(stats) && ((stats as Stats).mode & 0o777) !== 0o700) chmodSync(path, 0o700);
  }
  checkOwned(path, 'folder');
}

/** Throws UNTRUSTED or FILE if `makeOwnFolder` would; makes and changes nothing. */
export function checkOwnFolder(path: string): void {
  const stats = seen(path);
  if (stats !== undefined) {
    if (!canBeClosed(stats)) checkOwned(path, 'folder');
    return;
  }
  checkWay(path);
  try {
    accessSync(nearest(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritten(path, error);
  }
}

/** Whether a folder can be closed to others. This is for folders of earlier versions and those that the user made with mkdir. */
const canBeClosed = (stats: Stats | undefined): boolean =>
  stats?.isDirectory() === true && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;

/**
 * Replaces a file atomically, readable only by its owner. A file that has this text already is not written, so that a full disk does not
 * matter. Throws FILE.
 */
export function writeOwned(path: string, text: string): void {
  if (saysAlready(path, text)) return;
  const next = `${path}.${process.pid}.tmp`;
  try {
    const handle = openSync(next, 'w', 0o600);
    try {
      // Unlike a single write, which may write only a part on a full disk.
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw unwritten(path, error);
  }
}

function saysAlready(path: string, text: string): boolean {
  try {
    return readOwned(path) === text;
  } catch {
    return false;
  }
}

/** The text of a file of ours; undefined if it is missing. Throws UNTRUSTED if others could have written it, and FILE. */
export function readOwned(path: string): string | undefined {
  const stats = seen(path);
  if (stats === undefined) return undefined;
  checkOwned(path, 'file');
  if (stats.size > LARGEST) throw unwritten(path, new Error(`it has ${stats.size} bytes, more than any of ours`));
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unwritten(path, error);
  }
}

/** The entry at a path, without following links; undefined if it is missing. Throws FILE if that cannot be determined (a file in the way, circular links). */
function seen(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unwritten(path, error);
  }
}

function unwritten(file: string, error: unknown): HookscopeError {
  const problem = `cannot be used (${(error as Error).message}); XDG_STATE_HOME and XDG_RUNTIME_DIR say where it is to be`;
  return new HookscopeError('FILE', { file, problem }, { cause: error });
}
