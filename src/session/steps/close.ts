import { tellUser } from '../context.js';
import { type Core, wasCut } from '../core.js';
import type { UnderWay } from '../under-way.js';
import { fireStop } from './stop-event.js';

/** The work that closing a session has ended. */
export interface Closed {
  /** Tool calls that were running, and SubagentStop and SessionEnd hooks that took too long, by name. */
  readonly cancelled: readonly string[];
}

/** Seconds that a session's SessionEnd hooks have together at most, and before them its agents' SubagentStop hooks. */
const MOST = 60;

/** Interrupts what runs in the session and its agents, and waits for it. The session stays usable for the next prompt. */
export async function interruptSession(core: Core): Promise<void> {
  if (!core.isOpen) return;
  const calls = allUnderWay(core).flatMap(({ work }) => work);
  core.interrupt(new DOMException('The turn was interrupted', 'AbortError'));
  await Promise.allSettled(calls);
}

/** Closes a session: its agents first, then what runs, then SessionEnd. Asked again, it is the same promise. */
export function closeSession(core: Core, reason: string, endTimeout = MOST): Promise<Closed> {
  return core.end(() => close(core, reason, Math.min(endTimeout, MOST)));
}

async function close(core: Core, reason: string, seconds: number): Promise<Closed> {
  core.shut();
  const cancelled = allUnderWay(core).flatMap(({ names }) => names);
  cancelled.push(
    ...(await within(core, [...core.children], seconds, () => Promise.all([...core.children].map(closeAgent)))),
  );
  await cutShort(core);
  cancelled.push(...(await fireEnd(core, reason, seconds)));
  await leave(core);
  return { cancelled };
}

/** Closes an agent. One that was not told to stop yet fires SubagentStop, which it cannot continue from. */
export function closeAgent(core: Core): Promise<Closed> {
  return core.end(async () => {
    let closed: Closed = { cancelled: [] };
    const late = await within(core, [core], MOST, async () => {
      closed = await closeOpenAgent(core);
    });
    return { cancelled: [...closed.cancelled, ...late] };
  });
}

/** Agents whose SubagentStop hooks are not done after that many seconds are interrupted. The names of these hooks. */
async function within(
  core: Core,
  agents: readonly Core[],
  seconds: number,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const late: string[] = [];
  const timer = setTimeout(() => {
    late.push(...waitingFor(core, 'SubagentStop'));
    for (const agent of agents)
      agent.interrupt(new DOMException('The time of the SubagentStop hooks was up', 'TimeoutError'));
  }, seconds * 1000);
  try {
    await work();
    return late;
  } finally {
    clearTimeout(timer);
  }
}

async function closeOpenAgent(core: Core): Promise<Closed> {
  // A stop in progress may still end on its own.
  await Promise.allSettled([core.stopping]);
  const cancelled = allUnderWay(core).flatMap(({ names }) => names);
  if (core.calls.some) await cutShort(core);
  if (core.over === undefined && core.isOpen) {
    core.shut();
    const decision = await fireStop(core, {}, 'close');
    if (decision) tellUser(core, decision);
  }
  await end(core);
  return { cancelled };
}

/** Ends an agent after its stop: its own agents, what it still runs, its scope. */
export function endAgent(core: Core): Promise<Closed> {
  return core.end(() => end(core).then(() => ({ cancelled: [] })));
}

async function end(core: Core): Promise<void> {
  core.shut();
  await Promise.all([...core.children].map(closeAgent));
  await cutShort(core);
  await leave(core);
}

/** Whoever is closed while it starts would leave twice, and its scope may have others by then. */
const LEFT = new WeakSet<Core>();

/** The scope goes, and with it every hook that was only its own. `gone`: it has nothing of it any more, once this has resolved. */
export async function leave(core: Core, gone?: Promise<unknown>): Promise<void> {
  if (LEFT.has(core)) return;
  LEFT.add(core);
  const { session_id, agent_id } = core.who;
  core.shut();
  core.parent?.children.delete(core);
  for (const cleanup of core.cleanups.splice(0)) await cleanup();
  core.traced?.end();
  const { registrar } = core.deps;
  const ended =
    gone ?? (agent_id === undefined ? registrar.end({ session: session_id }) : registrar.endAgent(core.scope));
  // Not before: another with its id would have the scope that ends here.
  core.free();
  // Its plugins clean up.
  await ended;
}

async function cutShort(core: Core): Promise<void> {
  const calls = core.calls.work;
  core.interrupt(new DOMException('The session was closed', 'AbortError'));
  await Promise.allSettled(calls);
}

/** The names of the hooks that did not end in time. */
async function fireEnd(core: Core, reason: string, seconds: number): Promise<string[]> {
  const budget = new AbortController();
  let late: readonly string[] = [];
  const timer = setTimeout(() => {
    late = waitingFor(core, 'SessionEnd');
    budget.abort(new DOMException('The time of the SessionEnd hooks was up', 'TimeoutError'));
  }, seconds * 1000);
  try {
    const decision = await core.fire('SessionEnd', { reason }, { signal: budget.signal });
    tellUser(core, decision);
    return decision.failures.filter((f) => f.cause === 'timeout').map((f) => f.name);
  } catch (error) {
    if (wasCut(error)) return [...late];
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Names of the hooks that the fires of that event wait for, in the session or of the agent. */
function waitingFor({ deps, who }: Core, event: string): string[] {
  const isOf = ({ session_id, agent_id }: Readonly<Record<string, unknown>>): boolean =>
    session_id === who.session_id && (who.agent_id === undefined || agent_id === who.agent_id);
  const nodes = [...deps.clock.pending()].filter(({ fire }) => fire.spec.name === event && isOf(fire.input));
  return nodes.flatMap((node) => node.pendingNames());
}

/** All work under way, including that of the session's agents. */
export function allUnderWay(core: Core): UnderWay[] {
  return [core.calls, ...[...core.children].flatMap(allUnderWay)];
}
