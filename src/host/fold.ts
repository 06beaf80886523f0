import type { EventEntry, Verdict } from '../events/define.js';
import type { Outcome } from '../events/outcome.js';
import type { Registration } from '../scopes/registration.js';
import type { AnyDecision, Clash, DecisionFields, EndedBy } from './decision.js';
import { makeDecision } from './decision.js';
import { effectOf } from './failure.js';
import { common, listOutcomes, specifics } from './fold-common.js';
import type { Failure } from './handlers/handler.js';

/** What one handler came to: what it said, or how it failed, or (after a failed re-ask) both. */
export interface Said {
  readonly registration: Registration;
  readonly outcome?: Outcome | undefined;
  readonly failure?: Failure | undefined;
  /** Its allow was for an input that will not run, or it no longer matches: the allow counts as none. */
  readonly allowLapsed?: boolean;
}

/** How the verdicts become one: the strictest, or the first or last in plan order. */
export type Decisions = 'strictest' | 'first' | 'last';

export interface FoldContext {
  readonly decisions: Decisions;
  /** The subject of the input, for events where some subjects cannot be blocked. */
  readonly subject?: string | undefined;
  readonly clashes?: readonly Clash[];
  /** The rewritten field's final value, where a rewrite stood. */
  readonly rewritten?: { readonly value: unknown } | undefined;
  /** What stands in place of an output that could not be carried to all hooks, unless one has put another there. */
  readonly withheld?: { readonly value: unknown } | undefined;
  /** stop events: the loop ends whatever the hooks say, and why. */
  readonly endedBy?: EndedBy | undefined;
}

export const RANK: Readonly<Record<Verdict, number>> = { none: 0, allow: 1, ask: 2, defer: 3, deny: 4 };

interface Vote {
  readonly said: Said;
  readonly verdict: Verdict;
  readonly reason: string | undefined;
}

/** Pure: the outcomes, in plan order, folded into one answer. The order of finishing cannot matter. */
export function fold(entry: EventEntry, said: readonly Said[], context: FoldContext): AnyDecision {
  if (said.every(isSilent)) return makeDecision(entry, withheld(context), () => listOutcomes(said));
  const fields = common(entry, said, context.subject);
  Object.assign(fields, specifics(entry, said), answer(entry, said, context));
  if (context.clashes && context.clashes.length > 0) fields.clashes = context.clashes;
  Object.assign(fields, withheld(context), rewritten(entry, context));
  return makeDecision(entry, fields, () => listOutcomes(said));
}

const isSilent = (s: Said): boolean => s.outcome === undefined && s.failure === undefined;

/** The verdict of one handler on a gate: its own word, its `continue: false` (from code), its failure by policy. */
export function verdictOf(entry: EventEntry, s: Said): { verdict: Verdict; reason: string | undefined } {
  let verdict: Verdict = s.outcome?.verdict ?? 'none';
  let reason = s.outcome?.reason ?? s.outcome?.stopReason;
  if (verdict === 'allow' && s.allowLapsed) verdict = 'none';
  if (s.registration.phase === 'rewrite') verdict = 'none';
  if (s.outcome?.continue === false && s.registration.dialect === 'code') {
    // The reason of another word of its own would not be why.
    if (s.outcome.verdict !== 'deny') reason = s.outcome.stopReason ?? reason;
    verdict = 'deny';
  }
  const failed = s.failure && effectOf(entry, s.registration.onFailure, s.failure);
  if (s.failure && failed && failed !== 'none' && failed !== 'block' && RANK[failed] > RANK[verdict]) {
    verdict = failed;
    reason = s.failure.message;
  }
  return { verdict, reason };
}

function answer(entry: EventEntry, said: readonly Said[], context: FoldContext): DecisionFields {
  switch (entry.fold) {
    case 'gate':
      return gate(entry, said, context);
    case 'block':
      return block(entry, said, context);
    case 'stop':
      return stop(said, context.endedBy);
    case 'replace':
      return replace(entry, said);
    default:
      return {};
  }
}

function gate(entry: EventEntry, said: readonly Said[], context: FoldContext): DecisionFields {
  const votes: Vote[] = said.map((s) => ({ said: s, ...verdictOf(entry, s) }));
  const winner = choose(votes, context.decisions);
  const fields: DecisionFields = {};
  if (!winner) return fields;
  fields.verdict = winner.verdict;
  fields.decidedBy = winner.said.registration.id;
  if (winner.reason !== undefined) fields.reason = winner.reason;
  fields.overruled = votes
    .filter((v) => v.verdict !== 'none' && v.verdict !== winner.verdict)
    .map((v) => v.said.registration.id);
  if (entry.nestedDecision) Object.assign(fields, grants(votes, winner.verdict));
  return fields;
}

