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
import { Ahead, Waits } from './ahead.js';
import { answeredAsAsked, asking, noteAsked } from './asked.js';
import { LoopOver } from './loop-over.js';
import { RUN, type RunOptions, STEPS, type StepsOptions } from './steps-options.js';
import { UnderWay } from './under-way.js';

interface Made {
  readonly by: Session;
  readonly call: ToolCall;
  readonly result: ToolResult;
}

/**
 * The steps of a framework's loop on a session: which calls belong to one model turn, what hooks ask of the next, and which agent has the conversation. One for
 * each run of the loop, or for all runs of one session one after another.
 */
export class Steps {
  readonly session: Session;
  readonly how: StepsOptions;
  /** Why no model may be called any more: a hook, a deferred call, an interruption or a call that could not be judged has ended the loop. */
  over: string | undefined;
  /** The loop is over since a call could not be judged, and not since anybody wanted that. */
  #broken = false;
  /** The caller's signal, once it is known that it has fired. */
  #aborted: AbortSignal | undefined;
  readonly #underWay = new UnderWay();
  #batch: Made[] = [];
  #texts: string[] = [];
  /** Calls that were judged before they are made. Some models give two of them the same id. */
  #ahead: Ahead[] = [];
  #taken: { readonly agent: string; readonly session: Session } | undefined;

  /** Throws INVALID_OPTIONS. */
  constructor(session: Session, options: StepsOptions = {}) {
    checkKeys(options, STEPS, 'Steps: ');
    this.session = session;
    this.how = options;
  }

  /** A new turn: nothing has ended it. `runTurn` does this for a prompt. */
  begin(): void {
    this.over = undefined;
    this.#broken = false;
    this.#aborted = undefined;
  }

  /** The session that calls are made by: `session`, or that of the agent which has taken the conversation over. */
  get current(): Session {
    return this.#taken?.session ?? this.session;
  }

  /**
   * One call of the framework's own tool loop, as `session.tool()`; a plain object. Rejects with the framework's control flow, and with what a session that cannot judge it
   * throws (INVALID_INPUT, SESSION_CLOSED), which ends the loop.
   */
  async run(call: ToolCall, options: RunOptions = {}): Promise<ToolResult> {
    checkKeys(options, RUN, 'Steps.run: ');
    const judged = this.#ahead.filter((one) => call.id !== undefined && one.call.id === call.id);
    const same = ({ call: { name, input } }: Ahead) => isDeepStrictEqual([name, input], [call.name, call.input]);
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
   * For a framework that asks its user before it runs a call: judges the call, which needs an id. True: the user has to be asked, and the call has ended
   * (PostToolUseFailure, `is_interrupt`); made again, with a `pause` that gives the answer, it goes through the hooks again, and only that answer allows it. False: `run` with the same call
   * continues it, whether it is allowed or denied. The answer counts for the input that the user saw: with `onAsk` the one that it was given, else the model's. A call
   * with another input is denied, now if a hook has rewritten it, and when it is made again.
   */
  async asks(call: ToolCall, options: RunOptions = {}): Promise<boolean> {
    checkKeys(options, RUN, 'Steps.asks: ');
    const { onAsk } = this.how;
    const pause = asking(call, { showsJudged: onAsk !== undefined }, async (input, told) => {
      await onAsk?.(copyInput(input), told);
      noteAsked(this.session, call, input);
      throw new Waits(`${call.name} waits for the user.`);
    });
    const ahead = new Ahead({ ...call, pause }, (judged) => this.#run(judged, options, { answered: false }));
    this.#ahead.push(ahead);
    const waits = await ahead.waits();
    if (waits) this.#without(ahead);
    return waits;
  }

  /** The framework asks its user about a call on its own account. The answer counts for this call as the model made it, as that to `asks` does: made with a `pause` that denies, it does not run. Throws INVALID_INPUT. */
  asked(id: string, name: string, input: unknown): void {
    noteAsked(this.session, { id, name, input });
  }

  #without(ahead: Ahead): Ahead {
    this.#ahead = this.#ahead.filter((one) => one !== ahead);
    return ahead;
  }

  async #run(call: ToolCall, options: RunOptions, how = { answered: true }): Promise<ToolResult> {
    return await this.#underWay.follow(() => this.#judgeAndRun(call, options, how));
  }

