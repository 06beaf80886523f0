import { deepEqual, equal, ok } from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isHookscopeError } from '../errors.js';
import { doneWithin } from '../values/waiting/timer.js';
import { mustDeny } from './contract-answers.js';
import { type CaseOf, eventsOf, onStage, type PluginUnderTest, type Stage } from './contract-run.js';
import { Handles } from './left-behind.js';
import { changesSince, inWords, putBack, type StateChange, surroundings } from './surroundings.js';
import { registerTested } from './tested.js';

/** Waits until nothing is left of a case. Handles close, and listeners are removed, a few turns after the call that does so. */
async function gone({ patience }: PluginUnderTest, left: () => readonly string[]): Promise<void> {
  const end = performance.now() + patience * 1000;
  do await sleep(20);
  while (left().length > 0 && performance.now() < end);
}

async function abortEach(under: PluginUnderTest, stage: Stage): Promise<void> {
  for (const asked of stage.asked) {
    const [event] = asked;
    const end = new AbortController();
    const firing = stage.fire(asked, { signal: end.signal }).catch((error: unknown) => {
      if (!isHookscopeError(error) || error.code !== 'ABORTED') throw error;
    });
    await nextTurn();
    end.abort();
    ok(await doneWithin(under.patience * 1000, firing), `${event}: the fire did not end when it was aborted`);
  }
}

/**
 * The changes that appear again after they were undone. Others come from a library that the plugin imports and happen once per
 * process, such as a registry or a listener; they do not count.
 */
async function repeated(under: PluginUnderTest, changes: readonly StateChange[]): Promise<readonly StateChange[]> {
  if (changes.length === 0) return [];
  const tried = changes.map((change) => ({ change, redo: putBack(change) }));
  const before = surroundings();
  try {
    const trial = onStage(under, async (stage) => {
      await Promise.allSettled([stage.fireAll()]);
      await stage.undo();
    });
    // A library may fail because its changes were undone.
    await trial.catch(() => undefined);
    await gone(under, () => changesSince(before).map(inWords));
    return [...tried.flatMap(({ change, redo }) => (redo ? [] : change)), ...changesSince(before)];
  } finally {
    for (const { redo } of tried.toReversed()) redo?.();
  }
}

/** Cases about how the plugin starts and ends. */
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
      const changes = (): StateChange[] => [...changesSince(before), ...left.changes()];
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
        ok(await doneWithin(under.patience * 1000, Promise.resolve(stage.undo())), 'its cleanup does not end');
        await firing;
        const undo = await registerTested(under.plugin, 'PreToolUse', stage.host);
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
        await registerTested(under.plugin, 'PreToolUse', one);
        await registerTested(under.plugin, 'PreToolUse', two);
        const had = two.describe().hooks.length;
        const stillGuards = async (when: string): Promise<void> => {
          // The other plugin's cleanup may take a moment.
          await sleep(20);
          equal(two.describe().hooks.length, had, 'hooks of the second agent');
          for (const [event, input] of under.denies)
            await mustDeny(stage, [event, { ...input, agent_id: 'agent-2' }], `for one agent ${when}`);
        };
        await stillGuards('beside another');
        host.unregisterScoped('agent-1');
        await stillGuards('after the other has ended');
        const again = await registerTested(under.plugin, 'PreToolUse', host.scope('agent-3'));
        await again();
        await stillGuards('after it was taken out of another');
      }),
  },
];
