import {
  type AgentTable,
  type EventRow,
  type Field,
  type Fill,
  instead,
  SILENT,
  specific,
  type TypedText,
  type Words,
  words,
} from '../table.js';
import { copilotRuns } from './copilot-runs.js';

/** Copilot reads `hookSpecificOutput` only on the PascalCase PreToolUse; on all other events the fields are at the top level. */
const context = words({ additionalContext: '$text' });
const goOn: EventRow['says'] = { continue: words({ decision: 'block', reason: '$reason' }), stop: SILENT };
const rewrittenPrompt: EventRow['says'] = { value: words({ modifiedTransformedPrompt: '$string' }) };
const NO_STOP = { none: 'Copilot has no word that ends the loop here' };
/** Why silence does not mean `ask` on permissionRequest. */
const NOBODY_ASKED =
  'it fires also where all tools are allowed: without an answer the call runs there, and nobody is asked';
const DENIED = instead('deny', 'Copilot has no word that ends the loop here: the call is denied');

/** camelCase payloads have times in milliseconds. */
const TIME: Field = { theirs: 'timestamp', ours: 'timestamp', unit: 'ms' };
const CAMEL: readonly Field[] = [
  TIME,
  { theirs: 'sessionId', ours: 'session_id' },
  { theirs: 'transcriptPath', ours: 'transcript_path' },
  { theirs: 'agentId', ours: 'agent_id' },
  { theirs: 'agentType', ours: 'agent_type' },
  { theirs: 'agentName', ours: 'agent_name' },
  { theirs: 'parentAgentId', ours: 'parent_agent_id' },
  { theirs: 'toolName', ours: 'tool_name' },
  { theirs: 'toolArgs', ours: 'tool_input', unit: 'maybe-json' },
  { theirs: 'toolResult.resultType', ours: 'result_type' },
  { theirs: 'toolResult.textResultForLlm', ours: 'tool_response' },
  { theirs: 'permissionSuggestions', ours: 'permission_suggestions' },
  { theirs: 'stopReason', ours: 'stop_reason' },
  { theirs: 'response', ours: 'last_assistant_message' },
  { theirs: 'initialPrompt', ours: 'initial_prompt' },
  { theirs: 'transformedPrompt', ours: 'transformed_prompt' },
  { theirs: 'customInstructions', ours: 'custom_instructions' },
  { theirs: 'errorContext', ours: 'error_context' },
];
const SNAKE: readonly Field[] = [
  { theirs: 'tool_result.result_type', ours: 'result_type' },
  { theirs: 'tool_result.text_result_for_llm', ours: 'tool_response' },
];
/** The mixed payloads have snake_case names for the subagent's fields, and camelCase for all others. */
const isOfAgent = ({ theirs }: Field): boolean => /^(agentId|agentType|parentAgentId)$/.test(theirs);
const MIXED = CAMEL.filter((field) => !isOfAgent(field));
const ASKED: Field = { theirs: 'toolInput', ours: 'tool_input', unit: 'maybe-json' };
const asked = (fields: readonly Field[]): Field[] => [ASKED, ...fields.filter(({ theirs }) => theirs !== 'toolArgs')];

const START: Field = { theirs: 'source', ours: 'source', values: { new: 'startup' } };
const ERROR: Field = { theirs: 'error', ours: 'error_of_agent' };
const ERROR_FILLS: Readonly<Record<string, Fill>> = {
  error: { value: 'unknown', loses: 'Copilot does not say which kind of error it was' },
  error_details: { from: 'error_of_agent.message' },
};
const NO_INSTRUCTIONS: Readonly<Record<string, Fill>> = { custom_instructions: { value: null } };

/** The parts beside which context was seen to reach the model. */
const BEFORE: Pick<Words, 'beside'> = { beside: ['deny', 'ask', 'allow', 'rewrite'] };

