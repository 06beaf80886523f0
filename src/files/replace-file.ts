import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../values/make-folder.js';

/** Writes a whole file, or nothing of it, even if the process is killed. Missing folders are made for the owner alone. Throws what the system says. */
export function replaceFile(file: string, data: string | Uint8Array, mode: number): void {
  const next = `${file}.${process.pid}.tmp`;
  try {
    makeFolder(dirname(file));
    const handle = openSync(next, 'wx', mode);
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

/** Which process was to replace the file of that name by what is called `name`; undefined: none. */
export function draftOf(file: string, name: string): number | undefined {
  const [, pid] = (name.startsWith(`${file}.`) && /^(\d+)\.tmp$/.exec(name.slice(file.length + 1))) || [];
  return pid === undefined ? undefined : Number(pid);
}
