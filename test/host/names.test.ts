import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHost } from '../../src/create-host.js';
import { defineEvent } from '../../src/events/own-event.js';
import { definePlugin } from '../../src/plugins/define.js';
import { isPlaced, OrderCircle, order } from '../../src/scopes/order.js';
import type { Registration } from '../../src/scopes/registration.js';
import { anyHooks, testHost } from './kit.js';
import { entryOf, registration } from './said.js';

const named = (name: string, more: object = {}) => ({ name, hooks: [() => undefined], ...more });
const plugin = (name: string, groups: readonly object[], event = 'PreToolUse') => ({
  name,
  apply: (scope: { register(hooks: object): unknown }) => void scope.register({ [event]: groups }),
});
type Host = ReturnType<typeof testHost>['host'];
const running = (host: Host): string[] =>
  (host.describe().children[0]?.hooks ?? []).filter(({ event }) => event === 'PreToolUse').map(({ name }) => name);

describe('a plugin’s hook', () => {
  function check(): undefined {
    return undefined;
  }
  const ways: Readonly<Record<string, [groups: object[], name: RegExp]>> = {
    'a named function': [[{ hooks: [check] }], /^p\/check$/],
    'a name of its own': [[{ hooks: [{ handler: check, name: 'mine' }] }], /^p\/mine$/],
    'a name of its group': [[{ name: 'all', hooks: [check] }], /^p\/all$/],
    'a function without a name': [[{ hooks: [() => undefined] }], /^p\/names\.test\.ts:\d+$/],
    'a command': [[{ hooks: [{ type: 'command', command: 'true' }] }], /^p\/true$/],
  };
  test.each(Object.entries(ways))('is plugin/hook, alone and among others: %s', async (_, [groups, name]) => {
    for (const others of [[], [{ hooks: [function other() {}] }]]) {
      const { host } = testHost();
      await host.use(plugin('p', [...groups, ...others]) as never);
      expect(running(host)[0]).toMatch(name);
    }
  });

  test('has the name of its call in between, alone and among others', async () => {
    for (const hooks of [[check], [check, function other() {}]]) {
      const { host } = testHost();
      const apply = (scope: Host): void => void scope.register({ PreToolUse: [{ hooks }] }, { name: 'call' });
      await host.use({ name: 'p', apply } as never);
      expect(running(host)[0]).toBe('p/call/check');
    }
  });

  test('has the name it was used under in place of the plugin’s', async () => {
    const { host, reports } = testHost();
    const guard = plugin('@acme/guard', [{ hooks: [check] }]);
    await host.use(guard as never);
    await host.use(guard as never, undefined, { name: 'second' });
    expect(running(host)).toEqual(['@acme/guard/check', 'second/check']);
    expect(reports).toEqual([]);
  });

  test('twice in one scope without a name is a warning; in two scopes, or after its end, it is none', async () => {
    const { host, reports } = testHost();
    const guard = plugin('guard', [{ hooks: [check] }]);
    const undo = await host.use(guard as never);
    await host.scope('a').use(guard as never);
    await undo();
    await host.use(guard as never);
    expect(reports).toEqual([]);
    await host.use(guard as never);
    expect(reports).toEqual([expect.stringMatching(/guard.*twice.*"host".*name/)]);
  });

  test.each([{ nam: 'x' }, { name: '' }, { name: 7 }, 'x'])('is not used with %j', async (how) => {
    const { host } = testHost();
    await expect(host.use(plugin('p', []) as never, undefined, how as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
  });
});

describe('a name that is empty is refused', () => {
  const check = (): undefined => undefined;
  const Ping = defineEvent({ input: z.object({}), fold: 'gate' });
  const group = (more: object) => ({ PreToolUse: [{ hooks: [check], ...more }] }) as never;

  test.each<[string, string, (name: string) => unknown]>([
    ['of a handler', 'name', (name) => createHost().register({ PreToolUse: [{ hooks: [{ handler: check, name }] }] })],
    ['of a group', 'name', (name) => createHost().register(group({ name }))],
    ['before which it goes', 'before', (name) => createHost().register(group({ before: name }))],
    ['among those behind which it goes', 'after', (name) => createHost().register(group({ after: ['a', name] }))],
    ['of a call of register', 'name', (name) => createHost().register(group({}), { name })],
    ['of a call of on', 'name', (name) => createHost().on('PreToolUse', check, { name })],
    ['of a plugin', 'name', (name) => definePlugin({ name, apply: () => undefined })],
    ['of an event', 'events', (name) => createHost({ events: { [name]: Ping } })],
  ])('%s', (_, where, make) => {
    expect(() => make('')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ where: expect.stringContaining(where) }) }),
    );
    expect(() => make('x')).not.toThrow();
  });
});

