import { readFileSync } from 'node:fs';

/** Whether a process of any user is running. One that has ended but was not collected by its parent (a zombie) is not, although it still takes signals. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !ENDED.includes(statOf(pid)?.[0] ?? '');
}

/** When a process was started, as Linux counts it: another may have its number later. Undefined: not known. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** States of processes that do nothing any more. */
const ENDED = ['Z', 'X', 'x'];

/** The fields after a process's name, which may contain anything; undefined: unknown. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
