import { setTimeout as sleep } from 'node:timers/promises';
import { type Process, ProcessTable, readProcess } from './process-table.js';
import { isMarked } from './run-mark.js';

/** Milliseconds. */
const POLL = 20;
const LOOK_EVERY = 100;
const TERM_TO_KILL = 1500;
const AFTER_KILL = 500;

/** The first process of a run, which leads its own session. */
export interface RootProcess {
  readonly pid: number;
  readonly start: number;
}

/**
 * The living processes of a run: its session, all descendants and the sessions that these created, and, if a mark is given, the
 * processes that carry it. `known` are processes found before: their children belong to the run even if the link to the root
 * is gone. Processes older than the run, and this process, are never included.
 */
export function startedBy(table: ProcessTable, root: RootProcess, known: Iterable<Process>, mark?: string): Process[] {
  const mine = new Map<number, Process>();
  const take = (found: Process): void => {
    if (!found.dead && found.start >= root.start && found.pid !== process.pid) mine.set(found.pid, found);
  };
  const before = new Map([...known].map((one) => [one.pid, one.start]));
  // The kernel does not reuse a session's id while the session has members.
  const now = table.get(root.pid);
  const session = now === undefined || now.start === root.start ? root.pid : undefined;
  const byParent = new Map<number, Process[]>();
  const bySession = new Map<number, Process[]>();
  for (const found of table.all()) {
    push(byParent, found.parent, found);
    push(bySession, found.session, found);
    if (found.session === session || before.get(found.pid) === found.start) take(found);
    else if (mark !== undefined && found.start >= root.start && isMarked(table.variables(found.pid), mark)) take(found);
  }
  // `take` adds to the map during this loop, which then visits the new entries too.
  for (const { pid, session: own } of mine.values()) {
    byParent.get(pid)?.forEach(take);
    if (own === pid) bySession.get(pid)?.forEach(take);
  }
  return [...mine.values()];
}

function push(map: Map<number, Process[]>, key: number, value: Process): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Signals each process, unless its pid now belongs to another one. */
export function signalAll(processes: Iterable<Process>, signal: NodeJS.Signals): void {
  for (const { pid, start } of processes) {
    if (readProcess(pid)?.start !== start) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended, or we may not signal it (setuid).
    }
  }
}

export interface TreeEnd {
  readonly root: RootProcess;
  readonly mark: string | undefined;
  /** Signals the root's whole process group at once; false if the group has no member left. */
  signalGroup(signal: NodeJS.Signals | 0): boolean;
}

/**
 * Sends SIGTERM to all processes of the run and SIGKILL 1.5 s later. Settles when none is left, at the latest 0.5 s after the
 * SIGKILL. Processes that start meanwhile are ended too. Resolves to false if the process table cannot be read.
 */
export async function endTree({ root, mark, signalGroup }: TreeEnd): Promise<boolean> {
  const known = new Map<number, Process>();
  /** All living processes, and the newly found among them; undefined if the process table cannot be read. */
  const look = async (): Promise<{ all: Process[]; fresh: Process[] } | undefined> => {
    const table = await ProcessTable.next();
    if (!table) return undefined;
    const all = startedBy(table, root, known.values(), mark);
    const fresh = all.filter(({ pid, start }) => known.get(pid)?.start !== start);
    for (const one of fresh) known.set(one.pid, one);
    return { all, fresh };
  };

  const first = await look();
  if (!first) return false;
  signalGroup('SIGTERM');
  signalAll(
    first.all.filter((one) => one.group !== root.pid),
    'SIGTERM',
  );
  const kill = performance.now() + TERM_TO_KILL;
  for (let due = LOOK_EVERY, left = first.all; performance.now() < kill; due -= POLL) {
    if (due <= 0 || !left.some(runs)) {
      const found = await look();
      if (!found || found.all.length === 0) return found !== undefined;
      signalAll(found.fresh, 'SIGTERM');
      left = found.all;
      due = LOOK_EVERY;
    }
    await sleep(POLL);
  }
  for (const end = performance.now() + AFTER_KILL; ; ) {
    signalGroup('SIGKILL');
    const found = await look();
    if (!found || found.all.length === 0) return found !== undefined;
    signalAll(found.all, 'SIGKILL');
    if (performance.now() >= end) return true;
    if (found.fresh.length === 0) await sleep(POLL / 4);
  }
}

function runs({ pid, start }: Process): boolean {
  const now = readProcess(pid);
  return now !== undefined && now.start === start && !now.dead;
}
