import { deepEqual, equal, ok } from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isHookscopeError } from '../errors.js';
import { within } from '../values/waiting/timer.js';
import { type CaseOf, eventsOf, onStage, type Stage, type Under } from './contract-run.js';
import { put } from './tested.js';

/** The state that a plugin must restore. */
function surroundings() {
  return {
    globals: Object.getOwnPropertyNames(globalThis).sort(),
    env: { ...process.env },
    cwd: process.cwd(),
    listeners: Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)])),
  };
}

/** Milliseconds: what the host of an earlier case still has to end is gone by then. */
const QUIET = 60;

/** What keeps the process running, by kind and number. */
function handles(): Record<string, number> {
  const found: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}

/** The least of each kind while the host of an earlier case ends: a timer of other code may come and go, and would hide one that is left. */
async function handlesAtRest(): Promise<Record<string, number>> {
  const least = handles();
  for (const end = performance.now() + QUIET; performance.now() < end; ) {
    await sleep(5);
    const now = handles();
    for (const [kind, count] of Object.entries(least)) least[kind] = Math.min(count, now[kind] ?? 0);
  }
  return least;
}

/** Kinds with more handles than before. */
function more(before: Record<string, number>): string[] {
  return Object.entries(handles()).flatMap(([kind, count]) => {
    const added = count - (before[kind] ?? 0);
    return added > 0 ? [`${added} ${kind}`] : [];
  });
}

/** Handles close, and listeners go, a few turns after they were told to. */
async function settled(isSo: () => boolean, patience: number): Promise<void> {
  for (const end = performance.now() + patience * 1000; !isSo() && performance.now() < end; ) await sleep(20);
}

async function abortEach(under: Under, stage: Stage): Promise<void> {
  for (const event of stage.events) {
    const end = new AbortController();
    const firing = stage.fire([event], { signal: end.signal }).catch((error: unknown) => {
      if (!isHookscopeError(error) || error.code !== 'ABORTED') throw error;
    });
    await nextTurn();
    end.abort();
    ok(await within(under.patience * 1000, firing), `${event}: the fire did not end when it was aborted`);
  }
}

/** Cases about how it begins and ends. */
export const LIFE_CASES: readonly CaseOf[] = [
  {
    name: 'every hook answers in time',
    run: (under) => onStage(under, (stage) => stage.fireAll()),
  },
  {
    name: 'ends what it does when the signal aborts',
    async run(under) {
      const before = await handlesAtRest();
      await onStage(under, (stage) => abortEach(under, stage));
      await settled(() => more(before).length === 0, under.patience);
      deepEqual(more(before), [], 'still under way after the abort');
    },
  },
  {
    name: 'nothing is left behind once it is taken out: no timer, no process, no listener, no global, no variable',
    async run(under) {
      const before = await handlesAtRest();
      const around = surroundings();
      await onStage(under, async (stage) => {
        await Promise.allSettled([stage.fireAll()]);
        await stage.undo();
        deepEqual(eventsOf(stage.host), [], 'events that it still has hooks for');
      });
      await settled(() => more(before).length === 0 && isDeepStrictEqual(surroundings(), around), under.patience);
      deepEqual(more(before), [], 'what keeps the process running');
      deepEqual(surroundings(), around, 'what it found, and what it leaves');
    },
  },
  {
    name: 'can be taken out while its hooks are under way, and put in again',
    run: (under) =>
      onStage(under, async (stage) => {
        const firing = Promise.allSettled(stage.events.map((event) => stage.fire([event])));
        ok(await within(under.patience * 1000, Promise.resolve(stage.undo())), 'its cleanup does not end');
        await firing;
        const undo = await put(under.plugin, 'PreToolUse', stage.host);
        deepEqual(eventsOf(stage.host), stage.events);
        await undo();
      }),
  },
  {
    name: 'serves two agents apart: one that ends takes nothing of the other with it',
    run: (under) =>
      onStage(under, async ({ host, undo }) => {
        await undo();
        const [one, two] = [host.scope('agent-1'), host.scope('agent-2')];
        await put(under.plugin, 'PreToolUse', one);
        await put(under.plugin, 'PreToolUse', two);
        const had = two.describe().hooks.length;
        host.unregisterScoped('agent-1');
        equal(two.describe().hooks.length, had, 'hooks of the second agent');
      }),
  },
];
