import { setImmediate as afterwards } from 'node:timers/promises';
import { HookscopeError } from '../../errors.js';
import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';
import { readOnly } from '../../values/view.js';
import { Plan } from '../plan/plan.js';
import { isEnforcedIn, shadowOf } from '../plan/shadows.js';
import { skipped } from '../plan/skipped.js';
import { FireRun } from './fire-run.js';

const PLANS = new WeakMap<Registration, Plan>();

function planOf(r: Registration): Plan {
  const known = PLANS.get(r);
  if (known) return known;
  const plan = new Plan(r.spec, Object.freeze([shadowOf(r)]));
  PLANS.set(r, plan);
  return plan;
}

/** Whether its matcher and its rule match. One that has no say in this call is in the record of the fire that was decided. */
function concerns(r: Registration, input: Json): boolean {
  const facts = {
    subject: r.spec.subject?.(input),
    input,
    get view() {
      return readOnly(input);
    },
    hasRun: () => false,
    ranBefore: () => false,
  };
  return skipped(r, facts) === undefined;
}

/**
 * Once it is decided, asks those that are not enforced here, each by itself, about what was decided. Nobody waits for them but the
 * host's close; what they say goes into records alone. A fire that was rejected has no shadow.
 */
export function followByShadows(run: FireRun, decided: Promise<unknown>): void {
  const { services, plan, input } = run;
  const due = plan.shadows.filter((r) => r.enforce === undefined || !isEnforcedIn(r.enforce, input['session_id']));
  if (due.length === 0) return;
  const ending = new Set<FireRun>();
  let closing = false;
  const each = async (r: Registration): Promise<void> => {
    const of = planOf(r);
    const { state, found, options, finalInput } = run;
    if (closing || !concerns(of.registrations[0] as Registration, finalInput)) return;
    const how = { ...options, signal: undefined, ranBefore: undefined, losses: undefined, shadowOf: run.id };
    const shadow = new FireRun(services, state, found, of, finalInput, how, services.bus.observed, false);
    ending.add(shadow);
    await shadow.start().finally(() => ending.delete(shadow));
  };
  // The caller goes on first.
  const done = decided.then(() => afterwards()).then(() => Promise.allSettled(due.map(each)));
  const end = async (): Promise<void> => {
    closing = true;
    for (const shadow of ending) shadow.cancel(new HookscopeError('CLOSED', { event: run.spec.name }));
  };
  services.background.keep(`shadows of ${run.spec.name}`, done, end, true);
}
