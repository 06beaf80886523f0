import type { SpawnOptions } from '../session/options.js';
import type { Session } from '../session/types.js';
import { checkGiven } from './given.js';
import { unlessAborted } from './unless-aborted.js';

/** Agents that a framework's control flow has left, by the session they belong to and the caller's key. */
const LEFT = new WeakMap<Session, Map<string, Session>>();

/** The options of `runAgent` besides those of `session.spawn`. */
export interface RunAgentOptions extends Omit<SpawnOptions, 'parent'> {
  /** The id of the call that starts it. With it, an agent that control flow has left is continued in its old scope when the call is made again. */
  readonly key?: string | undefined;
}

/**
 * A subagent: a child session with its own scope from before its SubagentStart, so that its hooks see its calls alone. `work` drives the framework's loop on it, by a
 * `Steps` of its own. However that ends, the child is closed, and its scope with it: after SubagentStop, or after an interruption, which fires none; once `signal`
 * fires, without waiting for `work`. Only control flow leaves it open.
 */
export async function runAgent<T>(
  session: Session,
  options: RunAgentOptions,
  work: (child: Session) => T | Promise<T>,
): Promise<T> {
  checkGiven('runAgent', session, options, work);
  const { key, ...spawn } = options;
  const left = key === undefined ? undefined : take(session, key);
  // The caller gets the reason of its own signal, as from a run that this ends. Whatever else was given as one `spawn` refuses.
  if (!left && spawn.signal instanceof AbortSignal) spawn.signal.throwIfAborted();
  const child = left ?? (await session.spawn(spawn));
  try {
    // What does not obey the signal keeps no agent: the call that it works for is over.
    const value = await unlessAborted((async () => await work(child))(), spawn.signal);
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
