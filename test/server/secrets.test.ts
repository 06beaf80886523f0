import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { BIN } from '../cli/cli.js';
import { SAMPLES } from '../emit/redact/secrets.js';
import { fire } from '../emit/samples.js';
import { createUser, type Running, type User, until } from './kit.js';

/** So many at a time that what a hook says is no long output. */
const AT_ONCE = 15;
const GROUPS = Array.from({ length: Math.ceil(SAMPLES.length / AT_ONCE) }, (_, i) =>
  SAMPLES.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
);
const SECRETS = SAMPLES.map(({ secret }) => secret);
const textOf = (group: number): string => (GROUPS[group] as typeof SAMPLES).map(({ text }) => text).join('\n');

/** Every secret that a text shows, as it is or as JSON writes it. */
const shown = (text: string): string[] =>
  SECRETS.filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)));

const call = (group: number): Record<string, unknown> => ({
  session_id: 'secrets',
  tool_name: `Tool${group}`,
  tool_use_id: `t${group}`,
  tool_input: { command: textOf(group) },
});

let user: User;
let server: Running;
let watching: ChildProcess;
let watched = '';
beforeAll(async () => {
  user = createUser();
  // They say what they are told, and what is in their environment.
  const hooks = [
    { hooks: [{ type: 'command', command: 'cat >&2; echo "$SAID" >&2; exit 2', name: 'denies' }] },
    { hooks: [{ type: 'command', command: 'cat; echo "$SAID"; exit 1', name: 'fails' }] },
  ];
  user.write('hooks.json', { PreToolUse: hooks });
  for (const [i] of GROUPS.entries()) user.write(`call-${i}.json`, call(i));
  user.write(
    'session.jsonl',
    GROUPS.map(
      (_, i) =>
        `${JSON.stringify({ at_ms: i, event: 'PreToolUse', input: { transcript_path: '', cwd: '/', ...call(i) } })}\n`,
    ).join(''),
  );
  // Alone, and as a server has it.
  for (const [i] of GROUPS.entries())
    await user.run(['hook', 'PreToolUse', '--no-server', '--hooks', 'hooks.json'], {
      stdin: JSON.stringify(call(i)),
      env: { SAID: textOf(i) },
    });
  server = await user.serve(['--hooks', 'hooks.json']);
  watching = spawn(process.execPath, [BIN, 'watch'], { cwd: join(user.path, 'project'), env: user.env });
  for (const stream of [watching.stdout, watching.stderr]) stream?.on('data', (part) => (watched += String(part)));
  await until(() => watched.includes('watching'));
  for (const [i] of GROUPS.entries()) {
    const { stdout } = await user.hook(['PreToolUse', '--hooks', 'hooks.json'], call(i));
    expect(shown(stdout).length, 'its agent is told all').toBeGreaterThan(0);
  }
  const sink = ndjsonSink(join(user.path, 'kept/records.ndjson'));
  for (const [i] of GROUPS.entries())
    sink.push(fire(i + 1, { input: call(i) as never, decision: { ...fire().decision, reason: textOf(i) } as never }));
  await sink.close();
});
afterAll(async () => {
  watching?.kill('SIGKILL');
  await user.remove();
});

const STORE = ['--store', '../kept/records.ndjson'];
const COMMANDS: readonly (readonly string[])[] = [
  ['history', '--long'],
  ['history', '--json'],
  ['why', 'last'],
  ['why', 'last', '--json'],
  ['stats'],
  ['stats', '--json'],
  ['doctor'],
  ['history', '--long', ...STORE],
  ['why', 'last', ...STORE],
  ['list', '--hooks', 'hooks.json'],
  ['list', '--hooks', 'hooks.json', '--json'],
  ['explain', 'PreToolUse', '--hooks', 'hooks.json', '--input', 'call-0.json'],
  ['explain', 'PreToolUse', '--hooks', 'hooks.json', '--input', 'call-0.json', '--json'],
  ['fire', 'PreToolUse', '--hooks', 'hooks.json', '--input', 'call-0.json', '--json'],
  ['run', 'session.jsonl', '--hooks', 'hooks.json'],
  ['run', 'session.jsonl', '--hooks', 'hooks.json', '--json'],
];

test.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
  'no secret is printed by hookscope %s',
  async (_, args) => {
    const { stdout, stderr } = await user.run(args);
    expect(stdout.length + stderr.length).toBeGreaterThan(20);
    expect(shown(stdout + stderr)).toEqual([]);
  },
);

test('none is printed by hookscope watch, nor by the server', async () => {
  await until(() => watched.split('\n').filter((line) => line.includes('PreToolUse')).length >= GROUPS.length);
  expect(shown(watched)).toEqual([]);
  expect(shown(server.output())).toEqual([]);
});

test('none is in what the server answers whoever reads', async () => {
  const { read } = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as { read: string };
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request(
      {
        socketPath: user.places.socket,
        path: '/records',
        headers: { host: 'hookscope', authorization: `Bearer ${read}` },
      },
      (response) => {
        let body = '';
        response.on('data', (part) => (body += String(part))).on('end', () => resolve(body));
      },
    );
    asked.on('error', reject).end();
  });
  expect(text).toContain('PreToolUse');
  expect(shown(text)).toEqual([]);
});

test('none is left behind in a store, a log or an output', async () => {
  await server.stop('SIGTERM');
  const files = ['state', 'run', 'kept', 'home'].flatMap((folder) =>
    readdirSync(join(user.path, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(files.some((file) => file.endsWith('records.db'))).toBe(true);
  expect(files.some((file) => file.endsWith('records.ndjson'))).toBe(true);
  for (const file of files) expect(shown(readFileSync(file, 'latin1')), file).toEqual([]);
});
