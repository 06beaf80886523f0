import type { CustomEvents, EventName, NoEvents } from '../events/catalogue.js';
import type { OptionCheck } from '../values/shape.js';
import type { AgentHooks, Description, HookHandler, Hooks, OnOptions, RegisterOptions, Undo } from './types.js';

/** Parses a plugin's options. A zod schema is one. */
export interface OptionsReader<Options = unknown, Given = unknown> {
  /** Returns the user's options, checked and with defaults filled in. Throws if anything is wrong. */
  parse(value: unknown): Options;
  /** The input type of a Standard Schema. */
  readonly '~standard'?: { readonly types?: { readonly input: Given; readonly output: Options } | undefined };
}

/** Checks the `options` of a plugin. */
export const OPTIONS_SCHEMA: OptionCheck = {
  expected: 'a schema, as zod makes one: an object with a function parse(value)',
  accepts: (v) =>
    ((typeof v === 'object' && v !== null) || typeof v === 'function') &&
    typeof (v as { readonly parse?: unknown }).parse === 'function',
};

/** A plugin, as `definePlugin` makes it. `Given`: what the user may set. */
export interface Plugin<Options = unknown, C extends CustomEvents = CustomEvents, Given = unknown> {
  readonly name: string;
  readonly options?: OptionsReader<Options, Given>;
  /**
   * Registers its hooks; may be async. A function, an AsyncDisposable or a Disposable that it returns is called once: when the
   * plugin is unregistered, or its scope, session or host ends. Hooks that it returns are an error, and so is any other object with keys.
   */
  apply(scope: PluginScope<C>, options: Options): unknown;
}

/** The options of a plugin that declares none. */
export type NoOptions = Readonly<Record<string, never>> | undefined;

/** How a plugin is used, in addition to its own options. */
export interface UseOptions {
  /** Replaces the plugin's name in the names of its hooks, `name/hook`; needed if one scope uses a plugin twice. */
  readonly name?: string;
  /** Like a group's `enforce`, for all hooks of the plugin; the lower of the two counts. */
  readonly enforce?: boolean | number;
}

/** The arguments after the plugin in `use`: its options, which may be left out if all of them may. */
export type UseArguments<Given> = unknown extends Given
  ? [options?: unknown, how?: UseOptions]
  : undefined extends Given
    ? [options?: Given, how?: UseOptions]
    : Record<never, never> extends Given
      ? [options?: Given, how?: UseOptions]
      : [options: Given, how?: UseOptions];

/** Unregisters a plugin's hooks at once, and resolves when its cleanup is done. Never rejects; safe to call twice. */
export type PluginUndo = () => Promise<void>;

/** The ways to register hooks, in any scope. */
export interface Registers<C extends CustomEvents = NoEvents> {
  /** Adds hooks, all or none. Throws INVALID_HOOKS, naming the key, what was expected and the nearest right name, and CLOSED once the host is closed. */
  register(hooks: Hooks<C>, options?: RegisterOptions): Undo;
  /**
   * Adds one hook: `on('PreToolUse', guard, { matcher: 'Bash' })`. Throws INVALID_HOOKS, INVALID_OPTIONS.
   *
   * @param event - The event's name.
   * @param hook - A {@link HookHandler} of the event: a function, or a handler such as `command('./guard.sh')`.
   * @param options - {@link OnOptions}: those of a group.
   */
  on<E extends EventName<C>>(event: E, hook: NoInfer<HookHandler<E, C>>, options?: NoInfer<OnOptions<E, C>>): Undo;
  /** Applies a plugin. Rejects with INVALID_PLUGIN (its options) or PLUGIN_FAILED, naming the plugin; nothing is half registered. */
  use<O, Given>(plugin: Plugin<O, CustomEvents, Given>, ...options: UseArguments<Given>): Promise<PluginUndo>;
}

/** Where hooks are registered: the host, or the scope of one session or agent. */
export interface HookScope<C extends CustomEvents = NoEvents> extends Registers<C> {
  readonly id: string;
  /** Ends the scope and its children. */
  close(): unknown;
  /** This scope, its hooks in running order, and the scopes inside it. `String(description)` prints it for people. */
  describe(): Description;
}

/** Where a plugin registers hooks, which have its name and end with it. After its end, `register`, `on`, `spawnHooks` and `use` throw PLUGIN_ENDED. */
export interface PluginScope<C extends CustomEvents = NoEvents> extends Registers<C> {
  readonly id: string;
  /** Hooks for every agent of an exact type: of the whole host, or below the session or agent that the plugin is used in. */
  spawnHooks(agentType: string, hooks: AgentHooks<C>, options?: RegisterOptions): Undo;
  /** The registrations of this scope and the scopes inside it. */
  describe(): Description;
  /** Aborts when the plugin is unregistered, or its scope, session or host ends. */
  readonly signal: AbortSignal;
  /** Calls the function once, when `signal` aborts, or at once if it has; the last function first. The undo removes the function. */
  onClose(fn: () => unknown): Undo;
}
