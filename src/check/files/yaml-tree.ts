import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml';
import { beginsHooks, makeLenient } from '../../files/lenient-yaml.js';
import { whyNoFrontmatter } from '../../files/nesting.js';
import type { NodeSpan, ParsedFile, TreeEntry, TreeNode } from './tree.js';

/** The block between the two `---` at the start of a Markdown file, with its offset; undefined if there is none. */
export function frontmatterOf(text: string): { readonly yaml: string; readonly start: number } | undefined {
  const [, open, yaml] = /^(\uFEFF?---[ \t]*\r?\n)([\s\S]*?)^---[ \t]*\r?$/m.exec(text) ?? [];
  if (open === undefined || yaml === undefined || !text.startsWith(open)) return undefined;
  return { yaml, start: open.length };
}

/** Whether a frontmatter has hooks, also if they are indented by mistake. Others are ignored, because they often contain text that is not YAML. */
export function holdsHooks(yaml: string): boolean {
  return /^["']?hooks["']?[ \t]*:/m.test(yaml) || beginsHooks(yaml);
}

/** Limits for a separate YAML file, in which errors are not tolerated. */
export interface StrictYaml {
  /** The maximum length in characters, and the maximum number of nodes after resolving aliases. */
  readonly longest: number;
  readonly nodes: number;
}

/** Parses YAML that begins at an offset of the file. Unless `strictly` is given, it tolerates what Claude Code tolerates. Never throws. */
export function parseYamlTree(yaml: string, start: number, strictly?: StrictYaml): ParsedFile {
  const why = whyNoFrontmatter(yaml, strictly?.longest);
  if (why !== undefined) return { root: undefined, errors: [{ start, end: start + 1, message: `It ${why}` }] };
  const logLevel = strictly ? 'error' : 'silent';
  const parse = (text: string): Document => parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel });
  const strict = parse(yaml);
  // Claude Code tolerates entries that are not YAML, which do not concern hooks. The offsets of the rest stay the same.
  const lenient =
    strictly || isReadable(strict) ? strict : parse(makeLenient(yaml, (text) => isReadable(parse(text))).yaml);
  const document = isReadable(lenient) ? lenient : strict;
  const errors = document.errors.map(({ code, message, pos: [from, to] }) => ({
    start: start + from,
    end: start + Math.max(from + 1, to),
    message: code === 'MULTIPLE_DOCS' ? SECOND : (message.split('\n', 1)[0] as string),
  }));
  const reading: YamlReading = {
    document,
    start,
    errors,
    within: new Set(),
    left: strictly?.nodes ?? MAX_NODES,
    strict: strictly !== undefined,
  };
  const tree = { root: document.contents ? convert(document.contents as Node, reading) : undefined, errors };
  if (strictly && reading.left < 0)
    errors.push({ start, end: start + 1, message: `It has more than ${strictly.nodes} values` });
  return tree;
}

const SECOND = 'A second document begins here (---), and a file holds one';

function isReadable(document: Document): boolean {
  try {
    document.toJS({ maxAliasCount: 100 });
    return document.errors.length === 0;
  } catch {
    return false;
  }
}

interface YamlReading {
  readonly document: Document;
  readonly start: number;
  readonly errors: (NodeSpan & { readonly message: string })[];
  /** The anchors of the aliases that are being resolved. */
  readonly within: Set<Node>;
  left: number;
  /** Whether a duplicate key is an error. */
  readonly strict: boolean;
}

/** A few lines of aliases can expand to billions of nodes. */
const MAX_NODES = 20_000;

function convert(node: Node | null | undefined, reading: YamlReading, around: NodeSpan = EMPTY): TreeNode {
  const span = spanOf(node, reading, around);
  reading.left -= 1;
  if (!node || reading.left < 0) return { ...span, kind: 'scalar', value: null };
  if (isAlias(node)) return aliased(node, reading, span);
  if (isMap(node)) {
    const entries = node.items.map((pair) => toEntry(pair as Pair, reading, span));
    if (reading.strict) noteRepeated(entries, reading);
    return { ...span, source: node, kind: 'object', entries };
  }
  if (isSeq(node)) {
    return {
      ...span,
      source: node,
      kind: 'array',
      items: node.items.map((item) => convert(item as Node, reading, span)),
    };
  }
  return { ...span, kind: 'scalar', value: isScalar(node) ? toValue(node.value) : null };
}

function noteRepeated(entries: readonly TreeEntry[], { errors }: YamlReading): void {
  const seen = new Set<string>();
  for (const { key, keySpan } of entries) {
    if (seen.has(key)) errors.push({ ...keySpan, message: `The key "${key}" stands there twice` });
    seen.add(key);
  }
}

function aliased(alias: Alias, reading: YamlReading, span: NodeSpan): TreeNode {
  const { within, document, errors } = reading;
  const target = alias.resolve(document);
  if (target && within.has(target)) {
    errors.push({ ...span, message: 'Alias within what it stands for' });
    return { ...span, kind: 'scalar', value: null };
  }
  if (target) within.add(target);
  const tree = { ...convert(target, reading, span), ...span };
  if (target) within.delete(target);
  return tree;
}

const EMPTY: NodeSpan = { start: 0, end: 0 };

function toEntry({ key, value }: Pair, reading: YamlReading, around: NodeSpan): TreeEntry {
  const name = isScalar(key) ? String(key.value) : String(key);
  const keySpan = spanOf(key as Node, reading, around);
  return { key: name, keySpan, value: convert(value as Node | null, reading, keySpan) };
}

function spanOf(node: Node | null | undefined, { start }: YamlReading, around: NodeSpan): NodeSpan {
  const range = node?.range;
  return range ? { start: start + range[0], end: start + range[1] } : around;
}

/** Converts a scalar to a JSON value. Values that JSON does not have (dates, big numbers) become text. */
function toValue(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}
