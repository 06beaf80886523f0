import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../host/kit.js';
import { BIN, spawnCli } from './cli.js';

let folder = '';
const children: ChildProcess[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-hs-'));
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'rule', decision: 'deny', reason: 'not here' }] }] };
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify(hooks));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({
  HOME: folder,
  XDG_STATE_HOME: join(folder, 'state'),
  XDG_RUNTIME_DIR: join(folder, 'run'),
  XDG_CONFIG_HOME: join(folder, 'config'),
});
const hookscope = (args: string[], stdin = '') => spawnCli(args, { cwd: folder, env: env(), stdin });
const call = (command: string, id: string): string =>
  JSON.stringify({ session_id: 's', cwd: folder, tool_name: 'Bash', tool_input: { command }, tool_use_id: id });

function start(...args: string[]) {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', ...env() },
  });
  children.push(child);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (part) => (texts[name] += String(part)));
  return { child, texts, ended: new Promise<number | null>((resolve) => child.on('close', resolve)) };
}

test('a running server is asked for what it has kept, and for what happens', async () => {
  const server = start('serve', '--hooks', 'hooks.json', '--port', '0');
  await until(() => server.texts.stdout.includes('hookscope serves on'));
  const [, address] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(server.texts.stdout) as unknown as [string, string];
  const hook = (command: string, id: string) =>
    hookscope(['hook', 'PreToolUse', '--hooks', 'hooks.json'], call(command, id));
  expect((await hook('rm -rf build', 'call-1')).stdout).toContain('not here');

  const watching = start('watch', '--json');
  await until(() => watching.texts.stderr.includes('serve.sock'));
  await until(async () => {
    await hook('ls', 'call-2');
    return watching.texts.stdout !== '';
  });
  expect(JSON.parse(watching.texts.stdout.split('\n')[0] as string)).toMatchObject({
    type: 'hook_fire',
    tool_use_id: 'call-2',
  });
  watching.child.kill('SIGINT');
  expect(await watching.ended).toBe(130);

  for (const place of [[], ['--store', address]]) {
    const { stdout, stderr } = await hookscope(['history', '--blocked', '--json', '--limit', '0', ...place]);
    expect(stderr).toBe('');
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { tool_use_id: string }).tool_use_id);
    expect(new Set(ids)).toEqual(new Set(['call-1', 'call-2']));
  }
  expect((await hookscope(['why', 'call-1'])).stdout).toContain('deny, saying "not here"');
  expect((await hookscope(['stats', '--json'])).stdout).toMatch(/"denials":[1-9]/);

  server.child.kill('SIGTERM');
  await server.ended;
  expect(existsSync(join(folder, 'state/hookscope'))).toBe(true);
  // What it has kept is there without it.
  expect((await hookscope(['why', 'call-1'])).stdout).toContain('deny, saying "not here"');
});