  async #judgeAndRun(call: ToolCall, { said, signal }: RunOptions, { answered }: { answered: boolean }) {
    const by = this.current;
    const pause = call.pause ?? this.how.pause;
    const passThrough = (error: unknown): boolean => this.isControlFlow(error) || call.passThrough?.(error) === true;
    try {
      const own = { ...call, passThrough, pause };
      const made = answered ? answeredAsAsked(this.session, own, this.how.onAsk !== undefined) : own;
      const result = await this.#linked(signal, () => by.tool(made));
      const one = { by, call, result: await told(result, said) };
      // A call that waited and is made again. Another one may have its id.
      this.#batch = [...this.#batch.filter((other) => other.by !== by || !isAgain(other, one)), one];
      if (result.endsLoop) this.over ??= whyOver(result);
      return result;
    } catch (error) {
      if (!passThrough(error)) {
        this.over ??= messageOf(error);
        this.#broken = true;
      }
      throw error;
    }
  }

  /** While it runs, the caller's signals interrupt the session. */
  async #linked<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const by = this.current;
    const unlinks = [this.how.signal, signal].map((one) => one && interruptOn(one, by));
    try {
      return await work();
    } finally {
      for (const unlink of unlinks) unlink?.();
      if (signal?.aborted) this.#aborted = signal;
    }
  }

  /** The signal of the caller that has ended the run. */
  get aborted(): AbortSignal | undefined {
    return this.how.signal?.aborted ? this.how.signal : this.#aborted;
  }

  /** Whether the thrown error is the framework's own control flow. */
  isControlFlow(error: unknown): boolean {
    return isErrorOf(error, Waits) || this.how.passThrough?.(error) === true;
  }

  /** For a framework whose loop cannot be ended otherwise: an error to throw into it once `over` is set; `runTurn` treats it as the end that hooks wanted. */
  leave(): Error {
    return new LoopOver(this.over);
  }

  /**
   * Waits two seconds at most for the calls under way, and not for one that it is called from. One that takes longer ends by itself, since the framework has gone on
   * without it: its PostToolUse or PostToolUseFailure comes after what is fired meanwhile (PostToolBatch, Stop, StopFailure), and it is in the next PostToolBatch. A
   * call that was judged before the framework runs it, and is not made by now, has failed.
   */
  async settled(): Promise<void> {
    await this.#underWay.settled(() => {
      for (const ahead of this.#ahead.splice(0)) void ahead.drop();
    });
  }

  /**
   * Fires PostToolBatch once all calls of a model turn are done, in any order: it waits for them as `settled` does. `order` has their ids as the model gave them.
   * Without calls nothing is fired.
   */
  async endBatch(order: readonly string[] = []): Promise<void> {
    await this.settled();
    const ran = this.#batch.splice(0).sort((a, b) => order.indexOf(a.result.id) - order.indexOf(b.result.id));
    // A call that has ended late may be that of an agent which no longer has the conversation.
    for (const by of new Set(ran.map((one) => one.by))) {
      const own = ran.filter((one) => one.by === by);
      if (!by.closed) await this.#fireBatch(by, own);
    }
  }

  async #fireBatch(by: Session, ran: readonly Made[]): Promise<void> {
    const { endsLoop, reason, decision } = await by.endBatch(
      ran.map((r) => r.call),
      ran.map((r) => r.result),
    );
    if (endsLoop) this.over ??= reason ?? 'A PostToolBatch hook ended the loop.';
    if (decision) this.#texts.push(...contextTexts('PostToolBatch', forModel(decision)));
  }

  /** Words for the model, below the system prompt of its next call. */
  tell(text: string): void {
    this.#texts.push(text);
  }

  /** The system prompt of the next model call: the base, and what hooks have to say, which is then gone. */
  systemPrompt(base: string): string {
    const texts = this.#texts.splice(0);
    return [this.current.systemPrompt(base), ...texts].filter((text) => text !== '').join('\n\n');
  }

  /**
   * A handoff: from now on the agent has the conversation, in its own scope below the session's, from SubagentStart to SubagentStop or to an interruption, which
   * fires none. `undefined`: the session's own agent has it again. The scope of the previous agent is closed. An agent that already has the conversation keeps its scope.
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
   * The model has nothing more to do, or failed: the agent's SubagentStop where one has the conversation, then the session's Stop. No Stop if a call that could not
   * be judged has ended the loop: what hooks would let go on is not there.
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

const isAgain = (one: Made, other: Made): boolean =>
  isDeepStrictEqual(
    [one.result.id, one.call.name, one.call.input],
    [other.result.id, other.call.name, other.call.input],
  );

function whyOver({ name, reason, decision, after }: ToolResult): string {
  return reason ?? decision?.stopReason ?? after?.stopReason ?? `${name} ended the loop.`;
}

/** What the framework cannot say is no error of the call, which has run. */
async function told(result: ToolResult, said: RunOptions['said']): Promise<ToolResult> {
  if (!said) return result;
  try {
    return { ...result, content: await said(result) };
  } catch {
    return result;
  }
}

/** Until it is undone. */
function interruptOn(signal: AbortSignal, session: Session): () => void {
  if (signal.aborted) void session.interrupt();
  return linkAbort(signal, { end: () => void session.interrupt() });
}
