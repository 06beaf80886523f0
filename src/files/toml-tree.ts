import type { AST } from 'toml-eslint-parser';
import type { Path } from './json-file.js';

/** A value of a TOML file with its start and end, as offsets into the text. */
export type TomlNode =
  | { readonly kind: 'object'; readonly start: number; readonly end: number; readonly entries: TomlEntry[] }
  | { readonly kind: 'array'; readonly start: number; readonly end: number; readonly items: TomlNode[] }
  | {
      readonly kind: 'scalar';
      readonly start: number;
      readonly end: number;
      readonly value: string | number | boolean | null;
    };

export interface TomlEntry {
  readonly key: string;
  readonly keySpan: { readonly start: number; readonly end: number };
  value: TomlNode;
}

/** A parsed text, or the syntax error with its offset. */
export type ParsedToml =
  | { readonly root: Extract<TomlNode, { kind: 'object' }> }
  | { readonly problem: { readonly message: string; readonly offset: number } };

/** Parses TOML into nodes with positions. Never throws. */
export type TomlParser = (text: string) => ParsedToml;

/** Loads the parser when the first TOML file is read. */
export async function tomlParser(): Promise<TomlParser> {
  const { parseTOML } = await import('toml-eslint-parser');
  return (text) => {
    try {
      return { root: rootOf(parseTOML(text).body[0], text) };
    } catch (error) {
      const { message, index = 0 } = error as { message: string; index?: number };
      return { problem: { message, offset: index } };
    }
  };
}

/** The value as plain data. */
export function tomlData(node: TomlNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.items.map(tomlData);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, tomlData(value)]));
}

/** The offset of the key or array item at a path, or of the nearest parent that exists. */
export function tomlOffset(root: TomlNode, path: Path): number {
  let [node, at]: [TomlNode | undefined, number] = [root, root.start];
  for (const key of path) {
    if (typeof key === 'number') {
      node = node?.kind === 'array' ? node.items[key] : undefined;
      if (node === undefined) return at;
      at = node.start;
    } else {
      const entry: TomlEntry | undefined = node?.kind === 'object' ? entryIn(node, key) : undefined;
      if (entry === undefined) return at;
      [node, at] = [entry.value, entry.keySpan.start];
    }
  }
  return at;
}

type TomlObject = Extract<TomlNode, { kind: 'object' }>;
const entryIn = ({ entries }: TomlObject, key: string): TomlEntry | undefined =>
  entries.find((entry) => entry.key === key);

function rootOf({ body }: AST.TOMLTopLevelTable, text: string): TomlObject {
  const root: TomlObject = { kind: 'object', start: 0, end: text.length, entries: [] };
  for (const part of body) {
    if (part.type === 'TOMLKeyValue') put(root, part);
    else {
      const table = tableAt(root, part);
      for (const pair of part.body) put(table, pair);
    }
  }
  return root;
}

/** The object that a table header names. Creates the objects on its path if needed. */
function tableAt(root: TomlObject, table: AST.TOMLTable): TomlObject {
  const span = { start: table.range[0], end: table.range[1] };
  const keys = table.key.keys;
  let node: TomlNode = root;
  let named = 0;
  table.resolvedKey.forEach((key, i) => {
    const next = typeof table.resolvedKey[i + 1] === 'number' ? 'array' : 'object';
    const fresh: TomlNode =
      next === 'array' ? { kind: 'array', ...span, items: [] } : { kind: 'object', ...span, entries: [] };
    if (typeof key === 'number') {
      const { items } = node as Extract<TomlNode, { kind: 'array' }>;
      items[key] ??= fresh;
      node = items[key];
    } else {
      const at = keys[named++] ?? table.key;
      node = child(node as TomlObject, key, at.range, fresh);
    }
  });
  return node as TomlObject;
}

function child(node: TomlObject, key: string, range: AST.Range, fresh: TomlNode): TomlNode {
  const known = entryIn(node, key);
  if (known) return known.value;
  node.entries.push({ key, keySpan: { start: range[0], end: range[1] }, value: fresh });
  return fresh;
}

function put(table: TomlObject, { key, value, range }: AST.TOMLKeyValue): void {
  const names = key.keys;
  let node = table;
  names.slice(0, -1).forEach((name) => {
    const fresh: TomlObject = { kind: 'object', start: range[0], end: range[1], entries: [] };
    node = child(node, textOf(name), name.range, fresh) as TomlObject;
  });
  const last = names.at(-1);
  if (last) node.entries.push({ key: textOf(last), keySpan: spanOf(last.range), value: nodeOf(value) });
}

const textOf = (key: AST.TOMLBare | AST.TOMLQuoted): string => (key.type === 'TOMLBare' ? key.name : key.value);
const spanOf = ([start, end]: AST.Range) => ({ start, end });

function nodeOf(node: AST.TOMLContentNode): TomlNode {
  const span = spanOf(node.range);
  if (node.type === 'TOMLArray') return { kind: 'array', ...span, items: node.elements.map(nodeOf) };
  if (node.type === 'TOMLInlineTable') {
    const table: TomlObject = { kind: 'object', ...span, entries: [] };
    for (const pair of node.body) put(table, pair);
    return table;
  }
  const { value } = node;
  return { kind: 'scalar', ...span, value: value instanceof Date ? value.toISOString() : (value as string) };
}
