import { expect, test } from 'vitest';
import { block, combine, deny, stop } from '../../src/index.js';
import { testHost } from './kit.js';

test.each([
  ['deny', deny('no')],
  ['stop', stop('enough')],
  ['block', block('not yet')],
  ['combine', combine(deny('no'), stop('enough'))],
])('a decision that was thrown is a failure that says to return it: %s', async (_, decision) => {
  const { host } = testHost({ logger: () => undefined });
  host.on('PreToolUse', () => {
    throw decision;
  });
  const { verdict, failures } = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
  expect(verdict).toBe('none');
  expect(failures).toMatchObject([
    { cause: 'threw', message: 'a decision was thrown, which decides nothing: return it, as in return deny(…)' },
  ]);
  await host.close();
});

test('an object that is no decision is described as it was', async () => {
  const { host } = testHost({ logger: () => undefined });
  host.on('PreToolUse', () => {
    throw new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw new Error('no');
        },
      },
    );
  });
  const { failures } = await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
  expect(failures[0]?.message).not.toContain('a decision');
  await host.close();
});
