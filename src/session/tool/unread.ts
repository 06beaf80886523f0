import type { Core } from '../core.js';
import type { SessionDeps } from '../deps.js';
import type { CheckedCall } from './call.js';

/** The tools that were warned about, by host. */
const TOLD = new WeakMap<SessionDeps, Set<string>>();
/** The most tools that are remembered, because a model may invent names without end. */
const MOST = 1000;

/** How far the list is looked for, in characters. */
const FARTHEST = 2_000;

/** A comment, a quoted text or a character of a source. */
const PIECE = /(\/\/.*|\/\*[\s\S]*?\*\/)|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`[^`\\$]*`|[\s\S]/gu;

/**
 * Warns through the logger, once a tool, if an input was rewritten and neither the call's `execute` nor its `check` has a parameter: nobody reads
 * what was judged, and `execute` has probably run the model's own input.
 */
export function noteUnread({ deps }: Core, { name, tool }: CheckedCall, rewrittenBy: readonly string[]): void {
  if (!ignoresInput(tool.execute)) return;
  // Asked about each rewritten input, it may keep it for `execute`.
  if (tool.check && !ignoresInput(tool.check)) return;
  const told = TOLD.get(deps) ?? new Set();
  TOLD.set(deps, told);
  if (told.has(name) || told.size >= MOST) return;
  told.add(name);
  deps.report(
    `${name}: its input was rewritten by ${rewrittenBy.join(' and ')}, but its execute has no parameter, so it does not read that input. execute is given the final input; run it instead of the call's own`,
  );
}

/** Whether a function cannot see its arguments. `length` alone is 0 for defaults and rest parameters too. */
function ignoresInput(given: unknown): boolean {
  if (typeof given !== 'function' || given.length > 0) return false;
  const text = Function.prototype.toString.call(given);
  return hasNoParameters(text) && !/\b(?:arguments|eval)\b|\[native code\]/.test(text);
}

/** Whether the list of parameters is empty in the source of a function or method, whatever its name: that may be quoted or computed. */
function hasNoParameters(text: string): boolean {
  let depth = 0;
  let isWithin = false;
  for (const [piece, comment] of text.slice(0, FARTHEST).matchAll(PIECE)) {
    if (comment !== undefined || /^\s$/.test(piece)) continue;
    if (isWithin) return piece === ')';
    if (depth === 0 && piece === '(') isWithin = true;
    else if (depth === 0 && piece === '{') return false;
    else if ('([{'.includes(piece)) depth++;
    else if (')]}'.includes(piece)) depth--;
  }
  return false;
}
