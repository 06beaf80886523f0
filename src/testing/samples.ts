import type { FireInput, HookEvent } from '../events/catalogue.js';

/** The events that are about one call of a tool. */
export type ToolEvent = {
  [E in HookEvent]: FireInput<E> extends { readonly tool_name: string } ? E : never;
}[HookEvent];

const PROJECT = '/home/dev/project';

const CALL = {
  tool_name: 'Bash',
  tool_input: { command: 'ls', description: 'List files' },
  tool_use_id: 'toolu_1',
} as const;

const SWITCH = {
  from_model: 'small',
  to_model: 'large',
  requested_model: 'large',
  source: 'command',
  context_tokens: 1200,
  prompt_cache_warm: true,
  cache_ttl: '5m',
  estimated_cache_write_usd: 0.01,
  pricing: 'catalog',
} as const;

const TASK = { task_id: '1', task_subject: 'Fix the tests', task_description: 'They fail since Monday.' } as const;

/** The own fields of each event as Claude Code sends them: what was recorded of it, with short values. */
export const SAMPLES: { readonly [E in HookEvent]: FireInput<E> } = {
  PreToolUse: CALL,
  PostToolUse: { ...CALL, tool_response: bashResponse('README.md\n'), duration_ms: 12 },
  PostToolUseFailure: { ...CALL, error: 'Command failed with exit code 1', is_interrupt: false, duration_ms: 12 },
  PermissionRequest: { tool_name: CALL.tool_name, tool_input: CALL.tool_input, permission_suggestions: [] },
  PermissionDenied: { ...CALL, reason: 'The classifier denied it.' },
  PostToolBatch: {
    tool_calls: [{ ...CALL, tool_response: 'README.md' }],
  },
  UserPromptSubmit: { prompt: 'Fix the tests.' },
  UserPromptExpansion: {
    expansion_type: 'slash_command',
    command_name: 'review',
    command_args: 'src',
    command_source: 'projectSettings',
    prompt: '/review src',
  },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'other' },
  Setup: { trigger: 'init' },
  Stop: { stop_hook_active: false, last_assistant_message: 'All tests pass.', background_tasks: [], session_crons: [] },
  StopFailure: { error: 'rate_limit', last_assistant_message: 'API Error: 429' },
  SubagentStart: { agent_id: 'agent-1', agent_type: 'reviewer' },
  SubagentStop: {
    stop_hook_active: false,
    agent_id: 'agent-1',
    agent_type: 'reviewer',
    agent_transcript_path: '/home/dev/.claude/projects/project/subagents/agent-1.jsonl',
    last_assistant_message: 'Nothing to complain about.',
    background_tasks: [],
    session_crons: [],
  },
  PreCompact: { trigger: 'manual', custom_instructions: 'Keep the decisions.' },
  PostCompact: { trigger: 'manual', compact_summary: 'The tests were fixed.' },
  PreModelSwitch: SWITCH,
  PostModelSwitch: SWITCH,
  Notification: { message: 'Claude needs your permission', notification_type: 'permission_prompt' },
  MessageDisplay: { turn_id: 'turn-1', message_id: 'message-1', index: 0, final: true, delta: 'All tests pass.' },
  TeammateIdle: { teammate_name: 'ann', team_name: 'core' },
  TaskCreated: TASK,
  TaskCompleted: TASK,
  Elicitation: {
    mcp_server_name: 'tickets',
    message: 'Which project?',
    mode: 'form',
    requested_schema: { type: 'object', properties: { project: { type: 'string' } }, required: ['project'] },
  },
  ElicitationResult: { mcp_server_name: 'tickets', action: 'accept', content: { project: 'core' } },
  ConfigChange: { source: 'project_settings', file_path: `${PROJECT}/.claude/settings.json` },
  InstructionsLoaded: { file_path: `${PROJECT}/CLAUDE.md`, memory_type: 'Project', load_reason: 'session_start' },
  CwdChanged: { old_cwd: PROJECT, new_cwd: `${PROJECT}/src` },
  DirectoryAdded: { directory: '/home/dev/other', source: 'slash_command' },
  FileChanged: { file_path: `${PROJECT}/src/index.ts`, event: 'change' },
  WorktreeCreate: { name: 'feature' },
  WorktreeRemove: { worktree_path: '/home/dev/worktrees/feature' },
};

/** A call of one tool, and what the tool answers. */
export interface ToolSample {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_response: unknown;
}

function bashResponse(stdout: string) {
  return { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
}

export function toolSample(
  tool_name: string,
  tool_input: Readonly<Record<string, unknown>>,
  tool_response: unknown = 'done',
): ToolSample {
  return { tool_name, tool_input, tool_response };
}

/** How each tool is called: how many words its builder takes, and what they come to. */
export const toolSamples: Readonly<Record<string, { arity: number; make(...words: string[]): ToolSample }>> = {
  bash: { arity: 1, make: (command = 'ls') => toolSample('Bash', { command }, bashResponse('README.md\n')) },
  read: {
    arity: 1,
    make: (file_path = `${PROJECT}/README.md`) => {
      const content = '# Project\n';
      const file = { filePath: file_path, content, numLines: 1, startLine: 1, totalLines: 1 };
      return toolSample('Read', { file_path }, { type: 'text', file });
    },
  },
  write: {
    arity: 2,
    make: (file_path = `${PROJECT}/notes.md`, content = 'A note.\n') =>
      toolSample(
        'Write',
        { file_path, content },
        { type: 'create', filePath: file_path, content, structuredPatch: [] },
      ),
  },
  edit: {
    arity: 3,
    make: (file_path = `${PROJECT}/src/index.ts`, old_string = 'before', new_string = 'after') => {
      const response = { filePath: file_path, oldString: old_string, newString: new_string, replaceAll: false };
      return toolSample('Edit', { file_path, old_string, new_string }, { ...response, structuredPatch: [] });
    },
  },
  notebookEdit: {
    arity: 2,
    make: (notebook_path = `${PROJECT}/notes.ipynb`, new_source = 'print(1)') =>
      toolSample('NotebookEdit', { notebook_path, new_source }, { new_source, edit_mode: 'replace' }),
  },
  glob: {
    arity: 1,
    make: (pattern = '**/*.ts') =>
      toolSample('Glob', { pattern }, { filenames: ['src/index.ts'], numFiles: 1, truncated: false }),
  },
  grep: {
    arity: 2,
    make: (pattern = 'TODO', path = PROJECT) =>
      toolSample('Grep', { pattern, path }, { mode: 'content', content: 'src/index.ts:1: TODO', numLines: 1 }),
  },
  webFetch: {
    arity: 1,
    make: (url = 'https://example.com/') =>
      toolSample('WebFetch', { url, prompt: 'What does it say?' }, { url, code: 200, result: 'An example.' }),
  },
  webSearch: {
    arity: 1,
    make: (query = 'hookscope') => toolSample('WebSearch', { query }, { query, results: [] }),
  },
  agent: {
    arity: 2,
    make: (subagent_type = 'reviewer', prompt = 'Review the change.') => {
      const content = [{ type: 'text', text: 'Nothing to complain about.' }];
      return toolSample('Agent', { description: 'Review', prompt, subagent_type }, { status: 'completed', content });
    },
  },
};