const CAMEL_TOOL: EventRow['says'] = {
  deny: words({ permissionDecision: 'deny', permissionDecisionReason: '$reason' }),
  ask: words({ permissionDecision: 'ask', permissionDecisionReason: '$reason' }),
  allow: words({ permissionDecision: 'allow' }),
  rewrite: words({ modifiedArgs: '$value' }, { beside: ['allow'] }),
  context: words({ additionalContext: '$text' }, BEFORE),
  stop: DENIED,
};
const PASCAL_TOOL: EventRow['says'] = {
  deny: specific({ permissionDecision: 'deny', permissionDecisionReason: '$reason' }),
  ask: specific({ permissionDecision: 'ask', permissionDecisionReason: '$reason' }),
  allow: specific({ permissionDecision: 'allow' }),
  rewrite: specific({ updatedInput: '$value' }, { beside: ['allow'] }),
  context: specific({ additionalContext: '$text' }, BEFORE),
  stop: DENIED,
};
const PERMISSION: EventRow['says'] = {
  deny: words({ behavior: 'deny', message: '$reason' }),
  allow: words({ behavior: 'allow' }),
  ask: { none: NOBODY_ASKED },
  interrupt: words({ interrupt: true }, { beside: ['deny'], needs: 'deny', covers: ['stop'] }),
  stop: DENIED,
};
const AFTER: EventRow['says'] = {
  block: words({ decision: 'block', reason: '$reason' }, { loses: 'the reason takes the place of the output' }),
  // Copilot drops context beside a block.
  context: words({ additionalContext: '$text' }, { beside: ['rewrite'] }),
  rewrite: words({ modifiedResult: { resultType: 'success', textResultForLlm: '$string' } }),
  suppress: instead('rewrite', 'it is told as another output', { text: 'A hook has hidden this output.' }),
  stop: NO_STOP,
};
const FAILED: EventRow['says'] = { context, block: instead('context', 'it is told as context') };
const PROMPT: EventRow['says'] = {
  block: words({ decision: 'block', reason: '$reason' }),
  context,
  stop: instead('block', 'Copilot has no word that ends the loop: the prompt is blocked'),
};

const TASK = { agent_type: 'subagent_type' };
const TYPED: TypedText = {
  field: 'input',
  enter: '{enter}',
  others: ['{up}', '{down}', '{left}', '{right}', '{backspace}'],
};
const EDITED = { path: 'file_path', old_str: 'old_string', new_str: 'new_string' };

type Pair = Omit<EventRow, 'name'> & { readonly camel: string; readonly pascal: string };

/** Events with a camelCase and a PascalCase name. The name under which the hook is registered decides the payload's format. */
const PAIRS: readonly Pair[] = [
  { camel: 'sessionStart', pascal: 'SessionStart', ours: 'SessionStart', fields: [START], says: { context } },
  { camel: 'sessionEnd', pascal: 'SessionEnd', ours: 'SessionEnd', says: {} },
  { camel: 'userPromptSubmitted', pascal: 'UserPromptSubmit', ours: 'UserPromptSubmit', says: PROMPT },
  { camel: 'postToolUse', pascal: 'PostToolUse', ours: 'PostToolUse', says: AFTER },
  { camel: 'postToolUseFailure', pascal: 'PostToolUseFailure', ours: 'PostToolUseFailure', says: FAILED },
  { camel: 'agentStop', pascal: 'Stop', ours: 'Stop', says: goOn },
  { camel: 'subagentStop', pascal: 'SubagentStop', ours: 'SubagentStop', says: goOn },
  {
    camel: 'preCompact',
    pascal: 'PreCompact',
    ours: 'PreCompact',
    says: {},
    fills: NO_INSTRUCTIONS,
    source: 'documents',
  },
  {
    camel: 'errorOccurred',
    pascal: 'ErrorOccurred',
    ours: 'StopFailure',
    fields: [ERROR],
    fills: ERROR_FILLS,
    says: {},
    source: 'documents',
  },
];

const both = ({ camel, pascal, fields = [], ...row }: Pair): EventRow[] => [
  { ...row, name: camel, named: null, matches: 'own', fields: [...fields, ...CAMEL] },
  { ...row, name: pascal, second: true, fields: [...fields, ...SNAKE] },
];
const notification: Omit<EventRow, 'name'> = {
  ours: 'Notification',
  named: ['hook_event_name', 'Notification'],
  fields: CAMEL,
  says: {},
};
const permission: Omit<EventRow, 'name' | 'fields'> = {
  ours: 'PermissionRequest',
  named: ['hookName', 'permissionRequest'],
  mcp: ['{server}/{tool}'],
  maybe: NOBODY_ASKED,
  says: PERMISSION,
};

