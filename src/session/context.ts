import type { HookEvent } from '../events/catalogue.js';
import type { BaseDecision, HandlerOutcome } from '../host/decide/decision.js';
import type { Decision } from '../host/types.js';
import { messageOf, tell } from '../values/waiting/promises.js';
import type { Core } from './core.js';
import type { OwnFields } from './options.js';

/**
 * A decision's texts for the model, in plan order: every additionalContext, then the system messages of hooks from code.
 * (A systemMessage is for the user; of hooks from code it is passed on to the model too, of Claude Code's files not.)
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

/** Shows the user what hooks have to say, as soon as it is known. */
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

/** Texts for which the event has no place: the user is told, and the model gets them with its scope's next system prompt. */
export function remember(core: Core, decision: BaseDecision): void {
  tellUser(core, decision);
  wait(core, forModel(decision));
  core.rename(decision.sessionTitle);
  addWatchPaths(core, decision);
}

/** Fires an event of a session's `call`, and remembers what its hooks say beside their answer. */
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

/** The reason, of what was blocked. */
export function whyBlocked({ blocked, reason }: { readonly blocked: boolean; readonly reason?: string }): {
  readonly reason?: string;
} {
  return blocked && reason !== undefined ? { reason } : {};
}

/** The texts of sessions that are starting: they go if the start fails. */
const STARTING = new WeakMap<Core, string[]>();

/** Puts texts to what waits for the scope's next system prompt. A scope that is open may be there for others. */
export function wait(core: Core, texts: readonly string[]): void {
  if (core.scope.closed || !core.isOpen) return;
  core.scope.pending.push(...texts);
  STARTING.get(core)?.push(...texts);
}

/** Notes the session's texts from here on; the returned function ends that, and says which there were. */
export function noteTexts(core: Core): () => readonly string[] {
  const texts: string[] = [];
  STARTING.set(core, texts);
  return () => {
    STARTING.delete(core);
    return texts;
  };
}

/** Keeps the paths a hook asked to be watched. */
export function addWatchPaths(core: Core, { watchPaths }: BaseDecision): void {
  const added = (watchPaths ?? []).filter((path) => !core.watchPaths.has(path));
  if (added.length === 0) return;
  for (const path of added) core.watchPaths.add(path);
  core.onWatchPaths?.(core, added);
}

/** A folder with very many files should not hold up what the session is opened for. */
const MOST_MS = 2000;

/** Resolves when all that hooks have asked for is watched, or after two seconds. */
export async function untilWatched(core: Core): Promise<void> {
  if (core.beginning.size === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MOST_MS);
  });
  await Promise.race([Promise.all(core.beginning), late]);
  clearTimeout(timer);
}

/** The system prompt with what waited for it, one line each, after a blank line; nothing waits any more. */
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
