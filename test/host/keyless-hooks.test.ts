import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import { createHost } from '../../src/create-host.js';
import { checkConfig } from '../../src/plugins/config.js';

const GROUPS = [{ hooks: [() => undefined] }];

/** What holds hooks for its writer, and none in keys of its own. */
const HOLDERS: readonly (readonly [name: string, got: string, holder: () => object])[] = [
  ['a promise', 'a Promise (await it)', () => Promise.resolve({ PreToolUse: GROUPS })],
  ['a map', 'a Map', () => new Map([['PreToolUse', GROUPS]])],
  ['a set', 'a Set', () => new Set(['PreToolUse'])],
  ['a date', 'a Date', () => new Date()],
  [
    'getters of a class',
    'an object without keys of its own',
    () =>
      new (class {
        get PreToolUse() {
          return GROUPS;
        }
      })(),
  ],
  ['inherited events', 'an object without keys of its own', () => Object.create({ PreToolUse: GROUPS }) as object],
  ['a function', 'function', () => () => ({ PreToolUse: GROUPS })],
  ['an array', 'array', () => [{ PreToolUse: GROUPS }]],
];
const WAYS: readonly (readonly [name: string, register: (host: Host, hooks: never) => unknown])[] = [
  ['register', (host, hooks) => host.register(hooks)],
  ['registerScoped', (host, hooks) => host.registerScoped('a', hooks)],
  ['scope.register', (host, hooks) => host.scope('a').register(hooks)],
  ['spawnHooks', (host, hooks) => host.spawnHooks('worker', hooks)],
  ['openSession', (host, hooks) => host.openSession({ hooks })],
];

describe.each(WAYS)('%s', (way, register) => {
  test.each(HOLDERS)('refuses %s, in which no event can be read', async (name, got, holder) => {
    // A function makes the hooks of each agent.
    if (way === 'spawnHooks' && name === 'a function') return;
    const call = async (): Promise<unknown> => register(createHost(), holder() as never);
    await expect(call()).rejects.toMatchObject({
      code: 'INVALID_HOOKS',
      message: expect.stringContaining(`got ${got}`),
    });
  });

  test('refuses an event beside others that would not be read', async () => {
    const half = Object.assign(Object.create({ Stop: GROUPS }) as object, { PreToolUse: GROUPS });
    const hidden = Object.defineProperty(Object.create({}), 'Stop', { value: GROUPS, enumerable: false });
    for (const hooks of [half, Object.assign(hidden, { PreToolUse: GROUPS })]) {
      const call = async (): Promise<unknown> => register(createHost(), hooks as never);
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_HOOKS', message: expect.stringContaining('Stop') });
    }
  });

  test('takes hooks of any object with keys of its own, and none', async () => {
    const own = Object.assign(new (class {})(), { PreToolUse: GROUPS });
    for (const hooks of [own, {}, Object.create(null), Object.assign(Object.create(null), { PreToolUse: GROUPS })])
      await register(createHost(), hooks as never);
  });
});

test.each(HOLDERS)('options, events and a configuration are no %s either', (_, got, holder) => {
  const text = got === 'function' || got === 'array' ? '' : got;
  expect(() => createHost(holder())).toThrow(/^Invalid option createHost\(options\): expected an object of options/);
  expect(() => createHost({ events: holder() as never })).toThrow(
    `expected an object with keys of its own, got ${text}`,
  );
  expect(() => createHost({ session: holder() as never })).toThrow(
    `expected an object with keys of its own, got ${text}`,
  );
  for (const key of ['hooks', 'spawnHooks'])
    expect(() => checkConfig({ [key]: holder() }, 'c.mjs')).toThrow(`${key}: expected an object, got ${got}`);
  expect(() => checkConfig(holder(), 'c.mjs')).toThrow('expected an object, { hooks, plugins, … }');
});

test('a function that makes hooks of an agent and answers with a promise fails its gates', async () => {
  const said: string[] = [];
  const host = createHost({ onFailure: 'block', logger: (line) => void said.push(line) });
  host.spawnHooks('worker', (() => Promise.resolve({ PreToolUse: GROUPS })) as never);
  await host.fire('SubagentStart', { agent_id: 'a', agent_type: 'worker' });
  const { verdict } = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {}, agent_id: 'a' } as never);
  expect(verdict).toBe('deny');
  expect(said.join('\n')).toContain('got a promise of them');
});
