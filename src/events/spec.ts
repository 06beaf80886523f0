import type { z } from 'zod';
import type { HandlerKind } from './handler-kinds.js';

/** How the outcomes of hooks are combined into the decision of an event. */
export type Fold = 'gate' | 'block' | 'stop' | 'context' | 'replace' | 'observe';
/** The fold kinds whose hooks can block the action. */
export const VERDICT_FOLDS: readonly Fold[] = ['gate', 'block', 'stop'];
/** How a source is interpreted: `code` (register, plugins, config files) or `claude` (Claude Code's own files and protocol). */
export type Dialect = 'code' | 'claude';
/** From weakest to strongest. The strongest verdict wins, in whatever order hooks answer. */
export const VERDICTS = ['none', 'allow', 'ask', 'defer', 'deny'] as const;
/** The possible verdicts of a gate. `none`: no hook had an opinion, and the harness's own permission flow decides. */
export type Verdict = (typeof VERDICTS)[number];

/** The allowed values of some fields of `EventSpec`, which says what they mean. */
export const EVENT_WORDS = {
  exit2: ['block', 'feedback', 'user', 'ignore'],
  plainStdout: ['context', 'value', 'none'],
  callRole: ['judges', 'answers', 'ran'],
  failure: ['policy', 'ignored', 'fails'],
  scope: ['open', 'close'],
  group: ['session', 'prompt', 'tool', 'turn', 'agent', 'workspace', 'elicitation', 'custom'],
  sent: ['never', 'later', 'watching', 'unknown'],
  bounds: ['start', 'end'],
  stopped: ['hook_stopped', 'stop_hook_prevented'],
} as const;
type EventWord<Field extends keyof typeof EVENT_WORDS> = (typeof EVENT_WORDS)[Field][number];

/** The effect of exit code 2 of a shell hook: block the action, feed stderr back to the model, show it to the user, or nothing. */
export type Exit2 = EventWord<'exit2'>;
export type PlainStdout = EventWord<'plainStdout'>;
/** The event's role in a tool call: it judges the call, answers for the user, or shows that the call has run. */
export type CallRole = EventWord<'callRole'>;

/** The text that matchers are compared with. If it is null, it could not be computed, and every hook runs. */
export type Subject = string | null | undefined;

