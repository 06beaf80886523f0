import type { EventSpec } from '../events/spec.js';
import { Alarms } from '../host/alarms/alarms.js';
import { Background } from '../host/call/background.js';
import type { HostCore } from '../host/core.js';
import { Plan } from '../host/plan/plan.js';
import { isOpenedFor, type ParentAgent } from '../host/register/agent-hooks.js';
import type { EventState } from '../host/services.js';
import { Notices } from '../host/tell/notices.js';
import type { Registration } from '../scopes/registration.js';
import type { Scope } from '../scopes/scope.js';
import type { ScopeLookup, ScopeRef } from '../scopes/tree.js';
import type { Json } from '../values/shape.js';
import { answering, type StandIns } from './answering.js';
import { sameness } from './given.js';
import { OtherAgents, type ReplayPlace } from './others.js';
import type { RecordedFire } from './recorded.js';

/** The most agents whose types are remembered. */
const MOST = 10_000;
/** The most previews that are kept for one scope. */
const MOST_PLACES = 1_000;
/** Names of scopes in records that are not agents. */
const NO_AGENTS = new Set(['managed', 'host', 'session']);
const NONE_ABOVE: readonly ParentAgent[] = Object.freeze([]);

/** The previewed scope for agents of one type, and the hooks that it was made of. */
interface AgentPlace extends ReplayPlace {
  readonly of: readonly { readonly hooks: unknown }[];
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);

const silent = (): void => undefined;

/** The host's services, without subscribers and side effects. */
export function quietCore(core: HostCore): HostCore {
  const bus = { ...core.bus, observed: false, tracing: undefined };
  // What was asked in the recording, and not what is asked in the host.
  const alarms = new Alarms({ bus, onAlarm: undefined, logger: { report: silent, alarm: silent } });
  alarms.replays();
  const text = { shorten: <T>(outcome: T): T => outcome, text: (said: string): string => said };
  return {
    ...core,
    bus,
    alarms,
    background: new Background(),
    largeOutput: { ...text, used: false, end: silent, clear: silent, keep: silent },
    notices: new Notices(silent),
    report: silent,
    wake: silent,
    slowAfter: 0,
  };
}

/** A host's scopes and plans for a replay. Nothing is opened or registered in the host. */
export class ReplayHost {
  readonly #core: HostCore;
  readonly #how: StandIns;
  /** Plans of stand-ins, by their original plan. Those in `careful` watch for unknown parts of the input. */
  readonly #plans = { plain: new WeakMap<Plan, Plan>(), careful: new WeakMap<Plan, Plan>() };
  /** Previewed scopes of agents, by the scope that they start in and by their type; such agents have equal hooks. */
  readonly #agents = new WeakMap<Scope, Map<string, AgentPlace>>();
  readonly #types = new Map<string, string>();
  /** Agents whose events name several types. */
  readonly #several = new Map<string, true>();
  /** Agents whose stop was allowed (true) or may have been (false). */
  readonly #over = new Map<string, boolean>();
  readonly #others = new OtherAgents();

  constructor(core: HostCore, how: StandIns) {
    this.#core = core;
    this.#how = how;
  }

  /** The scope that a recorded fire would have now. */
  placeOf(fire: RecordedFire): ReplayPlace {
    const place = this.#placeOf(fire);
    return this.#core.merge === 'all' ? { ...place, others: this.#hasOthers(fire) } : place;
  }

  /** Casts doubt on `once` hooks: those of other agents may have run in this fire, and those of its own plan in fires of others. */
  doubtOthers(fire: RecordedFire, once: readonly Registration[]): void {
    const { claims } = this.#how;
    for (const r of once) claims.doubt(r.scope, fire, r);
    for (const [life, r] of this.#others.once(fire)) claims.doubtIn(life, r);
  }

  #hasOthers(fire: RecordedFire): boolean {
    // Agents that run in the host now are not the recording's, but their hooks are in its plans.
    return this.#others.isAmong(fire) || this.#core.registrar.root.tree().some(({ spawned }) => spawned);
  }

