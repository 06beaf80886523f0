import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readRegularFile } from '../files/regular-file.js';
import { draftOf } from '../files/replace-file.js';
import { isRunning } from '../values/processes.js';
import type { ConnectedFile } from './journal.js';

/** Removes files that a killed command had begun to write. They are recognised by their names, and by being the beginning of the text to write. */
export function removeDrafts({ file, before, written }: ConnectedFile): void {
  const folder = dirname(file);
  const texts = [before, written].flatMap((text) => (text ? [Buffer.from(text, 'base64')] : []));
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = draftOf(basename(file), name);
    if (pid === undefined || (pid !== process.pid && isRunning(pid))) continue;
    try {
      const draft = readRegularFile(join(folder, name));
      if (texts.some((text) => draft.equals(text.subarray(0, draft.length)))) rmSync(join(folder, name));
    } catch {
      // A file that cannot be read is not ours.
    }
  }
}
