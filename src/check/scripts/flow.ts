import type { CodeText } from './code-text.js';

/** Answers questions about the control flow of a program. Places are offsets. */
export interface Flow {
  /** The depth of nested blocks at an offset. */
  depth(at: number): number;
  /** Whether the code between two offsets never leaves the block of the first. */
  follows(first: number, second: number): boolean;
  /** Whether the offset comes after a condition on the same line. */
  conditional(at: number): boolean;
}

export function flowOf(text: CodeText): Flow {
  return text.language === 'python' ? byIndent(text.code) : byBraces(text.code);
}

const STARTS_OR_CONDITION = /[\n;{]|\b(?:if|else|elif|for|while|lambda|def|except|catch|case|default)\b|=>|&&|\|\||\?/g;

/** Scans the code only once, because a program may have all of its exits on one line. */
function conditionalIn(code: string): Flow['conditional'] {
  let starts: number[] | undefined;
  // For each of these starts, the offset after the first condition that follows.
  const conditions: number[] = [];
  return (at) => {
    if (!starts) {
      starts = [0];
      for (const { 0: found, index } of code.matchAll(STARTS_OR_CONDITION)) {
        if (/^[\n;{]$/.test(found)) starts.push(index + 1);
        else conditions[starts.length - 1] ??= index + found.length;
      }
    }
    return (conditions[lastAtMost(starts, at)] ?? Number.POSITIVE_INFINITY) <= at;
  };
}

/** The index of the last number in a sorted list that is at most this value. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

function byBraces(code: string): Flow {
  const depths = new Int32Array(code.length + 1);
  for (let at = 0, depth = 0; at < code.length; at++) {
    if (code[at] === '}') depth--;
    depths[at] = depth;
    if (code[at] === '{') depth++;
    depths[at + 1] = depth;
  }
  const depth = (at: number): number => depths[at] ?? 0;
  return {
    depth,
    follows(first, second) {
      const own = depth(first);
      for (let at = first; at <= second; at++) if (depth(at) < own) return false;
      return true;
    },
    conditional: conditionalIn(code),
  };
}

function byIndent(code: string): Flow {
  interface Line {
    readonly start: number;
    readonly indent: number;
  }
  const lines: Line[] = [];
  let brackets = 0;
  let start = 0;
  for (const line of code.split('\n')) {
    // A line inside open brackets continues the previous one.
    if (brackets <= 0 && line.trim() !== '') lines.push({ start, indent: /^\s*/.exec(line)?.[0].length ?? 0 });
    for (const letter of line) brackets += '([{'.includes(letter) ? 1 : ')]}'.includes(letter) ? -1 : 0;
    start += line.length + 1;
  }
  const indexOf = (at: number): number => {
    let [low, high] = [0, lines.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lines[middle] as Line).start <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const depth = (at: number): number => lines[indexOf(at)]?.indent ?? 0;
  return {
    depth,
    follows(first, second) {
      const own = depth(first);
      return lines.slice(indexOf(first) + 1, indexOf(second) + 1).every(({ indent }) => indent >= own);
    },
    conditional: conditionalIn(code),
  };
}
