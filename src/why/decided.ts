import { reasonIn } from '../emit/reading/reason.js';
import { givenIn, isGiven } from '../emit/reading/value.js';
import { wouldDo } from '../emit/reading/would.js';
import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { plain } from '../plain.js';
import { isShadow } from './meaning.js';
import { isGate, listed, nameIn, quoted, shortJson, shortName, verdictIn } from './words.js';

/** The decision, who decided, and who was overruled. */
export function decidedIn(record: FireRecord): string[] {
  const { decision, error } = record;
  if (isShadow(record)) return [notEnforced(record)];
  if (error !== undefined)
    return [
      `Nothing was decided: the fire was rejected (${plain(error)})${isGate(record) ? ', which is not a permission' : ''}.`,
    ];
  return [
    outcome(record),
    ...answeredElsewhere(record),
    ...overruled(record),
    ...conflicts(record),
    ...endOfLoop(decision),
  ];
}

/** The sentence for a hook that is not enforced; it names the fire that has the decision. */
function notEnforced(record: FireRecord): string {
  const { handlers, error, shadow_of: id = '' } = record;
  const who = `${listed(handlers.map(({ name }) => shortName(name))) || 'The hook'} is not enforced`;
  const rest = `the fire ${plain(id)} was decided without it.`;
  if (error !== undefined) return `${who}, and was not waited for (${plain(error)}); ${rest}`;
  return `${who}: it would ${listed(wouldDo(record)) || 'say nothing'}; ${rest}`;
}

function outcome(record: FireRecord): string {
  const { decision } = record;
  const { fold, verdict = 'none', blocked, continues, endedBy, decidedBy } = decision;
  const { own: reason } = reasonIn(record);
  const why = reason === undefined ? '' : `, saying ${quoted(reason)}`;
  const who = decidedBy === undefined ? 'A hook' : nameIn(record, decidedBy);
  if (fold === 'gate') {
    if (verdict === 'none') return "No hook had an opinion that counts, so the agent's own permission rules decide.";
    return `${who} decided: ${verdict}${why}${how(record)}.`;
  }
  if (fold === 'stop') {
    if (endedBy !== undefined)
      return `The agent stops, although ${listed(decision.overruled.map((id) => nameIn(record, id))) || 'hooks'} would have gone on (${plain(endedBy) === 'cap' ? 'too many times in a row' : plain(endedBy)}).`;
    if (continues) return `${who} decided that the agent goes on${why}.`;
    if (decidedBy !== undefined) return `${who} ended the loop: the agent stops${why}.`;
    return 'No hook wanted to go on: the agent stops.';
  }
  if (blocked) return `${who} blocked it${why}${how(record)}.`;
  if (isGiven(decision)) return `${who} decided: the value is ${shortJson(givenIn(decision))}${why}.`;
  if (fold === 'replace') return 'No hook gave a value.';
  return fold === 'block'
    ? 'No hook blocked it.'
    : `On ${plain(record.event)} nothing can be blocked: hooks can only watch, or add to it.`;
}

/** The answer of a remote approver, which the agent got instead of the hooks' `ask`. */
function answeredElsewhere({ answered }: FireRecord): string[] {
  if (answered === undefined) return [];
  const { answer, by, from, reason } = answered;
  if (answer === 'none')
    return [`The team was asked, and nobody answered${reason === undefined ? '' : `: ${plain(reason)}`}.`];
  const who = by === undefined ? 'An approver' : plain(by);
  const place = from === undefined ? '' : `, from ${plain(from)}`;
  return [
    `${who} of the team answered: ${plain(answer)}${place}${reason === undefined ? '' : `, saying ${quoted(reason)}`}.`,
  ];
}

/** How the verdict came about, if it is not the hook's own. */
function how(record: FireRecord): string {
  const { decision } = record;
  const decider = record.handlers.find(({ id }) => id === decision.decidedBy);
  if (!decider) return '';
  const failure = decision.failures.find(({ id, blocked }) => id === decider.id && blocked);
  const isOwn = verdictIn(record, decider) === (isGate(record) ? decision.verdict : 'block');
  if (failure && !isOwn) return ` (by its failure: ${plain(failure.cause)})`;
  return '';
}

function overruled(record: FireRecord): string[] {
  const { decision, decisions } = record;
  if (decision.endedBy !== undefined) return [];
  return decision.overruled.map((id) => {
    const loser = record.handlers.find((handler) => handler.id === id);
    if (decision.fold === 'stop')
      return `${nameIn(record, id)} was overruled: it wanted the agent to go on, and an end of the loop counts more.`;
    if (decision.fold === 'replace')
      return `${nameIn(record, id)} was overruled: it gave another value, and ${isBlock(record) ? 'a block counts more' : 'the last one counts'}.`;
    if (loser !== undefined && isAllowOfRule(loser) && mayRun(record))
      return `${nameIn(record, id)} was overruled: a rule's allow does not answer for the user what a scope further out has asked.`;
    const word = loser?.verdict === undefined ? 'another opinion' : plain(loser.verdict);
    const rule =
      decisions === 'first'
        ? 'on this host the first opinion counts'
        : decisions === 'last'
          ? 'on this host the last opinion counts'
          : decision.fold === 'gate'
            ? stricter(record)
            : 'the decision is a different one';
    return `${nameIn(record, id)} was overruled: it said ${word}, and ${rule}.`;
  });
}

const isBlock = ({ handlers, decision: { decidedBy } }: FireRecord): boolean =>
  handlers.some(({ id, verdict }) => id === decidedBy && verdict === 'block');

const isAllowOfRule = ({ handler, verdict }: HandlerRecord): boolean => handler === 'rule' && verdict === 'allow';

/** Nothing stricter than an allow was decided. */
const mayRun = ({ decision: { verdict = 'none' } }: FireRecord): boolean => verdict === 'none' || verdict === 'allow';

/** Otherwise, an allow is overruled without a stricter verdict only if managed policy asked. */
const stricter = ({ decision: { verdict = 'none' } }: FireRecord): string =>
  verdict === 'none'
    ? 'managed policy has asked about it, so that only managed hooks allow it'
    : `${plain(verdict)} is stricter`;

function conflicts(record: FireRecord): string[] {
  // For values, `overruled` says it.
  const all = record.decision.fold === 'replace' ? [] : record.conflicts;
  return all.map(
    ({ winner, loser }) =>
      `The rewrite of ${nameIn(record, winner)} stands, and that of ${nameIn(record, loser)} was dropped.`,
  );
}

function endOfLoop({ continue: goesOn, stopReason }: FireRecord['decision']): string[] {
  if (goesOn) return [];
  return [`The agent's loop ends here${stopReason === undefined ? '' : `, saying ${quoted(stopReason)}`}.`];
}
