import { spawnSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';

/** What may lie where a file is read, and is none that can be: reading it waits, never ends, or takes all memory. */
export const NO_FILES: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => void spawnSync('mkfifo', [path]),
  'a link to a device without an end': (path) => symlinkSync('/dev/zero', path),
  'a file of 17 MiB': (path) => {
    writeFileSync(path, '{}');
    truncateSync(path, 17 * 1024 * 1024);
  },
};
