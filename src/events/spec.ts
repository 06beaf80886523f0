import type { z } from 'zod';
import type { HandlerKind } from './handler-kinds.js';

/** How outcomes become the decision of an event. */
export type Fold = 'gate' | 'block' | 'stop' | 'context' | 'replace' | 'observe';
/** Kinds whose hooks can stop what they are asked about. */
export const VERDICT_FOLDS: readonly Fold[] = ['gate', 'block', 'stop'];
/** How a source is interpreted: `code` (register, plugins, config files) or `claude` (Claude Code's own files and protocol). */
export type Dialect = 'code' | 'claude';
/** From weak to strong: the stronger wins, whatever the order. */
export const VERDICTS = ['none', 'allow', 'ask', 'defer', 'deny'] as const;
/** The possible verdicts of a gate. `none`: no hook had an opinion, and the harness's own permission flow decides. */
export type Verdict = (typeof VERDICTS)[number];

/** The words that fields of an event may hold; `EventSpec` says what they mean. */
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
type Word<Field extends keyof typeof EVENT_WORDS> = (typeof EVENT_WORDS)[Field][number];

/** The effect of exit code 2 of a shell hook: block the action, feed stderr back to the model, show it to the user, or nothing. */
export type Exit2 = Word<'exit2'>;
export type PlainStdout = Word<'plainStdout'>;
/** The event's part in whether a tool runs, and with which input: it judges the call, answers for the user, or shows that it has run. */
export type CallRole = Word<'callRole'>;

/** The text that matchers are compared with; null: it could not be computed, so that every hook runs. */
export type Subject = string | null | undefined;

/** One event of the catalogue: everything the host needs to know about it, as data. */
export interface EventSpec<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  F extends Fold = Fold,
> {
  readonly name: string;
  /** Loose: a field we do not know passes through untouched. Holds the base fields too. */
  readonly input: Input;
  /** The event's own keys of `hookSpecificOutput`, without `hookEventName`. */
  readonly output: Output;
  /** The text that matchers are compared with; absent: matchers are ignored on this event. */
  subject?(input: z.infer<Input>): Subject;
  /** In Claude Code files only letters, digits, `_` and `|` make a matcher a list of exact names here (FileChanged, StopFailure). */
  readonly narrowNames?: true;
  /** The subject in words, for docs: `tool_name`, `basename of file_path`. */
  readonly subjectField?: string;
  readonly fold: F;
  readonly exit2: Exit2;
  readonly plainStdout: PlainStdout;
  /** Plain text is what the event asks for, so that an MCP tool's is an answer also where its failures block (PreCompact). */
  readonly plainAnswer?: true;
  /** Whether a hook's `continue: false` ends the agent's loop here. */
  readonly endsLoop: boolean;
  /** `if` rules are checked on tool events only. */
  readonly tool: boolean;
  /** What the event says about its call; used to compare decisions with what was done. */
  readonly callRole?: CallRole;
  /** Handler types other than in-process callbacks that may serve it. */
  readonly types: readonly HandlerKind[];
  /** Default timeout in Claude Code files, seconds, where the event has its own; `max` caps a configured one. */
  readonly timeout?: { readonly claude: number; readonly max?: number };
  /** The input field a hook may rewrite, and the output keys that carry the new value; the first present wins. */
  readonly rewrites?: {
    readonly field: string;
    readonly keys: readonly string[];
    /** Keys that count only when the tool is an MCP tool. */
    readonly mcpKeys?: readonly string[];
    /** Claude Code takes a new value only in the shape of the old one; but of an MCP tool any. */
    readonly shaped?: true;
    /** Claude Code does not know the key, and keeps the old value. */
    readonly unknownToClaude?: true;
  };
  /** `replace` events: the output keys that make up the value. One key: its value; several: an object of them. */
  readonly value?: readonly string[];
  /** On `replace` events: the value that a block means (declining an elicitation). */
  readonly blockValue?: Readonly<Record<string, unknown>>;
  /** The possible effect of a handler's failure: it follows `onFailure`, ignores it, or always fails the action. */
  readonly failure: Word<'failure'>;
  /** Whether `onFailure: 'ask'` asks; after the action, when the user can no longer be asked, the failure is ignored. */
  readonly askOnFailure: boolean;
  /** The verdict is the object `hookSpecificOutput.decision`; the flat and legacy spellings are not read. */
  readonly nestedDecision?: boolean;
  /** `continue: false` interrupts the loop. */
  readonly interrupts?: boolean;
  /** This event opens or closes the scope of the agent it names. */
  readonly scope?: Word<'scope'>;
  /** The event that this one means in an agent's own registrations (Stop means SubagentStop). */
  readonly inAgentScope?: string;
  /** A block has no effect for these subjects (ConfigChange: policy_settings). */
  readonly unblockable?: readonly string[];
  /** `hook_name` on the wire carries the subject, `PreToolUse:Bash` (but plain `SubagentStop`). */
  readonly namedBySubject: boolean;
  /**
   * It fires after the fact. Fields that cannot be serialised are withheld from hooks outside the process (and, for the field that
   * hooks may rewrite, from the model), and the loop continues. Absent: such a fire is refused, so that nothing passes unjudged.
   */
  readonly afterTheFact?: true;
  /** What `suppressOutput` hides here, as text; absent: nothing. */
  readonly hides?: string;
  /** How Claude Code treats callbacks for this event over its control protocol, if unusually. */
  readonly claude?: {
    /**
     * It never calls them, or not for the start of the first session and the end of the last (`later`), or only if its own
     * settings have a hook for CwdChanged or FileChanged, or hooks have named paths to watch (`watching`). `unknown`: it has no
     * such event, so it is not told about it, and `check` reports hooks for it in Claude Code's files.
     */
    readonly sent?: Word<'sent'>;
    /** A callback that answers late, or about another event, blocks whatever `onFailure` says. */
    readonly unanswered?: 'blocks';
    /** Once one is registered, the action fails without an answer, so a callback may be registered only if there is a hook. */
    readonly answerNeeded?: true;
    /** Fired with every prompt, before anything else in the turn: waiting context is sent with the answer. */
    readonly beginsTurn?: true;
    /** It begins or ends a session. */
    readonly bounds?: Word<'bounds'>;
    /** The result's `terminal_reason` if a main-thread hook has ended the turn here by `continue: false`. */
    readonly stopped?: Word<'stopped'>;
    /** The same call is also put to the user at this time (`can_use_tool`). */
    readonly askedTwice?: true;
    /** Its hooks are given a file for variables of later Bash calls (`CLAUDE_ENV_FILE`). */
    readonly envFile?: true;
  };
  /** It happens within a turn: a session driver sends `permission_mode` (and `effort`) along with it. */
  readonly inTurn?: true;
  readonly group: Word<'group'>;
  /** Two sentences for people: when it fires, what a hook can do. */
  readonly about: string;
  /** Its own fields as Claude Code sends them, with short values: what `hookscope/testing` hands to hooks where a test names no input. */
  sample?(): Readonly<Record<string, unknown>>;
  /** One of the fifteen classic events, which come first in `HOOK_EVENTS`. */
  readonly classic: boolean;
}

/** An event without its name: the name is the key it is put under, in the catalogue or in `createHost({ events })`. */
export type EventDefinition<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  F extends Fold = Fold,
> = Omit<EventSpec<Input, Output, F>, 'name'>;
