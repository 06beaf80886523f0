import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { HookscopeError } from '../errors.js';
import { writeError } from '../files/json-file.js';

/** What a command writes into a file that it was given with `--out` and the like. */
export interface OutKind {
  /** With its article, as in `page of hookscope`, for "is there, and is no …". */
  readonly name: string;
  /** The option that names the file. */
  readonly option: string;
  /** Whether a file that begins so is one of them, and may be overwritten. */
  isOurs(start: string): boolean;
  /** Default: only its owner may read it, since it contains agents' questions and answers. */
  readonly mode?: number;
}

/** Characters that are written in one go. */
const TOGETHER = 64 * 1024;

/** A file that is written under another name until it is whole. */
export interface OutFile {
  write(text: string): Promise<void>;
  /** Puts it in its place. */
  finish(): Promise<void>;
  /** Removes what is not in its place; safe after `finish`. */
  discard(): Promise<void>;
}

/** Begins a file; what was there stays until `finish`. Rejects with FILE: something else is there, or it cannot be written. */
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
      // Something may have come there in the meantime.
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
    // What cannot be written there is said when it is.
    if (stats.code === 'ENOENT' || stats.code === 'ENOTDIR' || stats.code === 'EACCES') return;
    throw writeError(out, stats);
  }
  // A pipe would be waited for.
  if (stats.isFile() && kind.isOurs(await startOf(out))) return;
  throw new HookscopeError('FILE', {
    file: out,
    problem: `is there, and is no ${kind.name}; name another file with ${kind.option}`,
  });
}

/** Empty: it cannot be read. */
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
