import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';

/** One process as the kernel describes it. Pids are reused; a pid together with a start time is unique. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly threads: number;
  /** Clock ticks since the machine was started. */
  readonly start: number;
  /** Whether it is a zombie: it has ended, but its parent has not reaped it. */
  readonly dead: boolean;
  /** Whether its first thread computes, or waits for a disk. All else waits for something that may never come. */
  readonly busy: boolean;
}

/** A snapshot of all visible processes. Linux only. */
export class ProcessTable {
  static #next: Promise<ProcessTable | undefined> | undefined;
  static #recent: { readonly at: number; readonly table: ProcessTable | undefined } | undefined;
  readonly #byPid = new Map<number, Process>();
  readonly #variables = new Map<number, readonly string[]>();

  private constructor(pids: readonly string[]) {
    for (const pid of pids) {
      const found = /^\d+$/.test(pid) ? readProcess(Number(pid)) : undefined;
      if (found) this.#byPid.set(found.pid, found);
    }
  }

  /** A table that is at most 20 ms old. */
  static recent(): ProcessTable | undefined {
    const now = performance.now();
    if (ProcessTable.#recent === undefined || now - ProcessTable.#recent.at > 20)
      ProcessTable.#recent = { at: now, table: ProcessTable.read() };
    return ProcessTable.#recent.table;
  }

  /** Undefined if the system has no /proc, or hides it. */
  static read(): ProcessTable | undefined {
    if (process.platform !== 'linux') return undefined;
    try {
      // In a container that has its host's /proc mounted, the pids there are not those of our namespace.
      if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
      return new ProcessTable(readdirSync('/proc'));
    } catch {
      return undefined;
    }
  }

  /** A table read after this call. Calls in the same turn of the event loop share one table. */
  static next(): Promise<ProcessTable | undefined> {
    ProcessTable.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        ProcessTable.#next = undefined;
        resolve(ProcessTable.read());
      });
    });
    return ProcessTable.#next;
  }

  get(pid: number): Process | undefined {
    return this.#byPid.get(pid);
  }

  all(): Iterable<Process> {
    return this.#byPid.values();
  }

  /** The environment with which the process was started, as `NAME=value`. Empty if we may not read it. */
  variables(pid: number): readonly string[] {
    const found = this.#variables.get(pid) ?? readVariables(pid);
    this.#variables.set(pid, found);
    return found;
  }
}

/** Large enough for /proc/PID/stat, a line of at most a few hundred bytes that one read returns. */
const line = Buffer.alloc(4096);

function readLine(path: string): string {
  const handle = openSync(path, 'r');
  try {
    return line.toString('latin1', 0, readSync(handle, line));
  } finally {
    closeSync(handle);
  }
}

/** The program's name is in parentheses, and may itself contain spaces and parentheses. */
const fieldsIn = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);

const isBusy = (state = ''): boolean => /[RD]/.test(state);

/** The process that has this number now. */
export function readProcess(pid: number): Process | undefined {
  try {
    const stat = readLine(`/proc/${pid}/stat`);
    const fields = fieldsIn(stat);
    const [state = 'X', parent, group, session] = fields;
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      threads: Number(fields[17]),
      start: Number(fields[19]),
      dead: /[ZXx]/.test(state),
      busy: isBusy(state),
    };
  } catch {
    // It has ended, or there is no /proc.
    return undefined;
  }
}

/** What a process has open. */
export interface OpenLink {
  readonly descriptor: string;
  /** The kernel's name for it. */
  readonly link: string;
  readonly isPipe: boolean;
  readonly reads: boolean;
  readonly writes: boolean;
}

/** What a process has open; undefined if we may not know. */
export function linksOf(pid: number): readonly OpenLink[] | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => openLink(pid, descriptor) ?? []);
  } catch {
    return undefined;
  }
}

/** The kernel's names for what a process has open, which may be thousands. */
export const namesOf = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => linkOf(pid, descriptor) ?? []);

function openLink(pid: number, descriptor: string): OpenLink | undefined {
  const link = linkOf(pid, descriptor);
  if (link === undefined) return undefined;
  const path = `/proc/${pid}/fd/${descriptor}`;
  try {
    const { mode } = lstatSync(path);
    // A named pipe may be removed by now, but not what is open.
    const isPipe = link.startsWith('pipe:') || (link.startsWith('/') && statSync(path).isFIFO());
    return { descriptor, link, isPipe, reads: (mode & 0o400) !== 0, writes: (mode & 0o200) !== 0 };
  } catch {
    return undefined;
  }
}

/** Whether a thread of the process computes, or waits for a disk. */
export function runsOtherThread(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some((id) => isBusy(fieldsIn(readLine(`/proc/${pid}/task/${id}/stat`))[0]));
  } catch {
    return false;
  }
}

/** What a process has under that descriptor, by the kernel's name for it; undefined if it has none or we may not know. */
export function linkOf(pid: number, descriptor: number | string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

function readVariables(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    // The process belongs to another user, or has ended.
    return [];
  }
}
