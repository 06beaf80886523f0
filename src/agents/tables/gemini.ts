import { type AgentTable, type EventRow, instead, specific, words } from '../table.js';
import { geminiRuns } from './gemini-runs.js';

const context = specific({ additionalContext: '$text' });
const stop = words(
  { continue: false, stopReason: '$reason' },
  { covers: ['deny', 'defer', 'ask', 'allow', 'rewrite', 'suppress', 'block'] },
);
const FOLDED = 'it is told as the reason of a block, which takes the place of the output, as an error';

const after: EventRow['says'] = {
  block: words(
    { decision: 'block', reason: '$reason' },
    { loses: 'the reason takes the place of the output, as an error' },
  ),
  context,
  rewrite: instead('block', FOLDED),
  suppress: instead('block', FOLDED, { text: 'A hook has hidden this output.' }),
  stop,
};

const FOLDER = { dir_path: 'path' };
/** Older versions of Gemini read the shorter key. */
const INCLUDED = { glob: ['include_pattern', 'include'] };

export const gemini: AgentTable = {
  name: 'gemini',
  title: 'Gemini CLI',
  source: 'seen',
  version: '0.61.0',
  eventFields: ['hook_event_name'],
  fields: [],
  fills: {},
  env: { cwd: 'GEMINI_CWD', session_id: 'GEMINI_SESSION_ID' },
  runs: geminiRuns,
  quiet: '',
  textKey: 'llmContent',
  makesIds: true,
  tools: {
    run_shell_command: { ours: 'Bash', also: { PowerShell: {} } },
    write_file: { ours: 'Write' },
    read_file: { ours: 'Read' },
    replace: {
      ours: 'Edit',
      also: { MultiEdit: {}, NotebookEdit: { file_path: 'notebook_path', new_string: 'new_source' } },
      source: 'documents',
    },
    read_many_files: { ours: 'Read', files: 'include', oneWay: true, source: 'documents' },
    glob: { ours: 'Glob', fields: FOLDER, source: 'documents' },
    search_file_content: { ours: 'Grep', fields: FOLDER, either: INCLUDED, source: 'documents' },
    grep_search: { ours: 'Grep', fields: FOLDER, either: INCLUDED, source: 'documents' },
    list_directory: { ours: 'LS', fields: FOLDER, source: 'documents' },
    // The tool fetches the addresses in its prompt; where it is configured to take a url, it has no prompt.
    web_fetch: { ours: 'WebFetch', instead: { url: 'prompt' }, source: 'documents' },
    google_web_search: { ours: 'WebSearch', source: 'documents' },
  },
  // The second form is only documented. Server and tool come from the payload where it has them.
  mcp: {
    names: ['mcp_{server}_{tool}', 'mcp__{server}__{tool}'],
    server: 'mcp_context.server_name',
    tool: 'mcp_context.tool_name',
    source: 'seen',
  },
  events: [
    { name: 'SessionStart', ours: 'SessionStart', says: { context, stop: { none: 'Gemini ignores it at the start' } } },
    { name: 'SessionEnd', ours: 'SessionEnd', says: {} },
    {
      name: 'BeforeAgent',
      ours: 'UserPromptSubmit',
      says: { block: words({ decision: 'deny', reason: '$reason' }), context, stop },
    },
    {
      name: 'BeforeTool',
      ours: 'PreToolUse',
      matches: 'own',
      says: {
        deny: words({ decision: 'deny', reason: '$reason' }),
        ask: instead('deny', 'without a person Gemini hangs on "ask" (say --attended where there is one)', {
          attended: { decision: 'ask', reason: '$reason' },
        }),
        allow: { silent: 'no answer says it: its own permissions decide' },
        rewrite: specific({ tool_input: '$value' }, { merges: true }),
        stop,
        context: { none: 'Gemini does not pass it on before a tool; say it after the tool' },
        message: words({ systemMessage: '$text' }),
      },
    },
    {
      name: 'AfterTool',
      ours: 'PostToolUseFailure',
      matches: 'own',
      when: 'tool_response.error',
      fills: { error: { from: 'tool_response.error.message', value: 'The tool failed.' } },
      says: after,
    },
    { name: 'AfterTool', ours: 'PostToolUse', matches: 'own', says: after },
    {
      name: 'AfterAgent',
      ours: 'Stop',
      fields: [{ theirs: 'prompt_response', ours: 'last_assistant_message' }],
      says: {
        continue: words({ decision: 'deny', reason: '$reason' }),
        stop: words({ continue: false, stopReason: '$reason' }),
      },
    },
    {
      name: 'PreCompress',
      ours: 'PreCompact',
      maybe: 'it fires in every turn, whether anything is compacted or not',
      fills: { custom_instructions: { value: null } },
      says: {},
    },
    {
      name: 'Notification',
      ours: 'Notification',
      fields: [
        {
          theirs: 'notification_type',
          ours: 'notification_type',
          values: { ToolPermission: 'permission_prompt' },
        },
      ],
      says: {},
    },
    {
      name: 'BeforeModel',
      ours: 'BeforeModel',
      own: {
        fold: 'replace',
        needs: { llm_request: 'object' },
        value: ['llm_response'],
        about: "Before Gemini calls the model. A hook can stop the call, or answer in the model's place.",
      },
      says: {
        block: words({ decision: 'deny', reason: '$reason' }),
        value: words({ decision: 'block', reason: '$reason', hookSpecificOutput: { llm_response: '$value' } }),
      },
    },
    {
      name: 'AfterModel',
      ours: 'AfterModel',
      own: { fold: 'observe', about: 'After each piece of an answer of the model. A hook can only watch.' },
      says: {},
    },
    {
      name: 'BeforeToolSelection',
      ours: 'BeforeToolSelection',
      own: {
        fold: 'replace',
        value: ['toolConfig'],
        about: 'Before Gemini says which tools the model may call. A hook can say which.',
      },
      says: { value: specific({ toolConfig: '$value' }) },
    },
  ],
  files: {
    places: [
      { path: '/etc/gemini-cli/settings.json', for: 'system' },
      { path: '~/.gemini/settings.json', for: 'user' },
      { path: '.gemini/settings.json', for: 'project' },
      { path: 'hooks/hooks.json', for: 'plugin' },
    ],
    shape: 'groups',
    root: { keys: [], others: 'ignored' },
    handlers: ['command'],
    keys: ['type', 'command', 'name', 'description', 'timeout', 'env'],
    flags: ['sequential'],
    timeout: { key: 'timeout', unit: 'ms', usual: 60_000 },
    matcher: 'tools: a regular expression, not anchored, an invalid one taken literally; other events: exact',
    order:
      'all at the same time, unless a group is `sequential`: then one after the other, each seeing what the one before has rewritten',
    trust: 'Gemini warns once about hooks of a project, and runs them. It needs a trusted folder.',
  },
  connect: {
    user: { home: '~', variable: 'GEMINI_CLI_HOME', path: '.gemini/settings.json' },
    sessions: '.gemini/tmp',
    project: { path: '.gemini/settings.json' },
    handler: { type: 'command', name: 'hookscope' },
    reads: ['comments'],
    off: [
      { key: 'hooksConfig.enabled', is: false, in: ['user', 'project', '/etc/gemini-cli/settings.json'] },
      { key: 'hooksConfig.disabled', is: 'hookscope', in: ['user', 'project', '/etc/gemini-cli/settings.json'] },
    ],
  },
  limits: {
    timeout: 60,
    opens: [
      'exit2_nostderr',
      'exit2_allowjson',
      'exit1_stderr',
      'brokenjson0',
      'twojson',
      'claude_deny',
      'timeout',
      'killed',
      'deny_then_sleep_bg',
    ],
  },
};