/** One event of the catalogue: everything that the host needs to know about it, as data. */
export interface EventSpec<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  F extends Fold = Fold,
> {
  readonly name: string;
  /** A loose object: unknown fields pass through unchanged. Includes the base fields. */
  readonly input: Input;
  /** The event's own keys of `hookSpecificOutput`, without `hookEventName`. */
  readonly output: Output;
  /** The text that matchers are compared with; absent: matchers are ignored on this event. */
  subject?(input: z.infer<Input>): Subject;
  /** In Claude Code files, a matcher for this event is a list of exact names only if it consists of letters, digits, `_` and `|` (FileChanged, StopFailure). */
  readonly narrowNames?: true;
  /** The subject in words, for docs: `tool_name`, `basename of file_path`. */
  readonly subjectField?: string;
  readonly fold: F;
  readonly exit2: Exit2;
  readonly plainStdout: PlainStdout;
  /** The event expects plain text. So an MCP tool's plain text is an answer even where a failure would block (PreCompact). */
  readonly plainAnswer?: true;
  /** Whether `continue: false` from a hook ends the agent's loop. */
  readonly endsLoop: boolean;
  /** Whether this is a tool event; only on these are `if` rules checked. */
  readonly tool: boolean;
  /** The event's role in a tool call, by which decisions are compared with what was done. */
  readonly callRole?: CallRole;
  /** After it the tool call no longer runs, unless it was only interrupted: what hooks have asked about it is settled. */
  readonly endsCall?: true;
  /** The handler types, besides in-process callbacks, that the event allows. */
  readonly types: readonly HandlerKind[];
  /** The event's own default timeout for hooks in Claude Code files, in seconds. `max` limits a configured timeout. */
  readonly timeout?: { readonly claude: number; readonly max?: number };
  /** The input field that a hook may rewrite, and the output keys that carry the new value. The first key that is present wins. */
  readonly rewrites?: {
    readonly field: string;
    readonly keys: readonly string[];
    /** Additional keys that count only if the tool is an MCP tool. */
    readonly mcpKeys?: readonly string[];
    /** Claude Code accepts only a new value of the same shape as the old one, except for MCP tools. */
    readonly shaped?: true;
    /** Claude Code does not know the key and keeps the old value. */
    readonly unknownToClaude?: true;
  };
  /** On `replace` events: the output keys that make up the value. With one key it is that key's value, with several an object of them. */
  readonly value?: readonly string[];
  /** On `replace` events: the value that a block stands for, such as declining an elicitation. */
  readonly blockValue?: Readonly<Record<string, unknown>>;
  /** The effect of a handler's failure: it follows `onFailure`, is ignored, or always fails the action. */
  readonly failure: EventWord<'failure'>;
  /** Whether `onFailure: 'ask'` asks the user. False for events after the action, when it is too late to ask: there the failure is ignored. */
  readonly askOnFailure: boolean;
  /** The verdict is in the object `hookSpecificOutput.decision`. The flat and legacy spellings are ignored. */
  readonly nestedDecision?: boolean;
  /** `continue: false` interrupts the loop. */
  readonly interrupts?: boolean;
  /** This event opens or closes the scope of the agent it names. */
  readonly scope?: EventWord<'scope'>;
  /** The event that this one becomes among an agent's own registrations (Stop becomes SubagentStop). */
  readonly inAgentScope?: string;
  /** A block has no effect for these subjects (ConfigChange: policy_settings). */
  readonly unblockable?: readonly string[];
  /** `hook_name` on the wire carries the subject, `PreToolUse:Bash` (but plain `SubagentStop`). */
  readonly namedBySubject: boolean;
  /**
   * The event fires after the fact. Fields that cannot be serialised are withheld from hooks outside the process (and, if hooks may rewrite
   * the field, from the model), and the loop continues. If absent, a fire with such a field is refused, so that no action goes unchecked.
   */
  readonly afterTheFact?: true;
  /** What `suppressOutput` hides on this event, in words; absent if nothing. */
  readonly hides?: string;
  /** How Claude Code treats callbacks for this event over its control protocol, if unusually. */
  readonly claude?: {
    /**
     * Whether Claude Code calls them: never; not for the start of the first session and the end of the last (`later`); or only if its own
     * settings have a hook for CwdChanged or FileChanged, or hooks have named paths to watch (`watching`). `unknown`: Claude Code has no
     * such event, so no callback is registered with it, and `check` reports hooks for the event in Claude Code's files.
     */
    readonly sent?: EventWord<'sent'>;
    /** A callback that answers late, or for another event, blocks whatever `onFailure` says. */
    readonly unanswered?: 'blocks';
    /** Once a callback is registered, the action fails if it gives no answer. So one is registered only if there is a hook. */
    readonly answerNeeded?: true;
    /** Fired with every prompt, before anything else in the turn. Pending context is sent with the answer. */
    readonly beginsTurn?: true;
    /** Whether the event begins or ends a session. */
    readonly bounds?: EventWord<'bounds'>;
    /** The `terminal_reason` of the result if a main-thread hook on this event ended the turn with `continue: false`. */
    readonly stopped?: EventWord<'stopped'>;
    /** At the same time, Claude Code asks the user about the same call (`can_use_tool`). */
    readonly askedTwice?: true;
    /** Hooks get the path of a file to which they can write variables for later Bash calls (`CLAUDE_ENV_FILE`). */
    readonly envFile?: true;
  };
  /** The event happens within a turn, so a session driver adds `permission_mode` (and `effort`) to its input. */
  readonly inTurn?: true;
  readonly group: EventWord<'group'>;
  /** A description in two sentences: when the event fires, and what a hook can do. */
  readonly about: string;
  /** Example values of the event's own fields, as Claude Code sends them. `hookscope/testing` fires them if a test gives no input. */
  sample?(): Readonly<Record<string, unknown>>;
  /** Whether this is one of the fifteen classic events, which come first in `HOOK_EVENTS`. */
  readonly classic: boolean;
}

/** An event without its name, which is its key in the catalogue or in `createHost({ events })`. */
export type EventDefinition<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  F extends Fold = Fold,
> = Omit<EventSpec<Input, Output, F>, 'name'>;
