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

/** Why a path leads to no folder; undefined: it does. */
export function whyNoFolder(folder: string): string | undefined {
  try {
    checkFolder(folder);
    return undefined;
  } catch (error) {
    return ((error as HookscopeError).details as { problem: string }).problem;
  }
}
