import type { Fold } from '../events/spec.js';
import type { Json } from '../values/shape.js';
import type { Running } from './running.js';
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

/** One field of a payload, both ways. Paths have dots; what is not listed passes under its own name. */
export interface Field {
  readonly theirs: string;
  readonly ours: string;
  /** `ms`: milliseconds since 1970, here ISO 8601. `json`: there it is JSON in a string. `maybe-json`: as it is, or JSON in a string. */
  readonly unit?: 'ms' | 'json' | 'maybe-json';
  /** Other words for the same, theirs to ours. */
  readonly values?: Readonly<Record<string, string>>;
}

/** A field of ours that the agent does not send. */
export interface Fill {
  readonly value?: unknown;
  /** The field of ours that has its value. */
  readonly from?: string;
  /** That field is a count: whether it is more than none. */
  readonly counted?: true;
  /** What is unknown where no field has it. */
  readonly loses?: string;
}

/** A tool of the agent, by the name that Claude Code has for it. */
export interface Tool {
  readonly ours: string;
  /** More tools of Claude Code, which this agent has no others for: its own hooks get their calls as calls of this one. With the fields of their input, theirs to ours. */
  readonly also?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Fields of its input, theirs to ours. Theirs is the one that the tool reads, whatever else a call has. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Other keys that it may read for one of ours, where that is not known: if a call has several, rules look at each. */
  readonly either?: Readonly<Record<string, readonly string[]>>;
  /** It may be another tool, whose keys may be patterns or patches. */
  readonly perhaps?: true;
  /** Names of ours that mean nothing where the call has another key. */
  readonly instead?: Readonly<Record<string, string>>;
  /** This field of its input is a patch: of one file, its path is `file_path`. */
  readonly patch?: string;
  /** This field of its input is a line of a shell in which the agent applies patches: such a line is an edit too. */
  readonly shellPatch?: string;
  /** This field of its input is a list of paths or patterns: of one path, it is `file_path`. */
  readonly files?: string;
  /** It types a field of its input into a shell that is running: the text is the `command`. */
  readonly typed?: Typed;
  /** Claude Code's name of it where the agent itself translates names: hooks may mean it by that too. */
  readonly meant?: string;
  /** A call of ours is never one of this tool, only the other way round. */
  readonly oneWay?: true;
  /** Whether the name was observed, or only documented. */
  readonly source?: 'documents';
}

/** Text with the names of keys in it. */
export interface Typed {
  readonly field: string;
  /** The end of a line. */
  readonly enter: string;
  /** Keys that change what is already there. */
  readonly others: readonly string[];
}

/** How an agent names the tools of MCP servers. */
export interface McpNames {
  /** Its own names, with `{server}` and `{tool}`. The first form that fits counts; by a call of ours its hooks may mean any. */
  readonly names: readonly string[];
  /** Where the payload has both, whatever the name is: paths with dots. */
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
  /** Path of a field that the payload must have, for this row to be meant. */
  readonly when?: string;
  /** The payload field that names the event, with its value; absent: the agent's usual field. null: there is none. */
  readonly named?: readonly [field: string, value: string] | null;
  /** Fields of this event, before those of the agent. */
  readonly fields?: readonly Field[];
  readonly fills?: Readonly<Record<string, Fill>>;
  readonly says: Readonly<Partial<Record<Sayable, Says>>>;
  /** It fires also when nothing of the kind happens. */
  readonly maybe?: string;
  /** Matchers are compared with the agent's own names of its tools alone. */
  readonly matches?: 'own';
  /** How it names the tools of MCP servers here, if not as usual. */
  readonly mcp?: readonly string[];
  /** What it tells another row tells too: a second name for the same event, or a narrower event beside it. `connect` does not use it. */
  readonly second?: true;
  /** Seconds that the agent gives a hook on this event, if not its usual limit; `most`: the upper bound, whatever is configured. */
  readonly timeout?: { readonly usual?: number; readonly most?: number };
  /** For an agent that was observed: this event was not. */
  readonly source?: 'documents';
}

/** An agent's event that we do not have. */
export interface OwnEvent {
  readonly fold: Extract<Fold, 'replace' | 'observe'>;
  /** The fields that say what it is about; a payload without them is refused. */
  readonly needs?: Readonly<Record<string, 'text' | 'object'>>;
  /** The keys of `hookSpecificOutput` that make its value. */
  readonly value?: readonly string[];
  readonly about: string;
}

