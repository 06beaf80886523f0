import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProbedAgent } from './agents/agent.js';

/** A system-wide file that an agent reads according to its documentation. */
export interface SystemFile {
  readonly file: string;
  readonly readable: boolean;
}

/** The policy files of an agent that exist here. `root` is the root of the file system. */
export function policyFiles({ policies }: ProbedAgent, platform: string = process.platform, root = '/'): SystemFile[] {
  const places = platform === 'darwin' ? policies.darwin : policies.linux;
  return places
    .flatMap((place) => (place.endsWith('/') ? entriesOf(root, place) : [place]))
    .filter((file) => isThere(join(root, file)))
    .map((file) => ({ file, readable: isReadable(join(root, file)) }));
}

/** The files of a folder; the folder itself if we may not list it. */
function entriesOf(root: string, place: string): string[] {
  try {
    return readdirSync(join(root, place))
      .sort()
      .map((name) => `${place}${name}`);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? [place] : [];
  }
}

function isThere(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
