import { HookscopeError } from '../../errors.js';
import { ownInput } from '../../events/own-input.js';
import type { ScopeLookup, ScopeRef } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import { type CallFire, callEnded, ran, rememberDecision, undecided } from '../alarms/use.js';
import type { HostCore } from '../core.js';
import type { AnyDecision } from '../decide/decision.js';
import type { FireSettings } from '../fire-options.js';
import type { SilentDecision } from '../plan/plan.js';
import type { EventState } from '../services.js';
import { reportRefused } from '../tell/refused.js';
import { FireRun } from './fire-run.js';
import { completeInput, type SessionFields } from './input.js';
import { followByShadows } from './shadow.js';

interface WithProto {
  readonly __proto__?: unknown;
}

/** Whether `__proto__` says what an object inherits from. Asking it is quick: with `Object.getPrototypeOf` the fire of one hook takes a tenth longer. Node's `--disable-proto` takes it away. */
const HAS_PROTO = ((): boolean => {
  try {
    // biome-ignore lint/suspicious/noProto: this asks whether it can be used.
    return ({} as WithProto).__proto__ === Object.prototype;
  } catch {
    return false;
  }
})();

/**
 * The path of every event, from the agent loop to its decision: find the event and the scope, choose the plan, parse the input once;
 * then `FireRun` asks the hooks, folds their answers, and reports to subscribers.
 */
export function fire(services: HostCore, event: string, input: Json, options?: FireSettings): Promise<AnyDecision> {
  // `['PreToolUse']` would coerce to a key, and other objects throw.
  const state = typeof event === 'string' ? services.events[event] : undefined;
  if (state === undefined) return Promise.reject(services.unknownEvent(event));
  if (services.closed && !options?.last) return Promise.reject(new HookscopeError('CLOSED', { event }));
  const signal = options?.signal;
  if (signal?.aborted) {
    const refused = { services, state, input, found: undefined, options };
    return refuse(refused, new HookscopeError('ABORTED', { event }), services.bus.observed);
  }

  const watched = services.bus.observed;
  if (!watched && isIdle(services, state, options)) return state.quiet;
  // biome-ignore lint/suspicious/noProto: see HAS_PROTO. An object with a `__proto__` of its own that says so is taken for a plain one.
  const isPlain = HAS_PROTO && (input as WithProto | undefined)?.__proto__ === Object.prototype;
  return begin(services, state, isPlain ? input : ownInput(input), options, watched);
}

/** Whether a fire would accept this input. If not, the caller must not start anything for it. */
export function takesInput(services: HostCore, event: string, input: Json, scope?: ScopeRef): boolean {
  const state = services.events[event];
  return state !== undefined && !(completeInput(state, input, sessionOf(services, scope)) instanceof HookscopeError);
}

/** A fire that is refused before any hook is asked. */
type UnaskedFire = CallFire & { readonly services: HostCore };

/** The rest of `fire`, from the plan on. Separate, so that the idle path above stays small enough to be inlined. */
function begin(
  services: HostCore,
  state: EventState,
  input: Json,
  options: FireSettings | undefined,
  watched: boolean,
): Promise<AnyDecision> {
  const { registrar } = services;
  const ref = options?.scope;
  // Checked first, because a refused start must not open a scope.
  let complete = state.opens ? completeInput(state, input, sessionOf(services, ref)) : undefined;
  if (complete instanceof HookscopeError) return notStarted({ services, state, input, options }, complete, watched);
  const start = state.opens ? registrar.agents.starts(input, ref, options?.signal !== undefined) : undefined;
  if (start) registrar.warnOfNames(start.found, input);
  const found = start && !start.isElsewhere ? start.found : registrar.scopeOf(input, ref, state);
  if (state.spec.callRole === 'ran') ran({ services, state, input, found, options });
  else if (state.endsCall) callEnded({ services, state, input, found, options });
  const plan = state.plans.of(found);
  const begun = start?.begun;
  if (plan.size === 0 && !watched && !state.hook?.foreign) {
    if (begun) registrar.agents.started(begun);
    return withoutHooks(services, state, input, options, found);
  }

  complete ??= completeInput(state, input, sessionOf(services, ref));
  if (complete instanceof HookscopeError) return refuse({ services, state, input, found, options }, complete, watched);

  const own = plan.in(complete['session_id']);
  const remembers = watched || remembersCalls(services, state, options);
  const run = new FireRun(services, state, found, own, complete, options, watched, remembers);
  const decision = run.start();
  if (own.shadows.length > 0) followByShadows(run, decision);
  if (begun) {
    const { agents } = registrar;
    decision.then(
      () => agents.started(begun),
      () => agents.takeBack(begun),
    );
  }
  return ended(services, state, found, decision, complete, ref);
}

