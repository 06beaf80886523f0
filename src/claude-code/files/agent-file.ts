import { basename, dirname } from 'node:path';
import type { Document } from 'yaml';
import { type Path, type Position, positionsIn } from '../../files/json-file.js';
import { makeLenient } from '../../files/lenient-yaml.js';
import { whyNoFrontmatter } from '../../files/nesting.js';
import { isObject, isText } from '../../values/shape.js';
import type { ClaudeProblem } from './findings.js';
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
    const [error] = document.errors;
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
  const locate = async (path: Path): Promise<Position | undefined> => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return position(start + node.range[0]);
    }
    return position(start);
  };
  if (!isObject(data) || !('hooks' in data)) return undefined;
  const read = await checkFile(data, file, { ...options, hooksOnly: true, locate });
  const own = data['name'] ?? lenient?.texts['name'];
  const name = isText(own) ? own.trim() : '';
  const warning: ClaudeProblem = {
    ...{ level: 'warning', rule: 'not-yaml', file, where: '', ...position(start + (strict.at ?? 0)) },
    message: `its frontmatter ${strict.message}; it was read line by line`,
  };
  return { ...read, ...(lenient && { problems: [warning, ...read.problems] }), ...(name === '' ? {} : { name }) };
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
