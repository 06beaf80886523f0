import { isRemark } from '../../files/json-comments.js';
import { type Position, repeatedKeys } from '../../files/json-file.js';
import { formatPath } from '../../values/problem.js';
import type { ClaudeProblem } from './findings.js';

/** A repeated key of an object and its position. */
interface KeyRepeat extends Partial<Position> {
  readonly path: readonly (string | number)[];
}

/** The keys of a frontmatter that Claude Code reads. */
export const FRONTMATTER_KEYS: ReadonlySet<string> = new Set([
  ...[
    'hooks',
    'name',
    'description',
    'tools',
    'disallowedTools',
    'model',
    'permissionMode',
    'skills',
    'memory',
    'color',
  ],
  ...['mcpServers', 'maxTurns', 'background', 'isolation', 'effort', 'allowed-tools', 'disallowed-tools', 'context'],
  ...[
    'argument-hint',
    'arguments',
    'agent',
    'when_to_use',
    'user-invocable',
    'disable-model-invocation',
    'paths',
    'shell',
  ],
]);

/** The warning about a repeated key. As in Claude Code, the last one counts, so the value of the first is lost. */
export function problemOfRepeated(file: string, { path, line, column }: KeyRepeat): ClaudeProblem {
  const isList = path.at(-1) === 'hooks' || (path[0] === 'hooks' && path.length === 2);
  const lost = isList ? ', and no hook of the one before it runs' : '';
  const message = `stands twice in one object: the last one counts${lost}`;
  const place = line === undefined || column === undefined ? {} : { line, column };
  return { level: 'warning', rule: 'duplicate-key', file, where: formatPath(path), ...place, message };
}

/** Warnings about the repeated keys of a JSON text that matter here: those in `keys` at the top level, and any key below them. */
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
