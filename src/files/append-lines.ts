import { closeSync, constants, fstatSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../values/make-folder.js';
import { checkRegular } from './regular-file.js';

/** O_NONBLOCK: opening a pipe would wait for its reader. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
const NEWLINE = '\n'.charCodeAt(0);

/**
 * Appends lines to a file that only its owner may read. Ends a line first that an earlier process could not finish, since it would swallow the
 * next one. Throws UnreadFileError if it is no regular file, or the system's error.
 */
export function appendLines(file: string, lines: readonly string[]): void {
  makeFolder(dirname(file));
  const before = statSync(file, { throwIfNoEntry: false });
  if (before) checkRegular(before, Number.POSITIVE_INFINITY);
  const handle = openSync(file, APPEND, 0o600);
  try {
    const { size } = checkRegular(fstatSync(handle), Number.POSITIVE_INFINITY);
    const last = Buffer.alloc(1);
    const isWhole = size === 0 || (readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE);
    writeFileSync(handle, `${isWhole ? '' : '\n'}${lines.map((line) => `${line}\n`).join('')}`);
  } finally {
    closeSync(handle);
  }
}
