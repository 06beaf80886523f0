import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { kindOfFile } from '../../emit/sinks/files/database-file.js';
import { emptyMarks } from '../../emit/sinks/files/open-mark.js';
import { placesOf } from '../../server/places.js';
import { losesNow } from '../history/unclosed.js';
import { recordsFile } from '../server/record-sink.js';
import type { DoctorFinding } from './finding.js';

/** Problems with writing records, which no record can show: the next one cannot be written, or earlier ones could not be. `latest`: when the last record was made. */
export function keepingFindings(latest: string | undefined): DoctorFinding[] {
  const places = placesOf();
  const file = recordsFile(places);
  const found: DoctorFinding[] = [];
  const problem = (text: string, fix: string): void =>
    void found.push({
      level: 'problem',
      about: 'records',
      text: `${text}: no record of what hooks decide is kept.`,
      fix,
    });
  if (isClosed(places.state)) problem(`${places.state} cannot be written`, 'Let your user write into it.');
  if (isClosed(file)) problem(`${file} cannot be written`, 'Let your user write it.');
  else if (isNoDatabase(file)) problem(`${file} is no database`, 'Move it away; a new one is begun.');
  if (isFull(places.state))
    problem(`There is no room on the disk of ${places.state}`, 'Make room. What is kept already is not lost.');
  const unwritten = emptyMarks(file);
  if (unwritten.length > 0) {
    const lasts = unwritten.some((one) => losesNow(one, latest));
    const who = unwritten.length === 1 ? 'A process' : `${unwritten.length} processes`;
    const last = unwritten
      .map(({ at }) => at)
      .sort()
      .at(-1);
    found.push({
      level: lasts ? 'problem' : 'remark',
      about: 'records',
      text: `${who} found no room for records beside ${file}, the last one at ${last}${lasts ? ', and none was written since' : ''}.`,
      fix: 'Nothing can be done about those. See that there is room on the disk.',
    });
  }
  return found;
}

/** Whether nothing more can be written to the disk. A system that cannot say so has room. */
function isFull(folder: string): boolean {
  try {
    const { bavail, blocks } = statfsSync(folder);
    return blocks > 0 && bavail === 0;
  } catch {
    return false;
  }
}

function isClosed(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Whether records are to be kept in a file as in a database, and it is none. */
export function isNoDatabase(file: string): boolean {
  if (!file.endsWith('.db') || file !== recordsFile(placesOf())) return false;
  try {
    return statSync(file).isFile() && kindOfFile(file) === 'other';
  } catch {
    // A file that is missing or cannot be read is reported where it is read.
    return false;
  }
}
