import { ownInput } from '../../events/own-input.js';
import type { EventSpec, Subject } from '../../events/spec.js';
import { subjectOf } from '../../events/subject.js';
import { shownName } from '../../events/tool-calls.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import { explainSkip, type SkipReason, unknownSubject } from '../../scopes/skip.js';
import { agentTypeOf, type ScopeLookup, type ScopeRef } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import type { HostCore } from '../core.js';
import type { RawTap } from '../hooks.js';
import { barred, nextWave, type Plan } from '../plan/plan.js';
import { factsBefore, type RunFacts, WhoRuns } from '../plan/who-runs.js';
import { tapsOf } from '../services.js';
import type { DescribedHook, MadeHooks } from '../types.js';
import { describeHook } from './describe.js';

/** One registration for an event, and whether it would run on an input. */
export interface ExplainedHook extends DescribedHook {
  readonly scope: string;
  readonly runs: boolean;
  /** From 0; the handlers of one wave would run at the same time. null: the hook would not run. */
  readonly wave: number | null;
  /** `untrusted`: the hook has its place in the plan, but would fail instead of running. */
  readonly reason?: SkipReason | 'untrusted';
  /** In words, with the file or setting that decided it. */
  readonly why?: string;
}

/** What a fire would do, as far as is known without the hooks' answers, which may rewrite the input or end the run (`continue: false`). */
export interface Explanation {
  readonly event: string;
  readonly scope: string;
  /** false: the named scope is not open; the session's lineage is used. */
  readonly scope_known: boolean;
  /** The text that matchers are compared with; absent if the event has none or it could not be computed. */
  readonly subject?: string;
  /** First the hooks that would run, in plan order, then others of the scope's lineage, then those of other scopes. */
  readonly hooks: readonly ExplainedHook[];
  /** Functions that make hooks when an agent of their type starts. Those hooks may be for this event, too, but are not known before. */
  readonly made?: readonly MadeHooks[];
}

/** Options of `explain`. */
export interface ExplainOptions {
  /** The scope to fire in, as for `fire`. */
  readonly scope?: ScopeRef | undefined;
}

/** Which handlers would run for this input, in which order and wave, and why the others would not. Calls no handler, opens no scope, gives no ids. */
export function explain(
  services: HostCore,
  event: string,
  input: Json,
  { scope: ref }: ExplainOptions = {},
): Explanation {
  const state = typeof event === 'string' ? services.events[event] : undefined;
  if (state === undefined) throw services.unknownEvent(event);
  const { spec } = state;
  const session = typeof ref === 'object' && ref.session !== undefined ? { session_id: ref.session } : {};
  const full = { ...services.session, ...session, hook_event_name: event, ...ownInput(input) };
  services.registrar.showAnew();
  const found = services.registrar.agents.preview(full, ref, { starts: state.opens });
  try {
    const plan = state.plans.of(found).in(full['session_id']);
    const subject = subjectOf(spec, full);
    const reader = new PlanReader(plan, subject, full, found);
    const outside = outsideOf(services.registrar, spec, plan, agentTypeOf(found));
    const made = services.registrar.makers();
    return {
      event,
      scope: found.id,
      scope_known: found.known,
      ...(subject == null ? {} : { subject: shownName(subject) }),
      hooks: [...reader.running(tapsOf(state)), ...reader.skipped(), ...outside.map(elsewhere)],
      ...(made.length > 0 ? { made } : {}),
    };
  } finally {
    found.done();
  }
}

/** Every registration for the event outside the scope's plan: those of other scopes, and those for future agents of a type. */
function outsideOf(
  registrar: HostCore['registrar'],
  spec: EventSpec,
  plan: Plan,
  agentType: string | undefined,
): Registration[] {
  // By id, because the plan has a copy of a hook that is not enforced in this session.
  const within = new Map(plan.registrations.map((r) => [r.id, r.scope]));
  const all = function* (scope: Scope): Generator<Registration> {
    yield* scope.own(spec.name);
    for (const child of scope.children) yield* all(child);
  };
  const waiting = registrar.spawnScopes(false).flatMap((scope) => (scope.id === agentType ? [] : scope.own(spec.name)));
  return [...[...all(registrar.root)].filter((r) => within.get(r.id) !== r.scope), ...waiting];
}

