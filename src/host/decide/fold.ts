import { effectOf, type FailureEffect } from '../../events/failure.js';
import { isRefusal } from '../../events/output/what-counts.js';
import type { EventSpec, Subject, Verdict } from '../../events/spec.js';
import { depthOf } from '../../scopes/registration.js';
import type { AnyDecision, Conflict, DecisionFields, EndedBy, OutcomesLater } from './decision.js';
import { makeDecision } from './decision.js';
import { common, type HandlerResult, isVerdict, OutcomeList, permitNothing } from './fold-common.js';

/** How several verdicts become one: the strictest, or the first or last in plan order. */
export type Decisions = 'strictest' | 'first' | 'last';

export interface FoldContext {
  readonly decisions: Decisions;
  /** Managed hooks have asked about the call, so among hooks that answer for the user only managed ones may allow it. */
  readonly policyAsks?: boolean | undefined;
  /** If hooks have asked about the call: the depth of the outermost scope with one of them. A rule further inside may not allow it. */
  readonly askedAt?: (() => number | undefined) | undefined;
  /** The subject of the input, for events where some subjects cannot be blocked. */
  readonly subject?: Subject;
  readonly conflicts?: readonly Conflict[] | undefined;
  /** The rewritten field's final value, if a rewrite was accepted. */
  readonly rewritten?: { readonly value: unknown } | undefined;
  /** Replaces an output that could not be carried to all hooks, unless a hook has replaced it. */
  readonly withheld?: { readonly value: unknown } | undefined;
  /** The fire rejects, so the decision, which only records show, must not permit anything. */
  readonly cancelled?: boolean | undefined;
  /** On stop events: the loop ends whatever the hooks say, for this reason. */
  readonly endedBy?: EndedBy | undefined;
}

export const RANK: Readonly<Record<Verdict, number>> = { none: 0, allow: 1, ask: 2, defer: 3, deny: 4 };

/** Folds results, in plan order, into one decision. The order of finishing does not matter. `outcomes`: those to list, including silent hooks. */
export function fold(
  spec: EventSpec,
  said: readonly HandlerResult[],
  context: FoldContext,
  outcomes: OutcomesLater = new OutcomeList(said),
): AnyDecision {
  const decision = makeDecision(spec, undefined, outcomes);
  const fields = decision as DecisionFields;
  if (context.withheld !== undefined) fields.updatedOutput = context.withheld.value;
  const speaking = said.every(speaks) ? said : said.filter(speaks);
  if (speaking.length === 0) return decision;
  if (!speaking.every(isVerdictAlone)) common(fields, spec, speaking, context.subject);
  answer(fields, spec, speaking, context);
  if (context.conflicts !== undefined && context.conflicts.length > 0) fields.conflicts = context.conflicts;
  // Inside a nested verdict only an allow carries a rewrite.
  if (context.rewritten !== undefined && (!spec.nestedDecision || fields.verdict === 'allow'))
    fields[spec.fold === 'gate' ? 'updatedInput' : 'updatedOutput'] = context.rewritten.value;
  if (context.cancelled) permitNothing(fields, isRefusal(spec, fields.value));
  return decision;
}

/** The result needs no work by `common`. */
const isVerdictAlone = ({ outcome, failure }: HandlerResult): boolean =>
  failure === undefined && (outcome === undefined || isVerdict(outcome));

/** Whether the hook answered or failed: a silent one changes nothing in any fold. */
const speaks = (s: HandlerResult): boolean => s.outcome !== undefined || s.failure !== undefined;

/** The verdict of one handler on a gate: from its answer, its `continue: false` (only in code), and its failure policy if it failed. */
export function verdictOf(spec: EventSpec, s: HandlerResult): Verdict {
  const own = ownVerdict(s);
  return s.failure === undefined ? own : stricter(own, effectOf(spec, s.registration.onFailure, s.failure));
}

function ownVerdict({ outcome, registration, allowLapsed }: HandlerResult): Verdict {
  if (outcome === undefined) return 'none';
  if (outcome.continue === false && registration.dialect === 'code') return 'deny';
  if (registration.phase === 'rewrite' || outcome.verdict === undefined) return 'none';
  return outcome.verdict === 'allow' && allowLapsed ? 'none' : outcome.verdict;
}

function stricter(own: Verdict, failed: FailureEffect): Verdict {
  return failed !== 'none' && failed !== 'block' && RANK[failed] > RANK[own] ? failed : own;
}

