import type { CustomEvents, HookEvent, InputOf, NoEvents } from '../events/catalogue.js';
import type { Plugin, UseOptions } from '../host/plugin-types.js';
import type { Hooks } from '../host/types.js';

/** Which calls need the user's permission. */
export type PermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto';

/** What a call does, for permission modes: `read` changes nothing, `edit` changes files of the project. */
export type Effect = 'read' | 'edit' | 'other';

/** The call that a permission question is about. */
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
  /** The reason of the hook or rule that asks. */
  readonly reason?: string | undefined;
  /** Permission updates from the rules that the user could grant, to be asked less. */
  readonly suggestions: readonly unknown[];
  /**
   * What the user has granted with this call already, if its input was edited with the answer and then rewritten: it counts for the call, and is told to
   * `onPermissionUpdate` once the call is let run.
   */
  readonly granted: readonly unknown[];
  /** Aborts when the turn is interrupted and the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The MCP server a tool belongs to. */
export interface McpServer {
  readonly name: string;
  readonly source?: string;
}

/** The decision of the harness's own rules on an input. */
export interface PermissionAnswer {
  /** `none`: no rule applies. A deny or ask holds even if a hook allowed the call. */
  readonly behavior: 'allow' | 'deny' | 'ask' | 'none';
  /** A message for the model (deny) or the user (ask). */
  readonly message?: string | undefined;
  /** The input to run instead; hooks and rules judge it again. */
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

/** A classifier's answer in place of the user's, in permission mode `auto`; `ask`: it cannot decide. */
export interface ClassifierAnswer {
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly message?: string | undefined;
}

/**
 * `permission`, `ask`, `classify` or `pause`: it is given the tool's input, as hooks have left it, and then the call, with its `name`. It answers, or returns nothing.
 * If it throws, or answers what it may not, the call is denied.
 *
 * @example
 * const permission: AnswerFunction<PermissionAnswer> = (input, call) => ({ behavior: call.name === 'Bash' ? 'deny' : 'allow' });
 *
 * @typeParam Answer - `PermissionAnswer`, `PersonAnswer` or `ClassifierAnswer`.
 * @param input - A copy of the tool's input.
 * @param call - The call: its tool, agent and mode, and what hooks have said about it.
 */
export type AnswerFunction<Answer> = (
  input: unknown,
  call: PermissionCall,
) => Answer | undefined | Promise<Answer | undefined>;

/** How a session decides and whom it tells. A child session inherits from its parent what it does not set. */
export interface SessionSettings {
  /** The harness's own rules, which are asked about every final input. If it is absent or returns nothing, no rule applies. */
  readonly permission?: AnswerFunction<PermissionAnswer> | undefined;
  /** Asks the user or an approver. If it is absent or returns nothing, a call that needs an answer is denied. */
  readonly ask?: AnswerFunction<PersonAnswer> | undefined;
  /** Decides in permission mode `auto` if no hook had an opinion. Absent: the user is asked. */
  readonly classify?: AnswerFunction<ClassifierAnswer> | undefined;
  /** Called with each systemMessage of a hook, to show it to the user. */
  readonly onMessage?: ((message: SessionMessage) => void) | undefined;
  /** Called before a call runs, with the permissions that a hook or the user granted with it; until then, `permission` finds the user's in `call.granted`. The session applies `setMode` itself. */
  readonly onPermissionUpdate?: ((updates: readonly unknown[], call: PermissionCall) => void) | undefined;
  readonly effort?: { readonly level: string } | undefined;
  /**
   * Whether an error that a tool, `permission`, `ask` or `classify` threw is the framework's own control flow, such as a pause or a jump. It is rethrown unchanged,
   * after the PostToolUseFailure hooks (`is_interrupt`). The same call, made again with the same id and input, is not judged again, once, if
   * no one was asked about it and the hooks are the same (docs/waiting.md).
   */
  readonly passThrough?: ((error: unknown) => boolean) | undefined;
  /** How many times in a row hooks may continue the loop. Default: the host's setting, 8. */
  readonly maxStopContinuations?: number | undefined;
  /** Whether paths that hooks ask for are watched (default) or only listed in `watchPaths`. Opening the session and `changeCwd` wait for the watch, at most two seconds. */
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

interface OwnHooks<C extends CustomEvents> {
  /** Hooks for this session or agent only; they end with it. */
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
/** The event's own fields, by the wire's names; the session adds the others. */
export type OwnFields<E extends HookEvent> = Pick<InputOf<E>, Exclude<keyof InputOf<E>, Base>>;

/** The fields of an InstructionsLoaded event, by the wire's names. */
export type LoadedInstructions = OwnFields<'InstructionsLoaded'>;

/** The options of `host.openSession`. Keys that are passed on to hooks have the wire's names. */
export interface SessionOptions<C extends CustomEvents = NoEvents> extends SessionSettings, OwnHooks<C> {
  /** Default: the host's own id, or a new one if a session with that id is open. */
  readonly session_id?: string | undefined;
  /** Default: the host's. */
  readonly transcript_path?: string | undefined;
  /** Default: the host's, else the current directory. */
  readonly cwd?: string | undefined;
  /** Default: the host's, else `default`. */
  readonly permission_mode?: PermissionMode | undefined;
  /** How the session started. Default `startup`. */
  readonly source?: string | undefined;
  readonly model?: string | undefined;
  readonly session_title?: string | undefined;
  /** The main thread runs as an agent of this type. */
  readonly agent_type?: string | undefined;
  /** More fields of SessionStart for a resumed or forked session, such as `seconds_since_last_response`. */
  readonly resumed?: Partial<OwnFields<'SessionStart'>> | undefined;
  /** Fires Setup first. */
  readonly setup?: 'init' | 'maintenance' | undefined;
  /** Instructions that were loaded at the start; an InstructionsLoaded is fired for each. */
  readonly instructions?: readonly LoadedInstructions[] | undefined;
  /**
   * The time limit for all SessionEnd hooks together, in seconds, at most 60 (default), and before them for those that a close waits for. A single
   * SessionEnd hook has 1.5 seconds unless it sets its own timeout.
   */
  readonly endTimeout?: number | undefined;
  /** Aborting it ends what runs, and nothing runs afterwards; `close` still works. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of `session.spawn`. */
export interface SpawnOptions<C extends CustomEvents = NoEvents> extends SessionSettings, OwnHooks<C> {
  readonly agent_type: string;
  /** The agent's id, one that is not running in this session. Default: a new one. */
  readonly id?: string | undefined;
  /** A running agent of this session that spawns it, or its id. Default: the session that `spawn` is called on. */
  readonly parent?: { readonly id: string } | string | undefined;
  readonly agent_transcript_path?: string | undefined;
  /** Default: the parent's current value; likewise for `model`. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** Default: the parent's, also after changes. */
  readonly permission_mode?: PermissionMode | undefined;
  /** Aborting it ends what the agent runs, and nothing runs afterwards. */
  readonly signal?: AbortSignal | undefined;
}

/** A child's settings; those that it does not set are its parent's. */
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
