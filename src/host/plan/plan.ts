import { hasToolSubject } from '../../events/define.js';
import type { EventSpec, Subject } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import { isLookedAt, type SkipReason } from '../../scopes/skip.js';
import { type AnyDecision, type HandlerOutcome, makeDecision, type OutcomesLater } from '../decide/decision.js';
import type { HandlerResult } from '../decide/fold-common.js';
import { isEnforcedIn, shadowsIn, sharesIn, standsIn } from './shadows.js';

/** The part of a plan that may run for one subject. Only the subject is checked, so the result can be cached. */
export interface Candidates {
  /** Registrations whose matcher accepts the subject, in plan order, observers last. */
  readonly list: readonly Registration[];
  /** The index of each in the plan's registrations. */
  readonly places: readonly number[];
  /** How many of them are not observers; these come first. */
  readonly deciders: number;
  /** Copies of the same hook, by dedup key; only keys with more than one copy. */
  readonly copies: ReadonlyMap<string, readonly Registration[]> | undefined;
  /** The subject alone decides who runs, and all run in series, so the walk need not check any of them again. */
  readonly plain: boolean;
  /** The decision of a fire in which every hook runs and is silent. Absent if hooks run in parallel, once or after a trust check, or are copies. */
  readonly quiet: SilentDecision | undefined;
  /** The hooks' answers in the last fire, if they may be repeated. */
  said: SharedAnswers | undefined;
}

/** Answers of a fire. From the second fire with the same answers on, also their decision, frozen, which all such fires share. */
export interface SharedAnswers {
  readonly answers: readonly HandlerResult[];
  readonly decision: AnyDecision | undefined;
}

/** The decision if every hook is silent, as a value and as a promise. Frozen, because all such fires share it. */
export class SilentDecision implements OutcomesLater {
  readonly decision: AnyDecision;
  readonly promise: Promise<AnyDecision>;
  readonly #list: readonly Registration[];
  readonly #deciders: number;

  constructor(spec: EventSpec, list: readonly Registration[], deciders: number) {
    this.#list = list;
    this.#deciders = deciders;
    this.decision = Object.freeze(makeDecision(spec, undefined, this));
    this.promise = Promise.resolve(this.decision);
  }

  listOutcomes(): readonly HandlerOutcome[] {
    return Object.freeze(this.#list.slice(0, this.#deciders).map(silent));
  }
}

const MEMO = 512;
/** Plans with up to this many registrations share their lists of places. */
const FEW = 16;

/** The registrations of one event along one lineage, in running order. Built once per version of that lineage. */
export class Plan {
  readonly spec: EventSpec;
  readonly registrations: readonly Registration[];
  readonly size: number;
  /** Registrations that are not enforced. */
  readonly shadows: readonly Registration[];
  /** The distinct shares of sessions in which hooks are enforced. `#bySession`: the resulting plans, by the number of shares that exclude a session. */
  readonly #shares: readonly number[];
  #bySession: Map<number, Plan> | undefined = undefined;
  #session: unknown;
  #own: Plan | undefined = undefined;
  /** The candidates of every subject, if all matchers accept everything. */
  readonly #whole: Candidates | undefined;
  /** Made when first needed, because every open scope keeps plans. */
  #memo: Map<string | null, Candidates> | undefined = undefined;
  #places: Map<string, number> | undefined = undefined;

  constructor(spec: EventSpec, registrations: readonly Registration[]) {
    this.spec = spec;
    this.registrations = registrations;
    this.size = registrations.length;
    this.shadows = shadowsIn(registrations);
    this.#shares = sharesIn(registrations);
    const uniform = registrations.every((r) => r.matcher.all && !isByTool(r));
    this.#whole = uniform ? candidatesOf(this, undefined) : undefined;
  }

