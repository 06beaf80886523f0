import type { HookscopeError } from '../../errors.js';
import type { EventSpec, Subject } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import type { ScopeLookup } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import type { FireSettings } from '../fire-options.js';
import type { Plan } from '../plan/plan.js';
import type { EventState, Services } from '../services.js';
import type { CallReporter, FireReporter } from './attempt.js';
import type { CarriedInput } from './carry.js';
import type { Context } from './context.js';

/** What is known about a fire from its beginning. Contexts, records and background runs read it; none of it changes. */
export interface FireFacts {
  readonly services: Services;
  readonly state: EventState;
  readonly spec: EventSpec;
  readonly plan: Plan;
  /** The parsed input, before any rewrite. */
  readonly input: Json;
  readonly options: FireSettings;
  readonly found: ScopeLookup;
  readonly subject: Subject;
  readonly toolUseID: string | undefined;
  /** Made on first use: most fires have no subscriber. */
  readonly id: string;
  readonly scopeId: string;
  /** Keeps late context for the next turn. Does nothing once the agent, or the session that a driver holds, has ended. */
  addContext(texts: string[]): void;
}

/** One call of one handler. */
export interface CallFacts {
  readonly fire: RunningFire;
  readonly registration: Registration;
  readonly context: Context;
  readonly reporter: CallReporter | undefined;
  /** The input it was called with. */
  readonly input: Json;
  /** The call already continues in the background because its answer said so, which it can do only once. */
  readonly followed?: true | undefined;
}

/** A call that continues in the background. */
export interface BackgroundCall extends CallFacts {
  readonly later: Promise<unknown>;
  /** Milliseconds; 0: without a limit. */
  readonly limitMs: number;
}

/** Keeps track of background work. */
export interface BackgroundWork {
  keep(
    name: string,
    done: Promise<unknown>,
    end: () => Promise<void>,
    options?: { readonly runs?: (() => boolean) | undefined },
  ): void;
  /** A handler that timed out and is still cleaning up. */
  linger(name: string, answer: Promise<unknown>): void;
  follow(followed: BackgroundCall): void;
}

/** What a call needs from the fire that makes it. */
export interface RunningFire extends FireFacts {
  readonly background: BackgroundWork;
  /** Made only when there is a subscriber. */
  readonly reporter: FireReporter | undefined;
  /** Times the calls if there is a subscriber or `slowAfter` is set. Looked up once per fire, because `performance` is a getter. */
  readonly clock: { now(): number } | undefined;
  /** Why the fire was cut short, once it was. */
  readonly cancelled: HookscopeError | undefined;
  /** Whether managed policy has asked about the call that this fire puts to the user. */
  readonly asksByPolicy: boolean;
  /** If hooks have asked about that call: the depth of the outermost scope with one of them. */
  askedAt(): number | undefined;
  cancel(error: HookscopeError): void;
  /** Rejects the fire, because a value from the agent threw when it was read. */
  fail(error: unknown): void;
  /** The input for hooks outside the process; `undefined`: it cannot be serialised, and the fire has been cancelled. */
  carried(input: Json): CarriedInput | undefined;
  /** Milliseconds a handler has; handlers that share a deadline get what is left of it. 0: no limit. */
  remaining(registration: Registration): number;
}
