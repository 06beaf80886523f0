import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../values/make-folder.js';
import { isRunning, startOf } from '../../values/processes.js';

/**
 * A small marker file that exists while a process writes records. A marker without its process shows that the process was killed, and that records that
 * waited to be written may be missing: no number shows that, since the next host starts counting again.
 */
export interface OpenMark {
  /** A record of this host comes. */
  host(id: string | undefined): void;
  /** A record came for which there was no room. */
  refused(): void;
  /** Nothing more comes. All of it is written, but for what was refused at the end, and so many before that could not be written: then the mark stays. */
  end(lost?: number): void;
}

/** A process that has not ended as it should. */
export interface Unclosed {
  readonly pid: number;
  /** Of its last host, in ISO 8601: when its first record came. */
  readonly since: string;
  readonly hosts: readonly string[];
  /** It ended as it should, and could not write so many of its last records; absent: it is not known. */
  readonly lost?: number;
}

const MARK = '.writing.';
/** Marks that are kept, and for how many milliseconds. */
const MOST = 20;
const LONGEST = 30 * 86_400_000;
/** Hosts that are named. */
const HOSTS = 20;

export function createOpenMark(path: string): OpenMark {
  const file = `${path}${MARK}${process.pid}-${randomBytes(4).toString('hex')}`;
  const hosts: string[] = [];
  let last: string | undefined | null = null;
  let refused = 0;
  return {
    host(id) {
      refused = 0;
      if (id === last) return;
      if (last === null) prune(path);
      last = id;
      if (id !== undefined && !hosts.includes(id)) hosts.push(id);
      const started = startOf(process.pid);
      const mark = { pid: process.pid, since: new Date().toISOString(), hosts: hosts.slice(-HOSTS), started };
      try {
        makeFolder(dirname(path));
        writeFileSync(file, `${JSON.stringify(mark)}\n`, { mode: 0o600 });
      } catch {
        // Where nothing can be written, the records say so themselves.
      }
    },
    refused() {
      refused += 1;
    },
    end(unwritten = 0) {
      if (last === null) return;
      const lost = unwritten + refused;
      try {
        // Over what is there: a full disk has no room for another.
        if (lost > 0)
          writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), lost })}\n`, {
            flag: 'r+',
          });
        else rmSync(file, { force: true });
      } catch {
        // It was not made.
      }
    },
  };
}

/** The writers of a file of records that were killed, or ended without closing it. */
export function unclosedWriters(path: string): Unclosed[] {
  return marksOf(path).flatMap((file) => {
    try {
      const { pid, since, hosts, started, lost } = JSON.parse(readFileSync(file, 'utf8')) as Unclosed & {
        started?: string;
      };
      const isWhole = Number.isSafeInteger(pid) && pid > 0 && typeof since === 'string' && Array.isArray(hosts);
      if (!isWhole || (lost === undefined && lives(pid, started))) return [];
      return [{ pid, since, hosts: hosts.map(String), ...(typeof lost === 'number' ? { lost } : {}) }];
    } catch {
      return [];
    }
  });
}

/** Another process may have its number by now. */
function lives(pid: number, started: string | undefined): boolean {
  return isRunning(pid) && (started === undefined || startOf(pid) === started);
}

function marksOf(path: string): string[] {
  const begin = `${basename(path)}${MARK}`;
  try {
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(begin) && /^\d+-[\da-f]{8}$/.test(name.slice(begin.length)))
      .map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}

/** What was told long enough goes. */
function prune(path: string): void {
  const marks = marksOf(path).flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ file, age: Date.now() - stats.mtimeMs }];
  });
  const old = marks.sort((a, b) => a.age - b.age).filter(({ age }, i) => i >= MOST || age > LONGEST);
  for (const { file } of old) rmSync(file, { force: true });
}
