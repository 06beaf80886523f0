import type { Sayable, Words } from './says.js';

/** Words that an agent understands, and that `encode` never says. */
export interface Heard {
  readonly what: Sayable;
  readonly words: Words;
  /** The agent's names of the events on which it applies; absent: all. */
  readonly on?: readonly string[];
  /** Not if there is a value at this path. */
  readonly unless?: string;
}

/** An answer that the agent drops entirely, or something that it does for a hook and we cannot. */
export interface Refused {
  /** The answer says this … */
  readonly words: Words;
  /** … and there is no value at this path. */
  readonly unless?: string;
  readonly on?: readonly string[];
  readonly why: string;
}

/** How an agent interprets a hook's output. */
export interface Hearing {
  /** At which exit codes printed JSON is read. */
  readonly json: 'zero' | 'any';
  /** Events on which plain text is context. */
  readonly plain?: readonly string[];
  /** Exit codes that refuse. `text`: the source of the reason; absent: there is none. `needed`: without a reason nothing is refused. */
  readonly exit: {
    readonly from: number;
    readonly to: number;
    readonly on: 'gates' | 'all';
    readonly text?: 'stderr' | 'either';
    readonly needed?: true;
    /** A program that was killed refuses, too. */
    readonly killed?: true;
  };
  /** A refusal without a reason counts. */
  readonly bare: boolean;
  /** Fields there are, by event; any other voids the answer. Those of `hookSpecificOutput` begin with a dot. `*`: of all events. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly also?: readonly Heard[];
  readonly voids?: readonly Refused[];
  readonly beyond?: readonly Refused[];
}

/** What a matcher is compared with: the tool's name, a field (by our name), or a fixed word. */
export type Subject = 'tool' | { readonly field: string } | { readonly word: string };

/** How an agent interprets a matcher. */
export interface Matching {
  /** A matcher of word characters and "|" alone is a list of exact names. */
  readonly lists?: true;
  /** It must match the whole name. */
  readonly anchored?: true;
  /** A matcher that is not a valid regular expression never matches, or is a literal name. */
  readonly invalid: 'never' | 'literal';
  /** If the subject is not a tool, the matcher is a literal name. */
  readonly literal?: true;
  /** The subject of each event; an event that is not listed has no subject, so every matcher matches. */
  readonly subjects: Readonly<Record<string, Subject>>;
  /** Other names by which its own tools are found. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
}

/** How an agent runs the hooks in its own files, if that differs from ours. */
export interface Running {
  readonly hearing: Hearing;
  readonly matching: Matching;
  /** `parallel`: unless a group says `sequential`. */
  readonly order: 'parallel' | 'series';
  /** If several hooks rewrite, the last to finish wins. */
  readonly racing?: true;
  /** Where its files are, in the order in which their hooks run. */
  readonly places: readonly string[];
  /** Project files count from the repository's folder down to this one. */
  readonly fromRoot?: true;
  /** Keys of a handler that hold its command, the first that is there. `exec`: with `args`, and no shell. */
  readonly program: {
    readonly unix: readonly string[];
    readonly windows: readonly string[];
    /** The shell that runs the line: `user`: the user's own; absent: `/bin/sh`. By key, if they differ. */
    readonly shell?: Readonly<Record<string, string>>;
  };
  /** A prompt is a question to a model. Absent: it is something that only this agent can do. */
  readonly prompts?: true;
  readonly background?: true;
  /** Hooks of the user run in the folder of their file. */
  readonly userFolder?: true;
  /** Handler keys meant for another program that reads the same files. */
  readonly others?: readonly string[];
  /** Groups under PascalCase event names count too. */
  readonly pascalGroups?: true;
  /** Keys that switch off all hooks of a file, with the value that does so; and keys that list the names of hooks that are off. */
  readonly off?: Readonly<Record<string, boolean>>;
  readonly offNames?: readonly string[];
  /** Fields that every payload has and our event may lack; `now`: the current time, ISO 8601. */
  readonly adds?: Readonly<Record<string, unknown>>;
  /** A tool's response is a text. */
  readonly textResponse?: true;
  /** If several of its events become one of ours: the tools of each, by our names; events without a list take the others. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** Variables of a hook: `project`, or a field of the input. */
  readonly variables?: Readonly<Record<string, string>>;
}
