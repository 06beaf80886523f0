import { createHost, deny, type HookEvent, type HookHandler, type HookInput, type Hooks } from '../../src/index.js';

/**
 * Compiled by tsc, never run: callbacks written for Claude's own SDK are callbacks of ours, and the other way round. The declarations
 * are those of @anthropic-ai/claude-agent-sdk 0.3.332, in its words, as far as a callback touches them here; the package itself is no dependency.
 */
interface SdkBase {
  session_id: string;
  transcript_path: string;
  cwd: string;
  prompt_id?: string;
  permission_mode?: string;
  agent_id?: string;
  agent_type?: string;
  effort?: { level: string };
}
interface SdkCall extends SdkBase {
  tool_name: string;
  tool_input: unknown;
  mcp_server?: { name: string; source: string };
}
interface SdkEnds extends SdkBase {
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: { id: string; type: string; status: string; description: string; command?: string }[];
  session_crons?: { id: string; schedule: string; recurring: boolean; prompt: string }[];
}
type Rules = { rules: { toolName: string; ruleContent?: string }[]; behavior: 'allow' | 'deny' | 'ask' };
type SdkUpdate = { destination: 'userSettings' | 'projectSettings' | 'localSettings' | 'session' | 'cliArg' } & (
  | ({ type: 'addRules' } & Rules)
  | ({ type: 'replaceRules' } & Rules)
  | ({ type: 'removeRules' } & Rules)
  | { type: 'setMode'; mode: 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto' }
  | { type: 'addDirectories'; directories: string[] }
  | { type: 'removeDirectories'; directories: string[] }
);
type SdkInput =
  | (SdkCall & { hook_event_name: 'PreToolUse'; tool_use_id: string })
  | (SdkCall & { hook_event_name: 'PostToolUse'; tool_response: unknown; tool_use_id: string; duration_ms?: number })
  | (SdkCall & { hook_event_name: 'PostToolUseFailure'; tool_use_id: string; error: string; is_interrupt?: boolean })
  | (SdkCall & { hook_event_name: 'PermissionDenied'; tool_use_id: string; reason: string })
  | (SdkCall & { hook_event_name: 'PermissionRequest'; permission_suggestions?: SdkUpdate[] })
  | (SdkBase & {
      hook_event_name: 'PostToolBatch';
      tool_calls: { tool_name: string; tool_input: unknown; tool_use_id: string; tool_response?: unknown }[];
    })
  | (SdkBase & { hook_event_name: 'UserPromptSubmit'; prompt: string; session_title?: string })
  | (SdkBase & { hook_event_name: 'SessionStart'; source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork' })
  | (SdkBase & {
      hook_event_name: 'SessionEnd';
      reason: 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other';
    })
  | (SdkEnds & { hook_event_name: 'Stop' })
  | (SdkEnds & {
      hook_event_name: 'SubagentStop';
      agent_id: string;
      agent_type: string;
      agent_transcript_path: string;
    })
  | (SdkBase & { hook_event_name: 'SubagentStart'; agent_id: string; agent_type: string })
  | (SdkBase & {
      hook_event_name: 'PreCompact';
      trigger: 'manual' | 'auto';
      custom_instructions: string | null;
    })
  | (SdkBase & { hook_event_name: 'Notification'; message: string; title?: string; notification_type: string })
  | (SdkBase & {
      hook_event_name: 'ConfigChange';
      source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings' | 'skills';
      file_path?: string;
    })
  | (SdkBase & { hook_event_name: 'FileChanged'; file_path: string; event: 'change' | 'add' | 'unlink' });
type SdkOutput =
  | { async: true; asyncTimeout?: number }
  | {
      continue?: boolean;
      suppressOutput?: boolean;
      stopReason?: string;
      decision?: 'approve' | 'block';
      systemMessage?: string;
      terminalSequence?: string;
      reason?: string;
      hookSpecificOutput?:
        | {
            hookEventName: 'PreToolUse';
            permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer';
            permissionDecisionReason?: string;
            updatedInput?: Record<string, unknown>;
            additionalContext?: string;
          }
        | { hookEventName: 'UserPromptSubmit'; additionalContext?: string; sessionTitle?: string }
        | { hookEventName: 'SessionStart'; additionalContext?: string; initialUserMessage?: string }
        | { hookEventName: 'PostToolUse'; additionalContext?: string; updatedToolOutput?: unknown }
        | { hookEventName: 'Stop'; additionalContext?: string }
        | { hookEventName: 'Notification'; additionalContext?: string }
        | { hookEventName: 'CwdChanged'; watchPaths?: string[] }
        | { hookEventName: 'FileChanged'; watchPaths?: string[] }
        | { hookEventName: 'MessageDisplay'; displayContent?: string }
        | { hookEventName: 'PermissionDenied'; retry?: boolean }
        | { hookEventName: 'Elicitation'; action?: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> }
        | {
            hookEventName: 'PreSkillShellCommand';
            permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer';
            permissionDecisionReason?: string;
            updatedInput?: Record<string, unknown>;
          }
        | {
            hookEventName: 'PermissionRequest';
            decision:
              | { behavior: 'allow'; updatedInput?: Record<string, unknown>; updatedPermissions?: SdkUpdate[] }
              | { behavior: 'deny'; message?: string; interrupt?: boolean };
          };
    };
type SdkCallback = (
  input: SdkInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<SdkOutput>;
interface SdkMatcher {
  matcher?: string;
  hooks: SdkCallback[];
  timeout?: number;
  onFailure?: 'continue' | 'block';
}

type SdkEvent = SdkInput['hook_event_name'];
declare const theirs: SdkCallback;
declare const matchers: Partial<Record<SdkEvent, SdkMatcher[]>>;

/** Wherever we take a callback. */
export const handlers: { readonly [E in SdkEvent]: HookHandler<E> } = {} as { [E in SdkEvent]: SdkCallback };
export const specs: { readonly [E in SdkEvent]: HookHandler<E> } = {} as { [E in SdkEvent]: { handler: SdkCallback } };
export function registers(): void {
  const host = createHost();
  host.register(matchers);
  host.on('PreToolUse', theirs, { matcher: 'Bash' });
  host.on('SubagentStop', theirs);
  host.spawnHooks('reviewer', { Stop: [{ hooks: [theirs] }] });
  const hooks: Hooks = { PostToolUse: [{ hooks: [theirs, { handler: theirs, timeout: 5 }] }] };
  host.registerScoped('agent', hooks);
  // @ts-expect-error: of no event
  host.on('PreToolUse', async (input: { wrong: string }) => void input);
  // @ts-expect-error: no output
  host.on('PreToolUse', async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 1 } }));
  // @ts-expect-error: misspelt
  host.on('PreToolUse', () => ({ hookSpecificOutput: { permisionDecision: 'deny' } }));
}

type SdkSetup = SdkBase & { hook_event_name: 'Setup'; trigger: 'init' | 'maintenance' };
// @ts-expect-error: tools.ts merges a value of its own into Setup, which their callback does not know
export const unknowing: HookHandler<'Setup'> = async (input: SdkSetup) => void input;
export const knowing: HookHandler<'Setup'> = async (input: Omit<SdkSetup, 'trigger'> & { trigger: string }) =>
  void input;

/** What their callbacks are given is what ours may be written for. */
export const given = (input: SdkInput): HookInput => input;
export const each: { readonly [E in SdkEvent & HookEvent]: SdkInput } = {} as { [E in SdkEvent]: HookInput<E> };
const ours = async (input: HookInput, _id: string | undefined, { signal }: { readonly signal: AbortSignal }) => {
  signal.throwIfAborted();
  if (input.hook_event_name !== 'PreToolUse' || input.tool_name !== 'Bash') return {};
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } } as const;
};
export const there: SdkCallback = ours;
export const here: HookHandler<'PreToolUse'> = ours;
export const everywhere: HookHandler = ours;

/** An event that hookscope does not have is kept from ours, as docs/migration.md says. */
type NewerInput = SdkInput | (SdkBase & { hook_event_name: 'PreSkillShellCommand'; command: string });
type NewerCallback = (
  input: NewerInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<SdkOutput>;
// @ts-expect-error: it may be given an event that it does not know
export const unguarded: NewerCallback = ours;
export const guarded: NewerCallback = async (input, id, options) =>
  input.hook_event_name === 'PreSkillShellCommand' ? {} : ours(input, id, options);
/** What a helper gives is not for the SDK. TypeScript sees that, but not in such a wrapper, as docs/migration.md says. */
const helped = async (input: HookInput) => (input.hook_event_name === 'PreToolUse' ? deny('no') : {});
// @ts-expect-error: the SDK has none of its keys
export const seen: SdkCallback = helped;
export const unseen: NewerCallback = async (input) =>
  input.hook_event_name === 'PreSkillShellCommand' ? {} : helped(input);
