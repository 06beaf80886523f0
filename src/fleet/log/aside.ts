import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../values/make-folder.js';
import { NEWLINE } from './lines.js';
import type { LogBounds } from './wal.js';

/** The file to which processes without a connection add what they decide, all of one host the same; and full ones. */
const CURRENT = 'aside.ndjson';
const FULL = /^aside-\d+-[0-9a-f-]{36}\.ndjson$/;
/** Attempts of one who writes while others take the file away. */
const TRIES = 20;

/** Stands in the place of records that were dropped. */
export const lossLine = (count: number): Buffer => Buffer.from(`${JSON.stringify({ type: 'lost', count })}\n`);

/**
 * Adds lines for the next process of the host that has a connection, without a look at what is there: each call takes as long as the first. What
 * a process writes is whole, and none of it is lost if the file is taken away in the same moment: then it is written again, and known by its id. Throws what the system says.
 */
export function putAside(folder: string, lines: readonly Buffer[], bounds: LogBounds): void {
  makeFolder(folder);
  const file = join(folder, CURRENT);
  const bytes = Buffer.concat([...lines]);
  if (bytes.length === 0) return;
  for (let i = 0; i < TRIES; i++) {
    const handle = openSync(file, 'a+', 0o600);
    try {
      const { size, ino } = fstatSync(handle);
      if (size > 0 && size + bytes.length > bounds.segmentBytes) {
        if (isAt(file, ino)) setFull(folder, file, bounds);
        continue;
      }
      // A process that was killed, or found no room, may have left half a line.
      const text = size > 0 && lastByte(handle, size) !== NEWLINE ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes;
      if (writeSync(handle, text) === text.length && isAt(file, ino)) return;
    } finally {
      closeSync(handle);
    }
  }
  throw new Error(`${file} was taken away each time`);
}

/** The files that were put aside, the oldest first. */
export function asideIn(folder: string): string[] {
  const full = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => FULL.test(name))
        .sort()
    : [];
  return [...full, CURRENT]
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** Begins another file, and makes room for it; what is dropped is counted in it. */
function setFull(folder: string, file: string, bounds: LogBounds): void {
  try {
    renameSync(file, join(folder, `aside-${String(Date.now()).padStart(15, '0')}-${randomUUID()}.ndjson`));
  } catch {
    // Another was first.
    return;
  }
  const full = asideIn(folder).filter((one) => one !== file);
  const sizes = full.map((one) => statSync(one, { throwIfNoEntry: false })?.size ?? 0);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  for (const [i, oldest] of full.entries()) {
    if (total <= bounds.maxBytes - bounds.segmentBytes) return;
    total -= sizes[i] as number;
    drop(oldest, folder, bounds);
  }
}

function drop(oldest: string, folder: string, bounds: LogBounds): void {
  const taken = `${oldest}.${randomUUID()}.dropped`;
  try {
    renameSync(oldest, taken);
  } catch {
    // It was taken, and is sent.
    return;
  }
  const text = readFileSync(taken, 'utf8');
  const count = text.split('\n').reduce((sum, line) => sum + (line === '' ? 0 : (lossIn(line) ?? 1)), 0);
  putAside(folder, [lossLine(count)], bounds);
  rmSync(taken, { force: true });
}

/** How many records a line says were dropped; undefined: it is a record. */
export function lossIn(line: string): number | undefined {
  const [, count] = /^\{"type":"lost","count":(\d{1,15})\}$/.exec(line) ?? [];
  return count === undefined ? undefined : Number(count);
}

const isAt = (file: string, ino: number): boolean => statSync(file, { throwIfNoEntry: false })?.ino === ino;

function lastByte(handle: number, size: number): number | undefined {
  const last = Buffer.alloc(1);
  readSync(handle, last, 0, 1, size - 1);
  return last[0];
}
