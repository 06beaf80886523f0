import { HookscopeError } from '../../errors.js';
import { allow, ask, deny, type HelperOutput } from '../../events/output/helpers.js';
import { canBlock } from '../../events/output/what-counts.js';
import type { EventSpec } from '../../events/spec.js';
import { checkOption, checkOptions, type Keys } from '../../values/options.js';
import { checks, oneOf } from '../../values/shape.js';
import { checkNames, TEXT } from '../options.js';

/** The decisions that a rule can make. On an event that can only be blocked, `deny` blocks. */
export type RuleDecision = 'deny' | 'ask' | 'allow';

/** Options of `rule()`. */
export interface RuleOptions {
  /** A permission rule, such as `Bash(git push *)`, on tool events. It replaces the group's `if`. */
  readonly if?: string;
  /** Makes the rule decide only the first time. */
  readonly once?: boolean;
  /** The rule's name in records. Default: its own `if`, else `rule` with the decision (`rule deny`). */
  readonly name?: string;
}

/** A decision without code, as plain frozen data, returned by `rule()`. */
export interface RuleSpec extends RuleOptions {
  readonly type: 'rule';
  readonly decision: RuleDecision;
  readonly reason?: string;
}

const MAKERS: { readonly [Decision in RuleDecision]: (reason: string) => HelperOutput<string> } = { deny, ask, allow };
const DECISION = oneOf(...(Object.keys(MAKERS) as RuleDecision[]));

const RULE = { if: checks.text, once: checks.flag, name: TEXT } satisfies Keys<RuleOptions>;

/**
 * A hook that decides by its matcher and `if` alone. It runs no code and no process, so only the file that contains it has to be
 * trusted. Its `allow` never loosens an ancestor scope: the answer or failure of a hook there is at least as strict
 * (docs/semantics.md 13). It allows a call only if all of the call is covered by the matcher and the `if`: `Bash(ls *)` does not
 * allow `ls; rm x`.
 *
 * ```ts
 * host.register({ PreToolUse: [{ matcher: 'Bash', if: 'Bash(git push *)', hooks: [rule('deny', 'Push by hand')] }] });
 * ```
 *
 * `reason` may only be left out with `allow`.
 * @throws HookscopeError INVALID_OPTIONS: an unknown decision, an empty reason, an unknown option or one of the wrong type.
 */
export function rule(decision: 'allow', reason?: string, options?: RuleOptions): RuleSpec;
export function rule(decision: RuleDecision, reason: string, options?: RuleOptions): RuleSpec;
export function rule(decision: RuleDecision, reason?: string, options: RuleOptions = {}): RuleSpec {
  checkOption('rule(): decision', decision, DECISION);
  if (reason !== undefined || decision !== 'allow') checkOption('rule(): reason', reason, TEXT);
  checkOptions('rule(): ', options, RULE);
  return Object.freeze({ type: 'rule', decision, ...(reason !== undefined && { reason }), ...options });
}

/** Reads a rule's description into the answer that it gives each time. Throws INVALID_OPTIONS. */
export function readRule(description: Readonly<Record<string, unknown>>, event: EventSpec) {
  checkNames('rule(): ', description, RULE, 'decision', 'reason');
  const { type: _, decision, reason, ...options } = description;
  const spec = rule(decision as RuleDecision, reason as string, options as RuleOptions);
  const may = decisionsOn(event);
  if (!may.includes(spec.decision)) {
    const expected =
      may.length === 0
        ? `${event.name} takes no rules: a rule allows, denies or asks, and no answer there does`
        : `a rule on ${event.name} may say ${may.join(' or ')}, not ${spec.decision}`;
    throw new HookscopeError('INVALID_OPTIONS', { where: 'rule(): decision', expected });
  }
  const answer = Object.freeze(MAKERS[spec.decision](spec.reason as string));
  return { spec, answer, label: spec.if ?? `rule ${spec.decision}` };
}

/** Whether a rule can decide anything on this event. */
export const takesRules = (event: EventSpec): boolean => decisionsOn(event).length > 0;

/** Stop events take no rules: a rule always gives the same answer, so the agent could never stop. */
function decisionsOn(event: EventSpec): readonly RuleDecision[] {
  if (event.fold === 'gate') return event.nestedDecision ? ['deny', 'allow'] : ['deny', 'ask', 'allow'];
  return event.fold !== 'stop' && canBlock(event) ? ['deny'] : [];
}
