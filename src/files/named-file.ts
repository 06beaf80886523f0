import { constants, createReadStream, fstatSync, openSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { NotRead } from './regular-file.js';

/** The most that is read of what somebody has named, unless it is said otherwise: as much as the input of an event may have. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file that somebody has named. It may be a pipe, whose other end takes its time: this process continues meanwhile, and can
 * be ended. Rejects with NotRead, and with what the system says.
 */
export async function readNamedFile(path: string, most: number = MOST_BYTES): Promise<Buffer> {
  // To open a pipe that nobody writes to yet would wait.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = fstatSync(file);
  const stream = await streamOf(path, file, stat);
  // Enough to say so before it is read.
  if (stat.isFile() && stat.size > most) {
    stream.destroy();
    throw new NotRead(tooLarge(most));
  }
  return readAll(stream, most);
}

/** What a plain file does not need is loaded when there is another: every command loads this module. */
async function streamOf(path: string, fd: number, stat: Stats): Promise<Readable> {
  if (stat.isFile()) return createReadStream(path, { fd });
  if (stat.isFIFO()) return new (await import('node:net')).Socket({ fd, readable: true, writable: false });
  const { isatty, ReadStream } = await import('node:tty');
  return isatty(fd) ? new ReadStream(fd) : createReadStream(path, { fd });
}

/** All of a stream. Rejects with NotRead where it is more than that many bytes. */
export async function readAll(stream: Readable, most: number = MOST_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    total += bytes.length;
    // Leaving the loop closes the stream.
    if (total > most) throw new NotRead(tooLarge(most));
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (most: number): string => `is larger than ${most / 1024 / 1024} MiB`;
