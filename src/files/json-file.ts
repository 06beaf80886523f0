import type { Node, ParseError } from 'jsonc-parser';
import { HookscopeError } from '../errors.js';
import { readAll, readNamedFile } from './named-file.js';
import { isTooDeep } from './nesting.js';
import { readRegularFile } from './regular-file.js';
import { strictText } from './utf8.js';

/** Reads a JSON file. Rejects with FILE if it cannot be read or is not JSON; the message has the line and column. */
export async function readJsonFile(file: string): Promise<unknown> {
  return parseJson(readText(file), file);
}

/** Reads a file that the user did not name: only a regular file of at most 16 MiB. Invalid UTF-8 becomes U+FFFD, as in most programs. Throws FILE. */
export const readText = (file: string): string => readBytes(file).toString('utf8');

/** Reads a file that contains hooks, with the limits of `readText`. It must be valid UTF-8. Throws FILE. */
export function readHookText(file: string): string {
  const bytes = readBytes(file);
  try {
    return strictText(bytes);
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Reads the bytes of a file, with the limits of `readText`. Throws FILE. */
export function readBytes(file: string): Buffer {
  try {
    return readRegularFile(file);
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Reads a file that the user named, at most `most` bytes (default: 64 MiB). It may be a pipe, such as a shell's `<(…)`. Rejects with FILE. */
export function readNamedBytes(file: string, most?: number): Promise<Buffer> {
  return readNamedFile(file, most).catch((error: unknown) => Promise.reject(fileError(file, error)));
}

/** Like `readNamedBytes`, but returns text, which must be valid UTF-8. */
export async function readNamedText(file: string): Promise<string> {
  const bytes = await readNamedBytes(file);
  try {
    return strictText(bytes);
  } catch (error) {
    throw fileError(file, error);
  }
}

/** Reads all of standard input, at most 64 MiB. Rejects with FILE. */
export function readStandardInput(name: string): Promise<string> {
  return readAll(process.stdin).then(String, (error: unknown) => Promise.reject(fileError(name, error)));
}

/** The FILE error for a system error that occurred while reading a file or folder. */
export function fileError(file: string, error: unknown, what: 'file' | 'folder' = 'file'): HookscopeError {
  const words = what === 'folder' ? { ...PROBLEMS, ENOENT: 'there is no such folder' } : PROBLEMS;
  return new HookscopeError('FILE', { file, problem: wordsOf(error, words) }, { cause: error });
}

/** The FILE error for a system error that occurred while writing a file. */
export function writeError(file: string, error: unknown): HookscopeError {
  return new HookscopeError('FILE', { file, problem: wordsOf(error, WRITING) }, { cause: error });
}

function wordsOf(error: unknown, words: Readonly<Record<string, string>>): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return words[code] ?? message;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a directory, not a file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EACCES: 'may not be read by you',
  EPERM: 'may not be read by you',
  ELOOP: 'is a link that leads to itself',
  ENAMETOOLONG: 'is longer than a name may be',
  ENXIO: 'is a socket, not a file',
};
const WRITING: Readonly<Record<string, string>> = {
  ...PROBLEMS,
  ENOENT: 'the folder that it is to be in is not there; make it first',
  EACCES: 'may not be written by you',
  EPERM: 'may not be written by you',
  EROFS: 'is where nothing can be written',
  ENOSPC: 'there is no room left to write it',
};

/** Parses text as JSON; errors name `file`. A byte order mark is skipped. Rejects with FILE. */
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

/** Like `parseJson`, for files that people write: also rejects with FILE if an object has a key twice, since JSON.parse would keep only the last. */
export async function parseOwnJson(text: string, file: string): Promise<unknown> {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const data = await parseJson(json, file);
  if (!hasRepeatedKey(json, data)) return data;
  if (isTooDeep(json)) throw new HookscopeError('FILE', { file, problem: REPEATED_KEY });
  const [first] = await repeatedKeys(json, data);
  if (first === undefined) return data;
  const { key, line, column } = first;
  const problem = `line ${line}, column ${column}: "${key}" appears here a second time; put both into one`;
  throw new HookscopeError('FILE', { file, problem });
}

export const REPEATED_KEY = 'has a key twice in one object; put both into one';

/** Whether any object in a JSON text has a key twice. `data` is the parsed text. The text may begin with a byte order mark. */
export const hasRepeatedKey = (json: string, data: unknown): boolean => keysIn(json) !== keysOf(data);

/** How many keys a JSON text has. */
function keysIn(json: string): number {
  let count = 0;
  const colon = /\s*:/y;
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', colon.lastIndex)) {
    const end = endOfText(json, at);
    colon.lastIndex = end;
    if (colon.test(json)) count++;
    else colon.lastIndex = end;
  }
  return count;
}

/** The offset after the closing quote of the string that begins at `start`. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); ; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json[before - 1] === '\\') before--;
    if ((at - before) % 2 === 0) return at + 1;
  }
}

function keysOf(data: unknown): number {
  let count = 0;
  const left: unknown[] = [data];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values = Object.values(next);
    if (!Array.isArray(next)) count += values.length;
    for (const value of values) left.push(value);
  }
  return count;
}

/** A repeated key of an object. */
export interface RepeatedKey extends Position {
  readonly key: string;
  readonly path: Path;
}

/** All repeated keys in a JSON text, except `//`, which serves as a comment. `data` is the parsed text, which must not nest too deeply. */
export async function repeatedKeys(json: string, data: unknown): Promise<readonly RepeatedKey[]> {
  if (!hasRepeatedKey(json, data)) return [];
  const { visit } = await import('jsonc-parser');
  const at = positionsIn(json);
  const open: Set<string>[] = [];
  const found: RepeatedKey[] = [];
  visit(json, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(key, offset, _length, _line, _column, pathOf) {
      const keys = open.at(-1);
      if (keys?.has(key) && key !== '//') found.push({ key, path: [...pathOf(), key], ...at(offset) });
      keys?.add(key);
    },
  });
  return found;
}

/** A position in a text. Lines and columns count from 1. */
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

/** The first syntax error of a JSON text, since Node's parser does not always give a position; undefined if there is none or the text nests too deeply. */
export async function findSyntaxError(json: string): Promise<(Position & { readonly what: string }) | undefined> {
  if (isTooDeep(json)) return undefined;
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  // Loaded only when a file has an error.
  const { usualMistake } = await import('./json-mistakes.js');
  const errors: ParseError[] = [];
  parse(json, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (!first) return undefined;
  const what = printParseErrorCode(first.error).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return { ...positionAt(json, first.offset), what: usualMistake(json, first.offset) ?? what.trim() };
}

/** Finds the position of a path in a JSON text: that of the key, or of the array item. If the path does not exist, it is the position of the nearest parent. */
export function findPositions(json: string): (path: Path) => Promise<Position | undefined> {
  // Parsed once for all paths.
  let read: Promise<JsonPlaces> | undefined;
  return async (path) => {
    read ??= readPlaces(json);
    return (await read)(path);
  };
}

type JsonPlaces = (path: Path) => Position | undefined;

async function readPlaces(json: string): Promise<JsonPlaces> {
  const { parseTree } = await import('jsonc-parser');
  const root = isTooDeep(json) ? undefined : parseTree(json);
  const at = positionsIn(json);
  return (path) => {
    if (!root) return undefined;
    for (let length = path.length; length > 0; length--) {
      const node = nodeAt(root, path.slice(0, length));
      if (node) return at(node.parent?.type === 'property' ? node.parent.offset : node.offset);
    }
    return at(root.offset);
  };
}

/** Of repeated keys, the last counts, as in JSON.parse. */
function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root;
  for (const key of path) {
    const children: Node[] = node?.children ?? [];
    if (typeof key === 'number') node = node?.type === 'array' ? children[key] : undefined;
    else
      node = children.findLast(({ type, children: pair }) => type === 'property' && pair?.[0]?.value === key)
        ?.children?.[1];
  }
  return node;
}

export function positionAt(text: string, offset: number): Position {
  return positionsIn(text)(offset);
}

/** Like `positionAt`, for many offsets in the same text. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}
