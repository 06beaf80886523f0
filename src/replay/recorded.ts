import type { RecordedFailure, RecordedKind, RecordedSource } from '../emit/record.js';
import type { Json } from '../values/shape.js';

/**
 * One recorded event with the hooks that were asked and their answers, whatever format it was recorded in. Parts that the recording does not
 * contain are absent, or inferred and named in `inferred`; an inferred part is never treated as a recorded answer.
 */
export interface RecordedFire {
  /** Where the fire was read, for messages: the file. */
  readonly place: string;
  /** Names the fire within its recording: the record's `fire_id`. */
  readonly id: string;
  /** ISO 8601. */
  readonly time: string;
  /** The id of the host that fired it; absent if it is not known. `once` hooks run once in each host. */
  readonly host?: string | undefined;
  readonly event: string;
  readonly session: string;
  /** The agent's id; absent for the main agent. */
  readonly agent?: string | undefined;
  readonly agentType?: string | undefined;
  /** The agents above it, outermost first; absent: none. The scope of one without an id had ended. `unknown`: an older record does not say. */
  readonly above?:
    | readonly { readonly agent?: string | undefined; readonly agentType?: string | undefined }[]
    | 'unknown'
    | undefined;
  readonly toolUse?: string | undefined;
  /** The scope of the fire, as records name it: `session`, or an agent's id. */
  readonly scope: string;
  /** The input as the first hook received it. */
  readonly input: Json;
  /** The values of the field that hooks rewrite, after each rewrite: forms 1, 2 … of the input; `input` itself is form 0. */
  readonly versions: readonly unknown[];
  /** Every registered hook, asked or not, in plan order; absent if the recording does not say. */
  readonly hooks?: readonly RecordedHook[] | undefined;
  /** The decision's fields, as in a record; absent if it is not known. */
  readonly decision?: Json | undefined;
  /** The settings of the fire that differ from the defaults. */
  readonly fired?: RecordedHow | undefined;
  /** The code with which the fire was rejected, so that there is no decision: `ABORTED`, `CLOSED`, `INVALID_INPUT`. */
  readonly error?: string | undefined;
  /** The revision (hash) of the configuration that decided it. */
  readonly revision?: string | undefined;
  /** Whether secrets are masked; equal values have equal masks. `anywhere`: the masks cannot be distinguished from other text. */
  readonly masked: boolean | 'anywhere';
  /** Paths of the parts that were left out, such as `input.tool_input.data`. */
  readonly truncated: readonly string[];
  /** Paths of the parts that were inferred from the rest of the recording: `decision`, `input.cwd`, `hooks`, `versions`. */
  readonly inferred: readonly string[];
}

/** The settings of a fire that differ from the defaults. */
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
  /** The hash of what the hook runs. Without it, the hook is identified by kind and name; a command's name is its command line. */
  readonly definition?: string | undefined;
  /** The hash of the matcher, if it is a function. */
  readonly predicate?: string | undefined;
  /** Why the hook was not asked. */
  readonly skipped?: string | undefined;
  /** The hook has `phase: 'observe'`, so its answers do not count. */
  readonly observes?: true | undefined;
  /** Its answer each time it was asked, in order; empty if it was not asked. */
  readonly answers: readonly KnownAnswer[];
}

/** A hook's answer or failure for one form of the input. */
export interface KnownAnswer {
  /** The form of the input that it was asked about: 0 is `input`, n is the n-th entry of `versions`. */
  readonly judged: number;
  /** The output as the host read it; absent if the hook was silent. */
  readonly output?: unknown;
  readonly failure?: RecordedFailure | undefined;
  /** The verdict that the host counted. If the output gives another verdict, it was damaged, and the answer is not known. */
  readonly verdict?: string | undefined;
  /** The hook went on in the background. */
  readonly background?: true | undefined;
  /** The hook announced a later answer that never came. */
  readonly unjudged?: true | undefined;
  /** In milliseconds. */
  readonly duration?: number | undefined;
  /** When the hook finished; recorded where the rewrite that finishes last in a wave wins. */
  readonly finished?: number | undefined;
}

/** Fires in the order in which they happened. They are read one by one, so memory does not grow with the recording. */
export type RecordedFires = AsyncIterable<RecordedFire>;
