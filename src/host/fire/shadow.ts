import { HookscopeError } from '../../errors.js';
import type { Matcher } from '../../matching/matcher.js';
import type { Registration } from '../../scopes/registration.js';
import { skipped } from '../../scopes/skip.js';
import { type ScopeLookup, typesAbove } from '../../scopes/tree.js';
import { readOnly } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import type { Background } from '../call/background.js';
import { Plan } from '../plan/plan.js';
import { shadowOf } from '../plan/shadows.js';
import { FireRun } from './fire-run.js';

const PLANS = new WeakMap<Registration, Plan>();

/** The plan for a shadow that concerns the input. A predicate has said so and is not called again, because it could give another answer. */
function planOf(r: Registration): Plan {
  const known = PLANS.get(r);
  if (known) return known;
  const alone = shadowOf(r);
  const plan = new Plan(r.spec, [alone.matcher.static ? alone : { ...alone, matcher: matched(alone.matcher) }]);
  PLANS.set(r, plan);
  return plan;
}

function matched({ all, text, code }: Matcher): Matcher {
  return { all, text, ...(code === undefined ? {} : { code }), static: true, matches: () => true };
}

/** Whether the hook's matcher and rule match. If not, the record of the real fire already lists the hook. */
function concerns(r: Registration, input: Json, found: ScopeLookup): boolean {
  const facts = {
    subject: r.spec.subject?.(input),
    input,
    agentTypes: typesAbove(found),
    get view() {
      return readOnly(input);
    },
    hasRun: () => false,
    ranBefore: () => false,
  };
  return skipped(r, facts) === undefined;
}

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
    await Promise.allSettled(run.plan.shadows.map((r) => this.#ask(r, run)));
  }

  async #ask(r: Registration, run: FireRun): Promise<void> {
    const { services, state, found, options, followed: input = run.finalInput } = run;
    if (this.#closing || !concerns(shadowOf(r), input, found)) return;
    const plan = planOf(r);
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
