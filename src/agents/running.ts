import type { Sayable, Words } from './says.js';

/** An answer that an agent understands but `encode` never writes. */
export interface HeardWords {
  readonly what: Sayable;
  readonly words: Words;
  /** The events on which it applies, by the agent's own names; absent: all. */
  readonly on?: readonly string[];
  /** It does not apply if the answer has a value at this path. */
  readonly unless?: string;
}

/** An answer that the agent drops entirely (`voids`), or one that it acts on and we cannot (`beyond`). */
export interface DroppedAnswer {
  /** Applies if the answer matches this template … */
  readonly words: Words;
  /** … and has no value at this path. */
  readonly unless?: string;
  readonly on?: readonly string[];
  readonly why: string;
}

/** How an agent interprets a hook's output. */
export interface OutputReader {
  /** At which exit codes printed JSON is read. */
  readonly json: 'zero' | 'any';
  /** Events on which plain text is context. */
  readonly plain?: readonly string[];
  /** The exit codes that refuse. `text`: where the reason comes from; absent: nowhere. `needed`: they refuse only with a reason. */
  readonly exit: {
    readonly from: number;
    readonly to: number;
    readonly on: 'gates' | 'all';
    readonly text?: 'stderr' | 'either';
    readonly needed?: true;
    /** A hook that is killed by a signal also refuses. */
    readonly killed?: true;
  };
  /** A refusal in JSON counts without a reason, too. */
  readonly bare: boolean;
  /** The accepted fields by event (`*`: on all); any other voids the answer. Fields of `hookSpecificOutput` begin with a dot. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly also?: readonly HeardWords[];
  readonly voids?: readonly DroppedAnswer[];
  readonly beyond?: readonly DroppedAnswer[];
}

/** What a matcher is compared with: the tool's name, a field (by our name), or a fixed word. */
export type MatcherSubject = 'tool' | { readonly field: string } | { readonly word: string };

/** How an agent interprets a matcher. */
export interface MatcherDialect {
  /** A matcher of word characters and "|" alone is a list of exact names. */
  readonly lists?: true;
  /** A matcher must match the whole name. */
  readonly anchored?: true;
  /** How a matcher that is not a valid regular expression is read: it never matches, or it is a literal name. */
  readonly invalid: 'never' | 'literal';
  /** If the subject is not a tool, the matcher is a literal name. */
  readonly literal?: true;
  /** The subject of each event; an event that is not listed has no subject, so every matcher matches. */
  readonly subjects: Readonly<Record<string, MatcherSubject>>;
  /** Other names under which a matcher also finds the agent's tools, by their own names. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
}

/** How an agent runs the hooks in its own files. */
export interface HookRuntime {
  readonly hearing: OutputReader;
  readonly matching: MatcherDialect;
  /** `parallel` holds unless a group of the event has `sequential`. */
  readonly order: 'parallel' | 'series';
  /** If several hooks rewrite, the last to finish wins. */
  readonly racing?: true;
  /** The kinds of places that have its files, in the order in which their hooks run. */
  readonly places: readonly string[];
  /** Project files are read in every folder from the repository's root down to the project. */
  readonly fromRoot?: true;
  /** Keys that can hold a handler's command; the first that is present counts. `exec` takes `args` and runs without a shell. */
  readonly program: {
    readonly unix: readonly string[];
    readonly windows: readonly string[];
    /** The shell that runs the command, by key: `user` is the user's own shell; absent: `/bin/sh`. */
    readonly shell?: Readonly<Record<string, string>>;
  };
  /** Prompt hooks ask a model, so we can run them. Absent: only the agent itself can run its prompts. */
  readonly prompts?: true;
  readonly background?: true;
  /** The user's hooks run in the folder of their file. */
  readonly userFolder?: true;
  /** Handler keys that this agent ignores; they are for another program that reads the same files. */
  readonly others?: readonly string[];
  /** Under PascalCase event names, groups of handlers are accepted too. */
  readonly pascalGroups?: true;
  /** Keys that switch off all hooks of a file, with the value that does it. `offNames`: keys that list the names of hooks to switch off. */
  readonly off?: Readonly<Record<string, boolean>>;
  readonly offNames?: readonly string[];
  /** Fields of every payload that our input may lack, with their values; `now` is the current time in ISO 8601. */
  readonly adds?: Readonly<Record<string, unknown>>;
  /** A tool's response is text. */
  readonly textResponse?: true;
  /** Where several of its events correspond to one of ours: the tools of each event, by our names; an event without a list has all. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** The environment variables of a hook; the value is `project` (the project's folder) or the name of an input field. */
  readonly variables?: Readonly<Record<string, string>>;
}
