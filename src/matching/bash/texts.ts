import { unescaped, withoutMarks } from './guess.js';
import { type BashReading, spendSearch } from './reading.js';

/** Texts in which any word may begin a command. `all`: the pieces joined by newlines. */
export interface SearchedTexts {
  readonly pieces: readonly string[];
  readonly all: string;
}

export function searchedTexts(pieces: ReadonlySet<string>): SearchedTexts {
  return { pieces: [...pieces], all: [...pieces].join('\n') };
}

/**
 * Adds a text in which any word may begin a command: for unknown programs, which may find commands in an argument in a syntax of
 * their own (`--checkpoint-action=exec=rm x`, `:!rm x`, `system("rm x")`). Returns how many words may begin one.
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

/** Characters that may precede a command, or its path, in a text. */
const BEFORE = /[\s=:,[]/;
const WORD = /(?<=^|[\s=:,[;|&()`"'{}!\\])[^\s=:,[;|&()`"'{}!\\]/g;

/** A text as written, with single blanks, and without quotes. Also replaces make's `$(RM)` by `rm -f`. */
function spellingsOf(text: string): string[] {
  const written = text.replace(/\$\{?IFS\}?/g, ' ').replace(/\$[({]RM[)}]/g, 'rm -f');
  const spaced = withoutMarks(written.replace(/\\\r?\n/g, ' ')).replace(BLANKS, ' ');
  const plain = withoutMarks(written.replace(/\\\r?\n/g, ''))
    .replace(/\$?["']|\\(?!\n)/g, '')
    .replace(BLANKS, ' ');
  return [withoutMarks(written), spaced, plain];
}

const BLANKS = /[^\S\n]+/g;

/** A redirection directly after a name, with its file. */
const GLUED = /(?<=\w)(?<!(?:^|\W)\d{1,9})(?:&>>?|[<>]{1,3}[&|]?)[^\S\n]*[^\s<>;|&()]*/g;

/** Removes redirections after names, which are not part of the command: `rm>o x`, `/bin/r?<o x`. */
export function withoutRedirections(text: string, behind = GLUED): string {
  return /[<>]/.test(text) ? text.replace(behind, ' ') : text;
}

const ENDS = /[;|&()`"'\n{}!\\]+/;

function piecesOf(text: string): string[] {
  const bare = withoutRedirections(text);
  const written = text.split(ENDS);
  const pieces = (bare === text ? written : [...written, ...bare.split(ENDS)]).map((piece) => piece.trimEnd());
  // An expansion after a name may be empty or blank.
  const names = text.includes('$') ? pieces.flatMap((piece) => piece.match(/(?<=^|\s)[^\s$]+(?=\$)/g) ?? []) : [];
  return [...pieces, ...names].filter((piece) => piece !== '');
}

/**
 * Tests whether a command that matches the pattern begins at a word of a piece, with or without its path. `test` is the compiled
 * pattern. Only the first place is tested: if the text after the first `*` matches from any place, it also matches from the first.
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

/** Whether a word begins at this position, or the last part of a path. */
function isPlace(piece: string, at: number): boolean {
  const before = piece[at - 1];
  if (before === '/') {
    const next = piece.indexOf('/', at);
    return next === -1 || /\s/.test(piece.slice(at, next));
  }
  return (before === undefined || BEFORE.test(before)) && !BEFORE.test(piece[at] ?? ' ');
}

/** The longest part of a pattern without `*`. */
export const longestIn = (pattern: string): string =>
  pattern.split('*').reduce((longest, one) => (one.length > longest.length ? one : longest), '');
