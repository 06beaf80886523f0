import type { Move } from './moves.js';
import type { BashProgram } from './program.js';
import { lastName } from './reading.js';
import type { OptionUse } from './used.js';
import { type KnownWord, withoutBraces } from './words.js';

/** Notes the files that a program writes, copies or changes, according to its words from index `from` on. */
export function noteTargets(
  words: readonly KnownWord[],
  from: number,
  { targets, moves, takes, filter }: BashProgram,
  use: OptionUse,
): void {
  if (targets === undefined && moves === undefined && filter === undefined) return;
  const given = words.slice(from);
  if (filter !== undefined) {
    const end = hasFinder(words, from) ? given.findIndex(({ text }) => ENDS.test(text)) : -1;
    // Of `{} +` there may be several.
    const isMany = given[end]?.text === '+';
    use.filter = { read: filter, words: given.slice(0, end < 0 ? undefined : isMany ? end - 1 : end) };
  }
  const stored = (word: KnownWord): KnownWord | undefined => {
    const [, name] = targets?.exec(word.text) ?? [];
    return name === undefined ? undefined : { ...word, text: name.includes('/') ? name : `./${name}` };
  };
  if (targets !== undefined) use.targets = given.flatMap((word) => stored(word) ?? []);
  if (moves === undefined) return;
  use.looked = (use.looked ?? 0) + from;
  const end = hasFinder(words, from) ? given.findIndex(({ text }) => ENDS.test(text)) : -1;
  const all = movesOf(given.slice(0, end < 0 ? undefined : end).flatMap(spelledOut), moves, takes);
  // It changes no file in place.
  if (all.length === 0 && moves instanceof RegExp && !given.some(({ text }) => moves.test(text))) return;
  // `host:file` is stored as `file`.
  use.moves = targets === undefined ? all : all.map(({ from, to }) => ({ from: stored(from) ?? from, to }));
}

/** Programs that end a command with a word of their own: `;` or `+` in find, `:::` in parallel. */
const FINDERS: ReadonlySet<string> = new Set('find gfind bfs fd fdfind parallel sem'.split(' '));
const ENDS = /^(?:[;+]|:::.*)$/s;

const hasFinder = (words: readonly KnownWord[], end: number): boolean =>
  words.slice(0, end).some(({ text }) => FINDERS.has(lastName(text)));

function movesOf(words: readonly KnownWord[], moves: 'last' | 'some' | RegExp, takes: string | undefined): Move[] {
  const { operands, folder, perhaps } = operandsOf(words, takes);
  if (moves === 'some') return operands.map((from) => ({ from, to: { text: '$', sure: '' } }));
  if (moves !== 'last')
    return words.some(({ text }) => moves.test(text)) ? operands.map((word) => ({ from: word, to: word })) : [];
  if (folder !== undefined) return movesTo({ ...folder, text: `${folder.text}/` }, operands, false);
  const last = operands.at(-1);
  if (last === undefined) return [];
  // The last operand may be the value of an unknown option.
  const other = perhaps.has(last) ? operands.findLast((word) => !perhaps.has(word)) : undefined;
  return [last, ...(other === undefined ? [] : [other])].flatMap((to) => movesTo(to, operands, perhaps.size > 0));
}

/** `isOne`: some operands may not be files, so only one file may be copied. */
function movesTo(to: KnownWord, operands: readonly KnownWord[], isOne: boolean): Move[] {
  const sources = operands.filter((word) => word !== to);
  if (sources.length === 0 && to.text.endsWith('/')) return [{ from: { text: '$', sure: '' }, to }];
  // Several files are copied to a folder, where they keep their names.
  const place = sources.length > 1 && !isOne && to.sure !== undefined ? { ...to, text: `${to.text}/` } : to;
  return sources.map((from) => ({ from, to: place }));
}

/** Long options whose value is the next word, and those without a value or with an attached one only. */
const LONG = 'suffix mode owner group sparse no-preserve strip-program'.split(' ');
const BARE: ReadonlySet<string> = new Set(
  (
    'archive backup force interactive link dereference no-dereference no-clobber preserve parents recursive reflink symbolic symbolic-link update ' +
    'verbose one-file-system no-target-directory remove-destination strip-trailing-slashes directory compare delete compress human-readable ' +
    'progress partial dry-run quiet checksum times perms links relative delete-after delete-excluded stats itemize-changes'
  ).split(' '),
);
const FOLDER = 'target-directory';

interface ParsedOperands {
  readonly operands: readonly KnownWord[];
  /** The target folder that an option names. */
  readonly folder: KnownWord | undefined;
  /** Operands after an unknown option, whose value they may be. */
  readonly perhaps: ReadonlySet<KnownWord>;
}

/** The words that are neither options nor their values. */
function operandsOf(words: readonly KnownWord[], takes: string | undefined): ParsedOperands {
  const operands: KnownWord[] = [];
  const perhaps = new Set<KnownWord>();
  let folder: KnownWord | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as KnownWord;
    if (word.text === '--' && takes !== undefined)
      return { operands: [...operands, ...words.slice(at + 1)], folder, perhaps };
    if (!word.text.startsWith('-')) {
      operands.push(word);
      continue;
    }
    const option = optionOf(word.text, takes);
    const next = words[at + 1];
    if (option === 'unknown' && next !== undefined && !next.text.startsWith('-')) perhaps.add(next);
    if (option === undefined || option === 'unknown') continue;
    const { isFolder, value } = option;
    const given = value === '' ? words[++at] : { text: value, sure: word.sure === undefined ? undefined : '' };
    if (isFolder) folder = given;
  }
  return { operands, folder, perhaps };
}

/** An option with a value, and the attached part of it. `unknown`: the next word may be its value. */
function optionOf(
  text: string,
  takes: string | undefined,
): { isFolder: boolean; value: string } | 'unknown' | undefined {
  if (text.startsWith('--')) {
    const equals = text.indexOf('=');
    const name = text.slice(2, equals < 0 ? undefined : equals);
    const isFolder = name !== '' && FOLDER.startsWith(name) && takes?.includes('t') === true;
    if (isFolder || (takes !== undefined && LONG.includes(name)))
      return { isFolder, value: equals < 0 ? '' : text.slice(equals + 1) };
    return equals < 0 && !BARE.has(name) ? 'unknown' : undefined;
  }
  if (takes === undefined) return text.length === 2 ? 'unknown' : undefined;
  for (let i = 1; i < text.length; i++)
    if (takes.includes(text[i] as string)) return { isFolder: text[i] === 't', value: text.slice(i + 1) };
  return undefined;
}

/** Expands braces, `f{,.sh}` to `f f.sh`, unless the word has other expansions. */
function spelledOut(word: KnownWord): KnownWord[] {
  if (word.sure === undefined || !word.text.includes('{') || /[$`*?[]/.test(word.text)) return [word];
  const texts = withoutBraces(word.text);
  return texts === undefined ? [word] : texts.map((text) => ({ text, sure: undefined }));
}
