import { type AgentTable, type EventRow, type Field, type Fill, instead, words } from '../table.js';
import { cursorRuns } from './cursor-runs.js';

/** Cursor has separate messages for the user and the model; both get the reason. */
const refused = { user_message: '$reason', agent_message: '$reason' };
const stop = instead('deny', 'Cursor has no word that ends the loop here: the call is denied');
const gate: EventRow['says'] = {
  deny: words({ permission: 'deny', ...refused }),
  ask: words({ permission: 'ask', ...refused }),
  allow: words({ permission: 'allow' }),
  stop,
};
const goOn: EventRow['says'] = { continue: words({ followup_message: '$reason' }), stop: { silent: true } };
/** `loop_count` is how often the loop was continued. */
const GOES_ON: Readonly<Record<string, Fill>> = {
  stop_hook_active: {
    from: 'loop_count',
    counted: true,
    value: false,
    loses: 'Cursor has not said it in `loop_count`',
  },
};
const ASKED = 'Cursor takes "ask" as no answer there';
const readOnly: EventRow['says'] = {
  deny: words({ permission: 'deny', user_message: '$reason' }),
  ask: instead('deny', ASKED),
  allow: words({ permission: 'allow' }),
  stop,
};

/** Names of MCP tools: bare on events that are only about MCP, with the prefix on the others. */
const MCP_ALONE = ['{tool}', 'MCP:{tool}'];
const MCP_INPUT: Field = { theirs: 'tool_input', ours: 'tool_input', unit: 'json' };
/** Cursor's own tools have an object as input; an MCP tool may have JSON in a string. */
const INPUT: Field = { theirs: 'tool_input', ours: 'tool_input', unit: 'maybe-json' };
const shell: readonly Field[] = [{ theirs: 'command', ours: 'tool_input.command' }];
const bash: Readonly<Record<string, Fill>> = { tool_name: { value: 'Bash' } };
const edited: Readonly<Record<string, Fill>> = { tool_name: { value: 'Edit' }, tool_response: { value: '' } };
const file: readonly Field[] = [
  { theirs: 'file_path', ours: 'tool_input.file_path' },
  { theirs: 'edits', ours: 'tool_input.edits' },
];
/** Cursor writes files with one tool. */
const EDITS = { Edit: {}, MultiEdit: {}, NotebookEdit: { file_path: 'notebook_path', content: 'new_source' } };
/** Cursor documents `file_path` for some tools, and no key for others. */
const PATH = { file_path: ['path', 'target_file'] };
const watched = (name: string, ours: string, about: string): EventRow => ({
  name,
  ours,
  own: { fold: 'observe', about },
  says: {},
});

