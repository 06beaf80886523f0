/** One character, any character, or any run of them. `isName`: the character belongs to the name that a pattern is about. */
type GlobToken = { readonly letter: string; readonly isName: boolean } | 'any' | 'star';
/** `**`, or the pieces of one part of a path. `plain` is its text if it is literal. */
export type GlobSegment =
  | '**'
  | { readonly pieces: readonly GlobToken[]; readonly plain: string | undefined; readonly isNamed: boolean };

/** The parts of a literal absolute path. */
export function plainParts(path: string): readonly GlobSegment[] {
  return split(path).map((text) => ({ pieces: [], plain: text, isNamed: false }));
}

/** The parts of a glob. */
export function globParts(glob: string): readonly GlobSegment[] {
  return split(glob).map(partOf);
}

/**
 * The parts of a gitignore pattern. A search must name the last part that contains a name: `secret` for `src/secret/**`. If that
 * part is a kind of files, as in `secret/*.pem`, the search must name the folder too.
 */
export function patternParts(pattern: string): readonly GlobSegment[] {
  const parts = globParts(pattern);
  const isNamed = (part: GlobSegment): boolean => part !== '**' && part.isNamed;
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

function partOf(text: string): GlobSegment {
  if (/^\*\*+$/.test(text)) return '**';
  const found = [...text.matchAll(PIECES)].map(([piece, escaped]): string => escaped ?? piece);
  const isPlain = (piece: string): boolean => [...piece].length === 1 && piece !== '*' && piece !== '?';
  const letters = found.filter((piece) => LETTER.test(piece) && isPlain(piece));
  // The name in `package.json` is `package`; in `*.pem` and `.env` it is the ending.
  const dot = found.lastIndexOf('.');
  const stem = found.slice(0, Math.max(dot, 0)).some((piece) => isPlain(piece) && LETTER.test(piece))
    ? dot
    : found.length;
  const pieces = found.map((piece, at): GlobToken => {
    if (piece.startsWith('*')) return 'star';
    if (!isPlain(piece)) return 'any';
    return { letter: piece, isName: at < stem && LETTER.test(piece) };
  });
  return { pieces, plain: found.every(isPlain) ? found.join('') : undefined, isNamed: letters.length > 0 };
}

/** The remaining budget for looking for names, in compared positions. */
export interface GlobBudget {
  left: number;
}

/** Enough for every glob that a person writes. It takes a millisecond or two. */
export const MOST_STEPS = 20_000;

/**
 * Whether `glob` may find a path that matches `pattern`, or is in a folder that does, and also names the parts that must be named:
 * `secre?` names `secret`, a lone star does not. Returns true if that takes too many steps.
 */
export function namesIn(glob: readonly GlobSegment[], pattern: readonly GlobSegment[], steps: GlobBudget): boolean {
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

function partsMeet(
  part: Exclude<GlobSegment, '**'>,
  given: Exclude<GlobSegment, '**'>,
  isName: boolean,
  steps: GlobBudget,
): boolean {
  if (part.plain !== undefined && given.plain !== undefined) return part.plain === given.plain;
  const a = part.pieces.length > 0 ? part.pieces : piecesOf(part.plain);
  const b = given.pieces.length > 0 ? given.pieces : piecesOf(given.plain);
  const width = b.length + 1;
  const seen = new Set<number>();
  /** Depth first; each state is visited once. `named`: a letter of the name has matched. */
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

const piecesOf = (text = ''): readonly GlobToken[] => [...text].map((letter) => ({ letter, isName: false }));
