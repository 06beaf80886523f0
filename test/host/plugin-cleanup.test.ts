import { expect, test } from 'vitest';
import { createHost, definePlugin } from '../../src/index.js';

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
  expect(cleaned).toEqual(['host', 'a1']);
  expect(logged).toEqual([expect.stringContaining('twice')]);
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
