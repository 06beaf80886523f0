import { HookscopeError } from '../../errors.js';
import { isObject, type Json } from '../../values/shape.js';
import { asObject, BadOutput, printed, refuseInherited } from './printed.js';

/** The meaning of a helper's output. When a hook returns it, it is translated to the event's own keys. */
export interface Meaning {
  readonly verdict?: 'allow' | 'deny' | 'ask' | 'defer' | 'block' | undefined;
  readonly reason?: string | undefined;
  readonly rewrite?: { readonly value: unknown } | undefined;
  readonly context?: string | undefined;
  readonly stop?: string | true | undefined;
}

/**
 * The keys of a helper's output. They are strings, not symbols, because an output that was copied or sent as JSON (a worker, a cache, another process), or that
 * another copy of hookscope made, must not look empty. Each part of the meaning has its own key, so outputs that are spread into one object all count.
 */
export const VERDICT = 'hookscope:verdict';
export const REWRITE = 'hookscope:rewrite';
export const CONTEXT = 'hookscope:context';
export const STOP = 'hookscope:stop';
export const HELPER_KEYS = [VERDICT, REWRITE, CONTEXT, STOP] as const;

export const isHelperKey = (key: string): boolean =>
  key === VERDICT || key === CONTEXT || key === STOP || key === REWRITE;

/** The return value of an output helper. It can be spread, `{ ...deny('no'), systemMessage: 'told you' }`, copied, and sent as JSON. */
export interface HelperOutput<Verb extends string> {
  readonly [VERDICT]?: { readonly verdict: NonNullable<Meaning['verdict']>; readonly reason?: string };
  readonly [REWRITE]?: { readonly value: unknown };
  readonly [CONTEXT]?: string;
  readonly [STOP]?: string | true;
  /** The helper that made it. Exists only in the type. */
  readonly __verb?: Verb;
}

/** The output with this meaning. */
export function helperOutput<Verb extends string>(meaning: Meaning): HelperOutput<Verb> {
  const { verdict, reason, rewrite: value, context, stop: end } = meaning;
  return {
    ...(verdict !== undefined && { [VERDICT]: reason === undefined ? { verdict } : { verdict, reason } }),
    ...(value !== undefined && { [REWRITE]: value }),
    ...(context !== undefined && { [CONTEXT]: context }),
    ...(end !== undefined && { [STOP]: end }),
  };
}

/** The meaning of a helper's output; `undefined` if it is not a helper's. An invalid verdict is kept, so that it becomes an error and is not ignored. */
export function meaningOf(answer: object): Meaning | undefined {
  const { [VERDICT]: said, [REWRITE]: rewrite, [CONTEXT]: context, [STOP]: stop } = answer as HelperOutput<string>;
  if (!(VERDICT in answer) && rewrite === undefined && context === undefined && stop === undefined) return undefined;
  if (said === undefined) return { rewrite, context, stop };
  const { verdict = 'no verdict' as never, reason } = isObject(said) ? said : ({} as never);
  return { verdict, reason, rewrite, context, stop };
}

/** A fast comparison of a meaning with an output that has only the keys above. False does not mean that they differ; the output must then be read. */
export function isSaid({ verdict, reason, context, stop }: Meaning, answer: HelperOutput<string>): boolean {
  if (answer[CONTEXT] !== context || answer[STOP] !== stop || answer[REWRITE] !== undefined) return false;
  const said: { readonly verdict?: unknown; readonly reason?: unknown } | null | undefined = answer[VERDICT];
  if (said === undefined || said === null || verdict === undefined) return said === verdict;
  return said.verdict === verdict && said.reason === reason && Object.getPrototypeOf(said) === Object.prototype;
}

/** Gates: allow the action. The reason is for people. */
export function allow(reason?: string): HelperOutput<'allow'> {
  return { [VERDICT]: reason === undefined ? { verdict: 'allow' } : { verdict: 'allow', reason } };
}

/** Gates: deny the action. The reason is sent to the model. */
export function deny(reason: string): HelperOutput<'deny'> {
  return { [VERDICT]: { verdict: 'deny', reason } };
}

