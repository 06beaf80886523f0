import { typesAbove } from '../../scopes/tree.js';
import { readOnly } from '../../values/copies/view.js';
import { policyHasAsked } from '../alarms/use.js';
import { ruleOf } from '../call/work.js';
import { WhoRuns } from '../plan/who-runs.js';
import type { EventState } from '../services.js';
import type { AskingFire } from './elsewhere.js';

/**
 * Whether managed policy has asked about the tool call that this event puts to the user. Known are asks in this process, and those of
 * rules, which can be evaluated again; an ask by the code of a managed hook in another process is not known here.
 */
export function asksByPolicy(run: AskingFire): boolean {
  if (run.spec.callRole !== 'answers') return false;
  return policyHasAsked(run) || Object.values(run.services.events).some((state) => asksByRule(run, state));
}

function asksByRule({ services, input, found }: AskingFire, { spec, plans }: EventState): boolean {
  if (spec.callRole !== 'judges') return false;
  const plan = plans.get(services.registrar.root).in(input['session_id']);
  if (plan.size === 0) return false;
  const subject = spec.subject?.(input);
  const candidates = plan.candidates(subject);
  const agentTypes = found === undefined ? undefined : typesAbove(found);
  const facts = { subject, input, agentTypes, view: readOnly(input), hasRun: () => false, ranBefore: () => false };
  const who = new WhoRuns(candidates, facts);
  return candidates.list.some((r) => ruleOf(r)?.decision === 'ask' && who.why(r) === undefined);
}