/** From Cursor's documentation only; it was not run. */
export const cursor: AgentTable = {
  name: 'cursor',
  title: 'Cursor',
  source: 'documents',
  version: 'documents of November 2026',
  eventFields: ['hook_event_name'],
  fields: [{ theirs: 'conversation_id', ours: 'session_id' }],
  fills: { cwd: { from: 'workspace_roots.0' } },
  env: { cwd: 'CURSOR_PROJECT_DIR' },
  runs: cursorRuns,
  quiet: '{}',
  makesIds: true,
  tools: {
    Shell: { ours: 'Bash', also: { PowerShell: {} } },
    Read: { ours: 'Read', either: PATH },
    Write: { ours: 'Write', also: EDITS, either: PATH },
    Grep: { ours: 'Grep' },
    Delete: { ours: 'Delete', either: PATH },
    Task: { ours: 'Agent', also: { Task: {} } },
  },
  mcp: { names: ['MCP:{tool}'], source: 'documents' },
  events: [
    // A session_id in this payload equals its conversation_id.
    {
      name: 'sessionStart',
      ours: 'SessionStart',
      fills: { source: { value: 'startup' } },
      says: { context: words({ additional_context: '$text' }) },
    },
    { name: 'sessionEnd', ours: 'SessionEnd', fills: { reason: { value: 'other' } }, says: {} },
    {
      name: 'beforeSubmitPrompt',
      ours: 'UserPromptSubmit',
      says: {
        block: words({ continue: false, user_message: '$reason' }),
        stop: words({ continue: false, user_message: '$reason' }, { covers: ['block'] }),
        context: { none: 'Cursor takes no context with a prompt' },
      },
    },
    {
      name: 'preToolUse',
      matches: 'own',
      ours: 'PreToolUse',
      fields: [INPUT],
      says: {
        ...gate,
        ask: instead('deny', ASKED),
        rewrite: words({ updated_input: '$value' }, { beside: ['allow'] }),
      },
    },
    { name: 'beforeShellExecution', ours: 'PreToolUse', fields: shell, fills: bash, says: gate },
    { name: 'beforeMCPExecution', matches: 'own', mcp: MCP_ALONE, ours: 'PreToolUse', fields: [MCP_INPUT], says: gate },
    {
      name: 'beforeReadFile',
      ours: 'PreToolUse',
      fields: [{ theirs: 'file_path', ours: 'tool_input.file_path' }],
      fills: { tool_name: { value: 'Read' } },
      says: readOnly,
    },
    // The three events after this one report the same calls, and their answers are ignored.
    {
      name: 'postToolUse',
      matches: 'own',
      ours: 'PostToolUse',
      fields: [
        INPUT,
        { theirs: 'tool_output', ours: 'tool_response', unit: 'json' },
        { theirs: 'duration', ours: 'duration_ms' },
      ],
      says: {
        context: words({ additional_context: '$text' }),
        block: instead('context', 'Cursor takes feedback as context'),
        rewrite: { none: 'Cursor takes another output of MCP tools alone' },
      },
    },
    {
      name: 'afterShellExecution',
      ours: 'PostToolUse',
      second: true,
      fields: [...shell, { theirs: 'output', ours: 'tool_response' }, { theirs: 'duration', ours: 'duration_ms' }],
      fills: bash,
      says: {},
    },
    {
      name: 'afterMCPExecution',
      second: true,
      matches: 'own',
      mcp: MCP_ALONE,
      ours: 'PostToolUse',
      fields: [
        MCP_INPUT,
        { theirs: 'result_json', ours: 'tool_response', unit: 'json' },
        { theirs: 'duration', ours: 'duration_ms' },
      ],
      says: {},
    },
    { name: 'afterFileEdit', ours: 'PostToolUse', second: true, fields: file, fills: edited, says: {} },
    {
      name: 'postToolUseFailure',
      matches: 'own',
      ours: 'PostToolUseFailure',
      fields: [INPUT, { theirs: 'error_message', ours: 'error' }, { theirs: 'duration', ours: 'duration_ms' }],
      says: {},
    },
    {
      name: 'stop',
      ours: 'Stop',
      fills: GOES_ON,
      says: goOn,
    },
    {
      name: 'subagentStart',
      ours: 'SubagentStart',
      fields: [
        { theirs: 'subagent_id', ours: 'agent_id' },
        { theirs: 'subagent_type', ours: 'agent_type' },
        { theirs: 'parent_conversation_id', ours: 'parent_agent_id' },
      ],
      says: {},
    },
    {
      name: 'subagentStop',
      ours: 'SubagentStop',
      fields: [
        { theirs: 'subagent_id', ours: 'agent_id' },
        { theirs: 'subagent_type', ours: 'agent_type' },
        { theirs: 'parent_conversation_id', ours: 'parent_agent_id' },
      ],
      fills: GOES_ON,
      says: goOn,
    },
    { name: 'preCompact', ours: 'PreCompact', fills: { custom_instructions: { value: null } }, says: {} },
    watched('afterAgentResponse', 'AfterAgentResponse', "After a message of Cursor's agent. A hook can only watch."),
    watched('afterAgentThought', 'AfterAgentThought', "After a thought of Cursor's agent. A hook can only watch."),
    watched('afterTabFileEdit', 'AfterTabFileEdit', "After Cursor's Tab has edited a file. A hook can only watch."),
    {
      name: 'beforeTabFileRead',
      ours: 'BeforeTabFileRead',
      own: {
        fold: 'replace',
        value: ['content'],
        needs: { file_path: 'text' },
        about: "Before Cursor's Tab reads a file. A hook can keep it from that.",
      },
      says: { block: words({ permission: 'deny' }, { loses: 'the reason is told nobody' }) },
    },
  ],
  files: {
    places: [
      { path: '/etc/cursor/hooks.json', for: 'system' },
      { path: '~/.cursor/hooks.json', for: 'user' },
      { path: '.cursor/hooks.json', for: 'project' },
      { path: '~/.claude/settings.json', for: 'user', of: 'claude-code' },
      { path: '.claude/settings.json', for: 'project', of: 'claude-code' },
      { path: '.claude/settings.local.json', for: 'project', of: 'claude-code' },
      { path: 'hooks/hooks.json', for: 'plugin' },
    ],
    shape: 'flat',
    root: { keys: ['version'], others: 'ignored' },
    version: 1,
    handlers: ['command', 'prompt'],
    keys: ['type', 'command', 'prompt', 'timeout', 'matcher', 'failClosed', 'loop_limit'],
    flags: ['failClosed'],
    closes: 'failClosed',
    timeout: { key: 'timeout', unit: 's', usual: 60 },
    matcher: 'a regular expression, not anchored',
    order: 'all of them run',
    trust:
      'Nothing is known of a trust step. A hook that fails or is late lets the call run, unless it is `failClosed`.',
  },
  connect: {
    user: { home: '~/.cursor', path: 'hooks.json' },
    project: { path: '.cursor/hooks.json' },
    handler: { type: 'command' },
    guard: { on: ['deny', 'block'], keys: { failClosed: true } },
  },
  limits: { timeout: 60 },
};
