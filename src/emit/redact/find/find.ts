import { encodedSecret, fallbackSecret } from './around.js';
import { isOpenKey, pemBlock, puttyKey } from './blocks.js';
import { CALL_NAMES, callSecret, typedSecret } from './calls.js';
import { addressSecret, bearerSecret, netrcSecret, pgpassSecret, urlSecret } from './credentials.js';
import { defaultSecret, fieldSecret, jarSecret, jobSecret } from './forms.js';
import { lineSecret, SPACED } from './lines.js';
import { sectionSecrets } from './lists.js';
import { manifestSecrets } from './manifests.js';
import { namedSecret, pairedSecret } from './named.js';
import { saidSecret } from './prose.js';
import type { Span } from './quoted.js';
import { type CompiledShapes, compileTokens } from './shapes.js';
import { argumentSecret, COMMANDS } from './shell/arguments.js';
import { hereSecret, pipedSecret, processSecret, settingSecret } from './shell/commands.js';
import { flagSecret } from './shell/flags.js';
import { insertedSecrets, sqlSecret } from './sql.js';

/** Finds the secrets of texts. */
export interface Finder {
  /** In order, none over another. */
  find(text: string): readonly Span[];
  /** A shorter text holds none. */
  readonly shortest: number;
  /** The kind of a value by its shape: the shape's name, else `secret`. */
  nameOf(value: string): string;
  /** Where a private key may just begin. */
  openKey(text: string): number;
}

const NOTHING: readonly Span[] = [];
/** A shorter text cannot be distinguished from a word. */
const SHORTEST = 8;
const BEGIN = /^-{4,5} ?BEGIN /;

