import type { RecordedKind, RecordedSource } from '../../emit/record.js';
import { readOutput } from '../../events/output/outcome.js';
import { outputShape } from '../../events/output/shape.js';
import type { EventSpec } from '../../events/spec.js';
import { ruleOf } from '../../host/call/work.js';
import type { AnyDecision, DecisionFailure, HandlerOutcome } from '../../host/decide/decision.js';
import { listOutcomes } from '../../host/decide/fold-common.js';
import type { Plan } from '../../host/plan/plan.js';
import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';
import type { RecordedFire, RecordedHook } from '../recorded.js';
import type { Difference } from './canonical.js';

/** A hook, as the report of a replay names it. */
export interface ReplayedHook {
  readonly name: string;
  readonly kind: RecordedKind;
  readonly source?: RecordedSource | undefined;
  /** When it is asked, and what a rule decides: `Bash if Bash(git push *): deny`. */
  readonly asked?: string | undefined;
  /** Why its answer is not known; absent if it is known. */
  readonly why?: string | undefined;
}

/** A hook's final contribution to a decision. */
interface Contribution {
  readonly hook: () => ReplayedHook;
  readonly kind: RecordedKind;
  readonly name: string;
  readonly definition: string | undefined;
  readonly said: OutcomeFields | undefined;
  /** Whether the decision names it in `decidedBy`. */
  readonly isDecider: boolean;
}

interface OutcomeFields extends Partial<Omit<HandlerOutcome, 'id' | 'name' | 'message'>> {
  readonly failure?: Pick<DecisionFailure, 'cause' | 'message' | 'blocked'>;
}

export function hookOf(r: Registration): ReplayedHook {
  const { name, kind, source } = r;
  const decides = ruleOf(r)?.decision;
  const asked = [r.matcher.all ? undefined : r.matcher.text, r.rule && `if ${r.rule.text}`].filter(Boolean).join(' ');
  const text = `${asked}${decides === undefined ? '' : `: ${decides}`}`;
  return { name, kind, source, ...(text === '' ? {} : { asked: text }) };
}

/** The contributions of all hooks to a decision of the host. */
export function voicesOf({
  decision,
  plan,
}: {
  readonly decision: AnyDecision;
  readonly plan: Plan;
}): readonly Contribution[] {
  return plan.registrations.flatMap((r) => {
    const outcome = decision.outcomes.find(({ id }) => id === r.id);
    const failure = decision.failures.find(({ id }) => id === r.id);
    if (outcome === undefined && failure === undefined) return [];
    const { name, kind, definition, id } = r;
    const said = saidOf(outcome, failure);
    return [
      { hook: () => hookOf(r), kind, name, definition: definition?.hash, said, isDecider: id === decision.decidedBy },
    ];
  });
}

/** The contributions of all hooks in a recorded fire. */
export function recordedVoices({ hooks = [], decision = {} }: RecordedFire, spec: EventSpec): readonly Contribution[] {
  const failures = (decision['failures'] ?? []) as readonly DecisionFailure[];
  return hooks.flatMap((hook) => {
    const { id, name, kind, source, definition, observes, answers } = hook;
    if (answers.length === 0 || observes) return [];
    const failure = failures.find((failed) => failed.id === id);
    const said = saidOf(outcomeOf(hook, spec), failure);
    const isDecider = id !== undefined && id === decision['decidedBy'];
    return [{ hook: () => ({ name, kind, source }), kind, name, definition, said, isDecider }];
  });
}

/** The outcome of the hook's last answer that has an output; silence if there is none. */
function outcomeOf({ name, answers }: RecordedHook, spec: EventSpec): HandlerOutcome | undefined {
  const output = answers.findLast(({ output, background }) => output !== undefined && !background)?.output as
    | Json
    | undefined;
  const own = output?.['hookSpecificOutput'] as Json | undefined;
  const eventName = String(own?.['hookEventName'] ?? spec.name);
  const read = readOutput(spec, output ?? {}, { eventName, nameRequired: false, mcpTool: true });
  const outcome = 'bad' in read ? read.kept : read.outcome;
  if (outcome === undefined) return undefined;
  return listOutcomes([{ registration: { id: '', name } as Registration, outcome }])[0];
}

