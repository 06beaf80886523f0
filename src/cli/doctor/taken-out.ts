import { clip } from '../../plain.js';
import { wordsOf } from './connections.js';

/** The most characters of a command, or of one of its words, that are shown. */
const SHOWN = 160;

/** Says what became of handlers that connect has written and a file no longer has unchanged. The text follows the file's name. */
export function takenOut(missing: readonly string[], text: string): string {
  const [first = ''] = missing;
  const more = missing.length - 1;
  const instead = nearestTo(first, text);
  if (instead === undefined) {
    const gone = clip(withoutVariables(first), SHOWN);
    return `no longer names ${gone}${more > 0 ? `, nor ${more} more: they were` : ': it was'} taken out`;
  }
  const [commands, which] = more > 0 ? [`${missing.length} commands`, 'the first'] : ['a command', 'it'];
  const [was, is] = [lackedBy(instead, first), lackedBy(first, instead)];
  // No word is missing: words were added, or only quotes or the order changed.
  if (was === undefined)
    return `has ${commands} altered: ${which} says ${clip(is ?? withoutVariables(instead), SHOWN)}`;
  const now = is === undefined ? 'leaves it out' : `says ${clip(is, SHOWN)}`;
  return `no longer names ${clip(was, SHOWN)} in ${commands}, which somebody has altered: ${which} ${now}`;
}

/** The string in the file that shares the most words with a command, if it has more than half of them. */
function nearestTo(command: string, text: string): string | undefined {
  const words = new Set(wordsOf(command));
  let [best, most] = [undefined as string | undefined, words.size / 2];
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
    const other = stringIn(found);
    const shared = [...new Set(wordsOf(other))].filter((word) => words.has(word)).length;
    if (shared > most) [best, most] = [other, shared];
  }
  return best;
}

function stringIn(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return '';
  }
}

/** The first word of `one` that `other` does not have. */
function lackedBy(other: string, one: string): string | undefined {
  const words = new Set(wordsOf(other));
  return wordsOf(one).find((word) => !words.has(word));
}

/** The command without the environment variables set in front of it, which are long. */
const withoutVariables = (command: string): string => command.replace(/^(?:\w+=(?:'[^']*'|[^\s'])*\s+)+/, '');
