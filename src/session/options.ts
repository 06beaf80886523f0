import type { CustomEvents, HookEvent, InputOf, NoEvents } from '../events/catalogue.js';
import type { Plugin, UseOptions } from '../host/plugin-types.js';
import type { Hooks } from '../host/types.js';

/** How much is asked before a call runs. */
export type PermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto';

/** The effect of a call for permission modes: `read` changes nothing, `edit` changes files of the project. */
export type Effect = 'read' | 'edit' | 'other';

/** The call a permission question is about. */
export interface PermissionCall {
  readonly id: string;
  readonly name: string;
  readonly effect: Effect;
  readonly mcp?: McpServer | undefined;
  readonly permission_mode: string;
  readonly agent_id?: string | undefined;
  readonly agent_type?: string | undefined;
  /** The opinion of the PreToolUse hooks on this input. */
  readonly verdict: 'none' | 'allow' | 'ask';
  /** Why it is asked: the reason of a hook or a rule. */
  readonly reason?: string | undefined;
  /** From the rules: what the user could grant to be asked less. */
  readonly suggestions: readonly unknown[];
  /** Aborts when the turn is interrupted: the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The MCP server a tool belongs to. */
export interface McpServer {
  readonly name: string;
  readonly source?: string;
}

/** The decision of the harness's own rules on an input. */
export interface PermissionAnswer {
  /** `none`: no rule applies. Deny and ask stand, whatever a hook allowed. */
  readonly behavior: 'allow' | 'deny' | 'ask' | 'none';
  /** A message for the model (deny) or the user (ask). */
  readonly message?: string | undefined;
  /** Run this instead; it is judged again like any other input. */
  readonly updatedInput?: unknown;
  /** Permission updates to offer when the user is asked. */
  readonly suggestions?: readonly unknown[] | undefined;
}

/** The user's answer. */
export type PersonAnswer =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: unknown;
      readonly updatedPermissions?: readonly unknown[] | undefined;
    }
  | { readonly behavior: 'deny'; readonly message?: string | undefined; readonly interrupt?: boolean | undefined };

/** A classifier's answer in place of the user's, in permission mode `auto`; `ask`: it cannot tell. */
export interface ClassifierAnswer {
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly message?: string | undefined;
}

type AnswerFunction<Answer> = (
  input: unknown,
  call: PermissionCall,
) => Answer | undefined | Promise<Answer | undefined>;

/** How a session decides and whom it notifies. A child session inherits from its parent what it does not set. */
export interface SessionSettings {
  /** The harness's own rules, asked about every final input. Absent, or no answer: no rule applies. */
  readonly permission?: AnswerFunction<PermissionAnswer> | undefined;
  /** The user or approver. Absent, or no answer: there is no user, and a call that needs an answer is denied. */
  readonly ask?: AnswerFunction<PersonAnswer> | undefined;
  /** Permission mode `auto`: decides where no hook had an opinion. Absent: the user is asked. */
  readonly classify?: AnswerFunction<ClassifierAnswer> | undefined;
  /** A hook's systemMessage, for the user. */
  readonly onMessage?: ((message: SessionMessage) => void) | undefined;
  /** Permissions that a hook or the user granted with a call, before it runs. `setMode` is applied by the session itself. */
  readonly onPermissionUpdate?: ((updates: readonly unknown[], call: PermissionCall) => void) | undefined;
  readonly effort?: { readonly level: string } | undefined;
  /**
   * Whether an error that a tool, `permission`, `ask` or `classify` threw is the framework's own control flow: a pause, a jump. It is rethrown unchanged, after
   * the PostToolUseFailure hooks have run (`is_interrupt`). The same call made again with the same id and input is not judged again, once, if
   * no one was asked about it and the hooks are the same (docs/waiting.md).
   */
  readonly passThrough?: ((error: unknown) => boolean) | undefined;
  /** Continuations in a row after which the stop loop ends. Default: the host's, 8. */
  readonly maxStopContinuations?: number | undefined;
  /** false: paths that hooks ask for are not watched, only listed in `watchPaths`. Opening the session, and `changeCwd`, wait until they are watched, two seconds at most. */
  readonly watch?: boolean | undefined;
}

