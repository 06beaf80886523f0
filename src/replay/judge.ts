import { isDeepStrictEqual } from 'node:util';
import type { Host } from '../create-host.js';
import { isHookscopeError } from '../errors.js';
import type { EventSpec } from '../events/spec.js';
import { callEnded, ran, rememberDecision } from '../host/alarms/use.js';
import type { HostCore } from '../host/core.js';
import { type AnyDecision, makeDecision } from '../host/decide/decision.js';
import { FireRun } from '../host/fire/fire-run.js';
import { completeInput } from '../host/fire/input.js';
import type { FireSettings } from '../host/fire-options.js';
import { servicesOf } from '../host/internals.js';
import type { Plan } from '../host/plan/plan.js';
import type { EventState } from '../host/services.js';
import type { ScopeLookup } from '../scopes/tree.js';
import { describeError } from '../values/message.js';
import type { Json } from '../values/shape.js';
import type { StandIns, UnknownAnswer } from './answering.js';
import { GroupTime } from './answers/group-time.js';
import { canonicalDecision, type DecisionWord, effectOf, wordOf } from './changes/canonical.js';
import { claimingScopes, meetClaims, noteClaims } from './claiming.js';
import { Claims } from './claims.js';
import { ReplayAnswers } from './given.js';
import { type AnswerGuess, guessesOn, silence } from './guesses.js';
import type { ReplayPlace } from './others.js';
import type { RecordedFire } from './recorded.js';
import { quietCore, ReplayHost } from './world.js';

/** What a judgement is based on: the host's decision, the plan, and `how`, a key for all other settings that matter. */
export interface DecidedBy {
  readonly decision: AnyDecision;
  readonly plan: Plan;
  readonly spec: EventSpec;
  readonly how: string;
}

/** The decision of a configuration about a recorded fire. */
export interface ReplayVerdict {
  /** In canonical form. If `unknown` is not empty, those hooks are taken as silent. */
  readonly decision: Json;
  /** Hooks with unknown answers that could change the decision; empty if none can. */
  readonly unknown: readonly UnknownAnswer[];
  /** Why it could not be decided at all. */
  readonly problem?: string | undefined;
  /** There were hooks with unknown answers, but they could only change texts for the user or the reason of a denial. */
  readonly isSettled?: boolean | undefined;
  /** The decision's word, if hooks with unknown answers cannot change it. */
  readonly word?: DecisionWord | undefined;
  readonly by?: DecidedBy | undefined;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** Decides recorded fires with the host's own code, but with recorded answers in place of hooks. One fire at a time. */
export class Judge {
  readonly #core: HostCore;
  readonly #quiet: HostCore;
  readonly #how: StandIns;
  readonly #world: ReplayHost;
  readonly #states = new Map<string, EventState>();
  readonly #revision: string;

  constructor(host: Host, runCallbacks: boolean) {
    this.#core = servicesOf(host);
    this.#quiet = quietCore(this.#core);
    const now: StandIns['now'] = {
      given: undefined as never,
      guess: silence,
      unknown: new Map(),
      isSame: false,
      time: new GroupTime(),
      called: [],
    };
    const claims = new Claims();
    this.#how = { now, claims, runCallbacks, scopeOf: claimingScopes({ claims, now }) };
    this.#world = new ReplayHost(this.#core, this.#how);
    this.#revision = this.#core.revision();
  }

