import type { z } from 'zod';

/** What the outcomes of an event become (EVENTS.md, "Fold kinds"). */
export type Fold = 'gate' | 'block' | 'stop' | 'context' | 'replace' | 'observe';
/** What exit code 2 of a shell hook means: block the thing, feed stderr back to the model, show the user, or nothing. */
export type Exit2 = 'block' | 'feedback' | 'user' | 'ignore';
export type PlainStdout = 'context' | 'value' | 'none';
export type HandlerKind = 'callback' | 'command' | 'http' | 'mcp_tool' | 'prompt' | 'agent';
/** How a source is read: `code` (register, plugins, config files) or `claude` (Claude Code's own files and protocol). */
export type Dialect = 'code' | 'claude';
export type Verdict = 'none' | 'allow' | 'ask' | 'defer' | 'deny';

/** One event of the catalogue: everything the host needs to know about it, as data. */
export interface EventEntry<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** Loose: a field we do not know passes through untouched. Holds the base fields too. */
  readonly input: Input;
  /** The event's own keys of `hookSpecificOutput`, without `hookEventName`. Loose. */
  readonly output: Output;
  /** What a matcher looks at; absent: matchers are ignored on this event. */
  readonly subject?: (input: z.infer<Input>) => string | undefined;
  /** The subject in words, for docs: `tool_name`, `basename of file_path`. */
  readonly subjectField?: string;
  readonly fold: Fold;
  readonly exit2: Exit2;
  readonly plainStdout: PlainStdout;
  /** Whether a hook's `continue: false` ends the agent's loop here. */
  readonly endsLoop: boolean;
  /** `if` rules are checked on tool events only. */
  readonly tool: boolean;
  /** Handler types other than in-process callbacks that may serve it. */
  readonly types: readonly HandlerKind[];
  /** Default timeout in Claude Code files, seconds, where the event has its own; `max` caps a configured one. */
  readonly timeout?: { readonly claude: number; readonly max?: number };
  /** The input field a hook may rewrite, and which output keys carry the new value (first present wins). */
  readonly rewrites?: { readonly field: string; readonly keys: readonly string[] };
  /** `replace` events: the output keys that make up the value. One key: its value; several: an object of them. */
  readonly value?: readonly string[];
  /** What a handler's failure may do: follow `onFailure`, be ignored by it, or fail the thing whatever the policy. */
  readonly failure: 'policy' | 'ignored' | 'fails';
  /** The `onFailure: 'ask'` and `'block'` readings where they differ from the fold's own (PermissionRequest: ask is none). */
  readonly askOnFailure?: boolean;
  /** The nested answer of PermissionRequest: `hookSpecificOutput.decision` instead of the flat and legacy spellings. */
  readonly nestedDecision?: boolean;
  /** `continue: false` interrupts (PermissionRequest). */
  readonly interrupts?: boolean;
  /** This event opens or closes the scope of the agent it names. */
  readonly scope?: 'open' | 'close';
  /** In an agent's own registrations this event means that one (Stop means SubagentStop). */
  readonly inAgentScope?: string;
  /** A block has no effect for these subjects (ConfigChange: policy_settings). */
  readonly unblockable?: readonly string[];
  /** `hook_name` on the wire carries the subject, `PreToolUse:Bash` (but plain `SubagentStop`). */
  readonly namedBySubject: boolean;
  /** `continue: false` is honoured as blocking too, or a stop event's `additionalContext` keeps the loop going, by fold; see fold.ts. */
  readonly group: 'session' | 'prompt' | 'tool' | 'turn' | 'agent' | 'workspace' | 'elicitation' | 'custom';
  /** Two sentences for people: when it fires, what a hook can do. */
  readonly about: string;
  /** One of the fifteen every design names. */
  readonly classic: boolean;
}
