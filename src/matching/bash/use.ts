import { bashProgram } from './lookup.js';
import { noteTargets } from './operands.js';
import { OptionReader } from './options.js';
import type { BashProgram } from './program.js';
import type { OptionUse } from './used.js';
import { isFile, type KnownWord, restOf, splitWords } from './words.js';

/** At most this many words are tried one by one. */
const MOST_STARTS = 20;

/** The name by which a command is looked up: `git` for `/usr/bin/git`. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Whether a command of this name runs its arguments. */
export function runsOthers(name: string): boolean {
  const rest = bashProgram(baseName(name))?.rest;
  return rest === 'command' || rest === 'line' || rest === 'anywhere';
}

/** Reads the words from `at` on according to the program's entry in the table. `isForFiles`: also notes the files that it writes. */
export function useOf(words: readonly KnownWord[], at: number, isForFiles = true): OptionUse {
  const use: OptionUse = { runs: [], lines: [], maybe: [], plain: new Set(), shown: new Set() };
  let program = bashProgram(baseName(words[at]?.text ?? ''));
  let next = at + 1;
  for (;;) {
    if (program === undefined)
      return { ...use, stranger: true, ...(next === at + 1 ? { guessed: guessedIn(words, next) } : {}) };
    const own: BashProgram = program;
    if (own.reads) use.reads = true;
    if (own.activates) use.activates = true;
    if (own.anyPath) use.anyPath = true;
    if (own.unasked !== undefined) use.files = own.unasked.split(' ');
    if (isForFiles) noteTargets(words, next, own, use);
    if (own.hidden && words.length > next) return { ...use, hidden: true };
    if (own.after !== undefined) use.looked = words.length - next;
    if (own.after !== undefined) return afterWords(words, next, own, own.after.split(' '), use);
    if (own.only !== undefined) {
      const only = own.only;
      const runs = ({ text }: KnownWord): boolean =>
        /^-n?f|^--file/.test(text) || (!/^-[a-zA-Z]+$/.test(text) && only.test(text));
      if (words.slice(next).some(runs)) return { ...use, stranger: true };
      program = { rest: 'shown' };
      continue;
    }
    const reader = new OptionReader(words, own, use);
    const state = reader.read(next);
    use.looked = (use.looked ?? 0) + reader.at - next;
    if (use.told !== undefined)
      use.given = words.slice(at + 1).flatMap(({ text }) => (text.startsWith('-') ? [] : [text]));
    if (state === 'nothing' || use.instead !== undefined) return use;
    next = reader.at;
    if (own.under === undefined) {
      take(words, next, own, reader, use, at);
      return use;
    }
    const name = words[next];
    if (name === undefined) return { ...use, ends: true, stranger: true };
    // The word taken for the subcommand may be the value of an unknown option.
    if (reader.unsure) {
      const isKnown = (word: KnownWord): boolean => bashProgram(word.text, own) !== undefined;
      if (words.slice(next + 1).some(isKnown))
        return { ...use, anywhere: next + words.slice(next).findIndex(isKnown) + 1, stranger: true };
    }
    program = name.sure === undefined ? bashProgram(name.text, own) : undefined;
    if (program !== undefined || own.under['*'] === undefined) next++;
    else program = own.under['*'];
  }
}

/** The words at which an unknown program may run a command: after `--`, `exec` or `run`, as in `foo run -- rm x`. */
function guessedIn(words: readonly KnownWord[], from: number): number[] {
  const given = words.slice(from, from + MOST_STARTS);
  const isOption = ({ text }: KnownWord): boolean => text.startsWith('-');
  const end = given.findIndex(({ text }) => text === '--');
  if (end !== -1) {
    const behind = given.slice(end + 1).findIndex(({ text }) => !/^\w+=/.test(text));
    return behind === -1 ? [] : [from + end + 1 + behind];
  }
  const first = given.findIndex((word) => !isOption(word));
  if (!/^(?:exec|run)$/.test(given[first]?.text ?? '')) return [];
  return given.flatMap((word, i) => (i > first && !isOption(word) ? [from + i] : []));
}

function afterWords(
  words: readonly KnownWord[],
  from: number,
  own: BashProgram,
  after: readonly string[],
  use: OptionUse,
): OptionUse {
  const split = words.flatMap((word, at) => (at < from ? [word] : apart(word, after, own.short)));
  // Read again, now with the name of each command as a word of its own.
  if (split.some((word, at) => word !== words[at])) return { ...use, ends: true, instead: split };
  for (let at = from; at < words.length; at++) if (after.includes(words[at]?.text ?? '')) use.runs.push(at + 1);
  return {
    ...use,
    ends: true,
    ...(own.fills ? { hole: '{}' } : {}),
    ...(use.runs.length > 0 ? {} : { stranger: true }),
  };
}

