import { existsSync, lstatSync, readlinkSync, realpathSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { HookscopeError } from '../errors.js';
import { readRegularFile, UnreadFileError } from '../files/regular-file.js';

/** The path after following links: the file that a link leads to is read and replaced, not the link. */
export function realPath(file: string, links = 0): string {
  const path = resolve(file);
  if (existsSync(path)) return realpathSync(path);
  // A missing target of a link is created, and the link stays.
  if (links < 40 && isLink(path)) return realPath(resolve(dirname(path), readlinkSync(path)), links + 1);
  const folder = dirname(path);
  return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Reading the file reports why it cannot be read.
    return false;
  }
}

/** undefined: there is no such file. Throws FILE. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof UnreadFileError) throw problem(path, `${error.message}; nothing was changed`, error);
    throw problem(path, `cannot be read: ${(error as Error).message}`, error);
  }
}

/** Throws FILE for bytes that are not UTF-8. */
export function textOf(bytes: Buffer | undefined, path: string): string {
  try {
    // A byte order mark stays in the text.
    return bytes === undefined ? '' : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw problem(path, 'is not UTF-8 text; nothing was changed', error);
  }
}

export function same(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/** Removes the created folders, unless they have other content now; some may be gone. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    }
  }
}

export function problem(file: string, text: string, cause?: unknown): HookscopeError {
  return new HookscopeError('FILE', { file, problem: text }, { cause });
}
