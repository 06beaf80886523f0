import type { Fold } from '../events/spec.js';
import type { Json } from '../values/shape.js';
import type { HookRuntime } from './running.js';
import type { Sayable, Says } from './says.js';

export {
  type Instead,
  instead,
  type PlainText,
  SAYABLE,
  type Sayable,
  type Says,
  SILENT,
  type Silence,
  specific,
  type Unsaid,
  type Words,
  words,
} from './says.js';

/** A payload field and its counterpart in our input, as dotted paths. Fields that are not listed keep their names. */
export interface Field {
  readonly theirs: string;
  readonly ours: string;
  /** The agent's encoding. `ms`: milliseconds since 1970 (ours: ISO 8601). `json`: JSON in a string. `maybe-json`: a value, or JSON in a string. */
  readonly unit?: 'ms' | 'json' | 'maybe-json';
  /** Translations of the field's values, theirs to ours. */
  readonly values?: Readonly<Record<string, string>>;
}

/** A field of ours that the agent does not send. */
export interface Fill {
  readonly value?: unknown;
  /** The path in our input from which the value is taken. */
  readonly from?: string;
  /** The field `from` is a count; the value is whether it is greater than 0. */
  readonly counted?: true;
  /** The loss to report if `from` has no value. */
  readonly loses?: string;
}

/** How a tool of the agent corresponds to one of Claude Code's (`ours`). */
export interface ToolRow {
  readonly ours: string;
  /** More tools of Claude Code for which the agent has only this one: its hooks get their calls as calls of this tool. The values map input fields, theirs to ours. */
  readonly also?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Fields of its input, theirs to ours. If a call has both, the tool reads theirs. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Keys that it may read in place of one of ours, where it is not known which: if a call has several, rules look at each. */
  readonly either?: Readonly<Record<string, readonly string[]>>;
  /** The call may be of another tool, whose keys hold patterns or patches. */
  readonly perhaps?: true;
  /** Keys of ours that the tool ignores if the call has another key: ours to theirs. */
  readonly instead?: Readonly<Record<string, string>>;
  /** The input field that holds a patch. If the patch is of one file, `file_path` is set to it. */
  readonly patch?: string;
  /** The input field that holds a shell command. The agent applies patches in its shell, so such a command can be an edit too. */
  readonly shellPatch?: string;
  /** The input field that holds a list of paths or patterns. If it is one path, `file_path` is set to it. */
  readonly files?: string;
  /** The tool types text into a running shell; the text becomes the `command`. */
  readonly typed?: TypedText;
  /** Claude Code's name that the agent itself gives the tool in translated payloads; hooks may use that name too. */
  readonly meant?: string;
  /** Only calls of this tool are translated to ours; a call of ours is never presented as this tool. */
  readonly oneWay?: true;
  /** The name is only documented; absent: it was observed. */
  readonly source?: 'documents';
}

/** Text that is typed into a shell, with names of keys such as `{enter}` in it. */
export interface TypedText {
  readonly field: string;
  /** The name of the key that ends a line. */
  readonly enter: string;
  /** Names of keys that edit the line, so that the command is not known. */
  readonly others: readonly string[];
}

/** How an agent names the tools of MCP servers. */
export interface McpNames {
  /** Forms of its names, with `{server}` and `{tool}`. A name is read by the form that fits best; for a call of ours, matchers may use any form. */
  readonly names: readonly string[];
  /** Dotted paths of the payload fields that hold server and tool; they take precedence over the name. */
  readonly server?: string;
  readonly tool?: string;
  /** Whether the names were observed, or only documented. */
  readonly source: 'seen' | 'documents';
}

/** One event of an agent. */
export interface EventRow {
  /** Its own name, as its configuration has it. */
  readonly name: string;
  /** Our event; if we have none, the name of a custom event that `own` defines. */
  readonly ours: string;
  readonly own?: OwnEvent;
  /** Path of a field that the payload must have for this row to apply. */
  readonly when?: string;
  /** The payload field that names the event, with its value; absent: the agent's usual field; null: no field names it. */
  readonly named?: readonly [field: string, value: string] | null;
  /** Fields of this event; they take precedence over the agent's. */
  readonly fields?: readonly Field[];
  readonly fills?: Readonly<Record<string, Fill>>;
  readonly says: Readonly<Partial<Record<Sayable, Says>>>;
  /** The loss to report because the agent also fires this event when it does not mean ours. */
  readonly maybe?: string;
  /** Matchers are compared only with the agent's own tool names. */
  readonly matches?: 'own';
  /** The forms of MCP tool names on this event, if they differ from the agent's usual ones. */
  readonly mcp?: readonly string[];
  /** Another row reports the same: this is a second name for its event, or a narrower event. `connect` leaves it out. */
  readonly second?: true;
  /** Seconds that the agent gives a hook on this event, if not its usual limit; `most`: the upper bound, whatever is configured. */
  readonly timeout?: { readonly usual?: number; readonly most?: number };
  /** This event is only documented, though the agent was observed. */
  readonly source?: 'documents';
}

/** An agent's event that we do not have. */
export interface OwnEvent {
  readonly fold: Extract<Fold, 'replace' | 'observe'>;
  /** Required fields with their types; a payload without them is refused. */
  readonly needs?: Readonly<Record<string, 'text' | 'object'>>;
  /** The keys of `hookSpecificOutput` that hold the replacement value. */
  readonly value?: readonly string[];
  readonly about: string;
}

