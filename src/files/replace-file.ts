import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../values/make-folder.js';

/** Replaces a file atomically, even if the process is killed. Missing folders are created for the owner only. Throws the system's error. */
export function replaceFile(file: string, data: string | Uint8Array, mode: number): void {
  const own = `${file}.${process.pid}`;
  // A process with the same id may have been killed while it wrote its file.
  const isLeft = lstatSync(`${own}.tmp`, { throwIfNoEntry: false })?.isFile() === true;
  const next = isLeft ? `${own}.${randomBytes(4).toString('hex')}.tmp` : `${own}.tmp`;
  makeFolder(dirname(file));
  const handle = openSync(next, 'wx', mode);
  try {
    try {
      writeFileSync(handle, data);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** The pid of the process that wrote `name` as its temporary file to replace `file`; undefined if `name` is no such file. */
export function draftOf(file: string, name: string): number | undefined {
  const [, pid] =
    (name.startsWith(`${file}.`) && /^(\d+)(?:\.[\da-f]+)?\.tmp$/.exec(name.slice(file.length + 1))) || [];
  return pid === undefined ? undefined : Number(pid);
}
