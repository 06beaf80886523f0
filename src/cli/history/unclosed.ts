import { statSync } from 'node:fs';
import { type UnclosedProcess, unclosedWriters } from '../../emit/sinks/files/open-mark.js';
import { keptPlaces } from '../../store/place.js';
import { stateFolder } from '../../values/state-folder.js';
import type { Terminal } from '../terminal.js';
import { sameStore } from './again.js';

/** Writers that were killed, ended without closing their sink or could not write all: those of the store, if it is a file, otherwise those of the server's files. */
export function unclosedOf(place: string | undefined): (UnclosedProcess & { readonly file: string })[] {
  const isFile = place !== undefined && statSync(place, { throwIfNoEntry: false })?.isFile() === true;
  const files = isFile ? [place] : keptPlaces(stateFolder());
  return files.flatMap((file) => unclosedWriters(file).map((one) => ({ ...one, file })));
}

/** Tells the user if records that were shown come from a writer that did not write all of them, as far as can be told. */
export function tellUnclosed(
  place: string | undefined,
  shown: ReadonlySet<string | undefined>,
  terminal: Terminal,
): void {
  for (const { pid, file, hosts, lost } of unclosedOf(place)) {
    if (!hosts.some((host) => shown.has(host))) continue;
    const how =
      lost === undefined
        ? 'was killed, or ended without closing it: what it had not written yet (of a server, the answers of its last 50 ms) may be missing'
        : `could not write its last ${lost === 1 ? 'record' : `${lost} records`}`;
    terminal.tell(
      `process ${pid}, which wrote some of these to ${file}, ${how} (hookscope doctor${sameStore({ store: place })} says after which record)`,
    );
  }
}
