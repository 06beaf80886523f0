import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bash, createUser, hooksFile, type User } from './kit.js';

let user: User;
const at = (name: string): string => join(user.path, 'project', name);
const NO = '#!/bin/sh\necho "the guard says no" >&2\nexit 2\n';
const LINES = ['./hooks/guard.sh', 'sh hooks/guard.sh', 'cd hooks && ./guard.sh'];

beforeEach(() => {
  user = createUser();
  user.write('mine/hooks/guard.sh', NO, 0o755);
  user.write('theirs/hooks/guard.sh', `#!/bin/sh\ntouch '${at('ran')}'\n`, 0o755);
  mkdirSync(at('bare'));
});
afterEach(() => user.remove());

/** What the program answers to a call from a folder. */
async function ask(folder: string, args: readonly string[]): Promise<string> {
  const input = { ...bash('ls'), cwd: at(folder) };
  return (await user.hook(['PreToolUse', ...args], input, at(folder))).stdout;
}

async function bound(args: readonly string[]): Promise<void> {
  expect(await ask('mine', args)).toMatch(/"deny".*the guard says no/);
  expect(await ask('theirs', args)).toMatch(/"(?:ask|deny)".*hooks\/guard\.sh is (?:bound to|not what was accepted)/);
  expect(existsSync(at('ran'))).toBe(false);
}

test.each(LINES)('without a server a hooks file has its own script, whatever the folder: %s', async (line) => {
  const file = user.write('mine/hooks.json', hooksFile(line));
  await bound(['--hooks', file, '--no-server']);
  expect(await ask('bare', ['--hooks', file, '--no-server'])).not.toContain('bound');
});

test('without a server so does a configuration', async () => {
  const file = user.write('mine/hookscope.config.json', { hooks: hooksFile('./hooks/guard.sh') });
  await bound(['--config', file, '--no-server']);
});

test('why and doctor say what to do', async () => {
  const file = user.write('mine/hooks.json', hooksFile('./hooks/guard.sh'));
  await ask('theirs', ['--hooks', file, '--no-server']);
  const mend =
    /its path is relative, and led to another script in the folder of the call; write an absolute path in .*hooks\.json/i;
  for (const args of [['why', 't-ls'], ['doctor']]) {
    const { stdout } = await user.run(args);
    expect(stdout).toMatch(mend);
    expect(stdout).not.toContain('hookscope trust');
  }
});

test('list says it', async () => {
  const file = user.write('mine/hooks.json', hooksFile('./hooks/guard.sh'));
  const run = async (args: readonly string[], folder: string): Promise<string> =>
    (await user.run([...args, '--hooks', file], { cwd: at(folder) })).stdout;
  expect(await run(['list'], 'theirs')).toContain('untrusted: hooks/guard.sh is bound to');
  expect(await run(['list'], 'mine')).not.toContain('untrusted');
});

test.each(LINES)('with a server too: %s', async (line) => {
  const file = user.write('mine/hooks.json', hooksFile(line));
  await user.serve(['--hooks', file], { cwd: at('mine') });
  await bound([]);
});

test('a server that was started in another folder has no script for them', async () => {
  const file = user.write('mine/hooks.json', hooksFile('./hooks/guard.sh'));
  await user.serve(['--hooks', file], { cwd: at('bare') });
  for (const folder of ['mine', 'theirs'])
    expect(await ask(folder, [])).toMatch(/"(?:ask|deny)".*guard\.sh is not what was accepted/);
  expect(existsSync(at('ran'))).toBe(false);
});
