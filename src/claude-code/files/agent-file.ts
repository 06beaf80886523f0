import { basename, dirname } from 'node:path';
import type { Document } from 'yaml';
import { type Path, type Position, positionsIn } from '../../files/json-file.js';
import { beginsHooks, makeLenient } from '../../files/lenient-yaml.js';
import { whyNoFrontmatter } from '../../files/nesting.js';
import { isObject, isText } from '../../values/shape.js';
import { type ClaudeProblem, problemOf } from './findings.js';
import { misplacedIn } from './misplaced.js';
import { FRONTMATTER_KEYS, problemOfRepeated } from './repeated.js';
import { broken, checkFile, type HookFile, type ReadFileOptions } from './settings.js';

/** The hooks in the Markdown file of an agent, skill or command. */
export interface AgentFile extends HookFile {
  /** The `name` in the frontmatter, if any. */
  readonly name?: string;
}

interface ParsedFrontmatter {
  readonly document: Document;
  readonly data?: unknown;
  /** Why there is no data, and the offset of the error. */
  readonly message?: string;
  readonly at?: number;
}

/** Matches the block between the two `---`. */
const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

const LOST = ', so none of its hooks is read';

/** The offset at which the frontmatter ends; 0 if there is none. */
export const endOfFrontmatter = (text: string): number => FRONTMATTER.exec(text)?.[0].length ?? 0;

/**
 * Reads the hooks in a Markdown file's frontmatter; undefined if it has none. A frontmatter without hooks is not parsed, because
 * it often contains text that is not YAML.
 */
export async function readAgentFile(
  text: string,
  file: string,
  options: ReadFileOptions,
): Promise<AgentFile | undefined> {
  const block = FRONTMATTER.exec(text)?.[1];
  if (block === undefined || !mayHaveHooks(block)) return undefined;
  const start = text.indexOf(block, text.indexOf('---') + 3);
  const position = positionsIn(text);
  const why = whyNoFrontmatter(block);
  if (why !== undefined) return broken(file, { message: `its frontmatter ${why}${LOST}`, ...position(start) });
  const { parseDocument } = await import('yaml');
  // The parser's warnings are reported as problems, not as process warnings.
  const parse = (yaml: string, uniqueKeys: boolean): ParsedFrontmatter => {
    const document = parseDocument(yaml, { logLevel: 'silent', prettyErrors: false, uniqueKeys });
    const error = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
    if (error) return { document, message: `is not YAML: ${firstLine(error.message)}`, at: error.pos[0] };
    try {
      const data: unknown = document.toJS({ maxAliasCount: 100 });
      JSON.stringify(data);
      return { document, data };
    } catch (cause) {
      return { document, message: `cannot be read: ${firstLine((cause as Error).message)}`, at: 0 };
    }
  };
  const strict = parse(block, true);
  const parses = (yaml: string): boolean => parse(yaml, false).message === undefined;
  const lenient = strict.message === undefined ? undefined : makeLenient(block, parses);
  const { document, data, message, at } = lenient ? parse(lenient.yaml, false) : strict;
  if (message !== undefined)
    return broken(file, { message: `its frontmatter ${message}${LOST}`, ...position(start + (at ?? 0)) });
  const contents = document.contents as YamlNode | null;
  const locate = async (path: Path): Promise<Position | undefined> => {
    for (let length = path.length; length > 0; length--) {
      const node = nodeAt(contents, path.slice(0, length));
      if (node?.range) return position(start + node.range[0]);
    }
    return position(start);
  };
  if (!isObject(data)) return undefined;
  const lost = 'hooks' in data || beginsHooks(block) ? misplacedIn(data, options.events) : [];
  if (!('hooks' in data) && lost.length === 0) return undefined;
  const read = await checkFile(data, file, { ...options, hooksOnly: true, locate });
  const isTold = read.problems.some(({ rule }) => rule === 'other-shape');
  // What is under it may begin on another line.
  const atKey = async (path: Path): Promise<Position | undefined> => {
    const key = itemAt(contents, path)?.key?.range?.[0];
    return key === undefined ? locate(path) : position(start + key);
  };
  const misplaced = await Promise.all(
    (isTold ? [] : lost).map((finding) => problemOf(finding, { file, locate: atKey })),
  );
  // Other keys that stand twice may be lines of a text, as those of a dialogue are.
  const twice = repeatedIn(contents, [])
    .filter(({ path }) => path[0] === 'hooks' || (path.length === 1 && FRONTMATTER_KEYS.has(path[0] as string)))
    .map(({ path, at }) => problemOfRepeated(file, { path, ...position(start + at) }));
  const own = data['name'] ?? lenient?.texts['name'];
  const name = isText(own) ? own.trim() : '';
  const warning: ClaudeProblem = {
    ...{ level: 'warning', rule: 'not-yaml', file, where: '', ...position(start + (strict.at ?? 0)) },
    message: `its frontmatter ${strict.message}; it was read line by line`,
  };
  // A key that stands where it is not read is unknown there, too.
  const rest = read.problems.filter(({ where }) => !misplaced.some((problem) => problem.where === where));
  const problems = [...(lenient ? [warning] : []), ...rest, ...misplaced, ...twice];
  return { ...read, problems, ...(name === '' ? {} : { name }) };
}

