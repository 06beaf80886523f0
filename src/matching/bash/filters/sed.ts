import type { Move } from '../moves.js';
import { lastName } from '../reading.js';
import { type KnownWord, restOf } from '../words.js';
import { assumed } from './assumed.js';
import {
  assumeBare,
  assumeOne,
  type FilterReader,
  fixedIn,
  isSeveral,
  isUnknown,
  markedIn,
  namedIn,
  readings,
  UnclearError,
  understood,
  unitsIn,
} from './filter.js';
import { SedScript } from './sed-script.js';

/** Options that change nothing about which files are written. */
const SHORT = 'nErsuzb';
const LONG =
  /^--(?:quiet|silent|null-data|zero-terminated|posix|regexp-extended|separate|unbuffered|debug|follow-symlinks|binary|sandbox|line-length=\d+)$/;
const IN_PLACE = /^--in-place(?:=(.*))?$/s;

interface SedWords {
  readonly scripts: readonly KnownWord[];
  readonly files: readonly KnownWord[];
  /** Files are changed in place, and their old texts stored under names with this ending, if it is not empty. */
  readonly inPlace: KnownWord | undefined;
  /** It refuses scripts that run a command. */
  readonly isSandbox: boolean;
}

/** The scripts among the words, and the files that are read. */
function wordsOf(words: readonly KnownWord[], assumes: Set<string>): SedWords {
  const scripts: KnownWord[] = [];
  const operands: KnownWord[] = [];
  /** Those that may be options. */
  const early: KnownWord[] = [];
  let inPlace: KnownWord | undefined;
  let ended = false;
  let isSandbox = false;
  const addScript = (word: KnownWord | undefined): void => {
    // Elsewhere than in GNU, options end at the first operand.
    if (word === undefined || operands.length > 0) throw new UnclearError();
    scripts.push(word);
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as KnownWord;
    const { text } = word;
    if (ended || text === '-' || !text.startsWith('-')) {
      // `-i ''` elsewhere than in GNU
      if (text !== '' || inPlace === undefined || operands.length > 0) operands.push(word);
      if (!ended) early.push(word);
    } else if (text === '--') ended = true;
    else if (text === '--expression') addScript(words[++at]);
    else if (text.startsWith('--expression=')) addScript(restOf(word, '--expression='.length));
    else if (IN_PLACE.test(text)) inPlace = restOf(word, text.length - (IN_PLACE.exec(text)?.[1] ?? '').length);
    else if (text.startsWith('--')) {
      if (!LONG.test(text)) throw new UnclearError();
      // Behind an operand it may be a file.
      if (text === '--sandbox' && operands.length === 0) isSandbox = true;
    } else {
      let end = 1;
      while (SHORT.includes(text[end] ?? ' ')) end++;
      const value = end + 1 < text.length ? restOf(word, end + 1) : undefined;
      if (text[end] === 'e') addScript(value ?? words[++at]);
      else if (text[end] === 'i') inPlace = value ?? { text: '', sure: undefined };
      else if (text[end] === 'l') {
        const length = value ?? words[++at];
        if (length === undefined || length.sure !== undefined) throw new UnclearError();
      } else if (end < text.length) throw new UnclearError();
    }
  }
  if (scripts.length === 0) scripts.push(...operands.splice(0, 1));
  if (scripts.length === 0 || scripts.some(isUnknown)) throw new UnclearError();
  for (const script of scripts) assumeBare(script, assumes);
  if (inPlace !== undefined) assumeOne(inPlace, assumes);
  for (const file of early) if (!scripts.includes(file)) assumeOperand(file, assumes);
  return { scripts, files: operands, inPlace, isSandbox };
}

/** A file may become several, but none that is an option. */
function assumeOperand(file: KnownWord, assumes: Set<string>): void {
  if (file.sure === undefined) return;
  const fixed = fixedIn(file);
  if (/^[*?[]/.test(fixed)) assumes.add(assumed('glob', ''));
  const isStart = markedIn(file).startsWith('\0');
  if (isStart && fixed.startsWith('-')) throw new UnclearError();
  for (const unit of unitsIn(markedIn(file))) {
    if (/^[$`"]/.test(unit)) {
      if (isStart || isSeveral(unit) || !unit.startsWith('"')) assumes.add(assumed('operand', unit));
    } else if (!/^\{[\w.,/{}]*\}$/.test(unit) || file.text.includes('-')) throw new UnclearError();
  }
}

/** Endings of copies that a shell seldom runs. */
const BACKUP = /^(?:~|\.?(?:bak|back|backup|orig|old|save|tmp|sedbak|\d+))$/i;
const isPlain = ({ text, sure }: KnownWord): boolean => sure === undefined && !/[*?[{]/.test(text);
const SOME_FILE: KnownWord = { text: '$', sure: '' };

/** The copies that it makes of the files that it changes. */
function backups(files: readonly KnownWord[], ending: KnownWord): readonly Move[] {
  if (ending.text === '') return [];
  const isBackup = BACKUP.test(ending.text);
  if (files.length === 0) return isBackup ? [] : [{ from: SOME_FILE, to: SOME_FILE }];
  // Of a usual backup only one with a known name.
  return (isBackup ? files.filter(isPlain) : files).map((from) => {
    const name = lastName(from.text);
    const folder = from.text.slice(0, from.text.length - name.length);
    const copy = ending.text.includes('*') ? ending.text.replaceAll('*', name) : `${name}${ending.text}`;
    const isKnown = from.sure === undefined && ending.sure === undefined;
    return { from, to: { text: copy.includes('/') ? copy : `${folder}${copy}`, sure: isKnown ? undefined : '' } };
  });
}

/** Scripts that write lines as they are. */
const COPIES = /^[\d,$!]*(?:p|w[^\S\n]+[\w.+/-]+)$/;

export const readSed: FilterReader = (words) =>
  understood(() => {
    if (words.length === 1 && /^--(?:version|help)$/.test(words[0]?.text ?? '')) return { files: [], grows: true };
    const assumes = new Set<string>();
    const { scripts, files, inPlace, isSandbox } = wordsOf(words, assumes);
    const text = scripts.map(markedIn).join('\n');
    const written = new Set<string>();
    const runs = new Set<string>();
    let writes = 0;
    for (const script of readings(text, (one) => new SedScript(one))) {
      const names = script.read();
      writes += names.length;
      for (const name of names) written.add(name).add(name.trimEnd());
      if (!isSandbox) for (const line of script.runs) runs.add(line);
      for (const one of script.assumes) assumes.add(one);
    }
    const isKnown = scripts.every(({ sure }) => sure === undefined);
    const isAlone = isKnown && inPlace === undefined && files.length === 0 && writes === 1;
    return {
      files: [...written].map(namedIn),
      copies: isAlone && scripts.every((script) => COPIES.test(script.text)),
      moves: inPlace === undefined ? [] : backups(files, inPlace),
      runs: [...runs].map((line) => [line, false]),
      grows: 'operands',
      assumes,
    };
  });
