import { type AgentTable, type EventRow, instead, SILENT, specific, words } from '../table.js';
import { codexRuns } from './codex-runs.js';

const context = specific({ additionalContext: '$text' });
const stop = words({ continue: false, stopReason: '$reason' }, { covers: ['block'] });
const goOn: EventRow['says'] = { continue: words({ decision: 'block', reason: '$reason' }) };
const NO_STOP = instead('deny', 'Codex has no word that ends the loop here: the call is denied');
const FOLDED = 'it is told as the reason of a block, which takes the place of the output';

const SPAWN = { message: 'prompt', agent_type: 'subagent_type' };

export const codex: AgentTable = {
  name: 'codex',
  title: 'Codex CLI',
  source: 'seen',
  version: '0.169.0',
  eventFields: ['hook_event_name'],
  fields: [],
  fills: {},
  env: {},
  runs: codexRuns,
  quiet: '',
  tools: {
    Bash: { ours: 'Bash', also: { PowerShell: {} }, shellPatch: 'command' },
    spawn_agent: { ours: 'Agent', also: { Task: SPAWN }, fields: SPAWN },
    apply_patch: {
      ours: 'Edit',
      also: { Write: {}, MultiEdit: {}, NotebookEdit: {} },
      patch: 'command',
      source: 'documents',
    },
    view_image: { ours: 'Read', fields: { path: 'file_path' }, oneWay: true },
  },
  events: [
    { name: 'SessionStart', ours: 'SessionStart', says: { context, stop } },
    { name: 'SessionEnd', ours: 'SessionEnd', says: {}, timeout: { most: 3 } },
    {
      name: 'UserPromptSubmit',
      ours: 'UserPromptSubmit',
      says: { block: words({ decision: 'block', reason: '$reason' }), context, stop },
    },
    {
      name: 'PreToolUse',
      ours: 'PreToolUse',
      says: {
        deny: specific({ permissionDecision: 'deny', permissionDecisionReason: '$reason' }),
        ask: instead('deny', 'Codex runs the tool on "ask"'),
        allow: { silent: 'Codex has no word for it before a tool: its own permissions decide' },
        rewrite: specific({ permissionDecision: 'allow', updatedInput: '$value' }, { covers: ['allow'] }),
        context: specific({ additionalContext: '$text' }, { beside: ['deny', 'rewrite'] }),
        message: words({ systemMessage: '$text' }, { beside: ['deny', 'context'], needs: 'deny' }),
        stop: NO_STOP,
      },
    },
    {
      name: 'PermissionRequest',
      ours: 'PermissionRequest',
      says: {
        deny: specific({ decision: { behavior: 'deny', message: '$reason' } }),
        allow: specific({ decision: { behavior: 'allow' } }),
        ask: SILENT,
        stop: NO_STOP,
      },
    },
    {
      name: 'PostToolUse',
      ours: 'PostToolUse',
      says: {
        block: words({ decision: 'block', reason: '$reason' }, { loses: 'the reason takes the place of the output' }),
        context: specific({ additionalContext: '$text' }, { beside: ['block'] }),
        rewrite: instead('block', FOLDED),
        suppress: instead('block', FOLDED, { text: 'A hook has hidden this output.' }),
        stop: { none: 'Codex goes on after a tool, whatever a hook says' },
      },
    },
    { name: 'Stop', ours: 'Stop', says: { ...goOn, stop: words({ continue: false, stopReason: '$reason' }) } },
    { name: 'SubagentStart', ours: 'SubagentStart', says: { context } },
    { name: 'SubagentStop', ours: 'SubagentStop', says: { ...goOn, stop: SILENT } },
    { name: 'PreCompact', ours: 'PreCompact', says: {}, fills: { custom_instructions: { value: null } } },
    {
      name: 'PostCompact',
      ours: 'PostCompact',
      says: {},
      fills: { compact_summary: { value: '', loses: 'Codex does not give the summary' } },
    },
    {
      name: 'PreModelRequest',
      ours: 'PreModelRequest',
      own: { fold: 'observe', about: 'Before Codex asks the model. A hook can only watch.' },
      says: {},
    },
    {
      name: 'PostModelRequest',
      ours: 'PostModelRequest',
      own: { fold: 'observe', about: 'After the model has answered, or failed to. A hook can only watch.' },
      says: {},
    },
    {
      name: 'Interrupt',
      ours: 'Interrupt',
      own: { fold: 'observe', about: 'When the user interrupts Codex. A hook can only watch.' },
      says: {},
      timeout: { most: 3 },
      source: 'documents',
    },
  ],
  files: {
    places: [
      { path: '/etc/codex/requirements.toml', for: 'policy', format: 'toml' },
      { path: '$CODEX_HOME ~/.codex/hooks.json', for: 'user' },
      { path: '$CODEX_HOME ~/.codex/config.toml', for: 'user', format: 'toml' },
      { path: '.codex/hooks.json', for: 'project' },
      { path: '.codex/config.toml', for: 'project', format: 'toml' },
      { path: 'hooks/hooks.json', for: 'plugin' },
    ],
    shape: 'groups',
    root: { keys: ['description'], others: 'void' },
    handlers: ['command', 'mcp_tool'],
    keys: [
      'type',
      'command',
      'commandWindows',
      'command_windows',
      'timeout',
      'async',
      'statusMessage',
      'additionalContextLimit',
      'server',
      'tool',
      'input',
    ],
    flags: ['async'],
    timeout: { key: 'timeout', unit: 's', usual: 600 },
    matcher:
      'word characters and "|": a list of exact names; else a regular expression, not anchored; an invalid one never matches',
    order: 'all at the same time; of several rewrites the last to finish wins',
    trust:
      'Codex skips untrusted hooks without a word. Start codex once and accept them; trust is bound to the definition, and `codex app-server` tells it under `hooks/list`.',
  },
  connect: {
    user: { home: '~/.codex', variable: 'CODEX_HOME', path: 'hooks.json' },
    sessions: 'sessions',
    project: { path: '.codex/hooks.json' },
    handler: { type: 'command' },
    reads: [],
  },
  limits: {
    timeout: 600,
    levels: 127,
    opens: [
      'exit2_nostderr',
      'exit1_stderr',
      'exit1_denyjson',
      'exit3_stderr',
      'exit127',
      'brokenjson0',
      'twojson',
      'deny_noreason',
      'continue_false',
      'unknown_field_deny',
      'timeout',
      'killed',
      'deny_then_sleep_bg',
    ],
    blind: [
      'PermissionRequest is not asked in `codex exec`',
      'a patch through the shell has no PostToolUse',
      'what is typed into a shell that runs (`write_stdin`)',
      'the folder in which a command runs (`workdir`)',
    ],
  },
};