/** The part of the yaml package's node type that is used here. The package itself is loaded only if there is something to read. */
interface YamlNode {
  readonly range?: readonly [start: number, ...more: number[]] | null;
  /** The value of a scalar. */
  readonly value?: unknown;
  /** The nodes of a list, or the pairs of a mapping. Only pairs have a key. */
  readonly items?: readonly YamlItem[];
}

type YamlItem = YamlNode & { readonly key?: YamlNode | null };

const keyOf = ({ key }: YamlItem): string | undefined => (key === undefined ? undefined : String(key?.value ?? key));
const nodeOf = (item: YamlItem): YamlNode | undefined =>
  item.key === undefined ? item : ((item.value as YamlNode | null) ?? undefined);

/** Finds the node at a path. */
function nodeAt(root: YamlNode | null, path: Path): YamlNode | undefined {
  const item = itemAt(root, path);
  return item && nodeOf(item);
}

/** Finds the entry at a path. Of repeated keys, the last one counts. */
function itemAt(root: YamlNode | null, path: Path): YamlItem | undefined {
  return path.reduce<YamlItem | undefined>((item, key) => {
    const items = (item && nodeOf(item))?.items;
    return typeof key === 'number' ? items?.[key] : items?.findLast((one) => keyOf(one) === key);
  }, root ?? undefined);
}

/** The repeated keys below a node, with their offsets. */
function repeatedIn(node: YamlNode | null | undefined, path: Path): { readonly path: Path; readonly at: number }[] {
  const seen = new Set<string>();
  return (node?.items ?? []).flatMap((item, i) => {
    const key = keyOf(item);
    const below = repeatedIn(nodeOf(item), [...path, key ?? i]);
    if (key === undefined) return below;
    const own = seen.has(key) ? [{ path: [...path, key], at: item.key?.range?.[0] ?? 0 }] : [];
    seen.add(key);
    return [...own, ...below];
  });
}

/** The default name of an agent (its file's name) or a skill (its folder's name). */
export function nameOfFile(file: string): string {
  const name = basename(file).replace(/\.md$/i, '');
  return name.toUpperCase() === 'SKILL' ? basename(dirname(file)) : name;
}

/** Whether a block may have hooks. Looks for their key at any depth, since the whole block may be indented. A block in braces may always have one. */
function mayHaveHooks(block: string): boolean {
  return /\bhooks\b["']?\s*:/.test(block) || block.trimStart().startsWith('{') || beginsHooks(block);
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] as string).replace(/[:.]$/, '');
}
