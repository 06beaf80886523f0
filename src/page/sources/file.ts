import { plain } from '../../plain.js';
import { begin, changed, kept, settle, status } from '../state.js';
import { eachLine, outOfScript, turn } from './lines.js';
import { stopFollowing } from './live.js';

const DATABASE = 'SQLite format 3';

/** Reads a file that the user has chosen or dropped; it is not sent anywhere. */
export async function openFile(file: File): Promise<void> {
  stopFollowing();
  const name = plain(file.name).slice(0, 100);
  const into = begin({ type: 'reading', what: name }, { once: false });
  if ((await file.slice(0, DATABASE.length).text()) === DATABASE) {
    status.value = { type: 'refused', why: `${name} is a database: hookscope page FILE makes a page of it.` };
    return;
  }
  await eachLine(
    file.stream(),
    (line) => {
      into.add(line);
      changed();
    },
    { open: true },
  );
  if (kept.peek() !== into) return;
  settle();
  status.value = { type: 'file', name };
}

/** Reads the records that `hookscope page` has embedded in the page. */
export async function openEmbedded(element: HTMLElement): Promise<void> {
  const into = begin({ type: 'reading', what: 'the records of this page' }, { once: false });
  const lines = (element.textContent ?? '').split('\n');
  for (const [i, line] of lines.entries()) {
    into.add(outOfScript(line));
    if (i % 1000 === 999) await turn();
  }
  settle();
  status.value = { type: 'file', name: plain(element.dataset['name'] ?? '').slice(0, 100) };
}
