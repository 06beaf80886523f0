import { describe, expect, it } from 'vitest';
import { CATALOGUE, EXIT_REASONS, eventName, HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import type { EventSpec, Subject } from '../../src/events/spec.js';
import { nearest } from '../../src/values/nearest.js';

const ALL = ['command', 'http', 'mcp_tool', 'prompt', 'agent'];
const CHM = ['command', 'http', 'mcp_tool'];
const CM = ['command', 'mcp_tool'];

/** Own fields with `?` where optional, subject, fold, exit 2, types, output keys: one row an event. */
type Row = [fields: string, subject: string | undefined, fold: string, exit2: string, types: string[], output: string];
const TABLE: Record<HookEvent, Row> = {
  PreToolUse: [
    'tool_name tool_input tool_use_id? mcp_server?',
    'tool_name',
    'gate',
    'block',
    ALL,
    'permissionDecision permissionDecisionReason updatedInput additionalContext',
  ],
  PostToolUse: [
    'tool_name tool_input tool_use_id? mcp_server? tool_response duration_ms?',
    'tool_name',
    'block',
    'feedback',
    ALL,
    'additionalContext updatedToolOutput updatedMCPToolOutput classifierContext',
  ],
  PostToolUseFailure: [
    'tool_name tool_input tool_use_id? mcp_server? error is_interrupt? duration_ms?',
    'tool_name',
    'block',
    'feedback',
    ALL,
    'additionalContext updatedError',
  ],
  PermissionRequest: [
    'tool_name tool_input permission_suggestions? mcp_server?',
    'tool_name',
    'gate',
    'ignore',
    ALL,
    'decision',
  ],
  UserPromptSubmit: [
    'prompt source? session_title?',
    undefined,
    'block',
    'block',
    ALL,
    'additionalContext sessionTitle suppressOriginalPrompt',
  ],
  SessionStart: [
    'source model? session_title? seconds_since_last_response? context_tokens? prompt_cache_likely_expired? estimated_cache_write_usd?',
    'source',
    'context',
    'user',
    CM,
    'additionalContext initialUserMessage sessionTitle watchPaths reloadSkills',
  ],
  SessionEnd: ['reason', 'reason', 'observe', 'user', CHM, ''],
  Setup: ['trigger', 'trigger', 'context', 'user', CM, 'additionalContext'],
  Stop: [
    'stop_hook_active last_assistant_message? background_tasks? session_crons?',
    undefined,
    'stop',
    'block',
    ALL,
    'additionalContext',
  ],
  SubagentStart: ['agent_id agent_type', 'agent_type', 'context', 'user', CHM, 'additionalContext'],
  SubagentStop: [
    'stop_hook_active agent_id? agent_transcript_path? agent_type? last_assistant_message? background_tasks? session_crons?',
    'agent_type',
    'stop',
    'block',
    ALL,
    'additionalContext',
  ],
  PreCompact: ['trigger custom_instructions', 'trigger', 'block', 'block', CHM, 'additionalContext'],
  Notification: [
    'message title? notification_type?',
    'notification_type',
    'context',
    'ignore',
    CHM,
    'additionalContext',
  ],
  TeammateIdle: ['teammate_name team_name', undefined, 'block', 'block', ALL, 'additionalContext'],
  TaskCompleted: [
    'task_id task_subject task_description? teammate_name? team_name?',
    undefined,
    'block',
    'block',
    ALL,
    'additionalContext',
  ],
  PostToolBatch: ['tool_calls', undefined, 'block', 'block', ALL, 'additionalContext'],
  PermissionDenied: [
    'tool_name tool_input tool_use_id? mcp_server? reason',
    'tool_name',
    'context',
    'ignore',
    ALL,
    'retry',
  ],
  UserPromptExpansion: [
    'expansion_type command_name command_args command_source? prompt',
    'command_name',
    'block',
    'block',
    ALL,
    'additionalContext suppressOriginalPrompt',
  ],
  StopFailure: ['error error_details? last_assistant_message?', 'error', 'observe', 'ignore', CHM, ''],
  PostCompact: ['trigger compact_summary', 'trigger', 'observe', 'user', CHM, ''],
  PreModelSwitch: [
    'from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing',
    'to_model',
    'gate',
    'block',
    CHM,
    'permissionDecision permissionDecisionReason',
  ],
  PostModelSwitch: [
    'from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing',
    'to_model',
    'context',
    'ignore',
    CHM,
    'additionalContext',
  ],
  MessageDisplay: ['turn_id message_id index final delta', undefined, 'replace', 'ignore', CHM, 'displayContent'],
  TaskCreated: [
    'task_id task_subject task_description? teammate_name? team_name?',
    undefined,
    'block',
    'block',
    ALL,
    'additionalContext',
  ],
  Elicitation: [
    'mcp_server_name message mode? url? elicitation_id? requested_schema?',
    'mcp_server_name',
    'replace',
    'block',
    CHM,
    'action content',
  ],
  ElicitationResult: [
    'mcp_server_name action elicitation_id? mode? content?',
    'mcp_server_name',
    'replace',
    'block',
    CHM,
    'action content',
  ],
  ConfigChange: ['source file_path?', 'source', 'block', 'block', CHM, 'additionalContext'],
  InstructionsLoaded: [
    'file_path memory_type load_reason globs? trigger_file_path? parent_file_path?',
    'load_reason',
    'observe',
    'ignore',
    CHM,
    '',
  ],
  CwdChanged: ['old_cwd new_cwd', undefined, 'context', 'user', CHM, 'watchPaths'],
  DirectoryAdded: ['directory source', 'source', 'observe', 'user', CHM, ''],
  FileChanged: ['file_path event', 'basename of file_path', 'context', 'user', CHM, 'watchPaths'],
  WorktreeCreate: ['name', undefined, 'replace', 'block', CHM, 'worktreePath'],
  WorktreeRemove: ['worktree_path', undefined, 'observe', 'ignore', CHM, ''],
};

const BASE = ['session_id', 'transcript_path', 'cwd', 'prompt_id', 'permission_mode', 'effort', 'hook_event_name'];

function ownFields(spec: EventSpec): string {
  const isOwn = (key: string): boolean =>
    !BASE.includes(key) && !(key.startsWith('agent_') && !spec.name.startsWith('Subagent'));
  const fields = Object.entries(spec.input.shape).filter(([key]) => isOwn(key));
  return fields.map(([key, schema]) => (schema._zod.optin === 'optional' ? `${key}?` : key)).join(' ');
}

const entries: readonly EventSpec[] = Object.values(CATALOGUE);
const namesWhere = (holds: (spec: EventSpec) => boolean): string[] => entries.filter(holds).map((spec) => spec.name);

describe('the catalogue', () => {
  it('has 33 events, the fifteen every design names first', () => {
    expect(HOOK_EVENTS).toHaveLength(33);
    expect(new Set(HOOK_EVENTS).size).toBe(33);
    expect(Object.keys(CATALOGUE)).toEqual(HOOK_EVENTS);
    expect(HOOK_EVENTS.slice(0, 15)).toEqual([
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PermissionRequest',
      'UserPromptSubmit',
      'SessionStart',
      'SessionEnd',
      'Setup',
      'Stop',
      'SubagentStart',
      'SubagentStop',
      'PreCompact',
      'Notification',
      'TeammateIdle',
      'TaskCompleted',
    ]);
    expect(namesWhere((spec) => spec.classic)).toEqual(HOOK_EVENTS.slice(0, 15));
  });

  it.each(Object.entries(TABLE))('%s has its fields, subject, fold, exit 2, types and output', (name, row) => {
    const spec: EventSpec = CATALOGUE[name as HookEvent];
    const [fields, subject, fold, exit2, types, output] = row;
    expect(spec.name).toBe(name);
    expect(new Set(ownFields(spec).split(' '))).toEqual(new Set(fields.split(' ')));
    expect({ subject: spec.subjectField, fold: spec.fold, exit2: spec.exit2, types: spec.types }).toEqual({
      subject,
      fold,
      exit2,
      types,
    });
    expect(spec.subject === undefined).toBe(subject === undefined);
    expect(Object.keys(spec.output.shape).join(' ')).toBe(output);
    expect(spec.about.split('. ').length).toBe(2);
  });

  it('ends the loop on continue: false exactly where the harness does', () => {
    expect(namesWhere((spec) => spec.endsLoop)).toEqual([
      'PreToolUse',
      'PostToolUse',
      'PermissionRequest',
      'UserPromptSubmit',
      'Stop',
      'SubagentStop',
      'TeammateIdle',
      'TaskCompleted',
      'PostToolBatch',
      'UserPromptExpansion',
    ]);
  });

  it('knows what plain stdout is', () => {
    expect(namesWhere((spec) => spec.plainStdout === 'context')).toEqual([
      'UserPromptSubmit',
      'SessionStart',
      'PreCompact',
      'UserPromptExpansion',
    ]);
    expect(namesWhere((spec) => spec.plainStdout === 'value')).toEqual(['WorktreeCreate']);
  });

  it('has the timeouts, failure policies, scopes and names that single events need', () => {
    expect(Object.fromEntries(entries.filter((e) => e.timeout).map((e) => [e.name, e.timeout]))).toEqual({
      UserPromptSubmit: { claude: 30 },
      SessionEnd: { claude: 1.5, max: 60 },
      PreModelSwitch: { claude: 30 },
      PostModelSwitch: { claude: 30 },
      MessageDisplay: { claude: 10 },
    });
    expect(namesWhere((e) => e.failure === 'ignored')).toEqual([
      'Stop',
      'SubagentStop',
      'TeammateIdle',
      'TaskCompleted',
    ]);
    expect(namesWhere((e) => e.failure === 'fails')).toEqual(['WorktreeCreate']);
    expect(namesWhere((e) => !e.askOnFailure)).toEqual(['PermissionRequest']);
    expect(namesWhere((e) => e.scope === 'open')).toEqual(['SubagentStart']);
    expect(namesWhere((e) => e.scope === 'close')).toEqual(['SubagentStop']);
    expect(CATALOGUE.Stop.inAgentScope).toBe('SubagentStop');
    expect(CATALOGUE.ConfigChange.unblockable).toEqual(['policy_settings']);
    expect(namesWhere((e) => e.subject !== undefined && !e.namedBySubject)).toEqual(['SubagentStop']);
    expect(namesWhere((e) => e.tool)).toEqual([
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PermissionRequest',
      'PermissionDenied',
    ]);
    expect(namesWhere((e) => e.narrowNames === true)).toEqual(['StopFailure', 'FileChanged']);
  });

  it('says which input field a hook may rewrite', () => {
    expect(Object.fromEntries(entries.filter((e) => e.rewrites).map((e) => [e.name, e.rewrites?.field]))).toEqual({
      PreToolUse: 'tool_input',
      PostToolUse: 'tool_response',
      PostToolUseFailure: 'error',
      PermissionRequest: 'tool_input',
    });
  });

  it('takes the base name of a changed file as its subject, whatever the separator', () => {
    const subject = (file_path: string): Subject => (CATALOGUE.FileChanged as EventSpec).subject?.({ file_path });
    expect(subject('/home/dev/project/.env')).toBe('.env');
    expect(subject('C:\\project\\.envrc')).toBe('.envrc');
    expect(subject('package.json')).toBe('package.json');
  });

  it('lists the reasons a session ends for, and accepts others', () => {
    expect(EXIT_REASONS).toEqual(['clear', 'resume', 'logout', 'prompt_input_exit', 'other']);
    const base = { session_id: 's', transcript_path: '', cwd: '/', hook_event_name: 'SessionEnd' };
    expect(CATALOGUE.SessionEnd.input.safeParse({ ...base, reason: 'max_turns' }).success).toBe(true);
  });

  it('has no prototype, so that a name from outside can be looked up', () => {
    const name: string = 'constructor';
    expect((CATALOGUE as Readonly<Record<string, unknown>>)[name]).toBeUndefined();
  });
});

describe('eventName', () => {
  it.each(['PreToolUse', 'preToolUse', 'pre_tool_use', 'pre-tool-use', 'PRE_TOOL_USE', 'pre tool use'])(
    'reads %s as PreToolUse',
    (spelling) => {
      expect(eventName(spelling)).toBe('PreToolUse');
    },
  );

  it('knows no other names', () => {
    expect(eventName('PreToolUsed')).toBeUndefined();
    expect(eventName('')).toBeUndefined();
    expect(eventName('my_deploy', ['MyDeploy'])).toBe('MyDeploy');
  });
});

describe('nearest', () => {
  it('finds the name that was meant', () => {
    expect(nearest('PreTooluse', HOOK_EVENTS)).toBe('PreToolUse');
    expect(nearest('pretolUse', HOOK_EVENTS)).toBe('PreToolUse');
    expect(nearest('SesionStart', HOOK_EVENTS)).toBe('SessionStart');
  });

  it('takes the first of two that are equally near', () => {
    expect(nearest('Stoq', ['Stob', 'Stop'])).toBe('Stob');
  });

  it('finds nothing where nothing is near', () => {
    expect(nearest('Deploy', HOOK_EVENTS)).toBeUndefined();
    expect(nearest('', HOOK_EVENTS)).toBeUndefined();
  });
});
