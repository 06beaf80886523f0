import type { HookscopeError } from '../../errors.js';
import type { EventSpec, Subject } from '../../events/spec.js';
import { deepFreeze } from '../../values/copies/freeze.js';
import { rememberDecision } from '../alarms/use.js';
import type { InputCarrier } from '../call/carry.js';
import type { KeptAnswer } from '../call/kept-answer.js';
import type { AnyDecision } from '../decide/decision.js';
import { fold } from '../decide/fold.js';
import type { SettledAsk } from '../elsewhere.js';
import type { Candidates, Plan, SilentDecision } from '../plan/plan.js';
import { recordHandlers } from '../tell/record.js';
import type { BusFireReporter } from '../tell/reporter.js';
import { foldContext } from './fold-context.js';
import { AskedList } from './kept.js';
import type { AskingFire } from './open-ask.js';
import type { Screen } from './screen.js';
import type { Walk } from './walk.js';

/** A fire whose hooks have all answered. */
interface AskedFire extends AskingFire {
  readonly spec: EventSpec;
  readonly plan: Plan;
  readonly subject: Subject;
  readonly asksByPolicy: boolean;
  readonly remembers: boolean;
  readonly reporter: BusFireReporter | undefined;
  readonly cancelled: HookscopeError | undefined;
  readonly candidates: Candidates;
  /** The index of the next hook in the list, and the answers so far. */
  readonly at: number;
  readonly spoken: readonly KeptAnswer[] | undefined;
  /** Knows which hooks were skipped. */
  readonly screen: Screen | undefined;
  readonly walk: Walk | undefined;
  readonly carrying: InputCarrier | undefined;
}

const NOTHING: readonly KeptAnswer[] = Object.freeze([]);
/** No hook was skipped. */
const ALL: readonly number[] = Object.freeze([]);

/** Folds the answers into a decision. When every hook repeats its answer to an earlier fire, that fire's decision is reused. */
export function conclude(run: AskedFire): AnyDecision {
  const { walk, spoken = NOTHING, screen, candidates } = run;
  const passed = screen?.passed ?? ALL;
  if (walk !== undefined) return concludeWalk(run, walk);
  // Neither shortcut below can lose what was withheld from a hook outside the process (`carrying`): even a silent reply is kept, and never shared.
  if (spoken === NOTHING && passed.length === 0) return (candidates.quiet as SilentDecision).decision;
  if (!dependsOnlyOnAnswers(run)) return foldAnswers(run, spoken, passed);
  const { said } = candidates;
  if (said !== undefined && areSame(said.answers, spoken)) {
    if (said.decision !== undefined) return said.decision;
    const decision = deepFreeze(foldAnswers(run, spoken, passed));
    candidates.said = { answers: spoken, decision };
    return decision;
  }
  candidates.said = spoken.every((kept) => kept.isShared) ? { answers: spoken, decision: undefined } : undefined;
  return foldAnswers(run, spoken, passed);
}

/** Whether equal answers always give the same decision, so that it can be cached. That of an `answers` event also depends on whether policy has asked. */
function dependsOnlyOnAnswers({ screen, cancelled, options, spec }: AskedFire): boolean {
  const allWereAsked = screen === undefined || screen.passed.length === 0;
  return (
    allWereAsked &&
    cancelled === undefined &&
    options.endedBy === undefined &&
    spec.unblockable === undefined &&
    spec.callRole !== 'answers'
  );
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}

function foldAnswers(run: AskedFire, spoken: readonly KeptAnswer[], passed: readonly number[]): AnyDecision {
  const said = spoken.every((kept) => kept.counts) ? spoken : spoken.filter((kept) => kept.counts);
  const asked = new AskedList(run.candidates.list, run.at, spoken, passed);
  return fold(run.spec, said, foldContext(run, undefined, run.carrying?.withheld), asked);
}

function concludeWalk(run: AskedFire, { notes }: Walk): AnyDecision {
  const { plain, quiet } = run.candidates;
  const isQuiet = plain && notes.silent && !run.cancelled && !run.carrying;
  if (isQuiet && quiet !== undefined) return quiet.decision;
  return fold(run.spec, notes.said(), foldContext(run, notes.rewrites, run.carrying?.withheld, notes.policyAsks));
}

function report(
  { cancelled, plan }: AskedFire,
  reporter: BusFireReporter,
  { notes, taps }: Walk,
  decision: AnyDecision,
  settled: SettledAsk | undefined,
): void {
  const walked = { plan, notes, taps, cancelled: cancelled !== undefined };
  reporter.ended(decision, (copy) => recordHandlers(walked, copy), notes, cancelled?.code, settled);
}

/** Reports the decision to subscribers, and returns what the agent is told. */
export function tellDecision(run: AskedFire, decision: AnyDecision, settled?: SettledAsk): AnyDecision {
  if (run.reporter !== undefined && run.walk !== undefined) report(run, run.reporter, run.walk, decision, settled);
  const final = settled?.decision ?? decision;
  rememberDecision(run, final);
  return final;
}
