import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createLock, isHeld } from '../../files/file-lock.js';
import { makeFolder } from '../../values/make-folder.js';

/** Milliseconds to wait for another process, which writes one file. */
const PATIENCE = 2_000;
const PAUSE = 5;

/** Does something while no other process of this machine does the same with that file. Throws what the system says. */
export function alone(file: string, work: () => void): void {
  const lock = `${file}.lock`;
  makeFolder(dirname(file));
  for (const end = performance.now() + PATIENCE; !createLock(lock); ) {
    if (performance.now() < end && isHeld(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    // Whoever holds it for so long was stopped, or is gone.
    else rmSync(lock, { force: true });
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}
