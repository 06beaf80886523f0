import { statSync } from 'node:fs';
import { HookscopeError } from '../errors.js';
import { fileError } from './json-file.js';

/** Throws FILE for a path that leads to no folder. */
export function checkFolder(folder: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(folder).isDirectory();
  } catch (error) {
    throw fileError(folder, error, 'folder');
  }
  if (!isFolder) throw new HookscopeError('FILE', { file: folder, problem: 'is a file, not a folder' });
}

/** Throws FILE for a path that leads to nothing, or to a folder. It may lead to a pipe. */
export function checkFile(file: string): void {
  let isFolder: boolean;
  try {
    isFolder = statSync(file).isDirectory();
  } catch (error) {
    throw fileError(file, error);
  }
  if (isFolder) throw new HookscopeError('FILE', { file, problem: 'is a directory, not a file' });
}

/** Why a path leads to no folder; undefined: it does. */
export function whyNoFolder(folder: string): string | undefined {
  try {
    checkFolder(folder);
    return undefined;
  } catch (error) {
    return ((error as HookscopeError).details as { problem: string }).problem;
  }
}
