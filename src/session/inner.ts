import type { EventName } from '../events/catalogue.js';
import { subjectOf } from '../events/subject.js';
import { warn } from '../plain.js';
import type { Core } from './core.js';

const CORES = new WeakMap<object, Core>();
const SAID = new WeakMap<object, Set<string>>();
/** The most lines that are remembered, and so reported, for a host. */
const MOST = 1000;

/** Gives our own adapters access to what a session has inside. */
export function exposeCore(session: object, core: Core): void {
  CORES.set(session, core);
}

/** Whether hooks are asked about an event whose answers may change something. True where that is not known; calls no predicate. */
export function mayChange(session: object, event: EventName, input: Readonly<Record<string, unknown>>): boolean {
  const core = CORES.get(session);
  return core === undefined || hooksMayChange(core, event, input);
}

export function hooksMayChange(core: Core, event: EventName, input: Readonly<Record<string, unknown>>): boolean {
  return core.deps.hooksOf(event, core.who).some(({ phase, async, enforce, matcher, spec }) => {
    if (phase === 'observe' || async === true || enforce === 0) return false;
    return !matcher.static || matcher.matches(subjectOf(spec, input));
  });
}

/** Reports a line to the host's logger, once in the host's life. */
export function reportOnce(session: object, line: string): void {
  const deps = CORES.get(session)?.deps;
  const of = deps ?? session;
  const said = SAID.get(of) ?? new Set();
  SAID.set(of, said);
  if (said.has(line) || said.size >= MOST) return;
  said.add(line);
  if (deps) deps.report(line);
  else warn(line);
}
