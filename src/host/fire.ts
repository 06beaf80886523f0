import { randomUUID } from 'node:crypto';
import { HookscopeError } from '../errors.js';
import { copyJson } from '../events/copy.js';
import type { EventEntry } from '../events/define.js';
import type { Registration } from '../scopes/registration.js';
import type { Scope } from '../scopes/scope.js';
import type { Found } from '../scopes/tree.js';
import { decided, ran, undecided } from './alarms/use.js';
import { type Carried, Carrying } from './carry.js';
import type { Watched } from './clock.js';
import type { AnyDecision } from './decision.js';
import type { FireHow } from './fire-options.js';
import { fold } from './fold.js';
import type { EventHook } from './hooks.js';
import { completeInput } from './input.js';
import type { EndSignal } from './lazy-signal.js';
import { obey } from './obey.js';
import type { Plan } from './plan.js';
import { Quick } from './quick.js';
import { recordHandlers } from './record.js';
import { Run } from './run.js';
import type { EventState, Services } from './services.js';
import { Teller, tellRefused, tellUnreadable } from './telling.js';

export type { FireHow, FireOptions } from './fire-options.js';

type Input = Readonly<Record<string, unknown>>;

/**
 * The one way of an event, from the agent loop to its decision. Each step is a call here and never calls the next:
 * find the event and the scope, choose the plan, parse the input once, run, fold, tell.
 */
export function fire(services: Services, event: string, input: Input, options?: FireHow): Promise<AnyDecision> {
  const state = services.events[event];
  // A list of one name, which is as good a key, is not that name.
  if (state?.entry.name !== event) return Promise.reject(services.unknownEvent(event));
  if (services.closed && !options?.last) return Promise.reject(new HookscopeError('CLOSED', { event }));
  const signal = options?.signal;
  if (signal?.aborted) {
    const error = new HookscopeError('ABORTED', { event });
    undecided({ services, state, input, found: undefined, how: options }, error);
    return Promise.reject(error);
  }

  const watched = services.bus.observed;
  return !watched && isIdle(services, state, options) ? state.quiet : begin(services, state, input, options, watched);
}

/** From the plan on; apart, so that what is above stays small enough to be inlined where nothing is to be done. */
function begin(
  services: Services,
  state: EventState,
  input: Input,
  options: FireHow | undefined,
  watched: boolean,
): Promise<AnyDecision> {
  const found = services.registrar.scopeOf(input, options?.scope, state.opens);
  const { call } = state.entry;
  if (call === 'ran') ran({ services, state, input, found, how: options });
  const plan = state.plans.get(found.scope);
  const remembers = call === 'judges' && (watched || services.alarms.awake || options?.everyTool === true);
  const told = watched || (remembers && services.alarms.cares(call, options?.everyTool));
  if (plan.size === 0 && !told && !state.hook?.foreign) return ended(services, state, found, state.quiet);

  const complete = completeInput(state, input, services.session);
  if (complete instanceof HookscopeError) {
    undecided({ services, state, input, found, how: options }, complete);
    if (watched) tellRefused(services, state.entry, input, complete.code);
    return Promise.reject(complete);
  }

  const fire = new Fire(services, state, found, plan, complete);
  fire.how = options;
  fire.remembers = remembers;
  if (watched) fire.teller = new Teller(fire, services.bus);
  const signal = options?.signal;
  return ended(services, state, found, signal ? fire.startUnder(signal) : fire.start());
}

/** Nothing that a fire of the event could do: no registration in any scope, no raw tap, no scope to open or to close, nothing to compare. */
function isIdle(services: Services, state: EventState, options: FireHow | undefined): boolean {
  const { call } = state.entry;
  return (
    state.plans.total === 0 &&
    !services.registrar.spawns &&
    !state.closes &&
    !state.hook?.foreign &&
    (call === undefined || !services.alarms.cares(call, options?.everyTool))
  );
}

/** An agent that was let stop takes its scope with it. */
function ended(
  services: Services,
  state: EventState,
  found: Found,
  decision: Promise<AnyDecision>,
): Promise<AnyDecision> {
  if (!state.closes) return decision;
  return decision.then((d) => {
    if (!d.goesOn) services.registrar.agentEnded(found.scope);
    return d;
  });
}

/** One fire under way. */
export class Fire {
  readonly services: Services;
  readonly plan: Plan;
  readonly input: Input;
  teller: Teller | undefined;
  how: FireHow | undefined;
  /** Whether it is remembered when nobody says anything. */
  remembers = false;
  /** Why it was cut short, once it was. */
  cancelled: HookscopeError | undefined;
  /** The quick way, while it waits for somebody. */
  quick: Watched | undefined;
  readonly state: EventState;
  readonly found: Found;
  #id: string | undefined;
  #live: Set<Watched> | undefined;
  #carrying: Carrying | undefined;
  #shared: Map<object, number> | undefined;

  constructor(services: Services, state: EventState, found: Found, plan: Plan, input: Input) {
    this.services = services;
    this.state = state;
    this.found = found;
    this.plan = plan;
    this.input = input;
  }

