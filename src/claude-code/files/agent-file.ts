import { basename, dirname } from 'node:path';
import type { Document } from 'yaml';
import { type Path, type Position, positionsIn } from '../../files/json-file.js';
import { makeLenient } from '../../files/lenient-yaml.js';
import { whyNoFrontmatter } from '../../files/nesting.js';
import { isObject, isText } from '../../values/shape.js';
import type { ClaudeProblem } from './findings.js';
import { problemOfRepeated } from './repeated.js';
import { broken, checkFile, type HookFile, type ReadFileOptions } from './settings.js';

/** An agent's, skill's or command's markdown file, as far as hooks go. */
export interface AgentFile extends HookFile {
  /** `name` in its frontmatter; absent: it has none. */
  readonly name?: string;
}

interface ParsedFrontmatter {
  readonly document: Document;
  readonly data?: unknown;
  /** Why there is no data, and where. */
  readonly message?: string;
  readonly at?: number;
}

/** The block between the two `---`, if it says anything of hooks. */
const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** Where the frontmatter ends; 0: there is none. */
export const endOfFrontmatter = (text: string): number => FRONTMATTER.exec(text)?.[0].length ?? 0;

/**
 * Reads the hooks of a markdown file's frontmatter; undefined: it has none. A frontmatter without hooks is not even parsed:
 * people write much there that is no YAML.
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
  if (why !== undefined) return broken(file, { message: `its frontmatter ${why}`, ...position(start) });
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
    return broken(file, { message: `its frontmatter ${message}`, ...position(start + (at ?? 0)) });
  const contents = document.contents as YamlNode | null;
  const locate = async (path: Path): Promise<Position | undefined> => {
    for (let length = path.length; length > 0; length--) {
      const node = nodeAt(contents, path.slice(0, length));
      if (node?.range) return position(start + node.range[0]);
    }
    return position(start);
  };
  if (!isObject(data) || !('hooks' in data)) return undefined;
  const read = await checkFile(data, file, { ...options, hooksOnly: true, locate });
  const twice = repeatedIn(contents, []).map(({ path, at }) =>
    problemOfRepeated(file, { path, ...position(start + at) }),
  );
  const own = data['name'] ?? lenient?.texts['name'];
  const name = isText(own) ? own.trim() : '';
  const warning: ClaudeProblem = {
    ...{ level: 'warning', rule: 'not-yaml', file, where: '', ...position(start + (strict.at ?? 0)) },
    message: `its frontmatter ${strict.message}; it was read line by line`,
  };
  const problems = [...(lenient ? [warning] : []), ...read.problems, ...twice];
  return { ...read, problems, ...(name === '' ? {} : { name }) };
}

/** A node of the document by its shape: the package is loaded only where there is something to read. */
interface YamlNode {
  readonly range?: readonly [start: number, ...more: number[]] | null;
  /** Of a scalar. */
  readonly value?: unknown;
  /** Of a list: nodes; of a mapping: pairs, which are the only ones with a key. */
  readonly items?: readonly YamlItem[];
}

type YamlItem = YamlNode & { readonly key?: YamlNode | null };

const keyOf = ({ key }: YamlItem): string | undefined => (key === undefined ? undefined : String(key?.value ?? key));
const nodeOf = (item: YamlItem): YamlNode | undefined =>
  item.key === undefined ? item : ((item.value as YamlNode | null) ?? undefined);

/** Of equal keys the last, as it is read. */
function nodeAt(root: YamlNode | null, path: Path): YamlNode | undefined {
  return path.reduce<YamlNode | undefined>((node, key) => {
    const item = typeof key === 'number' ? node?.items?.[key] : node?.items?.findLast((one) => keyOf(one) === key);
    return item && nodeOf(item);
  }, root ?? undefined);
}

/** The keys that their mapping has had before, and their offsets. */
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

/** The name of an agent without one is its file's; a skill's is its folder's. */
export function nameOfFile(file: string): string {
  const name = basename(file).replace(/\.md$/i, '');
  return name.toUpperCase() === 'SKILL' ? basename(dirname(file)) : name;
}

/** Whether it may contain the key, at any depth, since the whole block may be indented; any block with braces may. */
function mayHaveHooks(block: string): boolean {
  return /\bhooks\b["']?\s*:/.test(block) || block.trimStart().startsWith('{');
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] as string).replace(/[:.]$/, '');
}
