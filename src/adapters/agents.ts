import type { SpawnOptions } from '../session/options.js';
import type { Session } from '../session/types.js';

/** Agents that a framework's control flow has left, by the session they belong to and the caller's key. */
const LEFT = new WeakMap<Session, Map<string, Session>>();

/** The options of `runAgent` besides those of `session.spawn`. */
export interface RunAgentOptions extends Omit<SpawnOptions, 'parent'> {
  /** The id of the call that starts it. With it, an agent that control flow has left is continued in its old scope when the call is made again. */
  readonly key?: string | undefined;
}

/**
 * A subagent: a child session with its own scope from SubagentStart to SubagentStop, so that its hooks see its calls alone. `work` drives the framework's loop on
 * it, by a `Steps` of its own. However that ends, the child is closed; only control flow leaves it open.
 */
export async function runAgent<T>(
  session: Session,
  options: RunAgentOptions,
  work: (child: Session) => T | Promise<T>,
): Promise<T> {
  const { key, ...spawn } = options;
  const left = key === undefined ? undefined : take(session, key);
  const child = left ?? (await session.spawn(spawn));
  try {
    const value = await work(child);
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
