import { copyJson } from '../../values/copies/copy.js';
import { put } from '../../values/copies/put.js';
import { kindOf } from '../../values/problem.js';
import { isObject, type Json } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { EventSpec } from '../spec.js';
import {
  HELPER_KEYS,
  type HelperOutput,
  isHelperKey,
  type Meaning,
  meaningOf,
  own,
  REWRITE,
  strictness,
  VERDICT,
} from './helpers.js';
import { asPrinted, BadOutput, FAULTS, printed, REFUSED } from './printed.js';
import { outputShape, topFields } from './shape.js';

/** Whether a parsed output has keys of a helper. */
export const saysByHelper = (output: Json): boolean => HELPER_KEYS.some((key) => Object.hasOwn(output, key));

type Specific = Record<string, unknown>;

/**
 * Translates a helper's meaning in an output (after `toJSON`) to the event's own keys; any other output is returned unchanged. Throws BadOutput. If the output also has a verdict of its own, the stricter
 * one counts, with its own reason; other keys of the output win over the helper's. `eventName`: the `hookEventName` to add, for outputs from outside the process, where it is required.
 */
export function helperToOutput(spec: EventSpec, output: unknown, eventName?: string): unknown {
  if (typeof output !== 'object' || output === null) return output;
  const faults: string[] = [];
  const read: Reader = (part) => orFault(faults, part);
  const said = meaningOf(withPrintedKeys(output, read));
  if (said === undefined && faults.length === 0) return output;
  const meaning = withRewrite(spec, said ?? {}, read);
  const whole = worded(spec, meaning, besideHelpers(output, read), eventName);
  return faults.length === 0 ? whole : { ...whole, [FAULTS]: faults };
}

/** Reads a part of an answer. */
type Reader = <T>(part: () => T) => T | undefined;

