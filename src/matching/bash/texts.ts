import { unescaped, withoutMarks } from './guess.js';
import { type BashReading, spendSearch } from './reading.js';

/** Texts in which any word may begin a command; `all`: each, a line each. */
export interface SearchedTexts {
  readonly pieces: readonly string[];
  readonly all: string;
}

export function searchedTexts(pieces: ReadonlySet<string>): SearchedTexts {
  return { pieces: [...pieces], all: [...pieces].join('\n') };
}

/**
 * Adds the commands that a text holds if any word of it begins one: for programs nobody knows, which may take an argument
 * for commands in their own way (`--checkpoint-action=exec=rm x`, `:!rm x`, `system("rm x")`). Answers how many words may.
 */
export function addTexts(source: string, found: BashReading): number {
  const texts = new Set([source, unescaped(source)]);
  let words = 0;
  for (const text of texts) words += text.match(WORD)?.length ?? 0;
  for (const spelling of new Set([...texts].flatMap(spellingsOf)))
    for (const piece of piecesOf(spelling)) {
      if (found.texts.has(piece)) continue;
      spendSearch(piece.length, found);
      found.texts.add(piece);
    }
  return words;
}

/** What may stand before a command in a text, or before its path. */
const BEFORE = /[\s=:,[]/;
const WORD = /(?<=^|[\s=:,[;|&()`"'{}!\\])[^\s=:,[;|&()`"'{}!\\]/g;

/** As it is written, with one blank between words, and without quotes; make calls `rm -f` `$(RM)`. */
function spellingsOf(text: string): string[] {
  const written = text.replace(/\$\{?IFS\}?/g, ' ').replace(/\$[({]RM[)}]/g, 'rm -f');
  const spaced = withoutMarks(written.replace(/\\\r?\n/g, ' ')).replace(BLANKS, ' ');
  const plain = withoutMarks(written.replace(/\\\r?\n/g, ''))
    .replace(/\$?["']|\\(?!\n)/g, '')
    .replace(BLANKS, ' ');
  return [withoutMarks(written), spaced, plain];
}

const BLANKS = /[^\S\n]+/g;

/** A redirection directly behind a name, with its file. */
const GLUED = /(?<=\w)(?<!(?:^|\W)\d{1,9})(?:&>>?|[<>]{1,3}[&|]?)[^\S\n]*[^\s<>;|&()]*/g;

/** Redirections behind names are no part of these, nor of a command: `rm>o x`, `/bin/r?<o x`. */
export function withoutRedirections(text: string, behind = GLUED): string {
  return /[<>]/.test(text) ? text.replace(behind, ' ') : text;
}

const ENDS = /[;|&()`"'\n{}!\\]+/;

function piecesOf(text: string): string[] {
  const bare = withoutRedirections(text);
  const written = text.split(ENDS);
  const pieces = (bare === text ? written : [...written, ...bare.split(ENDS)]).map((piece) => piece.trimEnd());
  // An expansion behind a name may be nothing, or blanks.
  const names = text.includes('$') ? pieces.flatMap((piece) => piece.match(/(?<=^|\s)[^\s$]+(?=\$)/g) ?? []) : [];
  return [...pieces, ...names].filter((piece) => piece !== '');
}

/**
 * Whether a command that matches a pattern begins at a word of a piece, with its path or without. `test`: the pattern.
 * What follows its first `*` is found from the first such place, if it is from any.
 */
export function beginsIn(pattern: string, test: (text: string) => boolean): (piece: string) => boolean {
  const [start = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return (piece) => piece.endsWith(start) && isPlace(piece, piece.length - start.length);
  return (piece) => {
    if (start === '') return test(piece.replace(/^[\s=:,[]+/, ''));
    for (let at = piece.indexOf(start); at !== -1; at = piece.indexOf(start, at + 1))
      if (isPlace(piece, at)) return test(piece.slice(at));
    return false;
  };
}

/** Whether a word begins there, or the name at the end of a path. */
function isPlace(piece: string, at: number): boolean {
  const before = piece[at - 1];
  if (before === '/') {
    const next = piece.indexOf('/', at);
    return next === -1 || /\s/.test(piece.slice(at, next));
  }
  return (before === undefined || BEFORE.test(before)) && !BEFORE.test(piece[at] ?? ' ');
}

/** The longest text without `*` in a pattern. */
export const longestIn = (pattern: string): string =>
  pattern.split('*').reduce((longest, one) => (one.length > longest.length ? one : longest), '');
