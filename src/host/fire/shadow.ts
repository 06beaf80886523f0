import { HookscopeError } from '../../errors.js';
import type { Matcher } from '../../matching/matcher.js';
import type { Registration } from '../../scopes/registration.js';
import { skipped } from '../../scopes/skip.js';
import { noteThrown, takeThrown } from '../../scopes/thrown.js';
import type { ScopeLookup } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import type { Background } from '../call/background.js';
import { mergeCopies, Plan } from '../plan/plan.js';
import { shadowOf } from '../plan/shadows.js';
import { factsBefore } from '../plan/who-runs.js';
import { FireRun } from './fire-run.js';

const PLANS = new WeakMap<Registration, Plan>();

/**
 * The plan for a shadow that concerns the input. A predicate has said so and is not called again, because it could give another answer.
 * `thrown`: what there is to tell if it threw instead.
 */
function planOf(r: Registration, thrown: string | undefined): Plan {
  const known = thrown === undefined ? PLANS.get(r) : undefined;
  if (known) return known;
  const alone = shadowOf(r);
  const asked = alone.matcher.static ? alone : { ...alone, matcher: matched(alone.matcher, thrown) };
  const plan = new Plan(r.spec, [asked]);
  if (thrown === undefined) PLANS.set(r, plan);
  return plan;
}

/** Not static if there is something to tell, because only what is looked at in a fire gets into its record. */
function matched({ all, text, code }: Matcher, thrown: string | undefined): Matcher {
  const shown = { all, text, ...(code === undefined ? {} : { code }) };
  if (thrown === undefined) return { ...shown, static: true, matches: () => true };
  const matches = (): boolean => {
    noteThrown(thrown);
    return true;
  };
  return { ...shown, static: false, matches };
}

/** A shadow that concerns a call. `thrown`: what a predicate that threw had to say. */
interface ConcernedShadow {
  readonly r: Registration;
  readonly thrown: string | undefined;
}

/** Those whose matcher and rule match, as they run: of several copies of one hook the outermost. The record of the real fire already lists the others. */
function concerned(shadows: readonly Registration[], input: Json, found: ScopeLookup): readonly ConcernedShadow[] {
  const all = shadows.flatMap((r) => {
    takeThrown();
    const why = skipped(shadowOf(r), factsBefore(r.spec.subject?.(input), input, found));
    const thrown = takeThrown();
    return why === undefined ? { r, thrown } : [];
  });
  return all.flatMap(({ r, thrown }) => {
    const copies = r.dedup === undefined || r.trustCheck?.(input) ? [r] : copiesOf(r, all, input);
    return copies[0] === r ? { r: mergeCopies(copies), thrown } : [];
  });
}

/** An untrusted copy fails on its own. */
const copiesOf = ({ dedup }: Registration, all: readonly ConcernedShadow[], input: Json): readonly Registration[] =>
  all.flatMap(({ r }) => (r.dedup === dedup && !r.trustCheck?.(input) ? r : []));

/** One host's shadow runs: the fires since the last run, and the runs under way. */
class ShadowRuns {
  readonly #background: Background;
  readonly #asked = new Set<FireRun>();
  #closing = false;
  #runs: FireRun[] = [];
  #decided: Promise<unknown>[] = [];

  constructor(background: Background) {
    this.#background = background;
    this.begin = this.begin.bind(this);
  }

  /** Does almost nothing now, because the caller is waiting. */
  note(run: FireRun, decided: Promise<unknown>): void {
    if (this.#runs.length === 0) {
      // A stateless host (a command that fires once) starts shadows after it has written its answer.
      if (!run.services.stateless) setImmediate(this.begin);
      this.#background.postpone(this.begin);
    }
    this.#runs.push(run);
    this.#decided.push(decided);
  }

  begin(): void {
    const [runs, decided] = [this.#runs, this.#decided];
    if (runs.length === 0) return;
    this.#runs = [];
    this.#decided = [];
    this.#background.takePostponed();
    const done = Promise.all(runs.map((run, i) => this.#follow(run, decided[i] as Promise<unknown>)));
    const names = [...new Set(runs.map(({ spec }) => spec.name))].join(', ');
    this.#background.keep(`shadows of ${names}`, done, () => this.#end(), { followed: true });
  }

  async #follow(run: FireRun, decided: Promise<unknown>): Promise<void> {
    try {
      await decided;
    } catch {
      // The caller handles the rejection.
      return;
    }
    if (this.#closing) return;
    const { plan, found, followed: input = run.finalInput } = run;
    await Promise.allSettled(concerned(plan.shadows, input, found).map((one) => this.#ask(one, run, input)));
  }

  async #ask({ r, thrown }: ConcernedShadow, run: FireRun, input: Json): Promise<void> {
    const { services, state, found, options } = run;
    const plan = planOf(r, thrown);
    const how = {
      ...options,
      signal: undefined,
      ranBefore: undefined,
      losses: undefined,
      keptKeys: undefined,
      id: undefined,
      shadowOf: run.id,
    };
    // Without raw taps, which were asked in the real fire.
    const alone = state.hook === undefined ? state : { ...state, hook: undefined };
    const shadow = new FireRun(services, alone, found, plan, input, how, services.bus.observed, false);
    this.#asked.add(shadow);
    await shadow.start().finally(() => this.#asked.delete(shadow));
  }

  async #end(): Promise<void> {
    this.#closing = true;
    for (const shadow of this.#asked) shadow.cancel(new HookscopeError('CLOSED', { event: shadow.spec.name }));
  }
}

const ALL = new WeakMap<Background, ShadowRuns>();

/**
 * After a fire is decided and its caller has continued, calls each shadow (a hook that is not enforced) on its own with the input that
 * was decided on. Only closing the host waits for shadows, and their answers go into records only. A rejected fire has none.
 */
export function followByShadows(run: FireRun, decided: Promise<unknown>): void {
  const { background } = run.services;
  let following = ALL.get(background);
  if (following === undefined) {
    following = new ShadowRuns(background);
    ALL.set(background, following);
  }
  following.note(run, decided);
}
