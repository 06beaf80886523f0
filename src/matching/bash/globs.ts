import { nameTest } from './glob-name.js';
import { unescaped } from './guess.js';
import { VALUE_NAMES } from './names.js';
import { type BashReading, COST, lastName, spend } from './reading.js';
import { withoutRedirections } from './texts.js';
import { useOf } from './use.js';
import { type KnownWord, withoutBraces } from './words.js';

/** How many characters after a name are kept. */
const LONGEST_REST = 200;
/** Longer texts are not names. */
const LONGEST_NAME = 120;
/** How many possible beginnings of commands are examined in one piece. If it has more, any word may be a command. */
const MOST_PLACES = 60;
/** How many words may precede the word that runs the following ones. */
const MOST_BEFORE = 4;
/** Text without quotes, brackets and command separators. `&` and `|` in redirections and `!` in brackets are allowed. */
const PIECE = /(?:[^\n;|&()`"'!{}\uE002]|(?<=\[)!|(?<=[<>])&|&(?=>)|(?<=>)\|)+/g;
/** `{a,b}` and `{}`, whose braces must not end a piece: private-use characters replace them. A third one is an escaped quote. */
const CHOICE = /\{([^\s{}"'`;|&(),]*,[^\s{}"'`;|&()]*)\}|(?<!\$)\{([.#%/\d]*)\}/g;
const [FROM, TO, QUOTED] = ['\uE000', '\uE001', '\uE002'];
/** Characters of globs and braces. */
const PATTERN = /[*?[{]/;
/** An unknown word. */
const MORE: KnownWord = { text: '$', sure: undefined };
/** How deep nested braces are expanded. Deeper ones would give more words than are spelled out. */
const MOST_NESTED = 20;
/** A bracket expression, also with a class: `[[:lower:]_]`. */
const CLASS = /\[[!^]?(?:[^\][\s]|\[[:.=][^\][\s]*[:.=]\])+\]/g;
/** A redirection directly after a glob, with its file. */
const GLUED = /(?<=[\w*?\]\uE001])(?<!(?:^|\W)\d{1,9})(?:&>>?|[<>]{1,3}[&|]?)[^\S\n]*[^\s<>;|&()"'`]*/g;

/** Quote operators for commands in Perl and Ruby with `[`, `<` and `/`; other brackets end a piece anyway. */
const QUOTE = /(?:\bqx|%x)\s?[[/<]/g;

/** Shell keywords before a command. */
const KEYWORDS: ReadonlySet<string> = new Set('if then elif else while until do'.split(' '));
/** Words with which other programs run a command: `.shell rm x`, `\! rm x`, `RUN rm x`, `1e rm x`. */
const SAYS_RUN =
  /^(?:[.:\\@]?(?:shell|system|run|exec|execute|spawn|cmd|command|call|entrypoint|healthcheck|onbuild|npx|bunx|pnpx|!)|[\d,$]*e)$/i;
/** `npm exec`, `some-tool exec --` */
const RUNNING = /^(?:exec|dlx|run)$/;
/** A time field of a crontab. */
const FIELD = /^[\d*][\d*,/-]*$/;
const DAY = /^(?:[\d*][\d*,/-]*|[a-z]{3}(?:[,-][a-z]{3})*)$/i;
const OFTEN = /^@(?:reboot|yearly|annually|monthly|weekly|daily|midnight|hourly|every_minute)$/;
/** A placeholder that is replaced by unknown text. */
const HOLE = /^\{[.#%/\d]*\}$/;
/** Prefixes of commands in make, systemd and other programs. */
const MARKS = /^(?:[@+:-]+|>+)(?=.)/;
const REDIRECTION = /^\d{0,9}(?:[<>]{1,3}[&|]?|&>{1,2})(.*)$/s;
const SETS = /^[:?+]{0,2}=$/;
/** A setting: `A=b`, `--command=b`, `scripts.a=b`. */
const SETTING = /^(?:--?)?(?:[\w.-]*[.])?([\w-]+)(?:\[[^\]]*\])?\+?=(.*)$/s;
const ASSIGNMENT = /^\w+(?:\[[^\]]*\])?\+?=/;
/** A file name, or a glob for names. */
const NAME = /^(?:[\w.*?[\]{},^+-]|(?<=\[)!)+$/;

/** Adds the commands in a text whose names are globs. A glob without a letter is no command: `* item`, `src/*`. */
export function addGlobs(text: string, found: BashReading): void {
  if (!PATTERN.test(text)) return;
  for (const one of new Set([text, unescaped(text)])) {
    const joined = one
      .replace(/\\\r?\n/g, ' ')
      .replace(/\\(?:(["'])|`)/g, (_, quote?: string) => ` ${quote === undefined ? '`' : QUOTED}`)
      .replace(/\\ /g, '_')
      .replace(CLASS, (set) => (/\[[:.=]/.test(set) ? '?' : set))
      .replace(QUOTE, '"');
    const chosen = withChoices(joined);
    const seen = new Set<string>();
    // As written too: elsewhere `<` compares.
    for (const whole of new Set([withoutRedirections(chosen, GLUED), chosen])) addPieces(whole, seen, found);
  }
}

function addPieces(whole: string, seen: Set<string>, found: BashReading): void {
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

function withChoices(text: string): string {
  let whole = text;
  for (let nested = 0; nested < MOST_NESTED; nested++) {
    const next = whole.replace(CHOICE, (_, choice?: string, hole = '') => `${FROM}${choice ?? hole}${TO}`);
    if (next === whole) break;
    whole = next;
  }
  return whole;
}

/** Whether a single word is a command there: in a recipe, or after another command. In quotes or a list it is a glob for files. */
function isCommand(piece: string, mark: string | undefined, before: string | undefined): boolean {
  if (mark === undefined || mark === '\n') return /^(?:[ ]*\t|[ \t+-]*@)/.test(piece);
  return mark === ';' || ((mark === '&' || mark === '|') && before === mark);
}

/** Whether the command goes on after the piece: with an inner quote, or with text that a program inserts, `{x}`, `!x`, `@(x)`, fish's `(x)`. */
function goesOn(piece: string, next = '', [before, mark]: readonly (string | undefined)[]): boolean {
  if (/[{!(]/.test(next)) return true;
  return /["'`\uE002]/.test(next) && (next !== mark || (before === mark && /\s$/.test(piece)));
}

/** How many characters after a text are searched for an operator that joins it to another. */
const LONGEST_GLUE = 10;
const JOINS = /^["'`\uE002]\s*(?:[+.%&~$\w]|,\s*[\w$])/;

/** Whether the piece ends a text with a blank, to which the program joins another text: `"r? " $1`, `'r? ' + x`. */
function isJoined(piece: string, mark: string | undefined, after: string): boolean {
  return mark === after[0] && /\s$/.test(piece) && JOINS.test(after);
}

interface CommandPlace {
  readonly words: readonly KnownWord[];
  readonly at: number;
  /** The first word without a prefix of the command: `r?` for `@r?` and `A=r?`. */
  readonly first?: string;
  /** Whether it is a command even without further words. */
  readonly sure: boolean;
}

/** The places to examine. Each is visited once, and once more if it turns out to be sure. */
class CommandPlaces {
  readonly all: CommandPlace[] = [];
  readonly #seen = new Map<readonly KnownWord[], Set<string>>();

  add(place: CommandPlace): void {
    const { words, at, first, sure } = place;
    const seen = this.#seen.get(words) ?? new Set();
    const key = `${at} ${first ?? ''}`;
    if (seen.has(`+${key}`) || seen.has(`${sure ? '+' : ''}${key}`)) return;
    this.#seen.set(words, seen.add(`${sure ? '+' : ''}${key}`));
    this.all.push(place);
  }
}

/** Adds the commands of a piece, at all places where one may begin by the rules of shells and programs. `isOpen`: more text follows. */
function addPiece(piece: string, { sure, isOpen }: { sure: boolean; isOpen: boolean }, found: BashReading): void {
  const words = piece
    .trim()
    .split(/\s+/)
    .map((text): KnownWord => ({ text, sure: undefined }));
  const end = words.length - 1;
  // The unknown text that follows is another word, or the rest of the last one.
  if (isOpen && /\s$/.test(piece)) words.push(MORE);
  else if (isOpen) words.splice(end, 1, ...words.slice(end).map(({ text }) => ({ text, sure: text })));
  const places = new CommandPlaces();
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

/** Adds every word as a possible command, also without a prefix. */
function addAll(words: readonly KnownWord[], found: BashReading): void {
  const patterns = new Set(words.flatMap(({ text }) => (PATTERN.test(text) ? [text] : [])));
  for (const text of patterns) {
    const value = text.slice(text.lastIndexOf('=') + 1).replace(MARKS, '');
    for (const name of new Set([text, value]))
      addName({ words: [{ text: name, sure: undefined }, MORE], at: 0, sure: true }, found);
  }
}

/** `seen`: the index from which all words were examined. `free`: how many words may be examined free of charge. */
interface SearchBudget {
  readonly seen: Map<readonly KnownWord[], number>;
  free: number;
}

/** The places where a command begins after this word. */
function placesBehind(place: CommandPlace, looks: SearchBudget, found: BashReading): CommandPlace[] {
  const { words, at, sure } = place;
  const text = textOf(place);
  const on = (to: number, isSure = sure): CommandPlace => ({ words, at: to, sure: isSure });
  if (text === '') return [];
  if (KEYWORDS.has(text)) return [on(at + 1, true)];
  if (SETS.test(text) || /^(?!--$)[@+-]+$/.test(text) || HOLE.test(text)) return [on(at + 1)];
  if (SETS.test(words[at + 1]?.text ?? '')) return [on(at + 2)];
  if (OFTEN.test(text)) return jobsAt(words, at + 1);
  if (isTime(place)) return jobsAt(words, at + 5);
  const bare = text.replace(MARKS, '');
  const unmarked = bare !== text && !text.startsWith('--') ? [{ words, at, first: bare, sure }] : [];
  const [, target] = REDIRECTION.exec(text) ?? [];
  // The word may be a redirection or the prefix of a recipe.
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

/** Whether the five time fields of a crontab begin here: `0 1 * * mon-fri`. */
function isTime(place: CommandPlace): boolean {
  const { words, at } = place;
  if (!FIELD.test(textOf(place)) || !FIELD.test(words[at + 1]?.text ?? '')) return false;
  return [2, 3, 4].every((i) => DAY.test(words[at + i]?.text ?? ''));
}

/** The places of a crontab's command, which may have a user name before it. */
function jobsAt(words: readonly KnownWord[], at: number): CommandPlace[] {
  const { text } = words[at + 1] ?? { text: '-' };
  const isNone = text.startsWith('-') || RUNNING.test(text);
  return (isNone ? [at] : [at, at + 1]).map((to) => ({ words, at: to, sure: false }));
}

/** The next word that is not an option. */
function nextTo(words: readonly KnownWord[], at: number, sure: boolean): CommandPlace | undefined {
  let next = at + 1;
  while (words[next]?.text.startsWith('-')) next++;
  return next < words.length ? { words, at: next, sure } : undefined;
}

/** The places where the program runs other commands, according to the table. */
function placesOf(place: CommandPlace, looks: SearchBudget, found: BashReading): CommandPlace[] {
  const { words, at } = place;
  const on = (to: number): CommandPlace => ({ words, at: to, sure: true });
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

const textOf = ({ words, at, first }: CommandPlace): string => first ?? words[at]?.text ?? '';

/** The words, with the first without its prefix. */
const wordsFrom = ({ words, at, first = '' }: CommandPlace): KnownWord[] =>
  words.map((word, i) => (i === at ? { ...word, text: first } : word));

function addName(place: CommandPlace, found: BashReading): void {
  const { words, at, sure } = place;
  const word = textOf(place);
  if (!PATTERN.test(word) || !isName(lastName(word)) || word.includes('://')) return;
  const [name = '', ...more] = withoutBraces(word) ?? [word];
  const last = lastName(name);
  if (/[{}]/.test(last) || !/\w/.test(last.replace(/\[(?:[\^!]|[^\]]*-)[^\]]*\]/g, ''))) return;
  let joined = '';
  for (let i = at + 1, one = words[i]; one !== undefined && joined.length <= LONGEST_REST + 1; one = words[++i])
    joined += ` ${one.text}${one.sure === undefined ? '' : '$'}`;
  const rest = joined.slice(1);
  if (more.length === 0 && rest === '' && !sure) return;
  const known = rest.length < LONGEST_REST ? rest : `${rest.slice(0, LONGEST_REST)} $`;
  const behind = [...more, known].filter((part) => part !== '').map((part) => ` ${part}`);
  const key = `${word} ${known}`;
  if (found.globs.has(key)) return;
  spend(COST.guess, found);
  found.globs.set(key, { mayBe: nameTest(last), rest: behind.join('') });
}
