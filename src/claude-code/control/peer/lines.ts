import type { Readable } from 'node:stream';

/** The maximum size of a line in bytes. A longer line is skipped and reported. */
export const LINE_LIMIT = 256 * 1024 * 1024;

const NEWLINE = 0x0a;

export interface LineEvents {
  line(text: string): void;
  /** Called for a line that exceeds the limit and was skipped. */
  tooLong(bytes: number): void;
  /** Called when the stream has ended or failed. `rest` is the text after the last newline. */
  end(rest: string, error: Error | undefined): void;
}

/**
 * Reads lines of any length in linear time: each chunk is searched once, and the pieces of a line are joined at its end.
 * Only a newline ends a line, since JSON text may contain U+2028, and carriage returns may occur anywhere.
 */
export function readLines(stream: Readable, on: LineEvents, limit = LINE_LIMIT): void {
  let pieces: Buffer[] = [];
  let size = 0;
  let ended = false;

  const take = (piece: Buffer): void => {
    size += piece.length;
    if (size <= limit) pieces.push(piece);
    else pieces = [];
  };
  const join = (): string => {
    const all = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    return textOf(all, 0, all.length);
  };
  const reset = (): void => {
    pieces = [];
    size = 0;
  };
  const finish = (error?: Error): void => {
    if (ended) return;
    ended = true;
    if (size > limit) on.tooLong(size);
    on.end(size > limit ? '' : join(), error);
  };

  stream.on('data', (data: Buffer | string) => {
    const chunk = typeof data === 'string' ? Buffer.from(data) : data;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      // Most lines are in a single chunk.
      const whole = size === 0;
      if (!whole) take(chunk.subarray(from, at));
      const bytes = whole ? at - from : size;
      const text = bytes > limit ? undefined : whole ? textOf(chunk, from, at) : join();
      from = at + 1;
      reset();
      if (text === undefined) on.tooLong(bytes);
      else if (text !== '') on.line(text);
    }
    if (from < chunk.length) take(from === 0 ? chunk : chunk.subarray(from));
  });
  stream.on('error', finish);
  stream.once('end', () => finish());
  stream.once('close', () => finish());
}

function textOf(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to);
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
