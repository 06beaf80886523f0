import type { Host } from '../create-host.js';
import type { HookRecord } from '../emit/record.js';
import { registrationHash } from '../host/register/revision.js';
import { checkOption, checkOptions, type Keys } from '../values/options.js';
import { checks, isObject, type Json, type OptionCheck, SIGNAL } from '../values/shape.js';
import type { UnknownAnswer } from './answering.js';
import { behind, hookOf, type ReplayedHook, recordedVoices, voicesOf } from './changes/behind.js';
import {
  canonicalDecision,
  changeTo,
  type DecisionWord,
  type Difference,
  difference,
  wordOf,
} from './changes/canonical.js';
import { checkedSource } from './checked.js';
import { Judge, type ReplayVerdict } from './judge.js';
import { openFires } from './open.js';
import type { RecordedFire, RecordedFires } from './recorded.js';
import { firesOf } from './source.js';

/** Options of `replay`. */
export interface ReplayOptions {
  /** A host to compare with, instead of the recorded decisions. */
  readonly against?: Host | undefined;
  /** Calls the callbacks and function matchers of both hosts, instead of using their recorded answers. Default false. */
  readonly runCallbacks?: boolean | undefined;
  /** Ends the replay when it fires. */
  readonly signal?: AbortSignal | undefined;
}

/** The source of a replay: a file (hookscope's NDJSON or SQLite, the events of a session, a transcript of Claude Code), or records or fires in order. */
export type ReplaySource = string | AsyncIterable<HookRecord | RecordedFire> | Iterable<HookRecord | RecordedFire>;

/**
 * How a decision differs. `denied`: it is now a deny, a block, or a stop that is not allowed; `asked`: it is now an ask; `allowed`: it no longer is
 * either; `rewritten`: the input or output differs; `said`: only texts differ, such as a reason or context; `unknown`: it cannot be known.
 */
export type ReplayChange = Difference | 'unknown';

/** A configuration's decision on a fire. */
export interface ReplayedDecision {
  /** The decision's own fields, with hooks by their names. */
  readonly decision: Json;
  /** The decision in one word, the same words for all events. */
  readonly word: DecisionWord;
  /** Hooks with unknown answers that could change the decision, which takes them as silent; empty if there are none. */
  readonly unknown: readonly ReplayedHook[];
  /** Hooks in `unknown` cannot change `word`. */
  readonly certain?: true | undefined;
  /** Why it could not be decided at all. */
  readonly problem?: string | undefined;
}

/** One fire with the decision then and the decision now. */
export interface Replayed {
  readonly fire: RecordedFire;
  /** Absent: the recording does not say. */
  readonly then: ReplayedDecision | undefined;
  readonly now: ReplayedDecision;
  /** Absent if nothing has changed. */
  readonly changed?: ReplayChange | undefined;
  /** The hook that caused the change, if it is known. */
  readonly by?: ReplayedHook | undefined;
}

const OPTIONS = {
  against: { expected: 'what createHost() returned', accepts: isObject },
  runCallbacks: checks.flag,
  signal: SIGNAL,
} satisfies Keys<ReplayOptions>;

const SOURCE: OptionCheck = {
  expected: 'the name of a file, or records or fires in an iterable',
  accepts: (value) =>
    (typeof value === 'string' && value !== '') ||
    (typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)),
};

/**
 * Decides recorded fires again as a host would decide them now. It is offline: no command, request, tool or model runs, and callbacks run only with
 * `runCallbacks`. A hook's answer is the one that was recorded for the same hook (by `definition`) on the same input. Rules, matchers, `if`, scopes,
 * policies and rewrites are computed by the host itself. If an answer is not known and could matter, the change is `unknown`. Nothing is registered or
 * opened in the host, and no subscriber is called. Fires that were rejected (aborted, invalid) have no decision and are left out.
 *
 * ```ts
 * for await (const { fire, then, now, changed } of replay(host, 'hooks.ndjson'))
 *   if (changed) console.log(fire.event, then?.word, '->', now.word, changed);
 * ```
 *
 * @throws HookscopeError INVALID_OPTIONS at once for the arguments, and during iteration for an invalid record or fire, with its index and key; FILE if
 * the file cannot be read.
 */
export function replay(host: Host, source: ReplaySource, options: ReplayOptions = {}): AsyncIterable<Replayed> {
  checkOptions('replay: ', options, OPTIONS);
  checkOption('replay: source', source, SOURCE);
  const { against, runCallbacks = false, signal } = options;
  const now = new Judge(host, runCallbacks);
  const then = against && new Judge(against, runCallbacks);
  return replayed(sourceOf(source), now, then, signal);
}

