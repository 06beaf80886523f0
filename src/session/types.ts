import type { CustomEvents, EventName, FireInput, NoEvents } from '../events/catalogue.js';
import type { Registers } from '../host/plugin-types.js';
import type { Decision, Hooks, RegisterOptions, Undo } from '../host/types.js';
import type { OwnFields, PermissionMode, SpawnOptions } from './options.js';
import type { Closed } from './steps/close.js';
import type { CompactAnswer, CompactOptions } from './steps/compact.js';
import type { ElicitAnswer, ElicitOptions } from './steps/elicit.js';
import type { PromptAnswer, PromptOptions } from './steps/prompt.js';
import type { StopAnswer } from './steps/stop.js';
import type { StopOptions } from './steps/stop-event.js';
import type { IdleAnswer, TaskAnswer } from './steps/team.js';
import type { ModelAnswer, ModelSwitch, NotifyAnswer } from './steps/turn.js';
import type { ConfigAnswer, WorktreeAnswer } from './steps/workspace.js';
import type { BatchResult } from './tool/batch.js';
import type { ToolCall, ToolResult } from './tool/call.js';

/**
 * ```ts
 * await using session = await host.openSession({ model: 'my-model' });
 * const prompt = await session.prompt('Fix the tests.'); // no model is called if prompt.endsLoop
 * // for every message of the model with tool calls:
 * const { results, endsLoop } = await session.toolBatch([{ name: 'Bash', id, input, execute: ({ command }) => run(String(command)) }]);
 * // and when it has none:
 * const { continues, instruction } = await session.stop({ lastMessage });
 * ```
 *
 * One run of an agent, main thread or subagent, from its start event to its end. The harness calls it at every step of its loop. The session
 * fires the events in order, merges the hooks' answers, and returns plain results. It has no model and no UI.
 *
 * On a closed session `stop`, `interrupt`, `close`, `systemPrompt` and `pendingContext` do nothing, and every other call fails with
 * SESSION_CLOSED. A call that is cut short (by `interrupt`, the session's signal, a close) returns an answer that says so: interrupted
 * or blocked. Calls without such an answer reject with ABORTED or CLOSED. A missing answer is never permission.
 */
export interface Session<C extends CustomEvents = NoEvents> extends AsyncDisposable {
  /** The agent's id; on the main thread, the session's. */
  readonly id: string;
  readonly session_id: string;
  /** Absent on the main thread. */
  readonly agent_id: string | undefined;
  readonly agent_type: string | undefined;
  /** The id of the current prompt; absent before the first. */
  readonly prompt_id: string | undefined;
  readonly cwd: string;
  readonly directories: readonly string[];
  readonly model: string | undefined;
  /** The name that the harness or a hook gave it. */
  readonly title: string | undefined;
  /** The first prompt, if SessionStart hooks want one. */
  readonly initialUserMessage: string | undefined;
  /** The paths that `watch` and hooks asked to watch. */
  readonly watchPaths: readonly string[];
  /** Whether `close` was called, or the agent has ended. Where its signal has aborted or the host has closed, nothing more runs in it, but it is open until then. */
  readonly closed: boolean;
  /** May be set at any time. An agent without its own mode has its parent's, and setting it sets the parent's. Throws INVALID_OPTIONS for an unknown mode. */
  permission_mode: PermissionMode;
  /** The decision on the start event. */
  readonly started: Decision<'SessionStart'> | Decision<'SubagentStart'>;

  /** Adds hooks for this session or agent only; they end with it. Throws INVALID_HOOKS. */
  register(hooks: Hooks<C>, options?: RegisterOptions): Undo;
  /** Adds one hook for this session or agent only. Throws INVALID_HOOKS, INVALID_OPTIONS. */
  on: Registers<C>['on'];
  /** Applies a plugin to this session or agent only; its cleanup ends before `close` resolves. Rejects with INVALID_PLUGIN, PLUGIN_FAILED. */
  use: Registers<C>['use'];
  /** Fires any event as this session, with its own fields filled in. The caller acts on the decision. */
  fire<E extends EventName<C>>(event: E, input: FireInput<E, C>): Promise<Decision<E, C>>;

