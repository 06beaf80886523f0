import { BARE, MARKED, type MarkedShape } from './table.js';

/** The names that the option `shapes` may list; the last three recognise a secret by its surroundings. */
export const SHAPE_NAMES: readonly string[] = [
  ...new Set([...MARKED, ...BARE].map(([name]) => name)),
  'private-key',
  'url-password',
  'named',
];

/** Part of a text, and what it is. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** The chosen shapes, compiled. */
export interface CompiledShapes {
  /** A regular expression that consumes one character: the last of a mark, or the first of a shape without one. */
  readonly marked: string;
  readonly bare: string;
  /** The secret whose mark ends at `behind`. */
  afterMark(text: string, behind: number): FoundSecret | undefined;
  /** The secret without a mark that begins at `start`. */
  at(text: string, start: number): FoundSecret | undefined;
  /** The shape that matches a whole value; `secret` if none does. */
  nameOf(value: string): string;
}

/** Prefixes shorter than this must begin a word, `sk-` but not `task-`. */
const SURE = 4;

/** In a truncated text, the beginning of a secret is enough. */
const CUT = '[\\w.+/=~-]{2,256}…';
const IS_CUT = new RegExp(CUT, 'y');

/** Whether a mark is a pattern rather than a fixed text: ordinary words match it too, `authentication.ts…`. */
const isOpen = ([, before]: MarkedShape): boolean => before.includes(']{');

/** Whether letters and digits are mixed (versions aside), or capitals are scattered as in no name. */
const looksMixed = (text: string): boolean =>
  /[A-Za-z]\d|\d[A-Za-z]/.test(text.replace(/(?<![A-Za-z\d])v\d+(?![A-Za-z\d])/g, '')) ||
  (text.match(/[a-z][A-Z]/g)?.length ?? 0) > 2;

function cutAt(text: string, at: number, pattern: RegExp): RegExpExecArray | null {
  IS_CUT.lastIndex = at;
  if (!IS_CUT.test(text)) return null;
  pattern.lastIndex = at;
  return pattern.exec(text);
}

export function compileTokens(wanted: (name: string) => boolean): CompiledShapes {
  const marked = MARKED.filter(([name]) => wanted(name));
  const bare = BARE.filter(([name]) => wanted(name));
  const behind = sticky(marked.map(([, before, rest]) => `(?<=(${before}))${rest}`));
  const here = sticky(bare.map(([, start, rest]) => `(${start}${rest})`));
  const cutBehind = sticky(
    marked.map((shape) => `(?<=(${isOpen(shape) ? String.raw`(?<!\w)` : ''}${shape[1]}))${CUT}`),
  );
  const cutHere = sticky(bare.map(([, start]) => `(${start}${CUT})`));
  // Grouped by last character, so that at each character only the marks that end with it are tried.
  const byEnd = new Map<string, string[]>();
  for (const [, before] of marked) {
    const end = before.at(-1) as string;
    byEnd.set(end, [...(byEnd.get(end) ?? []), before]);
  }
  const marks = anyOf([...byEnd].map(([end, befores]) => `[${end}](?<=(?:${anyOf(befores)}))`));
  const mark = new RegExp(marks, 'g');
  const named = (match: RegExpExecArray, shapes: readonly MarkedShape[]): readonly [MarkedShape, group: string] => {
    const i = match.findIndex((group, place) => place > 0 && group !== undefined);
    return [shapes[i - 1] as MarkedShape, match[i] as string];
  };
  const tokens: CompiledShapes = {
    marked: marks,
    bare: anyOf(bare.map(([, start]) => `${start[0]}(?=${start.slice(1)})`)),
    afterMark(text, at) {
      behind.lastIndex = at;
      const found = behind.exec(text);
      const pattern = found === null ? cutBehind : behind;
      const match = found ?? cutAt(text, at, cutBehind);
      if (match === null) return undefined;
      const [shape, before] = named(match, marked);
      const start = at - before.length;
      if (before.length < SURE && !beginsWord(text, start, WORD)) return undefined;
      if (found === null && isOpen(shape) && !looksMixed(before + match[0])) return undefined;
      return { start, end: pattern.lastIndex, name: shape[0] };
    },
    at(text, start) {
      // A long run (zeros of an image, many possible beginnings of a JWT) is read only from its first character.
      if (!beginsWord(text, start, text[start] === 'e' ? RUN : WORD)) return undefined;
      here.lastIndex = start;
      const found = here.exec(text);
      const pattern = found === null ? cutHere : here;
      const match = found ?? cutAt(text, start, cutHere);
      if (match === null) return undefined;
      const [[name]] = named(match, bare);
      if (!beginsWord(text, start, name === 'jwt' || name === 'aws-key-id' ? WORD : BASE64)) return undefined;
      return { start, end: pattern.lastIndex, name };
    },
    nameOf(value) {
      const found = tokens.at(value, 0);
      if (found?.end === value.length) return found.name;
      mark.lastIndex = 0;
      while (mark.test(value)) {
        const token = tokens.afterMark(value, mark.lastIndex);
        if (token?.start === 0 && token.end === value.length) return token.name;
      }
      return 'secret';
    },
  };
  return tokens;
}

const WORD = /\w/;
const RUN = /[\w-]/;
/** Base64 of images and the like has any four characters somewhere, so a shape must begin the run. */
const BASE64 = /[\w+/]/;
/** Escapes that end with a letter which is not part of the following word: a written `\n`, `%20`, a colour. */
const ESCAPE = /(?:\\[bfnrtv]|\\u[\da-f]{4}|%[\da-f]{2}|\[[\d;]{0,12}m)$/i;

function beginsWord(text: string, start: number, inside: RegExp): boolean {
  return (
    start === 0 || !inside.test(text[start - 1] as string) || ESCAPE.test(text.slice(Math.max(0, start - 16), start))
  );
}

function sticky(sources: readonly string[]): RegExp {
  return new RegExp(anyOf(sources), 'y');
}

/** An alternation of the sources; without any, an expression that never matches. */
function anyOf(sources: readonly string[]): string {
  return sources.length === 0 ? '(?!)' : sources.join('|');
}
