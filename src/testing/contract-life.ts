import { deepEqual, equal, ok } from 'node:assert/strict';
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isHookscopeError } from '../errors.js';
import { within } from '../values/waiting/timer.js';
import { mustDeny } from './contract-answers.js';
import { type CaseOf, eventsOf, onStage, type Stage, type Under } from './contract-run.js';
import { changesSince, surroundings } from './surroundings.js';
import { put } from './tested.js';

/** A timer, socket, process, watcher and so on: all of them can be told not to keep the process running, and say so. */
type Handle = { hasRef(): boolean; readonly _repeat?: unknown };

/** An interval works on until it is cleared, even one that does not keep the process running. */
const isLeft = (handle: Handle): boolean => handle.hasRef() || typeof handle._repeat === 'number';

const isHandle = (resource: object): resource is Handle => typeof (resource as Partial<Handle>).hasRef === 'function';

/**
 * Runs a case, which fails if something that it started still keeps the process running when `patience` seconds are over. That is asked of each
 * handle that was made in the case's async context: other code has handles too, which come and go at the same time.
 */
async function leavingNothing(
  { patience }: Under,
  wrong: string,
  inside: () => Promise<void>,
  isRestored: () => boolean = () => true,
): Promise<void> {
  const context = new AsyncLocalStorage<true>();
  const handles = new Map<number, [kind: string, Handle]>();
  const watch = createHook({
    init(id, kind, _trigger, resource) {
      if (context.getStore() && isHandle(resource)) handles.set(id, [kind, resource]);
    },
    destroy: (id) => void handles.delete(id),
  });
  const left = (): string[] => {
    const counts = new Map<string, number>();
    for (const [kind, handle] of handles.values()) if (isLeft(handle)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return [...counts].map(([kind, count]) => `${count} ${kind}`);
  };
  watch.enable();
  try {
    await context.run(true, inside);
    // Handles close, and listeners go, a few turns after they were told to.
    const end = performance.now() + patience * 1000;
    while (!(left().length === 0 && isRestored()) && performance.now() < end) await sleep(20);
    deepEqual(left(), [], wrong);
  } finally {
    watch.disable();
  }
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
    run: (under) =>
      onStage(under, async (stage) => {
        await stage.fireAll();
        await stage.settled();
      }),
  },
  {
    name: 'ends what it does when the signal aborts',
    run: (under) =>
      leavingNothing(under, 'still under way after the abort', () =>
        onStage(under, (stage) => abortEach(under, stage)),
      ),
  },
  {
    name: 'nothing is left behind once it is taken out: no timer, no process, no listener, no global, no variable',
    async run(under) {
      const around = surroundings();
      const use = (): Promise<void> =>
        onStage(under, async (stage) => {
          await Promise.allSettled([stage.fireAll()]);
          await stage.undo();
          deepEqual(eventsOf(stage.host), [], 'events that it still has hooks for');
        });
      const changes = (): readonly string[] => changesSince(around);
      await leavingNothing(under, 'what still runs', use, () => changes().length === 0);
      deepEqual(changes(), [], 'what it leaves otherwise than it was');
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
      onStage(under, async (stage) => {
        const { host, undo } = stage;
        await undo();
        const [one, two] = [host.scope('agent-1'), host.scope('agent-2')];
        await put(under.plugin, 'PreToolUse', one);
        await put(under.plugin, 'PreToolUse', two);
        const had = two.describe().hooks.length;
        const stillGuards = async (when: string): Promise<void> => {
          // The cleanup may take a moment.
          await sleep(20);
          equal(two.describe().hooks.length, had, 'hooks of the second agent');
          for (const [event, input] of under.denies)
            await mustDeny(stage, [event, { ...input, agent_id: 'agent-2' }], `for one agent ${when}`);
        };
        await stillGuards('beside another');
        host.unregisterScoped('agent-1');
        await stillGuards('after the other has ended');
        const again = await put(under.plugin, 'PreToolUse', host.scope('agent-3'));
        await again();
        await stillGuards('after it was taken out of another');
      }),
  },
];
