import { nameTest } from './glob-name.js';
import { unescaped } from './guess.js';
import { VALUE_NAMES } from './names.js';
import { type BashReading, COST, lastName, spend } from './reading.js';
import { withoutRedirections } from './texts.js';
import { useOf } from './use.js';
import { type KnownWord, withoutBraces } from './words.js';

/** What follows a name is looked at so far. */
const LONGEST_REST = 200;
/** A longer name is none. */
const LONGEST_NAME = 120;
/** So many places where a command may begin are looked at in one piece; if it has more, any of its words may be one. */
const MOST_PLACES = 60;
/** So many words may stand before one that says that it runs what follows. */
const MOST_BEFORE = 4;
/** What lies between quotes, brackets and the ends of commands; `&` and `|` of a redirection and `!` of a choice end none. */
const PIECE = /(?:[^\n;|&()`"'!{}\uE002]|(?<=\[)!|(?<=[<>])&|&(?=>)|(?<=>)\|)+/g;
/** `{a,b}` and `{}`, whose brackets end no piece: in their place stand two signs that no text has. A quote in quotes is a third. */
const CHOICE = /\{([^\s{}"'`;|&(),]*,[^\s{}"'`;|&()]*)\}|(?<!\$)\{([.#%/\d]*)\}/g;
const [FROM, TO, QUOTED] = ['\uE000', '\uE001', '\uE002'];
/** What a pattern has. */
const PATTERN = /[*?[{]/;
/** What is not known. */
const MORE: KnownWord = { text: '$', sure: undefined };
/** Choices in choices are looked at so far; with more there are more words than are spelled out. */
const MOST_NESTED = 20;

/** Letters in brackets, also those of a class: `[[:lower:]_]`. */
const CLASS = /\[[!^]?(?:[^\][\s]|\[[:.=][^\][\s]*[:.=]\])+\]/g;
/** A redirection directly behind a pattern, with its file. */
const GLUED = /(?<=[\w*?\]\uE001])(?<!(?:^|\W)\d{1,9})(?:&>>?|[<>]{1,3}[&|]?)[^\S\n]*[^\s<>;|&()"'`]*/g;

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
  if (!PATTERN.test(text)) return;
  for (const one of new Set([text, unescaped(text)])) {
    const joined = one
      .replace(/\\\r?\n/g, ' ')
      .replace(/\\(?:(["'])|`)/g, (_, quote?: string) => ` ${quote === undefined ? '`' : QUOTED}`)
      .replace(/\\ /g, '_')
      .replace(CLASS, (set) => (/\[[:.=]/.test(set) ? '?' : set))
      .replace(QUOTE, '"');
    const whole = withoutRedirections(withChoices(joined), GLUED);
    const seen = new Set<string>();
    for (const { index, 0: piece } of whole.matchAll(PIECE)) {
      if (!/[*?[\uE000]/.test(piece)) continue;
      const end = index + piece.length;
      const [mark, before, next] = [whole[index - 1], whole[index - 2], whole[end]];
      const written = piece.replaceAll(FROM, '{').replaceAll(TO, '}');
      const sure = isCommand(written, mark, before);
      const isOpen = goesOn(piece, next, [before, mark]) || isJoined(piece, mark, whole.slice(end, end + LONGEST_GLUE));
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

/** Whether the command has more behind the piece: a quote that is not the end of the one around it, or what another program fills in, `{x}`, `!x`, `@(x)`, fish's `(x)`. */
function goesOn(piece: string, next = '', [before, mark]: readonly (string | undefined)[]): boolean {
  if (/[{!(]/.test(next)) return true;
  return /["'`\uE002]/.test(next) && (next !== mark || (before === mark && /\s$/.test(piece)));
}

/** What stands between a text and what is joined to it. */
const LONGEST_GLUE = 10;
const JOINS = /^["'`\uE002]\s*(?:[+.%&~$\w]|,\s*[\w$])/;

/** Whether the piece ends a text with a blank, to which another program joins what follows: `"r? " $1`, `'r? ' + x`. */
function isJoined(piece: string, mark: string | undefined, after: string): boolean {
  return mark === after[0] && /\s$/.test(piece) && JOINS.test(after);
}

interface Place {
  readonly words: readonly KnownWord[];
  readonly at: number;
  /** Its first word without what stands before a command in it: `@r?`, `A=r?`. */
  readonly first?: string;
  /** It is a command even without anything behind it. */
  readonly sure: boolean;
}

/** Each is looked at once, and once more if it turns out to be sure, however many ways lead to it. */
class Places {
  readonly all: Place[] = [];
  readonly #seen = new Map<readonly KnownWord[], Set<string>>();

  add(place: Place): void {
    const { words, at, first, sure } = place;
    const seen = this.#seen.get(words) ?? new Set();
    const key = `${at} ${first ?? ''}`;
    if (seen.has(`+${key}`) || seen.has(`${sure ? '+' : ''}${key}`)) return;
    this.#seen.set(words, seen.add(`${sure ? '+' : ''}${key}`));
    this.all.push(place);
  }
}

/** The places where a command begins, as the shell and the table of programs have it. `isOpen`: more follows. */
function addPiece(piece: string, { sure, isOpen }: { sure: boolean; isOpen: boolean }, found: BashReading): void {
  const words = piece
    .trim()
    .split(/\s+/)
    .map((text): KnownWord => ({ text, sure: undefined }));
  const end = words.length - 1;
  // What follows is the rest of the last word, or another one.
  if (isOpen && /\s$/.test(piece)) words.push(MORE);
  else if (isOpen) words.splice(end, 1, ...words.slice(end).map(({ text }) => ({ text, sure: text })));
  const places = new Places();
  places.add({ words, at: 0, sure });
  for (const [at, { text }] of words.entries()) if (text.endsWith(':')) places.add({ words, at: at + 1, sure: false });
  const looks = { seen: new Map<readonly KnownWord[], number>(), free: words.length * 2 };
  for (const place of places.all) {
    addName(place, found);
    for (const next of placesBehind(place, looks, found)) places.add(next);
    if (places.all.length <= MOST_PLACES) continue;
    addAll(words, found);
    return;
  }
}

/** Any of the words may be a command, also behind what stands before one in it. */
function addAll(words: readonly KnownWord[], found: BashReading): void {
  const patterns = new Set(words.flatMap(({ text }) => (PATTERN.test(text) ? [text] : [])));
  for (const text of patterns) {
    const value = text.slice(text.lastIndexOf('=') + 1).replace(MARKS, '');
    for (const name of new Set([text, value]))
      addName({ words: [{ text: name, sure: undefined }, MORE], at: 0, sure: true }, found);
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
  const text = textOf(place);
  const on = (to: number, isSure = sure): Place => ({ words, at: to, sure: isSure });
  if (text === '') return [];
  if (KEYWORDS.has(text)) return [on(at + 1, true)];
  if (SETS.test(text) || /^(?!--$)[@+-]+$/.test(text) || HOLE.test(text)) return [on(at + 1)];
  if (SETS.test(words[at + 1]?.text ?? '')) return [on(at + 2)];
  if (OFTEN.test(text)) return jobsAt(words, at + 1);
  if (isTime(place)) return jobsAt(words, at + 5);
  const bare = text.replace(MARKS, '');
  const unmarked = bare !== text && !text.startsWith('--') ? [{ words, at, first: bare, sure }] : [];
  const [, target] = REDIRECTION.exec(text) ?? [];
  // It may also be the sign before a recipe.
  if (target === '') return [on(at + 1), on(at + 2)];
  if (target !== undefined) return [on(at + 1), ...unmarked];
  if (unmarked.length > 0) return unmarked;
  const [, name = '', value = ''] = SETTING.exec(text) ?? [];
  if (name !== '') {
    const mayRun = !VALUE_NAMES.test(name) && !value.includes('://');
    return [
      ...(ASSIGNMENT.test(text) || (value === '' && mayRun) ? [on(at + 1)] : []),
      ...(value !== '' && mayRun ? [{ words, at, first: value, sure: false }] : []),
    ];
  }
  if (SAYS_RUN.test(text)) return [nextTo(words, at, false)].flatMap((next) => next ?? []);
  return placesOf(place, looks, found);
}

/** `0 1 * * mon-fri` */
function isTime(place: Place): boolean {
  const { words, at } = place;
  if (!FIELD.test(textOf(place)) || !FIELD.test(words[at + 1]?.text ?? '')) return false;
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
  let next = at + 1;
  while (words[next]?.text.startsWith('-')) next++;
  return next < words.length ? { words, at: next, sure } : undefined;
}

/** Where the program runs others, as the table has it. */
function placesOf(place: Place, looks: Looks, found: BashReading): Place[] {
  const { words, at } = place;
  const on = (to: number): Place => ({ words, at: to, sure: true });
  const use = useOf(place.first === undefined ? words : wordsFrom(place), at, false);
  const looked = (use.looked ?? 0) + use.maybe.length + use.shown.size;
  spend(Math.max(0, looked - looks.free) * COST.look, found);
  looks.free = Math.max(0, looks.free - looked);
  if (use.stranger && use.anywhere === undefined) {
    const behind = words.slice(at + 1, at + 1 + MOST_BEFORE).findIndex(({ text }) => RUNNING.test(text));
    const runner = at + 1 + behind;
    const isRun = behind !== -1 && (words[runner]?.text !== 'run' || words[runner + 1]?.text === '--');
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

const textOf = ({ words, at, first }: Place): string => first ?? words[at]?.text ?? '';

/** The same words, with the first as a command has it. */
const wordsFrom = ({ words, at, first = '' }: Place): KnownWord[] =>
  words.map((word, i) => (i === at ? { ...word, text: first } : word));

function addName(place: Place, found: BashReading): void {
  const { words, at, sure } = place;
  const word = textOf(place);
  if (!PATTERN.test(word) || !isName(lastName(word)) || word.includes('://')) return;
  const [name = '', ...more] = withoutBraces(word) ?? [word];
  const last = lastName(name);
  if (/[{}]/.test(last) || !/\w/.test(last.replace(/\[(?:[\^!]|[^\]]*-)[^\]]*\]/g, ''))) return;
  const rest = words
    .slice(at + 1, at + 1 + LONGEST_REST / 2 + 1)
    .map((one) => (one.sure === undefined ? one.text : `${one.text}$`))
    .join(' ');
  if (more.length === 0 && rest === '' && !sure) return;
  const known = rest.length < LONGEST_REST ? rest : `${rest.slice(0, LONGEST_REST)} $`;
  const behind = [...more, known].filter((part) => part !== '').map((part) => ` ${part}`);
  const key = `${word} ${known}`;
  if (found.globs.has(key)) return;
  spend(COST.guess, found);
  found.globs.set(key, { mayBe: nameTest(last), rest: behind.join('') });
}
