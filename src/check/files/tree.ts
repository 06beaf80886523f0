import type { Path } from '../../files/json-file.js';

/** A value in a JSON, YAML or TOML file with its position, as offsets into the file's text. */
export type TreeNode =
  | (NodeSpan & AnchorOwner & { readonly kind: 'object'; readonly entries: readonly TreeEntry[] })
  | (NodeSpan & AnchorOwner & { readonly kind: 'array'; readonly items: readonly TreeNode[] })
  | (NodeSpan & { readonly kind: 'scalar'; readonly value: string | number | boolean | null });

/** The same object in each node that one YAML value became, at its place and at those of its aliases. */
interface AnchorOwner {
  readonly source?: object;
}

export type ObjectNode = Extract<TreeNode, { kind: 'object' }>;

/** A range from `start` up to, but not including, `end`. */
export interface NodeSpan {
  readonly start: number;
  readonly end: number;
}

export interface TreeEntry {
  readonly key: string;
  readonly keySpan: NodeSpan;
  readonly value: TreeNode;
}

/** The tree of a text, as far as it could be parsed, and the errors. */
export interface ParsedFile {
  readonly root: TreeNode | undefined;
  readonly errors: readonly (NodeSpan & { readonly message: string })[];
}

/** The entry with a key. If the key is repeated, the last one counts. */
export function entryOf(node: TreeNode | undefined, key: string): TreeEntry | undefined {
  return node?.kind === 'object' ? node.entries.findLast((entry) => entry.key === key) : undefined;
}

export function textOf(node: TreeNode | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** The value of a key if it is a string. */
export function textAt(node: TreeNode, key: string): string | undefined {
  return textOf(entryOf(node, key)?.value);
}

export function isTrue(node: TreeNode | undefined): boolean {
  return node?.kind === 'scalar' && node.value === true;
}

/** Converts a node to JSON data, in which an alias is the very value that it stands for. `__proto__` is an ordinary key. */
export function plainData(node: TreeNode, done = new Map<object, unknown>()): unknown {
  if (node.kind === 'scalar') return node.value;
  const { source = node } = node;
  if (!done.has(source)) done.set(source, converted(node, done));
  return done.get(source);
}

const converted = (node: Exclude<TreeNode, { kind: 'scalar' }>, done: Map<object, unknown>): unknown =>
  node.kind === 'array'
    ? node.items.map((item) => plainData(item, done))
    : Object.fromEntries(node.entries.map(({ key, value }) => [key, plainData(value, done)]));

/** The position of the value at a path, which is that of its key unless it is a scalar. If the value is missing, that of the nearest ancestor. */
export function spanAt(root: TreeNode, path: Path): NodeSpan {
  let span: NodeSpan = root;
  let node: TreeNode | undefined = root;
  for (const key of path) {
    if (typeof key === 'number') {
      node = node?.kind === 'array' ? node.items[key] : undefined;
      if (node === undefined) return span;
      span = node;
    } else {
      const entry: TreeEntry | undefined = entryOf(node, key);
      if (entry === undefined) return span;
      node = entry.value;
      span = node.kind === 'scalar' ? node : entry.keySpan;
    }
  }
  return span;
}

/** Parses a path such as `PreToolUse[0].hooks[1].timeout`. */
export function parsePath(where: string): Path {
  return [...where.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) =>
    index === undefined ? (key as string) : Number(index),
  );
}

/** Converts offsets to lines and columns, which count from 1. Columns count UTF-16 units, as in SARIF. */
export function createLines(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 };
  };
}
