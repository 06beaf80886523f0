import type { Node } from 'jsonc-parser';

/** A part of a text that is cut out of it. */
export interface CutRange {
  readonly from: number;
  readonly to: number;
}

/** The text without these parts, which do not overlap. */
export function cut(text: string, ranges: readonly CutRange[]): string {
  let result = '';
  let at = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(at, from);
    at = to;
  }
  return result + text.slice(at);
}

/** The parts to cut out so that an object or a list loses these children: each with the blanks before it and one comma. Comments stay. */
export function rangesOf(text: string, { offset, length, children = [] }: Node, gone: readonly Node[]): CutRange[] {
  const ranges: CutRange[] = [];
  let isBehindKept = false;
  for (const [i, child] of children.entries()) {
    if (!gone.includes(child)) {
      isBehindKept = true;
      continue;
    }
    const before = endOf(children[i - 1]) ?? offset + 1;
    const end = child.offset + child.length;
    const after = children[i + 1]?.offset ?? offset + length - 1;
    const comma = isBehindKept ? commaIn(text, before, child.offset) : commaIn(text, end, after);
    if (comma !== undefined) ranges.push({ from: comma, to: comma + 1 });
    ranges.push({ from: startOf(text, before, child.offset, comma === end ? end + 1 : end), to: end });
  }
  return ranges;
}

const endOf = (node: Node | undefined): number | undefined => node && node.offset + node.length;

/** Where the blanks before a child begin. After a line comment they stay, because they end its line, unless a line end follows the child. */
function startOf(text: string, before: number, at: number, next: number): number {
  const gap = text.slice(before, at);
  const blank = before + gap.trimEnd().length;
  const isOpen = blankComments(gap, true).trimEnd().endsWith('//');
  return isOpen && !/^[ \t]*\r?\n/.test(text.slice(next)) ? at : blank;
}

function commaIn(text: string, from: number, to: number): number | undefined {
  const at = blankComments(text.slice(from, to)).indexOf(',');
  return at === -1 ? undefined : from + at;
}

/** Replaces comments by blanks of the same length; with `shown`, a line comment keeps its `//`, moved to its end. */
function blankComments(gap: string, shown = false): string {
  return gap.replace(/\/\/.*|\/\*[\s\S]*?\*\//g, (comment) => {
    const blank = comment.replace(/[^\n]/g, ' ');
    return shown && comment.startsWith('//') ? `${blank.slice(2)}//` : blank;
  });
}
