import type {
  AnyHookOutput,
  CustomEvents,
  EventName,
  FireInput,
  FoldOf,
  HookEvent,
  HookInput,
  HookOutput,
  NoEvents,
  OutputKey,
} from '../events/catalogue.js';
import type { OnFailure } from '../events/failure.js';
import type { HelperOutput } from '../events/output/helpers.js';
import type { Fold } from '../events/spec.js';
import type { HandlerSpec } from '../handlers/kinds.js';
import type { RuleSpec } from '../handlers/rule/spec.js';
import type { Mode, Phase, Source } from '../scopes/registration.js';
import type { HookContext } from './call/context.js';
import type { BaseDecision, FoldFields } from './decide/decision.js';

/** A background hook with `asyncRewake` exited with code 2: the agent should be woken with this text. */
export interface Wake {
  readonly scope: string;
  /** The handler's id. */
  readonly handler: string;
  readonly text: string;
}

/** The result of `fire`: the fields of every decision, and those of the event's fold. */
export type Decision<E extends EventName<C> = EventName, C extends CustomEvents = NoEvents> = {
  [N in E]: BaseDecision & FoldFields[FoldOf<N, C>];
}[E];

/** The output helpers that decide something, by fold. */
interface DecidingHelpers {
  gate: 'allow' | 'deny' | 'ask' | 'block' | 'stop';
  block: 'block' | 'stop';
  stop: 'block' | 'stop';
  context: never;
  replace: 'block';
  observe: never;
}

/** The helpers that need a key of the event's output. Custom events name the keys of a rewrite themselves. */
interface NeedsKey {
  addContext: 'additionalContext';
  rewrite: 'updatedInput' | 'updatedToolOutput' | 'updatedError' | 'decision';
}
type WithKey<Keys> = {
  [Helper in keyof NeedsKey]: [NeedsKey[Helper] & Keys] extends [never] ? never : Helper;
}[keyof NeedsKey];
type RewriteHelper<F> = F extends 'gate' | 'block' ? 'rewrite' : never;

/** Exceptions: only PreToolUse can defer a call, MessageDisplay cannot block, and the events of `StopHelper` do not end the loop. */
type DeferHelper<E> = E extends 'PreToolUse' ? 'defer' : never;
type BlockHelper<E, Helper> = E extends 'MessageDisplay' ? Exclude<Helper, 'block'> : StopHelper<E, Helper>;
type StopHelper<E, Helper> = E extends 'PostToolUseFailure' | 'PreCompact' | 'TaskCreated' | 'ConfigChange'
  ? Exclude<Helper, 'stop'>
  : Helper;
/** Custom events may end the loop (`endsLoop`) and may rewrite. */
type OwnWords<N, C extends CustomEvents> = N extends HookEvent
  ? never
  : 'stop' | RewriteHelper<FoldOf<N & EventName<C>, C>>;

type HelpersOf<N extends EventName<C>, C extends CustomEvents> = HelperOutput<
  BlockHelper<N, DecidingHelpers[FoldOf<N, C> & Fold]> | WithKey<OutputKey<N, C>> | DeferHelper<N> | OwnWords<N, C>
>;
/** Mapped types, because the compiler can index them even with an event that is a type parameter. */
type Helpers = { [N in HookEvent]: HelpersOf<N, NoEvents> };
type OwnHelpers<C extends CustomEvents> = { [N in Exclude<EventName<C>, HookEvent>]: HelpersOf<N, C> };

/** The output helpers' answers that have a meaning on an event. */
type HelperFor<E extends EventName<C>, C extends CustomEvents> =
  | Helpers[E & HookEvent]
  | OwnHelpers<C>[E & keyof OwnHelpers<C>];

/** The return value of a callback: an output in Claude Code's format, a helper's answer, or nothing. */
export type HookResult<E extends EventName<C> = EventName, C extends CustomEvents = NoEvents> =
  // biome-ignore lint/suspicious/noConfusingVoidType: a callback without a return statement is a handler too
  HookOutput<E, C> | HelperFor<E, C> | null | undefined | void;

/**
 * An in-process handler, with the signature of `HookCallback` in Claude's SDK, whose callbacks can be used too. `HookCallback<'X'>` handles event X. A callback for several events annotates its input instead,
 * `(input: HookInput) => …`, and returns only what is meaningful on each of them. `input` is read-only all the way down: return
 * `updatedInput` or `rewrite()` to change what runs; `snapshot(input)` gives a plain copy.
 */
export type HookCallback<E extends EventName<C> = EventName, C extends CustomEvents = NoEvents> = (
  input: HookInput<E, C>,
  toolUseID: string | undefined,
  context: HookContext<HostHandle<C>>,
) => HookResult<E, C> | AnyHookOutput | Promise<HookResult<E, C> | AnyHookOutput>;

/** A callback with options; times in seconds. */
export interface CallbackSpec<E extends EventName<C> = EventName, C extends CustomEvents = NoEvents> {
  readonly handler: HookCallback<E, C>;
  readonly name?: string;
  /** A permission rule, as on the group; it takes precedence over the group's. */
  readonly if?: string;
  readonly timeout?: number;
  /** true: the fire does not wait for it. `two-phase`: if it answers `{ async: true }`, it is called a second time in the background. */
  readonly async?: boolean | 'two-phase';
  readonly asyncTimeout?: number;
  readonly onFailure?: OnFailure;
  readonly once?: boolean;
}

