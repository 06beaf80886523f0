import type { FireInput, HookEvent } from '../../src/events/catalogue.js';

/** The least that each event is fired with: its own required fields. */
export const INPUTS: { readonly [E in HookEvent]: FireInput<E> } = {
  PreToolUse: { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' },
  PostToolUse: { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', tool_response: { stdout: 'a' } },
  PostToolUseFailure: { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', error: 'exit 1' },
  PermissionRequest: { tool_name: 'Bash', tool_input: { command: 'ls' } },
  UserPromptSubmit: { prompt: 'hello' },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'logout' },
  Setup: { trigger: 'init' },
  Stop: { stop_hook_active: false },
  SubagentStart: { agent_id: 'agent-1', agent_type: 'worker' },
  SubagentStop: { stop_hook_active: false, agent_id: 'agent-1', agent_type: 'worker', agent_transcript_path: '/t/1' },
  PreCompact: { trigger: 'manual', custom_instructions: null },
  Notification: { message: 'waiting', notification_type: 'idle_prompt' },
  TeammateIdle: { teammate_name: 'ann', team_name: 'core' },
  TaskCompleted: { task_id: '1', task_subject: 'build' },
  PostToolBatch: { tool_calls: [{ tool_name: 'Bash', tool_input: {}, tool_use_id: 't1' }] },
  PermissionDenied: { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', reason: 'auto' },
  UserPromptExpansion: { expansion_type: 'slash_command', command_name: 'fix', command_args: '', prompt: 'fix it' },
  StopFailure: { error: 'rate_limit' },
  PostCompact: { trigger: 'auto', compact_summary: 'short' },
  PreModelSwitch: modelSwitch(),
  PostModelSwitch: modelSwitch(),
  MessageDisplay: { turn_id: 'a', message_id: 'b', index: 0, final: true, delta: 'text' },
  TaskCreated: { task_id: '1', task_subject: 'build' },
  Elicitation: { mcp_server_name: 'files', message: 'which?' },
  ElicitationResult: { mcp_server_name: 'files', action: 'accept' },
  ConfigChange: { source: 'user_settings' },
  InstructionsLoaded: { file_path: '/w/CLAUDE.md', memory_type: 'Project', load_reason: 'session_start' },
  CwdChanged: { old_cwd: '/w', new_cwd: '/v' },
  DirectoryAdded: { directory: '/v', source: 'slash_command' },
  FileChanged: { file_path: '/w/a.ts', event: 'change' },
  WorktreeCreate: { name: 'side' },
  WorktreeRemove: { worktree_path: '/w/side' },
};

function modelSwitch() {
  return {
    from_model: 'small',
    to_model: 'large',
    requested_model: null,
    source: 'command',
    context_tokens: 10,
    prompt_cache_warm: true,
    cache_ttl: '5m',
    estimated_cache_write_usd: 0.1,
    pricing: 'catalog',
  };
}

/** The input of an event, by a name that is only known at run time. */
export const inputOf = (event: HookEvent): Record<string, unknown> => ({ ...INPUTS[event] });
