import { HookscopeError } from '../../errors.js';
import { isObject, type Json } from '../../values/shape.js';
import { asObject, BadOutput, printed, refuseInherited } from './printed.js';

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
export const REWRITE = 'hookscope:rewrite';
export const CONTEXT = 'hookscope:context';
export const STOP = 'hookscope:stop';
export const HELPER_KEYS = [VERDICT, REWRITE, CONTEXT, STOP] as const;

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

/**
 * Put this in place of the tool's whole input (PreToolUse, PermissionRequest) or output (PostToolUse). On PermissionRequest it answers for the user: the call is
 * allowed with this input, unless a verdict is given beside it. `undefined` is no value, and `bad_schema`.
 */
export function rewrite(value: unknown): HelperOutput<'rewrite'> {
  return { [REWRITE]: { value } };
}

/**
 * Says several things at once: `combine(rewrite(input), addContext('made absolute'))`. Of several verdicts the strictest counts, with its own reason (deny and block,
 * then defer, ask, allow); of two that say the same, the last.
 */
export function combine<Verb extends string>(...parts: readonly HelperOutput<Verb>[]): HelperOutput<Verb> {
  const plain = parts.every(isPlainPart) ? parts : readableOf(parts);
  const whole: HelperOutput<Verb> = Object.assign({}, ...plain);
  const verdicts = plain.map((part) => part[VERDICT]).filter((said) => said !== undefined);
  if (verdicts.length < 2) return whole;
  const strictest = verdicts.reduce((a, b) => (strictness(b?.verdict) < strictness(a?.verdict) ? a : b));
  return { ...whole, [VERDICT]: strictest };
}

/** Throws INVALID_OPTIONS where some of it would be lost. */
function readableOf<Verb extends string>(parts: readonly HelperOutput<Verb>[]): readonly HelperOutput<Verb>[] {
  try {
    return readable(parts);
  } catch (error) {
    if (!(error instanceof BadOutput)) throw error;
    const expected = error.message.replace(/^combine: /, '');
    throw new HookscopeError('INVALID_OPTIONS', { where: 'combine(…)', expected }, { cause: error });
  }
}

const isPlainPart = (part: HelperOutput<string>): boolean =>
  isObject(part) && Object.getPrototypeOf(part) === Object.prototype && !('toJSON' in part);

/** What a condition leaves in place of a part, such as `true`, says nothing. */
const saysMore = (part: unknown): boolean =>
  (typeof part === 'object' && part !== null) ||
  typeof part === 'function' ||
  (typeof part === 'string' && part !== '');

/** Throws BadOutput where some of it would be lost, unless another part refuses: that stands. */
function readable<Verb extends string>(parts: readonly HelperOutput<Verb>[]): readonly HelperOutput<Verb>[] {
  const said = parts.filter(saysMore);
  try {
    return said.map(partAsPrinted<Verb>);
  } catch (error) {
    const plain = said.filter(isPlainPart);
    if (plain.some(refuses)) return plain;
    throw error;
  }
}

const refuses = (part: HelperOutput<string>): boolean =>
  part[STOP] !== undefined || strictness(part[VERDICT]?.verdict) === WORDS.length - 1;

/** Throws BadOutput where some of it would be lost. */
function partAsPrinted<Verb extends string>(part: HelperOutput<Verb>): HelperOutput<Verb> {
  return own(asObject(printed(part), 'combine'), HELPER_KEYS);
}

/** From the mildest to the strictest, in the terms of helpers and of outputs. An unknown one is -1. */
const WORDS: readonly (readonly unknown[])[] = [['allow', 'approve'], ['ask'], ['defer'], ['deny', 'block']];

export const strictness = (word: unknown): number => WORDS.findIndex((same) => same.includes(word));

/** Of a printed object. Throws BadOutput where keys of it would be lost. */
export function own(whole: Json, keys: Iterable<string>): Record<string, unknown> {
  refuseInherited(whole, '', keys);
  const { toJSON: _, ...rest } = whole;
  return rest;
}
