import type { AgentTable } from '../agents/table.js';
import { withoutComments } from '../files/json-comments.js';
import {
  findPositions,
  findSyntaxError,
  type Path,
  type Position,
  positionsIn,
  repeatedKeys,
} from '../files/json-file.js';
import { isTooDeep } from '../files/nesting.js';
import { tomlData, tomlOffset, tomlParser } from '../files/toml-tree.js';

/** A file that was parsed, or why it could not be. */
export type ReadData =
  | {
      readonly data: unknown;
      locate(path: Path): Promise<Position | undefined>;
      /** Keys that occur twice in their object, at the second place, whose value counts. */
      readonly repeated: readonly (Position & { readonly path: Path })[];
    }
  | { readonly wrong: string; readonly position?: Position };

/** Parses JSON with the extensions that the agent accepts, or TOML if the file's name says so. Never rejects. */
export async function readData(
  text: string,
  file: string,
  { title, connect: { reads } }: Pick<AgentTable, 'title' | 'connect'>,
): Promise<ReadData> {
  const isMarked = text.startsWith('\uFEFF');
  const clean = isMarked ? text.slice(1) : text;
  if (file.endsWith('.toml')) return readToml(clean);
  if (isMarked && reads?.includes('mark') === false)
    return {
      wrong: `begins with a byte order mark, so ${title} reads nothing of it`,
      position: { line: 1, column: 1 },
    };
  if (isTooDeep(clean)) return { wrong: 'is nested too deeply' };
  const json = reads?.includes('comments') ? withoutComments(clean) : clean;
  try {
    const data: unknown = JSON.parse(json);
    return { data, locate: findPositions(json), repeated: await repeatedKeys(json, data) };
  } catch (error) {
    const found = await findSyntaxError(json);
    if (!found) return { wrong: `is not JSON: ${(error as Error).message}` };
    const { what, ...position } = found;
    return { wrong: `is not JSON: ${what}`, position };
  }
}

async function readToml(text: string): Promise<ReadData> {
  const parsed = (await tomlParser())(text);
  const at = positionsIn(text);
  if ('problem' in parsed) {
    const { message, offset } = parsed.problem;
    return { wrong: `is not TOML: ${message}`, position: at(offset) };
  }
  return { data: tomlData(parsed.root), locate: async (path) => at(tomlOffset(parsed.root, path)), repeated: [] };
}