function saidOf(outcome: HandlerOutcome | undefined, failed: DecisionFailure | undefined): OutcomeFields | undefined {
  const {
    id: _,
    name: _name,
    dialect: _dialect,
    message: _message,
    hookSpecificOutput: own = {},
    ...rest
  } = outcome ?? {};
  const { hookEventName: _event, ...specific } = own;
  const failure = failed && { cause: failed.cause, message: failed.message, blocked: failed.blocked };
  const said = {
    ...rest,
    ...(Object.keys(specific).length > 0 ? { hookSpecificOutput: specific } : {}),
    ...(failure === undefined ? {} : { failure }),
  };
  return Object.keys(said).length === 0 ? undefined : said;
}

/**
 * The hook that caused a change: one that was added or removed, or whose answer differs. A hook that decided comes first. Undefined if every hook
 * answered as before.
 */
export function behind(
  changed: Difference,
  spec: EventSpec,
  [then, now]: readonly [readonly Contribution[], readonly Contribution[]],
): ReplayedHook | undefined {
  const [before, after] = matched(then, now);
  const isOtherwise = (voice: Contribution, other: Contribution | undefined): boolean => {
    const part = partOf(changed, voice.said, spec);
    return part !== undefined && part !== partOf(changed, other?.said, spec);
  };
  const spoke = now.filter((voice) => isOtherwise(voice, before.get(voice)));
  const wereHeard = then.filter((voice) => isOtherwise(voice, after.get(voice)));
  const decides = ({ isDecider }: Contribution): boolean => isDecider;
  const found =
    spoke.find(decides) ?? (changed === 'rewritten' || changed === 'said' ? undefined : wereHeard.find(decides));
  return (found ?? spoke.at(-1) ?? wereHeard.at(-1))?.hook();
}

/** Pairs the hooks of both decisions: first those with equal definition and name, then with equal definition, then with equal name. */
function matched(
  then: readonly Contribution[],
  now: readonly Contribution[],
): readonly [Map<Contribution, Contribution>, Map<Contribution, Contribution>] {
  const [before, after] = [new Map<Contribution, Contribution>(), new Map<Contribution, Contribution>()];
  for (const isSame of SAME)
    for (const is of now) {
      const was = before.has(is) ? undefined : then.find((each) => !after.has(each) && isSame(each, is));
      if (was === undefined) continue;
      before.set(is, was);
      after.set(was, is);
    }
  return [before, after];
}

const hasName = (a: Contribution, b: Contribution): boolean => a.kind === b.kind && a.name === b.name;
const runsTheSame = (a: Contribution, b: Contribution): boolean =>
  a.definition !== undefined && a.definition === b.definition;
const SAME = [(a: Contribution, b: Contribution) => hasName(a, b) && runsTheSame(a, b), runsTheSame, hasName] as const;

/** The part of a hook's answer that can cause this kind of change, as text; undefined if it has none. */
function partOf(changed: Difference, said: OutcomeFields | undefined, spec: EventSpec): string | undefined {
  if (said === undefined) return undefined;
  const { hookSpecificOutput = {}, ...words } = said;
  const { decision: nested, ...flat } = hookSpecificOutput as { readonly decision?: Json };
  const own: Json = { ...flat, ...nested };
  const { rewrites, mcpRewrites, value } = outputShape(spec);
  const isRewrite = (key: string): boolean =>
    key === 'updatedPermissions' || [...rewrites, ...mcpRewrites, ...value].includes(key);
  if (changed === 'rewritten') return textOf(partly(own, isRewrite));
  const rest = partly(own, (key) => !isRewrite(key));
  if (changed === 'said') return textOf({ ...words, own: textOf(rest) });
  const { decision, failure, continue: goesOn } = words;
  const { additionalContext: context, interrupt } = rest;
  // On Stop events, context keeps the loop going.
  return textOf({ decision, failure, goesOn, interrupt, ...(spec.fold === 'stop' ? { context } : {}) });
}

const partly = (of: Json, takes: (key: string) => boolean): Json =>
  Object.fromEntries(Object.entries(of).filter(([key, value]) => value !== undefined && takes(key)));

function textOf(part: Json): string | undefined {
  const text = JSON.stringify(part);
  return text === '{}' ? undefined : text;
}
