import { readFileSync, statSync } from 'node:fs';
import type { ParseError } from 'jsonc-parser';
import { HookscopeError } from '../errors.js';

/** Reads a JSON file. Rejects with FILE: it cannot be read, or at which line and column it is not JSON. */
export async function readJsonFile(file: string): Promise<unknown> {
  return parseJson(readText(file), file);
}

/** A file that was found somewhere: it must be a regular one, since a pipe or device may never end. Throws FILE. */
export function readText(file: string): string {
  return readIf(file, () => {
    const stat = statSync(file);
    return stat.isFile() || stat.isDirectory();
  });
}

/** A file that somebody has named; `<(…)` of a shell is one too. Throws FILE. */
export function readNamedText(file: string): string {
  return readIf(file, () => true);
}

function readIf(file: string, may: () => boolean): string {
  try {
    if (may()) return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new HookscopeError('FILE', { file, problem: PROBLEMS[code ?? ''] ?? message }, { cause: error });
  }
  throw new HookscopeError('FILE', { file, problem: 'is no regular file' });
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a directory, not a file',
  EACCES: 'may not be read by you',
};

/** Parses text as JSON; `file` is what errors name. A byte order mark is passed over. Rejects with FILE. */
export async function parseJson(text: string, file: string): Promise<unknown> {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new HookscopeError(
      'FILE',
      { file, problem: `is not JSON: ${await whereWrong(json, error)}` },
      { cause: error },
    );
  }
}

/** A place in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Keys and indexes from the top of a document. */
export type Path = readonly (string | number)[];

async function whereWrong(json: string, error: unknown): Promise<string> {
  const found = await findSyntaxError(json);
  return found ? `line ${found.line}, column ${found.column}: ${found.what}` : (error as Error).message;
}

/** Where a text is not JSON; the parser of Node does not always say. undefined: nothing was found. */
export async function findSyntaxError(json: string): Promise<(Position & { readonly what: string }) | undefined> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  parse(json, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (!first) return undefined;
  const what = printParseErrorCode(first.error).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { ...positionAt(json, first.offset), what: what.trim() };
}

/** Where in a JSON text the value at a path begins, or the nearest one around it; its key, where it has one. */
export async function findPosition(json: string, path: Path): Promise<Position | undefined> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const root = parseTree(json);
  if (!root) return undefined;
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node) return positionAt(json, node.parent?.type === 'property' ? node.parent.offset : node.offset);
  }
  return positionAt(json, root.offset);
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) as string).length + 1 };
}