  /** Begins a turn: fires UserPromptSubmit and, for a command, UserPromptExpansion. */
  prompt(text: string, options?: PromptOptions): Promise<PromptAnswer>;
  /** The system prompt of the next model call: the base, a blank line and the waiting context of hooks, which is taken out by this. */
  systemPrompt(base: string): string;
  /** A copy of the context that waits for the next system prompt. */
  pendingContext(): string[];
  /**
   * Runs one tool call: PreToolUse, the harness's rules, PermissionRequest and the user if needed, the tool itself, and PostToolUse or
   * PostToolUseFailure. Errors of hooks, rules, the user's answer or the tool are in the result; they never make it reject.
   */
  tool<Input = Record<string, unknown>, Output = unknown>(call: ToolCall<Input, Output>): Promise<ToolResult>;
  /** Runs the calls of one model turn, then fires PostToolBatch. Adjacent `concurrent` calls run in parallel, all others one by one. */
  toolBatch(calls: readonly ToolCall[]): Promise<BatchResult>;
  /**
   * Fires PostToolBatch for a framework that runs the calls of a model turn itself, each by `tool()`; call it when all are done.
   * `results` are in the order of the calls. Rejects with INVALID_OPTIONS.
   */
  endBatch(calls: readonly ToolCall[], results: readonly ToolResult[]): Promise<BatchResult>;
  /**
   * Call it when the model has nothing more to do: fires Stop (for an agent, SubagentStop) or StopFailure. Hooks may continue the loop, up to
   * `maxStopContinuations` times in a row. After an interruption, or when a hook ended the loop, it fires nothing. An agent that may stop is closed.
   */
  stop(options?: StopOptions): Promise<StopAnswer>;
  /** Opens a child session for a subagent. Its scope is opened before SubagentStart, and ends after the last SubagentStop or, without one, after an interruption. */
  spawn(options: SpawnOptions<C>): Promise<Session<C>>;
  /** Compacts: PreCompact, `run`, SessionStart (source `compact`), PostCompact. */
  compact(options: CompactOptions): Promise<CompactAnswer>;

  /** Fires Notification; the answer says whether to show it. */
  notify(notification: OwnFields<'Notification'>): Promise<NotifyAnswer>;
  /** Fires PreModelSwitch and, unless it is refused, PostModelSwitch. `model` changes between the two. */
  switchModel(to: ModelSwitch): Promise<ModelAnswer>;
  readonly task: {
    /** Fires TaskCreated; the answer says whether the task is created. */
    create(task: OwnFields<'TaskCreated'>): Promise<TaskAnswer>;
    /** Fires TaskCompleted; the answer says whether the task counts as completed. */
    complete(task: OwnFields<'TaskCompleted'>): Promise<TaskAnswer>;
  };
  readonly teammate: {
    /** Fires TeammateIdle; the answer says whether the teammate continues to work. */
    idle(teammate: OwnFields<'TeammateIdle'>): Promise<IdleAnswer>;
  };
  /** Fires Elicitation; if no hook answers, asks the user, and fires ElicitationResult. */
  elicit(question: ElicitOptions): Promise<ElicitAnswer & { readonly by: 'hook' | 'person' | 'nobody' }>;
  /** Fires CwdChanged. Its hooks and later events have the new directory. */
  changeCwd(directory: string): Promise<void>;
  /** Fires DirectoryAdded. `source`: `slash_command` (default), `register_repo_root` or another. */
  addDirectory(directory: string, source?: string): Promise<void>;
  readonly worktree: {
    /** Fires WorktreeCreate. The worktree is made by a hook, or else by `make`; without either there is none. */
    create(name: string, make?: (name: string) => string | Promise<string>): Promise<WorktreeAnswer>;
    /** Fires WorktreeRemove. */
    remove(path: string): Promise<void>;
  };
  /** Fires MessageDisplay; returns the text to show in place of `delta`. */
  display(piece: OwnFields<'MessageDisplay'>): Promise<string>;
  /** Fires ConfigChange; the answer says whether to apply the change. */
  configChanged(change: OwnFields<'ConfigChange'>): Promise<ConfigAnswer>;
  /** Fires InstructionsLoaded. */
  instructionsLoaded(file: OwnFields<'InstructionsLoaded'>): Promise<void>;
  /** Watches files and directories; each file added, changed or removed fires FileChanged. Resolves when they are watched. */
  watch(paths: readonly string[]): Promise<void>;

  /**
   * Ends what runs in this session and its agents, and waits for that: a running tool ends with PostToolUseFailure (`is_interrupt`), and
   * a call that is still being judged does not run. Fires no Stop. Nothing more runs until the next prompt. Hooks of calls that have run are
   * heard to their end, at most until their timeout.
   */
  interrupt(): Promise<void>;
  /**
   * Ends the session: its agents first, then what still runs, then SessionEnd (default reason `other`). For an agent, SubagentStop is
   * fired first, but hooks cannot make it continue, and then its own agents are closed. It is not fired if the agent has stopped, if its loop is over (interrupted, or ended by a
   * hook or a deferred call), or while a call of it runs or is judged, which this interrupts. Hooks of calls that have run are waited for until their timeout, and
   * at most `endTimeout` seconds (an agent: a minute). A second call returns the same answer.
   */
  close(reason?: string): Promise<Closed>;
}
