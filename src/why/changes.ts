import { isGiven } from '../emit/reading/value.js';
import type { FireRecord, HandlerRecord, ToolCallRecord } from '../emit/record.js';
import { plain } from '../plain.js';
import { own } from '../values/own.js';
import { rewriters } from './asked.js';
import type { RunEnd } from './background.js';
import { isShadow } from './meaning.js';
import { mendFor } from './mends.js';
import { counting, dueIn, endersOf, heardOf, keepersOf } from './said.js';
import { isGate, listed, placeOf, shortName } from './words.js';

interface CallEnds {
  /** How the tool call of the fire ended, if that is known. */
  readonly calls?: readonly ToolCallRecord[] | undefined;
  /** The ends of background hooks, by the hooks' ids. */
  readonly ends?: ReadonlyMap<string, RunEnd> | undefined;
}

/** What would have to change for a different decision. */
export function changesFor(record: FireRecord, { calls = [], ends }: CallEnds = {}): string[] {
  if (isShadow(record))
    return record.handlers.map(
      (h) => `For what ${shortName(h.name)} says to count, remove "enforce" in ${placeOf(h)}.`,
    );
  const { error } = record;
  const decided = error === undefined ? forDecision(record, calls) : [own(REJECTED, error) ?? 'Fire it again.'];
  return [...decided, ...forFailures(record), ...forLateFailures(record, ends)];
}

const REJECTED: Readonly<Record<string, string>> = {
  ABORTED: 'The caller aborted it before the hooks had answered: wait longer, or make hooks faster.',
  CLOSED: 'Its host was closed; fire it on one that is open.',
  INVALID_INPUT: 'The input could not be read or sent to hooks: make it smaller, or correct what the error named.',
};

const who = (handlers: readonly HandlerRecord[]): string =>
  handlers.length === 0 ? 'whoever decided' : listed(handlers.map((h) => `${shortName(h.name)} (${placeOf(h)})`));

function forDecision(record: FireRecord, calls: readonly ToolCallRecord[]): string[] {
  const { fold, blocked, continues } = record.decision;
  if (fold === 'gate') return [...forGate(record, calls), ...forUnasked(record), ...forLoop(record)];
  if (fold === 'stop')
    return continues
      ? [`For the agent to stop, ${who(keepersOf(record))} must no longer keep it going.`]
      : then(
          record,
          forLoop(record, 'the agent', keepersOf(record).length > 0 ? '' : ', and a hook must keep the agent going'),
        );
  const what = record.decision.continue ? 'For it to go on' : 'For it not to be blocked';
  const blocks = `${who(blockersOf(record))} must no longer block`;
  return then(record, [
    ...(blocked ? [`${what}, ${blocks}.`] : isGiven(record.decision) ? [forValue(record, blocks)] : []),
    ...forLoop(record),
  ]);
}

const then = (record: FireRecord, changes: string[]): string[] =>
  changes.length === 0 ? [] : [...changes, ...forUnasked(record)];

function forValue(record: FireRecord, blocks: string): string {
  if (blockersOf(record).length > 0) return `For another value, ${blocks}.`;
  const giver = record.handlers.filter(({ id }) => id === record.decision.decidedBy);
  return `For another value, ${who(giver)} must give another, or a hook that is asked after it: the last one counts.`;
}

/** Without the end of the run, the hooks after it would be asked, and those again that have not judged the final input. */
function forUnasked(record: FireRecord): string[] {
  const unasked = record.handlers.filter(({ status, reason }) => status === 'skipped' && reason === 'bailed');
  const asked = (handlers: readonly HandlerRecord[], how: string): string =>
    handlers.length === 0 ? '' : `${who(handlers)} ${handlers.length === 1 ? 'is' : 'are'} asked${how}`;
  const all = [asked(unasked, ', too'), asked(dueIn(record), ' again, about the final input')].filter((t) => t !== '');
  return all.length === 0 ? [] : [`What would be decided then is not known before ${listed(all)}.`];
}

/** `continue: false` ends the agent's loop whatever was decided about the call or prompt. */
function forLoop(record: FireRecord, what = "the agent's loop", more = ''): string[] {
  if (record.decision.continue) return [];
  return [`For ${what} to go on, ${who(endersOf(record))} must no longer end the loop${more}.`];
}

function blockersOf(record: FireRecord): HandlerRecord[] {
  const { failures } = record.decision;
  return heardOf(record).filter(
    (handler) => handler.verdict === 'block' || failures.some(({ id, blocked }) => blocked && id === handler.id),
  );
}

