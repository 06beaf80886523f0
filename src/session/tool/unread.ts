import type { Core } from '../core.js';
import type { SessionDeps } from '../deps.js';
import type { CheckedCall } from './call.js';

/** The tools that were warned about, by host. */
const TOLD = new WeakMap<SessionDeps, Set<string>>();
/** The most tools that are remembered, because a model may invent names without end. */
const MOST = 1000;

/** The source of a function or method that has an empty list of parameters. */
const NO_PARAMETERS = /^(?:async\b\s*)?(?:function\b)?[\s*]*[\w$]*\s*\(\s*\)/;

/**
 * Warns through the logger, once a tool, if an input was rewritten and the call's `execute` has no parameter: it cannot run what was judged,
 * and has probably run the model's own input.
 */
export function noteUnread({ deps }: Core, { name, tool }: CheckedCall, rewrittenBy: readonly string[]): void {
  if (!ignoresInput(tool.execute)) return;
  const told = TOLD.get(deps) ?? new Set();
  TOLD.set(deps, told);
  if (told.has(name) || told.size >= MOST) return;
  told.add(name);
  deps.report(
    `${name}: its input was rewritten by ${rewrittenBy.join(' and ')}, but its execute has no parameter, so it cannot run that input. execute is given the final input; run it instead of the call's own`,
  );
}

/** Whether a function cannot see its arguments. `length` alone is 0 for defaults and rest parameters too. */
function ignoresInput(execute: unknown): boolean {
  if (typeof execute !== 'function' || execute.length > 0) return false;
  const text = Function.prototype.toString.call(execute);
  return NO_PARAMETERS.test(text) && !/\barguments\b|\[native code\]/.test(text);
}
