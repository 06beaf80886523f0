import type { CallOf } from './tool-inputs.js';

/** A running task of the session, as Stop and SubagentStop list it. */
export interface BackgroundTask {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly description: string;
  readonly command?: string;
  readonly agent_type?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly name?: string;
}
/** A job that the session runs on a schedule. */
export interface SessionCron {
  readonly id: string;
  readonly schedule: string;
  readonly recurring: boolean;
  readonly prompt: string;
}

type Destination = 'userSettings' | 'projectSettings' | 'localSettings' | 'session' | 'cliArg';
interface RuleUpdate {
  readonly type: 'addRules' | 'replaceRules' | 'removeRules';
  rules: { toolName: string; ruleContent?: string }[];
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly destination: Destination;
}
/** A change of permissions that PermissionRequest suggests. */
export type PermissionUpdate =
  | (RuleUpdate & { readonly type: 'addRules' })
  | (RuleUpdate & { readonly type: 'replaceRules' })
  | (RuleUpdate & { readonly type: 'removeRules' })
  | {
      readonly type: 'setMode';
      readonly mode: 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto';
      readonly destination: Destination;
    }
  | { readonly type: 'addDirectories'; directories: string[]; readonly destination: Destination }
  | { readonly type: 'removeDirectories'; directories: string[]; readonly destination: Destination };

interface McpServerOf {
  readonly mcp_server?: { name: string; source: string };
}
interface ToolCallFields extends McpServerOf {
  readonly tool_use_id: string;
}
interface StopFields {
  background_tasks?: BackgroundTask[];
  session_crons?: SessionCron[];
}

/**
 * Fields for which hooks get a more precise type than the schema has. The schema also accepts old payloads and those of other harnesses;
 * these types say what Claude Code and a session send.
 */
interface EventExtras {
  PreToolUse: ToolCallFields;
  PostToolUse: ToolCallFields;
  PostToolUseFailure: ToolCallFields;
  PermissionDenied: ToolCallFields;
  PermissionRequest: McpServerOf & { permission_suggestions?: PermissionUpdate[] };
  PostToolBatch: {
    tool_calls: { tool_name: string; tool_input: unknown; tool_use_id: string; tool_response?: unknown }[];
  };
  Stop: StopFields;
  SubagentStop: StopFields & {
    readonly agent_id: string;
    readonly agent_type: string;
    readonly agent_transcript_path: string;
  };
  Notification: { readonly notification_type: string };
  Elicitation: { requested_schema?: Record<string, unknown> };
  ElicitationResult: { content?: Record<string, unknown> };
}

/**
 * Adds your own values to event fields that have a list of known values, by declaration merging:
 * `interface HookValues { SessionEnd: { reason: 'max_turns' } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface HookValues {}

/** Fields that accept any string, because every harness has its own values. */
type OpenField = 'permission_mode';
type Literals<T> = T extends string ? (string extends T ? never : T) : never;
type Values<N, K> = N extends keyof HookValues ? (K extends keyof HookValues[N] ? HookValues[N][K] : never) : never;
/** Restricts a field with a list of known values to those values. */
type KnownValues<T, N, K> = K extends OpenField
  ? T
  : [Literals<T>] extends [never]
    ? T
    : Literals<T> | Exclude<T, string> | Values<N, K>;

type NarrowedFields<N, T> = {
  readonly [K in keyof T]: K extends 'hook_event_name' ? N : KnownValues<Exclude<T[K], undefined>, N, K>;
};
type Override<T, G> = Omit<T, keyof G> & Readonly<G>;
type Whole<T> = { readonly [K in keyof T]: T[K] };
type FilledInput<N, T> = N extends keyof EventExtras
  ? Override<NarrowedFields<N, T>, EventExtras[N]>
  : NarrowedFields<N, T>;

/** The input of a hook for one event. Calls are distinguished by the tool's name. */
export type ReceivedInput<N, T> = T extends { tool_name: string; tool_input?: unknown }
  ? CallOf<Whole<Omit<FilledInput<N, T>, 'tool_name' | 'tool_input'>>>
  : Whole<FilledInput<N, T>>;

/** The input of a hook for several events: any string is possible, and it must check tool inputs itself. */
export type ReceivedOfAny<N, T> = N extends keyof EventExtras
  ? Whole<Omit<Plain<N, T>, keyof EventExtras[N]> & Readonly<EventExtras[N]>>
  : Plain<N, T>;
type Plain<N, T> = { readonly [K in keyof T]: K extends 'hook_event_name' ? N : Exclude<T[K], undefined> };
