import { nameTest } from './glob-name.js';
import { unescaped } from './guess.js';
import { VALUE_NAMES } from './names.js';
import { type BashReading, COST, lastName, spend, Unknowable } from './reading.js';
import { useOf } from './use.js';
import { type KnownWord, withoutBraces } from './words.js';

/** What follows a name is looked at so far. */
const LONGEST_REST = 200;
/** A longer name is none. */
const LONGEST_NAME = 120;
/** So many settings of one line are looked at, and so many places where a command may begin in it. */
const MOST_SETTINGS = 20;
const MOST_PLACES = 40;
/** What lies between quotes, brackets and the ends of commands; `&` of a redirection and `!` of a choice end none. */
const PIECE = /(?:[^\n;|&()`"'!{}]|(?<=\[)!|(?<=[<>])&|&(?=>))+/g;
/** `{a,b}`, whose brackets end no piece: in their place stand two signs that no text has. */
const CHOICE = /\{([^\s{}"'`;|&()]*,[^\s{}"'`;|&()]*)\}/g;
const [FROM, TO] = ['\uE000', '\uE001'];

/** What begins a command in Perl and Ruby; their other brackets are among the marks. */
const QUOTE = /(?:\bqx|%x)\s?[[/<]/g;

/** Words of the shell before a command. */
const KEYWORDS: ReadonlySet<string> = new Set('if then elif else while until do'.split(' '));
/** What other programs call to run one: `.shell rm x`, `\! rm x`, `RUN rm x`, `1e rm x`. */
const SAYS_RUN =
  /^(?:[.:\\@]?(?:shell|system|run|exec|execute|spawn|cmd|command|call|entrypoint|healthcheck|!)|[\d,$]*e)$/i;
/** What make, systemd and others have before a command. */
const MARKS = /^[@+>:-]+(?=.)/;
const REDIRECTION = /^\d{0,9}(?:[<>]{1,3}[&|]?|&>{1,2})(.*)$/s;
const SETS = /^[:?+]{0,2}=$/;
/** `A=b`, `--command=b`, `scripts.a=b`. */
const SETTING = /^(?:--?)?(?:[\w.-]*[.])?([\w-]+)\+?=(.*)$/s;
const ASSIGNMENT = /^\w+\+?=/;
/** What the name of a file may look like, and a pattern of names. */
const NAME = /^(?:[\w.*?[\]{},^+-]|(?<=\[)!)+$/;

/** Adds the commands in a text whose names are patterns. One whose name has no letter is none: `* item`, `src/*`. */
export function addGlobs(text: string, found: BashReading): void {
  if (!/[*?[{]/.test(text)) return;
  for (const one of new Set([text, unescaped(text)])) {
    const joined = one
      .replace(/\\\r?\n/g, ' ')
      .replace(/\\(?=["'`])/g, ' ')
      .replace(QUOTE, '"');
    const whole = joined.replace(CHOICE, `${FROM}$1${TO}`);
    for (const { index, 0: piece } of whole.matchAll(PIECE)) {
      if (!/[*?[\uE000]/.test(piece)) continue;
      const written = piece.replaceAll(FROM, '{').replaceAll(TO, '}');
      addPiece(written, isCommand(written, whole[index - 1], whole[index - 2]), found);
    }
  }
}

/** Whether a word alone is a command there: in a recipe, or behind another one. In quotes or a list it is a pattern of files. */
function isCommand(piece: string, mark: string | undefined, before: string | undefined): boolean {
  if (mark === undefined || mark === '\n') return /^(?:[ ]*\t|[ \t+-]*@)/.test(piece);
  return mark === ';' || ((mark === '&' || mark === '|') && before === mark);
}

interface Place {
  readonly words: readonly KnownWord[];
  readonly at: number;
  /** It is a command even without anything behind it. */
  readonly sure: boolean;
}

/** The places where a command begins, as the shell and the table of programs have it. */
function addPiece(piece: string, sure: boolean, found: BashReading): void {
  const words = piece
    .trim()
    .split(/\s+/)
    .map((text): KnownWord => ({ text, sure: undefined }));
  const places: Place[] = [{ words, at: 0, sure }];
  for (const [at, { text }] of words.entries())
    if (text.endsWith(':') && places.length < MOST_SETTINGS) places.push({ words, at: at + 1, sure: false });
  const seen = new Map<readonly KnownWord[], number>();
  for (const place of places) {
    addName(place, found);
    places.push(...placesBehind(place, seen, found));
    if (places.length > MOST_PLACES) throw new Unknowable();
  }
}

/** Where else a command begins if none but this word stands before it. `seen`: from where on any word has been looked at. */
function placesBehind(
  { words, at, sure }: Place,
  seen: Map<readonly KnownWord[], number>,
  found: BashReading,
): Place[] {
  const { text } = words[at] ?? { text: '' };
  const on = (to: number, isSure = sure): Place => ({ words, at: to, sure: isSure });
  if (text === '') return [];
  if (KEYWORDS.has(text)) return [on(at + 1, true)];
  if (SETS.test(text) || /^[@+-]+$/.test(text)) return [on(at + 1)];
  if (SETS.test(words[at + 1]?.text ?? '')) return [on(at + 2)];
  const bare = text.replace(MARKS, '');
  if (bare !== text && !text.startsWith('--')) return [withFirst(bare, words, at, sure)];
  const [, name = '', value = ''] = SETTING.exec(text) ?? [];
  if (name !== '') {
    const isValue = value !== '' && !VALUE_NAMES.test(name) && !value.includes('://');
    return [...(ASSIGNMENT.test(text) ? [on(at + 1)] : []), ...(isValue ? [withFirst(value, words, at, false)] : [])];
  }
  const [, target] = REDIRECTION.exec(text) ?? [];
  // Alone it may also be the sign before a recipe.
  if (target !== undefined) return target === '' ? [on(at + 1), on(at + 2)] : [on(at + 1)];
  if (SAYS_RUN.test(text)) {
    const next = words.findIndex((word, i) => i > at && !word.text.startsWith('-'));
    return next === -1 ? [] : [on(next, false)];
  }
  const use = useOf(words, at);
  if (use.stranger && use.anywhere === undefined) return [];
  spend(COST.guess, found);
  if (use.anywhere !== undefined) {
    const end = seen.get(words) ?? words.length;
    for (let i = use.anywhere; i < end; i++) addName(on(i, true), found);
    seen.set(words, Math.min(use.anywhere, end));
  }
  const lines = use.instead === undefined ? use.lines : [...use.lines, use.instead];
  return [...use.runs.map((next) => on(next, true)), ...lines.map((line) => ({ words: line, at: 0, sure: true }))];
}

const isName = (name: string): boolean => name.length <= LONGEST_NAME && NAME.test(name);

function withFirst(text: string, words: readonly KnownWord[], at: number, sure: boolean): Place {
  return { words: [{ text, sure: undefined }, ...words.slice(at + 1)], at: 0, sure };
}

function addName({ words, at, sure }: Place, found: BashReading): void {
  const { text: word } = words[at] ?? { text: '' };
  if (!/[*?[{]/.test(word) || !isName(lastName(word)) || word.includes('://')) return;
  const [name = '', ...more] = withoutBraces(word) ?? [word];
  const last = lastName(name);
  if (/[{}]/.test(last) || !/\w/.test(last.replace(/\[(?:[\^!]|[^\]]*-)[^\]]*\]/g, ''))) return;
  const rest = words
    .slice(at + 1, at + 1 + LONGEST_REST / 2 + 1)
    .map(({ text }) => text)
    .join(' ');
  if (more.length === 0 && rest === '' && !sure) return;
  const known = rest.length < LONGEST_REST ? rest : `${rest.slice(0, LONGEST_REST)} $`;
  const behind = [...more, known].filter((part) => part !== '').map((part) => ` ${part}`);
  const key = `${word} ${known}`;
  if (found.globs.has(key)) return;
  spend(COST.guess, found);
  found.globs.set(key, { mayBe: nameTest(last), rest: behind.join('') });
}
