import { isOpenKey, pemBlock, puttyKey } from './blocks.js';
import { argumentSecret, COMMANDS, hereSecret, pipedSecret, settingSecret } from './commands.js';
import { addressSecret, bearerSecret, netrcSecret, pgpassSecret, sqlSecret, urlSecret } from './credentials.js';
import { flagSecret } from './flags.js';
import { namedSecret, pairedSecret } from './named.js';
import { saidSecret } from './prose.js';
import type { Span } from './quoted.js';
import { compileTokens, type Tokens } from './shapes.js';

/** Finds the secrets of texts. */
export interface Finder {
  /** In order, none over another. */
  find(text: string): readonly Span[];
  /** What a value is by its own look: the name of its shape, else `secret`. */
  nameOf(value: string): string;
  /** Where a private key may just begin. */
  openKey(text: string): number;
}

const NOTHING: readonly Span[] = [];
/** A shorter text holds nothing that could be told from a word. */
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
    find(text) {
      let spans = text.length < SHORTEST ? NOTHING : scan(text);
      // What is written in JSON has its lines in one.
      if (named && text.includes('\\n')) spans = merged([...spans, ...scan(text.replace(WRITTEN_LINE, ' \n'))]);
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

const WRITTEN_LINE = /\\n/g;
const MASK = /\[redacted [a-z\d-]+ hmac:[\da-f]{16}\]/g;

/** What was masked before is no part of another secret. */
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

type Look = (text: string, at: number) => Span | undefined;

/** The places a secret is told by: the characters a text is stopped at, what must be around them, and who looks from there. */
const PLACES: readonly (readonly [characters: string, around: string, look: Look])[] = [
  [':', '(?!//)', pgpassSecret],
  [':=>', '(?!//)', namedSecret],
  ['-', String.raw`(?<=(?:^|[\s"'\x60(\[,=])-)(?=-?[A-Za-z#])`, flagSecret],
  [',', String.raw`(?<=["'\x60],)(?=\s{0,8}\\{0,4}["'\x60])`, pairedSecret],
  ['|', String.raw`(?=[ \t\n\\])`, pipedSecret],
  ['<', '(?=<)', hereSecret],
  ['@', String.raw`(?=(?:tcp|unix)\()`, addressSecret],
];
/** Words a secret is told by, where they begin. */
const WORDS: readonly (readonly [characters: string, rest: string, look: Look])[] = [
  ['Bb', String.raw`earer[ \t]|asic[ \t]|EARER `, bearerSecret],
  ['l', String.raw`ogin\s`, netrcSecret],
  ['m', String.raw`achine\s`, netrcSecret],
  ['Ii', String.raw`dentified[ \t]|DENTIFIED[ \t]`, sqlSecret],
  ['Pp', String.raw`assword[ \t]{1,8}'|ASSWORD[ \t]{1,8}'`, sqlSecret],
  ['P', 'rivate-Lines:', puttyKey],
  ['SsCc', String.raw`et(?:env|x)?[ \t]|ecrets?[ \t]|onfig(?:ure)?[ \t]`, settingSecret],
  ['hvnwomrapcbse', COMMANDS, argumentSecret],
  ['C', 'onvertTo-Secure', argumentSecret],
  ['Pp', String.raw`ass(?:word|phrase|code|wd)[ \t]|wd?[ \t]|IN[ \t:]`, saidSecret],
  ['TtSs', String.raw`oken[ \t]|ecret[ \t]`, saidSecret],
  [
    'AaSsPpEeLlMm',
    String.raw`(?:pi|PI|ccess|ecret|rivate|ncryption|icen[sc]e|aster|igning)[ _-]?[Kk]ey[ \t:=]`,
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

/** One pass: a regular expression stops at each character at which something may be, and whoever knows it looks there. */
function scanner(
  tokens: Tokens,
  { named, url, pem }: { named: boolean; url: boolean; pem: boolean },
): (text: string) => readonly Span[] {
  const words = WORDS.map(([characters, rest]) => `[${characters}](?=${rest})`).join('|');
  const contexts = [...PLACES.map(([characters, around]) => `[${characters}]${around}`), `\\b(?:${words})`];
  const stops = new RegExp(
    ['-(?=---[- ] ?BEGIN )', ':(?=//|AA)', ...(named ? contexts : []), tokens.marked, tokens.bare].join('|'),
    'g',
  );
  const at = (text: string, place: number): Span | undefined => {
    const character = text[place] as string;
    if (character === '-' && text.startsWith('---', place + 1)) return pem ? pemBlock(text, place) : undefined;
    if (character === ':' && text.startsWith('//', place + 1)) return url ? urlSecret(text, place) : undefined;
    const token = MARKS.includes(character) ? tokens.afterMark(text, place + 1) : tokens.at(text, place);
    if (token !== undefined) return [token.start, token.end];
    for (const look of (named && LOOKS.get(character)) || []) {
      const span = look(text, place);
      if (span !== undefined) return span;
    }
    return character === ':' ? telegram(text, place) : undefined;
  };
  return (text) => {
    const spans: Span[] = [];
    stops.lastIndex = 0;
    while (stops.test(text)) {
      const behind = stops.lastIndex;
      const span = at(text, behind - 1);
      if (span === undefined || !add(spans, span)) continue;
      stops.lastIndex = Math.max(behind, span[1]);
    }
    return spans.length === 0 ? NOTHING : spans;
  };
}

/** What lies over others takes them in; what lies within one adds nothing. */
function add(spans: Span[], [start, end, open]: Span): boolean {
  const last = spans.at(-1);
  if (last !== undefined && last[0] <= start && last[1] >= end) return false;
  let [from, to] = [start, end];
  for (let over = spans.at(-1); over !== undefined && over[1] > from; over = spans.at(-1)) {
    [from, to] = [Math.min(from, over[0]), Math.max(to, over[1])];
    spans.pop();
  }
  spans.push(open ? [from, to, true] : [from, to]);
  return true;
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
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end, open === true]);
  }
  return result;
}
