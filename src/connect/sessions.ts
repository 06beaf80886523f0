import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentTable } from '../agents/table.js';
import { homeOf } from './agent-hooks.js';

/** The most entries of folders that are looked at, and the deepest level. */
const MOST = 20_000;
const DEEP = 6;

/** A session file that the agent made after `since` (milliseconds since 1970), which proves that it was started. Undefined if there is none, or their folder is unknown. */
export function sessionSince({ connect }: AgentTable, since: number): string | undefined {
  if (connect.sessions === undefined) return undefined;
  let left = MOST;
  const look = (folder: string, depth: number): string | undefined => {
    for (const entry of entriesOf(folder)) {
      if (--left < 0) return undefined;
      const path = join(folder, entry.name);
      // A subagent has its own file, which begins later than its session.
      if (entry.isDirectory() && depth < DEEP && entry.name !== 'subagents') {
        const found = look(path, depth + 1);
        if (found !== undefined) return found;
      } else if (entry.isFile() && entry.name.endsWith('.jsonl') && beganAt(path) > since) return path;
    }
    return undefined;
  };
  return look(join(homeOf(connect), connect.sessions), 0);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** 0 if the file system does not record when a file was created. */
function beganAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
}
