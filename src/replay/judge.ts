import { isDeepStrictEqual } from 'node:util';
import type { Host } from '../create-host.js';
import { isHookscopeError } from '../errors.js';
import type { HostCore } from '../host/core.js';
import { type AnyDecision, makeDecision } from '../host/decide/decision.js';
import { FireRun } from '../host/fire/fire-run.js';
import { completeInput } from '../host/fire/input.js';
import type { FireSettings } from '../host/fire-options.js';
import { servicesOf } from '../host/internals.js';
import type { Plan } from '../host/plan/plan.js';
import type { EventState } from '../host/services.js';
import { describeError } from '../values/message.js';
import type { Json } from '../values/shape.js';
import type { StandIns, Unanswered } from './answering.js';
import { canonicalDecision, effectOf } from './canonical.js';
import { Claims } from './claims.js';
import { Given } from './given.js';
import { type Guess, guessesOn, silence } from './guesses.js';
import type { RecordedFire } from './recorded.js';
import { claimingScopes, quietCore, World } from './world.js';

/** The decision of a configuration about a recorded fire. */
export interface Judged {
  /** In canonical form; if `unknown` is not empty, as if those hooks had said nothing. */
  readonly decision: Json;
  /** Hooks with unknown answers that could change it; empty: it is settled. */
  readonly unknown: readonly Unanswered[];
  /** Why it could not be decided at all. */
  readonly problem?: string | undefined;
  /** The host's own decision, and everybody who could be asked. */
  readonly by?: { readonly decision: AnyDecision; readonly plan: Plan } | undefined;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** Decides recorded fires on a host's own path without asking any hook: the recorded answers are used. One at a time. */
export class Judge {
  readonly #core: HostCore;
  readonly #quiet: HostCore;
  readonly #how: StandIns;
  readonly #world: World;
  readonly #states = new Map<string, EventState>();
  readonly #revision: string;

  constructor(host: Host, runCallbacks: boolean) {
    this.#core = servicesOf(host);
    this.#quiet = quietCore(this.#core);
    const now: StandIns['now'] = { given: undefined as never, guess: silence, unknown: new Map(), isSame: false };
    const claims = new Claims();
    this.#how = { now, claims, runCallbacks, scopeOf: claimingScopes({ claims, now }) };
    this.#world = new World(this.#core, this.#how);
    this.#revision = this.#core.revision();
  }

  async judge(fire: RecordedFire): Promise<Judged> {
    const state = this.#core.events[fire.event];
    if (state?.spec.name !== fire.event) return undecided(`this configuration knows no event ${fire.event}`);
    const input = completeInput(state, fire.input, this.#core.session);
    if (isHookscopeError(input)) return undecided(input.message);
    try {
      return await this.#decide(input === fire.input ? fire : { ...fire, input }, state);
    } catch (error) {
      return undecided(describeError(error));
    }
  }

  async #decide(fire: RecordedFire, state: EventState): Promise<Judged> {
    const { now, claims } = this.#how;
    const { spec } = state;
    const given = new Given(fire, spec);
    now.given = given;
    now.isSame = fire.revision === this.#revision;
    now.unknown = new Map();
    const { found, makes } = this.#world.placeOf(fire);
    const session = fire.input['session_id'];
    const plan = this.#world.planOf(state, found, given.hasGaps).in(session);
    const untapped = this.#untapped(state);
    const run = (guess: Guess, by: Plan): Promise<AnyDecision> => {
      now.guess = guess;
      if (by.size === 0) return Promise.resolve(makeDecision(spec, undefined, NOTHING));
      return new FireRun(this.#quiet, untapped, found, by, fire.input, settingsOf(fire), false, false).start();
    };
    const decision = await run(silence, plan);
    claims.begin();
    let unknown = [...now.unknown.values()];
    if (makes && guessesOn(spec).length > 1) unknown.push(madeFor(fire));
    else if (unknown.length > 0) {
      const careful = this.#world.planOf(state, found, true).in(session);
      if (await this.#isSettled(decision, guessesOn(spec), (guess) => run(guess, careful))) unknown = [];
    }
    if (state.closes && unknown.length === 0 && !decision.continues) this.#world.ended(fire);
    const told = canonicalDecision({ ...decision } as unknown as Json, (id) => nameIn(plan, id));
    return { decision: told, unknown, by: { decision, plan } };
  }

  /** Whether the decision is the same whatever the hooks with unknown answers say. */
  async #isSettled(
    decision: AnyDecision,
    guesses: readonly Guess[],
    run: (guess: Guess) => Promise<AnyDecision>,
  ): Promise<boolean> {
    const { claims } = this.#how;
    const effect = effectOf(decision);
    for (const guess of guesses) {
      const other = effectOf(await run(guess));
      claims.takeBack();
      if (!isDeepStrictEqual(other, effect)) return false;
    }
    return true;
  }

  /** Raw taps are in the plan, and must not be called. */
  #untapped(state: EventState): EventState {
    if (state.hook === undefined) return state;
    const known = this.#states.get(state.spec.name);
    if (known !== undefined) return known;
    const untapped: EventState = { ...state, hook: undefined };
    this.#states.set(state.spec.name, untapped);
    return untapped;
  }
}

function undecided(problem: string): Judged {
  return { decision: {}, unknown: NOTHING, problem };
}

function settingsOf({ id, toolUse, fired, decision }: RecordedFire): FireSettings {
  const { doneBy, keepsKeys, guards, canAsk } = fired ?? {};
  const endedBy = decision?.['endedBy'] as FireSettings['endedBy'];
  return { shadowOf: id, toolUseID: toolUse, endedBy, doneBy, keepsKeys, guards, canAsk };
}

const madeFor = ({ agentType = '' }: RecordedFire): Unanswered => ({
  name: `spawnHooks("${agentType}")`,
  kind: 'callback',
  why: 'a function makes the hooks of this agent, and was not called',
});

const nameIn = ({ registrations }: Plan, id: string): string => registrations.find((r) => r.id === id)?.name ?? id;
