import { closeSync, fchmodSync, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { HookscopeError } from '../../../errors.js';
import { type Logger, report } from '../../guard.js';
import { byteAt, OWNER_ONLY, openOwned } from './owned-file.js';

const NEWLINE = 10;
const STEP = 64 * 1024;
/** A last line longer than this is not a record of hookscope. */
const MAX_TORN = 256 * 1024 * 1024;

/**
 * Makes sure that an open file ends with a whole line, and returns its size. A line that a crash cut short is moved to
 * `path.torn`; one that lacks only its newline gets it.
 */
export function mendTail(file: number, path: string, logger: Logger): number {
  let size = -1;
  for (let now = fstatSync(file).size; now !== size; now = fstatSync(file).size) {
    size = now;
    if (size === 0 || byteAt(file, size - 1) === NEWLINE) return size;
    // `fchmod` waits for a write of another process to end, since both take the inode's lock. If the file did not grow
    // meanwhile, nobody was writing when its size was read.
    fchmodSync(file, OWNER_ONLY);
  }

  const start = lastLineStart(file, size);
  if (size - start > MAX_TORN) {
    throw new HookscopeError('FILE', { file: path, problem: 'ends with a line too long to be a record' });
  }
  const torn = read(file, start, size - start);
  if (isJson(torn)) {
    writeSync(file, '\n');
    return size + 1;
  }
  keepTorn(`${path}.torn`, torn);
  ftruncateSync(file, start);
  report(logger, `The last line of ${path} was cut short by a crash; it was moved to ${path}.torn`, {
    bytes: torn.length,
  });
  return start;
}

/** The start of the last line: after the last newline, or 0. */
function lastLineStart(file: number, size: number): number {
  for (let end = size; end > 0; end -= Math.min(STEP, end)) {
    const start = Math.max(0, end - STEP);
    const at = read(file, start, end - start).lastIndexOf(NEWLINE);
    if (at >= 0) return start + at + 1;
  }
  return 0;
}

function read(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  for (let some = -1; done < length && some !== 0; done += some)
    some = readSync(file, bytes, done, length - done, from + done);
  return bytes.subarray(0, done);
}

function keepTorn(path: string, torn: Buffer): void {
  const file = openOwned(path);
  try {
    writeSync(file, Buffer.concat([torn, Buffer.from('\n')]));
  } finally {
    closeSync(file);
  }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
