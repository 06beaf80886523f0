import type { SpawnOptions } from '../session/options.js';
import type { Session } from '../session/types.js';
import { checkGiven } from './given.js';
import { rejectOnAbort } from './reject-on-abort.js';

/** Agents that control flow (a pause) left open, by their session and the caller's key. */
const LEFT = new WeakMap<Session, Map<string, Session>>();

/** The options of `runAgent` besides those of `session.spawn`. */
export interface RunAgentOptions extends Omit<SpawnOptions, 'parent'> {
  /** The id of the call that starts the agent. If control flow left that call, the same call made again continues the agent in its old scope. */
  readonly key?: string | undefined;
}

/**
 * Runs a subagent: a child session whose scope is opened before its SubagentStart, so that its hooks see only its own calls. `work` drives the framework's
 * loop on the child, with a `Steps` of its own. Afterwards the child and its scope are closed: after SubagentStop or, without one, after an interruption;
 * when `signal` fires, at once. Only control flow leaves the child open.
 */
export async function runAgent<T>(
  session: Session,
  options: RunAgentOptions,
  work: (child: Session) => T | Promise<T>,
): Promise<T> {
  checkGiven('runAgent', session, options, work);
  const { key, ...spawn } = options;
  const left = key === undefined ? undefined : take(session, key);
  // The caller gets the reason of its own signal, as for a run that it aborts. `spawn` refuses any other value as a signal.
  if (!left && spawn.signal instanceof AbortSignal) spawn.signal.throwIfAborted();
  const child = left ?? (await session.spawn(spawn));
  try {
    // Work that ignores the signal does not keep the agent open, because its call is over.
    const value = await rejectOnAbort((async () => await work(child))(), spawn.signal);
    await child.close();
    return value;
  } catch (error) {
    if (key !== undefined && options.passThrough?.(error) === true) keep(session, key, child);
    else await child.close();
    throw error;
  }
}

function take(session: Session, key: string): Session | undefined {
  const child = LEFT.get(session)?.get(key);
  LEFT.get(session)?.delete(key);
  return child?.closed ? undefined : child;
}

function keep(session: Session, key: string, child: Session): void {
  const all = LEFT.get(session) ?? new Map<string, Session>();
  LEFT.set(session, all);
  all.set(key, child);
}
