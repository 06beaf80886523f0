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

/** Whether a name that is compared as a whole is more likely several names, or one in quotes. */
export function isOddName(name: string): boolean {
  const parts = name.split(/[/&:+]/);
  return /["'`;\s]/.test(name) || (parts.length > 1 && parts.some((part) => KNOWN_TOOLS.has(part)));
}

/** A regular expression as it is written in code, such as `/^Edit/i`. */
export const SLASHED = /^\s*\/(.*[^\\])\/([a-z]*)\s*$/i;

/** The names of a list; or the whole text, if it is in slashes and none of the names is by itself. */
export function namesOrRegex(text: string, names: readonly string[]): readonly string[] {
  return SLASHED.test(text) && !names.some((name) => SLASHED.test(name)) ? [text] : names;
}

/** The regular expression that a list of names was meant as, as it is written in code; empty if it does not compile. */
export function regexMeant(names: readonly string[]): string {
  const parts = names.map((name) => SLASHED.exec(name) ?? ['', name.replace(/^\//, ''), '']);
  const all = (at: 1 | 2, by: string): string => parts.map((part) => part[at]).join(by);
  try {
    return String(new RegExp(all(1, '|'), [...new Set(all(2, '').toLowerCase())].join('')));
  } catch {
    return '';
  }
}

/** The tool of a permission rule, such as `Bash(git *)`; undefined if it may be a regular expression, as `Notebook(Edit|Read)`. */
export function toolOfRule(name: string): string | undefined {
  const [, tool = '', inner = ''] = /^([\w:-]+)\(([^?].*)\)$/.exec(name) ?? [];
  return /[ /:]|^\*/.test(inner) || (KNOWN_TOOLS.has(tool) && !/\||\.[*+]/.test(inner)) ? tool : undefined;
}
