import { answersIn, isSame } from '../emit/reading/answers.js';
import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import { endsRun, firstText, hookSpecificOf, isGate, output } from './words.js';

const LATTICE = ['none', 'allow', 'ask', 'defer', 'deny'];
const strength = ({ verdict = 'none' }: HandlerRecord): number => LATTICE.indexOf(verdict);

/** The hooks whose answers or failures are part of the decision. */
export const heardOf = ({ handlers }: FireRecord): HandlerRecord[] =>
  handlers.filter(({ status, phase }) => (status === 'ran' || status === 'failed') && phase !== 'observe');

/** The hooks of a gate whose verdicts count: all that have one, or, if the first or last counts, that one and those that always count (docs/semantics.md 7). */
export function counting(record: FireRecord): HandlerRecord[] {
  const spoken = heardOf(record).filter((handler) => strength(handler) > 0);
  const { decisions, decision } = record;
  if (!isGate(record) || (decisions !== 'first' && decisions !== 'last')) return spoken;
  const chosen = decisions === 'first' ? spoken[0] : spoken.at(-1);
  return spoken.filter((handler) => {
    if (handler === chosen || handler.id === decision.decidedBy) return true;
    const managed = handler.scope === 'managed' && strength(handler) >= LATTICE.indexOf('ask');
    return managed || handler.failure?.cause === 'untrusted' || endsRun(handler) || isOutside(handler, chosen);
  });
}

/** Whether the chosen opinion is the allow of a rule in a scope further inside: it cannot loosen this hook's answer. */
function isOutside(handler: HandlerRecord, chosen: HandlerRecord | undefined): boolean {
  return chosen?.handler === 'rule' && chosen.verdict === 'allow' && depthOf(handler) < depthOf(chosen);
}

function depthOf({ scope }: HandlerRecord): number {
  const place = ['managed', 'host', 'session'].indexOf(scope);
  return place < 0 ? 3 : place;
}

/** The hooks that were not asked again about the final input because a hook had ended the run. */
export function dueIn(record: FireRecord): HandlerRecord[] {
  const { event, final_input: final, versions = [], truncated = [] } = record;
  const heard = heardOf(record);
  if (!isGate(record) || final === undefined || truncated.some((cut) => cut.startsWith('versions'))) return [];
  if (!heard.some(endsRun)) return [];
  const answers = answersIn(record);
  const field = final[specOf(event)?.rewrites?.field ?? ''];
  return heard.filter(({ id, phase = 'decide', judged = 0 }) => {
    const made = answers.get(id)?.at(-1)?.rewrite;
    const isOwn = made !== undefined && !made.dropped && isSame(made.value, field);
    return phase === 'decide' && judged <= versions.length && !isOwn;
  });
}

/** The hooks that ended the agent's loop. */
export function endersOf(record: FireRecord): HandlerRecord[] {
  const nested = specOf(record.event)?.nestedDecision === true;
  return heardOf(record).filter((handler) => {
    const said = output(handler);
    return said['continue'] === false || (!nested && said['preventContinuation'] === true);
  });
}

/** The hooks that wanted a stopping agent to continue. */
export function keepersOf(record: FireRecord): HandlerRecord[] {
  const enders = endersOf(record);
  return heardOf(record).filter((handler) => {
    if (enders.includes(handler) || handler.phase === 'rewrite') return false;
    const goesOn = handler.dialect === 'code' && output(handler)['continue'] === true;
    return (
      handler.verdict === 'block' || goesOn || firstText(hookSpecificOf(handler)['additionalContext']) !== undefined
    );
  });
}
