import { closeSync, ftruncateSync, openSync, readFileSync, readSync } from 'node:fs';

export const NEWLINE = 10;
const STEP = 256 * 1024;

/** Lines of a file between two places, without their ends. */
export function* linesOf(handle: number, from: number, to: number, step = STEP): Generator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for (let at = from; at < to; ) {
    const chunk = Buffer.alloc(Math.min(step, to - at));
    const read = readSync(handle, chunk, 0, chunk.length, at);
    if (read === 0) return;
    at += read;
    rest = Buffer.concat([rest, chunk.subarray(0, read)]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      yield rest.subarray(start, end);
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
}

/** The first line between two places of a file. */
export function firstLine(file: string, from: number, to: number): Buffer | undefined {
  const handle = openSync(file, 'r');
  try {
    return linesOf(handle, from, to, 4_096).next().value ?? undefined;
  } finally {
    closeSync(handle);
  }
}

/** How many lines end between two places of a file. */
export function countLines(file: string, from: number, to: number | undefined): number {
  const bytes = readFileSync(file).subarray(from, to);
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Cuts off an incomplete line that a crash has left; returns the file's bytes. */
export function cutToLines(file: string): number {
  const bytes = readFileSync(file);
  const whole = bytes.lastIndexOf(NEWLINE) + 1;
  if (whole === bytes.length) return whole;
  const handle = openSync(file, 'r+');
  ftruncateSync(handle, whole);
  closeSync(handle);
  return whole;
}