describe('before and after', () => {
  test('a name that nobody has is fine, also that of a plugin that comes and goes', async () => {
    const { host, reports } = testHost();
    host.register({ PreToolUse: [named('last', { after: 'guards' }), named('first', { before: 'guards/check' })] });
    expect(running(host)).toEqual(['last', 'first']);
    const undo = await host.use(plugin('guards', [named('check'), named('other')]) as never);
    expect(running(host)).toEqual(['first', 'guards/check', 'guards/other', 'last']);
    await undo();
    // Whoever goes moves nobody.
    expect(running(host)).toEqual(['first', 'last']);
    expect(reports).toEqual([]);
  });

  test('names with slashes, and names that objects have, are names like others', () => {
    const { host, reports } = testHost();
    const odd = ['__proto__', 'constructor', 'a/b/c', '/', '../x', ' ', '0:a', '\u202e', 'a'.repeat(5_000)];
    host.register({ PreToolUse: [named('z', { after: odd }), ...odd.map((name) => named(name))] });
    expect(running(host).at(-1)).toBe('z');
    expect(reports).toEqual([]);
  });

  test.each([
    ['before', 'guards/chek', 'guards/check'],
    ['after', 'gaurds', 'guards'],
    ['before', 'Lintt', 'lint'],
  ])('%s "%s", close to a name, is a warning, whoever comes first', async (key, wrong, right) => {
    for (const early of [true, false]) {
      const { host, reports } = testHost();
      const mine = () => host.register(anyHooks({ PreToolUse: [named('mine', { [key]: wrong })] }));
      if (early) mine();
      await host.use(plugin('guards', [named('check')]) as never);
      host.register({ PreToolUse: [named('lint')] });
      if (!early) mine();
      expect(reports).toEqual([expect.stringContaining(`Did you mean "${right}"`)]);
    }
  });

  test('a name of another stage is a warning that says so', () => {
    const { host, reports } = testHost();
    host.register({ PreToolUse: [named('late', { stage: 5 }), named('mine', { after: 'late' })] });
    expect(running(host)).toEqual(['mine', 'late']);
    expect(reports).toEqual([expect.stringMatching(/"late".*stage 5/)]);
  });

  test.each([
    ['is misspelt', named('late'), 'lat'],
    ['is of another stage', named('late', { stage: 5 }), 'late'],
  ])('of hooks that are placed by one name which %s the first 20 get a warning, and each one', (_, other, wish) => {
    for (const early of [true, false]) {
      const { host, reports } = testHost();
      const mine = () => {
        for (let i = 0; i < 50; i++) host.register({ PreToolUse: [named(`mine ${i}`, { after: wish })] });
      };
      if (early) mine();
      for (let i = 0; i < 50; i++) host.register({ PreToolUse: [other] });
      if (!early) mine();
      expect(reports.map((text) => /mine \d+/.exec(text)?.[0])).toEqual(
        Array.from({ length: 20 }, (_, i) => `mine ${i}`),
      );
    }
  });

  test('a circle over plugins is the error of the one that closes it, which names it and leaves nothing', async () => {
    const { host } = testHost();
    await host.use(plugin('a', [named('x', { before: 'b/y' })]) as never);
    await host.use(plugin('b', [named('y', { before: 'c' })]) as never);
    const closing = host.use(plugin('c', [named('ok'), named('z', { before: 'a/x' })]) as never);
    await expect(closing).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      message: expect.stringMatching(/before: .*"a\/x".*"b\/y".*"c\/z"/),
    });
    expect(running(host)).toEqual(['a/x', 'b/y']);
  });
});

/** Small sets of hooks: name by number, stage, and whom they run before and after. */
const graphs = fc.array(
  fc.record({
    stage: fc.integer({ min: 0, max: 1 }),
    before: fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { maxLength: 2 }),
    after: fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { maxLength: 2 }),
  }),
  { maxLength: 8 },
);

test('an order keeps every before and after, moves nobody without need, or names a circle that there is', () => {
  fc.assert(
    fc.property(graphs, (nodes) => {
      const names = (list: readonly number[]): string[] => list.map((i) => `h${i}`);
      const all: Registration[] = nodes.map(({ stage, before, after }, i) =>
        registration(entryOf('PreToolUse'), `h${i}`, { stage, before: names(before), after: names(after) }),
      );
      const precedes = (a: Registration, b: Registration): boolean =>
        a !== b && a.stage === b.stage && (a.before.includes(b.name) || b.after.includes(a.name));
      let sorted: Registration[];
      try {
        sorted = order(all);
      } catch (error) {
        const { names: circle } = error as OrderCircle;
        expect(error).toBeInstanceOf(OrderCircle);
        expect(circle.at(-1)).toBe(circle[0]);
        const steps = circle.map((name) => all.find((r) => r.name === name) as Registration);
        for (let i = 1; i < steps.length; i++)
          expect(precedes(steps[i - 1] as Registration, steps[i] as Registration)).toBe(true);
        return;
      }
      expect([...sorted].sort((a, b) => all.indexOf(a) - all.indexOf(b))).toEqual(all);
      for (const [i, a] of sorted.entries())
        for (const b of sorted.slice(i + 1)) {
          expect(a.stage).toBeLessThanOrEqual(b.stage);
          expect(precedes(b, a)).toBe(false);
        }
      if (!all.some(isPlaced)) expect(sorted).toEqual([...all].sort((a, b) => a.stage - b.stage));
    }),
    { numRuns: Number(process.env['HOOKSCOPE_GENERATED'] ?? 500) },
  );
});

test('a chain of ten thousand is put in order', () => {
  const all = Array.from({ length: 10_000 }, (_, i) =>
    registration(entryOf('PreToolUse'), `h${i}`, i === 0 ? {} : { before: [`h${i - 1}`] }),
  );
  expect(order(all)[0]?.name).toBe('h9999');
});
