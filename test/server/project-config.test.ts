import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Terminal } from '../../src/cli/terminal.js';
import { trustCommand } from '../../src/cli/trust.js';
import { readTokens } from '../../src/server/tokens.js';
import { acceptAll } from './accept.js';
import { bash, createUser, send, type User, until } from './kit.js';

let user: User;
let project: string;
const before = { ...process.env };
beforeEach(() => {
  user = createUser();
  project = join(user.path, 'project');
  Object.assign(process.env, user.env);
});
afterEach(async () => {
  for (const name of Object.keys(user.env)) process.env[name] = before[name];
  await user.remove();
});

const config = (...hooks: object[]): string =>
  user.write('hookscope.config.json', { hooks: { PreToolUse: [{ onFailure: 'block', hooks }] } });
const rule = (reason: string): object => ({ type: 'rule', decision: 'deny', reason });
const script = (reason: string): string => user.write('guard.sh', `#!/bin/sh\necho '${reason}' >&2\nexit 2\n`, 0o755);

/** `hookscope trust`, with a person who says yes. */
async function trust(): Promise<string> {
  const told: string[] = [];
  const terminal = { print: async () => undefined, tell: (text: string) => told.push(text), ask: async () => 'y' };
  expect(await trustCommand([project], {}, terminal as never as Terminal)).toBe(0);
  return told.join('\n');
}

