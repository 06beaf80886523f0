import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HookscopeError, isHookscopeError } from '../errors.js';
import { fileError } from '../files/json-file.js';

/** An opened file of a sink. The handle leads to the same file even if the sink renames it. */
export interface OpenedFile {
  /** Its path when it was opened. */
  readonly path: string;
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/** How often the files are opened again if a sink rotates them in the meantime. */
const TRIES = 20;

/**
 * Opens a file and its rotated predecessors, `path.N` to `path.1`, oldest first. The result is consistent: a file that is rotated meanwhile is
 * neither missed nor opened twice. Empty: no file exists.
 */
export async function openRotated(path: string): Promise<OpenedFile[]> {
  for (let left = TRIES; ; left--) {
    const opened: OpenedFile[] = [];
    for (const file of await namesOf(path)) {
      const one = await openFile(file);
      if (one) opened.push(one);
    }
    if (left === 0 || (await stillThere(path, opened))) return opened;
    await closeFiles(opened);
  }
}

export async function closeFiles(files: readonly OpenedFile[]): Promise<void> {
  await Promise.all(files.map(({ handle }) => handle.close()));
}

export const isSameFile = (a: Pick<Stats, 'ino' | 'dev'>, b: Pick<Stats, 'ino' | 'dev'>): boolean =>
  a.ino === b.ino && a.dev === b.dev;

/** undefined: the path does not exist. Rejects with FILE if it cannot be opened, or is not a regular file. */
export async function openFile(path: string): Promise<OpenedFile | undefined> {
  try {
    // O_NONBLOCK: opening a pipe without a writer would block.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (stats.isFile()) return { path, handle, stats };
    await handle.close();
    throw new HookscopeError('FILE', { file: path, problem: 'is not a regular file' });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw isHookscopeError(error) ? error : fileError(path, error);
  }
}

export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function namesOf(path: string): Promise<string[]> {
  const folder = dirname(path);
  const name = basename(path);
  const found = await readdir(folder).catch((error: unknown) => (isGone(error) ? [] : Promise.reject(error)));
  const places = found.flatMap((other) => {
    const place = other.startsWith(`${name}.`) ? other.slice(name.length + 1) : '';
    return /^[1-9]\d{0,5}$/.test(place) ? [Number(place)] : [];
  });
  const moved = places.sort((a, b) => b - a).map((place) => join(folder, `${name}.${place}`));
  return [...moved, path];
}

async function stillThere(path: string, opened: readonly OpenedFile[]): Promise<boolean> {
  const names = await namesOf(path);
  const now = await Promise.all(names.map(statOf));
  const there = now.filter((stats) => stats !== undefined);
  return (
    there.length === opened.length && there.every((stats, i) => isSameFile(stats, (opened[i] as OpenedFile).stats))
  );
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
