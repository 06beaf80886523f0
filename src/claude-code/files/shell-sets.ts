import { forEachChild, parse } from '../../matching/bash/bash.js';
import { append } from '../../values/append.js';

type SyntaxPart = Parameters<typeof forEachChild>[0];

/** A place of a command line from which on a variable has a value of the line's own. */
export interface SetHere {
  readonly name: string;
  readonly end: number;
}

/** More nodes, or deeper ones, are not looked at, because what is in a substitution is parsed again for each one around it. */
const MOST = 20_000;
const DEEPEST = 100;

/** The variables that a Bash command line sets, and where each has its value. None where the line is not to be read. */
export function setsOf(line: string): SetHere[] {
  if (depthOf(line) > DEEPEST) return [];
  const found: SetHere[] = [];
  try {
    const unvisited: SyntaxPart[] = [parse(line)];
    for (let count = 0; count < MOST; count++) {
      const node = unvisited.pop();
      if (node === undefined) break;
      append(found, setBy(node));
      forEachChild(node, (child) => void unvisited.push(child));
    }
  } catch (error) {
    // The parser is recursive.
    if (!(error instanceof RangeError)) throw error;
  }
  return found;
}

/** How deep a line may be nested at most. */
function depthOf(line: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of line) {
    if (character === '(' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ')' || character === '}') depth = Math.max(0, depth - 1);
  }
  return deepest;
}

/** A value that is appended to another one is not the line's own. */
function setBy(node: SyntaxPart): SetHere[] {
  const end = node.end;
  switch (node.type) {
    case 'Assignment':
      return node.append === true ? [] : [{ name: node.name, end }];
    case 'For':
    case 'Select':
      return [{ name: node.name.value, end: node.name.end }];
    case 'ArithmeticBinary':
      return node.operator === '=' && node.left.type === 'ArithmeticWord' ? [{ name: node.left.value, end }] : [];
    case 'Coproc':
      return node.name === undefined ? [] : [{ name: node.name.value, end }];
    case 'Command':
      return namesSetBy(node).map((name) => ({ name, end }));
    default:
      return [];
  }
}

/** The variables whose names are arguments of a builtin that sets them. */
function namesSetBy({ name, args }: Extract<SyntaxPart, { type: 'Command' }>): string[] {
  const words = args.flatMap((arg) => (arg.type === 'Word' ? [arg.value] : []));
  if (/^(?:read|mapfile|readarray|getopts|unset)$/.test(name?.value ?? '')) return words;
  if (name?.value === 'printf') return words[0] === '-v' ? words.slice(1, 2) : [];
  return name?.value === 'let' ? words.flatMap((word) => /^(\w+)=(?!=)/.exec(word)?.[1] ?? []) : [];
}
