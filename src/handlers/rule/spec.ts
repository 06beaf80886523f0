import { HookscopeError } from '../../errors.js';
import { allow, ask, deny, type HelperOutput } from '../../events/output/helpers.js';
import { canBlock } from '../../events/output/outcome.js';
import type { EventSpec } from '../../events/spec.js';
import { checkOption, checkOptions, type Keys } from '../../values/options.js';
import { checks, oneOf } from '../../values/shape.js';
import { checkNames, TEXT } from '../options.js';

/** What a rule can decide. On an event that can only be blocked, `deny` blocks. */
export type RuleDecision = 'deny' | 'ask' | 'allow';

/** Options of `rule()`. */
export interface RuleOptions {
  /** A permission rule, `Bash(git push *)`, on tool events. It goes before the group's. */
  readonly if?: string;
  /** It decides only the first time. */
  readonly once?: boolean;
  /** Its name in records. Default: its own `if`, else `rule deny`. */
  readonly name?: string;
}

/** A decision without code as plain frozen data, what `rule()` returns. */
export interface RuleSpec extends RuleOptions {
  readonly type: 'rule';
  readonly decision: RuleDecision;
  readonly reason?: string;
}

const MAKERS: { readonly [Decision in RuleDecision]: (reason: string) => HelperOutput<string> } = { deny, ask, allow };
const DECISION = oneOf(...(Object.keys(MAKERS) as RuleDecision[]));

const RULE = { if: checks.text, once: checks.flag, name: TEXT } satisfies Keys<RuleOptions>;

/**
 * A hook that decides by its matcher and `if` alone: no code, no process, nothing to trust but the file it stands in. Its `allow` never
 * loosens an outer scope: what a hook of an ancestor scope says, or fails to say, is at least as strict (docs/semantics.md 13). An `allow` is given only
 * where the whole call is known to be what the matcher and the `if` are about: not to `ls; rm x` by `Bash(ls *)`.
 *
 * ```ts
 * host.register({ PreToolUse: [{ matcher: 'Bash', if: 'Bash(git push *)', hooks: [rule('deny', 'Push by hand')] }] });
 * ```
 *
 * `reason` may be left out of an `allow` alone.
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

/** A rule made from its description: what it says each time it is asked. Throws INVALID_OPTIONS. */
export function readRule(description: Readonly<Record<string, unknown>>, event: EventSpec) {
  checkNames('rule(): ', description, RULE, 'decision', 'reason');
  const { type: _, decision, reason, ...options } = description;
  const spec = rule(decision as RuleDecision, reason as string, options as RuleOptions);
  const may = decisionsOn(event);
  if (!may.includes(spec.decision)) {
    const expected =
      may.length === 0
        ? `${event.name} takes no rules, since nothing is decided there`
        : `a rule on ${event.name} may say ${may.join(' or ')}, not ${spec.decision}`;
    throw new HookscopeError('INVALID_OPTIONS', { where: 'rule(): decision', expected });
  }
  const answer = Object.freeze(MAKERS[spec.decision](spec.reason as string));
  return { spec, answer, label: spec.if ?? `rule ${spec.decision}` };
}

/** Whether anything is decided there that a rule may decide. */
export const takesRules = (event: EventSpec): boolean => decisionsOn(event).length > 0;

/** Stop events take no rules: a rule always gives the same answer, so the agent could never stop. */
function decisionsOn(event: EventSpec): readonly RuleDecision[] {
  if (event.fold === 'gate') return event.nestedDecision ? ['deny', 'allow'] : ['deny', 'ask', 'allow'];
  return event.fold !== 'stop' && canBlock(event) ? ['deny'] : [];
}