function reasonOf(spec: EventSpec, s: HandlerResult): string | undefined {
  const { outcome, failure } = s;
  if (failure !== undefined && verdictOf(spec, s) !== ownVerdict(s)) return failure.message;
  const reason = outcome?.reason ?? outcome?.stopReason;
  // The deny comes from `continue: false`, so the reason of the handler's own verdict does not explain it.
  const ended = outcome?.continue === false && s.registration.dialect === 'code' && outcome.verdict !== 'deny';
  return ended ? (outcome.stopReason ?? reason) : reason;
}

function answer(fields: DecisionFields, spec: EventSpec, said: readonly HandlerResult[], context: FoldContext): void {
  switch (spec.fold) {
    case 'gate':
      gateOf(fields, spec, said, context);
      break;
    case 'block':
      Object.assign(fields, block(spec, said, context));
      break;
    case 'stop':
      Object.assign(fields, stop(said, context.endedBy));
      break;
    case 'replace':
      Object.assign(fields, replace(spec, said));
      break;
    default:
  }
}

/** The strictest verdict among those that count wins; among equals, the first in plan order. */
function gate(fields: DecisionFields, spec: EventSpec, said: readonly HandlerResult[], context: FoldContext): void {
  const { decisions } = context;
  const chosen = decisions === 'strictest' ? undefined : spoken(spec, said, decisions);
  let winner: HandlerResult | undefined;
  let verdict: Verdict = 'none';
  let differ = false;
  for (const s of said) {
    const own = verdictOf(spec, s);
    if (own === verdict || own === 'none') continue;
    const isStricter = RANK[own] > RANK[verdict];
    if (winner !== undefined || !isStricter) differ = true;
    if (!isStricter || !(decisions === 'strictest' || s === chosen || stands(s, RANK[own], chosen))) continue;
    winner = s;
    verdict = own;
  }
  if (winner === undefined) return;
  const reason = reasonOf(spec, winner);
  fields.verdict = verdict;
  fields.decidedBy = winner.registration.id;
  if (reason !== undefined) fields.reason = reason;
  if (differ || chosen !== undefined) overrule(fields, spec, said, verdict);
  if (spec.nestedDecision) Object.assign(fields, grants(spec, said, verdict));
}

/** Like `gate`, without the hooks that may not allow the call in the user's place: they are overruled. */
function gateOf(fields: DecisionFields, spec: EventSpec, said: readonly HandlerResult[], context: FoldContext): void {
  const counts =
    spec.callRole !== 'answers' ? said : said.filter((s) => verdictOf(spec, s) !== 'allow' || mayAllow(s, context));
  gate(fields, spec, counts, context);
  if (counts.length === said.length) return;
  const lost = new Set(fields.overruled);
  const others = said.filter((s) => !counts.includes(s) || lost.has(s.registration.id));
  fields.overruled = others.map((s) => s.registration.id);
}

/** Of what managed policy has asked, only managed hooks may allow anything. Of what any scope has asked, a rule further inside may not. */
function mayAllow(s: HandlerResult, { policyAsks, askedAt }: FoldContext): boolean {
  if (policyAsks === true) return isManaged(s);
  if (s.registration.kind !== 'rule') return true;
  const depth = askedAt?.();
  return depth === undefined || depthOf(s.registration) <= depth;
}

function overrule(fields: DecisionFields, spec: EventSpec, said: readonly HandlerResult[], verdict: Verdict): void {
  const others: string[] = [];
  for (const s of said) {
    const other = verdictOf(spec, s);
    if (other !== 'none' && other !== verdict) others.push(s.registration.id);
  }
  if (others.length > 0) fields.overruled = others;
}

/** Fields of a nested verdict count only from handlers that gave the winning verdict themselves. */
function grants(spec: EventSpec, said: readonly HandlerResult[], verdict: Verdict): DecisionFields {
  const sharing = said.filter((s) => decides(s) && s.outcome?.verdict === verdict && verdictOf(spec, s) === verdict);
  const given = sharing.map((s) => s.outcome?.specific ?? {});
  const permissions = given.flatMap((s) => (Array.isArray(s['updatedPermissions']) ? s['updatedPermissions'] : []));
  return {
    ...(permissions.length > 0 ? { updatedPermissions: permissions } : {}),
    ...(given.some((s) => s['interrupt'] === true) ? { interrupt: true } : {}),
  };
}

function spoken(spec: EventSpec, said: readonly HandlerResult[], which: 'first' | 'last'): HandlerResult | undefined {
  const hasWord = (s: HandlerResult): boolean => verdictOf(spec, s) !== 'none';
  return which === 'first' ? said.find(hasWord) : said.findLast(hasWord);
}

