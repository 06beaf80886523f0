import { put } from '../../values/copies/put.js';
import { isObject, isText, type Json } from '../../values/shape.js';
import { CONTEXT, isStrictest, REWRITE, STOP, strictness, VERDICT } from './helper-keys.js';

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

/** A value of a wrong type is kept, so that it becomes an error. */
const texts =
  (between: string): Join =>
  (one, other) =>
    !isText(one) ? one : !isText(other) ? other : `${one}${between}${other}`;

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
  hookSpecificOutput: (one, other) => (isObject(one) ? (isObject(other) ? joinTwo(one, other) : other) : one),
};

/**
 * Two outputs in one, as two hooks would be heard: texts for the model and the user are joined, the strictest verdict counts with its own reason (of equal ones the first), and
 * what ends the loop stays. Of rewrites, and of all other values, the last counts; lists are joined.
 */
export function joinParts(parts: readonly Json[]): Record<string, unknown> {
  const [first, ...others] = parts.map(contextInWords(parts.some(hasContextInWords)));
  const join = (one: Json, other: Json): Record<string, unknown> =>
    joinTwo(other[REWRITE] === undefined ? one : withoutRewrite(one), other);
  return withoutMilderReason(others.reduce<Record<string, unknown>>(join, { ...first }));
}

const REWRITES = ['updatedInput', 'updatedToolOutput', 'updatedMCPToolOutput'];

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

/** A stop also denies, so the reason of a milder verdict beside it is not that of the deny. */
function withoutMilderReason(whole: Record<string, unknown>): Record<string, unknown> {
  const said = whole[VERDICT];
  if (whole[STOP] !== true || !isObject(said) || strictness(wordOf(said)) < 0 || isStrictest(wordOf(said)))
    return whole;
  return { ...whole, [VERDICT]: without(said, ['reason']) };
}

function joinTwo(one: Json, other: Json): Record<string, unknown> {
  const whole: Record<string, unknown> = { ...one };
  for (const key of Object.keys(other)) put(whole, key, joined(key, whole[key], other[key]));
  for (const [key, why] of Object.entries(OWN_VERDICTS)) joinVerdicts(whole, key, why, one, other);
  return whole;
}

function joined(key: string, one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return other ?? one;
  const join = JOINS[key];
  if (join !== undefined) return join(one, other);
  const stronger = STRONGER[key];
  if (stronger !== undefined && typeof other === 'boolean') return one === stronger ? one : other;
  return Array.isArray(one) && Array.isArray(other) ? [...one, ...other] : other;
}

/** A helper's verdict with its reason. What blocks has all reasons, as on events that are blocked by several hooks. */
function stricterOf(one: unknown, other: unknown): unknown {
  const [a, b] = [wordOf(one), wordOf(other)];
  // An invalid verdict is kept, so that it becomes an error.
  if (strictness(a) < 0 || strictness(b) < 0) return strictness(a) < 0 ? one : other;
  if (strictness(a) !== strictness(b)) return strictness(b) > strictness(a) ? other : one;
  if (a !== 'block' || b !== 'block') return one;
  const reason = joined('systemMessage', (one as Json)['reason'], (other as Json)['reason']);
  return { ...(one as Json), ...(reason !== undefined && { reason }) };
}

const wordOf = (said: unknown): unknown => (isObject(said) ? (said['verdict'] ?? said['behavior']) : said);

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
  const strict = [strictness(wordOf(a)), strictness(wordOf(b))] as const;
  const isOther = strict[0] >= 0 && (strict[1] < 0 || strict[1] > strict[0]);
  const winner = isOther ? other : one;
  const same = strict[0] === strict[1] && strict[0] >= 0;
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
    return { ...rest, hookSpecificOutput: isObject(inner) ? { additionalContext, ...inner } : { additionalContext } };
  };
}