  get entry(): EventEntry {
    return this.state.entry;
  }
  get hook(): EventHook | undefined {
    return this.state.hook;
  }
  get scope(): Scope {
    return this.found.scope;
  }
  get scopeId(): string {
    return this.found.id;
  }
  get scopeKnown(): boolean {
    return this.found.known;
  }
  /** Where context that comes late waits for the next turn; nowhere once the agent, or the driven session, has ended. */
  get waiting(): string[] | undefined {
    const { scope, session } = this.found;
    if (scope.closed && (scope.kind === 'agent' || scope.driven)) return undefined;
    if (scope.kind === 'agent') return scope.pending;
    return this.services.registrar.waitingFor(session ?? String(this.input['session_id']));
  }
  get subject(): string | undefined {
    return this.entry.subject?.(this.input);
  }
  get toolUseID(): string | undefined {
    return this.how?.toolUseID ?? (this.input['tool_use_id'] as string | undefined);
  }
  get canAsk(): boolean | undefined {
    return this.how?.canAsk;
  }
  /** Ids of `once` hooks that ran for this call in an earlier fire. */
  get asked(): Set<string> | undefined {
    return this.how?.asked;
  }
  get id(): string {
    this.#id ??= randomUUID();
    return this.#id;
  }
  /** What is waited for in this fire. */
  get live(): Set<Watched> {
    this.#live ??= new Set();
    return this.#live;
  }

  start(): Promise<AnyDecision> {
    if (!this.teller && !this.hook?.foreign && this.services.slowAfter === 0) {
      const candidates = this.plan.candidates(this.entry.subject?.(this.input), this.input);
      if (candidates.plain) return new Quick(this, candidates).start();
    }
    return this.follow(new Run(this));
  }

  /** The run's decision, or the end that was put to it. */
  follow(run: Run): Promise<AnyDecision> {
    return new Promise((resolve, reject) => {
      const node: Watched = {
        limit: 0,
        since: 0,
        fire: this,
        expire: () => undefined,
        cancel: () => reject(this.cancelled),
        waiting: () => [],
      };
      this.live.add(node);
      this.services.clock.watch(node);
      run
        .execute()
        .then(() => this.#decide(run))
        .then(
          (decision) => (this.cancelled ? reject(this.cancelled) : resolve(decision)),
          (error: unknown) => reject(this.cancelled ?? tellUnreadable(this, error)),
        )
        .finally(() => {
          this.live.delete(node);
          this.services.clock.forget(node);
        });
    });
  }

  /** The last two steps: all answers become one, and whoever watches is told. */
  #decide(run: Run): AnyDecision {
    const { rewrites } = run;
    const decision = fold(this.entry, run.said(), {
      decisions: this.services.decisions,
      subject: this.subject,
      endedBy: this.how?.endedBy,
      clashes: rewrites.clashes,
      // The harness's own copy: what it does with it changes no record.
      rewritten: rewrites.rewritten && { value: copyJson(rewrites.rewritten.value) },
      withheld: this.#carrying?.withheld,
    });
    this.teller?.ended(decision, recordHandlers(run), rewrites.input, this.cancelled?.code);
    if (this.entry.call !== undefined && !this.cancelled) decided(this, decision);
    return decision;
  }

  silent(): void {
    if (this.remembers) decided(this, undefined);
  }

  /** The input for hooks outside the process. One that cannot leave it ends the fire, which is no permission. */
  carried(input: Input): Carried | undefined {
    this.#carrying ??= new Carrying(this.entry, this.services.maxInputBytes, (error) => this.cancel(error));
    return this.#carrying.of(input);
  }

  /** Ends every handler that is still running; the fire rejects with the error. */
  cancel(error: HookscopeError): void {
    this.cancelled ??= error;
    undecided(this, error);
    this.quick?.cancel();
    for (const node of [...(this.#live ?? [])]) node.cancel();
  }

  /** Starts, and is cancelled by the caller's signal until the decision is there. */
  startUnder(signal: EndSignal): Promise<AnyDecision> {
    const end = (cause: unknown): void =>
      this.cancel(new HookscopeError('ABORTED', { event: this.entry.name }, { cause }));
    const forget = obey(signal, { end });
    const decision = this.start();
    decision.then(forget, forget);
    // A handler has aborted it at once: what the others have decided is not to be read as permission.
    return this.cancelled ? Promise.reject(this.cancelled) : decision;
  }

  /** Milliseconds a handler has; handlers that share a deadline have what is left of it. 0: no limit. */
  remaining(registration: Registration): number {
    const limit = registration.timeout * 1000;
    if (!registration.shared || limit === 0) return limit;
    this.#shared ??= new Map();
    const began = this.#shared.get(registration.shared);
    const now = performance.now();
    if (began === undefined) this.#shared.set(registration.shared, now);
    return began === undefined ? limit : Math.max(1, limit - (now - began));
  }
}
