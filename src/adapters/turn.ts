import { checkOption } from '../values/options.js';
import { messageOf } from '../values/waiting/promises.js';
import { STEPS } from './given.js';
import { isLoopOver } from './loop-over.js';
import type { Steps } from './steps.js';

/** The result of one turn: a prompt, and every round of the framework's loop until hooks let it stop. */
export interface Turn<Result> {
  /**
   * `done`: the model had nothing more to do, and hooks let it stop. `blocked`: a hook erased the prompt, so no model was called.
   * `ended`: a hook, a deferred call, an interruption or a call that could not be judged ended the loop. `unfinished`: the
   * framework ended it while the model wanted more (a limit of steps, a tool that runs elsewhere); no Stop was fired.
   */
  readonly status: 'done' | 'blocked' | 'ended' | 'unfinished';
  /** Why it was blocked or ended, if known. */
  readonly reason?: string;
  /** The model's last text; empty if there was none. */
  readonly text: string;
  /** The framework's results, one for each round. */
  readonly rounds: readonly Result[];
  /** Stop hooks wanted to continue once more than is allowed. */
  readonly capped: boolean;
}

/** One run of the framework's own loop. */
export interface Round<Result> {
  /** The framework's result. */
  readonly result: Result;
  /** The model's last text; empty if there was none. */
  readonly text: string;
  /** The model has nothing more to do. False: the framework ended the loop, or waits for its user. */
  readonly finished: boolean;
}

/** The start of a round: the prompt and the context that hooks add to it, or a Stop hook's instruction. */
export interface Begin {
  /** From Stop hooks: the next message. */
  readonly instruction: string | undefined;
  /** From UserPromptSubmit hooks: text for the model, above the prompt. */
  readonly context: readonly string[];
}

/**
 * Runs one turn on a session: the prompt goes through the hooks, and `round` runs the framework's loop with it. As long as Stop hooks continue the loop, `round` runs again with
 * their instruction. A subagent's prompt comes from its parent, so it fires no UserPromptSubmit. Without a prompt (`undefined`), a turn that waited continues.
 *
 * Rejects with what `round` throws: after StopFailure, after an interruption if it was aborted, and at once for the framework's own control flow or limit. The error of
 * `steps.leave()` is not a failure: the turn is `ended`. Before Stop, StopFailure or the rejection after an interruption, calls under way are waited for as in
 * `steps.settled()`.
 */
export async function runTurn<Result>(
  steps: Steps,
  prompt: string | undefined,
  round: (begin: Begin) => Promise<Round<Result>>,
): Promise<Turn<Result>> {
  checkOption('runTurn(steps)', steps, STEPS);
  const { session } = steps;
  const rounds: Result[] = [];
  const turn = (status: Turn<Result>['status'], text: string, more: Partial<Turn<Result>> = {}): Turn<Result> => ({
    status,
    text,
    rounds,
    capped: false,
    ...more,
  });
  if (prompt !== undefined) steps.begin();
  const begun = session.agent_id === undefined && prompt !== undefined ? await session.prompt(prompt) : undefined;
  if (begun?.blocked) return turn('blocked', '', because(begun.reason));
  if (begun?.endsLoop) return turn('ended', '', because(begun.reason));
  let context = begun?.context ?? [];
  for (let instruction: string | undefined; ; context = []) {
    const came = await roundOrAbort(steps, () => round({ instruction, context })).catch(async (error) => {
      // Calls of the round may still be under way. After control flow or a limit they are not waited for, because they may be made again.
      if (!isOwnEnd(steps, error)) {
        // It ends at once what can be ended; hooks of calls that have run go on, and are waited for as such calls are.
        if (isAbort(error, steps.aborted)) void session.interrupt();
        await steps.settled();
      }
      return await handleLoopError(steps, error);
    });
    if (came) rounds.push(came.result);
    if (came?.finished === false && steps.over === undefined) return turn('unfinished', came.text);
    await steps.settled();
    const text = came?.text ?? '';
    const stopped = await steps.stop({ lastMessage: text });
    if (stopped.decision === undefined) return turn('ended', text, because(steps.over));
    if (!stopped.continues) return turn('done', text, { capped: stopped.capped });
    instruction = stopped.instruction;
  }
}

const because = (reason: string | undefined) => (reason === undefined ? {} : { reason });

/** Error types of StopFailure by the HTTP status of the model's API. */
const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication_failed',
  402: 'billing_error',
  403: 'authentication_failed',
  429: 'rate_limit',
};

/** Runs the round, but rejects with the abort error if the caller aborted it, even if the framework ended without an error. */
async function roundOrAbort<T>(steps: Steps, round: () => Promise<T>): Promise<T> {
  steps.aborted?.throwIfAborted();
  const came = await round();
  steps.aborted?.throwIfAborted();
  return came;
}

/** Whether the run was aborted. The reason of an abort can be any error, so the signal counts too. */
const isAbort = (error: unknown, signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true || (error as { name?: unknown } | null | undefined)?.name === 'AbortError';

/** The framework's own control flow or limit. */
const isOwnEnd = (steps: Steps, error: unknown): boolean =>
  steps.isControlFlow(error) || steps.how.limit?.(error) === true;

/** Tells hooks of an error of the framework's loop, or of the abort by the caller's signal, and rethrows it. `undefined`: the error only ended the loop, as hooks wanted. */
export async function handleLoopError(steps: Steps, thrown: unknown, signal = steps.aborted): Promise<undefined> {
  if (steps.over !== undefined && isLoopOver(thrown)) return undefined;
  if (isOwnEnd(steps, thrown)) throw thrown;
  // A framework that retried wraps the error of the last try.
  const error = (thrown as { lastError?: unknown } | undefined)?.lastError ?? thrown;
  const { statusCode, status } = (error ?? {}) as { statusCode?: number; status?: number };
  if (isAbort(error, signal)) {
    void steps.session.interrupt();
    await steps.settled();
  } else {
    const code = statusCode ?? status ?? 0;
    const kind = ERRORS[code] ?? (code >= 500 ? 'server_error' : 'unknown');
    await steps.stop({ error: kind, errorDetails: messageOf(error) });
  }
  throw thrown;
}
