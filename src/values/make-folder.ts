import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents, accessible to the owner only. Throws the system's error. Node's recursive mkdir is not used because
 * it retries forever if a parent exists but nothing can be created in it (/proc).
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !isMade(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) make(folder);
}

/** Creates the folder unless it exists. Returns false if its parent is missing. */
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
    // It may exist already, perhaps created by another process just now; in a read-only parent, the error for that is not EEXIST.
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
