import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onExit } from 'signal-exit';

/** Milliseconds. */
const POLL = 20;
const TERM_TO_KILL = 1500;
const AFTER_KILL = 500;
const WATCH_EVERY = 250;
const IDLE_EXIT_HOOK = 1000;

const GROUPS = process.platform !== 'win32';

/** A detached child and whatever it started: they share the child's process id as their group. */
export interface ProcessGroup {
  readonly id: number;
  /** Whether any member still runs. Once false it stays false: the number may belong to others by then. */
  alive(): boolean;
  /** SIGTERM to all, SIGKILL 1.5 s later; settles when nobody is left, at the latest 0.5 s after the SIGKILL. Safe to call twice. */
  end(): Promise<void>;
  /** Settles when the last member has ended by itself or by `end`. Waiting for it does not keep the process running. */
  gone(): Promise<void>;
}

const living = new Set<number>();
let forgetExitHook: (() => void) | undefined;

/** Takes charge of a detached child's group: as long as it lives, it does not outlive this process. */
export function adoptGroup(leader: number): ProcessGroup {
  living.add(leader);
  hookExit();
  let ending: Promise<void> | undefined;
  let going: Promise<void> | undefined;
  const alive = (): boolean => {
    if (!living.has(leader)) return false;
    if (signalGroup(leader, 0)) return true;
    living.delete(leader);
    return false;
  };
  const runs = (): boolean => {
    if (!alive()) return false;
    if (!onlyZombies(leader)) return true;
    living.delete(leader);
    return false;
  };
  return {
    id: leader,
    alive: runs,
    end: () => (ending ??= endGroup(leader, alive, runs)),
    gone: () => (going ??= watchGroup(alive, runs)),
  };
}

async function endGroup(id: number, alive: () => boolean, runs: () => boolean): Promise<void> {
  if (!alive()) return;
  signalGroup(id, 'SIGTERM');
  if (await emptied(TERM_TO_KILL, alive, runs)) return;
  signalGroup(id, 'SIGKILL');
  await emptied(AFTER_KILL, alive, runs);
}

/** Looks every 20 ms, and every 100 ms for members that are dead but not reaped. */
async function emptied(within: number, alive: () => boolean, runs: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < within; waited += POLL) {
    if (!(waited % 100 === 80 ? runs() : alive())) return true;
    await sleep(POLL);
  }
  return !runs();
}

async function watchGroup(alive: () => boolean, runs: () => boolean): Promise<void> {
  for (let looks = 1; looks % 8 === 0 ? runs() : alive(); looks++) {
    await sleep(Math.min(POLL * looks, WATCH_EVERY), undefined, { ref: false });
  }
}

/** False when the group has no member left. Signal 0 only asks. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(GROUPS ? -id : id, signal);
  } catch (error) {
    // Someone is there but is not ours to signal (setuid). On macOS it means that only dead members are left.
    return (error as NodeJS.ErrnoException).code === 'EPERM' && process.platform !== 'darwin';
  }
}

/** Where nobody reaps orphans (a container whose first process is no init) the dead stay in their group for ever. */
function onlyZombies(id: number): boolean {
  if (process.platform !== 'linux') return false;
  let dead = 0;
  for (const pid of readdirSync('/proc')) {
    const [state, group] = statusOf(pid);
    if (group !== id) continue;
    if (state !== 'Z' && state !== 'X') return false;
    dead++;
  }
  return dead > 0;
}

function statusOf(pid: string): [state?: string, group?: number] {
  if (!/^\d+$/.test(pid)) return [];
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name stands in parentheses and may itself hold spaces and parentheses.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3);
    return state === undefined ? [] : [state, Number(group)];
  } catch {
    // It ended between the two reads.
    return [];
  }
}

/**
 * Kills what lives when this process ends: by itself, by `process.exit`, by an uncaught error, or by a signal that
 * nobody handles. signal-exit sends the signal on and leaves the user's own signal handlers alone.
 */
function hookExit(): void {
  if (forgetExitHook) return;
  forgetExitHook = onExit(() => {
    for (const id of living) signalGroup(id, 'SIGKILL');
  });
  unhookWhenIdle();
}

/** Signal listeners cost a busy process its prompt death by signal, so they go when there is nothing to kill; late, since they are dear to make. */
function unhookWhenIdle(): void {
  setTimeout(() => {
    if (living.size > 0) {
      unhookWhenIdle();
      return;
    }
    forgetExitHook?.();
    forgetExitHook = undefined;
  }, IDLE_EXIT_HOOK).unref();
}
