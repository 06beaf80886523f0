import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generated } from '../seed.js';
import { anyHooks, fires, only, testHost, watch } from './kit.js';

const call = (agent?: string, type?: string) => ({
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  ...(agent === undefined ? {} : { agent_id: agent }),
  ...(type === undefined ? {} : { agent_type: type }),
});
const group = (...names: string[]) => ({
  PreToolUse: names.map((name) => ({ name, hooks: [() => undefined] })),
});

const type = fc.constantFrom('builder', 'reviewer');
const agent = fc.constantFrom('a', 'b');
const names = fc.array(fc.constantFrom('guard', 'log', 'lint'), { minLength: 1, maxLength: 2 });
/** What happens before, and what is fired then. */
const step = fc.oneof(
  fc.record({ what: fc.constant('host' as const), names }),
  fc.record({ what: fc.constant('scope' as const), names, agent }),
  fc.record({ what: fc.constant('type' as const), names, type }),
  fc.record({ what: fc.constant('undo' as const), at: fc.nat(5) }),
  fc.record({ what: fc.constant('fire' as const), agent: fc.option(agent), type: fc.option(type) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Plays them; where it looks, every fire is explained before, and the host is described. */
async function play(steps: readonly Step[], looks: boolean) {
  const { host } = testHost();
  const seen = watch(host);
  const undos: (() => unknown)[] = [];
  const explained: { ids: readonly string[]; others: number }[] = [];
  for (const one of steps) {
    if (one.what === 'host') undos.push(host.register(anyHooks(group(...one.names)) as never));
    else if (one.what === 'scope') undos.push(host.registerScoped(one.agent, anyHooks(group(...one.names)) as never));
    else if (one.what === 'type') undos.push(host.spawnHooks(one.type, anyHooks(group(...one.names)) as never));
    else if (one.what === 'undo') undos[one.at]?.();
    else {
      const input = call(one.agent ?? undefined, one.type ?? undefined);
      if (looks) {
        host.describe();
        const twice = [1, 2].map(() => host.explain('PreToolUse', input).hooks);
        expect(twice[1]).toEqual(twice[0]);
        const own = (twice[0] ?? []).filter(({ reason }) => reason !== 'scope');
        expect(new Set(twice[0]?.map(({ id }) => id)).size).toBe(twice[0]?.length);
        explained.push({ ids: own.map(({ id }) => id), others: (twice[0] ?? []).length - own.length });
      }
      await host.fire('PreToolUse', input);
    }
  }
  const fired = fires(seen).map(({ handlers, out_of_scope: others }) => ({
    ids: handlers.map(({ id }) => id),
    others,
  }));
  return { explained, fired };
}

test('explain names the hooks by the ids they have in the fire, counts as many others as its record, and uses no id up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
      const looked = await play(steps, true);
      expect(looked.explained).toEqual(looked.fired);
      expect((await play(steps, false)).fired).toEqual(looked.fired);
    }),
    { numRuns: generated(200) },
  );
});

test('hooks that wait for agents of a type are counted as those of other scopes, but where they are for that agent', async () => {
  const { host } = testHost();
  const seen = watch(host);
  host.spawnHooks('builder', group('guard', 'log'));
  const undo = host.spawnHooks('reviewer', group('lint'));
  await host.fire('PreToolUse', call());
  await host.fire('PreToolUse', call('a', 'builder'));
  undo();
  await host.fire('PreToolUse', call());
  expect(fires(seen).map((fire) => fire.out_of_scope)).toEqual([3, 1, 4]);
  expect(only(fires(seen).slice(1, 2)).handlers).toHaveLength(2);
});