function forGate(record: FireRecord, calls: readonly ToolCallRecord[]): string[] {
  const { decisions, decision } = record;
  const { verdict = 'none' } = decision;
  const denier = calls.find((call) => call.status === 'denied')?.denied_by;
  const stopped = verdict === 'none' || verdict === 'allow' ? own(AFTER_GATE, denier ?? '') : undefined;
  if (stopped !== undefined) return [stopped(verdict, rewriters(record))];
  if (verdict === 'none') {
    // What has asked was managed policy or, where only a rule's allow was overruled, perhaps a hook of a scope further out.
    const lost = record.handlers.filter(({ id }) => decision.overruled.includes(id));
    const isOfRules = lost.length > 0 && lost.every(({ handler }) => handler === 'rule');
    const one = lost.length === 0 ? 'one' : isOfRules ? 'one of the scope that has asked' : 'one of a managed policy';
    return [
      `To stop such a call, a hook that matches it must deny; to let it run without a question, ${one} must allow.`,
    ];
  }
  const due = dueIn(record);
  const all = counting(record).filter((handler) => !due.includes(handler));
  const same = all.filter((handler) => handler.verdict === verdict);
  if (decisions === 'first' || decisions === 'last') return oneCounts(record, decisions, same);
  if (verdict === 'allow')
    return ['To stop such a call, one hook that matches it must deny or ask: both are stricter than allow.'];
  const each = same.length > 1 ? 'each hook' : 'the hook';
  const change = `${who(same)} must no longer ${plain(verdict)}: change ${each} or the call; an allow of another hook does not help`;
  if (verdict === 'ask') return forAsk(record, calls, change);
  const below = all.filter((handler) => handler.verdict === 'ask' || handler.verdict === 'defer');
  const others = below.filter((handler) => !same.includes(handler));
  if (others.length === 0) return [`For it to pass, ${change}.`];
  const denied = verdict === 'deny' ? 'denied' : 'left for later';
  return [
    `For it not to be ${denied}, ${change}.`,
    `It would not pass then either: ${who(others)} would still ${listed([...new Set(others.map((h) => plain(h.verdict ?? '')))])}.`,
  ];
}

/** By whom it was denied: what would let a call run that hooks let pass. */
const AFTER_GATE: Readonly<Record<string, (verdict: string, rewriters: readonly HandlerRecord[]) => string>> = {
  nobody: (verdict, by) => {
    if (by.length > 0)
      return `For it to run, the user must see it as it would run: give the adapter an onAsk that shows it, or ${who(by)} must no longer rewrite it.`;
    return `For it to run, an approver must be there (${APPROVERS})${orAllow(verdict)}.`;
  },
  rule: () => `For it to run, ${RULES}.`,
  mode: (verdict) => `For it to run, the permission mode must be one in which somebody is asked${orAllow(verdict)}.`,
  classifier: (verdict) => `For it to run, the classifier must allow it${orAllow(verdict)}.`,
  user: () => 'For it to run, the user must allow it when asked.',
  failure: () => 'For it to run, the question about it must be answered properly: the reason says what went wrong.',
};

const RULES = 'the permission rules must no longer deny it: an allow of a hook does not help';
const APPROVERS =
  'a permission function of the session, an onAsk of the adapter if hooks rewrite the call, or people of a fleet who approve';

/** If no hook had an opinion, an allow would help too. */
const orAllow = (verdict: string): string => (verdict === 'none' ? ', or a hook that matches it must allow it' : '');

/** For a host on which the first or last opinion counts. Some opinions count besides it (see `counting`). */
function oneCounts(record: FireRecord, decisions: 'first' | 'last', same: readonly HandlerRecord[]): string[] {
  const { verdict } = record.decision;
  const when = decisions === 'first' ? 'before' : 'after';
  if (verdict === 'allow')
    return [
      `To stop such a call, ${who(same)} must deny or ask, or a hook that is asked ${when} it: the ${decisions} opinion counts on this host.`,
    ];
  const always =
    same.length > 1 ? ', and beside it what managed hooks, guards that have changed and ends of a run say' : '';
  return [
    `For another answer, ${who(same)} must answer differently: the ${decisions} opinion counts on this host${always}.`,
  ];
}

/** For `ask`: the question may be answered, or may have been. */
function forAsk({ answered }: FireRecord, calls: readonly ToolCallRecord[], change: string): string[] {
  const asking = `For it to pass without a question, ${change}.`;
  const nobody = answered?.answer === 'none' || calls.some((call) => call.denied_by === 'nobody');
  if (nobody) return [asking, `For the question to be answered, an approver is missing: ${APPROVERS}.`];
  if (calls.some((call) => call.denied_by === 'rule')) return [asking, `It would not run then either: ${RULES}.`];
  const denier = answered?.answer === 'deny' ? (answered.by ?? 'an approver') : undefined;
  const refused = denier ?? (calls.some((call) => call.denied_by === 'user') ? 'the user' : undefined);
  return refused === undefined
    ? [asking]
    : [asking, `For it to pass with one, ${plain(refused)} must allow it when asked.`];
}

function forFailures(record: FireRecord): string[] {
  return record.handlers.flatMap((handler) => {
    if (handler.status !== 'failed') return [];
    const ignored = !record.decision.failures.some(({ id, blocked }) => blocked && id === handler.id);
    const policy =
      ignored && isGate(record) && handler.phase !== 'observe' && handler.on_failure === 'continue'
        ? ' With onFailure: "block" its failure would have denied the call.'
        : '';
    return [`For ${shortName(handler.name)} to answer: ${mendFor(handler, record.event)}.${policy}`];
  });
}

/** For hooks that failed in the background, where a failure never counts. */
function forLateFailures({ event, handlers }: FireRecord, ends: CallEnds['ends']): string[] {
  return handlers.flatMap((handler) => {
    const end = ends?.get(handler.id);
    return end?.failure === undefined
      ? []
      : [`For ${shortName(handler.name)} to work: ${mendFor({ ...handler, ...end }, event)}.`];
  });
}
