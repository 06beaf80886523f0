import { isDeepStrictEqual } from 'node:util';
import { isErrorOf } from '../errors.js';
import { forModel } from '../session/context.js';
import type { SpawnOptions } from '../session/options.js';
import type { StopAnswer } from '../session/steps/stop.js';
import type { StopOptions } from '../session/steps/stop-event.js';
import { copyInput, type ToolCall, type ToolResult } from '../session/tool/call.js';
import { contextTexts } from '../session/tool/content.js';
import type { Session } from '../session/types.js';
import { checkKeys } from '../values/options.js';
import { linkAbort } from '../values/waiting/link-abort.js';
import { messageOf } from '../values/waiting/promises.js';
import { EarlyCall, Waits } from './ahead.js';
import { answeredAsAsked, asking, noteAsked } from './asked.js';
import { LoopOver } from './loop-over.js';
import { RUN, type RunOptions, STEPS, type StepsOptions } from './steps-options.js';
import { RunningCalls } from './under-way.js';

interface StepCall {
  readonly by: Session;
  readonly call: ToolCall;
  readonly result: ToolResult;
}

/**
 * The steps of a framework's loop on a session: which calls belong to one model turn, what hooks tell the next one, and which agent has the conversation. Make one
 * for each run of the loop, or one for all runs of a session in succession.
 */
export class Steps {
  readonly session: Session;
  readonly how: StepsOptions;
  /** Why no model may be called any more: a hook, a deferred call, an interruption or a call that could not be judged ended the loop. */
  over: string | undefined;
  /** The loop is over because a call could not be judged, not because a hook or the user ended it. */
  #broken = false;
  /** The caller's signal, once it is known that it has fired. */
  #aborted: AbortSignal | undefined;
  /** The present turn. What a call of an earlier turn gives does not end it. */
  #turn = {};
  readonly #underWay = new RunningCalls();
  #batch: StepCall[] = [];
  #texts: string[] = [];
  /** Calls that were judged before they are made. Some models give two calls the same id. */
  #ahead: EarlyCall[] = [];
  #taken: { readonly agent: string; readonly session: Session } | undefined;

  /** Throws INVALID_OPTIONS. */
  constructor(session: Session, options: StepsOptions = {}) {
    checkKeys(options, STEPS, 'Steps: ');
    this.session = session;
    this.how = options;
  }

