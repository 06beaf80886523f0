import { type Position, repeatedKeys } from '../../files/json-file.js';
import { formatPath } from '../../values/problem.js';
import type { ClaudeProblem } from './findings.js';

/** A key that its object has had before, at its place. */
interface Repeated extends Partial<Position> {
  readonly path: readonly (string | number)[];
}

/** `"// Stop"` and `"_Stop"` are how people write comments into JSON. */
export const isRemark = (key: unknown): boolean => typeof key === 'string' && /^(\/\/|_|#|\$)/.test(key);

/** A file is read as Claude Code reads it, so of two equal keys the last one counts; whoever wrote the first is told. */
export function problemOfRepeated(file: string, { path, line, column }: Repeated): ClaudeProblem {
  const isList = path.at(-1) === 'hooks' || (path[0] === 'hooks' && path.length === 2);
  const lost = isList ? ', and no hook of the one before it runs' : '';
  const message = `stands twice in one object: the last one counts${lost}`;
  const place = line === undefined || column === undefined ? {} : { line, column };
  return { level: 'warning', rule: 'duplicate-key', file, where: formatPath(path), ...place, message };
}

/** Those of a JSON text that say something here: one of `keys` at its top, or anything below one. */
export async function problemsOfRepeated(
  json: string,
  data: unknown,
  { file, keys }: { readonly file: string; readonly keys: readonly string[] },
): Promise<ClaudeProblem[]> {
  const found = await repeatedKeys(json, data);
  return found
    .filter(({ path, key }) => keys.includes(path[0] as string) && !isRemark(key))
    .map((one) => problemOfRepeated(file, one));
}