/** A hook's message to the user. */
export interface SessionMessage {
  readonly event: string;
  readonly text: string;
  readonly session_id: string;
  readonly agent_id?: string | undefined;
}

/** A plugin, or a plugin with its options. */
export type PluginUse = Plugin | readonly [plugin: Plugin, options: unknown, how?: UseOptions];

interface Registered<C extends CustomEvents> {
  /** Hooks of this session or agent alone; they end with it. */
  readonly hooks?: Hooks<C> | undefined;
  readonly plugins?: readonly PluginUse[] | undefined;
}

type Base =
  | 'session_id'
  | 'transcript_path'
  | 'cwd'
  | 'prompt_id'
  | 'permission_mode'
  | 'agent_id'
  | 'agent_type'
  | 'effort'
  | 'hook_event_name';
/** The event's own fields, in the wire's names; the session knows the rest. */
export type OwnFields<E extends HookEvent> = Pick<InputOf<E>, Exclude<keyof InputOf<E>, Base>>;

/** An InstructionsLoaded, in the wire's names. */
export type LoadedInstructions = OwnFields<'InstructionsLoaded'>;

/** The options of `host.openSession`. Keys that are passed to the hooks unchanged have the wire's names. */
export interface SessionOptions<C extends CustomEvents = NoEvents> extends SessionSettings, Registered<C> {
  /** Default: the host's own id, or a new one while a session with that is open. */
  readonly session_id?: string | undefined;
  /** Default: the host's. */
  readonly transcript_path?: string | undefined;
  /** Default: the host's, else the process's directory. */
  readonly cwd?: string | undefined;
  /** Default: the host's, else `default`. */
  readonly permission_mode?: PermissionMode | undefined;
  /** How the session started. Default `startup`. */
  readonly source?: string | undefined;
  readonly model?: string | undefined;
  readonly session_title?: string | undefined;
  /** The main thread runs as an agent of this type. */
  readonly agent_type?: string | undefined;
  /** More fields of SessionStart, of a session that is resumed or forked: `seconds_since_last_response` and the like. */
  readonly resumed?: Partial<OwnFields<'SessionStart'>> | undefined;
  /** Fires Setup first. */
  readonly setup?: 'init' | 'maintenance' | undefined;
  /** Instructions that were loaded at the start, one InstructionsLoaded each. */
  readonly instructions?: readonly LoadedInstructions[] | undefined;
  /** Seconds that all SessionEnd hooks have together, 60 at most. Each of them has 1.5 unless it says otherwise. Default 60. */
  readonly endTimeout?: number | undefined;
  /** Aborting it ends what runs and everything to come; `close` still works. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of `session.spawn`. */
export interface SpawnOptions<C extends CustomEvents = NoEvents> extends SessionSettings, Registered<C> {
  readonly agent_type: string;
  /** The agent's id, one that is not running in this session. Default: a new one. */
  readonly id?: string | undefined;
  /** A running agent of this session that spawns it, or its id. Default: the session that `spawn` is called on. */
  readonly parent?: { readonly id: string } | string | undefined;
  readonly agent_transcript_path?: string | undefined;
  /** Default: the parent's, as they are now. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** Default: the parent's, also when that changes. */
  readonly permission_mode?: PermissionMode | undefined;
  /** Aborting it ends what the agent runs and everything to come. */
  readonly signal?: AbortSignal | undefined;
}

/** A child's settings: its own where given, else its parent's. */
export function inherit(own: SessionSettings, parent: SessionSettings | undefined): SessionSettings {
  const keys = [
    'permission',
    'ask',
    'classify',
    'onMessage',
    'onPermissionUpdate',
    'effort',
    'passThrough',
    'maxStopContinuations',
    'watch',
  ] as const;
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = own[key] ?? parent?.[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}
