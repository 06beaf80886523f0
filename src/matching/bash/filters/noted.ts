import { nameOf, placesOf, SOME } from '../moves.js';
import { type BashReading, type ScriptContext, spend, TEXT_SHARE } from '../reading.js';
import type { OptionUse } from '../used.js';
import type { KnownWord } from '../words.js';

/** Stands for any file, in the names of files that the line writes. */
export const ANY_FILE = '/';
const ANY_PATH = '$';

/** Notes a file that the line writes. `known`: its whole content is text of the line. */
export function noteWritten(word: KnownWord, known: boolean, found: BashReading): void {
  if (word.text.startsWith('/dev/')) return;
  const name = nameOf(word);
  // The path is a folder.
  if (name === '') return;
  for (const one of [name, ...placesOf(word.text, found)(name)])
    found.written.set(one, known && !found.written.has(one));
}

/** Whether the input of a command is one line of text. */
export const isLine = (input: ScriptContext['input']): boolean =>
  Array.isArray(input) && input.length === 1 && !/\n./s.test(input[0] ?? '');

/** Notes the files that a filter writes; any file if that is not known. `open`: a runner appends words. */
export function noteFiltered(
  { filter }: OptionUse,
  input: ScriptContext['input'],
  open: boolean,
  found: BashReading,
): void {
  if (filter === undefined) return;
  let length = 0;
  for (const { text } of filter.words) length += text.length + 1;
  spend(Math.floor(length / TEXT_SHARE), found);
  const { files, copies, grows } = filter.read(filter.words);
  if (files === undefined || (open && grows)) noteAny(found);
  for (const file of files ?? [])
    if (nameOf(file) === SOME) noteAny(found);
    else noteWritten(file, copies === true && !open && isLine(input), found);
}

function noteAny(found: BashReading): void {
  for (const name of [ANY_FILE, ...placesOf(ANY_PATH, found)(ANY_FILE)]) found.written.set(name, false);
}
