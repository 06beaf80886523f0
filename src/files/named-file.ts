import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { NotRead } from './regular-file.js';

/** The most that is read of what somebody has named, unless it is said otherwise: as much as the input of an event may have. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file that somebody has named. It may be a pipe, whose other end takes its time: this process goes on meanwhile, and can
 * be ended. Rejects with NotRead, and with what the system says.
 */
export async function readNamedFile(path: string, most: number = MOST_BYTES): Promise<string> {
  // To open a pipe that nobody writes to yet would wait.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = fstatSync(file);
  const stream = stat.isFIFO() ? new Socket({ fd: file, readable: true, writable: false }) : streamOf(path, file);
  // Enough to say so before it is read.
  if (stat.isFile() && stat.size > most) {
    stream.destroy();
    throw new NotRead(tooLarge(most));
  }
  return readAll(stream, most);
}

function streamOf(path: string, fd: number): Readable {
  return isatty(fd) ? new ReadStream(fd) : createReadStream(path, { fd });
}

/** All of a stream as text. Rejects with NotRead where it is more than that many bytes. */
export async function readAll(stream: Readable, most: number = MOST_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Buffer | string);
    total += bytes.length;
    // Leaving the loop closes the stream.
    if (total > most) throw new NotRead(tooLarge(most));
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const tooLarge = (most: number): string => `is larger than ${most / 1024 / 1024} MiB`;
