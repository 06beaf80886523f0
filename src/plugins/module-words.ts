import { createHash } from 'node:crypto';
import { type Node, parse } from 'acorn';
import { isTypeScript, stripTypes } from './module.js';

/** The imports and strings in a program's text. */
export interface ModuleWords {
  /** The specifiers of imports and requires. */
  readonly imports: readonly string[];
  /** Strings in arrays, which may name plugins. */
  readonly listed: readonly string[];
  /** All strings. */
  readonly words: readonly string[];
  /** Dynamic imports whose specifier is only known at run time, as written. */
  readonly unknown: readonly string[];
}

type AnyNode = Node & Readonly<Record<string, unknown>>;

/** Functions that load modules. jiti compiles the imports of TypeScript to `jiti…`. */
const LOADERS = ['require', 'jitiImport', 'jitiESMResolve'];
const IMPORTING = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'];
const DYNAMIC = /\b(?:import|require)\s*\(\s*(?:[^'"`\s)][^)\n]{0,100}|`[^`\n]*\$\{[^`\n]*`[^)\n]{0,100})\)/g;

/** The last result for each file. Accepting a project reads its files several times, and TypeScript takes milliseconds to parse. */
const known = new Map<string, { readonly sha256: string; readonly words: ModuleWords }>();
const MOST_KNOWN = 500;

/** Reads a program without running it. If it cannot be parsed, `unknown` names the file itself. */
export async function moduleWords(text: string, file: string): Promise<ModuleWords> {
  const sha256 = createHash('sha256').update(text).digest('base64');
  const last = known.get(file);
  if (last?.sha256 === sha256) return last.words;
  const words = await readWords(text, file);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(file, { sha256, words });
  return words;
}

async function readWords(text: string, file: string): Promise<ModuleWords> {
  const tree = await read(text, file);
  const imports = new Set<string>();
  const listed = new Set<string>();
  const words = new Set<string>();
  const add = (set: Set<string>, node: unknown): void => {
    const value = stringOf(node);
    if (value !== undefined) set.add(value);
  };
  for (const node of nodesOf(tree)) {
    if (IMPORTING.includes(node.type)) add(imports, node['source']);
    else if (node.type === 'CallExpression' && loads(node['callee'])) add(imports, (node['arguments'] as unknown[])[0]);
    else if (node.type === 'ArrayExpression') for (const element of node['elements'] as unknown[]) add(listed, element);
    add(words, node);
  }
  const unknown = [...text.matchAll(DYNAMIC)].map(([whole]) => whole.replace(/\s+/g, ' '));
  if (tree === undefined) unknown.push(`${file}, which is no program that can be read`);
  return { imports: [...imports], listed: [...listed], words: [...words], unknown };
}

async function read(text: string, file: string): Promise<Node | undefined> {
  if (!isTypeScript(file)) {
    for (const sourceType of ['module', 'script'] as const) {
      const tree = parsed(text, sourceType);
      if (tree) return tree;
    }
  }
  const stripped = await stripTypes(text, file);
  return stripped === undefined ? undefined : parsed(stripped, 'script');
}

function parsed(text: string, sourceType: 'module' | 'script'): Node | undefined {
  try {
    return parse(text, {
      sourceType,
      ecmaVersion: 'latest',
      allowHashBang: true,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    });
  } catch {
    return undefined;
  }
}

function* nodesOf(tree: Node | undefined): Generator<AnyNode> {
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (isNode(value)) yield value;
    for (const child of Object.values(value)) waiting.push(child);
  }
}

function isNode(value: object): value is AnyNode {
  return typeof (value as { type?: unknown }).type === 'string';
}

/** Whether a call loads or resolves a module: `require`, `require.resolve`, `import.meta.resolve`. */
function loads(callee: unknown): boolean {
  const { type, name, object, property } = callee as AnyNode & { name?: string; object?: AnyNode; property?: AnyNode };
  if (type === 'Identifier') return LOADERS.includes(name as string);
  if (type !== 'MemberExpression' || property?.['name'] !== 'resolve') return false;
  return object?.type === 'MetaProperty' || object?.['name'] === 'require';
}

/** The value of an expression that is a constant string. */
function stringOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !isNode(value)) return undefined;
  if (value.type === 'Literal') return typeof value['value'] === 'string' ? value['value'] : undefined;
  if (value.type === 'TemplateLiteral') {
    const [only, more] = value['quasis'] as { value: { cooked?: string | null } }[];
    return more === undefined ? (only?.value.cooked ?? undefined) : undefined;
  }
  if (value.type !== 'BinaryExpression' || value['operator'] !== '+') return undefined;
  const [left, right] = [stringOf(value['left']), stringOf(value['right'])];
  return left === undefined || right === undefined ? undefined : left + right;
}
