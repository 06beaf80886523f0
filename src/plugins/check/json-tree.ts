import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Entry, Parsed, TreeNode } from './tree.js';

/** Reads JSON as strictly as a program will, but goes on behind what is wrong. Never throws. */
export function parseJsonTree(text: string): Parsed {
  const errors: ParseError[] = [];
  // One character, so that offsets stay true.
  const json = text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text;
  const root = parseShallow(json, errors);
  return {
    root: root && convert(root),
    errors: errors.map(({ error, offset, length }) => ({
      start: offset,
      end: offset + Math.max(1, length),
      message: printParseErrorCode(error).replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    })),
  };
}

/** Deeper than any hook file, and far from the end of the stack. */
const MAX_DEPTH = 200;

function parseShallow(json: string, errors: ParseError[]): Node | undefined {
  if (depthOf(json) > MAX_DEPTH) {
    errors.push({ error: 16, offset: 0, length: 1 });
    return undefined;
  }
  return parseTree(json, errors, { disallowComments: true, allowTrailingComma: false });
}

function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\\n]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    most = Math.max(most, depth);
  }
  return most;
}

function convert(node: Node): TreeNode {
  const span = { start: node.offset, end: node.offset + node.length };
  const children = node.children ?? [];
  if (node.type === 'object') return { ...span, kind: 'object', entries: children.flatMap(toEntry) };
  if (node.type === 'array') return { ...span, kind: 'array', items: children.map(convert) };
  return { ...span, kind: 'scalar', value: (node.value ?? null) as string | number | boolean | null };
}

function toEntry({ children }: Node): Entry[] {
  const [key, value] = children ?? [];
  // While recovering from an error a key may be left without its value.
  if (!key || !value) return [];
  return [
    {
      key: String(key.value),
      keySpan: { start: key.offset, end: key.offset + key.length },
      value: convert(value),
    },
  ];
}
