import { put } from '../../values/copies/put.js';
import { isObject, isText, type Json } from '../../values/shape.js';
import { CONTEXT, REWRITE, STOP, strictness, VERDICT } from './helper-keys.js';

/** The keys of an output that hold a verdict, each with the key of its reason. */
const OWN_VERDICTS = { decision: 'reason', permissionDecision: 'permissionDecisionReason' } as const;

/** Flags of which one value counts, whoever says it. */
const STRONGER: Readonly<Record<string, boolean>> = {
  __proto__: null as never,
  continue: false,
  preventContinuation: true,
  suppressOutput: true,
  interrupt: true,
};

type Join = (one: unknown, other: unknown) => unknown;

const texts =
  (between: string): Join =>
  (one, other) =>
    `${one}${between}${other}`;

const JOINS: Readonly<Record<string, Join>> = {
  __proto__: null as never,
  [CONTEXT]: texts('\n'),
  additionalContext: texts('\n'),
  systemMessage: texts('\n'),
  terminalSequence: texts(''),
  [STOP]: (one, other) => (one === true ? other : one),
  reason: (one) => one,
  stopReason: (one) => one,
  [VERDICT]: stricterOf,
  hookSpecificOutput: (one, other) => (isObject(one) && isObject(other) ? joinTwo(one, other) : (one ?? other)),
};

/**
 * Two outputs in one, as two hooks would be heard: texts for the model and the user are joined, the strictest verdict counts with its own reason (of equal ones the first), and
 * what ends the loop stays. Of rewrites, and of all other values, the last counts; lists are joined. The values have the types that some event takes.
 */
export function joinParts(parts: readonly Json[]): Record<string, unknown> {
  const [first, ...others] = parts.map(contextInWords(parts.some(hasContextInWords)));
  const join = (one: Json, other: Json): Record<string, unknown> =>
    joinTwo(other[REWRITE] === undefined ? one : withoutRewrite(one), other);
  return withoutMilderReason(others.reduce<Record<string, unknown>>(join, { ...first }));
}

const REWRITES = ['updatedInput', 'updatedToolOutput', 'updatedMCPToolOutput', 'updatedError'];

/** Without a new input or output in the words of the output, which would win over a helper's that comes later. */
function withoutRewrite(part: Json): Json {
  const { hookSpecificOutput: inner } = part;
  if (!isObject(inner)) return part;
  const { decision } = inner;
  const rest = without(inner, REWRITES);
  return {
    ...part,
    hookSpecificOutput: isObject(decision) ? { ...rest, decision: without(decision, REWRITES) } : rest,
  };
}

const without = (part: Json, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(part).filter(([key]) => !keys.includes(key)));

/** What ends the loop may deny, too, and the reason of a milder verdict beside it is not that of the deny. */
function withoutMilderReason(whole: Record<string, unknown>): Record<string, unknown> {
  const { [STOP]: stop, continue: goesOn, preventContinuation, stopReason } = whole;
  const ends = stop === true || goesOn === false || preventContinuation === true;
  if (!ends || isText(stop) || stopReason !== undefined) return whole;
  const { [VERDICT]: said, decision, hookSpecificOutput: inner } = whole;
  const rest = strictness(decision) === 0 ? without(whole, ['reason']) : whole;
  return {
    ...rest,
    ...(isObject(said) &&
      (stop === true ? MILD : ALLOW).includes(strictness(said['verdict'])) && { [VERDICT]: without(said, ['reason']) }),
    ...(isObject(inner) &&
      strictness(inner['permissionDecision']) === 0 && {
        hookSpecificOutput: without(inner, ['permissionDecisionReason']),
      }),
  };
}
const ALLOW = [0];
const MILD = [0, 1, 2];

function joinTwo(one: Json, other: Json): Record<string, unknown> {
  const whole: Record<string, unknown> = { ...one };
  for (const key of Object.keys(other)) put(whole, key, joined(key, whole[key], other[key]));
  for (const [key, why] of Object.entries(OWN_VERDICTS)) joinVerdicts(whole, key, why, one, other);
  return whole;
}

function joined(key: string, one: unknown, other: unknown): unknown {
  if (other === undefined) return one;
  if (one === undefined) return other;
  const join = JOINS[key];
  if (join !== undefined) return join(one, other);
  const stronger = STRONGER[key];
  if (stronger !== undefined) return one === stronger ? one : other;
  return Array.isArray(one) && Array.isArray(other) ? [...one, ...other] : other;
}

/** A helper's verdict with its reason. What blocks has all reasons, as on events that are blocked by several hooks. */
function stricterOf(one: unknown, other: unknown): unknown {
  const { verdict: a, reason: why } = one as Json;
  const { verdict: b, reason: more } = other as Json;
  if (strictness(a) !== strictness(b)) return strictness(b) > strictness(a) ? other : one;
  if (a !== 'block' || b !== 'block') return one;
  const reason = joined('systemMessage', why, more);
  return { ...(one as Json), ...(reason !== undefined && { reason }) };
}

/** The verdict's word, which is inside an object on events with a nested decision. */
const wordOf = (said: unknown): unknown => (isObject(said) ? said['behavior'] : said);

/** Of two verdicts in the words of the output the stricter counts, with its own reason. */
function joinVerdicts(whole: Record<string, unknown>, key: string, why: string, one: Json, other: Json): void {
  const [a, b] = [one[key], other[key]];
  if (a === undefined && b === undefined) return;
  if (a === undefined || b === undefined) {
    const said = a === undefined ? other : one;
    if (said[why] === undefined) delete whole[why];
    else whole[why] = said[why];
    return;
  }
  const [mine, its] = [strictness(wordOf(a)), strictness(wordOf(b))];
  const winner = its > mine ? other : one;
  const same = mine === its;
  whole[key] = same && isObject(a) && isObject(b) ? joinSame(a, b) : winner[key];
  const reasons = [a, b].every((word) => word === 'block') ? joined('systemMessage', one[why], other[why]) : undefined;
  const reason = reasons ?? winner[why] ?? (same ? other[why] : undefined);
  if (reason === undefined) delete whole[why];
  else whole[why] = reason;
}

/** Equal verdicts that are nested: the first message, the last input, the permissions of both. */
function joinSame(one: Json, other: Json): Record<string, unknown> {
  const message = one['message'] ?? other['message'];
  return { ...joinTwo(one, other), ...(message !== undefined && { message }) };
}

const hasContextInWords = ({ hookSpecificOutput: inner }: Json): boolean =>
  isObject(inner) && inner['additionalContext'] !== undefined;

/** Context is in one place, so that none covers the other: with the words of the output where a part has it there. */
function contextInWords(isInWords: boolean): (part: Json) => Json {
  return (part) => {
    if (!isInWords || part[CONTEXT] === undefined) return part;
    const { [CONTEXT]: additionalContext, hookSpecificOutput: inner, ...rest } = part;
    return {
      ...rest,
      hookSpecificOutput: isObject(inner) ? { additionalContext, ...inner } : { additionalContext },
    };
  };
}
