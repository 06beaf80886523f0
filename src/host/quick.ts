import type { Registration } from '../scopes/registration.js';
import { readOnly } from '../scopes/view.js';
import { complain, isThenable, read, threw } from './answer.js';
import { type Attempt, timeout } from './attempt.js';
import type { CallbackFunction } from './call.js';
import type { Watched } from './clock.js';
import { Context } from './context.js';
import { type AnyDecision, makeDecision } from './decision.js';
import type { Fire } from './fire.js';
import { Run } from './run.js';

/** What calling handlers came to: one answered with a promise, one spoke, or all were silent. */
type Called = { readonly answer: PromiseLike<unknown> } | { readonly spoke: Attempt } | undefined;

/**
 * The way of most fires: callbacks in series, nobody watching, nobody with anything to say. It awaits each handler's own promise
 * and nothing else; a handler that hangs is left behind by starting a second loop after it (the first one, if it ever
 * wakes, sees that its turn is over). At the first word or failure everything goes on in a `Run`.
 */
export class Quick implements Watched {
  limit = 0;
  since = 0;
  before: Watched | undefined;
  after: Watched | undefined;
  readonly fire: Fire;
  readonly #list: readonly Registration[];
  readonly #view: Readonly<Record<string, unknown>>;
  #turn = 0;
  #at = 0;
  #context: Context | undefined;
  #resolve: ((decision: AnyDecision | Promise<AnyDecision>) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(fire: Fire, list: readonly Registration[]) {
    this.fire = fire;
    this.#list = list;
    this.#view = readOnly(fire.input);
  }

  start(): Promise<AnyDecision> {
    const pending = this.#call();
    if (this.fire.cancelled !== undefined) return this.#abandon(pending);
    if (pending === undefined) return Promise.resolve(this.#quiet());
    if ('spoke' in pending) return this.#handOver(pending.spoke);
    this.fire.services.clock.watch(this);
    this.fire.quick = this;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      void this.#loop(pending.answer);
    });
  }

  /** Calls handlers from where it stands until one answers with a promise or with a word; `undefined`: all were silent. */
  #call(): Called {
    const list = this.#list;
    const fire = this.fire;
    for (; this.#at < list.length; this.#at++) {
      // One of them has cut the fire short.
      if (fire.cancelled !== undefined) return undefined;
      const registration = list[this.#at] as Registration;
      const context = new Context(fire, registration, 'first');
      this.#context = context;
      try {
        const work = registration.work as { callback: CallbackFunction };
        const answer = work.callback(this.#view, fire.toolUseID, context);
        if (answer === undefined) continue;
        if (!isThenable(answer)) return { spoke: this.#read(answer) };
        this.limit = registration.timeout * 1000;
        this.since = 0;
        return { answer };
      } catch (error) {
        return { spoke: { failure: threw(error) } };
      }
    }
    return undefined;
  }

  async #loop(first: PromiseLike<unknown>): Promise<void> {
    const turn = this.#turn;
    let answer = first;
    for (;;) {
      let spoke: Attempt | undefined;
      try {
        const value = await answer;
        if (turn !== this.#turn) return;
        if (value !== undefined) spoke = this.#read(value);
      } catch (error) {
        if (turn !== this.#turn) return;
        spoke = { failure: threw(error) };
      }
      if (spoke !== undefined) return this.#end(spoke);
      this.#at++;
      const next = this.#call();
      if (turn !== this.#turn) return ignore(next);
      if (next === undefined) return this.#end(undefined);
      if ('spoke' in next) return this.#end(next.spoke);
      answer = next.answer;
    }
  }

  expire(): void {
    const context = this.#context as Context;
    const failure = timeout(this.#current());
    Context.end(context, new DOMException(failure.message, 'TimeoutError'));
    this.#end({ failure });
  }

  cancel(): void {
    this.#turn++;
    this.fire.services.clock.forget(this);
    if (this.#context) Context.end(this.#context, this.fire.cancelled);
    this.#reject?.(this.fire.cancelled);
  }

  waiting(): readonly string[] {
    return [this.#current().name];
  }

  #current(): Registration {
    return this.#list[this.#at] as Registration;
  }

  /** One of the first has cut the fire short, before anybody had to be waited for. */
  #abandon(pending: Called): Promise<never> {
    ignore(pending);
    if (this.#context) Context.end(this.#context, this.fire.cancelled);
    return Promise.reject(this.fire.cancelled);
  }

  #read(value: unknown): Attempt {
    const { fire } = this;
    const asked = {
      fire,
      registration: this.#current(),
      context: this.#context as Context,
      told: undefined,
      input: fire.input,
    };
    return read(asked, value);
  }

  #end(spoke: Attempt | undefined): void {
    if (this.fire.cancelled !== undefined) return;
    this.#turn++;
    this.fire.services.clock.forget(this);
    this.#resolve?.(spoke === undefined ? this.#quiet() : this.#handOver(spoke));
  }

  async #handOver(spoke: Attempt): Promise<AnyDecision> {
    const at = this.#at;
    if (spoke.failure || spoke.warnings?.length) complain(this.fire, this.#current(), spoke);
    const run = new Run(this.fire);
    run.takeOver(at, spoke);
    return this.fire.follow(run);
  }

  #quiet(): AnyDecision {
    const list = this.#list;
    return makeDecision(this.fire.entry, undefined, () => list.map(({ id, name }) => ({ id, name })));
  }
}

/** What becomes of it does not matter any more. */
function ignore(called: Called): void {
  if (called && 'answer' in called) Promise.resolve(called.answer).catch(() => undefined);
}
