import { isDeepStrictEqual } from 'node:util';
import type { EventSpec } from '../../events/spec.js';
import { wellFormedJson } from '../../plain.js';
import type { Json } from '../../values/shape.js';
import { whyUnreadable } from '../../values/unreadable.js';

/** A decision in one word, the same words for all events: `deny` includes a block, and a stop that is not allowed. */
export type DecisionWord = 'none' | 'allow' | 'ask' | 'defer' | 'deny';

type Namer = (id: string) => string;

/**
 * A decision in a form that can be compared: its own fields, hooks by their names, since ids are those of one host. Nothing of it tells of time.
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
  // A record has its texts as any reader can read them.
  return whyUnreadable(told) === undefined ? told : (JSON.parse(wellFormedJson(told)) as Json);
}

const listOf = (value: unknown): readonly Record<string, unknown>[] => (Array.isArray(value) ? value : []);

export function wordOf({ verdict, blocked, continues, continue: goesOn }: Json): DecisionWord {
  if (blocked === true || continues === true) return 'deny';
  if (goesOn === false && verdict === undefined) return 'deny';
  return typeof verdict === 'string' ? (verdict as DecisionWord) : 'none';
}

/** The effect on the input, the output or the action itself. */
const REWRITTEN: ReadonlySet<string> = new Set(['updatedInput', 'updatedOutput', 'value', 'updatedPermissions']);
/** Fields about who decided and who was overruled: the agent is not told them. */
const UNTOLD: ReadonlySet<string> = new Set(['event', 'fold', 'decidedBy', 'overruled', 'conflicts']);
/** Fields for the user only. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['systemMessages', 'terminalSequence', 'failures']);

/** How two decisions differ; undefined: not at all. */
export type Difference = 'denied' | 'asked' | 'allowed' | 'rewritten' | 'said';

/** How much of two decisions is compared. */
export interface Compared {
  /** Parts of one were left out: only what was decided is compared. */
  readonly some?: boolean;
  /** The event, where what has no effect on the agent is not known. */
  readonly effect?: EventSpec | undefined;
}

export function difference(then: Json, now: Json, { some, effect }: Compared = {}): Difference | undefined {
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

/** What one word does not tell: a prompt that is blocked and one that ends the loop are both a `deny`. */
const STRICT: readonly ((decision: Json) => boolean)[] = [
  ({ continue: goesOn }) => goesOn === false,
  ({ blocked }) => blocked === true,
  ({ interrupt }) => interrupt === true,
];

/** If hooks no longer allow a call, the agent's own permissions decide, which may ask. */
export function changeTo(is: DecisionWord, was: DecisionWord): Difference {
  if (is === 'deny') return 'denied';
  return is === 'ask' || is === 'defer' || (is === 'none' && was === 'allow') ? 'asked' : 'allowed';
}

/** What the agent and people are told. Of a call that is denied, the input and the permissions are those of nothing. */
function toldOf(decision: Json): Json {
  const isDenied = decision['verdict'] === 'deny';
  return Object.fromEntries(
    Object.entries(decision).filter(
      ([key, value]) => value !== undefined && !UNTOLD.has(key) && !(isDenied && REWRITTEN.has(key)),
    ),
  );
}

/**
 * What the agent, the model and the tool get: decisions for which this is equal are the same to them. Without the reason of what is refused; after the fact a
 * block refuses nothing, and its reason is what the model is told.
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