async function* replayed(
  fires: RecordedFires,
  now: Judge,
  then: Judge | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Replayed> {
  for await (const fire of fires) {
    if (signal?.aborted) return;
    if (fire.error !== undefined) continue;
    const judged = await now.judge(fire);
    yield then === undefined ? sinceThen(fire, judged) : between(fire, await then.judge(fire), judged);
  }
}

const sourceOf = (source: ReplaySource): RecordedFires =>
  typeof source === 'string' ? openFires(source) : firesOf(checkedSource(source), 'memory');

/** Compares a decision with the recorded one. */
function sinceThen(fire: RecordedFire, now: ReplayVerdict): Replayed {
  const names = new Map(fire.hooks?.map(({ id, name }) => [id, name]));
  const told = fire.decision && canonicalDecision(fire.decision, (id) => names.get(id) ?? id);
  const then = told && { decision: told, word: wordOf(told), unknown: [] };
  const found = { fire, then, now: decisionOf(now) };
  if (isUnknown(now)) {
    const certain = changeOfWord(then?.word ?? 'none', now.word);
    if (certain === undefined) return { ...found, changed: 'unknown', by: found.now.unknown[0] };
    return { ...found, changed: certain, by: behindSince(fire, now, certain) };
  }
  const some = fire.inferred.includes('decision') || fire.truncated.some((place) => place.startsWith('decision'));
  const how = { some: some || told === undefined, effect: now.isSettled ? now.by?.spec : undefined };
  const changed = difference(told ?? {}, now.decision, how);
  if (changed === undefined) return found;
  return { ...found, changed, by: behindSince(fire, now, changed) };
}

/** Compares the decisions of two configurations. If an answer is not known, they count as equal only if both have the same hooks for this fire. */
function between(fire: RecordedFire, old: ReplayVerdict, now: ReplayVerdict): Replayed {
  const then = decisionOf(old);
  const found = { fire, then, now: decisionOf(now) };
  if (isUnknown(old) || isUnknown(now)) {
    if (isSamePlan(old, now)) return found;
    const certain = changeOfWord(certainWord(old), certainWord(now));
    if (certain !== undefined) return { ...found, changed: certain, by: behindBetween(old, now, certain) };
    return { ...found, changed: 'unknown', by: found.now.unknown[0] ?? found.then.unknown[0] };
  }
  const changed = difference(old.decision, now.decision, {
    effect: old.isSettled || now.isSettled ? now.by?.spec : undefined,
  });
  if (changed === undefined) return found;
  return { ...found, changed, by: behindBetween(old, now, changed) };
}

const certainWord = (judged: ReplayVerdict): DecisionWord | undefined =>
  isUnknown(judged) ? judged.word : wordOf(judged.decision);

/** The change between two words that hooks with unknown answers cannot affect. */
const changeOfWord = (was: DecisionWord | undefined, is: DecisionWord | undefined): Difference | undefined =>
  was === undefined || is === undefined || was === is ? undefined : changeTo(is, was);

const isUnknown = ({ unknown, problem }: ReplayVerdict): boolean => unknown.length > 0 || problem !== undefined;

function isSamePlan({ by: old, problem: was }: ReplayVerdict, { by: now, problem: is }: ReplayVerdict): boolean {
  if (old === undefined || now === undefined) return was === is;
  const [before, after] = [old, now].map(({ plan, how }) =>
    JSON.stringify([how, plan.registrations.map((r) => [registrationHash(r), r.usualFailure])]),
  );
  return before === after;
}

const decisionOf = ({ decision, unknown, word, problem }: ReplayVerdict): ReplayedDecision => ({
  decision,
  word: wordOf(decision),
  unknown: unknown.map(unansweredHook),
  ...(word === undefined || unknown.length === 0 ? {} : { certain: true }),
  ...(problem === undefined ? {} : { problem }),
});

function unansweredHook({ hook, name, kind, why }: UnknownAnswer): ReplayedHook {
  return hook === undefined ? { name, kind, why } : { ...hookOf(hook), why };
}

function behindSince(fire: RecordedFire, { by }: ReplayVerdict, changed: Difference): ReplayedHook | undefined {
  if (by === undefined) return undefined;
  return behind(changed, by.spec, [recordedVoices(fire, by.spec), voicesOf(by)]);
}

function behindBetween(old: ReplayVerdict, now: ReplayVerdict, changed: Difference): ReplayedHook | undefined {
  return old.by && now.by && behind(changed, now.by.spec, [voicesOf(old.by), voicesOf(now.by)]);
}
