import { expect, test } from 'vitest';
import { sameHookKey } from '../../src/handlers/same-hook.js';

test('two commands are the same hook by command, args and shell alone', () => {
  const key = (options: object) => sameHookKey({ type: 'command', command: 'a', ...options });
  expect(key({ timeout: 1, name: 'x', env: ['PATH'], shell: true, if: ' ' })).toBe(key({}));
  const keys = [key({}), key({ args: [] }), key({ args: ['b'] }), key({ shell: 'bash' }), key({ shell: false })];
  expect(new Set(keys).size).toBe(5);
});

test.each<[string, Record<string, unknown>]>([
  ['command', { command: 'a', args: ['b'], shell: 'bash' }],
  ['http', { url: 'http://a/' }],
  ['mcp_tool', { server: 's', tool: 't', input: { a: 1 } }],
  ['prompt', { prompt: 'a', model: 'b', continueOnBlock: true }],
  ['agent', { prompt: 'a', model: 'b', continueOnBlock: true }],
])('each field that docs/semantics.md names for %s tells hooks apart', (type, fields) => {
  const keys = Object.keys(fields).map((key) => sameHookKey({ type, [key]: fields[key] }));
  expect(new Set([...keys, sameHookKey({ type })]).size).toBe(keys.length + 1);
});

test('the type and the rule tell hooks apart', () => {
  const keys = [{ type: 'prompt' }, { type: 'agent' }, { type: 'prompt', if: 'Bash' }, { type: 'prompt', if: 'Edit' }];
  expect(new Set(keys.map((one) => sameHookKey({ prompt: 'ok?', ...one }))).size).toBe(4);
});

test.each([{}, { type: 1 }, { type: 'toString' }, { type: 'rule', decision: 'deny' }])(
  'what never runs in those files is the same as no other hook: %j',
  (hook) => {
    expect(sameHookKey(hook)).toBeUndefined();
  },
);
