import { isDeepStrictEqual } from 'node:util';
import type { AnyDecision } from '../host/decide/decision.js';
import type { Json } from '../values/shape.js';

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
  return told;
}

const listOf = (value: unknown): readonly Record<string, unknown>[] => (Array.isArray(value) ? value : []);

export function wordOf({ verdict, blocked, continues, continue: goesOn }: Json): DecisionWord {
  if (blocked === true || continues === true) return 'deny';
  if (goesOn === false && verdict === undefined) return 'deny';
  return typeof verdict === 'string' ? (verdict as DecisionWord) : 'none';
}

/** The effect on the input, the output or the action itself. */
const REWRITTEN = ['updatedInput', 'updatedOutput', 'value', 'updatedPermissions'] as const;
/** Fields about who decided and who was overruled: the agent is not told them. */
const UNTOLD = new Set(['event', 'fold', 'decidedBy', 'overruled', 'conflicts']);
/** Fields for the user only. */
const FOR_PEOPLE = new Set(['systemMessages', 'suppressOutput', 'terminalSequence', 'failures']);

/** How two decisions differ; undefined: not at all. */
export type Difference = 'denied' | 'asked' | 'allowed' | 'rewritten' | 'said';

/** How much of two decisions is compared. */
export interface Compared {
  /** Parts of one were left out: only what was decided is compared. */
  readonly some?: boolean;
  /** What has no effect on the agent is not known. */
  readonly effect?: boolean | undefined;
}

export function difference(then: Json, now: Json, { some, effect }: Compared = {}): Difference | undefined {
  const [was, is] = [wordOf(then), wordOf(now)];
  if (was !== is) return changeTo(is, was);
  if (effect && is === 'deny') return undefined;
  if ((then['continue'] ?? true) !== (now['continue'] ?? true)) return now['continue'] === false ? 'denied' : 'allowed';
  if (some) return undefined;
  const differs = (key: string): boolean => !isDeepStrictEqual(then[key], now[key]);
  if (is !== 'deny' && REWRITTEN.some(differs)) return 'rewritten';
  const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
  for (const key of keys) {
    if (UNTOLD.has(key) || (effect && FOR_PEOPLE.has(key))) continue;
    if (is === 'deny' && (REWRITTEN as readonly string[]).includes(key)) continue;
    if (differs(key)) return 'said';
  }
  return undefined;
}

/** If hooks no longer allow a call, the agent's own permissions decide, which may ask. */
function changeTo(is: DecisionWord, was: DecisionWord): Difference {
  if (is === 'deny') return 'denied';
  return is === 'ask' || is === 'defer' || (is === 'none' && was === 'allow') ? 'asked' : 'allowed';
}

/** The effect on the agent: decisions for which this is equal are the same to it. */
export function effectOf(decision: AnyDecision): unknown {
  const told = decision as unknown as Json;
  if (wordOf(told) === 'deny') return 'deny';
  return Object.fromEntries(
    Object.entries(told).filter(([key, value]) => value !== undefined && !UNTOLD.has(key) && !FOR_PEOPLE.has(key)),
  );
}
