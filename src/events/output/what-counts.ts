import type { Json } from '../../values/shape.js';
import type { Dialect, EventSpec } from '../spec.js';

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

/** Whether a block has an effect on this event. */
export const canBlock = ({ fold, exit2 }: Pick<EventSpec, 'fold' | 'exit2'>): boolean =>
  fold === 'block' || fold === 'stop' || (fold === 'replace' && exit2 === 'block');

/** Whether an answer can deny or block on this event. */
export const canRefuse = (spec: Pick<EventSpec, 'fold' | 'exit2'>): boolean => spec.fold === 'gate' || canBlock(spec);

/** Whether `continue: false` ends the loop on this event, or denies. Elsewhere all that it does is that later hooks do not run. */
export const canEnd = ({ fold, endsLoop }: Pick<EventSpec, 'fold' | 'endsLoop'>, dialect: Dialect = 'code'): boolean =>
  endsLoop === true || (fold === 'gate' && dialect === 'code');

/** Whether the value is the one that stands for a block: an elicitation that hooks have declined. */
export function isRefusal({ blockValue }: Pick<EventSpec, 'blockValue'>, value: unknown): boolean {
  if (blockValue === undefined || typeof value !== 'object' || value === null) return false;
  return Object.entries(blockValue).every(([key, one]) => (value as Readonly<Record<string, unknown>>)[key] === one);
}

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
