import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { plain } from '../plain.js';
import { isShadow } from './meaning.js';
import { listed, named, nameIn, placeOf, quoted } from './words.js';

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

/** Points to the record that has the decision. */
function notEnforced({ handlers, would = 'none', final_input: final, error, shadow_of: id = '' }: FireRecord): string {
  const who = `${listed(handlers.map(({ name }) => named(name))) || 'The hook'} is not enforced`;
  const rest = `the fire ${plain(id)} was decided without it.`;
  if (error !== undefined) return `${who}, and was not waited for (${plain(error)}); ${rest}`;
  const words = [...(would === 'none' ? [] : [plain(would)]), ...(final === undefined ? [] : ['rewrite it'])];
  return `${who}: it would ${listed(words) || 'say nothing'}; ${rest}`;
}

const isGate = ({ decision }: FireRecord): boolean => decision.fold === 'gate';

function outcome(record: FireRecord): string {
  const { decision } = record;
  const { fold, verdict = 'none', blocked, continues, endedBy, decidedBy, reason } = decision;
  const why = reason === undefined ? '' : `, saying ${quoted(reason)}`;
  const who = decidedBy === undefined ? 'A hook' : nameIn(record, decidedBy);
  if (fold === 'gate') {
    if (verdict === 'none') return "No hook had an opinion that counts, so the agent's own permission rules decide.";
    return `${who} decided: ${verdict}${why}${how(record)}.`;
  }
  if (fold === 'stop') {
    if (endedBy !== undefined)
      return `The agent stops, although ${listed(decision.overruled.map((id) => nameIn(record, id))) || 'hooks'} would have gone on (${plain(endedBy) === 'cap' ? 'too many times in a row' : plain(endedBy)}).`;
    return continues ? `${who} decided that the agent goes on${why}.` : 'No hook wanted to go on: the agent stops.';
  }
  if (blocked) return `${who} blocked it${why}${how(record)}.`;
  return fold === 'block'
    ? 'No hook blocked it.'
    : `On ${plain(record.event)} nothing can be blocked: hooks can only watch, or add to it.`;
}

/** The result of the question to the team. The agent was told this, not the hooks' own answer. */
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

/** How the verdict came about, if it is not simply what the hook said. */
function how(record: FireRecord): string {
  const { decision } = record;
  const decider = record.handlers.find(({ id }) => id === decision.decidedBy);
  if (!decider) return '';
  const failure = decision.failures.find(({ id, blocked }) => id === decider.id && blocked);
  if (failure) return ` (by its failure: ${plain(failure.cause)})`;
  return '';
}

function overruled(record: FireRecord): string[] {
  const { decision, decisions } = record;
  if (decision.endedBy !== undefined) return [];
  return decision.overruled.map((id) => {
    const loser = record.handlers.find((handler) => handler.id === id);
    const word = loser?.verdict === undefined ? 'another opinion' : plain(loser.verdict);
    const rule =
      decisions === 'first'
        ? 'on this host the first opinion counts'
        : decisions === 'last'
          ? 'on this host the last opinion counts'
          : decision.fold === 'gate'
            ? `${plain(decision.verdict ?? 'none')} is stricter`
            : 'the decision is a different one';
    return `${nameIn(record, id)} was overruled: it said ${word}, and ${rule}.`;
  });
}

function conflicts(record: FireRecord): string[] {
  return record.conflicts.map(
    ({ winner, loser }) =>
      `The rewrite of ${nameIn(record, winner)} stands, and that of ${nameIn(record, loser)} was dropped.`,
  );
}

function endOfLoop({ continue: goesOn, stopReason }: FireRecord['decision']): string[] {
  if (goesOn) return [];
  return [`The agent's loop ends here${stopReason === undefined ? '' : `, saying ${quoted(stopReason)}`}.`];
}

/** What would have to change for a different decision. */
export function changesFor(record: FireRecord): string[] {
  if (isShadow(record))
    return record.handlers.map((h) => `For what ${named(h.name)} says to count, remove "enforce" in ${placeOf(h)}.`);
  return [...forDecision(record), ...forFailures(record)];
}

