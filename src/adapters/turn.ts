import type { ToolCall, ToolResult } from '../session/call.js';
import { type Content, contextTexts } from '../session/content.js';
import { forModel } from '../session/context.js';
import type { Session } from '../session/types.js';
import { messageOf } from '../values/promises.js';

/** What came of one turn: a prompt, and every round of the framework's loop until hooks let it stop. */
export interface Turn<Result> {
  /**
   * `done`: the model had nothing more to do, and hooks let it stop. `blocked`: a hook erased the prompt, no model was called.
   * `ended`: a hook, a deferred call or an interruption ended the loop. `unfinished`: the framework ended it while the model
   * wanted more (a limit of steps, a tool that runs elsewhere); no Stop was fired.
   */
  readonly status: 'done' | 'blocked' | 'ended' | 'unfinished';
  /** Why it was blocked or ended, where that is known. */
  readonly reason?: string;
  /** The model's last words; empty when it said none. */
  readonly text: string;
  /** What the framework gave back, one for each time hooks let it go on. */
  readonly rounds: readonly Result[];
  /** Stop hooks wanted to go on once more than is allowed. */
  readonly capped: boolean;
}

/** One run of the framework's own loop. */
export interface Round<Result> {
  readonly result: Result;
  readonly text: string;
  /** The model has nothing more to do. */
  readonly finished: boolean;
}

/** The steps of a framework's loop: which calls belong to one model turn, and what hooks want of the next. */
export class Steps {
  readonly session: Session;
  /** Why no model may be called any more. */
  over: string | undefined;
  #batch: { call: ToolCall; result: ToolResult }[] = [];
  #texts: string[] = [];

  constructor(session: Session) {
    this.session = session;
  }

  /**
   * One call of the framework's own tool loop. A session that cannot judge it ends the loop. `said` gives what the model gets
   * of it in the end, for PostToolBatch, where that is not the result's own content.
   */
  async run(call: ToolCall, said?: (result: ToolResult) => Promise<Content>): Promise<ToolResult> {
    try {
      const result = await this.session.tool(call);
      this.#batch.push({ call, result: said ? { ...result, content: await said(result) } : result });
      if (result.endsLoop) this.over ??= result.reason ?? `${call.name} ended the loop.`;
      return result;
    } catch (error) {
      this.over ??= messageOf(error);
      throw error;
    }
  }

  /** All calls of a model turn are done, in whatever order: PostToolBatch. `order` has their ids as the model gave them. */
  async endBatch(order: readonly string[]): Promise<void> {
    const ran = this.#batch.splice(0).sort((a, b) => order.indexOf(a.result.id) - order.indexOf(b.result.id));
    if (ran.length === 0 || this.session.closed) return;
    const { endsLoop, reason, decision } = await this.session.endBatch(
      ran.map((r) => r.call),
      ran.map((r) => r.result),
    );
    if (endsLoop) this.over ??= reason ?? 'A PostToolBatch hook ended the loop.';
    if (decision) this.#texts.push(...contextTexts('PostToolBatch', forModel(decision)));
  }

  /** The system prompt of the next model call, with everything that waited for it. */
  systemPrompt(base: string): string {
    const texts = this.#texts.splice(0);
    return [this.session.systemPrompt(base), ...texts].filter((text) => text !== '').join('\n\n');
  }
}

/** What a round begins with: nothing but the prompt and the context that hooks add to it, or a Stop hook's instruction. */
export interface Begin {
  readonly instruction: string | undefined;
  readonly context: readonly string[];
}

/**
 * One turn on a session: the prompt goes through the hooks, `round` runs the framework's loop with it, and as long as Stop hooks
 * go on, with their instruction. A subagent's prompt comes from its parent: no UserPromptSubmit; without a prompt a turn that waited
 * goes on. What `round` throws is a
 * StopFailure, or an interruption when it was aborted, and is thrown on.
 */
export async function runTurn<Result>(
  steps: Steps,
  prompt: string | undefined,
  round: (begin: Begin) => Promise<Round<Result>>,
): Promise<Turn<Result>> {
  const { session } = steps;
  const rounds: Result[] = [];
  const turn = (status: Turn<Result>['status'], text: string, more: Partial<Turn<Result>> = {}): Turn<Result> => ({
    status,
    text,
    rounds,
    capped: false,
    ...more,
  });
  const because = (reason: string | undefined) => (reason === undefined ? {} : { reason });
  const begun = session.agent_id === undefined && prompt !== undefined ? await session.prompt(prompt) : undefined;
  if (begun?.blocked) return turn('blocked', '', because(begun.reason));
  if (begun?.endsLoop) return turn('ended', '', because(begun.reason));
  let context = begun?.context ?? [];
  for (let instruction: string | undefined; ; context = []) {
    const { result, text, finished } = await round({ instruction, context }).catch((error: unknown) =>
      fail(session, error),
    );
    rounds.push(result);
    if (!finished && steps.over === undefined) return turn('unfinished', text);
    const stopped = await session.stop({ lastMessage: text });
    if (stopped.decision === undefined) return turn('ended', text, because(steps.over));
    if (!stopped.continues) return turn('done', text, { capped: stopped.capped });
    instruction = stopped.instruction;
  }
}

/** By the status of the model's API. */
const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication_failed',
  402: 'billing_error',
  403: 'authentication_failed',
  429: 'rate_limit',
};

async function fail(session: Session, thrown: unknown): Promise<never> {
  // A framework that has tried again says what the last try came to.
  const error = (thrown as { lastError?: unknown } | undefined)?.lastError ?? thrown;
  const { name, statusCode = 0 } = (error ?? {}) as { name?: string; statusCode?: number };
  if (name === 'AbortError') await session.interrupt();
  else {
    const kind = ERRORS[statusCode] ?? (statusCode >= 500 ? 'server_error' : 'unknown');
    await session.stop({ error: kind, errorDetails: messageOf(error) });
  }
  throw thrown;
}