/** Splits `--exec=rm` and `-Hxrm` into the option and the name of the command. */
function apart(word: KnownWord, after: readonly string[], short = ''): KnownWord[] {
  const { text } = word;
  if (after.includes(text)) return [word];
  const [, long] = /^(--[^=]+)=/s.exec(text) ?? [];
  const letters = after.filter((option) => option.length === 2).map((option) => option.slice(1));
  const takesValue = (letter: string): boolean => short.includes(`${letter}:`);
  const ends = /^-\w/.test(text)
    ? [...text].findIndex((letter, i) => i > 0 && (letters.includes(letter) || takesValue(letter)))
    : -1;
  // `-ex` is `-e` with the value `x`.
  const at = letters.includes(text[ends] ?? '') ? ends : -1;
  const option = at < 0 ? long : `-${text[at]}`;
  const length = at < 0 ? (long?.length ?? 0) + 1 : at + (text[at + 1] === '=' ? 2 : 1);
  if (option === undefined || !after.includes(option)) return [word];
  return [{ text: option, sure: undefined }, ...(length < text.length ? [restOf(word, length)] : [])];
}

/** `-all`, `--a`: the command runs in every namespace, so none is named. */
const isAll = ({ text }: KnownWord): boolean => /^--?al?l?$/.test(text);

/** Kinds of words among which the command is only guessed. */
const GUESSED: ReadonlySet<string> = new Set(['guessed', 'anywhere', 'maybe']);

/** Reads the words after options and operands. `from`: the index of the program. */
function take(
  words: readonly KnownWord[],
  at: number,
  own: BashProgram,
  reader: OptionReader,
  use: OptionUse,
  from: number,
): void {
  if (own.fills) use.hole ??= '{}';
  const first = words[at];
  if (own.folder) use.unlessFolder = reader.first;
  if (own.rest === 'shown') {
    for (let next = reader.from; next < words.length; next++) if (!reader.values.has(next)) use.shown.add(next);
    use.shows = true;
    if (own.writes) use.writes = true;
    return;
  }
  if (reader.unsure && own.rest !== undefined && own.rest !== 'guessed') {
    // An unknown option may replace the operand (`podman exec --latest`), and a variable may contain options (`ssh $OPTIONS host`).
    use.anywhere = reader.strange ? (reader.first ?? at) : at + 1;
    use.stranger = true;
    if (own.input) use.shell = true;
  }
  if (reader.either !== undefined) use.anywhere = Math.min(use.anywhere ?? at, reader.either);
  if (reader.entry !== undefined && (reader.entry.text !== '' || reader.entry.sure !== undefined)) {
    takeEntry(reader.entry, words.slice(at), reader.unsure, use);
    return;
  }
  if (reader.lineFirst) {
    if (first === undefined) use.hidden = true;
    else use.lines.push([first]);
    return;
  }
  // The command that it runs may run its input: `pyenv exec python`.
  if (own.rest === undefined || GUESSED.has(own.rest)) use.stranger = true;
  if (own.bare && reader.first !== undefined && words.slice(from, reader.from).some(isAll)) {
    use.runs.push(reader.first);
    if (first !== undefined) use.guessed = [at];
    return;
  }
  if (first === undefined || use.input) {
    if (own.rest !== undefined) use.ends = true;
    if (own.input && use.lines.length === 0) use.input = true;
    return;
  }
  switch (own.rest) {
    case 'command':
      if (first.text.startsWith('-')) {
        use.anywhere = at;
        use.stranger = true;
      } else if (!reader.strange) use.runs.push(at);
      return;
    case 'line':
      if (!reader.strange) use.lines.push(words.slice(at));
      return;
    case 'first':
      use.lines.push([first]);
      return;
    case 'lines':
      for (const word of words.slice(at)) use.lines.push([word]);
      return;
    case 'maybe':
      use.maybe.push(...words.slice(at));
      return;
    case 'anywhere':
    case 'guessed':
      if (own.rest === 'anywhere') use.anywhere ??= at;
      if (own.sure && !reader.strange && reader.either === undefined) use.runs.push(at);
      else use.guessed = words.slice(at, at + MOST_STARTS).map((_, i) => at + i);
      if (own.input && use.lines.length === 0) use.input = true;
      return;
    case 'file':
      if (isFile(first)) {
        use.file = true;
        use.files = [...(use.files ?? []), first.text];
      } else use.hidden = true;
      return;
    default:
  }
}

/** Reads a command whose name is the value of an option: `docker run --entrypoint git image push`. */
function takeEntry(entry: KnownWord, given: readonly KnownWord[], unsure: boolean, use: OptionUse): void {
  const name = listIn(entry) ?? splitWords(entry);
  use.ends = true;
  if (name === undefined || (unsure && given.length > MOST_STARTS)) {
    use.hidden = true;
    return;
  }
  // Only known words can be read as a line; an unknown one would make the whole line unknown.
  const isKnown = given.every(({ sure }) => sure === undefined);
  if (!isKnown) use.instead = [...name, ...given];
  use.lines.push(quoted(isKnown ? [...name, ...given] : name));
  if (!unsure) return;
  // The word taken for the image may be the value of an unknown option.
  for (let from = 1; from <= given.length; from++) use.lines.push(quoted([...name, ...given.slice(from)]));
}

/** Podman also accepts a JSON array. */
function listIn({ text, sure }: KnownWord): KnownWord[] | undefined {
  if (sure !== undefined || !text.startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) return undefined;
    return list.map((one) => ({ text: one, sure: undefined }));
  } catch {
    return undefined;
  }
}

/** Quotes the words, for a line that is parsed again. */
const quoted = (words: readonly KnownWord[]): KnownWord[] =>
  words.map((word) => ({
    ...word,
    text: /^[\w./:@%+=,-]+$/.test(word.text) ? word.text : `'${word.text.replaceAll("'", `'\\''`)}'`,
  }));
