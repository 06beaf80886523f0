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
 * One agent's run, main thread or subagent, from its start event to its end. The harness calls it at every step of its loop; it
 * fires the events in their order, folds what hooks say, and hands back plain answers. It knows no model and no UI.
 *
 * On a closed session `stop`, `interrupt`, `close`, `systemPrompt` and `pendingContext` do nothing, and every other call fails with
 * SESSION_CLOSED. A call that is cut short (by `interrupt`, the session's signal, a close) says so in its answer: interrupted,
 * or blocked; calls that have no such answer reject with ABORTED or CLOSED. No answer is ever permission.
 */
export interface Session<C extends CustomEvents = NoEvents> extends AsyncDisposable {
  /** An agent's id; of the main thread the session's. */
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
  readonly closed: boolean;
  /** May be set at any time. An agent without its own mode has its parent's, and sets that. Throws INVALID_OPTIONS for a mode that does not exist. */
  permission_mode: PermissionMode;
  /** The decision of the event it began with. */
  readonly started: Decision<'SessionStart'> | Decision<'SubagentStart'>;

  /** Adds hooks of this session or agent alone; they end with it. Throws INVALID_HOOKS. */
  register(hooks: Hooks<C>, options?: RegisterOptions): Undo;
  /** Adds one hook of this session or agent alone. Throws INVALID_HOOKS, INVALID_OPTIONS. */
  on: Registers<C>['on'];
  /** Applies a plugin to this session or agent alone; it cleans up before `close` resolves. Rejects with INVALID_PLUGIN, PLUGIN_FAILED. */
  use: Registers<C>['use'];
  /** Fires any event as this session, with its own fields filled in. The caller acts on the decision. */
  fire<E extends EventName<C>>(event: E, input: FireInput<E, C>): Promise<Decision<E, C>>;

  /** Begins a turn: UserPromptSubmit, and for a command UserPromptExpansion. */
  prompt(text: string, options?: PromptOptions): Promise<PromptAnswer>;
  /** The system prompt of the next model call: the base, a blank line, and what hooks want the model to know, which is then gone. */
  systemPrompt(base: string): string;
  /** Context that waits for the next system prompt; a copy. */
  pendingContext(): string[];
  /**
   * One tool call: PreToolUse, the harness's rules, where needed PermissionRequest and the user, the tool itself, and
   * PostToolUse or PostToolUseFailure. What hooks, rules, the user or the tool do never makes it reject: it is in the result.
   */
  tool<Input = Record<string, unknown>, Output = unknown>(call: ToolCall<Input, Output>): Promise<ToolResult>;
  /** The calls of one model turn, then PostToolBatch. Adjacent `concurrent` calls run in parallel, all others one by one. */
  toolBatch(calls: readonly ToolCall[]): Promise<BatchResult>;
  /**
   * For a framework that runs the calls of a model turn itself, each by `tool()`: PostToolBatch, once all are done. `results`
   * are theirs, in the order of the calls. Rejects with INVALID_OPTIONS.
   */
  endBatch(calls: readonly ToolCall[], results: readonly ToolResult[]): Promise<BatchResult>;
  /**
   * The model has nothing more to do: Stop (an agent's SubagentStop), or StopFailure. Hooks may keep the loop going, but only so
   * often in a row. After an interruption, or when a hook has ended the loop, it fires nothing. An agent that may stop is closed by it.
   */
  stop(options?: StopOptions): Promise<StopAnswer>;
  /** A child session for a subagent, with its own scope from before its SubagentStart to its end: after its last SubagentStop, or after an interruption, which fires none. */
  spawn(options: SpawnOptions<C>): Promise<Session<C>>;
  /** PreCompact, `run`, SessionStart (source `compact`), PostCompact. */
  compact(options: CompactOptions): Promise<CompactAnswer>;

  /** Notification: whether to show it. */
  notify(notification: OwnFields<'Notification'>): Promise<NotifyAnswer>;
  /** PreModelSwitch, and where that is not refused PostModelSwitch. `model` changes between the two. */
  switchModel(to: ModelSwitch): Promise<ModelAnswer>;
  readonly task: {
    /** TaskCreated: whether it is created. */
    create(task: OwnFields<'TaskCreated'>): Promise<TaskAnswer>;
    /** TaskCompleted: whether it counts as completed. */
    complete(task: OwnFields<'TaskCompleted'>): Promise<TaskAnswer>;
  };
  readonly teammate: {
    /** TeammateIdle: whether it continues working. */
    idle(teammate: OwnFields<'TeammateIdle'>): Promise<IdleAnswer>;
  };
  /** Elicitation; where no hook answers, the user, then ElicitationResult. */
  elicit(question: ElicitOptions): Promise<ElicitAnswer & { readonly by: 'hook' | 'person' | 'nobody' }>;
  /** CwdChanged; hooks and later events have the new directory. */
  changeCwd(directory: string): Promise<void>;
  /** DirectoryAdded. `source` is `slash_command` (default), `register_repo_root` or another. */
  addDirectory(directory: string, source?: string): Promise<void>;
  readonly worktree: {
    /** WorktreeCreate: where a hook made it, else where `make` did; without either there is none. */
    create(name: string, make?: (name: string) => string | Promise<string>): Promise<WorktreeAnswer>;
    /** WorktreeRemove. */
    remove(path: string): Promise<void>;
  };
  /** MessageDisplay: the text to show in place of `delta`. */
  display(piece: OwnFields<'MessageDisplay'>): Promise<string>;
  /** ConfigChange: whether the change is to be applied. */
  configChanged(change: OwnFields<'ConfigChange'>): Promise<ConfigAnswer>;
  /** InstructionsLoaded. */
  instructionsLoaded(file: OwnFields<'InstructionsLoaded'>): Promise<void>;
  /** Watches files and directories; each file added, changed or removed is a FileChanged. Resolves when they are watched. */
  watch(paths: readonly string[]): Promise<void>;

  /**
   * Ends what runs in this session and its agents, and waits for it: a running tool is a PostToolUseFailure with `is_interrupt`,
   * a call that was still being judged does not run. Fires no Stop. Nothing more runs until the next prompt.
   */
  interrupt(): Promise<void>;
  /**
   * Ends the session: its agents first, then what still runs, then SessionEnd (default reason `other`); for an agent: SubagentStop, if
   * it was not stopped before, and hooks cannot continue it. A second call gives the same answer.
   */
  close(reason?: string): Promise<Closed>;
}
