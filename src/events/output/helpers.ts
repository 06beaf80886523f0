import type { EventSpec } from '../define.js';

/** What a helper means; the run puts it in the words of the event it is answered on. */
export interface Meaning {
  readonly verdict?: 'allow' | 'deny' | 'ask' | 'defer' | 'block';
  readonly reason?: string;
  readonly rewrite?: { readonly value: unknown };
  readonly context?: string;
  readonly stop?: string | true;
}

/** Shared by every copy of hookscope: a plugin may be linked to one of its own, and its deny must not read as silence here. */
export const MEANING: unique symbol = Symbol.for('hookscope.meaning') as never;

/** What an output helper returns. It may be spread: `{ ...deny('no'), systemMessage: 'told you' }`. */
export interface HelperOutput<Verb extends string> {
  readonly [MEANING]: Meaning;
  /** Which helper made it; for types alone. */
  readonly __verb?: Verb;
}

export function helperOutput<Verb extends string>(meaning: Meaning): HelperOutput<Verb> {
  return { [MEANING]: meaning };
}

/** Gates: let it happen. The reason is for people. */
export function allow(reason?: string): HelperOutput<'allow'> {
  return helperOutput(reason === undefined ? { verdict: 'allow' } : { verdict: 'allow', reason });
}

/** Gates: refuse it; the reason reaches the model. */
export function deny(reason: string): HelperOutput<'deny'> {
  return helperOutput({ verdict: 'deny', reason });
}

/** Gates: let the user decide. */
export function ask(reason: string): HelperOutput<'ask'> {
  return helperOutput({ verdict: 'ask', reason });
}

/** PreToolUse: end the loop before this call. What it waits for comes from outside; then the same call is made again. */
export function defer(reason: string): HelperOutput<'defer'> {
  return helperOutput({ verdict: 'defer', reason });
}

/** Block the thing (on Stop: keep the loop going, the reason being the next instruction). On a gate it is a deny. */
export function block(reason: string): HelperOutput<'block'> {
  return helperOutput({ verdict: 'block', reason });
}

/** End the agent's loop. On a gate it also denies the call. */
export function stop(reason?: string): HelperOutput<'stop'> {
  return helperOutput({ stop: reason ?? true });
}

/** Text for the model. */
export function addContext(text: string): HelperOutput<'addContext'> {
  return helperOutput({ context: text });
}

/** Put this in place of the tool's whole input (PreToolUse, PermissionRequest) or output (PostToolUse). */
export function rewrite(value: unknown): HelperOutput<'rewrite'> {
  return helperOutput({ rewrite: { value } });
}

/** Says several things at once: `combine(rewrite(input), addContext('made absolute'))`. Of two that say the same, the last counts. */
export function combine<Verb extends string>(...parts: readonly HelperOutput<Verb>[]): HelperOutput<Verb> {
  return helperOutput(Object.assign({}, ...parts.map((p) => p[MEANING])) as Meaning);
}

/** An output with a helper's meaning written out for this event; any other output as it is. Keys given beside the helper win. */
export function helperToOutput(spec: EventSpec, output: unknown): unknown {
  if (typeof output !== 'object' || output === null || !(MEANING in output)) return output;
  const { [MEANING]: meaning, ...own } = output as HelperOutput<string> & {
    hookSpecificOutput?: Record<string, unknown>;
  };
  const words: Record<string, unknown> = {};
  const specific: Record<string, unknown> = {};
  if (meaning.stop !== undefined) {
    words['continue'] = false;
    if (meaning.stop !== true) words['stopReason'] = meaning.stop;
  }
  if (meaning.context !== undefined) specific['additionalContext'] = meaning.context;
  if (spec.nestedDecision) wordNested(meaning, specific);
  else wordFlat(spec, meaning, words, specific);
  const inner = { ...specific, ...own.hookSpecificOutput };
  const whole: Record<string, unknown> = { ...words, ...own };
  if (Object.keys(inner).length > 0) whole['hookSpecificOutput'] = inner;
  return whole;
}

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
  words['decision'] = m.verdict === 'allow' ? 'approve' : 'block';
  if (m.reason !== undefined) words['reason'] = m.reason;
}

function wordNested(m: Meaning, specific: Record<string, unknown>): void {
  const denies = m.verdict === 'deny' || m.verdict === 'block';
  if (denies) specific['decision'] = { behavior: 'deny', ...(m.reason === undefined ? {} : { message: m.reason }) };
  else if (m.verdict === 'allow' || m.rewrite) {
    specific['decision'] = { behavior: 'allow', ...(m.rewrite ? { updatedInput: m.rewrite.value } : {}) };
  }
}
