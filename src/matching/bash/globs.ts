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
/** So many words may stand before one that says that it runs what follows. */
const MOST_BEFORE = 4;
/** What lies between quotes, brackets and the ends of commands; `&` and `|` of a redirection and `!` of a choice end none. */
const PIECE = /(?:[^\n;|&()`"'!{}\uE002]|(?<=\[)!|(?<=[<>])&|&(?=>)|(?<=>)\|)+/g;
/** `{a,b}` and `{}`, whose brackets end no piece: in their place stand two signs that no text has. A quote in quotes is a third. */
const CHOICE = /\{([^\s{}"'`;|&(),]*,[^\s{}"'`;|&()]*)\}|(?<!\$)\{([.#%/\d]*)\}/g;
const [FROM, TO, QUOTED] = ['\uE000', '\uE001', '\uE002'];
/** Choices in choices are looked at so far; with more there are more words than are spelled out. */
const MOST_NESTED = 20;

/** What begins a command in Perl and Ruby; their other brackets are among the marks. */
const QUOTE = /(?:\bqx|%x)\s?[[/<]/g;

/** Words of the shell before a command. */
const KEYWORDS: ReadonlySet<string> = new Set('if then elif else while until do'.split(' '));
/** What other programs call to run one: `.shell rm x`, `\! rm x`, `RUN rm x`, `1e rm x`. */
const SAYS_RUN =
  /^(?:[.:\\@]?(?:shell|system|run|exec|execute|spawn|cmd|command|call|entrypoint|healthcheck|onbuild|npx|bunx|pnpx|!)|[\d,$]*e)$/i;
/** `npm exec`, `some-tool exec --` */
const RUNNING = /^(?:exec|dlx|run)$/;
/** When a command is run, in a crontab. */
const FIELD = /^[\d*][\d*,/-]*$/;
const DAY = /^(?:[\d*][\d*,/-]*|[a-z]{3}(?:[,-][a-z]{3})*)$/i;
const OFTEN = /^@(?:reboot|yearly|annually|monthly|weekly|daily|midnight|hourly|every_minute)$/;
/** What is put in the place of this is not known. */
const HOLE = /^\{[.#%/\d]*\}$/;
/** What make, systemd and others have before a command. */
const MARKS = /^(?:[@+:-]+|>+)(?=.)/;
const REDIRECTION = /^\d{0,9}(?:[<>]{1,3}[&|]?|&>{1,2})(.*)$/s;
const SETS = /^[:?+]{0,2}=$/;
/** `A=b`, `--command=b`, `scripts.a=b`. */
const SETTING = /^(?:--?)?(?:[\w.-]*[.])?([\w-]+)(?:\[[^\]]*\])?\+?=(.*)$/s;
const ASSIGNMENT = /^\w+(?:\[[^\]]*\])?\+?=/;
/** What the name of a file may look like, and a pattern of names. */
const NAME = /^(?:[\w.*?[\]{},^+-]|(?<=\[)!)+$/;

/** Adds the commands in a text whose names are patterns. One whose name has no letter is none: `* item`, `src/*`. */
export function addGlobs(text: string, found: BashReading): void {
  if (!/[*?[{]/.test(text)) return;
  for (const one of new Set([text, unescaped(text)])) {
    const joined = one
      .replace(/\\\r?\n/g, ' ')
      .replace(/\\(?:(["'])|`)/g, (_, quote?: string) => ` ${quote === undefined ? '`' : QUOTED}`)
      .replace(/\\ /g, '_')
      .replace(QUOTE, '"');
    const whole = withChoices(joined);
    const seen = new Set<string>();
    for (const { index, 0: piece } of whole.matchAll(PIECE)) {
      if (!/[*?[\uE000]/.test(piece)) continue;
      const [mark, before, next] = [whole[index - 1], whole[index - 2], whole[index + piece.length]];
      const written = piece.replaceAll(FROM, '{').replaceAll(TO, '}');
      const sure = isCommand(written, mark, before);
      // Another quote begins, and not that of the piece ends.
      const isOpen = /\s$/.test(piece) && /["'`\uE002]/.test(next ?? '') && (next !== mark || before === mark);
      const key = `${sure ? '+' : ''}${isOpen ? '"' : ''}${written}`;
      if (!seen.has(key)) addPiece(written, { sure, isOpen }, found);
      seen.add(key);
    }
  }
}

function withChoices(text: string): string {
  let whole = text;
  for (let nested = 0; nested < MOST_NESTED; nested++) {
    const next = whole.replace(CHOICE, (_, choice?: string, hole = '') => `${FROM}${choice ?? hole}${TO}`);
    if (next === whole) break;
    whole = next;
  }
  return whole;
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

/** The places where a command begins, as the shell and the table of programs have it. `isOpen`: more words follow. */
function addPiece(piece: string, { sure, isOpen }: { sure: boolean; isOpen: boolean }, found: BashReading): void {
  const words = piece
    .trim()
    .split(/\s+/)
    .map((text): KnownWord => ({ text, sure: undefined }));
  if (isOpen) words.push({ text: '$', sure: undefined });
  const places: Place[] = [{ words, at: 0, sure }];
  for (const [at, { text }] of words.entries())
    if (text.endsWith(':') && places.length < MOST_SETTINGS) places.push({ words, at: at + 1, sure: false });
  const looks = { seen: new Map<readonly KnownWord[], number>(), free: words.length * 2 };
  for (const place of places) {
    addName(place, found);
    places.push(...placesBehind(place, looks, found));
    if (places.length > MOST_PLACES) throw new Unknowable();
  }
}

/** `seen`: from where on any word has been looked at. `free`: how many words may be looked at before that counts. */
interface Looks {
  readonly seen: Map<readonly KnownWord[], number>;
  free: number;
}

/** Where else a command begins if none but this word stands before it. */
function placesBehind(place: Place, looks: Looks, found: BashReading): Place[] {
  const { words, at, sure } = place;
  const { text } = words[at] ?? { text: '' };
  const on = (to: number, isSure = sure): Place => ({ words, at: to, sure: isSure });
  if (text === '') return [];
  if (KEYWORDS.has(text)) return [on(at + 1, true)];
  if (SETS.test(text) || /^(?!--$)[@+-]+$/.test(text) || HOLE.test(text)) return [on(at + 1)];
  if (SETS.test(words[at + 1]?.text ?? '')) return [on(at + 2)];
  if (OFTEN.test(text)) return jobsAt(words, at + 1);
  if (isTime(words, at)) return jobsAt(words, at + 5);
  const bare = text.replace(MARKS, '');
  const isMarked = bare !== text && !text.startsWith('--');
  const [, target] = REDIRECTION.exec(text) ?? [];
  // It may also be the sign before a recipe.
  if (target === '') return [on(at + 1), on(at + 2)];
  if (target !== undefined) return [on(at + 1), ...(isMarked ? [withFirst(bare, words, at, sure)] : [])];
  if (isMarked) return [withFirst(bare, words, at, sure)];
  const [, name = '', value = ''] = SETTING.exec(text) ?? [];
  if (name !== '') {
    const mayRun = !VALUE_NAMES.test(name) && !value.includes('://');
    return [
      ...(ASSIGNMENT.test(text) || (value === '' && mayRun) ? [on(at + 1)] : []),
      ...(value !== '' && mayRun ? [withFirst(value, words, at, false)] : []),
    ];
  }
  if (SAYS_RUN.test(text)) return [nextTo(words, at, false)].flatMap((next) => next ?? []);
  return placesOf(place, looks, found);
}

/** `0 1 * * mon-fri` */
function isTime(words: readonly KnownWord[], at: number): boolean {
  if (!FIELD.test(words[at]?.text ?? '') || !FIELD.test(words[at + 1]?.text ?? '')) return false;
  return [2, 3, 4].every((i) => DAY.test(words[at + i]?.text ?? ''));
}

/** A user may stand before the command. */
function jobsAt(words: readonly KnownWord[], at: number): Place[] {
  const { text } = words[at + 1] ?? { text: '-' };
  const isNone = text.startsWith('-') || RUNNING.test(text);
  return (isNone ? [at] : [at, at + 1]).map((to) => ({ words, at: to, sure: false }));
}

/** The next word that is no option. */
function nextTo(words: readonly KnownWord[], at: number, sure: boolean): Place | undefined {
  const next = words.findIndex((word, i) => i > at && !word.text.startsWith('-'));
  return next === -1 ? undefined : { words, at: next, sure };
}

/** Where the program runs others, as the table has it. */
function placesOf({ words, at }: Place, looks: Looks, found: BashReading): Place[] {
  const on = (to: number): Place => ({ words, at: to, sure: true });
  const use = useOf(words, at, false);
  const looked = (use.looked ?? 0) + use.maybe.length + use.shown.size;
  spend(Math.max(0, looked - looks.free) * COST.look, found);
  looks.free = Math.max(0, looks.free - looked);
  if (use.stranger && use.anywhere === undefined) {
    const runner = words.findIndex(({ text }, i) => i > at && i <= at + MOST_BEFORE && RUNNING.test(text));
    const isRun = runner !== -1 && (words[runner]?.text !== 'run' || words[runner + 1]?.text === '--');
    return isRun ? [nextTo(words, runner, true)].flatMap((next) => next ?? []) : [];
  }
  spend(COST.guess, found);
  if (use.anywhere !== undefined) {
    const end = looks.seen.get(words) ?? words.length;
    for (let i = use.anywhere; i < end; i++) addName(on(i), found);
    looks.seen.set(words, Math.min(use.anywhere, end));
  }
  const lines = use.instead === undefined ? use.lines : [...use.lines, use.instead];
  return [...use.runs.map(on), ...lines.map((line) => ({ words: line, at: 0, sure: true }))];
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
