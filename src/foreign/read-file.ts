import { findPositions, findSyntaxError, type Path, type Position, positionsIn } from '../files/json-file.js';
import { isTooDeep } from '../files/nesting.js';
import { tomlData, tomlOffset, tomlParser } from '../files/toml-tree.js';

/** A file that was parsed, or why it could not be. */
export type ReadData =
  | { readonly data: unknown; locate(path: Path): Promise<Position | undefined> }
  | { readonly wrong: string; readonly position?: Position };

/** Reads JSON, or TOML by the file's name. Never rejects. */
export async function readData(text: string, file: string): Promise<ReadData> {
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (file.endsWith('.toml')) return readToml(clean);
  if (isTooDeep(clean)) return { wrong: 'is nested too deeply' };
  try {
    return { data: JSON.parse(clean), locate: findPositions(clean) };
  } catch (error) {
    const found = await findSyntaxError(clean);
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
  return { data: tomlData(parsed.root), locate: async (path) => at(tomlOffset(parsed.root, path)) };
}
