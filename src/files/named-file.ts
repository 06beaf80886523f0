import { constants, createReadStream, fstatSync, openSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { UnreadFileError } from './regular-file.js';

/** The default limit for a file that the user named: the size limit of an event's input. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file that the user named. It may be a pipe with a slow writer, so reading must not block: this process goes on meanwhile and
 * can be ended. Rejects with UnreadFileError or with the system's error.
 */
export async function readNamedFile(path: string, most: number = MOST_BYTES): Promise<Buffer> {
  // Without O_NONBLOCK, opening a pipe would block until it has a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = fstatSync(file);
  const stream = await streamOf(path, file, stat);
  // A large file is refused before it is read.
  if (stat.isFile() && stat.size > most) {
    stream.destroy();
    throw new UnreadFileError(tooLarge(most));
  }
  return readAll(stream, most);
}

/** Imports the modules for pipes and sockets only when they are needed, since every command loads this module. */
async function streamOf(path: string, fd: number, stat: Stats): Promise<Readable> {
  if (stat.isFile()) return createReadStream(path, { fd });
  if (stat.isFIFO()) return new (await import('node:net')).Socket({ fd, readable: true, writable: false });
  const { isatty, ReadStream } = await import('node:tty');
  return isatty(fd) ? new ReadStream(fd) : createReadStream(path, { fd });
}

/** Reads a whole stream. Rejects with UnreadFileError if it has more than `most` bytes. */
export async function readAll(stream: Readable, most: number = MOST_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    total += bytes.length;
    // Leaving the loop closes the stream.
    if (total > most) throw new UnreadFileError(tooLarge(most));
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (most: number): string => `is larger than ${most / 1024 / 1024} MiB`;
