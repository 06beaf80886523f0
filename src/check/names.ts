import type { z } from 'zod';
import type { EventSpec } from '../events/spec.js';
import { TOOL_ALIASES } from '../matching/tool-names.js';
import { zod } from '../values/zod.js';

/** Claude Code's tools, by the names that matchers are compared with. */
export const TOOLS: readonly string[] =
  'Agent Artifact AskUserQuestion Bash CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep ListAgents ListMcpResourcesTool LSP Monitor NotebookEdit PowerShell Projects ProposeSkills PushNotification Read ReadMcpResourceDirTool ReadMcpResourceTool ReadNotifications RefreshMcpTools RemoteTrigger ReportFindings ScheduleWakeup SendFeedback SendMessage SendUserMessage SetGoal Skill StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoWrite ToolSearch WebFetch WebSearch Workflow Write'.split(
    ' ',
  );

/** Former tool names and their replacements. Former names that still work are aliases and are not listed. */
export const FORMER: Readonly<Record<string, string>> = {
  MultiEdit: 'Edit',
  LS: 'Glob',
  NotebookRead: 'Read',
  BashOutput: 'TaskOutput',
  AgentOutputTool: 'TaskOutput',
  SlashCommand: 'Skill',
  TodoRead: 'TodoWrite',
  exit_plan_mode: 'ExitPlanMode',
  View: 'Read',
  Replace: 'Write',
  GlobTool: 'Glob',
  GrepTool: 'Grep',
  dispatch_agent: 'Agent',
};

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

const ALIASES = Object.values(TOOL_ALIASES).flat();
export const KNOWN_TOOLS: ReadonlySet<string> = new Set([...TOOLS, ...ALIASES]);

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
