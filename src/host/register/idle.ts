import { failureEffect, type OnFailure } from '../../events/failure.js';
import type { EventSpec } from '../../events/spec.js';
import type { Matcher } from '../../matching/matcher.js';
import { neverMeet } from '../../matching/never-meet.js';
import type { Rule } from '../../matching/rule.js';

/** Why a hook of ours can never run because of its `if` rule; undefined if it may. Without a matcher, only the event is looked at. */
export function whyIdle(spec: EventSpec, rule: Rule, matcher: Matcher | undefined): string | undefined {
  if (!spec.tool) return `${spec.name} is about no tool`;
  if (matcher === undefined || !neverMeet(matcher, rule, 'code')) return undefined;
  return `the matcher "${matcher.text}" leaves out what "${rule.text}" is about`;
}

/** Warns of a policy for failures that has no effect, because nothing waits for the hook. */
export function warnOfAsync(
  spec: EventSpec,
  onFailure: OnFailure,
  where: string,
  { warn }: { warn(message: string): void },
): void {
  if (spec.failure === 'fails' || failureEffect(spec, onFailure) === 'none') return;
  warn(`${where}.onFailure: nothing waits for an async hook, so neither its answer nor its failure stops anything`);
}
