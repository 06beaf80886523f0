import { kindOf } from '../../values/problem.js';
import { isObject, type Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';
import { asObject, asPrinted, BadOutput, printed, refuseInherited } from './printed.js';
import { outputShape } from './shape.js';

/** The meaning of a helper; it is translated to the event's own keys when it is returned. */
export interface Meaning {
  readonly verdict?: 'allow' | 'deny' | 'ask' | 'defer' | 'block' | undefined;
  readonly reason?: string | undefined;
  readonly rewrite?: { readonly value: unknown } | undefined;
  readonly context?: string | undefined;
  readonly stop?: string | true | undefined;
}

/**
 * The keys of a helper's answer. Words, no symbols: what goes through a worker, a cache or another process as a copy or as JSON, and what another copy of
 * hookscope has made, must not read as silence. One for each thing that can be said: answers that are spread into one object all count.
 */
export const VERDICT = 'hookscope:verdict';
const REWRITE = 'hookscope:rewrite';
const CONTEXT = 'hookscope:context';
const STOP = 'hookscope:stop';
const HELPER_KEYS = [VERDICT, REWRITE, CONTEXT, STOP] as const;

export const isHelperKey = (key: string): boolean =>
  key === VERDICT || key === CONTEXT || key === STOP || key === REWRITE;

/** The return value of an output helper. It may be spread, `{ ...deny('no'), systemMessage: 'told you' }`, copied, and sent as JSON. */
export interface HelperOutput<Verb extends string> {
  readonly [VERDICT]?: { readonly verdict: NonNullable<Meaning['verdict']>; readonly reason?: string };
  readonly [REWRITE]?: { readonly value: unknown };
  readonly [CONTEXT]?: string;
  readonly [STOP]?: string | true;
  /** Which helper made it; for types alone. */
  readonly __verb?: Verb;
}

/** The answer that means this. */
export function helperOutput<Verb extends string>(meaning: Meaning): HelperOutput<Verb> {
  const { verdict, reason, rewrite: value, context, stop: end } = meaning;
  return {
    ...(verdict !== undefined && { [VERDICT]: reason === undefined ? { verdict } : { verdict, reason } }),
    ...(value !== undefined && { [REWRITE]: value }),
    ...(context !== undefined && { [CONTEXT]: context }),
    ...(end !== undefined && { [STOP]: end }),
  };
}

/** The meaning of a helper's answer; `undefined` if it is not one. An invalid verdict is kept: it is an error, not silence. */
export function meaningOf(answer: object): Meaning | undefined {
  const { [VERDICT]: said, [REWRITE]: rewrite, [CONTEXT]: context, [STOP]: stop } = answer as HelperOutput<string>;
  if (!(VERDICT in answer) && rewrite === undefined && context === undefined && stop === undefined) return undefined;
  if (said === undefined) return { rewrite, context, stop };
  const { verdict = 'no verdict' as never, reason } = isObject(said) ? said : ({} as never);
  return { verdict, reason, rewrite, context, stop };
}

/** Whether this is what an answer means that has nothing beside the keys above. Quick; false only means that it must be read. */
export function isSaid({ verdict, reason, context, stop }: Meaning, answer: HelperOutput<string>): boolean {
  if (answer[CONTEXT] !== context || answer[STOP] !== stop || answer[REWRITE] !== undefined) return false;
  const said: { readonly verdict?: unknown; readonly reason?: unknown } | null | undefined = answer[VERDICT];
  if (said === undefined || said === null || verdict === undefined) return said === verdict;
  return said.verdict === verdict && said.reason === reason && Object.getPrototypeOf(said) === Object.prototype;
}

/** Gates: let it happen. The reason is for people. */
export function allow(reason?: string): HelperOutput<'allow'> {
  return { [VERDICT]: reason === undefined ? { verdict: 'allow' } : { verdict: 'allow', reason } };
}

/** Gates: refuse it; the reason reaches the model. */
export function deny(reason: string): HelperOutput<'deny'> {
  return { [VERDICT]: { verdict: 'deny', reason } };
}

/** Gates: let the user decide. */
export function ask(reason: string): HelperOutput<'ask'> {
  return { [VERDICT]: { verdict: 'ask', reason } };
}

/** PreToolUse: end the loop before this call. What it waits for comes from outside; then the same call is made again. */
export function defer(reason: string): HelperOutput<'defer'> {
  return { [VERDICT]: { verdict: 'defer', reason } };
}

/** Block the thing (on Stop: keep the loop going, the reason being the next instruction). On a gate it is a deny. */
export function block(reason: string): HelperOutput<'block'> {
  return { [VERDICT]: { verdict: 'block', reason } };
}

/** End the agent's loop. On a gate it also denies the call. */
export function stop(reason?: string): HelperOutput<'stop'> {
  return { [STOP]: reason ?? true };
}

/** Text for the model. */
export function addContext(text: string): HelperOutput<'addContext'> {
  return { [CONTEXT]: text };
}

/** Put this in place of the tool's whole input (PreToolUse, PermissionRequest) or output (PostToolUse). */
export function rewrite(value: unknown): HelperOutput<'rewrite'> {
  return { [REWRITE]: { value } };
}

/**
 * Says several things at once: `combine(rewrite(input), addContext('made absolute'))`. Of several verdicts the strictest counts, with its own reason (deny and block,
 * then defer, ask, allow); of two that say the same, the last.
 */
export function combine<Verb extends string>(...parts: readonly HelperOutput<Verb>[]): HelperOutput<Verb> {
  const plain = parts.every(isPlainPart) ? parts : parts.filter(Boolean).map(partAsPrinted<Verb>);
  const whole: HelperOutput<Verb> = Object.assign({}, ...plain);
  const verdicts = plain.map((part) => part[VERDICT]).filter((said) => said !== undefined);
  if (verdicts.length < 2) return whole;
  const strictest = verdicts.reduce((a, b) => (strictness(b?.verdict) < strictness(a?.verdict) ? a : b));
  return { ...whole, [VERDICT]: strictest };
}

const isPlainPart = (part: HelperOutput<string>): boolean =>
  isObject(part) && Object.getPrototypeOf(part) === Object.prototype && !('toJSON' in part);

/** Throws BadOutput where some of it would be lost. */
function partAsPrinted<Verb extends string>(part: HelperOutput<Verb>): HelperOutput<Verb> {
  return own(asObject(printed(part), 'combine'), HELPER_KEYS);
}

/** From the mildest to the strictest, in the terms of helpers and of outputs. An unknown one is -1. */
const WORDS: readonly (readonly unknown[])[] = [['allow', 'approve'], ['ask'], ['defer'], ['deny', 'block']];

const strictness = (word: unknown): number => WORDS.findIndex((same) => same.includes(word));

/**
 * An output, as it was printed, with a helper's meaning written out for this event; any other output as it is. Throws BadOutput. Of a verdict that is given beside the helper's the stricter counts, with
 * its own reason; other keys that are given beside the helper win. `eventName`: the name that is written in it, where it came from outside and must say one.
 */
export function helperToOutput(spec: EventSpec, output: unknown, eventName?: string): unknown {
  if (typeof output !== 'object' || output === null) return output;
  const meaning = meaningOf(withPrintedKeys(output));
  if (meaning === undefined) return output;
  if (meaning.rewrite !== undefined && !isObject(meaning.rewrite))
    throw new BadOutput(`${REWRITE}: expected object, got ${kindOf(meaning.rewrite)}`);
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

type Specific = Record<string, unknown>;
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

/** Of a printed object. Throws BadOutput where keys of it would be lost. */
function own(whole: Json, keys: Iterable<string>): Specific {
  refuseInherited(whole, '', keys);
  const { toJSON: _, ...rest } = whole;
  return rest;
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