/** Gates: ask the user to decide. */
export function ask(reason: string): HelperOutput<'ask'> {
  return { [VERDICT]: { verdict: 'ask', reason } };
}

/** PreToolUse: end the loop before this call, to wait for something outside. Afterwards the same call is made again. */
export function defer(reason: string): HelperOutput<'defer'> {
  return { [VERDICT]: { verdict: 'defer', reason } };
}

/** Block the action. On Stop, the loop goes on with the reason as the next instruction. On a gate, the same as `deny`. */
export function block(reason: string): HelperOutput<'block'> {
  return { [VERDICT]: { verdict: 'block', reason } };
}

/** Ends the agent's loop. On a gate, it also denies the call. */
export function stop(reason?: string): HelperOutput<'stop'> {
  return { [STOP]: reason ?? true };
}

/** Adds text for the model. */
export function addContext(text: string): HelperOutput<'addContext'> {
  return { [CONTEXT]: text };
}

/**
 * Replaces the tool's whole input (PreToolUse, PermissionRequest) or output (PostToolUse). On PermissionRequest it also answers for the user: the call is
 * allowed with this input, unless the output has a verdict of its own. `undefined` is not a value and fails with `bad_schema`.
 */
export function rewrite(value: unknown): HelperOutput<'rewrite'> {
  return { [REWRITE]: { value } };
}

/**
 * Combines several outputs into one: `combine(rewrite(input), addContext('made absolute'))`. Of several verdicts, the strictest counts, with its own reason (deny and
 * block, then defer, ask, allow). Of equal verdicts, the last one counts.
 */
export function combine<Verb extends string>(...parts: readonly HelperOutput<Verb>[]): HelperOutput<Verb> {
  const plain = parts.every(isPlainPart) ? parts : readableOf(parts);
  const whole: HelperOutput<Verb> = Object.assign({}, ...plain.map(withoutUndefined));
  const verdicts = plain.map((part) => part[VERDICT]).filter((said) => said !== undefined);
  if (verdicts.length < 2) return whole;
  const strictest = verdicts.reduce((a, b) => (strictness(b?.verdict) < strictness(a?.verdict) ? a : b));
  return { ...whole, [VERDICT]: strictest };
}

/** Like `readable`, but throws INVALID_OPTIONS if a part cannot be read. */
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

/** False for values such as `true` or `undefined`, which an expression like `condition && deny('no')` leaves in place of a part. */
const saysMore = (part: unknown): boolean =>
  (typeof part === 'object' && part !== null) ||
  typeof part === 'function' ||
  (typeof part === 'string' && part !== '');

/** The parts as JSON would show them. Throws BadOutput if something would be lost, unless another part denies or stops: then only the plain parts count. */
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

/** Throws BadOutput if keys of the part would be lost. */
function partAsPrinted<Verb extends string>(part: HelperOutput<Verb>): HelperOutput<Verb> {
  return own(asObject(printed(part), 'combine'), HELPER_KEYS);
}

/** Verdicts from the mildest to the strictest, as helpers and as outputs spell them. */
const WORDS: readonly (readonly unknown[])[] = [['allow', 'approve'], ['ask'], ['defer'], ['deny', 'block']];

export const strictness = (word: unknown): number => WORDS.findIndex((same) => same.includes(word));

/** JSON leaves out a key whose value is undefined, so it replaces nothing. */
function withoutUndefined<T extends object>(part: T): T {
  const said = Object.entries(part).filter(([, value]) => value !== undefined);
  return said.length === Object.keys(part).length ? part : (Object.fromEntries(said) as T);
}

/** Own keys of an object that are not undefined, without `toJSON`, which has been called already. Throws BadOutput if one of `keys` is inherited. */
export function own(whole: Json, keys: Iterable<string>): Record<string, unknown> {
  refuseInherited(whole, '', keys);
  const { toJSON: _, ...rest } = whole;
  return withoutUndefined(rest);
}
