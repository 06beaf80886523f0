import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { HookscopeError } from '../../errors.js';
import { makeFolder } from '../../values/make-folder.js';
import { messageOf } from '../../values/waiting/promises.js';
import { type Logger, report } from '../guard.js';
import { nameOf, OWNER_ONLY } from './owned-file.js';

const NEWLINE = 10;
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_RDWR | (constants.O_NONBLOCK ?? 0);

/** The file of `durability: 'sync'`: a line is on the disk when `append` returns. Moves aside as the other does. */
export interface SyncFile {
  /** Whether the line was written. Never throws. */
  append(line: Buffer): boolean;
  close(): void;
}

export function createSyncFile({
  path,
  maxBytes,
  keep,
  logger,
}: {
  readonly path: string;
  readonly maxBytes: number;
  readonly keep: number;
  readonly logger: Logger;
}): SyncFile {
  let handle: number | undefined;
  let problem: string | undefined;

  /** Opened again when somebody moved it. */
  function current(): number {
    if (handle !== undefined) {
      const [ours, there] = [fstatSync(handle), lstatSync(path, { throwIfNoEntry: false })];
      if (there?.ino === ours.ino && there.dev === ours.dev) return handle;
      release();
    }
    makeFolder(dirname(path));
    const opened = openSync(path, APPEND, OWNER_ONLY);
    try {
      accept(opened);
    } catch (error) {
      closeSync(opened);
      throw error;
    }
    handle = opened;
    return opened;
  }

  function accept(opened: number): void {
    const stats = fstatSync(opened);
    const wrong = (text: string): never => {
      throw new HookscopeError('FILE', { file: path, problem: text });
    };
    if (!stats.isFile()) wrong('is not a regular file');
    if (stats.size === 0) return;
    if (byteAt(opened, 0) !== 0x7b) wrong('holds something else than records; choose another file');
    // The rest of a line that a crash cut short becomes a line of its own, which whoever reads leaves out.
    if (byteAt(opened, stats.size - 1) !== NEWLINE) writeSync(opened, '\n');
  }

  function rotate(): void {
    let lock: number;
    try {
      lock = openSync(`${path}.lock`, 'wx', OWNER_ONLY);
    } catch (error) {
      // Another process is doing it, or this folder cannot be written: the file grows on.
      if (nameOf(error) !== 'EEXIST') report(logger, `${path} is full but cannot be moved aside: ${messageOf(error)}`);
      return;
    }
    try {
      let free = 1;
      while (free < keep && lstatSync(`${path}.${free}`, { throwIfNoEntry: false }) !== undefined) free += 1;
      for (let place = free; place > 1; place -= 1) renameSync(`${path}.${place - 1}`, `${path}.${place}`);
      renameSync(path, `${path}.1`);
    } finally {
      closeSync(lock);
      rmSync(`${path}.lock`, { force: true });
    }
    release();
  }

  function release(): void {
    if (handle !== undefined) closeSync(handle);
    handle = undefined;
  }

  function write(line: Buffer): void {
    let to = current();
    const { size } = fstatSync(to);
    if (size > 0 && size + line.length > maxBytes) {
      rotate();
      to = current();
    }
    const before = fstatSync(to).size;
    let done = 0;
    try {
      while (done < line.length) done += writeSync(to, line, done);
    } catch (error) {
      if (done > 0 && fstatSync(to).size === before + done) ftruncateSync(to, before);
      throw error;
    }
    fdatasyncSync(to);
  }

  return {
    append(line) {
      try {
        write(line);
        if (problem !== undefined) report(logger, `Records are written to ${path} again`);
        problem = undefined;
        return true;
      } catch (error) {
        const name = nameOf(error);
        if (problem !== name) report(logger, `Records cannot be written to ${path}: ${messageOf(error)}`, error);
        problem = name;
        return false;
      }
    },
    close: release,
  };
}

function byteAt(handle: number, at: number): number | undefined {
  const byte = Buffer.alloc(1);
  return readSync(handle, byte, 0, 1, at) === 1 ? byte[0] : undefined;
}