function forDecision(record: FireRecord): string[] {
  const { decision, error } = record;
  if (error !== undefined) return [REJECTED[error] ?? 'Fire it again.'];
  const { fold, verdict = 'none', blocked, continues } = decision;
  if (fold === 'gate') {
    const same = record.handlers.filter((handler) => handler.verdict === verdict);
    const who = same.map((handler) => `${named(handler.name)} (${placeOf(handler)})`);
    if (verdict === 'none')
      return [
        'To stop such a call, a hook that matches it must deny; to let it run without a question, one must allow.',
      ];
    if (verdict === 'allow')
      return ['To stop such a call, one hook that matches it must deny or ask: both are stricter than allow.'];
    const must = who.length === 0 ? 'whoever decided' : listed(who);
    const each = who.length > 1 ? 'each of them' : 'it';
    if (record.decisions === 'first' || record.decisions === 'last')
      return [
        `For another answer, ${must} must answer differently: the ${record.decisions} opinion counts on this host.`,
      ];
    return [
      `For it to pass, ${must} must no longer ${verdict}: ${each} would have to change, or the call; an allow of another hook does not help.`,
    ];
  }
  if (fold === 'stop')
    return continues ? [`For the agent to stop, ${blockers(record)} must no longer keep it going.`] : [];
  return blocked ? [`For it to go on, ${blockers(record)} must no longer block.`] : [];
}

const REJECTED: Readonly<Record<string, string>> = {
  ABORTED: 'The caller aborted it before the hooks had answered: wait longer, or make hooks faster.',
  CLOSED: 'Its host was closed; fire it on one that is open.',
  INVALID_INPUT: 'The input could not be read or sent to hooks: make it smaller, or correct what the error named.',
};

function blockers(record: FireRecord): string {
  const all = record.handlers.filter(
    (handler) =>
      handler.verdict === 'block' || record.decision.failures.some(({ id, blocked }) => blocked && id === handler.id),
  );
  return all.length === 0 ? 'whoever decided' : listed(all.map((h) => `${named(h.name)} (${placeOf(h)})`));
}

function forFailures(record: FireRecord): string[] {
  return record.handlers.flatMap((handler) => {
    if (handler.status !== 'failed') return [];
    const ignored = !record.decision.failures.some(({ id, blocked }) => blocked && id === handler.id);
    const policy =
      ignored && isGate(record) && handler.phase !== 'observe' && handler.on_failure === 'continue'
        ? ' With onFailure: "block" its failure would have denied the call.'
        : '';
    return [`For ${named(handler.name)} to answer: ${mendFor(handler)}.${policy}`];
  });
}

/** The advice for a hook that failed. */
export function mendFor(handler: HandlerRecord): string {
  const { cause = 'unknown' } = handler.failure ?? {};
  return (Object.hasOwn(MENDS, cause) ? MENDS[cause] : undefined)?.(handler) ?? 'see what its message says';
}

/** The command that its failure's message ends with: it depends on what holds the hook back. */
const remedyIn = ({ failure }: HandlerRecord): string =>
  plain(/; see (hookscope [\w -]+)$/.exec(failure?.message ?? '')?.[1] ?? 'hookscope trust');

/** The advice for each cause of failure. */
const MENDS: Readonly<Record<string, (handler: HandlerRecord) => string>> = {
  threw: (h) => `fix the error that it throws, in ${placeOf(h)}`,
  timeout: (h) => `make it faster, or give it a longer timeout (seconds) in ${placeOf(h)}`,
  spawn_failed: (h) =>
    `its program was not found or may not be executed; correct the path in ${placeOf(h)}, or chmod +x`,
  exit_code: (h) =>
    `it ended with ${h.exit_code ?? 'a code'} and no answer; 0 is fine, 2 blocks, any other code is a failure`,
  signal: () => 'something killed it; find out what',
  bad_json: () => 'its standard output begins like JSON but is not JSON; print one object, or plain text',
  bad_schema: () => 'a field of its answer has the wrong type or name; hookscope check and the message say which',
  too_large: () => 'print less: what it wrote is over the limit',
  http_status: (h) => `its server answered ${h.exit_code ?? 'another status'}; it must answer 2xx`,
  connection: (h) => `its server was not reached; start it, or correct the address in ${placeOf(h)}`,
  aborted: () => 'it was stopped because the caller aborted the fire, or because the host closed',
  worker_died: () => 'the process that it ran in ended; see why',
  untrusted: (h) =>
    `it has changed or is gone since it was accepted; look at ${placeOf(h)} and accept it: ${remedyIn(h)}`,
};