/** The rest of an answer counts although a part of it cannot be read. */
function orFault<T>(faults: string[], part: () => T): T | undefined {
  try {
    return part();
  } catch (error) {
    faults.push(`it cannot be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** The meaning, and the other keys of the answer, in the event's own keys. */
function worded(spec: EventSpec, meaning: Meaning, rest: Specific | undefined, eventName: string | undefined): object {
  const words: Record<string, unknown> = {};
  const specific: Record<string, unknown> = {};
  if (meaning.stop !== undefined) {
    words['continue'] = false;
    if (meaning.stop !== true) words['stopReason'] = meaning.stop;
  }
  if (meaning.context !== undefined) specific['additionalContext'] = meaning.context;
  if (spec.nestedDecision) wordNested(meaning, specific);
  else wordFlat(spec, meaning, words, specific);
  const named = eventName === undefined || isEmpty(specific) ? undefined : { hookEventName: eventName };
  const beside = rest && besideIn(spec, rest);
  const whole = rest ? merged(words, rest, spec) : words;
  if (beside === WRONG) return withRefused(whole, { ...named, ...specific });
  const said = beside ? merged(specific, beside, spec) : specific;
  const isChanged = spec.nestedDecision === true && leaveToUser(spec, said, meaning);
  const inner = eventName !== undefined && (named || isChanged) ? { hookEventName: eventName, ...said } : said;
  if (!isEmpty(inner) || beside) whole['hookSpecificOutput'] = inner;
  return whole;
}

/**
 * Refuses `undefined` as the new value, which JSON would drop: it is usually the result of a function that forgot to return. Where only an allow carries a
 * rewrite, one beside an ask is dropped, but a wrong one is an error all the same.
 */
function withRewrite(spec: EventSpec, meaning: Meaning, read: Reader): Meaning {
  if (meaning.rewrite === undefined) return meaning;
  const isDropped = spec.nestedDecision === true && (meaning.verdict === 'ask' || meaning.verdict === 'defer');
  return { ...meaning, rewrite: read(() => checkRewrite(meaning.rewrite, isDropped)) };
}

function checkRewrite(given: unknown, isDropped: boolean): { readonly value: unknown } {
  if (!isObject(given)) throw new BadOutput(`${REWRITE}: expected object, got ${kindOf(given)}`);
  if (given['value'] === undefined) throw new BadOutput('rewrite(): expected the new value, got undefined');
  if (isDropped && !isObject(given['value']))
    throw new BadOutput(`rewrite(): expected object, got ${kindOf(given['value'])}`);
  return given as { readonly value: unknown };
}

/** Calls `toJSON` of the values under a helper's keys too. */
function withPrintedKeys(output: object, read: Reader): object {
  let all = output;
  for (const key of HELPER_KEYS) {
    const said: unknown = (output as HelperOutput<string>)[key];
    const asJson = read(() => (key === VERDICT ? printedVerdict(said) : printed(said, key)));
    if (asJson !== said) all = { ...all, [key]: asJson };
  }
  return all;
}

function printedVerdict(given: unknown): unknown {
  const said = printed(given, VERDICT);
  if (!isObject(said) || typeof said['verdict'] !== 'object') return said;
  return { ...said, verdict: printed(said['verdict'], 'verdict') };
}

/** Marks a wrong `hookSpecificOutput`. It is kept unchanged and refused when the answer is read. */
const WRONG = Symbol('no object');

/** The helper's words count beside a wrong `hookSpecificOutput`. */
function withRefused(whole: Record<string, unknown>, specific: Specific): object {
  const { hookSpecificOutput, ...rest } = whole;
  return { ...rest, hookSpecificOutput: specific, [REFUSED]: { hookSpecificOutput } };
}

/** The `hookSpecificOutput` that an answer has besides a helper's keys, as JSON would show it. */
function besideIn(
  spec: EventSpec,
  given: { readonly hookSpecificOutput?: unknown },
): Specific | typeof WRONG | undefined {
  const { hookSpecificOutput: inner } = given;
  if (inner === undefined || inner === null) return undefined;
  try {
    const keys = outputShape(spec).specific.keys();
    const specific = own(asPrinted(inner, 'hookSpecificOutput'), keys);
    if (spec.nestedDecision && isObject(specific['decision']))
      specific['decision'] = own(asPrinted(specific['decision'], 'decision'), ['behavior']);
    return specific;
  } catch {
    return WRONG;
  }
}

const isEmpty = (words: object): boolean => Object.keys(words).length === 0;

/** The keys of an answer besides those of helpers, as JSON has them: without those whose value is undefined. `undefined`: there are none, as usual. */
function besideHelpers(output: object, read: Reader): Specific | undefined {
  let rest: Specific | undefined;
  for (const key of Object.keys(output)) {
    if (isHelperKey(key)) continue;
    rest ??= {};
    const value = read(() => (output as Specific)[key]);
    if (value !== undefined) put(rest, key, value);
  }
  return rest;
}

/** The keys that hold a verdict, each with the key of its reason. */
const VERDICT_KEYS = [
  ['permissionDecision', 'permissionDecisionReason'],
  ['decision', 'reason'],
] as const;

/** Merges a helper's meaning with the other keys of the answer. */
function merged(
  meant: Record<string, unknown>,
  beside: Record<string, unknown> | null = {},
  spec: EventSpec,
): Record<string, unknown> {
  const given = beside ?? {};
  const whole = { ...meant, ...given };
  const refused = keepMeant(spec, meant, given, whole);
  for (const [key, why] of VERDICT_KEYS) {
    const [one, other] = [meant[key], given[key]];
    if (one === undefined || other === undefined || refused.includes(key)) continue;
    const stricter = strictness(wordOf(other)) - strictness(wordOf(one));
    if (stricter === 0) {
      if (isObject(one) && isObject(other)) whole[key] = { ...one, ...other };
    } else {
      const winner = stricter > 0 ? given : meant;
      whole[key] = winner[key];
      if (winner[why] === undefined) delete whole[why];
      else whole[why] = winner[why];
    }
  }
  if (meant['continue'] === false && given['continue'] === true) whole['continue'] = false;
  for (const words of [meant, given]) refuseLost(spec, words, whole);
  return whole;
}

/** What the helper says stays where the answer has a wrong value beside it. Returns the keys of these values. */
function keepMeant(spec: EventSpec, meant: Specific, given: Specific, whole: Specific): readonly string[] {
  const wrong = Object.keys(given).filter((key) => meant[key] !== undefined && !isTaken(spec, key, given[key]));
  // A stricter verdict that is nested counts without what is wrong in it.
  const isNested = (key: string): boolean => spec.nestedDecision === true && key === 'decision';
  const kept = wrong.filter((key) => !isNested(key) || !isStricter(given[key], meant[key]));
  for (const key of kept) {
    refuse(whole, key, given[key]);
    whole[key] = meant[key];
    const why = VERDICT_KEYS.find(([verdict]) => verdict === key)?.[1];
    if (why !== undefined && meant[why] !== undefined) whole[why] = meant[why];
  }
  return kept;
}

/** A wrong word is an error also where another counts in its place. */
function refuseLost(spec: EventSpec, words: Specific, whole: Specific): void {
  for (const key of Object.keys(words))
    if (whole[key] !== words[key] && !isTaken(spec, key, words[key])) refuse(whole, key, words[key]);
}

const isStricter = (one: unknown, other: unknown): boolean =>
  isObject(one) && strictness(wordOf(one)) > strictness(wordOf(other));

/** The wrong value is refused when the answer is read, and what the helper says in its place still counts. */
function refuse(whole: { [REFUSED]?: Json }, key: string, wrong: unknown): void {
  whole[REFUSED] = { ...whole[REFUSED], [key]: wrong };
}

/** Whether the event takes this as the value of its key. */
function isTaken(spec: EventSpec, key: string, value: unknown): boolean {
  try {
    return (outputShape(spec).specific.get(key) ?? topFields().get(key))?.accepts(copyJson(value)) !== false;
  } catch {
    return false;
  }
}

/** The verdict's word, which is inside an object on events with a nested decision. */
const wordOf = (verdict: unknown): unknown => (isObject(verdict) ? verdict['behavior'] : verdict);

/** Translates verdicts for events that are not gates. An invalid verdict is kept, so that it becomes an error. */
const FLAT: Readonly<Record<string, string>> = {
  __proto__: null as never,
  allow: 'approve',
  ask: 'block',
  defer: 'block',
  deny: 'block',
  block: 'block',
};

function wordFlat(
  spec: EventSpec,
  m: Meaning,
  words: Record<string, unknown>,
  specific: Record<string, unknown>,
): void {
  if (m.rewrite) specific[spec.rewrites?.keys[0] ?? 'updatedInput'] = m.rewrite.value;
  if (m.verdict === undefined) return;
  if (spec.fold === 'gate') {
    specific['permissionDecision'] = m.verdict === 'block' ? 'deny' : m.verdict;
    if (m.reason !== undefined) specific['permissionDecisionReason'] = m.reason;
    return;
  }
  words['decision'] = FLAT[m.verdict] ?? m.verdict;
  if (m.reason !== undefined) words['reason'] = m.reason;
}

function wordNested(m: Meaning, specific: Record<string, unknown>): void {
  const denies = m.verdict === 'deny' || m.verdict === 'block';
  if (denies) specific['decision'] = { behavior: 'deny', ...(m.reason === undefined ? {} : { message: m.reason }) };
  else if (m.verdict === 'allow' || (m.verdict === undefined && m.rewrite)) {
    specific['decision'] = { behavior: 'allow', ...(m.rewrite ? { updatedInput: m.rewrite.value } : {}) };
  } else if (m.verdict !== undefined && m.verdict !== 'ask' && m.verdict !== 'defer')
    specific['decision'] = { behavior: m.verdict };
}

/** On events where the user decides anyway, `ask` and `defer` mean no decision, so a milder decision in the output is removed. Returns whether a word was added. */
function leaveToUser(spec: EventSpec, specific: Record<string, unknown>, { verdict, rewrite }: Meaning): boolean {
  if (verdict !== 'ask' && verdict !== 'defer') return false;
  const given = strictness(wordOf(specific['decision']));
  if (given >= 0 && given < strictness(verdict)) {
    const { decision } = specific;
    delete specific['decision'];
    refuseLost(spec, { decision }, specific);
  }
  // Without a decision a new input has no place, so this unknown key leads to a warning.
  if (!rewrite || specific['decision'] !== undefined) return false;
  specific['updatedInput'] = rewrite.value;
  return true;
}
