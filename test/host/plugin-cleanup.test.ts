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