/** What goes with a nested verdict counts only from those whose own word it is. */
function grants(votes: readonly Vote[], verdict: Verdict): DecisionFields {
  const sharing = votes.filter((v) => v.verdict === verdict && v.said.outcome?.verdict === verdict);
  const given = sharing.map((v) => v.said.outcome?.specific ?? {});
  const permissions = given.flatMap((s) => (Array.isArray(s['updatedPermissions']) ? s['updatedPermissions'] : []));
  return {
    ...(permissions.length > 0 ? { updatedPermissions: permissions } : {}),
    ...(given.some((s) => s['interrupt'] === true) ? { interrupt: true } : {}),
  };
}

function choose(votes: readonly Vote[], decisions: Decisions): Vote | undefined {
  const spoken = votes.filter((v) => v.verdict !== 'none');
  const stands = (v: Vote): boolean =>
    endsRun(v.said) || isUntrusted(v.said) || (isManaged(v.said) && RANK[v.verdict] >= RANK.ask);
  const chosen = decisions === 'strictest' ? strictest(spoken) : decisions === 'first' ? spoken[0] : spoken.at(-1);
  return strictest(spoken.filter((v) => v === chosen || stands(v)));
}

const isManaged = (s: Said): boolean => s.registration.scope.kind === 'managed';

/** An accepted guard that could not be asked is no opinion among others. */
const isUntrusted = (s: Said): boolean => s.failure?.cause === 'untrusted';

/** It kept later handlers from being asked, who might have denied it: its deny is no opinion among others. */
const endsRun = (s: Said): boolean => s.outcome?.continue === false && s.registration.dialect === 'code';

/** Of equals the first in plan order. */
function strictest(votes: readonly Vote[]): Vote | undefined {
  return votes.reduce<Vote | undefined>(
    (best, v) => (!best || RANK[v.verdict] > RANK[best.verdict] ? v : best),
    undefined,
  );
}

function block(entry: EventEntry, said: readonly Said[], context: FoldContext): DecisionFields {
  if (entry.unblockable?.includes(context.subject ?? '')) return {};
  const blocking = said.filter(
    (s) => s.outcome?.block || (s.failure && effectOf(entry, s.registration.onFailure, s.failure) === 'block'),
  );
  if (blocking.length === 0) return {};
  return { blocked: true, ...decided(blocking) };
}

function decided(by: readonly Said[]): DecisionFields {
  const reasons = by
    .map((s) => s.outcome?.reason ?? s.outcome?.stopReason ?? s.failure?.message)
    .filter((r) => r !== undefined);
  const fields: DecisionFields = { decidedBy: (by[0] as Said).registration.id };
  if (reasons.length > 0) fields.reason = reasons.join('\n');
  return fields;
}

/** docs/semantics.md 7: `continue: false` always ends it; else block, context or (from code) `continue: true` keep it going. */
function stop(said: readonly Said[], endedBy: EndedBy | undefined): DecisionFields {
  const keeps = said.filter((s) => {
    const o = s.outcome;
    return (
      o && (o.block || o.additionalContext !== undefined || (o.continue === true && s.registration.dialect === 'code'))
    );
  });
  const ends = said.filter((s) => s.outcome?.continue === false);
  if (ends.length > 0) {
    const first = ends[0] as Said;
    const fields: DecisionFields = { goesOn: false, decidedBy: first.registration.id };
    fields.overruled = keeps.filter((s) => !ends.includes(s)).map((s) => s.registration.id);
    const reason = first.outcome?.reason ?? first.outcome?.stopReason;
    if (reason !== undefined) fields.reason = reason;
    return fields;
  }
  if (keeps.length === 0) return {};
  if (endedBy) return { goesOn: false, endedBy, overruled: keeps.map((s) => s.registration.id) };
  return { goesOn: true, ...decided(keeps) };
}

/** Refused or failed, there is no value. Else the last in plan order wins; every other value is a recorded clash. */
function replace(entry: EventEntry, said: readonly Said[]): DecisionFields {
  const against = said.filter(
    (s) => s.outcome?.block || (s.failure && effectOf(entry, s.registration.onFailure, s.failure) === 'block'),
  );
  if (against.length > 0) return { blocked: true, ...decided(against) };
  const offers = said.filter((s) => s.outcome?.value !== undefined);
  const last = offers.at(-1);
  if (!last) return {};
  const winner = last.registration.id;
  const losers = offers.slice(0, -1).map((s) => s.registration.id);
  return {
    value: last.outcome?.value,
    decidedBy: winner,
    overruled: losers,
    clashes: losers.map((loser) => ({ winner, loser })),
  };
}

function withheld(context: FoldContext): DecisionFields | undefined {
  return context.withheld && { updatedOutput: context.withheld.value };
}

function rewritten(entry: EventEntry, context: FoldContext): DecisionFields {
  if (!context.rewritten) return {};
  return entry.fold === 'gate' ? { updatedInput: context.rewritten.value } : { updatedOutput: context.rewritten.value };
}
