import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type User } from '../server/kit.js';

let user: User;
beforeAll(() => {
  user = createUser();
  user.write('call.json', { tool_name: 'Bash', tool_input: { command: 'x' }, tool_use_id: 't1' });
  user.write('g.hooktest.yaml', '- call: Bash x\n  expect: deny\n');
  const plugin = (hook: string): string =>
    `export default { name: 'it', apply: (scope) => scope.register({ PreToolUse: [{ hooks: [() => { ${hook} }] }] }) };`;
  user.write('hook.mjs', plugin('process.exit(0)'));
  user.write('load.mjs', `process.exit(0); ${plugin('')}`);
  user.write('never.mjs', `await new Promise(() => {}); ${plugin('')}`);
  user.write('hookscope.config.mjs', 'process.exit(0); export default {};');
});
afterAll(() => user.remove());

const ENDED = /^hookscope: it was not done: code of a hook, a plugin or a configuration has ended the process$/m;
const WAITS =
  /^hookscope: it was not done: it waited for code of a hook, a plugin or a configuration that never ends$/m;

// As processes, which these end.
test.each([
  ['test g.hooktest.yaml --plugin ./hook.mjs --junit j.xml', ENDED],
  ['test g.hooktest.yaml --plugin ./never.mjs', WAITS],
  ['fire PreToolUse --plugin ./hook.mjs --input call.json', ENDED],
  ['fire PreToolUse --plugin ./hook.mjs --input call.json --json', ENDED],
  ['list --plugin ./load.mjs', ENDED],
  ['list --plugin ./never.mjs', WAITS],
  ['list --config hookscope.config.mjs', ENDED],
  ['explain PreToolUse --plugin ./load.mjs --input call.json', ENDED],
])('a command that something else ends has failed: %s', async (words, why) => {
  const { code, stderr } = await user.spawn(words.split(' '), { cwd: join(user.path, 'project') });
  expect([code, stderr.match(why)?.length]).toEqual([1, 1]);
});

test('one that returns says nothing of it', async () => {
  user.write('throws.mjs', "throw new Error('boom')");
  const done = await user.spawn(['fire', 'PreToolUse', '--no-config', '--input', 'call.json']);
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect((await user.spawn(['list', '--plugin', './throws.mjs'])).stderr).not.toMatch(/not done/);
  user.write(
    'later.mjs',
    `setTimeout(() => { throw new Error('boom') }, 20); await new Promise(() => setInterval(() => 0, 9));`,
  );
  const later = await user.spawn(['list', '--plugin', './later.mjs']);
  expect([later.code, later.stderr]).toEqual([1, expect.not.stringMatching(/not done/)]);
});