  #placeOf(recorded: RecordedFire): ReplayPlace {
    const { registrar } = this.#core;
    const fire = isElsewhere(recorded) ? ofScope(recorded) : recorded;
    const ref = refOf(fire);
    const key = keyOf(fire);
    const type = key === undefined ? undefined : this.#typeOf(key, fire.session, fire.agentType);
    const input: Json = type === undefined ? fire.input : { ...fire.input, agent_type: type };
    const { found, spawn, standing } = registrar.agents.find(input, ref, 'anew');
    const isBelow = found.known && !isOpenedFor(found.scope) && found.scope.parent?.kind === 'agent';
    const above = isBelow || !Array.isArray(fire.above) ? NONE_ABOVE : (fire.above as readonly ParentAgent[]);
    const doubt =
      !isBelow && fire.above === 'unknown' && this.#isAsked(fire.event, asksAbove(fire) ? undefined : type)
        ? { above: true }
        : {};
    const several = key !== undefined && this.#several.has(key);
    const isAsFound = spawn === undefined && above.length === 0 && standing?.earlier === undefined;
    if (isAsFound) return { found, makes: false, several, ...doubt };
    const known = this.#agents.get(found.scope) ?? new Map<string, AgentPlace>();
    this.#agents.set(found.scope, known);
    const of = [...registrar.agents.hooksAbove(above, fire.session), ...(spawn?.spawnHooks ?? [])];
    const name = JSON.stringify([type, above, found.scope.version]);
    const last = known.get(name);
    const place = last && isSame(last.of, of) ? last : this.#preview(input, ref, above, of);
    remember(known, name, place, MOST_PLACES);
    if (spawn !== undefined) this.#others.begin(fire, spawn.type ?? '', place);
    return { makes: place.makes, found: { ...place.found, id: found.id }, several, ...doubt };
  }

  #preview(input: Json, ref: ScopeRef | undefined, above: readonly ParentAgent[], of: AgentPlace['of']): AgentPlace {
    const { done, ...found } = this.#core.registrar.agents.preview(input, ref, { above, starts: 'anew' });
    done();
    return { found, of, makes: of.some(({ hooks }) => typeof hooks === 'function') };
  }

  /** Whether type hooks of an unknown agent above may be asked about the event. `type` is not above; undefined: any type may be. */
  #isAsked(event: string, type: string | undefined): boolean {
    const { registrar } = this.#core;
    const { anything, scopes } = registrar.known();
    if (anything) return true;
    const isOther = ({ id, kind, parent, agentType }: Scope): boolean =>
      kind === 'agent' && parent === undefined && agentType === id && agentType !== type;
    const others = scopes.filter(isOther);
    const ofPolicy = registrar.root.own(event).some(({ matcher }) => !matcher.static);
    return others.length > 0 && (ofPolicy || others.some((one) => one.own(event).some(({ ownStop }) => !ownStop)));
  }

  /** Notes that an agent starts. As in a live host, it is a new one if a session started it or if another type is known for its id. */
  started(recorded: RecordedFire): void {
    const fire = isElsewhere(recorded) ? { ...recorded, scope: recorded.agent as string } : recorded;
    const key = keyOf(fire);
    if (key === undefined) return;
    const type = this.#types.get(key);
    const isOther = type !== undefined && type !== fire.agentType;
    const isNew = isOther || fire.fired?.doneBy === 'session';
    if (isNew) this.#types.delete(key);
    if (isNew) this.#end(fire, true);
    else if (type === undefined && this.#over.has(key)) this.#end(fire, this.#over.get(key) === true);
    this.#over.delete(key);
    if (fire.agentType === undefined) this.#types.delete(key);
    else this.#typeOf(key, fire.session, fire.agentType);
  }

  /** The type by which a fire of the agent finds its hooks. Its own is that with which it began, or goes on after its end; one without hooks it does not keep. */
  #typeOf(key: string, session: string, type: string | undefined): string | undefined {
    const known = this.#types.get(key);
    const isOver = this.#over.get(key) === true;
    this.#over.delete(key);
    if (type === undefined || type === known) return known;
    if (known !== undefined && !isOver) remember(this.#several, key, true);
    const isKept = this.#core.registrar.agents.hooksAbove([{ agent: key, agentType: known }], session).length > 0;
    if (isOver || !isKept) remember(this.#types, key, type);
    return type;
  }

  /** Notes that the agent's stop was allowed or, without `isKnown`, may have been. If the agent goes on, it gets new hooks. */
  ended(recorded: RecordedFire, isKnown: boolean): void {
    const fire = isElsewhere(recorded) ? { ...recorded, scope: recorded.agent as string } : recorded;
    const key = keyOf(fire);
    // A scope that was not opened for the agent by its type stays open, with the hooks of its type.
    const { known: isOpen, scope } = this.#core.registrar.agents.find(fire.input, refOf(fire), 'anew').found;
    const stays = isOpen && !isOpenedFor(scope);
    if (key !== undefined && !(stays && this.#types.has(key))) remember(this.#over, key, isKnown);
    if (!stays) this.#end(fire, isKnown);
  }

  #end(fire: RecordedFire, isKnown: boolean): void {
    if (isKnown) this.#several.delete(keyOf(fire) ?? '');
    this.#how.claims.end(fire, isKnown);
    if (isKnown) this.#others.end(fire);
  }

  /** A scope's plan with stand-ins for all hooks, including raw taps. */
  planOf(state: EventState, found: ScopeLookup, careful: boolean): Plan {
    const original = state.plans.of(found);
    const made = this.#plans[careful ? 'careful' : 'plain'];
    const taps = state.hook?.foreign ? state.hook.taps() : [];
    const known = taps.length === 0 ? made.get(original) : undefined;
    if (known !== undefined) return known;
    const all = [
      ...taps.filter(({ early }) => early).map(({ registration }) => registration),
      ...original.registrations,
      ...taps.filter(({ early }) => !early).map(({ registration }) => registration),
    ];
    const plan = this.#standIn(state.spec, all, careful);
    if (taps.length === 0) made.set(original, plan);
    return plan;
  }

  #standIn(spec: EventSpec, all: readonly Registration[], careful: boolean): Plan {
    const places = new Map<string, number>();
    const standing = all.map((r) => {
      const same = sameness(r);
      const place = places.get(same) ?? 0;
      places.set(same, place + 1);
      return answering(r, place, careful, this.#how);
    });
    return new Plan(spec, standing);
  }
}

/** A reference to the recorded scope; undefined if the input itself names the scope. */
function refOf({ scope, agent, session }: RecordedFire): ScopeRef | undefined {
  if (scope === 'session') return agent === undefined ? undefined : { session };
  return scope === agent ? undefined : { session, agent: scope };
}

/** Whether the fire was judged in the scope of another agent than its own. */
const isElsewhere = ({ agent, scope }: RecordedFire): boolean =>
  agent !== undefined && scope !== 'session' && scope !== agent;

/** The fire as one of the agent of its scope, which it does not name: of what its input says of its own agent, nothing counts there. */
function ofScope({ scope, ...fire }: RecordedFire): RecordedFire {
  const input = { ...fire.input, agent_id: scope, agent_type: undefined };
  return { ...fire, scope, agent: scope, agentType: undefined, input };
}

/** A key for the agent of a fire; undefined for the main agent. */
function keyOf({ host, session, agent, scope }: RecordedFire): string | undefined {
  const id = agent ?? (scope === 'session' ? undefined : scope);
  return id === undefined ? undefined : JSON.stringify([host, session, id]);
}

/** Whether the fire lists hooks of another agent's scope; its own agent was then below that one, which may have the same type. */
function asksAbove({ hooks = [], scope: own }: RecordedFire): boolean {
  return hooks.some(({ scope = own }) => scope !== own && !NO_AGENTS.has(scope));
}

function remember<T>(all: Map<string, T>, key: string, value: T, most = MOST): void {
  all.delete(key);
  all.set(key, value);
  if (all.size > most) all.delete(all.keys().next().value as string);
}
