import type { Piece } from '../../emit/record.js';
import type { Failure } from '../../events/failure.js';
import type { Outcome } from '../../events/outcome.js';
import type { Registration } from '../../scopes/registration.js';

/** How one call of one handler came out. Always a value. */
export interface Attempt {
  readonly outcome?: Outcome | undefined;
  readonly failure?: Failure | undefined;
  readonly exitCode?: number | undefined;
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly durationMs?: number | undefined;
  /** It goes on in the background; what it says comes later. */
  readonly background?: boolean | undefined;
  /** It answered `{ async: true }` and nothing more will come: no word on the input it was given. */
  readonly unjudged?: true | undefined;
}

/** It said nothing. */
export const SILENT: Attempt = Object.freeze({});

/** Its answer is still to come: whoever asked is told by `answered`. */
export const PENDING = Symbol('pending');

/** Tells whoever watches of one call of one handler. */
export interface CallReporter {
  progress(piece: Piece): void;
  /** Its end. What is said after it, nobody waits for. */
  responded(result: Attempt): void;
}

/** Tells whoever watches of one fire. */
export interface FireReporter {
  started(registration: Registration): CallReporter;
}

/** With how long it took. One literal: spreading the result after a field of its own would be many times slower. */
export function timed(result: Attempt, durationMs: number): Attempt {
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
