import { statSync } from 'node:fs';
import { emptyMarks, type UnclosedProcess, unclosedWriters } from '../../emit/sinks/files/open-mark.js';
import { keptNames } from '../../store/place.js';
import type { RecordStore } from '../../store/store.js';
import { stateFolder } from '../../values/user-folders.js';
import type { Terminal } from '../terminal.js';
import { sameStore } from './again.js';

/** What a mark beside a file of records tells. */
export interface UnclosedFile extends UnclosedProcess {
  readonly file: string;
}

/**
 * Whether records are being lost now: by a process that surely runs or, where each hook writes by itself, since no record is younger than the
 * last one that could not be written. `latest`: when the newest record of the whole store was made, in ISO 8601.
 */
export function losesNow(
  { runs, at }: Pick<UnclosedProcess, 'runs' | 'at'>,
  latest: string | undefined,
  place?: string,
): boolean {
  if (runs === 'surely') return true;
  if (runs === undefined && place !== undefined) return false;
  if (latest === undefined) return true;
  // A mark from the future was written by a clock that has been set back since, and cannot be compared.
  const written = Date.parse(at);
  return Date.parse(latest) <= written + TICK && written <= Date.now() + INEXACT;
}

/** Milliseconds that a file's time may be behind the clock: it is that of the system's last tick. */
const TICK = 10;
/** A file's time may be slightly ahead of the clock, in milliseconds. */
const INEXACT = 1_000;

/** When the newest record of a store was made, whatever is shown of it, in ISO 8601. Records from the future are left out. */
export async function latestOf(store: RecordStore): Promise<string | undefined> {
  for await (const { time } of store.records({ newest: true, limit: 1, until: Date.now() + INEXACT })) return time;
  return undefined;
}

/** Writers that were killed, ended without closing their sink or could not write all: those of the store, if it is a file, otherwise those of the server's files. */
export function unclosedOf(place: string | undefined): UnclosedFile[] {
  return filesOf(place).flatMap((file) => unclosedWriters(file).map((one) => ({ ...one, file })));
}

function filesOf(place: string | undefined): readonly string[] {
  if (place === undefined) return keptNames(stateFolder());
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true ? [place] : [];
}

/** What is said of a writer that left its mark: nobody knows how it ended. */
export const UNCLOSED =
  'was killed, or ended without closing it (await sink.close() at the end of a program avoids this): what it had not written yet (of a server, the answers of its last 50 ms) may be missing';

/** Tells the user that records are being lost now, and if records that were shown come from a writer that did not write all of them, as far as can be told. */
export async function tellUnclosed(
  place: string | undefined,
  { hosts: shown, store }: { readonly hosts: ReadonlySet<string | undefined>; readonly store: RecordStore },
  terminal: Terminal,
): Promise<void> {
  const [unclosed, files] = [unclosedOf(place), filesOf(place)];
  const unmarked = files.map((file) => ({ file, empty: emptyMarks(file) })).filter(({ empty }) => empty.length > 0);
  if (unclosed.length === 0 && unmarked.length === 0) return;
  const latest = await latestOf(store);
  for (const one of unclosed) {
    const { pid, file, hosts, lost, runs } = one;
    const isShown = hosts.some((host) => shown.has(host));
    if (!isShown && !(lost !== undefined && losesNow(one, latest, place))) continue;
    const how = lost === undefined ? UNCLOSED : `could not write its last ${lost === 1 ? 'record' : `${lost} records`}`;
    terminal.tell(
      `process ${pid}, which ${isShown ? 'wrote some of these to' : runs === 'surely' ? 'writes to' : 'wrote to'} ${file}, ${how} (hookscope doctor${sameStore({ store: place })} says ${isShown ? 'after which record' : 'what to do'})`,
    );
  }
  for (const { file, empty } of unmarked) {
    if (empty.some((one) => losesNow(one, latest, place)))
      terminal.tell(`no room was found for records beside ${file}, so some are not here (hookscope doctor says more)`);
  }
}
