import { basename, dirname } from 'node:path';
import { isObject, isText } from '../host/shape.js';
import { type Path, type Position, positionAt } from './json-file.js';
import { broken, checkFile, type HookFile, type ReadFileOptions } from './settings.js';

/** An agent's, skill's or command's markdown file, as far as hooks go. */
export interface AgentFile extends HookFile {
  /** `name` of its frontmatter; absent: it has none. */
  readonly name?: string;
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
  const { parseDocument } = await import('yaml');
  // Warnings of the parser are told as problems, not by the process.
  const document = parseDocument(block, { logLevel: 'silent', prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    return broken(file, {
      message: `its frontmatter is not YAML: ${firstLine(error.message)}`,
      ...positionAt(text, start + error.pos[0]),
    });
  }
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount: 100 });
    JSON.stringify(data);
  } catch (cause) {
    return broken(file, { message: `its frontmatter cannot be read: ${firstLine((cause as Error).message)}` });
  }
  const locate = async (path: Path): Promise<Position | undefined> => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return positionAt(text, start + node.range[0]);
    }
    return positionAt(text, start);
  };
  if (!isObject(data) || !('hooks' in data)) return undefined;
  const read = await checkFile(data, file, { ...options, hooksOnly: true, locate });
  const name = isText(data['name']) ? data['name'].trim() : '';
  return { ...read, ...(name === '' ? {} : { name }) };
}

/** How an agent is called whose file says no name: as the file. A skill is called as its folder. */
export function nameOfFile(file: string): string {
  const name = basename(file).replace(/\.md$/i, '');
  return name.toUpperCase() === 'SKILL' ? basename(dirname(file)) : name;
}

/** As a key on a line of its own, or anywhere in a mapping in braces. */
function mayHaveHooks(block: string): boolean {
  return /^["']?hooks["']?[ \t]*:/m.test(block) || block.trimStart().startsWith('{');
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] as string).replace(/[:.]$/, '');
}
