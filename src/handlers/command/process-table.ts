import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';

/** One process as the kernel describes it. Its number may be another's later; number and start together never are. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since the machine was started. */
  readonly start: number;
  /** It has ended, but its parent has not collected it. */
  readonly dead: boolean;
}

/** All processes that can be seen, as they were at one moment. Linux only. */
export class ProcessTable {
  static #next: Promise<ProcessTable | undefined> | undefined;
  readonly #byPid = new Map<number, Process>();
  readonly #variables = new Map<number, readonly string[]>();

  private constructor(pids: readonly string[]) {
    for (const pid of pids) {
      const found = /^\d+$/.test(pid) ? readProcess(Number(pid)) : undefined;
      if (found) this.#byPid.set(found.pid, found);
    }
  }

  /** Undefined where the system has no such table, or hides it. */
  static read(): ProcessTable | undefined {
    if (process.platform !== 'linux') return undefined;
    try {
      // The /proc of other process numbers (a container that was given its machine's) would name the wrong ones.
      if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
      return new ProcessTable(readdirSync('/proc'));
    } catch {
      return undefined;
    }
  }

  /** A table that is read after it was asked for. Whoever asks in the same turn of the loop gets the same one. */
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

  /** The environment it was started with, as `NAME=value`. Empty if we may not read it. */
  variables(pid: number): readonly string[] {
    const found = this.#variables.get(pid) ?? readVariables(pid);
    this.#variables.set(pid, found);
    return found;
  }
}

/** The kernel's description of a process is one line of at most a few hundred bytes, returned in one piece. */
const line = Buffer.alloc(4096);

function readLine(path: string): string {
  const handle = openSync(path, 'r');
  try {
    return line.toString('latin1', 0, readSync(handle, line));
  } finally {
    closeSync(handle);
  }
}

/** The process that has this number now. */
export function readProcess(pid: number): Process | undefined {
  try {
    const stat = readLine(`/proc/${pid}/stat`);
    // The program's name is in parentheses, and may contain spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
    const [state = 'X', parent, group, session] = fields;
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      start: Number(fields[19]),
      dead: /[ZXx]/.test(state),
    };
  } catch {
    // It has ended, or there is no /proc.
    return undefined;
  }
}

function readVariables(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    // Another user's, or it has ended.
    return [];
  }
}
