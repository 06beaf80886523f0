/** One character, any one, or any run of them. `isName`: it belongs to the name that a pattern is about. */
type Piece = { readonly letter: string; readonly isName: boolean } | 'any' | 'star';
/** `**`, or the pieces of one part of a path; `plain`: its text, if it stands for itself. */
export type Part =
  | '**'
  | { readonly pieces: readonly Piece[]; readonly plain: string | undefined; readonly isNamed: boolean };

/** The parts of an absolute path in which letters stand for themselves. */
export function plainParts(path: string): readonly Part[] {
  return split(path).map((text) => ({ pieces: [], plain: text, isNamed: false }));
}

/** The parts of a glob. */
export function globParts(glob: string): readonly Part[] {
  return split(glob).map(partOf);
}

/**
 * The parts of a gitignore pattern. A search has to name the last that has a name: of `src/secret` and all in it that is
 * `secret`. Before files of a kind (`secret/*.pem`) it has to name their folder too.
 */
export function patternParts(pattern: string): readonly Part[] {
  const parts = globParts(pattern);
  const isNamed = (part: Part): boolean => part !== '**' && part.isNamed;
  const last = parts.findLastIndex(isNamed);
  const file = parts.at(-1);
  const isKind = last === parts.length - 1 && file !== '**' && file?.plain === undefined;
  const folder = isKind ? parts.slice(0, last).findLastIndex(isNamed) : -1;
  return parts.map((part, at) => (part === '**' || at === last || at === folder ? part : { ...part, isNamed: false }));
}

const split = (path: string): string[] =>
  path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '');

const LETTER = /[\p{L}\p{N}]/u;
const PIECES = /\\(.)|\[(?:\\.|[^\]\\])[^\]]*\]|\*+|\?|./gsu;

function partOf(text: string): Part {
  if (/^\*\*+$/.test(text)) return '**';
  const found = [...text.matchAll(PIECES)].map(([piece, escaped]): string => escaped ?? piece);
  const isPlain = (piece: string): boolean => [...piece].length === 1 && piece !== '*' && piece !== '?';
  const letters = found.filter((piece) => LETTER.test(piece) && isPlain(piece));
  // Of `package.json` the name is `package`, of `*.pem` and `.env` what they end in.
  const dot = found.lastIndexOf('.');
  const stem = found.slice(0, Math.max(dot, 0)).some((piece) => isPlain(piece) && LETTER.test(piece))
    ? dot
    : found.length;
  const pieces = found.map((piece, at): Piece => {
    if (piece.startsWith('*')) return 'star';
    if (!isPlain(piece)) return 'any';
    return { letter: piece, isName: at < stem && LETTER.test(piece) };
  });
  return { pieces, plain: found.every(isPlain) ? found.join('') : undefined, isNamed: letters.length > 0 };
}

/** What looking for names may cost in all, in places that are compared. */
export interface Steps {
  left: number;
}

/** Enough for every glob that anybody writes: a millisecond or two. */
export const MOST_STEPS = 20_000;

/**
 * Whether a path that is in `pattern`, or in a folder that is, may be found by `glob`, and the parts that have to be named are:
 * `secre?` names `secret`, a lone star does not. Where that takes too many steps it is taken to be.
 */
export function namesIn(glob: readonly Part[], pattern: readonly Part[], steps: Steps): boolean {
  const width = glob.length + 1;
  const seen = new Set<number>();
  const meet = (i: number, j: number): boolean => {
    const key = i * width + j;
    if (seen.has(key)) return false;
    seen.add(key);
    if (--steps.left < 0) return true;
    const part = pattern[i];
    const given = glob[j];
    if (part === undefined) return true;
    if (part === '**' && meet(i + 1, j)) return true;
    if (given === undefined) return false;
    const isName = part !== '**' && part.isNamed;
    if (given === '**') return meet(i, j + 1) || (!isName && meet(i + 1, j));
    if (part === '**') return meet(i, j + 1);
    return partsMeet(part, given, isName, steps) && meet(i + 1, j + 1);
  };
  return meet(0, 0);
}

function partsMeet(part: Exclude<Part, '**'>, given: Exclude<Part, '**'>, isName: boolean, steps: Steps): boolean {
  if (part.plain !== undefined && given.plain !== undefined) return part.plain === given.plain;
  const a = part.pieces.length > 0 ? part.pieces : piecesOf(part.plain);
  const b = given.pieces.length > 0 ? given.pieces : piecesOf(given.plain);
  const width = b.length + 1;
  const seen = new Set<number>();
  /** Depth first, and never twice at one place. `named`: letters of the name have met. */
  const open: [i: number, j: number, named: boolean][] = [[0, 0, !isName]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [i, j, named] = next;
    const key = (i * width + j) * 2 + (named ? 1 : 0);
    if (seen.has(key)) continue;
    seen.add(key);
    if (--steps.left < 0) return true;
    const one = a[i];
    const other = b[j];
    if (one === undefined && other === undefined) {
      if (named) return true;
      continue;
    }
    if (one === 'star') {
      open.push([i + 1, j, named]);
      if (other !== undefined) open.push([i, j + 1, named]);
    } else if (other === 'star') {
      open.push([i, j + 1, named]);
      if (one !== undefined) open.push([i + 1, j, named]);
    } else if (one !== undefined && other !== undefined) {
      const areLetters = one !== 'any' && other !== 'any';
      if (areLetters && one.letter !== other.letter) continue;
      open.push([i + 1, j + 1, named || (areLetters && one.isName)]);
    }
  }
  return false;
}

const piecesOf = (text = ''): readonly Piece[] => [...text].map((letter) => ({ letter, isName: false }));