  async judge(fire: RecordedFire): Promise<ReplayVerdict> {
    const state = this.#core.events[fire.event];
    if (state?.spec.name !== fire.event) return undecided(`this configuration knows no event ${fire.event}`);
    const input = completeInput(state, fire.input, this.#core.session);
    if (isHookscopeError(input)) return undecided(input.message);
    try {
      return await this.#decide(input === fire.input ? fire : { ...fire, input }, state);
    } catch (error) {
      this.#how.claims.take();
      return undecided(describeError(error));
    }
  }

  async #decide(fire: RecordedFire, state: EventState): Promise<ReplayVerdict> {
    const { now, claims } = this.#how;
    const { spec } = state;
    const given = new ReplayAnswers(fire, spec);
    now.given = given;
    now.isSame = fire.revision === this.#revision;
    now.unknown = new Map();
    now.called = [];
    if (state.opens) this.#world.started(fire);
    const place = this.#world.placeOf(fire);
    const { found } = place;
    const session = fire.input['session_id'];
    const plan = this.#world.planOf(state, found, given.hasGaps).in(session);
    const once = plan.registrations.filter((r) => r.once);
    meetClaims(once, this.#how);
    const untapped = this.#untapped(state);
    const run = (guess: AnswerGuess, by: Plan): Promise<AnyDecision> => {
      now.guess = guess;
      now.time = new GroupTime();
      if (by.size === 0) return Promise.resolve(makeDecision(spec, undefined, NOTHING));
      return new FireRun(this.#quiet, untapped, found, by, fire.input, settingsOf(fire), false, false).start();
    };
    const decision = await run(silence, plan);
    const strangers = guessesOn(spec).length > 1 ? strangersOf(fire, place) : NOTHING;
    if (place.others) this.#world.doubtOthers(fire, once);
    const runs = [claims.take()];
    let unknown: UnknownAnswer[] = [...now.unknown.values(), ...strangers];
    let isSettled = false;
    let isCertain = false;
    if (strangers.length === 0 && unknown.length > 0) {
      const careful = this.#world.planOf(state, found, true).in(session);
      const effect = effectOf(spec, asJson(decision));
      isSettled = true;
      isCertain = true;
      for (const guess of guessesOn(spec)) {
        const guessed = await run(guess, careful);
        isSettled &&= isDeepStrictEqual(effectOf(spec, asJson(guessed)), effect);
        isCertain &&= hasSameWord(guessed, decision);
        runs.push(claims.take());
        // With `once` hooks, all guesses are run, to learn which of them may have had their single run.
        if (!isCertain && once.length === 0) break;
      }
      if (isSettled) unknown = [];
    }
    claims.settle(runs);
    noteClaims(once, this.#how);
    if (state.closes) claims.part(fire);
    if (state.closes && (unknown.length > 0 || !decision.continues)) this.#world.ended(fire, unknown.length === 0);
    this.#remember(fire, state, found, decision);
    const told = canonicalDecision({ ...decision } as unknown as Json, (id) => nameIn(plan, id));
    return {
      decision: told,
      unknown,
      isSettled,
      word: isCertain ? wordOf(told) : undefined,
      by: { decision, plan, spec, how: this.#wayOf(strangers) },
    };
  }

  /** A later question about the call is decided by who has asked about it. */
  #remember(fire: RecordedFire, state: EventState, found: ScopeLookup, decision: AnyDecision): void {
    const { input, toolUse: toolUseID } = fire;
    const decided = { services: this.#quiet, state, input, found, options: { toolUseID } };
    if (state.spec.callRole === 'ran') ran(decided);
    else if (state.spec.endsCall) callEnded(decided);
    else rememberDecision({ ...decided, remembers: false, cancelled: undefined }, decision);
  }

  /** A key for what decides besides the plan's hooks; with hooks outside the plan, the whole configuration's. */
  #wayOf(strangers: readonly UnknownAnswer[]): string {
    const { decisions, merge } = this.#core;
    return strangers.length > 0 ? this.#revision : `${decisions} ${merge}`;
  }

  /** The event without raw taps: they must not be called, and have stand-ins in the plan. */
  #untapped(state: EventState): EventState {
    if (state.hook === undefined) return state;
    const known = this.#states.get(state.spec.name);
    if (known !== undefined) return known;
    const untapped: EventState = { ...state, hook: undefined };
    this.#states.set(state.spec.name, untapped);
    return untapped;
  }
}

const asJson = (decision: AnyDecision): Json => decision as unknown as Json;

/** Whether two decisions have the same word; `continues` is compared too, because the word does not show it. */
const hasSameWord = (a: AnyDecision, b: AnyDecision): boolean =>
  wordOf(asJson(a)) === wordOf(asJson(b)) && a.continues === b.continues;

function undecided(problem: string): ReplayVerdict {
  return { decision: {}, unknown: NOTHING, problem };
}

function settingsOf({ id, toolUse, fired, decision }: RecordedFire): FireSettings {
  const { doneBy, keepsKeys, guards, canAsk } = fired ?? {};
  const endedBy = decision?.['endedBy'] as FireSettings['endedBy'];
  return { shadowOf: id, toolUseID: toolUse, endedBy, doneBy, keepsKeys, guards, canAsk };
}

/** Placeholders for hooks that could matter but are in no plan. */
function strangersOf(fire: RecordedFire, { makes, others, above, several }: ReplayPlace): readonly UnknownAnswer[] {
  const unknown = [makes && madeFor(fire), others && OTHERS, above && ABOVE, several && SEVERAL];
  return unknown.filter((one) => typeof one === 'object');
}

/** The reason why the type hooks of agents above are unknown. */
export const STARTER_NOT_RECORDED =
  'the hooks of the agents above this one count too, and who started it was not recorded';

const ABOVE: UnknownAnswer = { name: 'spawnHooks of agents above', kind: 'callback', why: STARTER_NOT_RECORDED };

const SEVERAL: UnknownAnswer = {
  name: 'spawnHooks of several types',
  kind: 'callback',
  why: 'events of this agent name several types, whose hooks count together',
};

const OTHERS: UnknownAnswer = {
  name: 'merge: "all"',
  kind: 'callback',
  why: 'the hooks of other agents count too, and which agents were running is not known',
};

const madeFor = ({ agentType = '' }: RecordedFire): UnknownAnswer => ({
  name: `spawnHooks("${agentType}")`,
  kind: 'callback',
  why: 'a function makes the hooks of this agent, and was not called',
});

const nameIn = ({ registrations }: Plan, id: string): string => registrations.find((r) => r.id === id)?.name ?? id;
