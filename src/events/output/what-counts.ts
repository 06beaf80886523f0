import type { Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';

/** The meaning of the top-level `decision`, in all its spellings. */
export const LEGACY: Readonly<Record<string, 'allow' | 'deny'>> = {
  approve: 'allow',
  allow: 'allow',
  block: 'deny',
  deny: 'deny',
};

/** The warning about a rewrite that was withdrawn, because inside a nested verdict only an allow carries one. Whoever reads a record knows it by this. */
export const REWRITE_NOT_ALLOWED =
  'its rewrite has no effect: no hook whose answer counts allowed the call with that input';

export const isMcpTool = (tool: unknown): boolean => typeof tool === 'string' && tool.startsWith('mcp__');

/** The keys whose value replaces the input or output, strongest first. `behavior` is that of a nested decision, where only `allow` can replace the input. */
export function rewriteKeys(
  { rewrites, nestedDecision }: Pick<EventSpec, 'rewrites' | 'nestedDecision'>,
  mcpTool: boolean,
  behavior?: unknown,
): readonly string[] {
  if (rewrites === undefined || (nestedDecision && behavior !== 'allow')) return [];
  return mcpTool ? [...rewrites.keys, ...(rewrites.mcpKeys ?? [])] : rewrites.keys;
}

/** The value in an answer to a `replace` event: the value of the event's only key, or an object of the keys that are set. */
export function valueAmong(keys: readonly string[], specific: Json): { readonly value: unknown } | undefined {
  const said = keys.filter((key) => specific[key] !== undefined);
  if (said.length === 0) return undefined;
  return {
    value:
      keys.length === 1 ? specific[said[0] as string] : Object.fromEntries(said.map((key) => [key, specific[key]])),
  };
}
