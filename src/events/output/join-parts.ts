import { put } from '../../values/copies/put.js';
import { isObject, isPlain, isText, type Json } from '../../values/shape.js';
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

/** A value of a wrong type is kept, so that it becomes an error. */
const texts =
  (between: string): Join =>
  (one, other) =>
    !isText(one) ? one : !isText(other) ? other : `${one}${between}${other}`;

/** The first counts. A value of a wrong type is kept, so that it becomes an error. */
function first(one: unknown, other: unknown): unknown {
  return isText(one) && !isText(other) ? other : one;
}

const JOINS: Readonly<Record<string, Join>> = {
  __proto__: null as never,
  [CONTEXT]: texts('\n'),
  additionalContext: texts('\n'),
  systemMessage: texts('\n'),
  terminalSequence: texts(''),
  [STOP]: (one, other) => (one === true || (isText(one) && other !== true && !isText(other)) ? other : one),
  reason: first,
  stopReason: first,
  [VERDICT]: stricterOf,
  hookSpecificOutput: (one, other) =>
    isObject(one) && isObject(other) ? joinWords(plainWords(one), plainWords(other), markInner) : one,
  // Without a name it stays an error.
  hookEventName: (one, other) => (one === NO_EVENT ? one : other),
};

/**
 * Two outputs in one, as two hooks would be heard: texts for the model and the user are joined, the strictest verdict counts with its own reason (of equal ones the first), and
 * what ends the loop stays. Of rewrites, and of all other values, the last counts; lists are joined.
 */
export function joinParts(parts: readonly Json[]): Record<string, unknown> {
  const [first, ...others] = parts.map(contextInWords(parts.some(hasContextInWords)));
  const join = (one: Json, other: Json): Record<string, unknown> =>
    joinWords(isRewrite(other[REWRITE]) ? withoutRewrite(one) : one, other, mark);
  return withoutMilderReason(others.reduce<Record<string, unknown>>(join, { ...first }));
}

/** The name of no event: it makes an answer an error. */
const NO_EVENT = '';

const REWRITES = ['updatedInput', 'updatedToolOutput', 'updatedMCPToolOutput', 'updatedError'];

const isRewrite = (said: unknown): boolean => isObject(said) && said['value'] !== undefined;

/** Without a new input or output in the words of the output, which would win over a helper's that comes later. */
function withoutRewrite(part: Json): Json {
  const { hookSpecificOutput: inner } = part;
  if (!isObject(inner)) return part;
  const { decision } = inner;
  const rest = without(plainWords(inner), REWRITES);
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
      (stop === true ? MILD : ALLOW).includes(strictness(wordOf(said))) && { [VERDICT]: without(said, ['reason']) }),
    ...(isObject(inner) &&
      Object.hasOwn(inner, 'permissionDecision') &&
      strictness(inner['permissionDecision']) === 0 && {
        hookSpecificOutput: without(plainWords(inner), ['permissionDecisionReason']),
      }),
  };
}
const ALLOW = [0];
const MILD = [0, 1, 2];

/** The words of an instance of a class as a plain object. A verdict that it inherits is not lost if it restricts. */
function plainWords(inner: Json): Json {
  if (isPlain(inner)) return inner;
  const said = Object.keys(OWN_VERDICTS).map((key) => [key, inherited(inner, key)] as const);
  return { ...inner, ...Object.fromEntries(said.filter(([, word]) => strictness(wordOf(word)) > 0)) };
}

function inherited(inner: Json, key: string): unknown {
  try {
    return Object.hasOwn(inner, key) ? undefined : inner[key];
  } catch {
    return undefined;
  }
}

type CombinedWords = Record<string, unknown>;

/** Two answers, or what they say inside. A wrong word takes no right one away: it is left out, and `mark` makes the whole an error. */
function joinWords(one: Json, other: Json, mark: (whole: CombinedWords) => CombinedWords): CombinedWords {
  const wrong = Object.keys(other).filter((key) => one[key] !== undefined && differs(key, one[key], other[key]));
  if (wrong.length === 0) return joinTwo(one, other);
  const right = (part: Json): Json =>
    without(
      part,
      wrong.filter((key) => !isWord(key, part[key])),
    );
  return mark(joinTwo(right(one), right(other)));
}

/** Without a name of its event the answer is an error, whatever else it says, and all of it that can count counts. */
const markInner = (inner: CombinedWords): CombinedWords => ({ ...inner, hookEventName: NO_EVENT });
const mark = (whole: CombinedWords): CombinedWords => {
  const { hookSpecificOutput: inner } = whole;
  return { ...whole, hookSpecificOutput: markInner(isObject(inner) ? plainWords(inner) : {}) };
};

/** Whether one of both is wrong. Of flags and rewrites a right one replaces a wrong one before it. */
function differs(key: string, one: unknown, other: unknown): boolean {
  if (other === undefined || isWord(key, one) === isWord(key, other)) return false;
  return isWord(key, one) || (key !== REWRITE && STRONGER[key] === undefined);
}

/** Whether the value can be meant by the key; true for keys of which this is not known. */
function isWord(key: string, value: unknown): boolean {
  if (key === VERDICT || Object.hasOwn(OWN_VERDICTS, key)) return strictness(wordOf(value)) >= 0;
  if (key === REWRITE) return isRewrite(value);
  if (key === 'hookSpecificOutput') return isObject(value);
  return STRONGER[key] === undefined || typeof value === 'boolean';
}

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
    return {
      ...rest,
      hookSpecificOutput: isObject(inner) ? { additionalContext, ...plainWords(inner) } : { additionalContext },
    };
  };
}
