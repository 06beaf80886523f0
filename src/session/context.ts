import type { HookEvent } from '../events/catalogue.js';
import type { BaseDecision, HandlerOutcome } from '../host/decide/decision.js';
import type { Decision } from '../host/types.js';
import { append } from '../values/append.js';
import { messageOf, tell } from '../values/waiting/promises.js';
import type { Core } from './core.js';
import type { OwnFields } from './options.js';

/**
 * A decision's texts for the model, in plan order: every additionalContext, then the system messages of hooks from code.
 * (System messages are for the user. Those of hooks from code go to the model too; those of hooks in Claude Code's files do not.)
 */
export function forModel(decision: BaseDecision): readonly string[] {
  const messages = messagesForModel(decision);
  return messages.length === 0 ? decision.additionalContext : [...decision.additionalContext, ...messages];
}

/** The system messages of hooks from code. */
export function messagesForModel(decision: BaseDecision): readonly string[] {
  if (decision.systemMessages.length === 0) return [];
  return decision.outcomes.filter((o) => o.dialect !== 'claude').flatMap((o) => o.systemMessage ?? []);
}

/** Passes the system messages of hooks to the user. */
export function tellUser(core: Core, decision: BaseDecision): void {
  const { onMessage } = core.settings;
  if (!onMessage || decision.systemMessages.length === 0) return;
  const { session_id, agent_id } = core.who;
  for (const text of decision.systemMessages) {
    tell(
      () => onMessage({ event: decision.event, text, session_id, ...(agent_id === undefined ? {} : { agent_id }) }),
      (error) => core.deps.report(`onMessage of session ${session_id} threw: ${messageOf(error)}`),
    );
  }
}

/** Tells the user what hooks say, and keeps what the model is to get with the scope's next system prompt. */
export function remember(core: Core, decision: BaseDecision): void {
  tellUser(core, decision);
  wait(core, forModel(decision));
  core.rename(decision.sessionTitle);
  addWatchPaths(core, decision);
}

/** Fires the event of a session method (`call`), and keeps its hooks' texts for user and model. */
export async function askAbout<E extends HookEvent>(
  core: Core,
  call: string,
  event: E,
  fields: OwnFields<E>,
): Promise<Decision<E>> {
  core.demand(call);
  const decision = await core.fire(event, fields);
  remember(core, decision);
  return decision;
}

/** The reason, if the decision blocks. */
export function whyBlocked({ blocked, reason }: { readonly blocked: boolean; readonly reason?: string }): {
  readonly reason?: string;
} {
  return blocked && reason !== undefined ? { reason } : {};
}

/** The texts that starting sessions have added; they are removed if the start fails. */
const STARTING = new WeakMap<Core, string[]>();

/** Adds texts for the scope's next system prompt, if the session is open; an open scope may belong to others. */
export function wait(core: Core, texts: readonly string[]): void {
  if (core.scope.closed || !core.isOpen) return;
  append(core.scope.pending, texts);
  append(STARTING.get(core) ?? [], texts);
}

/** Records the session's texts from now on; the returned function ends the recording and returns them. */
export function noteTexts(core: Core): () => readonly string[] {
  const texts: string[] = [];
  STARTING.set(core, texts);
  return () => {
    STARTING.delete(core);
    return texts;
  };
}

/** Adds the paths that a hook asked to watch. */
export function addWatchPaths(core: Core, { watchPaths }: BaseDecision): void {
  const added = (watchPaths ?? []).filter((path) => !core.watchPaths.has(path));
  if (added.length === 0) return;
  for (const path of added) core.watchPaths.add(path);
  core.onWatchPaths?.(core, added);
}

/** The longest wait in milliseconds, so that a folder with very many files does not delay the session. */
const MOST_MS = 2000;

/** Resolves when the paths that hooks asked for are watched, or after two seconds. */
export async function untilWatched(core: Core): Promise<void> {
  if (core.beginning.size === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MOST_MS);
  });
  await Promise.race([Promise.all(core.beginning), late]);
  clearTimeout(timer);
}

/** The system prompt with the waiting texts appended after a blank line, one a line; they are taken out by this. */
export function takeSystemPrompt(core: Core, base: string): string {
  const waiting = core.scope.pending.splice(0);
  if (waiting.length === 0) return base;
  return [...(base === '' ? [] : [base]), waiting.join('\n')].join('\n\n');
}

/** The hook that hid a tool's output. */
export function hiddenBy(decision: BaseDecision): HandlerOutcome | undefined {
  if (!decision.suppressOutput) return undefined;
  return decision.outcomes.find((o) => o.suppressOutput === true && o.dialect !== 'claude');
}
