import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { JsonLeniency } from '../../agents/table.js';
import { usualMistake } from '../../files/json-mistakes.js';
import { isTooDeep } from '../../files/nesting.js';
import type { ParsedFile, TreeEntry, TreeNode } from './tree.js';

/** What every known program accepts besides strict JSON: a byte order mark. */
const USUAL: readonly JsonLeniency[] = ['mark'];

/** Parses JSON as strictly as the program that will read it, but continues after an error. Never throws. `reads`: what that program accepts besides strict JSON. */
export function parseJsonTree(text: string, reads: readonly JsonLeniency[] = USUAL): ParsedFile {
  const errors: ParseError[] = [];
  // The mark is replaced with a space, so that offsets stay the same.
  const isMarked = text.startsWith('\uFEFF');
  const json = isMarked ? ` ${text.slice(1)}` : text;
  if (isTooDeep(json)) {
    return { root: undefined, errors: [{ start: 0, end: 1, message: 'It is nested too deeply' }] };
  }
  const root = parseTree(json, errors, {
    disallowComments: !reads.includes('comments'),
    allowTrailingComma: reads.includes('commas'),
  });
  const mark = isMarked && !reads.includes('mark') ? [{ start: 0, end: 1, message: MARK }] : [];
  // What follows the first is often caused by it. To look for mistakes costs a reading of the file.
  const found = errors.map(({ error, offset, length }, i) => ({
    start: offset,
    end: offset + Math.max(1, length),
    message: said(printParseErrorCode(error), i === 0 ? usualMistake(json, offset) : undefined),
  }));
  return { root: root && convert(root), errors: [...mark, ...found] };
}

const MARK = 'A byte order mark: this agent reads nothing of a file that begins with one';

function said(code: string, mistake: string | undefined): string {
  if (code === 'InvalidCommentToken')
    return 'A comment: JSON has none, and whoever reads it strictly drops the whole file';
  const words = mistake ?? code.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function convert(node: Node): TreeNode {
  const span = { start: node.offset, end: node.offset + node.length };
  const children = node.children ?? [];
  if (node.type === 'object') return { ...span, kind: 'object', entries: children.flatMap(toEntry) };
  if (node.type === 'array') return { ...span, kind: 'array', items: children.map(convert) };
  return { ...span, kind: 'scalar', value: (node.value ?? null) as string | number | boolean | null };
}

function toEntry({ children }: Node): TreeEntry[] {
  const [key, value] = children ?? [];
  // After an error, a key may be left without its value.
  if (!key || !value) return [];
  return [
    {
      key: String(key.value),
      keySpan: { start: key.offset, end: key.offset + key.length },
      value: convert(value),
    },
  ];
}