/** A place where an agent reads hooks. `~` is the user's home; a `$NAME` before it is a variable that overrides it. */
export interface Place {
  readonly path: string;
  readonly for: 'policy' | 'system' | 'user' | 'project' | 'plugin';
  readonly format?: 'json' | 'toml';
  /** It is another agent's file, read by this one too. */
  readonly of?: string;
}

/** An agent's hook files: their structure, their units, and what must happen before their hooks run. */
export interface AgentFiles {
  readonly places: readonly Place[];
  /** `groups`: { Event: [{ matcher, hooks: [handler] }] }; `flat`: { event: [handler] }. */
  readonly shape: 'groups' | 'flat';
  /** Other allowed keys besides `hooks` at the root of a file that holds only hooks. `others`: the effect of any other key. */
  readonly root: { readonly keys: readonly string[]; readonly others: 'void' | 'ignored' };
  /** The number that `version` must be; absent: the file has no such key. */
  readonly version?: number;
  /** Types of handlers that run. */
  readonly handlers: readonly string[];
  /** Keys of a handler, and of a group. */
  readonly keys: readonly string[];
  /** Keys that are true or false; those that a handler does not have are its group's. */
  readonly flags?: readonly string[];
  /** The flag by which a hook that fails stops what it guards. */
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
  /** The value then. For a list: an element of it. */
  readonly is: string | boolean;
  /** `user`, `project`: the file that is connected; else a path in the project, or from the root. */
  readonly in: readonly string[];
}

/** What is not plain JSON: a comment, a trailing comma, a byte order mark. */
export type Reads = 'comments' | 'commas' | 'mark';

/** How our hooks are added to an agent's files. */
export interface AgentConnect {
  /** If the agent reads a folder of files, the one that is ours. The variable replaces `home`. */
  readonly user: { readonly home: string; readonly variable?: string; readonly path: string };
  /** `repository`: from the root of the repository that the folder is in, if it is in one. */
  readonly project: { readonly path: string; readonly from?: 'repository' };
  /** Keys of each handler, besides its command and timeout. */
  readonly handler: Json;
  /** Additional keys of a handler on events that support one of these parts. */
  readonly guard?: { readonly on: readonly Sayable[]; readonly keys: Json };
  /** What it accepts in a file besides plain JSON; anything else makes the file void. Absent: not tested. */
  readonly reads?: readonly Reads[];
  /** Users have such files anyway: the file is connected unchanged, and the user is told that it is void. Absent: it is not connected. */
  readonly void?: 'told';
  readonly off?: readonly OffSwitch[];
  /** The folder in `user.home` with a `.jsonl` file for each session, named as in its payloads. Absent: unknown. */
  readonly sessions?: string;
}

/** How an agent treats hooks that are late, broken or unclear. */
export interface AgentLimits {
  /** Seconds that a hook has. */
  readonly timeout: number;
  /** The recorded ways to say no, and the broken guards, after which the tool still runs; undefined: not tested. */
  readonly opens?: readonly string[];
  /** How many objects and lists within one another an answer may have: one with more is not read. */
  readonly levels?: number;
  /** How many times in a row a loop can be continued. */
  readonly continues?: number;
  /** What it does not ask hooks about, or does not tell them. */
  readonly blind?: readonly string[];
}

/** All that is known of an agent's hook protocol, as data: `codecOf` makes its codec. */
export interface AgentTable {
  readonly name: string;
  readonly title: string;
  /** `seen`: its answers were recorded from the program itself. `documents`: we have not run it. */
  readonly source: 'seen' | 'documents';
  readonly version: string;
  /** The fields that name the event, in which the first that is there counts. */
  readonly eventFields: readonly string[];
  readonly events: readonly EventRow[];
  readonly fields: readonly Field[];
  /** Fields that every event has. */
  readonly fills: Readonly<Record<string, Fill>>;
  /** Variables of a hook's environment that hold what the payload lacks, by our field. */
  readonly env: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, Tool>>;
  /** Absent: as Claude Code does. */
  readonly mcp?: McpNames;
  /** Calls have no id: ours are made of what is known of them. */
  readonly makesIds?: true;
  /** Inside a subagent `session_id` may be that agent's: the session is that of the parent. */
  readonly sessionOf?: string;
  /** The output if there is nothing to say. */
  readonly quiet: '' | '{}';
  /** The key of a rewritten output that holds its text. */
  readonly textKey?: string;
  readonly files: AgentFiles;
  readonly connect: AgentConnect;
  readonly limits: AgentLimits;
  /** How it runs its own hooks; absent: like ours. */
  readonly runs?: Running;
}
