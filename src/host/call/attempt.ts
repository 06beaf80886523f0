import type { OutputChunk } from '../../emit/record.js';
import type { Traced } from '../../emit/tracing.js';
import type { Failure } from '../../events/failure.js';
import type { Outcome } from '../../events/output/outcome.js';
import type { Registration } from '../../scopes/registration.js';

/** The result of one call of one handler. Always a value. */
export interface Attempt {
  readonly outcome?: Outcome | undefined;
  readonly failure?: Failure | undefined;
  readonly exitCode?: number | undefined;
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly durationMs?: number | undefined;
  /** The handler continues in the background and answers later. */
  readonly background?: boolean | undefined;
  /** The handler answered `{ async: true }` but no later answer will come: it has not judged its input. */
  readonly unjudged?: true | undefined;
  /** The handler was not started: a `once` hook keeps its run. */
  readonly unstarted?: true | undefined;
  /** For a recorded answer: its position in the order of finishing of its wave. */
  readonly finished?: number | undefined;
}

/** The handler said nothing. */
export const SILENT: Attempt = Object.freeze({});

/** The answer is pending; the owner's `answered` is called with it. */
export const PENDING = Symbol('pending');

/** Reports one call of one handler to subscribers. */
export interface CallReporter {
  /** undefined: the call is recorded, but not traced as it runs. */
  readonly traced: Traced | undefined;
  progress(piece: OutputChunk): void;
  /** The end of the call; later output is ignored. `at`: the time by `performance.now()`, if it was just read. */
  responded(result: Attempt, at?: number): void;
}

/** Reports one fire to subscribers. */
export interface FireReporter {
  started(registration: Registration): CallReporter;
}

/** Whether a `once` hook keeps its run, because it was not started. */
export function isStillDue({ unstarted, failure, outcome }: Attempt): boolean {
  if (unstarted || outcome !== undefined) return unstarted === true;
  return failure?.cause === 'spawn_failed';
}

/** Whether the answer rewrites the input or ends the run. */
export function affectsLaterHooks({ outcome }: Attempt): boolean {
  return outcome !== undefined && (outcome.rewrite !== undefined || outcome.continue === false);
}

/** Adds the duration, in one literal: spreading the result after another field would be many times slower. */
export function withDuration(result: Attempt, durationMs: number): Attempt {
  return {
    outcome: result.outcome,
    failure: result.failure,
    exitCode: result.exitCode,
    stdout: result.stdout,
    stderr: result.stderr,
    warnings: result.warnings,
    durationMs,
    background: result.background,
    unjudged: result.unjudged,
  };
}