/** Whether the verdict counts even if `decisions` chose another handler. */
const stands = (s: HandlerResult, rank: number, chosen: HandlerResult | undefined): boolean =>
  endsRun(s) || isUntrusted(s) || (isManaged(s) && rank >= RANK.ask) || isOutside(s, chosen);

/** The verdict of an outer scope counts if the chosen one is a rule's `allow`, which must not loosen it. */
const isOutside = (s: HandlerResult, chosen: HandlerResult | undefined): boolean =>
  chosen?.registration.kind === 'rule' &&
  chosen.outcome?.verdict === 'allow' &&
  depthOf(s.registration) < depthOf(chosen.registration);

const isManaged = (s: HandlerResult): boolean => s.registration.scope.kind === 'managed';

/** The failure of an untrusted guard, which could not be asked, must not be overruled. */
const isUntrusted = (s: HandlerResult): boolean => s.failure?.cause === 'untrusted';

/** A handler that ends the run kept later handlers, which might have denied, from running: its deny cannot be overruled. */
const endsRun = (s: HandlerResult): boolean => s.outcome?.continue === false && s.registration.dialect === 'code';

/** In the phase `rewrite` a hook has no verdict. */
const decides = (s: HandlerResult): boolean => s.registration.phase !== 'rewrite';

const blocks = (s: HandlerResult): boolean => s.outcome?.block === true && decides(s);

function block(spec: EventSpec, said: readonly HandlerResult[], context: FoldContext): DecisionFields {
  if (spec.unblockable?.includes(context.subject ?? '')) return {};
  const blocking = said.filter(
    (s) => blocks(s) || (s.failure && effectOf(spec, s.registration.onFailure, s.failure) === 'block'),
  );
  if (blocking.length === 0) return {};
  return { blocked: true, ...decidedBy(blocking) };
}

function decidedBy(by: readonly HandlerResult[]): DecisionFields {
  const reasons = by.map(reasonFor).filter((r) => r !== undefined);
  const fields: DecisionFields = { decidedBy: (by[0] as HandlerResult).registration.id };
  if (reasons.length > 0) fields.reason = reasons.join('\n');
  return fields;
}

/** Its own reason, if any, where its own words made the verdict; where its failure did, the failure's message. */
function reasonFor(s: HandlerResult): string | undefined {
  if (s.failure !== undefined && !blocks(s)) return s.failure.message;
  return s.outcome?.reason ?? s.outcome?.stopReason;
}

/** docs/semantics.md 7: `continue: false` always ends the loop; otherwise block, context or (only in code) `continue: true` keep it going. */
function stop(said: readonly HandlerResult[], endedBy: EndedBy | undefined): DecisionFields {
  const keeps = said.filter((s) => {
    const o = s.outcome;
    if (o === undefined || !decides(s)) return false;
    return o.block || o.additionalContext !== undefined || (o.continue === true && s.registration.dialect === 'code');
  });
  const ends = said.filter((s) => s.outcome?.continue === false);
  if (ends.length > 0) {
    const first = ends[0] as HandlerResult;
    const fields: DecisionFields = { continues: false, decidedBy: first.registration.id };
    fields.overruled = keeps.filter((s) => !ends.includes(s)).map((s) => s.registration.id);
    const reason = first.outcome?.reason ?? first.outcome?.stopReason;
    if (reason !== undefined) fields.reason = reason;
    return fields;
  }
  if (keeps.length === 0) return {};
  if (endedBy) return { continues: false, endedBy, overruled: keeps.map((s) => s.registration.id) };
  return { continues: true, ...decidedBy(keeps) };
}

/**
 * If a handler failed or blocked, there is no value, unless the event defines what value a block means. Otherwise the last value in plan order wins, and
 * every other value is recorded as a conflict.
 */
function replace(spec: EventSpec, said: readonly HandlerResult[]): DecisionFields {
  const failed = said.filter((s) => s.failure && effectOf(spec, s.registration.onFailure, s.failure) === 'block');
  const against = said.filter((s) => blocks(s) || failed.includes(s));
  const hasValue = spec.blockValue !== undefined && failed.length === 0;
  if (against.length > 0 && !hasValue) return { blocked: true, ...decidedBy(against) };
  const offers = said.filter((s) => s.outcome?.value !== undefined && (decides(s) || !s.outcome.block));
  const wins = against[0] ?? offers.at(-1);
  if (!wins) return {};
  const winner = wins.registration.id;
  const losers = offers.filter((s) => s !== wins && !against.includes(s)).map((s) => s.registration.id);
  return {
    value: wins.outcome?.value,
    ...(against.length > 0 ? decidedBy(against) : { decidedBy: winner }),
    overruled: losers,
    conflicts: losers.map((loser) => ({ winner, loser })),
  };
}