export function createFinder(wanted: (name: string) => boolean, patterns: readonly RegExp[]): Finder {
  const tokens = compileTokens(wanted);
  const named = wanted('named');
  const scan = scanner(tokens, { named, url: wanted('url-password'), pem: wanted('private-key') });
  const own = patterns.map(
    (pattern) => new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}g`)].join('')),
  );
  return {
    shortest: own.length > 0 ? 0 : SHORTEST,
    find(text) {
      let spans = text.length < SHORTEST ? NOTHING : scan(text);
      if (named) {
        // What is written in JSON has its lines in one.
        const lines = WRITTEN.test(text) ? text.replace(WRITTEN_LINE, asLine) : undefined;
        if (lines !== undefined) spans = merged([...spans, ...scan(lines)]);
        const look = MANIFEST.test(text) ? (lines: string) => [...scan(lines), ...manifestSecrets(lines)] : scan;
        const bare = withoutPrefixes(lines ?? text, look);
        if (bare.length > 0) spans = merged([...spans, ...bare]);
        if (MANIFEST.test(text)) spans = merged([...spans, ...manifestSecrets(lines ?? text)]);
      }
      if (own.length > 0) spans = merged([...spans, ...own.flatMap((pattern) => matches(pattern, text))]);
      return spans.length > 0 && text.includes('[redacted ') ? without(spans, text) : spans;
    },
    nameOf: (value) => (BEGIN.test(value) ? 'private-key' : tokens.nameOf(value)),
    openKey(text) {
      const at = text.lastIndexOf('BEGIN ');
      for (const begin of at < 0 ? [] : [at - 5, at - 6]) if (begin >= 0 && isOpenKey(text, begin)) return begin;
      return -1;
    },
  };
}

const WRITTEN = /\\[nt]/;
const MANIFEST = /apiVersion|kind"?:/;
/** However deep it was written; of the same length. A backslash at the end of its line doubles with each depth as well: there are three, six or twelve. */
const WRITTEN_LINE = /\\+[nrt]/g;
const asLine = (written: string): string =>
  (written.length % 3 === 1 ? '\\' : ' ').padStart(written.length - 1) + (written.endsWith('n') ? '\n' : ' ');
/** What tools put before each line. */
const PREFIXES = [
  // The time, the level and the source of a line of a log; a container, or a stream.
  String.raw`(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,:Z+-]{0,20}\]?[ \t]|[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8} [\w.-]{1,100} [\w./-]{1,100}(?:\[\d{1,9}\])?: |[\w.-]{1,60} {1,30}\| ?|\[(?![\w.-]*(?:passwords|secrets|credentials|tokens|keys)\])[\w.:-]{1,40}\][ \t])(?:\[(?![\w.-]*(?:passwords|secrets|credentials|tokens|keys)\])[\w.:-]{1,40}\][ \t]|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b:?[ \t]{1,2}){0,4}`,
  // Its number; `file:12:`, `file-12-` and `file:`, as grep has them.
  String.raw`[ \t]*\d{1,6}(?:→|\t| {2}|:)`,
  String.raw`[\w./@-]{1,200}?\.\w{1,8}(?::\d{1,6}:|-\d{1,6}-)`,
  String.raw`[\w./@-]{1,200}(?::\d{1,6}:|-\d{1,6}-)`,
  String.raw`[\w./@-]{0,100}[./][\w./@-]{1,100}:(?![:/])`,
  // The signs of a diff and of a mail; a comment.
  String.raw`\+(?!\+\+)`,
  '-(?!--)',
  String.raw`>[ \t]?`,
  String.raw`[ \t]*(?:#|//|\*)[ \t]`,
];
const BEFORE_LINE = new RegExp(String.raw`(?<=^|[\n"])(?:${PREFIXES.join('|')})`, 'g');
/** Of a diff. */
const HUNK = /(?:^|[\n"])@@ -\d/;
const MASK = /\[redacted [a-z\d-]+ hmac:[\da-f]{16}\]/g;

/** What `look` finds in the lines themselves, where something stands before them. A sign of a diff is that of a list, too: one alone is none. */
function withoutPrefixes(text: string, look: (lines: string) => readonly Span[]): readonly Span[] {
  let count = HUNK.test(text) ? 1 : 0;
  const cuts: (readonly [at: number, removed: number])[] = [];
  let removed = 0;
  const bare = text.replace(BEFORE_LINE, (before, at: number) => {
    count += /^[+-]/.test(before) ? 1 : 2;
    const start = at - removed;
    removed += before.length;
    cuts.push([start, removed]);
    return '';
  });
  if (count < 2) return NOTHING;
  const back = (place: number, isEnd: boolean): number =>
    place + (cuts.findLast(([at]) => (isEnd ? at < place : at <= place))?.[1] ?? 0);
  return look(bare).map(([start, end, open]) => [back(start, false), back(end, true), open === true]);
}

/** A masked value is not part of another secret. */
function without(spans: readonly Span[], text: string): readonly Span[] {
  const masks = [...text.matchAll(MASK)].map(({ index, 0: { length } }) => [index, index + length] as const);
  const left: Span[] = [];
  let first = 0;
  for (const [start, end, open] of spans) {
    while (first < masks.length && (masks[first] as Span)[1] <= start) first++;
    let from = start;
    for (let i = first; i < masks.length && (masks[i] as Span)[0] < end; i++) {
      const [begins, ends] = masks[i] as Span;
      if (/\w/.test(text.slice(from, begins))) left.push([from, begins]);
      from = Math.max(from, ends);
    }
    if (/\w/.test(text.slice(from, end)) && !(from > start && /^\W*(?:Private-MAC|END)/.test(text.slice(from, end))))
      left.push(open ? [from, end, open] : [from, end]);
  }
  return left;
}

/** What one place tells: a secret, or several, as of a list. undefined, and never an empty list, where it tells nothing: then others look. */
type Found = Span | readonly Span[] | undefined;
type Look = (text: string, at: number) => Found;

const isSpan = (found: Span | readonly Span[]): found is Span => typeof found[0] === 'number';

const pipedOrFallback: Look = (text, at) => (text[at + 1] === '|' ? fallbackSecret(text, at) : pipedSecret(text, at));

/** The marks of secrets: the characters at which the scan stops, what must be around them, and the function that looks from there. */
const PLACES: readonly (readonly [characters: string, around: string, look: Look])[] = [
  [':', '(?!//)', pgpassSecret],
  [':=>', '(?!//)', namedSecret],
  ['-', String.raw`(?<=(?:^|[\s"'\x60(\[,=])-)(?=-?[A-Za-z#])`, flagSecret],
  [',', String.raw`(?<=["'\x60],)(?=\s{0,24}\\{0,4}["'\x60])`, pairedSecret],
  ['|', String.raw`(?=[ \t\n\\|])`, pipedOrFallback],
  ['<', '(?=<)', hereSecret],
  ['<', String.raw`(?=\(\s*(?:echo|printf|print|cat)\s)`, processSecret],
  ['%', '(?=3[dD])', encodedSecret],
  ['?', String.raw`(?=\?)`, fallbackSecret],
  [
    '\\]',
    String.raw`(?<=\[[\w.-]{0,40}(?:passwords|secrets|credentials|tokens|keys)\])(?=[ \t]*\r?\n)`,
    sectionSecrets,
  ],
  ['#', String.raw`(?=#(?:vso)?\[)`, jobSecret],
  [':', '(?=:(?:add-mask|set-output|save-state|set-env))', jobSecret],
  ['@', String.raw`(?=(?:tcp|unix)\()`, addressSecret],
  [' \t', SPACED, lineSecret],
];
/** Words that mark a secret, where they begin. */
const WORDS: readonly (readonly [characters: string, rest: string, look: Look])[] = [
  ['Bb', String.raw`earer[ \t]|asic[ \t]|EARER `, bearerSecret],
  ['l', String.raw`ogin\s`, netrcSecret],
  ['m', String.raw`achine\s`, netrcSecret],
  ['Ii', String.raw`dentified[ \t\n\\]|DENTIFIED[ \t\n\\]`, sqlSecret],
  ['Vv', String.raw`(?:ALUES|alues)(?:\s|\\n){0,16}\(`, insertedSecrets],
  ['Pp', String.raw`assword[ \t]{1,8}'|ASSWORD[ \t]{0,8}=?[ \t]{0,8}(?:N?\\*['"]|\(\\*['"])`, sqlSecret],
  ['Ss', String.raw`et[ \t]+password[ \t]|ET[ \t]+PASSWORD[ \t]`, sqlSecret],
  ['P', 'rivate-Lines:', puttyKey],
  ['SsCc', String.raw`et(?:[eE]nv|x)?[ \t]|ecrets?[ \t]|onfig(?:ure)?[ \t]`, settingSecret],
  ...COMMANDS.map(([letter, rest]) => [letter, rest, argumentSecret] as const),
  ['TF', String.raw`(?:RUE|ALSE)[ \t\\]`, jarSecret],
  ['f', 'orm-data;', fieldSecret],
  ['d', String.raw`efault[ \t]{0,2}\(?[ \t]{0,2}\\*["']`, defaultSecret],
  ['HhBbSsPUNWmgoaldicpjw', CALL_NAMES, callSecret],
  ['esftpi', String.raw`(?:xp_)?(?:s?end|ill|ype|ress|et_?[vV]al|nput_?[tT]ext)[\w]{0,12}[ \t(]`, typedSecret],
  ['PpMC', String.raw`ass(?:word|phrase|code|wd)[ \t>?\[(]|wd?[ \t]|IN[ \t:]|ot de passe|ontraseña`, saidSecret],
  ['mc', `ot de passe|ontraseña`, saidSecret],
  ['TtSs', String.raw`oken[ \t>?]|ecret[ \t>?]`, saidSecret],
  [
    'AaSsPpEeLlMm',
    String.raw`(?:pi|PI|ccess|ecret|rivate|ncryption|icen[sc]e|aster|igning)[ _-]?[Kk]ey[ \t:=>?]`,
    saidSecret,
  ],
];
const LOOKS: ReadonlyMap<string, readonly Look[]> = new Map(
  [...new Set([...PLACES, ...WORDS].flatMap(([characters]) => [...characters]))].map((character) => [
    character,
    [...PLACES, ...WORDS].filter(([characters]) => characters.includes(character)).map(([, , look]) => look),
  ]),
);
const MARKS = '-_.~/$}';

/** One pass: a regular expression stops at each character where a secret may be, and that character's function looks there. */
function scanner(
  tokens: CompiledShapes,
  { named, url, pem }: { named: boolean; url: boolean; pem: boolean },
): (text: string) => readonly Span[] {
  const words = WORDS.map(([characters, rest]) => `[${characters}](?=${rest})`).join('|');
  const contexts = [...PLACES.map(([characters, around]) => `[${characters}]${around}`), `\\b(?:${words})`];
  const stops = new RegExp(
    ['-(?=---[- ] ?BEGIN )', ':(?=//|AA)', ...(named ? contexts : []), tokens.marked, tokens.bare].join('|'),
    'g',
  );
  const at = (text: string, place: number): Found => {
    const character = text[place] as string;
    if (character === '-' && text.startsWith('---', place + 1)) return pem ? pemBlock(text, place) : undefined;
    if (character === ':' && text.startsWith('//', place + 1)) return url ? urlSecret(text, place) : undefined;
    const token = MARKS.includes(character) ? tokens.afterMark(text, place + 1) : tokens.at(text, place);
    if (token !== undefined) return [token.start, token.end];
    for (const look of (named && LOOKS.get(character)) || []) {
      const found = look(text, place);
      if (found !== undefined) return found;
    }
    return character === ':' ? telegram(text, place) : undefined;
  };
  return (text) => {
    const spans: Span[] = [];
    stops.lastIndex = 0;
    while (stops.test(text)) {
      const behind = stops.lastIndex;
      const around = within(spans, behind - 1);
      const found = around ?? at(text, behind - 1);
      if (found === undefined) continue;
      const all = isSpan(found) ? [found] : found;
      if (around === undefined) spans.push(...all);
      // What stands before a secret that is further on is looked at as well.
      for (const [start, end] of all) if (start <= stops.lastIndex) stops.lastIndex = Math.max(stops.lastIndex, end);
    }
    return spans.length < 2 ? (spans.length === 0 ? NOTHING : spans) : merged(spans);
  };
}

/** Secrets that were found ahead of the current position. */
function within(spans: readonly Span[], place: number): Span | undefined {
  for (let i = spans.length - 1; i >= 0 && i >= spans.length - 4; i--) {
    const span = spans[i] as Span;
    if (span[0] <= place && place < span[1]) return span;
  }
  return undefined;
}

const TELEGRAM = /(?<=((?<!\d)\d{8,10})):AA[\w-]{32,34}(?![\w-])/y;

function telegram(text: string, colon: number): Span | undefined {
  TELEGRAM.lastIndex = colon;
  const bot = TELEGRAM.exec(text)?.[1];
  return bot === undefined ? undefined : [colon - bot.length, TELEGRAM.lastIndex];
}

/** The first group of each match, else all of it. */
function matches(pattern: RegExp, text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    const value = match[1] ?? match[0];
    const start = match.index + match[0].indexOf(value);
    if (value !== '') spans.push([start, start + value.length]);
  }
  return spans;
}

function merged(spans: readonly Span[]): readonly Span[] {
  const result: [number, number, boolean][] = [];
  for (const [start, end, open] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && start < last[1]) {
      last[2] = end >= last[1] ? open === true : last[2];
      last[1] = Math.max(last[1], end);
    } else result.push([start, end, open === true]);
  }
  return result;
}
