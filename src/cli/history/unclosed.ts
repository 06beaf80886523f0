import { statSync } from 'node:fs';
import { emptyMarks, type UnclosedProcess, unclosedWriters } from '../../emit/sinks/files/open-mark.js';
import { keptNames } from '../../store/place.js';
import { stateFolder } from '../../values/state-folder.js';
import type { Terminal } from '../terminal.js';
import { sameStore } from './again.js';

/** What a mark beside a file of records tells. */
export interface UnclosedFile extends UnclosedProcess {
  readonly file: string;
}

/**
 * Whether records are being lost now: by a process that runs or, where each hook writes by itself, since no record is younger than the
 * last one that could not be written. `latest`: when the last record was made, in ISO 8601.
 */
export function losesNow(
  { runs, at }: Pick<UnclosedProcess, 'runs' | 'at'>,
  latest: string | undefined,
  place?: string,
): boolean {
  return runs === true || (place === undefined && (latest === undefined || latest <= at));
}

/** Writers that were killed, ended without closing their sink or could not write all: those of the store, if it is a file, otherwise those of the server's files. */
export function unclosedOf(place: string | undefined): UnclosedFile[] {
  return filesOf(place).flatMap((file) => unclosedWriters(file).map((one) => ({ ...one, file })));
}

function filesOf(place: string | undefined): readonly string[] {
  if (place === undefined) return keptNames(stateFolder());
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true ? [place] : [];
}

/** Tells the user that records are being lost now, and if records that were shown come from a writer that did not write all of them, as far as can be told. */
export function tellUnclosed(
  place: string | undefined,
  { hosts: shown, latest }: { readonly hosts: ReadonlySet<string | undefined>; readonly latest: string | undefined },
  terminal: Terminal,
): void {
  for (const one of unclosedOf(place)) {
    const { pid, file, hosts, lost, runs } = one;
    const isShown = hosts.some((host) => shown.has(host));
    if (!isShown && !(lost !== undefined && losesNow(one, latest, place))) continue;
    const how =
      lost === undefined
        ? 'was killed, or ended without closing it: what it had not written yet (of a server, the answers of its last 50 ms) may be missing'
        : `could not write its last ${lost === 1 ? 'record' : `${lost} records`}`;
    terminal.tell(
      `process ${pid}, which ${isShown ? 'wrote some of these to' : runs ? 'writes to' : 'wrote to'} ${file}, ${how} (hookscope doctor${sameStore({ store: place })} says ${isShown ? 'after which record' : 'what to do'})`,
    );
  }
  for (const file of filesOf(place)) {
    const full = emptyMarks(file).filter((one) => losesNow(one, latest, place));
    if (full.length > 0)
      terminal.tell(`no room was found for records beside ${file}, so some are not here (hookscope doctor says more)`);
  }
}