  /** The plan for one session, in which a hook that is enforced in a share of sessions either decides or is a shadow. */
  in(session: unknown): Plan {
    if (this.#shares.length === 0) return this;
    // Most fires belong to the same session as the previous one.
    if (session === this.#session && this.#own !== undefined) return this.#own;
    this.#own = this.#settled(session);
    this.#session = session;
    return this.#own;
  }

  #settled(session: unknown): Plan {
    const outside = this.#shares.reduce((count, share) => count + (isEnforcedIn(share, session) ? 0 : 1), 0);
    this.#bySession ??= new Map();
    const known = this.#bySession.get(outside);
    if (known) return known;
    const plan = new Plan(
      this.spec,
      this.registrations.map((r) => standsIn(r, session)),
    );
    this.#bySession.set(outside, plan);
    return plan;
  }

  /** The index of a registration in the plan. */
  placeOf(registration: Registration): number {
    this.#places ??= new Map(this.registrations.map((r, i) => [r.id, i]));
    return this.#places.get(registration.id) ?? this.size;
  }

  /** Cached per subject, for at most `MEMO` subjects. `guarded`: a hook without a failure policy of its own denies when it fails. */
  candidates(subject: Subject, guarded = false): Candidates {
    const found = this.#candidates(subject);
    return guarded && this.spec.fold === 'gate' ? asGuards(found) : found;
  }

  #candidates(subject: Subject): Candidates {
    if (this.#whole) return this.#whole;
    const key = subject === undefined ? '' : subject;
    this.#memo ??= new Map();
    const known = this.#memo.get(key);
    if (known) return known;
    // A predicate also depends on the input: its registration stays a candidate, and the predicate is called when its turn comes.
    const found = candidatesOf(this, subject);
    if (this.#memo.size >= MEMO) this.#memo.clear();
    this.#memo.set(key, found);
    return found;
  }
}

/** Merges the scopes, outermost first. `own`: the agent's own, in which hooks for its own stop count. `depths`: set where two session names count. */
export function makePlan(
  spec: EventSpec,
  scopes: readonly Scope[],
  own: readonly Scope[],
  depths?: ReadonlyMap<Scope, number>,
): Plan {
  const all = scopes.flatMap((scope) => {
    const hooks = scope.own(spec.name).filter((r) => !r.ownStop || own.includes(scope));
    const depth = depths?.get(scope);
    return depth === undefined ? hooks : hooks.map((r) => ({ ...r, depth }));
  });
  return new Plan(spec, all.filter(decides).concat(all.filter((r) => !decides(r))));
}

/** Why a registration can never run for a subject; `undefined`: it is a candidate. Calls no predicate. */
export function barred(r: Registration, subject: Subject): SkipReason | undefined {
  if (r.skip !== undefined) return r.skip.reason;
  if (r.matcher.static && !r.matcher.matches(subject)) return 'matcher';
  return isByTool(r) && subject !== null && !(subject !== undefined && r.rule?.isAbout(subject)) ? 'if' : undefined;
}

/** Whether its `if` rule, which is about tools, can be looked up by the subject. */
const isByTool = (r: Registration): boolean => r.rule !== undefined && r.spec.tool && hasToolSubject(r.spec);

/** The hook runs in series, needs no trust check, and need not remember that it ran. */
const isInSeries = (r: Registration): boolean => r.mode === 'series' && r.trustCheck === undefined && !r.once;

const decides = (r: Registration): boolean => r.phase !== 'observe';

function candidatesOf({ spec, registrations }: Plan, subject: Subject): Candidates {
  const places = placesOf(registrations, subject);
  const list =
    places.length === registrations.length ? registrations : places.map((i) => registrations[i] as Registration);
  const deciders = list.filter(decides).length;
  const keys = new Map<string, Registration[]>();
  for (const r of list) {
    if (r.dedup === undefined) continue;
    const copies = keys.get(r.dedup);
    if (copies) copies.push(r);
    else keys.set(r.dedup, [r]);
  }
  for (const [key, copies] of keys) if (copies.length < 2) keys.delete(key);
  const inSeries = keys.size === 0 && list.every(isInSeries);
  return {
    list,
    places,
    deciders,
    copies: keys.size > 0 ? keys : undefined,
    plain: inSeries && !list.some(isLookedAt),
    quiet: inSeries ? new SilentDecision(spec, list, deciders) : undefined,
    said: undefined,
  };
}

/** Lists `[0, 1, …]` by length, for plans whose hooks are all candidates: most plans are such, and short. */
const ALL: (readonly number[])[] = [];

function placesOf(registrations: readonly Registration[], subject: Subject): readonly number[] {
  const places = registrations.flatMap((r, i) => (barred(r, subject) === undefined ? i : []));
  // Copied, because the list is kept and the result of `flatMap` has spare capacity.
  if (places.length < registrations.length || places.length > FEW) return places.slice();
  ALL[places.length] ??= places.slice();
  return ALL[places.length] as readonly number[];
}

const GUARDED = new WeakMap<Candidates, Candidates>();

/** The candidates with `onFailure: 'block'` for hooks without a failure policy of their own. */
function asGuards(found: Candidates): Candidates {
  const known = GUARDED.get(found);
  if (known) return known;
  const strict = new Map<Registration, Registration>();
  for (const r of found.list) strict.set(r, r.usualFailure ? { ...r, onFailure: 'block' } : r);
  const all = (some: readonly Registration[]): Registration[] => some.map((r) => strict.get(r) as Registration);
  const copies = found.copies && new Map([...found.copies].map(([key, same]) => [key, all(same)]));
  const guarded = { ...found, list: all(found.list), copies, said: undefined };
  GUARDED.set(found, guarded);
  return guarded;
}

const silent = ({ id, name, dialect }: Registration): HandlerOutcome =>
  Object.freeze(dialect === 'claude' ? { id, name, dialect } : { id, name });

/**
 * The next wave at or after index `from`, for the current input: a maximal run of parallel registrations of one scope and stage, or a
 * single registration in series. `wave` has indexes in the list, `end` is the index where the following wave begins, `passed` the one behind the last hook
 * whose turn it is with this wave, whether or not it runs, and `last` limits the search. `runs` gets `ahead` for hooks whose turn has not come, which are never hooks with a predicate.
 */
export function nextWave(
  { list, deciders }: Pick<Candidates, 'list' | 'deciders'>,
  from: number,
  runs: (r: Registration, i: number, ahead?: boolean) => boolean,
  last = deciders,
): { wave: readonly number[]; end: number; passed: number } | undefined {
  let i = from;
  while (i < last && !runs(list[i] as Registration, i)) i++;
  const first = i < last ? list[i] : undefined;
  if (!first) return undefined;
  if (first.mode === 'series') return { wave: [i], end: i + 1, passed: i + 1 };
  const joins = (r: Registration): boolean => r.mode === 'parallel' && isBeside(r, first);
  /** The index of the next hook that can join the wave if every hook before it that could run has a predicate, which may exclude it; otherwise -1. */
  const nextFrom = (from: number): number => {
    for (let i = from; i < last; i++) {
      const r = list[i] as Registration;
      // The list is ordered by scope and stage, so none of the same follows.
      if (!isBeside(r, first)) return -1;
      if (r.matcher.static ? runs(r, i, true) : joins(r)) return joins(r) ? i : -1;
    }
    return -1;
  };
  const wave = [i];
  let end = i + 1;
  let passed = end;
  let next = i;
  for (i = end; i < last; i++) {
    const r = list[i] as Registration;
    // The predicate of a series hook is called after the hooks before it have run, unless more hooks of this wave may follow: then it is called now.
    if (!joins(r) && !r.matcher.static) {
      if (i > next) next = nextFrom(i + 1);
      if (next < 0) break;
    }
    const isIn = runs(r, i);
    if (!joins(r)) {
      if (isIn) break;
      continue;
    }
    passed = i + 1;
    if (!isIn) continue;
    wave.push(i);
    // Hooks from here on are checked again when their turn comes, because this wave may change the input.
    end = i + 1;
  }
  return { wave, end, passed };
}

const isBeside = (r: Registration, other: Registration): boolean => r.scope === other.scope && r.stage === other.stage;

/** Of several copies of one hook, the outermost runs: with the strictest failure policy of all, and in the background only if all do. */
export function mergeCopies(copies: readonly Registration[]): Registration {
  const first = copies[0] as Registration;
  const rank = { continue: 0, ask: 1, block: 2 } as const;
  const strictest = copies.reduce((a, b) => (rank[b.onFailure] > rank[a.onFailure] ? b : a)).onFailure;
  const inBackground = copies.every((c) => c.async !== false) ? first.async : false;
  if (strictest === first.onFailure && inBackground === first.async) return first;
  return { ...first, onFailure: strictest, async: inBackground };
}
