import type { Registration } from '../../scopes/registration.js';
import type { Core } from '../core.js';
import type { SessionDeps } from '../deps.js';

/** Names that were looked at, by host: of an agent's type, since its hooks may be others. */
const SEEN = new WeakMap<SessionDeps, Set<string>>();
/** At most this many names are remembered: names that a model invents must not fill the memory. */
const MOST = 1000;

/**
 * A guard for `Bash` never runs for a tool that its harness calls `bash`, and nothing would show it: the logger hears of it, once a name.
 * Looked at when the name comes first; what is registered later is not.
 */
export function noteToolName({ deps, who, scope }: Core, name: string): void {
  const seen = SEEN.get(deps) ?? seenOf(deps);
  const key = who.agent_type === undefined ? name : `${who.agent_type}\0${name}`;
  if (seen.has(key) || seen.size >= MOST) return;
  seen.add(key);
  const hooks = deps.hooksOf('PreToolUse', scope);
  // A matcher that names it exactly is not a mistake.
  if (hooks.some((hook) => namesIn(hook).includes(name))) return;
  for (const hook of hooks) {
    const meant = namesIn(hook).find((other) => other.toLowerCase() === name.toLowerCase());
    if (meant === undefined) continue;
    deps.report(
      `PreToolUse hook ${hook.name} is for the tool "${meant}", and this session calls one "${name}", for which it does not run: names are compared exactly`,
    );
  }
}

function seenOf(deps: SessionDeps): Set<string> {
  const seen = new Set<string>();
  SEEN.set(deps, seen);
  return seen;
}

/** The names in a matcher's list, and the one in a rule. */
function namesIn({ matcher, rule }: Registration): string[] {
  const listed = matcher.text.split(/[|,]/).map((text) => text.trim());
  return rule === undefined ? listed : [...listed, rule.text.split('(')[0] as string];
}