/** What the server itself says of a call in the project. */
async function answer(): Promise<string> {
  const headers = {
    host: 'hookscope',
    authorization: `Bearer ${readTokens(user.places)?.fire}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify(bash('make', { cwd: project }));
  return (await send({ socketPath: user.places.socket }, { path: '/hooks/PreToolUse', headers, body })).body;
}
const becomes = (what: RegExp): Promise<void> => until(async () => what.test(await answer()));

const CHANGED =
  /"deny".*hookscope\.config\.\w+ has changed since the server loaded it, as it was accepted; see hookscope trust/;
const GONE =
  /"deny".*hookscope\.config\.json, which the server loaded as it was accepted, is gone; see hookscope trust/;
const LOADED = 'the running server has loaded its hooks again';

test('a running server loads what is accepted in a project; what has changed or is gone is untrusted, and nothing is let through', async () => {
  await user.serve(['--project', '.']);
  expect(await answer()).toBe('{}');
  config(rule('first'));
  expect(await trust()).toBe(LOADED);
  expect(await answer()).toMatch(/"deny".*first/);
  config(rule('second'));
  await becomes(CHANGED);
  expect(await trust()).toBe(LOADED);
  expect(await answer()).toMatch(/"deny".*second/);
  rmSync(join(project, 'hookscope.config.json'));
  await becomes(GONE);
  config(rule('second'));
  await becomes(/"deny".*second/);
  // Taken back, and accepted by a program: neither makes the server load anything.
  expect((await user.run(['trust', '--revoke', '.'])).stderr).toBe('');
  await acceptAll(project, user.env);
  expect(await answer()).toMatch(/"deny".*second/);
  expect((await user.run(['serve', '--accept'])).stdout).toMatch(/Nothing has changed/);
});

test('what the commands of a configuration run is accepted with it', async () => {
  script('old');
  config({ type: 'command', command: './guard.sh' });
  await acceptAll(project, user.env);
  await user.serve(['--project', '.']);
  expect(await answer()).toMatch(/"deny".*old/);
  script('new');
  expect(await answer()).toMatch(/guard\.sh is not what was accepted/);
  expect(await trust()).toBe(LOADED);
  expect(await answer()).toMatch(/"deny".*new/);
});

test('a configuration in code, and what it imports', async () => {
  user.write('reason.mjs', `export const reason = 'first';`);
  user.write(
    'hookscope.config.mjs',
    `import { reason } from './reason.mjs';
     export default { hooks: { PreToolUse: [{ onFailure: 'block', hooks: [{ type: 'rule', decision: 'deny', reason }] }] } };`,
  );
  await acceptAll(project, user.env);
  await user.serve(['--project', '.']);
  expect(await answer()).toMatch(/"deny".*first/);
  user.write('reason.mjs', `export const reason = 'second';`);
  await becomes(/"deny".*reason\.mjs has changed since the server loaded it/);
  expect(await trust()).toBe(LOADED);
  expect(await answer()).toMatch(/"deny".*second/);
});

test('another served file that has changed: nothing is loaded, and that is said', async () => {
  const hooks = user.write('hooks.json', { PreToolUse: [{ hooks: [rule('of the file')] }] });
  await user.serve(['--project', '.', '--hooks', 'hooks.json']);
  user.write('hooks.json', { PreToolUse: [] });
  config(rule('first'));
  const told = await trust();
  expect(told).toContain('the running server could not load its hooks again: ');
  expect(told).toContain(hooks);
});

test("Claude Code's files of the project", async () => {
  const settings = (reason: string): string => {
    const hooks = [{ type: 'command', command: `echo ${reason} >&2; exit 2` }];
    return user.write('.claude/settings.json', { hooks: { PreToolUse: [{ hooks }] } });
  };
  settings('first');
  await user.serve(['--claude-code', '.']);
  expect(await answer()).toBe('{}');
  expect(await trust()).toBe(LOADED);
  expect(await answer()).toMatch(/"deny".*first/);
  settings('second');
  expect(await trust()).toBe(LOADED);
  expect(await answer()).toMatch(/"deny".*second/);
});

test('a project is the folder that it was at the start, whatever a link leads to when hooks are loaded or asked again', async () => {
  config(rule('first'));
  await acceptAll(project, user.env);
  const link = join(user.path, 'link');
  symlinkSync(project, link);
  const server = await user.serve(['--project', link], { cwd: user.path });
  expect(await answer()).toMatch(/"deny".*first/);
  const other = join(user.path, 'other');
  mkdirSync(other);
  rmSync(link);
  symlinkSync(other, link);
  config(rule('second'));
  expect(await trust()).toBe(LOADED);
  expect(await answer()).toMatch(/"deny".*second/);
  await server.stop();
  // Without a server the folder is still a project of it, and the next start, which follows the link, would serve less.
  const input = JSON.stringify(bash('make', { cwd: project }));
  expect((await user.run(['hook', 'PreToolUse'], { stdin: input })).stdout).toMatch(/"deny".*second/);
  const next = await user.run(['serve', '--project', link], { cwd: user.path });
  expect([next.code, next.stderr]).toEqual([
    1,
    expect.stringMatching(/no longer named: --project .*project\n.*terminal/),
  ]);
});

test('of two accepted configurations the one that does not count may change', async () => {
  const code = (reason: string): string =>
    `export default { hooks: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: '${reason}' }] }] } };`;
  user.write('hookscope.config.mjs', code('first'));
  const other = user.write('hookscope.config.js', code('other'));
  await acceptAll(project, user.env);
  await user.serve(['--project', '.']);
  rmSync(other);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(await answer()).toMatch(/"deny".*first/);
});

test('why says of a hook of a project that a call elsewhere was outside it, also for a session that began in it', async () => {
  config({ ...rule('no copies'), if: 'Bash(dd *)' });
  await acceptAll(project, user.env);
  await user.serve(['--project', '.']);
  const other = join(user.path, 'other');
  mkdirSync(other);
  for (const [call, cwd] of [
    ['inside', project],
    ['outside', other],
  ] as const)
    await user.hook(['PreToolUse'], bash('dd if=a', { cwd, tool_use_id: call }), cwd);
  const why = async (call: string): Promise<string> => (await user.run(['why', call, '--hook', 'Bash(dd *)'])).stdout;
  expect(await why('inside')).toContain('decided: deny, saying "no copies"');
  const text = await why('outside');
  expect(text).toContain(`was not asked: it is of the project ${project} (the fire at `);
  expect(text).toContain(`, and this call was in ${other}.`);
  expect(text).toContain(`serve ${other} with --project`);
});
