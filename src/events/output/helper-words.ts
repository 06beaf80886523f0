import { kindOf } from '../../values/problem.js';
import { isObject, type Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';
import {
  CONTEXT,
  HELPER_KEYS,
  type HelperOutput,
  isHelperKey,
  type Meaning,
  meaningOf,
  own,
  REWRITE,
  STOP,
  strictness,
  VERDICT,
} from './helpers.js';
import { asPrinted, BadOutput, printed } from './printed.js';
import { outputShape } from './shape.js';

/** Whether an output that was parsed holds a helper's answer. */
export const saysByHelper = (output: Json): boolean => HELPER_KEYS.some((key) => Object.hasOwn(output, key));

type Specific = Record<string, unknown>;

/**
 * An output, as it was printed, with a helper's meaning written out for this event; any other output as it is. Throws BadOutput. Of a verdict that is given beside the helper's the stricter counts, with
 * its own reason; other keys that are given beside the helper win. `eventName`: the name that is written in it, where it came from outside and must say one.
 */
export function helperToOutput(spec: EventSpec, output: unknown, eventName?: string): unknown {
  if (typeof output !== 'object' || output === null) return output;
  const meaning = meaningOf(withPrintedKeys(output));
  if (meaning === undefined) return output;
  if (meaning.rewrite !== undefined) checkRewrite(meaning.rewrite);
  const words: Record<string, unknown> = {};
  const specific: Record<string, unknown> = {};
  if (meaning.stop !== undefined) {
    words['continue'] = false;
    if (meaning.stop !== true) words['stopReason'] = meaning.stop;
  }
  if (meaning.context !== undefined) specific['additionalContext'] = meaning.context;
  if (spec.nestedDecision) wordNested(meaning, specific);
  else wordFlat(spec, meaning, words, specific);
  const rest = besideHelpers(output);
  const named = eventName === undefined || isEmpty(specific) ? undefined : { hookEventName: eventName };
  const beside = rest && besideIn(spec, rest);
  const whole = rest ? merged(words, rest) : words;
  if (beside === WRONG) return whole;
  const said = beside ? merged(specific, beside) : specific;
  if (spec.nestedDecision) leaveToUser(said, meaning);
  const inner = named ? { ...named, ...said } : said;
  if (!isEmpty(inner) || beside) whole['hookSpecificOutput'] = inner;
  return whole;
}

/** JSON has no place for undefined, so that nothing would be left of it: a function that forgets to return makes one. */
function checkRewrite(given: unknown): void {
  if (!isObject(given)) throw new BadOutput(`${REWRITE}: expected object, got ${kindOf(given)}`);
  if (given['value'] === undefined) throw new BadOutput('rewrite(): expected the new value, got undefined');
}

/** What a helper said may have a `toJSON` too. */
function withPrintedKeys(output: object): object {
  let all = output;
  for (const key of HELPER_KEYS) {
    const said: unknown = (output as HelperOutput<string>)[key];
    const asJson = key === VERDICT ? printedVerdict(said) : printed(said, key);
    if (asJson !== said) all = { ...all, [key]: asJson };
  }
  return all;
}

function printedVerdict(given: unknown): unknown {
  const said = printed(given, VERDICT);
  if (!isObject(said) || typeof said['verdict'] !== 'object') return said;
  return { ...said, verdict: printed(said['verdict'], 'verdict') };
}

/** It is left as it is given, so that it is refused when the answer is read. */
const WRONG = Symbol('no object');

/** What stands in `hookSpecificOutput` beside a helper's keys, as JSON has it. */
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

/** The keys of an answer besides those of helpers; most have none. */
function besideHelpers(output: object): { readonly hookSpecificOutput?: Record<string, unknown> } | undefined {
  if (Object.keys(output).every(isHelperKey)) return undefined;
  const {
    [VERDICT]: _verdict,
    [REWRITE]: _rewrite,
    [CONTEXT]: _context,
    [STOP]: _stop,
    ...own
  } = output as HelperOutput<string> & { hookSpecificOutput?: Record<string, unknown> };
  return own;
}

/** The keys that hold a verdict, each with the key of its reason. */
const VERDICT_KEYS = [
  ['permissionDecision', 'permissionDecisionReason'],
  ['decision', 'reason'],
] as const;

/** A helper's meaning, merged with the other keys of the answer. */
function merged(meant: Record<string, unknown>, beside: Record<string, unknown> | null = {}): Record<string, unknown> {
  const given = beside ?? {};
  const whole = { ...meant, ...given };
  for (const [key, why] of VERDICT_KEYS) {
    const [one, other] = [meant[key], given[key]];
    if (one === undefined || other === undefined) continue;
    const stricter = strictness(wordOf(other)) - strictness(wordOf(one));
    if (stricter === 0) {
      if (isObject(one) && isObject(other)) whole[key] = { ...one, ...other };
    } else {
      // An invalid verdict is kept, and is an error.
      const winner = stricter > 0 || strictness(wordOf(other)) < 0 ? given : meant;
      whole[key] = winner[key];
      if (winner[why] === undefined) delete whole[why];
      else whole[why] = winner[why];
    }
  }
  if (meant['continue'] === false && given['continue'] === true) whole['continue'] = false;
  return whole;
}

/** On an event whose verdict is an object, it is in there. */
const wordOf = (verdict: unknown): unknown => (isObject(verdict) ? verdict['behavior'] : verdict);

/** A verdict in the words of events that are no gates. One that is none stays as it is, and is an error. */
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

/** Where the user is who is asked anyway, to ask is to decide nothing, so that what is milder is left out. */
function leaveToUser(specific: Record<string, unknown>, { verdict, rewrite }: Meaning): void {
  if (verdict !== 'ask' && verdict !== 'defer') return;
  const given = strictness(wordOf(specific['decision']));
  if (given >= 0 && given < strictness(verdict)) delete specific['decision'];
  // It has no place without a decision, which a warning says.
  if (rewrite && specific['decision'] === undefined) specific['updatedInput'] = rewrite.value;
}
