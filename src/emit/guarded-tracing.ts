import type { TraceCarrier } from '../values/trace-carrier.js';
import { type Logger, reportError } from './guard.js';
import type { Traced, TracedWork, Tracing } from './tracing.js';

/** A host's tracing, guarded: a tracer that throws is detached, and neither the host nor a hook is affected. */
export class GuardedTracing {
  /** The trace context of a command's caller: the parent of spans that have no other parent. */
  incoming: TraceCarrier | undefined = undefined;
  readonly hostId: string;
  readonly #tracing: Tracing;
  readonly #logger: Logger;
  #detach: () => void = () => undefined;
  #isOver = false;

  constructor(tracing: Tracing, logger: Logger, hostId: string) {
    this.hostId = hostId;
    this.#tracing = tracing;
    this.#logger = logger;
  }

  /** Only the attaching is guarded here; the subscription that delivers records has its own guard. */
  attach(events$: Parameters<Tracing['attach']>[0]): void {
    this.#guard(() => {
      this.#detach = this.#tracing.attach(events$);
    });
  }

  begin(work: TracedWork, parent?: Traced, incoming: TraceCarrier | undefined = this.incoming): Traced | undefined {
    if (this.#isOver) return undefined;
    const traced = this.#guard(() => this.#tracing.begin(work, innerOf(parent), incoming));
    return traced === undefined ? undefined : new GuardedTraced(traced, (step) => this.#guard(step));
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#guard(() => this.#detach());
    try {
      await this.#tracing.flush();
    } catch (error) {
      reportError(this.#logger, 'What the option tracing holds could not be handed on', error);
    }
  }

  #guard<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!this.#isOver)
        reportError(this.#logger, 'The option tracing threw and was detached; the host goes on', error);
      this.#isOver = true;
      return undefined;
    }
  }
}

const innerOf = (traced: Traced | undefined): Traced | undefined =>
  traced instanceof GuardedTraced ? traced.inner : traced;

class GuardedTraced implements Traced {
  readonly inner: Traced;
  readonly #guard: <T>(step: () => T) => T | undefined;

  constructor(inner: Traced, guard: <T>(step: () => T) => T | undefined) {
    this.inner = inner;
    this.#guard = guard;
  }

  get carrier(): TraceCarrier | undefined {
    return this.#guard(() => this.inner.carrier);
  }

  end(): void {
    this.#guard(() => this.inner.end());
  }

  /** Runs the work exactly once, whatever the tracer does; errors of the work are rethrown. */
  run<T>(work: () => T): T {
    let done: { readonly value: T } | { readonly thrown: unknown } | undefined;
    this.#guard(() =>
      this.inner.run(() => {
        done = outcomeOf(work);
      }),
    );
    const outcome = done ?? outcomeOf(work);
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.value;
  }
}

function outcomeOf<T>(work: () => T): { readonly value: T } | { readonly thrown: unknown } {
  try {
    return { value: work() };
  } catch (thrown) {
    return { thrown };
  }
}
