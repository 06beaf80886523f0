import { TOOL_ALIASES } from './tool-names.js';

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

const ALIASES = Object.values(TOOL_ALIASES).flat();
export const KNOWN_TOOLS: ReadonlySet<string> = new Set([...TOOLS, ...ALIASES]);