/** A start with an invalid input opens no scope. It is refused only where a hook, a listener for agents or a subscriber would see it. */
function notStarted(
  { services, state, input, options }: Omit<UnaskedFire, 'found'>,
  error: HookscopeError,
  watched: boolean,
): Promise<AnyDecision> {
  const { found } = services.registrar.agents.find(input, options?.scope);
  const isHeard = watched || services.registrar.hadSpawns || state.hook?.foreign || state.plans.of(found).size > 0;
  return isHeard
    ? refuse({ services, state, input, found, options }, error, watched)
    : withoutHooks(services, state, input, options, found);
}

/** No hook is asked and no subscriber told, but alarms may have to remember the call. */
function withoutHooks(
  services: HostCore,
  state: EventState,
  input: Json,
  options: FireSettings | undefined,
  found: ScopeLookup,
): Promise<AnyDecision> {
  const remembers = remembersCalls(services, state, options);
  const cares = remembers && services.alarms.cares('judges', options?.everyTool);
  if (!cares && isNamed(input)) return ended(services, state, found, state.quiet, input, options?.scope);
  const complete = completeInput(state, input, sessionOf(services, options?.scope));
  if (complete instanceof HookscopeError) return refuse({ services, state, input, found, options }, complete, false);
  const { decision, promise } = state.plans.of(found).candidates(undefined).quiet as SilentDecision;
  if (remembers)
    rememberDecision({ services, state, input: complete, found, options, remembers, cancelled: undefined }, decision);
  return ended(services, state, found, promise, complete, options?.scope);
}

/** The known fields of the session that the fire belongs to. */
function sessionOf({ session }: HostCore, scope: ScopeRef | undefined): SessionFields {
  if (scope === undefined || typeof scope === 'string' || scope.session === undefined) return session;
  const { transcript_path, cwd, permission_mode } = session;
  return { session_id: scope.session, transcript_path, cwd, permission_mode };
}

function refuse(fire: UnaskedFire, error: HookscopeError, watched: boolean): Promise<never> {
  if (watched) reportRefused({ ...fire, spec: fire.state.spec }, error.code);
  undecided(fire, error);
  return Promise.reject(error);
}

/** Whether alarms must remember the call even if it is allowed unchanged. */
function remembersCalls({ alarms }: HostCore, { spec }: EventState, options: FireSettings | undefined): boolean {
  return spec.callRole === 'judges' && (alarms.awake || alarms.strict || options?.everyTool === true);
}

/** Whether the input's ids are strings or absent. Any other id names no scope; accepting it would silently skip an agent's hooks. */
function isNamed(input: Json | undefined): boolean {
  return isTextOrAbsent(input?.['agent_id']) && isTextOrAbsent(input?.['session_id']);
}

const isTextOrAbsent = (id: unknown): boolean => id === undefined || typeof id === 'string';

/** The fire can have no effect: no registration in any scope, no raw tap, no scope to open or close, nothing for alarms to compare. */
function isIdle(services: HostCore, state: EventState, options: FireSettings | undefined): boolean {
  const { callRole } = state.spec;
  return (
    state.plans.total === 0 &&
    !services.registrar.spawns &&
    !(state.opens && services.registrar.hadHooks) &&
    !state.closes &&
    !(state.endsSession && (services.largeOutput.used || services.registrar.hadHooks)) &&
    !state.hook?.foreign &&
    !(state.endsCall && services.alarms.asks.some) &&
    (callRole === undefined || !services.alarms.cares(callRole, options?.everyTool))
  );
}

/** Cleans up after a fire that ends an agent or a session. Every fire passes here, so closures are made in other functions, only when needed. */
function ended(
  services: HostCore,
  state: EventState,
  found: ScopeLookup,
  decision: Promise<AnyDecision>,
  input: Json,
  ref: ScopeRef | undefined,
): Promise<AnyDecision> {
  if (state.endsSession) return endingSession(services, decision, input);
  if (!state.closes) return decision;
  return endingAgent(services.registrar.agents.stops(found, input, ref), decision);
}

/** Large outputs of hooks are deleted with their session, and what waits for its agents. */
function endingSession(
  { largeOutput, registrar, session }: HostCore,
  decision: Promise<AnyDecision>,
  input: Json,
): Promise<AnyDecision> {
  return decision.finally(() => {
    // Checked after the last hooks have answered. Where neither is kept the input is not read, so its getters do not run.
    if (!largeOutput.used && !registrar.contexts.some) return;
    const of = input['session_id'] ?? session.session_id;
    if (largeOutput.used) largeOutput.end(of);
    registrar.contexts.endSession(of);
  });
}

/** When a stop is allowed, the agent has ended. */
function endingAgent(stopped: () => void, decision: Promise<AnyDecision>): Promise<AnyDecision> {
  return decision.then((d) => {
    if (d.continues) return d;
    stopped();
    return d;
  });
}
