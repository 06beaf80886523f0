import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { command, createHost, definePlugin, HOOK_EVENTS, type Plugin } from '../../src/index.js';
import { testHost } from './kit.js';

test('a plugin that is applied twice is cleaned up twice, and one that fails in it keeps nobody from being cleaned up', async () => {
  const cleaned: string[] = [];
  const logged: string[] = [];
  const plugin = definePlugin({
    name: 'twice',
    apply: (scope) => () => {
      cleaned.push(scope.id);
      if (scope.id === 'host') throw new Error('no');
    },
  });
  const host = createHost({ logger: (message) => void logged.push(message) });
  await host.use(plugin);
  await host.scope('a1').use(plugin);
  expect(cleaned).toEqual([]);
  await host.close();
  expect(cleaned).toEqual(['a1', 'host']);
  expect(logged).toEqual([expect.stringContaining('twice')]);
});

test.each([0, 1, 2])('what a plugin with %i registrations did can be undone more than once', async (count) => {
  let calls = 0;
  const host = createHost();
  const undo = await host.use(
    definePlugin({
      name: 'some',
      apply(scope) {
        for (let i = 0; i < count; i++) scope.register({ Stop: [{ hooks: [() => void calls++] }] });
      },
    }),
  );
  await host.fire('Stop', { stop_hook_active: false });
  void undo();
  void undo();
  await host.fire('Stop', { stop_hook_active: false });
  expect(calls).toBe(count);
});

test.each([
  ['no name', { apply() {} }, '(no name)', /expected \{ name, apply\(scope, options\) \}/],
  ['an empty name', { name: '', apply() {} }, '(no name)', /make it with definePlugin\(\)/],
  ['a name that is no text', { name: 7, apply() {} }, '(no name)', /definePlugin/],
  ['nothing at all', undefined, '(no name)', /definePlugin/],
  ['null', null, '(no name)', /definePlugin/],
  ['no apply', { name: 'half' }, 'half', /apply/],
])('a plugin with %s is refused', async (_, plugin, name, message) => {
  const host = createHost({ logger: () => {} });
  await expect(host.use(plugin as never)).rejects.toMatchObject({
    code: 'INVALID_PLUGIN',
    details: { plugin: name },
    message: expect.stringMatching(message),
  });
});

test.each<[string, unknown, RegExp]>([
  ['a key that is no option of it', { enforce: false }, /options: enforce: is not a known option; the plugin has none/],
  ['what belongs into the third argument', { name: 'second' }, /name: is not a known option/],
  ['no object', true, /options: got boolean; the plugin has none/],
  ['a list', ['a'], /options: got .*array.*; the plugin has none/],
])('a plugin without options is not given %s', async (_, given, message) => {
  const host = createHost({ logger: () => {} });
  let applied = 0;
  const plugin = definePlugin({
    name: 'p',
    apply() {
      applied += 1;
    },
  });
  const used = host.use(plugin as Plugin, given);
  await expect(used).rejects.toMatchObject({ code: 'INVALID_PLUGIN', message: expect.stringMatching(message) });
  await expect(host.openSession({ plugins: [[plugin as Plugin, given]] })).rejects.toMatchObject({
    code: 'INVALID_PLUGIN',
  });
  expect(applied).toBe(0);
  for (const nothing of [undefined, null, {}]) await host.use(plugin as Plugin, nothing, { name: String(nothing) });
  expect(applied).toBe(3);
});

test('a misspelt key of a definition does not leave the plugin without its schema', () => {
  const wrong = { name: 'p', optoins: z.object({}), apply() {} };
  expect(() => definePlugin(wrong as never)).toThrow(/optoins: is not a known option.*Did you mean "options"/);
});

const hook = () => undefined;
class Guards {
  PreToolUse = [{ hooks: [hook] }];
}
const RETURNED: [string, () => unknown, string][] = [
  ...HOOK_EVENTS.map((event): [string, () => unknown, string] => [
    event,
    () => ({ [event]: [{ hooks: [hook] }] }),
    event,
  ]),
  ['hooks below "hooks"', () => ({ hooks: { Stop: [{ hooks: [hook] }] } }), 'hooks'],
  ['hooks of an event that is unknown', () => ({ preTool: [] }), 'preTool'],
  ['hooks without a prototype', () => Object.assign(Object.create(null), { Stop: [] }), 'Stop'],
  ['hooks of a class', () => new Guards(), 'PreToolUse'],
  ['a list with hooks', () => [hook, { Stop: [] }], 'Stop'],
  ['a handler', () => command('true'), 'type'],
  ['a cleanup that is not disposable', () => ({ dispose: hook }), 'dispose'],
];

test.each(RETURNED)('a plugin that returns %s is told to register', async (_, returned, key) => {
  for (const apply of [returned, async () => returned()]) {
    const host = createHost();
    const cleaned: string[] = [];
    const used = host.use({
      name: 'returns',
      apply(scope) {
        scope.register({ Stop: [{ hooks: [hook] }] });
        scope.onClose(() => cleaned.push('closed'));
        return apply();
      },
    });
    const message = expect.stringMatching(
      new RegExp(`returns.*apply returned an object with the key "${key}", .*scope\\.register\\(hooks\\)`),
    );
    await expect(used).rejects.toMatchObject({ code: 'PLUGIN_FAILED', details: { plugin: 'returns' }, message });
    expect(cleaned).toEqual(['closed']);
    expect(String(host.describe())).not.toContain('returns');
  }
});

test.each<[string, () => unknown]>([
  ['nothing', () => undefined],
  ['null', () => null],
  ['an empty object', () => ({})],
  ['a number', () => 1],
  ['the undos of what it uses', () => [hook, hook]],
  ['what an emitter returns', () => new EventEmitter().on('x', hook)],
  ['something disposable with keys', () => ({ Stop: [], [Symbol.asyncDispose ?? Symbol.for('none')]: hook })],
])('a plugin may return %s', async (_, returned) => {
  for (const apply of [returned, async () => returned()]) {
    const host = createHost();
    await host.use({ name: 'returns', apply });
    await host.close();
  }
});

test('a promise whose then cannot be read is a failure of its plugin, and ends nothing though it rejects', async () => {
  const { host, reports } = testHost();
  const unreadable = (): unknown =>
    Object.defineProperty(Promise.reject(new Error('inner')), 'then', {
      get(): never {
        throw new Error('no then');
      },
    });
  const applying = host.use({ name: 'applies', apply: unreadable as never });
  await expect(applying).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringContaining('no then') });
  await host.use({ name: 'cleans', apply: () => unreadable });
  await host.close();
  expect(reports).toEqual([expect.stringMatching(/Plugin cleans failed while it was cleaned up: .*no then/)]);
});
