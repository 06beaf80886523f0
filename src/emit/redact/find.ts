import {
  bearerSecret,
  flagSecret,
  isOpenKey,
  namedSecret,
  netrcSecret,
  pemBlock,
  sqlSecret,
  urlSecret,
} from './contexts.js';
import type { Span } from './quoted.js';
import { compileTokens, type Tokens } from './shapes.js';

/** Finds the secrets of texts. */
export interface Finder {
  /** In order, none over another. */
  find(text: string): readonly Span[];
  /** What a value is by its own look: the name of its shape, else `secret`. */
  nameOf(value: string): string;
  /** Where a private key begins that the text does not end. */
  openKey(text: string): number;
}

const NOTHING: readonly Span[] = [];
/** A shorter text holds nothing that could be told from a word. */
const SHORTEST = 8;
const BEGIN = '-----BEGIN ';

export function createFinder(wanted: (name: string) => boolean, patterns: readonly RegExp[]): Finder {
  const tokens = compileTokens(wanted);
  const scan = scanner(tokens, { named: wanted('named'), url: wanted('url-password'), pem: wanted('private-key') });
  const own = patterns.map(
    (pattern) => new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}g`)].join('')),
  );
  return {
    find(text) {
      const spans = text.length < SHORTEST ? NOTHING : scan(text);
      return own.length === 0 ? spans : merged([...spans, ...own.flatMap((pattern) => matches(pattern, text))]);
    },
    nameOf: (value) => (value.startsWith(BEGIN) ? 'private-key' : tokens.nameOf(value)),
    openKey(text) {
      const at = text.lastIndexOf(BEGIN);
      return at >= 0 && isOpenKey(text, at) ? at : -1;
    },
  };
}

/** One pass: a regular expression stops at each character at which something may be, and whoever knows it looks there. */
function scanner(
  tokens: Tokens,
  { named, url, pem }: { named: boolean; url: boolean; pem: boolean },
): (text: string) => readonly Span[] {
  const contexts = [
    '[:=>]',
    String.raw`-(?<=(?:^|[\s"'\x60(\[,=])-)(?=-?[A-Za-z])`,
    '[Bb](?=earer[ \\t]|asic[ \\t])|B(?=EARER )',
    'l(?=ogin\\s)',
    "[YyDd](?=[ \\t]{1,8}')",
  ];
  const stops = new RegExp(
    [`-(?=----BEGIN )`, ...(named ? contexts : [':(?=//|AA)']), tokens.marked, tokens.bare].join('|'),
    'g',
  );
  const at = (text: string, place: number): Span | undefined => {
    const character = text[place] as string;
    switch (character) {
      case ':':
        if (text.startsWith('//', place + 1)) return url ? urlSecret(text, place) : undefined;
        return (named ? namedSecret(text, place) : undefined) ?? telegram(text, place);
      case '=':
      case '>':
        return namedSecret(text, place);
      case '-':
        if (pem && text.startsWith(BEGIN, place)) return pemBlock(text, place)?.span;
        return (named ? flagSecret(text, place) : undefined) ?? spanOf(tokens.afterMark(text, place + 1));
      case '_':
      case '.':
      case '~':
      case '/':
        return spanOf(tokens.afterMark(text, place + 1));
      case 'B':
      case 'b':
        return bearerSecret(text, place);
      default:
        return spanOf(tokens.at(text, place)) ?? (named ? spoken(text, place, character) : undefined);
    }
  };
  return (text) => {
    let spans: Span[] | undefined;
    let last = 0;
    stops.lastIndex = 0;
    while (stops.test(text)) {
      const behind = stops.lastIndex;
      const span = at(text, behind - 1);
      if (span === undefined || span[1] <= last) continue;
      spans ??= [];
      spans.push([Math.max(last, span[0]), span[1]]);
      last = span[1];
      stops.lastIndex = Math.max(behind, last);
    }
    return spans ?? NOTHING;
  };
}

function spoken(text: string, at: number, character: string): Span | undefined {
  return character === 'l' ? netrcSecret(text, at) : sqlSecret(text, at);
}

const spanOf = (found: { readonly start: number; readonly end: number } | undefined): Span | undefined =>
  found && [found.start, found.end];

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
  const result: [number, number][] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