/** An element of a group's `hooks`: a function, a function with its own options, or what `command()` and the like return. */
export type HookHandler<E extends EventName<C> = EventName, C extends CustomEvents = NoEvents> =
  | HookCallback<E, C>
  | CallbackSpec<E, C>
  | HandlerSpec;

/** Handlers that share a matcher and policies. Times are seconds. */
export interface HookGroup<E extends EventName<C> = EventName, C extends CustomEvents = NoEvents> {
  /** `Bash`, `Edit|Write`, `mcp__*`, a RegExp, or a predicate; absent: all. */
  readonly matcher?: string | RegExp | ((subject: string | undefined, input: HookInput<E, C>) => boolean);
  /** One permission rule, on tool events: `Bash(git *)`, `Edit(src/**)`. */
  readonly if?: string;
  /** Lower runs first; default 0. */
  readonly stage?: number;
  /** Names of hooks, plugins or `register` calls in the same scope and stage; these hooks run before them. The name need not exist. */
  readonly before?: string | readonly string[];
  /** Names as for `before`; these hooks run after them. */
  readonly after?: string | readonly string[];
  readonly mode?: Mode;
  readonly timeout?: number;
  readonly timeoutFor?: 'handler' | 'group';
  readonly onFailure?: OnFailure;
  readonly phase?: Phase;
  readonly once?: boolean;
  /**
   * false: these hooks decide nothing. They run after the decision, on the final input, and records say what they would have said
   * (`would`). A number from 0 to 1: they decide only in that share of sessions.
   */
  readonly enforce?: boolean | number;
  readonly name?: string;
  readonly hooks: readonly HookHandler<E, C>[];
}

/** Hooks by event, as `register` takes them. */
export type Hooks<C extends CustomEvents = NoEvents> = {
  readonly [E in EventName<C>]?: readonly HookGroup<E, C>[];
};

/** Options that all hooks of one `register` call share. */
export interface RegisterOptions {
  /** The name of these hooks in records, and for `before` and `after`. */
  readonly name?: string;
  readonly onFailure?: OnFailure;
  readonly timeoutFor?: 'handler' | 'group';
  /** Like a group's `enforce`; the lower of the two counts. */
  readonly enforce?: boolean | number;
  /** Where the hooks come from, for `describe()` and records. */
  readonly source?: Source;
}

/** Undoes a registration; safe to call twice. */
export type Undo = () => void;

/** An agent, as passed to a function that makes its hooks (`spawnHooks`). */
export interface SpawnedAgent {
  readonly id: string;
  /** The same as `id`, under the name that inputs use. */
  readonly agent_id: string;
  readonly agent_type: string;
  readonly session_id: string;
  /** Aborts when the agent's scope ends. */
  readonly signal: AbortSignal;
  /** Calls the function when the agent's scope ends. The undo removes the function. */
  onClose(fn: () => unknown): Undo;
}

/** Hooks of agents: the same for all of them, or a function that is called once for each agent and returns its hooks. */
export type AgentHooks<C extends CustomEvents = NoEvents> = Hooks<C> | ((agent: SpawnedAgent) => Hooks<C>);

/** The options of `on` besides the event and the hook: the keys of a group. */
export type OnOptions<E extends EventName<C> = EventName, C extends CustomEvents = NoEvents> = Omit<
  HookGroup<E, C>,
  'hooks'
>;

/** One registration, as `describe()` shows it. */
export interface DescribedHook {
  readonly id: string;
  readonly name: string;
  readonly event: string;
  readonly handler: string;
  readonly matcher: string;
  readonly if?: string;
  readonly stage: number;
  readonly mode: Mode;
  readonly phase: Phase;
  /** Seconds. */
  readonly timeout: number;
  readonly onFailure: OnFailure;
  /** The decision, for a rule. */
  readonly rule?: RuleSpec;
  /** The share of sessions in which it decides; absent: all of them, or none (`skip`). */
  readonly enforce?: number;
  /** The hook could stop a call, but lets it run when the hook itself fails (`onFailure: 'continue'`). */
  readonly failsOpen?: true;
  readonly source: Source;
  readonly plugin?: string;
  /** The reason why the hook never runs. `skipWhy`: the file or setting that says so. */
  readonly skip?: string;
  readonly skipWhy?: string;
  /** How the hook differs from its accepted version: it fails instead of running. */
  readonly untrusted?: string;
}

/** Hooks that the function of `spawnHooks(agentType, (agent) => hooks)` makes for each agent of the type when it starts. Until then they are not known. */
export interface MadeHooks {
  readonly agentType: string;
  readonly source: Source;
  readonly plugin?: string;
  /** The name under which they were registered, or the file and line of the `spawnHooks` call. */
  readonly name?: string;
}

/** A scope, its registrations in running order, and the scopes inside it. `String(description)` prints it for people. */
export interface Description {
  readonly scope: string;
  readonly kind: string;
  readonly agentType?: string;
  /** For a session's scope: the session's id, if it has one. */
  readonly session?: string;
  readonly hooks: readonly DescribedHook[];
  /** For an agent type: hooks that functions make when such an agent starts, which are not known before. */
  readonly made?: readonly MadeHooks[];
  readonly children: readonly Description[];
  /** The tree as text, for people. */
  toString(): string;
}

/** The host, as handlers see it. */
export interface HostHandle<C extends CustomEvents = NoEvents> {
  /** As `host.fire`. */
  fire<E extends EventName<C>>(
    event: E,
    input: FireInput<E, C>,
    options?: { signal?: AbortSignal },
  ): Promise<Decision<E, C>>;
  /** As `host.describe`. */
  describe(): Description;
}
