import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder, and those above it that are missing, for the owner alone. Throws what the system says. Node's own recursive mkdir tries
 * again and again, forever, where a parent exists and nothing can be made in it (/proc).
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !isMade(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) make(folder);
}

/** Whether it is a folder now; false: the one above it is missing. */
function isMade(folder: string): boolean {
  try {
    make(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return false;
  }
}

function make(folder: string): void {
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    // It exists, or was created by another process in the meantime; for a read-only folder the system reports other errors first.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
