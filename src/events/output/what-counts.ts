import type { Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';

/** What `decision` at top level says, in any spelling. */
export const LEGACY: Readonly<Record<string, 'allow' | 'deny'>> = {
  approve: 'allow',
  allow: 'allow',
  block: 'deny',
  deny: 'deny',
};

export const isMcpTool = (tool: unknown): boolean => typeof tool === 'string' && tool.startsWith('mcp__');

/** The keys whose value replaces the input or output, strongest first. `behavior`: of a nested decision, of which only an allow has another input. */
export function rewriteKeys(
  { rewrites, nestedDecision }: Pick<EventSpec, 'rewrites' | 'nestedDecision'>,
  mcpTool: boolean,
  behavior?: unknown,
): readonly string[] {
  if (rewrites === undefined || (nestedDecision && behavior !== 'allow')) return [];
  return mcpTool ? [...rewrites.keys, ...(rewrites.mcpKeys ?? [])] : rewrites.keys;
}

/** The value that an answer on a `replace` event gives: that of the one key, or an object of those of several. */
export function valueAmong(keys: readonly string[], specific: Json): { readonly value: unknown } | undefined {
  const said = keys.filter((key) => specific[key] !== undefined);
  if (said.length === 0) return undefined;
  return {
    value:
      keys.length === 1 ? specific[said[0] as string] : Object.fromEntries(said.map((key) => [key, specific[key]])),
  };
}
