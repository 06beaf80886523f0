import { warn } from '../plain.js';
import type { SessionDeps } from './deps.js';

const DEPS = new WeakMap<object, SessionDeps>();
const SAID = new WeakMap<object, Set<string>>();
/** The most lines that are remembered, and so reported, for a host. */
const MOST = 1000;

/** Gives our own adapters access to the log of a session's host. */
export function exposeLog(session: object, deps: SessionDeps): void {
  DEPS.set(session, deps);
}

/** Reports a line to the host's logger, once in the host's life. */
export function reportOnce(session: object, line: string): void {
  const deps = DEPS.get(session);
  const of = deps ?? session;
  const said = SAID.get(of) ?? new Set();
  SAID.set(of, said);
  if (said.has(line) || said.size >= MOST) return;
  said.add(line);
  if (deps) deps.report(line);
  else warn(line);
}
