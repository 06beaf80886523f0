import type { Move } from './moves.js';
import type { BashProgram } from './program.js';
import { lastName } from './reading.js';
import type { OptionUse } from './used.js';
import { type KnownWord, withoutBraces } from './words.js';

/** The files that the words from some place on say their program writes, copies or changes. */
export function noteTargets(
  words: readonly KnownWord[],
  from: number,
  { targets, moves, takes }: BashProgram,
  use: OptionUse,
): void {
  if (targets === undefined && moves === undefined) return;
  const given = words.slice(from);
  if (targets !== undefined)
    use.targets = given.flatMap((word) => {
      const [, name] = targets.exec(word.text) ?? [];
      return name === undefined ? [] : [{ ...word, text: `./${name}` }];
    });
  if (moves === undefined) return;
  use.looked = (use.looked ?? 0) + from;
  const isFinders = words.slice(0, from).some(({ text }) => FINDERS.has(lastName(text)));
  const end = isFinders ? given.findIndex(({ text }) => ENDS.test(text)) : -1;
  use.moves = movesOf(given.slice(0, end < 0 ? undefined : end).flatMap(spelledOut), moves, takes);
}

/** Programs whose commands something ends, or after whose commands other words stand: `;` and `+` of find, `:::` of parallel. */
const FINDERS: ReadonlySet<string> = new Set('find gfind bfs fd fdfind parallel sem'.split(' '));
const ENDS = /^(?:[;+]|:::.*)$/s;

function movesOf(words: readonly KnownWord[], moves: 'last' | 'some' | RegExp, takes: string | undefined): Move[] {
  const { operands, folder } = operandsOf(words, takes);
  if (moves === 'some') return operands.map((from) => ({ from, to: { text: '$', sure: '' } }));
  if (moves !== 'last')
    return words.some(({ text }) => moves.test(text)) ? operands.map((word) => ({ from: word, to: word })) : [];
  const to = folder === undefined ? operands.at(-1) : { ...folder, text: `${folder.text}/` };
  if (to === undefined) return [];
  const sources = operands.filter((word) => word !== to);
  if (folder !== undefined && sources.length === 0) return [{ from: { text: '$', sure: '' }, to }];
  // Several go to a folder, where they keep their names.
  const place = sources.length > 1 && to.sure !== undefined ? { ...to, text: `${to.text}/` } : to;
  return sources.map((from) => ({ from, to: place }));
}

/** Long options whose values are words of their own. */
const LONG = ['suffix', 'mode', 'owner', 'group'];
const FOLDER = 'target-directory';

/** The words that are no options, nor values of these; and the folder that an option names. */
function operandsOf(
  words: readonly KnownWord[],
  takes: string | undefined,
): { operands: readonly KnownWord[]; folder: KnownWord | undefined } {
  const operands: KnownWord[] = [];
  let folder: KnownWord | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as KnownWord;
    if (word.text === '--' && takes !== undefined) return { operands: [...operands, ...words.slice(at + 1)], folder };
    if (!word.text.startsWith('-')) operands.push(word);
    else if (takes !== undefined) {
      const { isFolder, value } = optionOf(word.text, takes) ?? {};
      if (value === undefined) continue;
      const given = value === '' ? words[++at] : { text: value, sure: word.sure === undefined ? undefined : '' };
      if (isFolder) folder = given;
    }
  }
  return { operands, folder };
}

/** An option that takes a value, and what is attached of it. */
function optionOf(text: string, takes: string): { isFolder: boolean; value: string } | undefined {
  if (text.startsWith('--')) {
    const equals = text.indexOf('=');
    const name = text.slice(2, equals < 0 ? undefined : equals);
    const isFolder = name !== '' && FOLDER.startsWith(name) && takes.includes('t');
    if (!isFolder && !LONG.includes(name)) return undefined;
    return { isFolder, value: equals < 0 ? '' : text.slice(equals + 1) };
  }
  for (let i = 1; i < text.length; i++)
    if (takes.includes(text[i] as string)) return { isFolder: text[i] === 't', value: text.slice(i + 1) };
  return undefined;
}

/** `f{,.sh}` is `f f.sh`, unless an expansion is in it. */
function spelledOut(word: KnownWord): KnownWord[] {
  if (word.sure === undefined || !word.text.includes('{') || /[$`*?[]/.test(word.text)) return [word];
  const texts = withoutBraces(word.text);
  return texts === undefined ? [word] : texts.map((text) => ({ text, sure: undefined }));
}