function elsewhere(r: Registration): ExplainedHook {
  const whose = r.scope.kind === 'agent' ? `agent ${r.scope.agentType ?? r.scope.id}` : `session ${r.scope.session}`;
  // Not the text of a shadow's skip, which says that the hook was asked.
  const skip = r.skip?.reason === 'shadow' ? undefined : r.skip;
  return row(r, { reason: skip?.reason ?? 'scope', why: skip?.why ?? `only for ${whose}` });
}

function row(r: Registration, told: Partial<ExplainedHook>, input?: Json): ExplainedHook {
  return { ...describeHook(r, input), scope: r.scope.id, runs: false, wave: null, ...told };
}

/** Reads a plan for one input, as a walk would before any hook has answered. */
class PlanReader {
  readonly #plan: Plan;
  readonly #facts: RunFacts;
  readonly #who: WhoRuns;
  readonly #whys = new Map<Registration, SkipReason | undefined>();

  constructor(plan: Plan, subject: Subject, input: Json, found: ScopeLookup) {
    this.#plan = plan;
    this.#facts = factsBefore(subject, input, found);
    this.#who = new WhoRuns(plan.candidates(subject), this.#facts);
  }

  /** The hooks that would run. Raw taps run on any input, before and after the hooks that decide. */
  running(taps: readonly RawTap[]): ExplainedHook[] {
    const { deciders, list } = this.#who.candidates;
    const rows: ExplainedHook[] = [];
    let wave = 0;
    const tapped = (early: boolean): void => {
      for (const tap of taps) if (tap.early === early) rows.push(row(tap.registration, { runs: true, wave: wave++ }));
    };
    const read = (from: number, last: number): void => {
      for (let next = this.#next(from, last); next; next = this.#next(next.end, last)) {
        for (const at of next.wave) rows.push(this.#planned(list[at] as Registration, wave));
        wave++;
      }
    };
    tapped(true);
    read(0, deciders);
    tapped(false);
    // Observers run last, in their own waves.
    read(deciders, list.length);
    return rows;
  }

  skipped(): ExplainedHook[] {
    return this.#plan.registrations.flatMap((r) => {
      const reason = this.#why(r);
      return reason === undefined ? [] : [row(r, { reason, ...this.#words(r, reason) })];
    });
  }

  #planned(r: Registration, wave: number): ExplainedHook {
    const why = this.#facts.subject === null && !r.matcher.all ? { why: unknownSubject(r) } : {};
    const found = row(this.#who.merged(r), { wave }, this.#facts.input);
    if (found.untrusted !== undefined) return { ...found, reason: 'untrusted', why: found.untrusted };
    return { ...found, runs: true, ...why };
  }

  #next(from: number, last: number): ReturnType<typeof nextWave> {
    return nextWave(this.#who.candidates, from, (r) => this.#why(r) === undefined, last);
  }

  /** Each hook is checked once, because a predicate may answer differently the next time. */
  #why(r: Registration): SkipReason | undefined {
    if (!this.#whys.has(r)) this.#whys.set(r, barred(r, this.#facts.subject) ?? this.#who.why(r));
    return this.#whys.get(r);
  }

  #words(r: Registration, reason: SkipReason): { why: string } {
    const first = reason === 'duplicate' ? this.#who.copies(r)?.[0] : undefined;
    if (first === undefined) return { why: explainSkip(r, reason, this.#facts) };
    return { why: `a copy of ${first.id}${first.source.file ? ` of ${first.source.file}` : ''}` };
  }
}
