import type { ClaudeKind } from '../events/handler-kinds.js';
import type { HandlerDescription } from './handler.js';

/** What a hook of each type does, as far as it tells the hook from others. The table of docs/semantics.md 5. */
const WHAT_IT_DOES: Readonly<Record<ClaudeKind, (hook: HandlerDescription) => readonly unknown[]>> = {
  // Without a shell, it does not matter which.
  command: ({ command, args, shell }) => [command, args, args || shell === true ? undefined : shell],
  http: ({ url }) => [url],
  mcp_tool: ({ server, tool, input }) => [server, tool, input],
  prompt: ({ prompt, model, continueOnBlock = false }) => [prompt, model, continueOnBlock],
  agent: ({ prompt, model, continueOnBlock = false }) => [prompt, model, continueOnBlock],
};

/**
 * The key of a hook in Claude Code's files: hooks with equal keys are the same hook, which runs once a fire, and `check` reports it.
 * Undefined for an unknown type, which never runs.
 */
export function sameHookKey(hook: HandlerDescription): string | undefined {
  const { type, if: rule } = hook;
  if (typeof type !== 'string' || !Object.hasOwn(WHAT_IT_DOES, type)) return undefined;
  const text = typeof rule === 'string' ? rule.trim() : '';
  return JSON.stringify([type, text, ...WHAT_IT_DOES[type as ClaudeKind](hook)]);
}
