import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { HookscopeError } from '../errors.js';
import { writeError } from '../files/json-file.js';

/** A kind of file that a command writes, for `--out` and similar options. */
export interface OutKind {
  /** As in `page of hookscope`: completes "is there, and is no …". */
  readonly name: string;
  /** The option that names the file. */
  readonly option: string;
  /** Whether a file that begins with this text is of this kind, and may be overwritten. */
  isOurs(start: string): boolean;
  /** Default: only its owner may read it, since it contains agents' questions and answers. */
  readonly mode?: number;
}

/** Characters that are collected before a write. */
const TOGETHER = 64 * 1024;

/** A file that is written under another name until it is whole. */
export interface OutFile {
  write(text: string): Promise<void>;
  /** Moves the whole file to its place. */
  finish(): Promise<void>;
  /** Removes an unfinished file; does nothing after `finish`. */
  discard(): Promise<void>;
}

/** Begins a file; an older one stays until `finish`. Rejects with FILE if something of another kind is there, or nothing can be written. */
export async function openOutFile(out: string, kind: OutKind): Promise<OutFile> {
  await checkFree(out, kind);
  const next = `${out}.${process.pid}.tmp`;
  const file = await open(next, 'wx', kind.mode ?? 0o600).catch((cause: unknown) => {
    throw writeError(out, cause);
  });
  let waiting = '';
  let isOpen = true;
  const put = async (): Promise<void> => {
    const text = waiting;
    waiting = '';
    await file.writeFile(text).catch((cause: unknown) => {
      throw writeError(out, cause);
    });
  };
  const close = async (): Promise<void> => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    async write(text) {
      waiting += text;
      if (waiting.length > TOGETHER) await put();
    },
    async finish() {
      await put();
      await close();
      // Another file may have been put there in the meantime.
      await checkFree(out, kind);
      await rename(next, out);
    },
    async discard() {
      await close();
      await rm(next, { force: true });
    },
  };
}

/** One of our own files may be overwritten; anything else, also a link, may not. Rejects with FILE. */
export async function checkFree(out: string, kind: OutKind): Promise<void> {
  const stats = await lstat(out).catch((error: NodeJS.ErrnoException) => error);
  if (stats instanceof Error) {
    // A place that cannot be written is reported by the write.
    if (stats.code === 'ENOENT' || stats.code === 'ENOTDIR' || stats.code === 'EACCES') return;
    throw writeError(out, stats);
  }
  // Only a regular file is read: opening a pipe would wait.
  if (stats.isFile() && kind.isOurs(await startOf(out))) return;
  throw new HookscopeError('FILE', {
    file: out,
    problem: `is there, and is no ${kind.name}; name another file with ${kind.option}`,
  });
}

/** Empty if the file cannot be read. */
async function startOf(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await file?.close();
  }
}