export const copilot: AgentTable = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  source: 'seen',
  version: '1.0.102',
  eventFields: ['hook_event_name', 'hookName'],
  fields: [],
  fills: {},
  env: { cwd: 'COPILOT_PROJECT_DIR' },
  runs: copilotRuns,
  quiet: '',
  makesIds: true,
  sessionOf: 'parent_agent_id',
  tools: {
    bash: { ours: 'Bash' },
    powershell: { ours: 'PowerShell', meant: 'Bash', source: 'documents' },
    write_bash: { ours: 'Bash', typed: TYPED, oneWay: true },
    write_powershell: { ours: 'PowerShell', meant: 'Bash', typed: TYPED, oneWay: true, source: 'documents' },
    view: { ours: 'Read', fields: { path: 'file_path' } },
    create: { ours: 'Write', fields: { path: 'file_path', file_text: 'content' }, source: 'documents' },
    edit: {
      ours: 'Edit',
      also: { MultiEdit: { path: 'file_path' }, NotebookEdit: { path: 'notebook_path', new_str: 'new_source' } },
      fields: EDITED,
      source: 'documents',
    },
    // Some models edit with patches.
    apply_patch: { ours: 'Edit', patch: 'input', oneWay: true, source: 'documents' },
    str_replace_editor: { ours: 'Edit', fields: EDITED, oneWay: true, source: 'documents' },
    glob: { ours: 'Glob', fields: { paths: 'path' }, source: 'documents' },
    grep: { ours: 'Grep', fields: { paths: 'path' } },
    // Some models get rg in place of grep.
    rg: { ours: 'Grep', fields: { paths: 'path' }, source: 'documents' },
    web_fetch: { ours: 'WebFetch', source: 'documents' },
    web_search: { ours: 'WebSearch', source: 'documents' },
    ask_user: { ours: 'AskUserQuestion', source: 'documents' },
    task: { ours: 'Agent', also: { Task: TASK }, fields: TASK },
  },
  mcp: { names: ['{server}-{tool}'], source: 'seen' },
  events: [
    { name: 'preToolUse', ours: 'PreToolUse', matches: 'own', named: null, fields: CAMEL, says: CAMEL_TOOL },
    { name: 'PreToolUse', ours: 'PreToolUse', second: true, fields: SNAKE, says: PASCAL_TOOL },
    // Both names get the same flat payload, except that the names of the subagent's fields differ.
    { ...permission, name: 'permissionRequest', matches: 'own', fields: asked(CAMEL) },
    { ...permission, name: 'PermissionRequest', matches: 'own', second: true, fields: asked(MIXED) },
    ...PAIRS.flatMap(both),
    { ...notification, name: 'notification' },
    { ...notification, name: 'Notification', second: true },
    { name: 'subagentStart', ours: 'SubagentStart', named: null, fields: CAMEL, says: { context } },
    { name: 'SubagentStart', ours: 'SubagentStart', named: null, second: true, fields: MIXED, says: { context } },
    {
      name: 'userPromptTransformed',
      ours: 'UserPromptTransformed',
      named: null,
      own: {
        fold: 'replace',
        value: ['modifiedTransformedPrompt'],
        about: 'When Copilot has made of a prompt what its model will see. A hook can put another text in its place.',
      },
      fields: CAMEL,
      says: rewrittenPrompt,
    },
  ],
  files: {
    places: [
      { path: '/etc/github-copilot/policy.d/*.json', for: 'policy' },
      { path: '$COPILOT_HOME ~/.copilot/hooks/*.json', for: 'user' },
      { path: '$COPILOT_HOME ~/.copilot/settings.json', for: 'user' },
      { path: '.github/hooks/*.json', for: 'project' },
      { path: '.github/copilot/settings.json', for: 'project' },
      { path: '.github/copilot/settings.local.json', for: 'project' },
      { path: '.claude/settings.json', for: 'project', of: 'claude-code' },
      { path: '.claude/settings.local.json', for: 'project', of: 'claude-code' },
      { path: 'hooks/hooks.json', for: 'plugin' },
    ],
    shape: 'flat',
    root: { keys: ['version', 'disableAllHooks'], others: 'ignored' },
    version: 1,
    handlers: ['command', 'http', 'prompt'],
    keys: [
      'type',
      'matcher',
      'command',
      'bash',
      'powershell',
      'exec',
      'args',
      'cwd',
      'env',
      'timeoutSec',
      'timeout',
      'url',
      'headers',
      'allowedEnvVars',
      'prompt',
    ],
    timeout: { key: 'timeoutSec', unit: 's', usual: 30 },
    matcher: 'a regular expression, anchored at both ends; a hook with an invalid one is skipped',
    order: 'one after the other: policy, user, project, plugins',
    trust: 'Copilot asks whether the folder is trusted, and runs what is in it (`--trust-folder`).',
  },
  connect: {
    user: { home: '~/.copilot', variable: 'COPILOT_HOME', path: 'hooks/hookscope.json' },
    sessions: 'session-state',
    project: { path: '.github/hooks/hookscope.json', from: 'repository' },
    handler: { type: 'command' },
    reads: [],
    off: [
      {
        key: 'disableAllHooks',
        is: true,
        in: ['user', 'project', '.github/copilot/settings.json', '.github/copilot/settings.local.json'],
      },
    ],
  },
  limits: {
    timeout: 30,
    continues: 8,
    opens: ['brokenjson0', 'twojson', 'legacy_block', 'continue_false', 'claude_deny', 'timeout', 'deny_then_sleep_bg'],
    blind: ['hooks of the agent type `general-purpose` are told of no SubagentStart or SubagentStop (documents)'],
  },
};
