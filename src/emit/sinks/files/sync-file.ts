import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { messageOf } from '../../../values/waiting/promises.js';
import { type Logger, report } from '../../guard.js';
import { moveAside } from './move-aside.js';
import { isAt, nameOf, openRecordsSync } from './owned-file.js';
import { mendTail } from './torn-tail.js';
import { createWriteReport } from './write-report.js';

/** The file of `durability: 'sync'`: a line is on the disk when `append` returns. Rotated like `RotatingFile`. */
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
  let file: number | undefined;
  let expected = 0;
  const writing = createWriteReport(path, logger);
  let stuck: string | undefined;

  /** The open file; reopened if it was moved or removed. */
  function current(): number {
    if (file !== undefined && !isAt(path, file)) release();
    if (file !== undefined && fstatSync(file).size === expected) return file;
    file ??= openRecordsSync(path);
    expected = mendTail(file, path, logger);
    return file;
  }

  function release(): void {
    const old = file;
    file = undefined;
    if (old !== undefined) closeSync(old);
  }

  /** Rotates the file. One that cannot be rotated now keeps growing, so that no record is lost. */
  function tryMove(full: number): void {
    try {
      if (moveAside(path, { keep, file: full })) release();
      stuck = undefined;
    } catch (error) {
      const name = nameOf(error);
      if (stuck !== name) report(logger, `${path} is full but cannot be moved aside: ${messageOf(error)}`, error);
      stuck = name;
    }
  }

  function write(line: Buffer): void {
    let to = current();
    if (expected > 0 && expected + line.length > maxBytes) {
      tryMove(to);
      to = current();
    }
    let done = 0;
    try {
      while (done < line.length) done += writeSync(to, line, done);
    } catch (error) {
      if (done > 0 && fstatSync(to).size === expected + done) ftruncateSync(to, expected);
      throw error;
    }
    expected += done;
    fdatasyncSync(to);
  }

  return {
    append(line) {
      try {
        write(line);
        writing.written();
        return true;
      } catch (error) {
        writing.failed(error);
        writing.lost(1);
        return false;
      }
    },
    close() {
      writing.closed();
      release();
    },
  };
}
