import { isDeepStrictEqual } from 'node:util';
import type { EventSpec } from '../../events/spec.js';
import { wellFormedJson } from '../../plain.js';
import type { Json } from '../../values/shape.js';
import { whyUnreadable } from '../../values/unreadable.js';

/** A decision in one word, for all events alike: `deny` includes a block, and on Stop events that the loop must continue. */
export type DecisionWord = 'none' | 'allow' | 'ask' | 'defer' | 'deny';

type Namer = (id: string) => string;

/**
 * A decision in a form that can be compared: its own fields, none of which is a time, with hooks by name, because ids are valid in one host only.
 */
export function canonicalDecision(decision: Json, nameOf: Namer): Json {
  const told: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(decision)) if (value !== undefined) told[key] = value;
  const names = (ids: unknown): unknown => (Array.isArray(ids) ? ids.map((id) => nameOf(String(id))) : []);
  if (typeof told['decidedBy'] === 'string') told['decidedBy'] = nameOf(told['decidedBy']);
  told['overruled'] = names(told['overruled']);
  told['failures'] = listOf(told['failures']).map(({ id: _, ...failure }) => failure);
  told['conflicts'] = listOf(told['conflicts']).map(({ winner, loser }) => ({
    winner: nameOf(String(winner)),
    loser: nameOf(String(loser)),
  }));
  // Records have well-formed Unicode only, so the texts must be converted alike before they are compared.
  return whyUnreadable(told) === undefined ? told : (JSON.parse(wellFormedJson(told)) as Json);
}

const listOf = (value: unknown): readonly Record<string, unknown>[] => (Array.isArray(value) ? value : []);

export function wordOf({ verdict, blocked, continues, continue: goesOn }: Json): DecisionWord {
  if (blocked === true || continues === true) return 'deny';
  if (goesOn === false && verdict === undefined) return 'deny';
  return typeof verdict === 'string' ? (verdict as DecisionWord) : 'none';
}

/** Fields that change the input, the output or the permissions. */
const REWRITTEN: ReadonlySet<string> = new Set(['updatedInput', 'updatedOutput', 'value', 'updatedPermissions']);
/** Fields that neither the agent nor the user is told. */
const UNTOLD: ReadonlySet<string> = new Set(['event', 'fold', 'decidedBy', 'overruled', 'conflicts']);
/** Fields for the user only. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['systemMessages', 'terminalSequence', 'failures']);

/** How two decisions differ; undefined: not at all. */
export type Difference = 'denied' | 'asked' | 'allowed' | 'rewritten' | 'said';

/** How much of two decisions is compared. */
export interface CompareOptions {
  /** Parts of one decision are missing, so only their verdicts are compared. */
  readonly some?: boolean;
  /** The event. If set, only what has an effect on the agent is compared, because the rest is not known. */
  readonly effect?: EventSpec | undefined;
}

export function difference(then: Json, now: Json, { some, effect }: CompareOptions = {}): Difference | undefined {
  const [was, is] = [wordOf(then), wordOf(now)];
  if (was !== is) return changeTo(is, was);
  for (const isStrict of some ? STRICT.slice(0, 2) : STRICT)
    if (isStrict(then) !== isStrict(now)) return isStrict(now) ? 'denied' : 'allowed';
  if (some) return undefined;
  const [before, after] = [then, now].map((each) => (effect ? effectOf(effect, each) : toldOf(each))) as [Json, Json];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = keys.filter((key) => !isDeepStrictEqual(before[key], after[key]));
  if (differing.length === 0) return undefined;
  return differing.some((key) => REWRITTEN.has(key)) ? 'rewritten' : 'said';
}

/** Differences that the word hides: a blocked prompt and one that ends the loop are both `deny`. */
const STRICT: readonly ((decision: Json) => boolean)[] = [
  ({ continue: goesOn }) => goesOn === false,
  ({ blocked }) => blocked === true,
  ({ interrupt }) => interrupt === true,
];

/** The change from one word to another. From `allow` to `none` counts as `asked`, because the agent's own permissions may ask. */
export function changeTo(is: DecisionWord, was: DecisionWord): Difference {
  if (is === 'deny') return 'denied';
  return is === 'ask' || is === 'defer' || (is === 'none' && was === 'allow') ? 'asked' : 'allowed';
}

/** What the agent and the user are told. A denied call does not run, so its rewrites are left out. */
function toldOf(decision: Json): Json {
  const isDenied = decision['verdict'] === 'deny';
  return Object.fromEntries(
    Object.entries(decision).filter(
      ([key, value]) => value !== undefined && !UNTOLD.has(key) && !(isDenied && REWRITTEN.has(key)),
    ),
  );
}

/**
 * What the agent, the model and the tool get; decisions for which it is equal have the same effect. The reason of a refusal is left out, but not that of a
 * block after the fact, which refuses nothing: its reason is the effect.
 */
export function effectOf({ afterTheFact, hides }: EventSpec, decision: Json): Json {
  const { verdict, blocked } = decision;
  const isRefused = afterTheFact !== true && (verdict === 'deny' || blocked === true);
  return Object.fromEntries(
    Object.entries(toldOf(decision)).filter(
      ([key]) =>
        !FOR_PEOPLE.has(key) && !(key === 'suppressOutput' && hides === undefined) && !(key === 'reason' && isRefused),
    ),
  );
}
