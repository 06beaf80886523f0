import type { RecordedFailure, RecordedKind, RecordedSource } from '../emit/record.js';
import type { Json } from '../values/shape.js';

/**
 * One event as it was fired, with the questions and answers of that time, whatever it was recorded in. What the recording does not contain is
 * absent, or a guess that `inferred` names: no guess is treated as a recorded answer.
 */
export interface RecordedFire {
  /** Its place for people: the file. */
  readonly place: string;
  /** Names the fire within its recording: the record's `fire_id`. */
  readonly id: string;
  /** ISO 8601. */
  readonly time: string;
  /** The host that fired it. Absent: it is not known; what runs `once` has one life in each host. */
  readonly host?: string | undefined;
  readonly event: string;
  readonly session: string;
  /** Absent: the main agent. */
  readonly agent?: string | undefined;
  readonly agentType?: string | undefined;
  /** The agents above it, outermost first; absent: none. One without an id: its scope had ended. `unknown`: an older record does not say. */
  readonly above?:
    | readonly { readonly agent?: string | undefined; readonly agentType?: string | undefined }[]
    | 'unknown'
    | undefined;
  readonly toolUse?: string | undefined;
  /** The scope it was fired in, as records name it: `session`, or an agent's id. */
  readonly scope: string;
  /** The input as the first hook received it. */
  readonly input: Json;
  /** The field that hooks rewrite, after each rewrite: form 1, 2 … of the input; `input` itself is form 0. */
  readonly versions: readonly unknown[];
  /** Every hook that was listed, asked or not, in plan order. Absent: it is not known which hooks there were. */
  readonly hooks?: readonly RecordedHook[] | undefined;
  /** The decision's own fields, as a record has them. Absent: it is not known. */
  readonly decision?: Json | undefined;
  /** How it was fired, if that was unusual. */
  readonly fired?: RecordedHow | undefined;
  /** It was not decided but rejected: `ABORTED`, `CLOSED`, `INVALID_INPUT`. */
  readonly error?: string | undefined;
  /** The configuration that decided it. */
  readonly revision?: string | undefined;
  /** Secrets in it are masked, equal values by equal masks. `anywhere`: by texts that cannot be distinguished from others. */
  readonly masked: boolean | 'anywhere';
  /** Parts that could not be kept, by path: `input.tool_input.data`. */
  readonly truncated: readonly string[];
  /** Parts that the recording does not contain and that were concluded from the rest, by path: `decision`, `input.cwd`, `hooks`, `versions`. */
  readonly inferred: readonly string[];
}

/** The unusual settings of a fire. */
export interface RecordedHow {
  readonly doneBy?: 'client' | 'session' | undefined;
  readonly keepsKeys?: boolean | undefined;
  readonly guards?: 'block' | undefined;
  readonly canAsk?: boolean | undefined;
}

/** One hook in a recorded fire. */
export interface RecordedHook {
  readonly id?: string | undefined;
  readonly name: string;
  readonly kind: RecordedKind;
  readonly source?: RecordedSource | undefined;
  readonly plugin?: string | undefined;
  readonly scope?: string | undefined;
  /** The hash of what it runs. Absent: it is known by its kind and name alone, which for a command is its command line. */
  readonly definition?: string | undefined;
  /** The hash of the function that its matcher is, where it is one. */
  readonly predicate?: string | undefined;
  /** Why it was not asked. */
  readonly skipped?: string | undefined;
  /** It only watched: its answers decided nothing. */
  readonly observes?: true | undefined;
  /** Its answers each time it was asked, in order; none: it was not asked. */
  readonly answers: readonly KnownAnswer[];
}

/** A hook's answer, or its failure, when it was asked about one form of the input. */
export interface KnownAnswer {
  /** Which form of the input it was about: an index into `versions`, from 1; 0 is `input`. */
  readonly judged: number;
  /** Its output as the host has read it; absent: it was silent. */
  readonly output?: unknown;
  readonly failure?: RecordedFailure | undefined;
  /** The verdict that it counted as. If the recorded answer reads as another one, it was damaged: it is not known. */
  readonly verdict?: string | undefined;
  /** It went on in the background. */
  readonly background?: true | undefined;
  /** It announced a later answer, and none came. */
  readonly unjudged?: true | undefined;
  /** Milliseconds. */
  readonly duration?: number | undefined;
  /** If the last rewrite of its wave to finish counted: when it finished. */
  readonly finished?: number | undefined;
}

/** Fires in the order in which they happened. Read as it is needed: a recording of any length takes the same memory. */
export type RecordedFires = AsyncIterable<RecordedFire>;