  /** Begins a new turn, which nothing has ended. `runTurn` calls it for a prompt. */
  begin(): void {
    this.#turn = {};
    // PostToolBatch is not fired for a batch in which a call ended the turn, nor does that end this turn.
    if (this.#batch.some(({ result }) => result.endsLoop)) this.#batch = [];
    this.over = undefined;
    this.#broken = false;
    this.#aborted = undefined;
  }

  /** The session that makes the calls: `session`, or that of the agent that has taken over the conversation. */
  get current(): Session {
    return this.#taken?.session ?? this.session;
  }

  /**
   * Runs one call of the framework's tool loop, like `session.tool()`. Rejects with the framework's control flow, and with the session's error if it cannot judge the call
   * (INVALID_INPUT, SESSION_CLOSED), which ends the loop.
   */
  async run(call: ToolCall, options: RunOptions = {}): Promise<ToolResult> {
    checkKeys(options, RUN, 'Steps.run: ');
    const judged = this.#ahead.filter((one) => call.id !== undefined && one.call.id === call.id);
    const same = ({ call: { name, input } }: EarlyCall) => isDeepStrictEqual([name, input], [call.name, call.input]);
    const ahead = judged.find(same);
    if (!ahead) {
      for (const other of judged) await this.#without(other).drop();
      return await this.#run(call, options);
    }
    this.#without(ahead);
    return await this.#linked(options.signal, () => {
      ahead.make(call.execute?.bind(call));
      return ahead.result;
    });
  }

  /**
   * Judges a call, which needs an id, for a framework that asks its user before it runs a call. True: the user has to be asked, and the call has ended
   * (PostToolUseFailure, `is_interrupt`). Make it again with a `pause` that returns the answer: it goes through the hooks again, and only that answer allows it. False: `run` with the
   * same call continues it, whether it is allowed or denied. The answer counts for the input that the user saw: the one passed to `onAsk`, otherwise the model's. A
   * call with another input is denied: at once if a hook has rewritten it, otherwise when it is made again.
   */
  async asks(call: ToolCall, options: RunOptions = {}): Promise<boolean> {
    checkKeys(options, RUN, 'Steps.asks: ');
    const { onAsk } = this.how;
    const pause = asking(call, { showsJudged: onAsk !== undefined }, async (input, told) => {
      await onAsk?.(copyInput(input), told);
      noteAsked(this.session, call, input);
      throw new Waits(`${call.name} waits for the user.`);
    });
    const ahead = new EarlyCall({ ...call, pause }, (judged) => this.#run(judged, options, { answered: false }));
    this.#ahead.push(ahead);
    const waits = await ahead.waits();
    if (waits) this.#without(ahead);
    return waits;
  }

  /** Notes that the framework itself asks its user about a call. As with `asks`, the answer counts for the call as the model made it; with a `pause` that denies, it does not run. Throws INVALID_INPUT. */
  asked(id: string, name: string, input: unknown): void {
    noteAsked(this.session, { id, name, input });
  }

  #without(ahead: EarlyCall): EarlyCall {
    this.#ahead = this.#ahead.filter((one) => one !== ahead);
    return ahead;
  }

  async #run(call: ToolCall, options: RunOptions, how = { answered: true }): Promise<ToolResult> {
    return await this.#underWay.follow(() => this.#judgeAndRun(call, options, how));
  }

  async #judgeAndRun(call: ToolCall, { said, signal }: RunOptions, { answered }: { answered: boolean }) {
    const by = this.current;
    const turn = this.#turn;
    const pause = call.pause ?? this.how.pause;
    const passThrough = (error: unknown): boolean => this.isControlFlow(error) || call.passThrough?.(error) === true;
    try {
      const own = { ...call, passThrough, pause };
      const made = answered ? answeredAsAsked(this.session, own, this.how.onAsk !== undefined) : own;
      const result = await this.#linked(signal, () => by.tool(made));
      const one = { by, call, result: await told(result, said) };
      // Replaces the entry of the same call that waited; another call may have the same id.
      const isPresent = turn === this.#turn;
      if (isPresent || !result.endsLoop)
        this.#batch = [...this.#batch.filter((other) => other.by !== by || !isAgain(other, one)), one];
      if (result.endsLoop && isPresent) this.over ??= whyOver(result);
      return result;
    } catch (error) {
      if (!passThrough(error) && turn === this.#turn) {
        this.over ??= messageOf(error);
        this.#broken = true;
      }
      throw error;
    }
  }

  /** Runs `work`; meanwhile the caller's signals interrupt the session. */
  async #linked<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const by = this.current;
    const turn = this.#turn;
    const unlinks = [this.how.signal, signal].map((one) => one && interruptOn(one, by));
    try {
      return await work();
    } finally {
      for (const unlink of unlinks) unlink?.();
      if (signal?.aborted && turn === this.#turn) this.#aborted = signal;
    }
  }

  /** The caller's signal, if it has ended the run. */
  get aborted(): AbortSignal | undefined {
    return this.how.signal?.aborted ? this.how.signal : this.#aborted;
  }

  /** Whether the error is the framework's own control flow. */
  isControlFlow(error: unknown): boolean {
    return isErrorOf(error, Waits) || this.how.passThrough?.(error) === true;
  }

  /** An error to throw into a loop that cannot be ended in another way once `over` is set. `runTurn` treats it as the end that hooks wanted. */
  leave(): Error {
    return new LoopOver(this.over);
  }

  /**
   * Waits for the calls under way, at most two seconds, and not for a call from which it is called. The framework has gone on without a call that takes longer: its
   * PostToolUse or PostToolUseFailure comes after the events that are fired meanwhile (PostToolBatch, Stop, StopFailure), and it is in the next PostToolBatch unless it ends the loop. A
   * call that was judged in advance but not made by now has failed.
   */
  async settled(): Promise<void> {
    await this.#underWay.settled(() => {
      for (const ahead of this.#ahead.splice(0)) void ahead.drop();
    });
  }

  /**
   * Fires PostToolBatch when the calls of a model turn are done; it waits for them as `settled` does. `order` has the call ids in the model's order.
   * Without calls nothing is fired.
   */
  async endBatch(order: readonly string[] = []): Promise<void> {
    await this.settled();
    const ran = this.#batch.splice(0).sort((a, b) => order.indexOf(a.result.id) - order.indexOf(b.result.id));
    // A call that ended late may belong to an agent that no longer has the conversation.
    for (const by of new Set(ran.map((one) => one.by))) {
      const own = ran.filter((one) => one.by === by);
      if (!by.closed) await this.#fireBatch(by, own);
    }
  }

  async #fireBatch(by: Session, ran: readonly StepCall[]): Promise<void> {
    const { endsLoop, reason, decision } = await by.endBatch(
      ran.map((r) => r.call),
      ran.map((r) => r.result),
    );
    if (endsLoop) this.over ??= reason ?? 'A PostToolBatch hook ended the loop.';
    if (decision) this.#texts.push(...contextTexts('PostToolBatch', forModel(decision)));
  }

  /** Adds text for the model, which is appended to the system prompt of its next call. */
  tell(text: string): void {
    this.#texts.push(text);
  }

  /** The system prompt of the next model call: the base and the waiting texts, which are taken out by this. */
  systemPrompt(base: string): string {
    const texts = this.#texts.splice(0);
    return [this.current.systemPrompt(base), ...texts].filter((text) => text !== '').join('\n\n');
  }

  /**
   * Hands the conversation to an agent, which gets its own scope below the session's, from SubagentStart to SubagentStop (or to an interruption, which fires no
   * SubagentStop). `undefined` hands it back to the session's own agent. The previous agent's scope is closed. An agent that already has the conversation keeps its scope.
   */
  async handTo(agent: SpawnOptions | undefined): Promise<Session> {
    if (this.#taken && agent?.agent_type === this.#taken.agent && !this.#taken.session.closed) return this.current;
    await this.release();
    if (agent) this.#taken = { agent: agent.agent_type, session: await this.session.spawn(agent) };
    return this.current;
  }

  /** Closes the agent that has taken over the conversation. */
  async release(): Promise<void> {
    const taken = this.#taken;
    this.#taken = undefined;
    await taken?.session.close();
  }

  /**
   * Ends the loop when the model is finished or has failed: SubagentStop if an agent has the conversation, then the session's Stop. No Stop is fired if a call that
   * could not be judged ended the loop, because hooks could not make it continue.
   */
  async stop(options: StopOptions): Promise<StopAnswer> {
    if (this.#broken && options.error === undefined) {
      await this.release();
      if (this.session.agent_id !== undefined) await this.session.close();
      return { continues: false, continuations: 0, capped: false };
    }
    const taken = this.#taken;
    if (taken) {
      const answer = await taken.session.stop(options);
      if (answer.continues || answer.decision === undefined) return answer;
      this.#taken = undefined;
    }
    return this.session.stop(options);
  }
}

const isAgain = (one: StepCall, other: StepCall): boolean =>
  isDeepStrictEqual(
    [one.result.id, one.call.name, one.call.input],
    [other.result.id, other.call.name, other.call.input],
  );

function whyOver({ name, reason, decision, after }: ToolResult): string {
  return reason ?? decision?.stopReason ?? after?.stopReason ?? `${name} ended the loop.`;
}

/** The result with the model's text. If the framework fails to render it, the call has still run, so the result is kept. */
async function told(result: ToolResult, said: RunOptions['said']): Promise<ToolResult> {
  if (!said) return result;
  try {
    return { ...result, content: await said(result) };
  } catch {
    return result;
  }
}

/** Interrupts the session when the signal fires; returns the undo. */
function interruptOn(signal: AbortSignal, session: Session): () => void {
  if (signal.aborted) void session.interrupt();
  return linkAbort(signal, { end: () => void session.interrupt() });
}
