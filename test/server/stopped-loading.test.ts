import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bash, createUser, type User, until } from './kit.js';

let user: User;
beforeEach(() => {
  user = createUser();
});
afterEach(() => user.remove());

/** The calls under way have half a minute. */
const soon = <T>(ended: Promise<T>): Promise<T | string> =>
  Promise.race([ended, pause(15_000, 'goes on', { ref: false })]);
/** A plugin that is never loaded to its end, because top-level code waits. */
const endless = (first: string): string =>
  `import { writeFileSync } from 'node:fs'; ${first}; await new Promise((resolve) => setTimeout(resolve, 600_000));`;

test('stopped while new versions load without end, it answers what is under way, and ends', async () => {
  const began = join(user.path, 'began');
  const loading = join(user.path, 'loading');
  const deny = `{ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'first' } }`;
  const slow = `async () => { appendFileSync(${JSON.stringify(began)}, 'x'); await new Promise((resolve) => setTimeout(resolve, 3000)); return ${deny}; }`;
  user.write(
    'plugin.mjs',
    `import { appendFileSync } from 'node:fs'; export default { name: 'p', apply: (host) => host.on('PreToolUse', ${slow}) };`,
  );
  const server = await user.serve(['--plugin', './plugin.mjs', '--dev']);
  user.write('plugin.mjs', endless(`writeFileSync(${JSON.stringify(loading)}, '')`));
  await until(() => existsSync(loading));
  const answer = user.hook(['PreToolUse'], bash('ls'));
  await until(() => existsSync(began));
  // Changed again: this version would be loaded next.
  user.write('plugin.mjs', `${endless('')}//`);
  await pause(700);
  expect(await soon(server.stop())).toBe(143);
  expect((await answer).stdout).toContain('first');
  expect(readFileSync(began, 'utf8')).toBe('x');
  expect(server.output()).not.toContain('not reloaded');
});

test('stopped while its first version loads without end, it ends', async () => {
  user.write('plugin.mjs', endless("process.kill(process.ppid, 'SIGTERM')"));
  expect(await soon(user.spawn(['serve', '--plugin', './plugin.mjs', '--dev']))).toMatchObject({ stdout: '' });
  expect(existsSync(`${user.places.socket}.lock`)).toBe(false);
});