/** A place where an agent reads hooks. `~` is the user's home; a `$NAME` before it is a variable that overrides it. */
export interface Place {
  readonly path: string;
  readonly for: 'policy' | 'system' | 'user' | 'project' | 'plugin';
  readonly format?: 'json' | 'toml';
  /** The other agent whose file this is; this agent reads it too. */
  readonly of?: string;
}

/** An agent's hook files: their structure, their units, and what must happen before their hooks run. */
export interface AgentFiles {
  readonly places: readonly Place[];
  /** `groups`: `{ Event: [{ matcher, hooks: [handler] }] }`; `flat`: `{ event: [handler] }`. */
  readonly shape: 'groups' | 'flat';
  /** Other allowed keys besides `hooks` at the root of a file that holds only hooks. `others`: the effect of any other key. */
  readonly root: { readonly keys: readonly string[]; readonly others: 'void' | 'ignored' };
  /** The number that `version` must be; absent: the file has no such key. */
  readonly version?: number;
  /** The handler types that the agent runs. */
  readonly handlers: readonly string[];
  /** Keys of a handler, and of a group. */
  readonly keys: readonly string[];
  /** Keys with a boolean value; a handler without one inherits its group's. */
  readonly flags?: readonly string[];
  /** The flag that makes a failing hook block. */
  readonly closes?: string;
  readonly timeout: { readonly key: string; readonly unit: 's' | 'ms'; readonly usual: number };
  readonly matcher: string;
  readonly order: string;
  readonly trust: string;
}

/** A settings file that can keep our hooks from running. */
export interface OffSwitch {
  /** Path of the key, with dots. */
  readonly key: string;
  /** The value that switches hooks off. If the key holds a list, an element of it. */
  readonly is: string | boolean;
  /** `user`, `project`: the file of that place that `connect` writes; otherwise a path in the project, or an absolute one. */
  readonly in: readonly string[];
}

/** Extensions of JSON: comments, trailing commas, a byte order mark. */
export type JsonLeniency = 'comments' | 'commas' | 'mark';

/** Additional keys of a handler, by which a failure of it blocks, on events that support one of these parts. */
export interface AgentGuard {
  readonly on: readonly Sayable[];
  readonly keys: Json;
  /** The first version of this program that was seen to heed the keys; earlier ones were seen to ignore them. Absent: not known. */
  readonly since?: { readonly program: string; readonly version: string };
}

/** How our hooks are added to an agent's files. */
export interface AgentConnect {
  /** The user's file; if the agent reads a folder of files, the one that we write. The environment variable overrides `home`. */
  readonly user: { readonly home: string; readonly variable?: string; readonly path: string };
  /** The project's file. `repository`: relative to the root of the enclosing repository, if there is one. */
  readonly project: { readonly path: string; readonly from?: 'repository' };
  /** The keys of each handler besides its command and timeout, with their values. */
  readonly handler: Json;
  readonly guard?: AgentGuard;
  /** The extensions of JSON that the agent accepts; with any other, it drops the whole file. Absent: not tested. */
  readonly reads?: readonly JsonLeniency[];
  /** What to do with a file that the agent would drop. `told`: add our hooks all the same, and warn that it is void. Absent: leave it alone. */
  readonly void?: 'told';
  readonly off?: readonly OffSwitch[];
  /** The folder in `user.home` with a `.jsonl` file for each session, named as in its payloads. Absent: unknown. */
  readonly sessions?: string;
}

/** How an agent treats hooks that are late, broken or unclear. */
export interface AgentLimits {
  /** The default time limit of a hook, in seconds. */
  readonly timeout: number;
  /** The refusals and broken guards after which the tool was seen to run anyway; undefined: not tested. */
  readonly opens?: readonly string[];
  /** The deepest nesting of objects and lists that the agent reads in an answer. */
  readonly levels?: number;
  /** How many times in a row a loop can be continued. */
  readonly continues?: number;
  /** What its hooks are not asked about, or not told. */
  readonly blind?: readonly string[];
}

/** An agent's hook protocol as data; `codecOf` makes a codec of it. */
export interface AgentTable {
  readonly name: string;
  readonly title: string;
  /** `seen`: its answers were recorded from the program itself. `documents`: it was not run; all is from its documentation. */
  readonly source: 'seen' | 'documents';
  readonly version: string;
  /** The fields that can name the event; the first that is present counts. */
  readonly eventFields: readonly string[];
  readonly events: readonly EventRow[];
  readonly fields: readonly Field[];
  /** Fields that are filled in on every event. */
  readonly fills: Readonly<Record<string, Fill>>;
  /** Environment variables of a hook that hold what the payload lacks, by our field. */
  readonly env: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, ToolRow>>;
  /** Absent: it names MCP tools as Claude Code does. */
  readonly mcp?: McpNames;
  /** Its calls have no id, so `callId` makes one. */
  readonly makesIds?: true;
  /** Our field with the parent's session id, for agents whose subagents have a `session_id` of their own. */
  readonly sessionOf?: string;
  /** What the hook prints if the answer is empty. */
  readonly quiet: '' | '{}';
  /** The key of an output object that holds its text. */
  readonly textKey?: string;
  readonly files: AgentFiles;
  readonly connect: AgentConnect;
  readonly limits: AgentLimits;
  /** How it runs the hooks in its own files. Absent for Claude Code, whose files have a loader of their own. */
  readonly runs?: HookRuntime;
}
