import { tellUser } from '../context.js';
import { type Core, wasCut } from '../core.js';
import { treeOf } from '../tree.js';
import type { SessionWork } from '../under-way.js';
import { fireStop } from './stop-event.js';

/** The work that closing a session has ended. */
export interface Closed {
  /** The names of tool calls that were running, and of hooks that took too long. */
  readonly cancelled: readonly string[];
}

/** The most seconds for a session's SessionEnd hooks together and, before them, for its agents' SubagentStop hooks and those of calls that have run. */
const MOST = 60;

/** Interrupts what runs in the session and its agents, and waits until it has ended. The session can take the next prompt. */
export async function interruptSession(core: Core): Promise<void> {
  if (!core.isOpen) return;
  const calls = allUnderWay(core).flatMap(({ work }) => work);
  core.interrupt(new DOMException('The turn was interrupted', 'AbortError'));
  await Promise.allSettled(calls);
}

/** Closes a session: its agents first, then what runs, then SessionEnd. A second call returns the same promise. */
export function closeSession(core: Core, reason: string, endTimeout = MOST): Promise<Closed> {
  return core.end(() => close(core, reason, Math.min(endTimeout, MOST)));
}

async function close(core: Core, reason: string, seconds: number): Promise<Closed> {
  core.shut();
  const cancelled = allUnderWay(core).flatMap(({ names }) => names);
  const late = await within(core, seconds, async () => {
    await Promise.all([...core.children].map(closeAgent));
    await cutShort(core);
  });
  cancelled.push(...late);
  cancelled.push(...(await fireEnd(core, reason, seconds)));
  await leave(core);
  return { cancelled };
}

/** Closes an agent. If it has not stopped yet, SubagentStop is fired, but hooks cannot make it continue. */
export function closeAgent(core: Core): Promise<Closed> {
  return core.end(async () => {
    let closed: Closed = { cancelled: [] };
    const late = await within(core, MOST, async () => {
      closed = await closeOpenAgent(core);
    });
    return { cancelled: [...closed.cancelled, ...late] };
  });
}

/** Runs the work, which ends once its hooks do; cuts them short when the seconds are over. Returns the names of the hooks that were late. */
async function within(core: Core, seconds: number, work: () => Promise<unknown>): Promise<string[]> {
  const late: string[] = [];
  const timer = setTimeout(() => {
    late.push(...waitingFor(core));
    core.giveUp(new DOMException('The time of the hooks was up', 'TimeoutError'));
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

/** Ends an agent after its stop: its own agents, what it still runs, and its scope. */
export function endAgent(core: Core): Promise<Closed> {
  return core.end(async () => ({ cancelled: await within(core, MOST, () => end(core)) }));
}

async function end(core: Core): Promise<void> {
  core.shut();
  await Promise.all([...core.children].map(closeAgent));
  await cutShort(core);
  await leave(core);
}

/** Cores that have left. One that is closed while it starts would leave twice, when its scope may already belong to others. */
const LEFT = new WeakSet<Core>();

/** Ends the scope, with all hooks that were only its own. `gone`: replaces that, for a core that takes out only its own hooks. */
export async function leave(core: Core, gone?: Promise<unknown>): Promise<void> {
  if (LEFT.has(core)) return;
  LEFT.add(core);
  const { session_id, agent_id } = core.who;
  core.shut();
  core.parent?.children.delete(core);
  for (const cleanup of core.cleanups.splice(0)) await cleanup();
  core.traced?.end();
  const { byHand, registrar } = core.deps;
  if (gone === undefined) byHand.ends(core.scope);
  const ended =
    gone ?? (agent_id === undefined ? registrar.end({ session: session_id }) : registrar.endAgent(core.scope));
  // Only now, because another with the same id would otherwise get the scope that ends here.
  core.free();
  // Waits for the cleanup of its plugins.
  await ended;
}

async function cutShort(core: Core): Promise<void> {
  const calls = core.calls.work;
  core.interrupt(new DOMException('The session was closed', 'AbortError'));
  await Promise.allSettled(calls);
}

/** Fires SessionEnd; returns the names of the hooks that did not end in time. */
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

/** The names of the hooks that this session's or agent's fires are waiting for. `event`: fires of this event only. */
function waitingFor({ deps, who }: Core, event?: string): string[] {
  const isOf = ({ session_id, agent_id }: Readonly<Record<string, unknown>>): boolean =>
    session_id === who.session_id && (who.agent_id === undefined || agent_id === who.agent_id);
  const nodes = [...deps.clock.pending()].filter(
    ({ fire }) => (event === undefined || fire.spec.name === event) && isOf(fire.input),
  );
  return nodes.flatMap((node) => node.pendingNames());
}

/** All work under way, including that of the session's agents. */
export const allUnderWay = (core: Core): SessionWork[] => treeOf(core).map(({ calls }) => calls);
