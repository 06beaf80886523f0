/** The part between two stars: text, or a test for each character. */
type Segment = string | readonly ((char: string) => boolean)[];

const PIECES = /\[([!^]?)([^\]]+)\]|\?|./gs;

function segmentOf(glob: string): Segment {
  if (!/[[?]/.test(glob)) return glob;
  return [...glob.matchAll(PIECES)].map(([piece, not, set]) => {
    if (set !== undefined) return (char) => isIn(char, set) !== (not !== '');
    return (char) => piece === '?' || piece === char;
  });
}

/** Whether a bracket expression without its brackets, such as `a-c`, contains the character. */
function isIn(char: string, set: string): boolean {
  for (let i = 0; i < set.length; i++) {
    const [from = '', dash, to] = set.slice(i, i + 3);
    if (dash !== '-' || to === undefined) {
      if (char === from) return true;
    } else {
      if (char >= from && char <= to) return true;
      i += 2;
    }
  }
  return false;
}

function isAt(segment: Segment, name: string, at: number): boolean {
  if (at < 0 || at + segment.length > name.length) return false;
  if (typeof segment === 'string') return name.startsWith(segment, at);
  return segment.every((isLetter, i) => isLetter(name[at + i] as string));
}

function find(segment: Segment, name: string, from: number): number {
  if (typeof segment === 'string') return name.indexOf(segment, from);
  for (let at = from; at + segment.length <= name.length; at++) if (isAt(segment, name, at)) return at;
  return -1;
}

/** Compiles a glob for file names. Matching never backtracks. */
export function nameTest(glob: string): (name: string) => boolean {
  const [first = '', ...rest] = partsOf(glob).map(segmentOf);
  const last = rest.pop();
  if (last === undefined) return (name) => name.length === first.length && isAt(first, name, 0);
  return (name) => {
    const end = name.length - last.length;
    if (end < first.length || !isAt(first, name, 0) || !isAt(last, name, end)) return false;
    let from = first.length;
    for (const segment of rest) {
      const at = find(segment, name, from);
      if (at === -1 || at + segment.length > end) return false;
      from = at + segment.length;
    }
    return true;
  };
}

/** Splits a glob at its stars. A star in brackets is literal. */
function partsOf(glob: string): string[] {
  const parts = [''];
  for (const [piece] of glob.matchAll(/\[[!^]?[^\]]+\]|\*+|[^[*]+|\[/g))
    if (piece.startsWith('*')) parts.push('');
    else parts.push((parts.pop() ?? '') + piece);
  return parts;
}
