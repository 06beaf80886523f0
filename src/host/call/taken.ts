import { isMcpTool } from '../../events/output/what-counts.js';
import type { EventSpec } from '../../events/spec.js';
import { isObject } from '../../values/shape.js';

/** Response keys that may be missing for Claude Code to accept a rewrite, by tool (docs/compatibility.md). For other tools they are not known. */
const OPTIONAL: Readonly<Record<string, readonly string[]>> = {
  Bash: ['isImage', 'noOutputExpected'],
  Read: [],
  Write: ['userModified'],
  Edit: [],
  Glob: ['totalMatches', 'countIsComplete'],
  Grep: ['mode', 'totalFiles'],
  Agent: [
    'agentType',
    'harnessNoteCount',
    'harnessTailCount',
    'harnessSectionHash',
    'resolvedModel',
    'canContinueAgent',
    'toolsUsed',
    'usage',
  ],
};

/**
 * Why Claude Code would ignore a rewrite; `undefined`: it accepts the rewrite, or what it does is unknown. It replaces the response of a
 * built-in tool only by one of the same shape, and that of an MCP tool by anything.
 */
export function whyNotTaken(
  { rewrites }: EventSpec,
  input: Readonly<Record<string, unknown>>,
  { value }: { readonly value: unknown },
): string | undefined {
  if (rewrites?.unknownToClaude)
    return `Claude Code does not know ${rewrites.keys[0]}: the ${rewrites.field} stays as it is`;
  const tool = input['tool_name'];
  if (!rewrites?.shaped || !(rewrites.field in input) || typeof tool !== 'string' || isMcpTool(tool)) return undefined;
  const optional = Object.hasOwn(OPTIONAL, tool) ? OPTIONAL[tool] : undefined;
  const differs = difference(input[rewrites.field], value, optional);
  return (
    differs &&
    `Claude Code ignores ${rewrites.keys[0]} of another shape than the ${rewrites.field} of ${tool}: ${differs}`
  );
}

/** `optional`: top-level keys that may be missing; undefined: any key may be. */
function difference(
  old: unknown,
  value: unknown,
  optional: readonly string[] | undefined,
  at: readonly string[] = [],
): string | undefined {
  // A value that was absent may become any type.
  if (old === null || old === undefined) return undefined;
  const where = at.length === 0 ? 'it' : `"${at.join('.')}"`;
  if (kind(old) !== kind(value)) return `${where} is ${kind(value)}, not ${kind(old)}`;
  if (!isObject(old) || !isObject(value)) return undefined;
  for (const [key, before] of Object.entries(old)) {
    const here = [...at, key];
    if (value[key] === undefined) {
      if (before === undefined || !optional || (at.length === 0 && optional.includes(key))) continue;
      return `"${here.join('.')}" is missing`;
    }
    const differs = difference(before, value[key], optional, here);
    if (differs) return differs;
  }
  return undefined;
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
