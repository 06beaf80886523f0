import { isOrdinary, promiseIn, quiet, settle } from '../events/promises.js';
import type { Registration } from '../scopes/registration.js';
import { readOnly } from '../scopes/view.js';
import { complain, read, threw } from './answer.js';
import { type Attempt, timeout } from './attempt.js';
import type { CallbackFunction } from './call.js';
import type { Watched } from './clock.js';
import { Context } from './context.js';
import type { AnyDecision } from './decision.js';
import type { Fire } from './fire.js';
import type { Candidates, Quiet } from './plan.js';
import { Run } from './run.js';

/**
 * The way of most fires: callbacks in series, nobody watching, nobody with anything to say. It listens to each handler's own
 * promise and to nothing else; one that hangs is left behind, and finds the fire over should it ever settle. At the first word
 * or failure everything goes on in a `Run`. Its members are `private`, not `#private`: every fire would pay for that.
 */
export class Quick implements Watched {
  limit = 0;
  since = 0;
  before: Watched | undefined = undefined;
  after: Watched | undefined = undefined;
  readonly fire: Fire;
  private readonly candidates: Candidates;
  private readonly view: Readonly<Record<string, unknown>>;
  private at = 0;
  private context: Context | undefined = undefined;
  /** The first word or failure. */
  private spoke: Attempt | undefined = undefined;
  private over = false;
  // Bound, not arrow functions: a new closure's first call has to find its code again.
  private onAnswer: ((value: unknown) => void) | undefined = undefined;
  private onError: ((error: unknown) => void) | undefined = undefined;
  private resolve: ((decision: AnyDecision | Promise<AnyDecision>) => void) | undefined = undefined;
  private reject: ((error: unknown) => void) | undefined = undefined;

  constructor(fire: Fire, candidates: Candidates) {
    this.fire = fire;
    this.candidates = candidates;
    this.view = readOnly(fire.input);
  }

  start(): Promise<AnyDecision> {
    this.fire.quick = this;
    const answer = this.next();
    if (this.over) return this.abandon(answer);
    if (answer === undefined) return this.spoke ? this.handOver(this.spoke) : this.quiet().promise;
    this.fire.services.clock.watch(this);
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.onAnswer = this.answered.bind(this);
      this.onError = this.failed.bind(this);
      this.listen(answer);
    });
  }

  /** Calls handlers from where it stands until one answers with a promise, and gives that; else all were silent, or one spoke. */
  private next(): Promise<unknown> | undefined {
    const { list } = this.candidates;
    for (; this.at < list.length && !this.over; this.at++) {
      const registration = list[this.at] as Registration;
      const context = new Context(this.fire, 'first');
      const { callback } = registration.work as { callback: CallbackFunction };
      this.context = context;
      let answer: unknown;
      try {
        answer = callback(this.view, this.fire.toolUseID, context);
      } catch (error) {
        this.spoke = { failure: threw(error) };
        return undefined;
      }
      if (answer === undefined) continue;
      const later = promiseIn(answer, ready);
      if (later === undefined) {
        this.spoke = this.read(answer);
        return undefined;
      }
      this.limit = registration.timeout * 1000;
      this.since = 0;
      return later;
    }
    return undefined;
  }

  private answered(value: unknown): void {
    if (this.over) quiet(value);
    else if (value !== undefined) this.end(this.read(value));
    else this.goOn();
  }

  private goOn(): void {
    this.at++;
    const answer = this.next();
    if (answer === undefined) this.end(this.spoke);
    else this.listen(answer);
  }

  private listen(answer: Promise<unknown>): void {
    try {
      void answer.then(this.onAnswer, this.onError);
    } catch {
      // It only looks like a promise.
      void settle(answer).then(this.onAnswer, this.onError);
    }
  }

  private failed(error: unknown): void {
    this.end({ failure: threw(error) });
  }

  expire(): void {
    if (this.over) return;
    const failure = timeout(this.current());
    Context.end(this.context as Context, new DOMException(failure.message, 'TimeoutError'));
    this.end({ failure });
  }

  cancel(): void {
    if (this.over) return;
    this.over = true;
    this.fire.services.clock.forget(this);
    if (this.context) Context.end(this.context, this.fire.cancelled);
    this.reject?.(this.fire.cancelled);
  }

  waiting(): readonly string[] {
    return [this.current().name];
  }

  private current(): Registration {
    return this.candidates.list[this.at] as Registration;
  }

  /** One of the first has cut the fire short, before anybody had to be waited for; what becomes of its answer does not matter. */
  private abandon(answer: Promise<unknown> | undefined): Promise<never> {
    if (answer !== undefined) void settle(answer).then(undefined, () => undefined);
    return Promise.reject(this.fire.cancelled);
  }

  private read(value: unknown): Attempt {
    const { fire, context } = this;
    return read(
      { fire, registration: this.current(), context: context as Context, told: undefined, input: fire.input },
      value,
    );
  }

  private end(spoke: Attempt | undefined): void {
    if (this.over) return;
    this.over = true;
    this.fire.services.clock.forget(this);
    this.resolve?.(spoke === undefined ? this.quiet().decision : this.handOver(spoke));
  }

  private quiet(): Quiet {
    if (this.fire.remembers) this.fire.silent();
    return this.candidates.quiet as Quiet;
  }

  private async handOver(spoke: Attempt): Promise<AnyDecision> {
    const at = this.at;
    if (spoke.failure || spoke.warnings?.length) complain(this.fire, this.current(), spoke);
    const run = new Run(this.fire);
    run.takeOver(at, spoke);
    return this.fire.follow(run);
  }
}

/** The answer itself where it is an ordinary promise, whose `then` can be called as it is. */
function ready(answer: PromiseLike<unknown>): Promise<unknown> {
  return isOrdinary(answer) ? (answer as Promise<unknown>) : settle(answer);
}
