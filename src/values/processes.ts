import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** Whether a process of any user is running. A zombie (ended, but not yet reaped by its parent) does not count, although it can still be signalled. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !ENDED.includes(statOf(pid)?.[0] ?? '');
}

/** A process's start time from `/proc` (clock ticks since boot), which tells it from a later process with the same pid. Undefined if unknown. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** Ticks of `/proc` in a second, on all usual systems. */
const TICKS = 100;
/** Clocks are corrected, and a file's time is not exact, by so many milliseconds. */
const INEXACT = 2_000;

/**
 * Whether the running process with this pid may already have run at that time, in milliseconds since 1970: it was not started later. Without `/proc` it
 * is only known that the machine was. This process's own start is known by the clock of that moment: its uptime leaves out when the machine slept, while `/proc` does not.
 */
export function wasRunningAt(pid: number, time: number): boolean {
  const [own, its] = [startOf(process.pid), startOf(pid)];
  const started =
    own === undefined || its === undefined
      ? Date.now() - uptime() * 1000
      : performance.timeOrigin - ((Number(own) - Number(its)) * 1000) / TICKS;
  return !(started > time + INEXACT);
}

/** Process states in `/proc` for a zombie (`Z`) and a dead process (`X`, `x`). */
const ENDED = ['Z', 'X', 'x'];

/** The fields of `/proc/PID/stat` that follow the process's name, since the name may contain any character; undefined if unknown. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
