import type { z } from 'zod';
import type { EventSpec } from '../events/spec.js';
import { zod } from '../values/zod.js';

/** Tool names of other agents, with Claude Code's names. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  shell: 'Bash',
  terminal: 'Bash',
  run_command: 'Bash',
  run_shell_command: 'Bash',
  write_file: 'Write',
  edit_file: 'Edit',
  create_file: 'Write',
  read_file: 'Read',
  applypatch: 'Edit',
  apply_patch: 'Edit',
};

/** An example that stands for all MCP tools. */
export const SAMPLE_MCP = 'mcp__server__tool';

/** The values that matchers are compared with on an event that is not about a tool; undefined if any value is possible. */
export function subjectValues(spec: EventSpec): readonly string[] | undefined {
  const schema = spec.subjectField === undefined ? undefined : spec.input.shape[spec.subjectField];
  const { examples } = (schema instanceof zod().ZodType ? unwrap(schema).meta() : undefined) ?? {};
  return Array.isArray(examples) ? examples.filter((value) => typeof value === 'string') : undefined;
}

function unwrap(schema: z.ZodType): z.ZodType {
  return schema instanceof zod().ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}
