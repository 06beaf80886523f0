import { setTimeout as sleep } from 'node:timers/promises';
import { onExit } from 'signal-exit';
import { exitWatch } from '../../values/exit-watch.js';
import { mayPrint, type Printing } from './may-print.js';
import { linkOf, type Process, ProcessTable, readProcess } from './process-table.js';
import { endTree, type RootProcess, signalAll, startedBy } from './process-tree.js';

/** Milliseconds. */
const POLL = 20;
const TERM_TO_KILL = 1500;
const AFTER_KILL = 500;
const WATCH_EVERY = 250;
const IDLE_EXIT_HOOK = 1000;

const GROUPS = process.platform !== 'win32';

/**
 * Which processes `end` ends. `group`: the process group. `tree`: also the descendants in other groups and sessions. `marked`: also
 * every process that carries the run's mark, even if it has another parent by now. Without a process table (on anything but
 * Linux) it is always the group.
 */
export type EndReach = 'group' | 'tree' | 'marked';

/** A detached child and the processes that it started. The id of their process group is the child's pid. */
export interface ProcessGroup {
  readonly id: number;
  /** Whether any member still runs. Once false it stays false, because the id may then be reused. */
  alive(): boolean;
  /** Whether any process of the tree runs, including those that have left the group, such as one that `timeout` starts. */
  strays(): boolean;
  /** Whether a process of the run through which the first one may print computes or waits for a disk. Without a process table: undefined. */
  mayPrint(): Printing | undefined;
  /** Sends SIGTERM, and SIGKILL 1.5 s later. Settles when none is left, at the latest 0.5 s after the SIGKILL. Further calls do nothing. */
  end(reach?: EndReach): Promise<void>;
  /** Settles when the last member has ended, on its own or by `end`. Waiting does not keep this process running. */
  gone(): Promise<void>;
  /** Lets the group outlive this process. */
  release(): void;
}

export interface GroupOptions {
  /** The mark that every process of the run has in its environment. */
  readonly mark?: string | undefined;
  /** What is killed when this process exits. Default: the group. */
  readonly atExit?: 'group' | 'tree';
}

interface LivingGroup {
  readonly root: RootProcess | undefined;
  readonly atExit: 'group' | 'tree';
}

const living = new Map<number, LivingGroup>();
let forgetExitHook: (() => void) | undefined;
let idle: NodeJS.Timeout | undefined;

/** Takes ownership of a detached child's group: it is killed when this process exits. */
export function adoptGroup(leader: number, { mark, atExit = 'group' }: GroupOptions = {}): ProcessGroup {
  const root = readProcess(leader);
  const stdout = linkOf(leader, 1);
  living.set(leader, { root, atExit });
  hookExit();
  let ending: Promise<void> | undefined;
  let going: Promise<void> | undefined;
  const alive = (): boolean => {
    if (!living.has(leader)) return false;
    if (isOurs(leader, root) && signalGroup(leader, 0)) return true;
    living.delete(leader);
    return false;
  };
  const runs = (): boolean => {
    if (!alive()) return false;
    if (!onlyZombies(leader)) return true;
    living.delete(leader);
    return false;
  };
  const end = async (reach: EndReach): Promise<void> => {
    const signal = (name: NodeJS.Signals | 0): boolean => alive() && signalGroup(leader, name);
    const tree = { root, mark: reach === 'marked' ? mark : undefined, signalGroup: signal };
    if (reach !== 'group' && root && (await endTree({ ...tree, root }))) {
      living.delete(leader);
      return;
    }
    await endGroup(signal, alive, runs);
  };
  return {
    id: leader,
    alive: runs,
    strays: () => root !== undefined && treeOf(root).length > 0,
    mayPrint: () => root && mayPrint(treeOf(root, ProcessTable.recent(), mark), stdout),
    end: (reach = 'group') => (ending ??= end(reach)),
    gone: () => (going ??= watchGroup(alive, runs)),
    release: () => void living.delete(leader),
  };
}

/** False if the leader's pid now belongs to another process, which has another start time. */
function isOurs(leader: number, root: RootProcess | undefined): boolean {
  const now = root && readProcess(leader);
  return now === undefined || now.start === root?.start;
}

function treeOf(root: RootProcess, table = ProcessTable.read(), mark?: string): Process[] {
  return table === undefined ? [] : startedBy(table, root, [], mark);
}

async function endGroup(
  signal: (name: NodeJS.Signals) => boolean,
  alive: () => boolean,
  runs: () => boolean,
): Promise<void> {
  if (!signal('SIGTERM')) return;
  if (await emptied(TERM_TO_KILL, alive, runs)) return;
  signal('SIGKILL');
  await emptied(AFTER_KILL, alive, runs);
}

/** Waits until the group is empty. Checks every 20 ms, and every 100 ms whether only zombies are left, which costs more. */
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

/** Returns false if the group has no member left. Signal 0 only tests for that. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(GROUPS ? -id : id, signal);
  } catch (error) {
    // A member exists that we may not signal (setuid). On macOS, EPERM means that only zombies are left.
    return (error as NodeJS.ErrnoException).code === 'EPERM' && process.platform !== 'darwin';
  }
}

/** If no process reaps orphans (in a container whose first process is no init), zombies stay in their group forever. */
function onlyZombies(id: number): boolean {
  const members = [...(ProcessTable.read()?.all() ?? [])].filter((one) => one.group === id);
  return members.length > 0 && members.every((one) => one.dead);
}

/**
 * Kills the living groups when this process ends: normally, by `process.exit`, by an uncaught error, or by a signal without a
 * handler. signal-exit sends the signal again and leaves the user's own signal handlers alone.
 */
function hookExit(): void {
  if (forgetExitHook) return;
  forgetExitHook = hooked();
  exitWatch.rest = unhookIfIdle;
  unhookWhenIdle();
}

/** Listens for the end of this process. signal-exit's undo leaves own properties on `process` that copy inherited ones; these are deleted. */
function hooked(): () => void {
  const replaced = (['emit', 'reallyExit'] as const).filter((key) => !Object.hasOwn(process, key));
  const inherited = replaced.map((key): unknown => Reflect.get(process, key));
  const forget = onExit(killAll);
  return () => {
    forget();
    for (const [i, key] of replaced.entries())
      if (Reflect.get(process, key) === inherited[i]) Reflect.deleteProperty(process, key);
  };
}

function killAll(): void {
  const table = [...living.values()].some(({ atExit }) => atExit === 'tree') ? ProcessTable.read() : undefined;
  for (const [id, { root, atExit }] of living) {
    const tree = table && root && atExit === 'tree' ? startedBy(table, root, []) : [];
    if (isOurs(id, root)) signalGroup(id, 'SIGKILL');
    signalAll(tree, 'SIGKILL');
  }
}

/**
 * Removes the signal listeners when there is nothing to kill, because a busy process with listeners does not end promptly on a
 * signal. Waits a while first, because adding them is expensive.
 */
function unhookWhenIdle(): void {
  clearTimeout(idle);
  idle = setTimeout(() => {
    unhookIfIdle();
    if (forgetExitHook) unhookWhenIdle();
  }, IDLE_EXIT_HOOK).unref();
}

function unhookIfIdle(): void {
  if (living.size > 0) return;
  forgetExitHook?.();
  forgetExitHook = undefined;
}
