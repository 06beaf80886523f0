import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readRegularFile } from '../../../files/regular-file.js';
import { makeFolder } from '../../../values/make-folder.js';
import { isRunning, startOf, wasRunningAt } from '../../../values/processes.js';

/**
 * A small marker file that exists while a process writes records. A marker whose process is gone shows that the process was killed and that records in its
 * queue may be missing. A gap in `seq` cannot show that, since the next host counts from 1 again.
 */
export interface OpenMark {
  /** A record of this host is about to be written. */
  host(id: string | undefined): void;
  /** A record was refused for lack of room. */
  refused(): void;
  /** How many of the latest records could not be written; 0: the last one was. The mark says so as long as it lasts. */
  missed(count: number): void;
  /** No more records will come. The mark stays if the last ones were refused or `lost` of them could not be written; otherwise it is removed. */
  end(lost?: number): void;
}

/** A writer that was killed, or ended without writing all of its records. */
export interface UnclosedProcess {
  readonly pid: number;
  /** When the first record of its last host was written, in ISO 8601. */
  readonly since: string;
  readonly hosts: readonly string[];
  /** How many of its last records it could not write; absent: unknown, because it was killed. */
  readonly lost?: number;
  /** It still runs, and could not write its latest records. `maybe`: a process with its number runs, which may be a later one. */
  readonly runs?: 'surely' | 'maybe';
  /** When the mark was written last, in ISO 8601. */
  readonly at: string;
}

/** A process that had no room even for its mark. */
export type UnmarkedProcess = Pick<UnclosedProcess, 'pid' | 'at' | 'runs'>;

const MARK = '.writing.';
/** The most marks that are kept, and for how many milliseconds. */
const MOST = 20;
const LONGEST = 30 * 86_400_000;
/** The most hosts that a mark names. */
const HOSTS = 20;

interface WrittenMark extends Omit<UnclosedProcess, 'at' | 'runs'> {
  /** When the process started, which tells it from a later process with its number. */
  readonly started?: string | undefined;
  /** The writer is synchronous: if it is killed, only records that could not be written are missing. */
  readonly sync?: boolean;
}

/** `isSync`: each record is on the disk before the next one is pushed. */
export function createOpenMark(path: string, isSync = false): OpenMark {
  const file = `${path}${MARK}${process.pid}-${randomBytes(4).toString('hex')}`;
  const hosts: string[] = [];
  let last: string | undefined | null = null;
  let since = '';
  let refused = 0;
  let told = 0;

  /** `isOver`: the mark says of itself that nothing is missing. */
  function write(lost: number, isOver = false): void {
    const started = startOf(process.pid);
    const mark: WrittenMark = {
      pid: process.pid,
      since,
      hosts: hosts.slice(-HOSTS),
      ...(started === undefined ? {} : { started }),
      ...(isSync || isOver ? { sync: true } : {}),
      ...(lost === 0 ? {} : { lost }),
    };
    told = lost;
    try {
      makeFolder(dirname(path));
      putOver(file, `${JSON.stringify(mark)}\n`);
    } catch {
      // Nothing can be written here; writing the records fails too, and that is reported.
    }
  }

  return {
    host(id) {
      refused = 0;
      if (id === last) return;
      if (last === null) prune(path);
      last = id;
      if (id !== undefined && !hosts.includes(id)) hosts.push(id);
      since = new Date().toISOString();
      write(told);
    },
    refused() {
      refused += 1;
    },
    missed(count) {
      if (count !== told) write(count);
    },
    end(unwritten = 0) {
      if (last === null) return;
      const lost = unwritten + refused;
      if (lost > 0) write(lost);
      else if (!remove(file)) write(0, true);
    },
  };
}

/** Overwrites the file in place instead of renaming a new one over it: a full disk has no room for a second file. */
function putOver(file: string, text: string): void {
  const bytes = Buffer.from(text);
  const handle = openSync(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    writeSync(handle, bytes, 0, bytes.length, 0);
    ftruncateSync(handle, bytes.length);
  } finally {
    closeSync(handle);
  }
}

