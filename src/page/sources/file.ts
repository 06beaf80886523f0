import { plain } from '../../plain.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { KeptRecords } from '../records/kept.js';
import { begin, changed, kept, showAdded, status } from '../state.js';
import { eachLine, outOfScript, turn } from './lines.js';
import { stopFollowing } from './live.js';

const DATABASE = 'SQLite format 3';

/** Reads a file that the user has chosen or dropped; it is not sent anywhere. */
export async function openFile(file: File): Promise<void> {
  stopFollowing();
  const name = plain(file.name).slice(0, 100);
  const into = begin({ type: 'reading', what: name }, { once: false });
  const isOurs = (): boolean => kept.peek() === into;
  try {
    await readInto(into, file);
    if (!isOurs()) return;
    status.value = { type: 'file', name };
  } catch (error) {
    if (!isOurs()) return;
    const why = error instanceof WrongFile ? error.message : `cannot be read: ${plain(messageOf(error))}`;
    status.value = { type: 'refused', why: `${name} ${why}` };
  }
  showAdded();
}

class WrongFile extends Error {}

async function readInto(into: KeptRecords, file: File): Promise<void> {
  if ((await file.slice(0, DATABASE.length).text()) === DATABASE)
    throw new WrongFile('is a database: hookscope page FILE makes a page of it.');
  await eachLine(
    file.stream(),
    (line) => {
      into.add(line);
      changed();
    },
    { open: true },
  );
}

/** Reads the records that `hookscope page` has embedded in the page. */
export async function openEmbedded(element: HTMLElement): Promise<void> {
  const into = begin({ type: 'reading', what: 'the records of this page' }, { once: false });
  const lines = (element.textContent ?? '').split('\n');
  for (const [i, line] of lines.entries()) {
    into.add(outOfScript(line));
    if (i % 1000 === 999) await turn();
  }
  showAdded();
  status.value = { type: 'file', name: plain(element.dataset['name'] ?? '').slice(0, 100) };
}
