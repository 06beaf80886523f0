import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '../../files/replace-file.js';
import { makeFolder } from '../../values/make-folder.js';

/** Milliseconds after which a process elsewhere, which says nothing, is gone. */
const GONE = 60_000;
const OWNER = 'owner.json';
const OURS = /^log-[0-9a-f-]{36}$/;

interface Owner {
  readonly pid: number;
  readonly where: string;
  /** When the process was started, as the system counts it: numbers of processes are used again. */
  readonly since?: string | undefined;
}

/** A folder for one process's log. */
export function makeLogFolder(parent: string): string {
  makeFolder(parent);
  const folder = join(parent, `log-${randomUUID()}`);
  makeFolder(folder);
  claim(folder);
  return folder;
}

/** Says that its process is alive; false: somebody has taken it for dead, or removed it. */
export function touch(folder: string): boolean {
  const now = new Date();
  try {
    utimesSync(join(folder, OWNER), now, now);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** It is left to whoever comes next. */
export function release(folder: string): void {
  try {
    replaceFile(join(folder, OWNER), JSON.stringify({ pid: 0, where: 'nowhere' }), 0o600);
  } catch {
    // It is not there any more.
  }
}

/** Takes the logs that processes which are gone have left. Of several who try one has it: it is moved to a name of its own. */
export function adopt(parent: string): string[] {
  const found = existsSync(parent) ? readdirSync(parent).filter((name) => OURS.test(name)) : [];
  return found.flatMap((name) => {
    const folder = join(parent, name);
    if (!isOrphan(folder)) return [];
    const own = join(parent, `log-${randomUUID()}`);
    try {
      renameSync(folder, own);
    } catch {
      return [];
    }
    claim(own);
    return [own];
  });
}

function claim(folder: string): void {
  replaceFile(
    join(folder, OWNER),
    JSON.stringify({ pid: process.pid, where: whereabouts(), since: startOf(process.pid) } satisfies Owner),
    0o600,
  );
}

function isOrphan(folder: string): boolean {
  const file = join(folder, OWNER);
  try {
    const { pid, where, since } = JSON.parse(readFileSync(file, 'utf8')) as Owner;
    if (pid === 0) return true;
    // One that is stopped, or was asleep with its machine, says nothing and is there.
    if (where === whereabouts()) return !isRunning(pid) || (since !== undefined && startOf(pid) !== since);
    return Date.now() - statSync(file).mtimeMs > GONE;
  } catch {
    // It is being made, or was cut short by a crash.
    return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > GONE;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Undefined: the system does not say. */
function startOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Where a number of a process means the same: this machine, and of its containers this one. */
function whereabouts(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not on Linux.
  }
  return `${hostname()} ${namespace}`;
}
