import { deepEqual, equal, ok } from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isHookscopeError } from '../errors.js';
import { within } from '../values/waiting/timer.js';
import { mustDeny } from './contract-answers.js';
import { type CaseOf, eventsOf, onStage, type Stage, type Under } from './contract-run.js';
import { Handles } from './left-behind.js';
import { type Change, changesSince, inWords, putBack, surroundings } from './surroundings.js';
import { put } from './tested.js';

/** Waits until a case has left nothing. Handles open and close, and listeners go, a few turns after they were told to. */
async function gone({ patience }: Under, left: () => readonly string[]): Promise<void> {
  const end = performance.now() + patience * 1000;
  do await sleep(20);
  while (left().length > 0 && performance.now() < end);
}

async function abortEach(under: Under, stage: Stage): Promise<void> {
  for (const asked of stage.asked) {
    const [event] = asked;
    const end = new AbortController();
    const firing = stage.fire(asked, { signal: end.signal }).catch((error: unknown) => {
      if (!isHookscopeError(error) || error.code !== 'ABORTED') throw error;
    });
    await nextTurn();
    end.abort();
    ok(await within(under.patience * 1000, firing), `${event}: the fire did not end when it was aborted`);
  }
}

/**
 * What is left again once it was put back. What is not is what a library leaves that the plugin imports, which happens once in a process:
 * a registry, a listener.
 */
async function repeated(under: Under, changes: readonly Change[]): Promise<readonly Change[]> {
  if (changes.length === 0) return [];
  const tried = changes.map((change) => ({ change, redo: putBack(change) }));
  const before = surroundings();
  try {
    const trial = onStage(under, async (stage) => {
      await Promise.allSettled([stage.fireAll()]);
      await stage.undo();
    });
    // Without what was put back a library may fail.
    await trial.catch(() => undefined);
    await gone(under, () => changesSince(before).map(inWords));
    return [...tried.flatMap(({ change, redo }) => (redo ? [] : change)), ...changesSince(before)];
  } finally {
    for (const { redo } of tried.toReversed()) redo?.();
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
    async run(under) {
      const handles = new Handles();
      await handles.during(async () => {
        await onStage(under, (stage) => abortEach(under, stage));
        await gone(under, () => handles.left());
      });
      deepEqual(handles.left(), [], 'still under way after the abort');
    },
  },
  {
    name: 'nothing is left behind once it is taken out: no timer, no process, no listener, no global, no variable',
    async run(under) {
      const before = surroundings();
      const own = new Handles();
      const { left } = under;
      const running = (): string[] => (own.left().length > 0 ? own : left.handles).left();
      const changes = (): Change[] => [...changesSince(before), ...left.changes()];
      await own.during(async () => {
        await onStage(under, async (stage) => {
          await Promise.allSettled([stage.fireAll()]);
          await stage.undo();
          deepEqual(eventsOf(stage.host), [], 'events that it still has hooks for');
        });
        await gone(under, () => [...running(), ...changes().map(inWords)]);
      });
      left.told();
      deepEqual(running(), [], 'what still runs');
      const found = await repeated(under, changes());
      deepEqual([...new Set(found.map(inWords))], [], 'what it leaves otherwise than it was');
    },
  },
  {
    name: 'can be taken out while its hooks are under way, and put in again',
    run: (under) =>
      onStage(under, async (stage) => {
        const firing = Promise.allSettled(stage.asked.map((one) => stage.fire(one)));
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
