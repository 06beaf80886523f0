import type { FileHandle } from 'node:fs/promises';
import { HookscopeError } from '../../errors.js';
import { type Logger, report } from '../guard.js';
import { OWNER_ONLY, openOwned } from './owned-file.js';

const NEWLINE = 10;
const STEP = 64 * 1024;
/** A last line longer than this was not written by us. */
const MAX_TORN = 256 * 1024 * 1024;

/**
 * Makes sure that the file ends with a whole line, and returns its size. A line a crash cut short is moved to `path.torn`; one
 * that lacks only its newline gets it.
 */
export async function mendTail(handle: FileHandle, path: string, logger: Logger): Promise<number> {
  let size = -1;
  for (let now = (await handle.stat()).size; now !== size; now = (await handle.stat()).size) {
    size = now;
    if (await endsWhole(handle, size)) return size;
    // Waits until a write another process may be in the middle of has ended (both hold the inode's lock): a file that did
    // not grow over this was not being written when it was looked at.
    await handle.chmod(OWNER_ONLY);
  }

  const start = await lastLineStart(handle, size);
  if (size - start > MAX_TORN) {
    throw new HookscopeError('FILE', { file: path, problem: 'ends with a line too long to be a record' });
  }
  const { buffer: torn } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
  if (isJson(torn)) {
    await handle.write('\n');
    return size + 1;
  }
  await keepTorn(`${path}.torn`, torn);
  await handle.truncate(start);
  report(logger, `The last line of ${path} was cut short by a crash; it was moved to ${path}.torn`, {
    bytes: torn.length,
  });
  return start;
}

async function endsWhole(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === NEWLINE;
}

/** Where the last line begins: after the last newline, else at 0. */
async function lastLineStart(handle: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; end -= Math.min(STEP, end)) {
    const length = Math.min(STEP, end);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, end - length);
    const at = buffer.lastIndexOf(NEWLINE);
    if (at >= 0) return end - length + at + 1;
  }
  return 0;
}

async function keepTorn(path: string, torn: Buffer): Promise<void> {
  const handle = await openOwned(path);
  try {
    await handle.write(Buffer.concat([torn, Buffer.from('\n')]));
  } finally {
    await handle.close();
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
