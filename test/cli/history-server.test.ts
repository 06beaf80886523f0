import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HandlerRecord } from '../../src/emit/record.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { until } from '../host/kit.js';
import { createUser, send } from '../server/kit.js';
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
    return /call-2.*\n/.test(watching.texts.stdout);
  });
  // Where the machine is slow, the first call may be told of only now.
  const lines = watching.texts.stdout.split('\n').filter((line) => line.includes('call-2'));
  expect(JSON.parse(lines[0] as string)).toMatchObject({ type: 'hook_fire', tool_use_id: 'call-2' });
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

const isSlow = ({ name, status }: HandlerRecord): boolean => name.includes('sleep') && status === 'ran';

test('a server, its database and a file of lines give the same answers', async () => {
  const user = createUser();
  try {
    const on = (matcher: string, hook: object, more: object = {}) => ({ matcher, hooks: [hook], ...more });
    const command = (line: string, more: object = {}) => ({ type: 'command', command: line, ...more });
    const config = {
      hooks: {
        PreToolUse: [
          on('Bash', command("! grep -q '\"rm' || { echo nothing is removed >&2; exit 2; }")),
          on('Edit', command('exit 3'), { onFailure: 'block' }),
          on('Read', command('sleep 0.1')),
          on('*', command('echo behind', { async: true })),
        ],
        Stop: [{ hooks: [command('echo not yet >&2; exit 2')] }],
      },
      spawnHooks: { reviewer: { PreToolUse: [on('Grep', { type: 'rule', decision: 'deny', reason: 'only reads' })] } },
    };
    const { port } = await user.serve(['--config', user.write('config.json', config), '--port', '0']);
    const { fire: token } = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as { fire: string };
    const fire = (event: string, input: object) =>
      send(
        { socketPath: user.places.socket },
        {
          path: `/hooks/${event}`,
          headers: { host: 'hookscope', authorization: `Bearer ${token}` },
          body: JSON.stringify({ session_id: 's1', ...input }),
        },
      );
    const agents = [
      {},
      { agent_id: 'a1b2c3d4', agent_type: 'reviewer' },
      { agent_id: 'a1b2ffff', agent_type: 'builder' },
      { session_id: 's2', agent_id: 'zzz', agent_type: 'late' },
    ];
    const tools = [
      ['Bash', { command: 'rm -rf /' }],
      ['Bash', { command: `curl -H "Authorization: Bearer ghp_${'a1B2'.repeat(9)}" x\u202e` }],
      ['Read', { file_path: 'a' }],
      ['Edit', { file_path: 'b' }],
      ['Grep', { pattern: 'x' }],
    ] as const;
    await fire('SessionStart', { source: 'startup' });
    for (const agent of agents.slice(1, 3)) await fire('SubagentStart', agent);
    let calls = 0;
    for (const [tool_name, tool_input] of tools)
      for (const agent of agents) {
        const call = { tool_name, tool_input, tool_use_id: `toolu_${String(++calls).padStart(2, '0')}`, ...agent };
        if (calls % 7 !== 0) await fire('PreToolUse', call);
        if (calls % 3 === 0) await fire('PostToolUseFailure', { ...call, error: 'no' });
        else await fire('PostToolUse', { ...call, tool_response: {} });
      }
    await fire('Stop', { stop_hook_active: false });
    const behind = () => user.records().filter((one) => one.type === 'system' && one.subtype === 'hook_response');
    await until(() => behind().filter(({ name }) => name === 'echo behind').length >= 17);
    await until(() => user.records().some((one) => one.type === 'hook_fire' && one.event === 'Stop'));
    const records = user.records();
    const kinds = new Set(records.map((one) => (one.type === 'hook_alarm' ? one.alarm : one.type)));
    expect(kinds).toEqual(new Set(['hook_fire', 'system', 'not_honoured', 'unasked', 'reopened']));
    const lines = join(user.path, 'lines.ndjson');
    const sink = ndjsonSink(lines, { redact: false, maxBytes: 100_000, keep: 50 });
    for (const record of records) {
      sink.push(record);
      await sink.flush();
    }
    await sink.close();
    const places = [user.places.socket, `http://127.0.0.1:${port}`, join(user.places.state, 'records.db'), lines];
    const fires = records.filter((one) => one.type === 'hook_fire');
    // A slow one: what began before the moment that is asked about, and ended then.
    const { fire_id: id = '', time = '' } = fires.find(({ handlers }) => handlers.some(isSlow)) ?? {};
    for (const args of [
      'history',
      'history --limit 0 --json --no-redact',
      'history --limit 3 --long',
      `history --since ${time} --limit 0`,
      `history --until ${time} --blocked`,
      'history --agent reviewer --blocked --long',
      'history --agent late --limit 0',
      'history --agent a1b2 --event pretooluse',
      'history --agent main --slow 90ms',
      'history --hook exit --json',
      'history --alarms --agent late',
      'history --alarms --limit 0 --json',
      'history --format trace',
      'history --format trace --agent reviewer',
      'stats',
      'stats --by agent --json',
      `stats --by event --since ${time}`,
      'stats --agent builder',
      'why last',
      'why last --blocked --agent reviewer --json',
      'why last --alarms',
      'why toolu_01',
      'why toolu_1',
      'why toolu_07 --json',
      `why ${id}`,
      `why ${id.slice(0, 6)}..${id.slice(-4)} --hook sleep`,
      'why nothing',
    ]) {
      const answers = await Promise.all(
        places.map(async (place) => {
          const { stdout, stderr, code } = await user.run([...args.split(' '), '--store', place]);
          return { stdout: stdout.replaceAll(place, 'PLACE'), stderr: stderr.replaceAll(place, 'PLACE'), code };
        }),
      );
      for (const answer of answers) expect(answer, args).toEqual(answers[0]);
      if (!/nothing|--hook exit/.test(args)) expect(answers[0]?.stdout, args).not.toBe('');
    }
  } finally {
    await user.remove();
  }
});
