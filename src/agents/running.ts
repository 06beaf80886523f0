import type { Sayable, Words } from './says.js';

/** Words that an agent understands, and that `encode` never says. */
export interface Heard {
  readonly what: Sayable;
  readonly words: Words;
  /** The agent's names of events; absent: where it can be said at all. */
  readonly on?: readonly string[];
  /** Not where something stands at this path. */
  readonly unless?: string;
}

/** An answer that the agent drops entirely, or something that it does for a hook and we cannot. */
export interface Refused {
  /** The answer says this … */
  readonly words: Words;
  /** … and nothing stands at this path. */
  readonly unless?: string;
  readonly on?: readonly string[];
  readonly why: string;
}

/** How an agent takes what a hook has said. */
export interface Hearing {
  /** At which exit codes printed JSON is read. */
  readonly json: 'zero' | 'any';
  /** Where plain text is context. */
  readonly plain?: readonly string[];
  /** Exit codes that refuse. `text`: where the reason is taken from; absent: it has none. `needed`: without one nothing is refused. */
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

/** What a matcher is compared with on an event: the tool's name, a field as ours is called, or always the same word. */
export type Subject = 'tool' | { readonly field: string } | { readonly word: string };

/** How an agent reads a matcher. */
export interface Matching {
  /** A matcher of word characters and "|" alone is a list of exact names. */
  readonly lists?: true;
  /** It must match the whole name. */
  readonly anchored?: true;
  /** A matcher that is no regular expression never matches, or is taken as a name. */
  readonly invalid: 'never' | 'literal';
  /** Where the subject is no tool, the matcher is a name. */
  readonly literal?: true;
  /** The subject on each event; an event that is not listed has none, and every matcher matches. */
  readonly subjects: Readonly<Record<string, Subject>>;
  /** Other names by which its own tools are found. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
}

/** How an agent runs the hooks of its own files, where that is not as we run ours. */
export interface Running {
  readonly hearing: Hearing;
  readonly matching: Matching;
  /** `parallel`: unless a group says `sequential`. */
  readonly order: 'parallel' | 'series';
  /** Of several rewrites, the one that finishes last counts. */
  readonly racing?: true;
  /** Where its files lie, in the order in which their hooks run. */
  readonly places: readonly string[];
  /** Project files count from the repository's folder down to this one. */
  readonly fromRoot?: true;
  /** Keys of a handler that hold its command, the first that is there. `exec`: with `args`, and no shell. */
  readonly program: {
    readonly unix: readonly string[];
    readonly windows: readonly string[];
    /** Who reads the line: `user`: the user's own shell; absent: `/bin/sh`. By key, where they differ. */
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
  /** Fields that every payload has and an event of ours may lack; `now`: the time, ISO 8601. */
  readonly adds?: Readonly<Record<string, unknown>>;
  /** A tool's response is a text. */
  readonly textResponse?: true;
  /** Several of its events become one of ours, each for some tools alone, by our names; the others for all. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** Variables of a hook: `project`, or a field of the input. */
  readonly variables?: Readonly<Record<string, string>>;
}
