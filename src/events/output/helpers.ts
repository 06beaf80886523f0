import { HookscopeError } from '../../errors.js';
import { isObject, type Json } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import { CONTEXT, HELPER_KEYS, isStrictest, REWRITE, STOP, VERDICT } from './helper-keys.js';
import { joinParts } from './join-parts.js';
import { asObject, BadOutput, printed, refuseInherited } from './printed.js';

export { HELPER_KEYS, isHelperKey, REWRITE, strictness, VERDICT } from './helper-keys.js';

/** The meaning of a helper's output. When a hook returns it, it is translated to the event's own keys. */
export interface Meaning {
  readonly verdict?: 'allow' | 'deny' | 'ask' | 'defer' | 'block' | undefined;
  readonly reason?: string | undefined;
  readonly rewrite?: { readonly value: unknown } | undefined;
  readonly context?: string | undefined;
  readonly stop?: string | true | undefined;
}

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
 * Combines several outputs into one, which says what several hooks would: `combine(rewrite(input), addContext('made absolute'))`. Contexts are joined by a newline, and so
 * are system messages. Of several verdicts, the strictest counts, with its own reason (deny and block, then defer, ask, allow); of equal verdicts the first, and several `block` have
 * all their reasons. Of several rewrites the last one counts. Throws INVALID_OPTIONS for a part that cannot be combined: one that is no output, or an answer in the background
 * (`async: true`) beside others; beside a part that denies, blocks or stops, it is left out instead.
 */
export function combine<Verb extends string>(...parts: readonly HelperOutput<Verb>[]): HelperOutput<Verb> {
  const plain = parts.every(isPlainPart) ? parts : readableOf(parts);
  return joinParts(
    withoutBackground(plain.map((part) => withPrintedWords(withoutUndefined(part)))) as readonly Json[],
  ) as HelperOutput<Verb>;
}

/** The words that can refuse, and what is inside, as JSON would show them. What cannot be read becomes a text, which is an error there. */
function withPrintedWords<T extends object>(part: T): T {
  const words = withPrinted(part, REFUSING);
  const { hookSpecificOutput: given } = words as Json;
  if (!isObject(given)) return words;
  const inner = printedOrText(given);
  if (!isObject(inner)) return { ...words, hookSpecificOutput: inner };
  const whole = withPrinted(inner, REFUSING);
  const { decision } = whole;
  const said = isObject(decision) ? withPrinted(decision, ['behavior']) : decision;
  if (said !== decision) return { ...words, hookSpecificOutput: { ...whole, decision: said } };
  return whole === given ? words : { ...words, hookSpecificOutput: whole };
}

const REFUSING = ['decision', 'permissionDecision', 'continue', 'preventContinuation'];

function withPrinted<T extends object>(from: T, keys: readonly string[]): T {
  let all = from;
  for (const key of keys) {
    if (!Object.hasOwn(from, key)) continue;
    const said = readFrom(from, key);
    const word = printedOrText(said);
    if (word !== said) all = { ...all, [key]: word };
  }
  return all;
}

/** A value that throws when it is read is left to whoever reads the whole. */
function readFrom(from: object, key: string): unknown {
  try {
    return (from as Json)[key];
  } catch {
    return undefined;
  }
}

function printedOrText(given: unknown): unknown {
  try {
    return printed(given);
  } catch (error) {
    return `it cannot be read: ${messageOf(error)}`;
  }
}

/** An answer in the background replaces all that is said beside it, also a deny. */
function withoutBackground<Verb extends string>(parts: readonly HelperOutput<Verb>[]): readonly HelperOutput<Verb>[] {
  if (parts.length < 2 || !parts.some(isBackground)) return parts;
  const others = parts.filter((part) => !isBackground(part));
  if (others.every((part) => Object.keys(part).length === 0)) return parts;
  if (others.some(refuses)) return others;
  const expected = 'no answer with async: true, which replaces all others: return it alone';
  throw new HookscopeError('INVALID_OPTIONS', { where: 'combine(…)', expected });
}

const isBackground = (part: object): boolean => (part as { readonly async?: unknown }).async === true;

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

/** The parts as JSON would show them. Throws BadOutput if something would be lost, unless another part denies or stops: then only the parts that can be read count. */
function readable<Verb extends string>(parts: readonly HelperOutput<Verb>[]): readonly HelperOutput<Verb>[] {
  const errors: unknown[] = [];
  const read = parts.filter(saysMore).flatMap((part) => {
    try {
      return [partAsPrinted<Verb>(part)];
    } catch (error) {
      errors.push(error);
      return [];
    }
  });
  if (errors.length > 0 && !read.some(refuses)) throw errors[0];
  return read;
}

/** Whether the part denies, blocks or stops, in a helper's words or those of an output. */
function refuses(part: HelperOutput<string>): boolean {
  const { continue: goesOn, decision, hookSpecificOutput: inner } = part as Json;
  if (part[STOP] !== undefined || goesOn === false || isStrictest(part[VERDICT]?.verdict) || isStrictest(decision))
    return true;
  if (!isObject(inner)) return false;
  const { permissionDecision, decision: nested } = inner;
  return isStrictest(permissionDecision) || (isObject(nested) && isStrictest(nested['behavior']));
}

/** Throws BadOutput if keys of the part would be lost. */
function partAsPrinted<Verb extends string>(part: HelperOutput<Verb>): HelperOutput<Verb> {
  return own(asObject(printed(part), 'combine'), HELPER_KEYS);
}

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