/** The writers of a file of records that were killed, that ended without writing all of their records, or that cannot write them now. */
export function unclosedWriters(path: string): UnclosedProcess[] {
  return marksOf(path).flatMap(({ file, stats }) => {
    const mark = readMark(file);
    if (mark === undefined) return [];
    const { pid, since, hosts, lost } = mark;
    const runs = lives(mark, stats.mtimeMs);
    const at = stats.mtime.toISOString();
    if (lost === undefined) return mark.sync === true || runs ? [] : [{ pid, since, hosts, at }];
    return [{ pid, since, hosts, at, lost, ...(runs ? { runs } : {}) }];
  });
}

/** Milliseconds after which a mark that is still empty has found no room. */
const EMPTY = 1_000;

/** Processes with an empty mark: the disk had no room for the mark, and so none for records. */
export function emptyMarks(path: string): UnmarkedProcess[] {
  return marksOf(path).flatMap(({ file, stats }) => {
    if (stats.size !== 0) return [];
    const pid = Number(/(\d+)-[\da-f]+$/.exec(file)?.[1]);
    const runs = lives({ pid }, stats.mtimeMs);
    // It may be about to write its mark.
    if (runs && Date.now() - stats.mtimeMs < EMPTY) return [];
    return [{ pid, at: stats.mtime.toISOString(), ...(runs ? { runs } : {}) }];
  });
}

/** undefined: the file is not a mark. */
function readMark(file: string): WrittenMark | undefined {
  try {
    const { pid, since, hosts, started, sync, lost } = JSON.parse(
      readRegularFile(file).toString('utf8'),
    ) as WrittenMark;
    if (!Number.isSafeInteger(pid) || pid <= 0 || typeof since !== 'string') return undefined;
    const isLost = Number.isSafeInteger(lost) && (lost as number) > 0;
    return { pid, since, hosts: hosts.map(String), started, sync: sync === true, ...(isLost ? { lost } : {}) };
  } catch {
    return undefined;
  }
}

/** Whether the writer still runs. Another process may have its number by now, so the start time is compared, or else with the time of the mark. */
function lives({ pid, started }: Pick<WrittenMark, 'pid' | 'started'>, at = Date.now()): UnclosedProcess['runs'] {
  if (!isRunning(pid)) return undefined;
  if (started !== undefined) return startOf(pid) === started ? 'surely' : undefined;
  return wasRunningAt(pid, at) ? 'maybe' : undefined;
}

interface MarkFile {
  readonly file: string;
  readonly stats: Stats;
}

/** Files that are named like marks of this file of records. Links, pipes and folders of such a name are none. Never throws. */
function marksOf(path: string): MarkFile[] {
  const begin = `${basename(path)}${MARK}`;
  try {
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(begin) && /^\d+-[\da-f]{8}$/.test(name.slice(begin.length)))
      .flatMap((name) => {
        const file = join(dirname(path), name);
        const stats = lstatSync(file, { throwIfNoEntry: false });
        return stats?.isFile() ? [{ file, stats }] : [];
      });
  } catch {
    return [];
  }
}

/** Removes marks that are too many, too old, or report no loss. */
function prune(path: string): void {
  const marks = marksOf(path).sort((a, b) => b.stats.mtimeMs - a.stats.mtimeMs);
  for (const [i, { file, stats }] of marks.entries())
    if (i >= MOST || Date.now() - stats.mtimeMs > LONGEST || isSpent(file)) remove(file);
}

/** false: it cannot be removed, as in a folder that is read-only by now. A mark that stays holds up no record. */
function remove(file: string): boolean {
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

function isSpent(file: string): boolean {
  const mark = readMark(file);
  return mark?.sync === true && mark.lost === undefined && lives(mark) === undefined;
}
