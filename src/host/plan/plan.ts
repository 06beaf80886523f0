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
  /** The place of each in the plan. */
  readonly places: readonly number[];
  /** How many of them are not observers; they come first. */
  readonly deciders: number;
  /** Copies of one hook by dedup key, only where there is more than one. */
  readonly copies: ReadonlyMap<string, readonly Registration[]> | undefined;
  /** The subject alone decides who runs, and all run in series, so the walk need not check any of them again. */
  readonly plain: boolean;
  /** If all run in series, each for itself: the decision of a fire in which every hook runs and is silent. */
  readonly quiet: SilentDecision | undefined;
  /** What the hooks said in the last fire, if they may say it again. */
  said: SharedAnswers | undefined;
}

/** Answers, and from the second fire with the same answers on their decision, which all such fires share; frozen. */
export interface SharedAnswers {
  readonly answers: readonly HandlerResult[];
  readonly decision: AnyDecision | undefined;
}

/** The decision if every hook is silent: shared by all fires and frozen; as a value and as a promise. */
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
/** Plans with up to this many registrations share one list of places. */
const FEW = 16;

/** The registrations of one event along one lineage, in running order. Built once per version of that lineage. */
export class Plan {
  readonly spec: EventSpec;
  readonly registrations: readonly Registration[];
  readonly size: number;
  /** Registrations that are not enforced. */
  readonly shadows: readonly Registration[];
  /** The shares in which hooks are enforced; `#bySession` has the resulting plans, by how many shares leave a session out. */
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

  /** The plan for one session: a hook that is enforced in a share of sessions either decides there or does not. */
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

  /** Where a registration stands in the order. */
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
    // A predicate looks at the input too: its registration stays a candidate and is asked again at its wave.
    const found = candidatesOf(this, subject);
    if (this.#memo.size >= MEMO) this.#memo.clear();
    this.#memo.set(key, found);
    return found;
  }
}

/** Pure: merges the scopes, outermost first. `own`: the scopes of the agent itself, which its own Stop hooks are for. */
export function makePlan(spec: EventSpec, scopes: readonly Scope[], own: readonly Scope[]): Plan {
  const all = scopes.flatMap((scope) => scope.own(spec.name).filter((r) => !r.ownStop || own.includes(scope)));
  return new Plan(spec, all.filter(decides).concat(all.filter((r) => !decides(r))));
}

/** Why a registration can never run for a subject; `undefined`: it is a candidate. Calls no predicate. */
export function barred(r: Registration, subject: Subject): SkipReason | undefined {
  if (r.skip !== undefined) return r.skip.reason;
  if (r.matcher.static && !r.matcher.matches(subject)) return 'matcher';
  return isByTool(r) && (subject == null || r.rule?.isAbout(subject) !== true) ? 'if' : undefined;
}

/** Whether its `if` rule, which is about tools, can be looked up by the subject. */
const isByTool = (r: Registration): boolean => r.rule !== undefined && r.spec.tool && hasToolSubject(r.spec);

/** It runs after the previous hook, whichever that was; it needs no trust check, and its run need not be remembered. */
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

/** The lists of all places, by their length: most plans are short, and all of their hooks are candidates. */
const ALL: (readonly number[])[] = [];

function placesOf(registrations: readonly Registration[], subject: Subject): readonly number[] {
  const places = registrations.flatMap((r, i) => (barred(r, subject) === undefined ? i : []));
  // Kept for long, so copied: the result of `flatMap` has spare capacity, an exact copy has none.
  if (places.length < registrations.length || places.length > FEW) return places.slice();
  ALL[places.length] ??= places.slice();
  return ALL[places.length] as readonly number[];
}

const GUARDED = new WeakMap<Candidates, Candidates>();

/** The same with `onFailure: 'block'` wherever no policy was set. */
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
 * The next wave from `from` on, as the input now stands: a maximal run of parallel registrations with equal scope and
 * stage, or one series registration; by their places in the list. `end` is where the wave after it begins; `last` where the list
 * ends, before the observers. `runs` is told which hooks are only looked at `ahead` of their turn; it is never asked that about a predicate.
 */
export function nextWave(
  { list, deciders }: Pick<Candidates, 'list' | 'deciders'>,
  from: number,
  runs: (r: Registration, i: number, ahead?: boolean) => boolean,
  last = deciders,
): { wave: readonly number[]; end: number } | undefined {
  let i = from;
  while (i < last && !runs(list[i] as Registration, i)) i++;
  const first = i < last ? list[i] : undefined;
  if (!first) return undefined;
  if (first.mode === 'series') return { wave: [i], end: i + 1 };
  const joins = (r: Registration): boolean => r.mode === 'parallel' && isBeside(r, first);
  /** The next one that may be in the wave, if all that run before it have a predicate, which may leave them out; else -1. */
  const nextFrom = (from: number): number => {
    for (let i = from; i < last; i++) {
      const r = list[i] as Registration;
      // A list is ordered by scope and stage, so no other one follows.
      if (!isBeside(r, first)) return -1;
      if (r.matcher.static ? runs(r, i, true) : joins(r)) return joins(r) ? i : -1;
    }
    return -1;
  };
  const wave = [i];
  let end = i + 1;
  let next = i;
  for (i = end; i < last; i++) {
    const r = list[i] as Registration;
    // A predicate is asked when its turn comes, when the hooks before it have run; between hooks that run together it is asked with them.
    if (!joins(r) && !r.matcher.static) {
      if (i > next) next = nextFrom(i + 1);
      if (next < 0) break;
    }
    if (!runs(r, i)) continue;
    if (!joins(r)) break;
    wave.push(i);
    // Later ones are checked again when their turn comes, because this wave may change the input.
    end = i + 1;
  }
  return { wave, end };
}

const isBeside = (r: Registration, other: Registration): boolean => r.scope === other.scope && r.stage === other.stage;

/** Of several copies of one hook, the outermost runs, with the strictest failure policy of all and in the background only if all are. */
export function mergeCopies(copies: readonly Registration[]): Registration {
  const first = copies[0] as Registration;
  const rank = { continue: 0, ask: 1, block: 2 } as const;
  const strictest = copies.reduce((a, b) => (rank[b.onFailure] > rank[a.onFailure] ? b : a)).onFailure;
  const inBackground = copies.every((c) => c.async !== false) ? first.async : false;
  if (strictest === first.onFailure && inBackground === first.async) return first;
  return { ...first, onFailure: strictest, async: inBackground };
}
