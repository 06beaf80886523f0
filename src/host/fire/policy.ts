import { depthOf } from '../../scopes/registration.js';
import type { ScopeLookup } from '../../scopes/tree.js';
import { depthOfAsk } from '../alarms/use.js';
import { ruleOf } from '../call/work.js';
import { factsBefore, WhoRuns } from '../plan/who-runs.js';
import type { EventState } from '../services.js';
import type { AskingFire } from './open-ask.js';

/**
 * Whether managed policy has asked about the tool call that this event puts to the user. Known are asks in this process, and those of
 * rules, which can be evaluated again; an ask by the code of a managed hook in another process is not known here.
 */
export const asksByPolicy = (run: AskingFire): boolean =>
  run.spec.callRole === 'answers' && (depthOfAsk(run) === 0 || ruleThatAsks(run, policyOf(run)) === 0);

/** The same for all hooks: the depth of the outermost scope with one that has asked. */
export function outermostAsk(run: AskingFire): number | undefined {
  if (run.spec.callRole !== 'answers') return undefined;
  const depth = depthOfAsk(run);
  const ruled = ruleThatAsks(run, run.found ?? policyOf(run));
  return depth === undefined || ruled === undefined ? (depth ?? ruled) : Math.min(depth, ruled);
}

const policyOf = ({ services }: AskingFire): ScopeLookup => ({ scope: services.registrar.root, id: '', known: true });

/** The depth of the outermost rule that asks about the call, among those that a fire there would find. */
function ruleThatAsks(run: AskingFire, where: ScopeLookup): number | undefined {
  const depths = Object.values(run.services.events).flatMap((state) => asksByRule(run, state, where));
  return depths.length === 0 ? undefined : Math.min(...depths);
}

function asksByRule({ input, found }: AskingFire, { spec, plans }: EventState, where: ScopeLookup): number[] {
  if (spec.callRole !== 'judges') return [];
  const plan = plans.of(where).in(input['session_id']);
  if (plan.size === 0) return [];
  const subject = spec.subject?.(input);
  const candidates = plan.candidates(subject);
  const who = new WhoRuns(candidates, factsBefore(subject, input, found));
  return candidates.list.filter((r) => ruleOf(r)?.decision === 'ask' && who.why(r) === undefined).map(depthOf);
}
