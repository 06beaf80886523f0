import type { Registration } from '../../scopes/registration.js';
import type { Core } from '../core.js';
import type { SessionDeps } from '../deps.js';

/** Tool names that were checked, by host; for agents with their type, since they may have other hooks. */
const SEEN = new WeakMap<SessionDeps, Set<string>>();
/** The most names that are remembered, because a model may invent names without end. */
const MOST = 1000;

/**
 * Warns through the logger, once a name, if hooks name a tool in another case: a guard for `Bash` silently never runs for a tool named `bash`.
 * The check is made when a name is first used; hooks that are registered later are not checked.
 */
export function noteToolName({ deps, who }: Core, name: string): void {
  const seen = SEEN.get(deps) ?? seenOf(deps);
  const key = who.agent_type === undefined ? name : `${who.agent_type}\0${name}`;
  if (seen.has(key) || seen.size >= MOST) return;
  seen.add(key);
  const hooks = deps.hooksOf('PreToolUse', who);
  // If a hook names the tool exactly, the other names are not mistakes.
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

/** The tool names in a hook's matcher and rule. */
function namesIn({ matcher, rule }: Registration): string[] {
  const listed = matcher.text.split(/[|,]/).map((text) => text.trim());
  return rule === undefined ? listed : [...listed, rule.text.split('(')[0] as string];
}
