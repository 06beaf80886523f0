import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { fire as fireRecord } from '../emit/samples.js';
import { createFolder, type Folder } from '../plugins/folder.js';
import { cli } from './cli.js';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const PASSWORD = 'open-sesame-42';
/** In the input, in what a hook is called, and in what it writes. */
const INPUT = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: `deploy --password ${PASSWORD}` } };

let folder: Folder;
beforeAll(async () => {
  folder = createFolder();
  const command = `echo 'no ${SECRET}' >&2; exit 2`;
  folder.write('call.json', INPUT);
  folder.write('guard.json', { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
  folder.write('fails.json', {
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `echo ${SECRET} >&2; exit 1` }] }] },
  });
  writeFileSync(
    join(folder.path, 'session.jsonl'),
    `${JSON.stringify({ at_ms: 0, event: 'PreToolUse', input: { session_id: 's', transcript_path: '', cwd: '/', ...INPUT } })}\n`,
  );
  const sink = ndjsonSink(join(folder.path, 'raw.ndjson'), { redact: false });
  sink.push(
    fireRecord(1, { input: INPUT as never, decision: { ...fireRecord().decision, reason: `no ${SECRET}` } as never }),
  );
  await sink.close();
});
afterAll(() => folder.remove());

const COMMANDS: readonly (readonly string[])[] = [
  ['fire', 'PreToolUse', '--hooks', 'guard.json', '--input', 'call.json'],
  ['fire', 'PreToolUse', '--hooks', 'guard.json', '--input', 'call.json', '--json'],
  ['fire', 'PreToolUse', '--hooks', 'fails.json', '--input', 'call.json', '--json'],
  ['list', '--hooks', 'guard.json'],
  ['list', '--hooks', 'guard.json', '--json'],
  ['explain', 'PreToolUse', '--hooks', 'guard.json', '--input', 'call.json'],
  ['explain', 'PreToolUse', '--hooks', 'guard.json', '--input', 'call.json', '--json'],
  ['run', 'session.jsonl', '--hooks', 'guard.json'],
  ['run', 'session.jsonl', '--hooks', 'guard.json', '--json'],
  ['history', '--store', 'raw.ndjson'],
  ['history', '--store', 'raw.ndjson', '--long'],
  ['history', '--store', 'raw.ndjson', '--json'],
  ['why', 'last', '--store', 'raw.ndjson'],
  ['why', 'last', '--store', 'raw.ndjson', '--json'],
  ['stats', '--store', 'raw.ndjson'],
];

test.each(COMMANDS.map((args) => [args.join(' '), args] as const))('hookscope %s shows no secret', async (_, args) => {
  const { stdout, stderr, code } = await cli(args, { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout.length).toBeGreaterThan(10);
  for (const text of [stdout, stderr]) {
    expect(text).not.toContain(SECRET.slice(0, 12));
    expect(text).not.toContain(PASSWORD);
  }
});

test('--no-redact shows them', async () => {
  for (const args of COMMANDS.slice(0, 2)) {
    const { stdout } = await cli([...args, '--no-redact'], { cwd: folder.path });
    expect(stdout).toContain(SECRET);
  }
  const { stdout } = await cli(['history', '--store', 'raw.ndjson', '--json', '--no-redact'], { cwd: folder.path });
  expect(stdout).toContain(SECRET);
  expect(stdout).toContain(PASSWORD);
});

/** Files that are wrong, and what a person reads of it: an error, a finding, a difference. */
const WRONG: Readonly<Record<string, object | string>> = {
  'env.json': { PreToolUse: [{ hooks: [{ type: 'command', command: 'x', env: `GITHUB_TOKEN=${SECRET}` }] }] },
  'url.json': { PreToolUse: [{ hooks: [{ type: 'http', url: `deploy:${PASSWORD}@policy.corp/hook` }] }] },
  'if.json': { PreToolUse: [{ if: `Bash(curl -H 'X: ${SECRET}' *`, hooks: [{ type: 'command', command: 'x' }] }] },
  'thrown.mjs': `throw new Error('401 for token ${SECRET}');`,
  'wrong.json': `{ "PreToolUse": "${SECRET}" }`,
};
const TOLD: readonly (readonly string[])[] = [
  ...['env.json', 'url.json', 'if.json', 'wrong.json'].flatMap((file) => [
    ['list', '--hooks', file],
    ['test', '--hooks', file],
    ['check', '--hooks', file],
    ['check', '--json', '--hooks', file],
    ['check', '--sarif', '--hooks', file],
  ]),
  ['list', '--plugin', './thrown.mjs'],
  ['check', '.'],
];

test.each(TOLD.map((args) => [args.join(' '), args] as const))('hookscope %s tells no secret', async (_, args) => {
  for (const [name, content] of Object.entries(WRONG)) folder.write(name, content);
  folder.write('.claude/settings.json', { hooks: WRONG['env.json'], env: { TOKEN: SECRET } });
  for (const env of [{}, { HOOKSCOPE_DEBUG: '1' }]) {
    const { stdout, stderr } = await cli(args, { cwd: folder.path, env });
    expect((stdout + stderr).length).toBeGreaterThan(10);
    for (const secret of [SECRET.slice(0, 12), PASSWORD]) expect(stdout + stderr).not.toContain(secret);
    if (args.includes('--json') || args.includes('--sarif')) expect(JSON.parse(stdout)).toBeTypeOf('object');
  }
});

test('the difference that connect shows has none of what stands beside it; the file keeps it', async () => {
  const file = folder.write(
    'home/.claude/settings.json',
    `{\n  "env": { "GITHUB_TOKEN": "${SECRET}" },\n  "x": 1\n}\n`,
  );
  const how = { cwd: folder.path, env: { HOME: join(folder.path, 'home') } };
  const shown = await cli(['connect', 'claude-code'], how);
  expect(shown.stdout).toContain('[redacted github-token');
  expect(shown.stdout).not.toContain(SECRET);
  expect((await cli(['connect', 'claude-code', '--no-redact'], how)).stdout).toContain(SECRET);
  await cli(['connect', 'claude-code', '--write'], how);
  const written = readFileSync(file, 'utf8');
  expect(written).toContain(`"GITHUB_TOKEN": "${SECRET}"`);
  expect(written).toContain('"hooks"');
});

test('--no-redact shows what an error is about, too', async () => {
  for (const [name, content] of Object.entries(WRONG)) folder.write(name, content);
  expect((await cli(['list', '--hooks', 'env.json', '--no-redact'], { cwd: folder.path })).stderr).toContain(SECRET);
  expect((await cli(['check', '--hooks', 'if.json', '--no-redact'], { cwd: folder.path })).stdout).toContain(SECRET);
});

test('as a hook, the answer is as it is: an agent goes on with it', async () => {
  const { stdout, stderr, code } = await cli([...(COMMANDS[0] as string[]), '--exit-code'], { cwd: folder.path });
  expect([code, stdout.includes(SECRET), stderr]).toEqual([2, true, `no ${SECRET}\n`]);
});

test('what was kept unmasked stays as it is in its file', () => {
  expect(readFileSync(join(folder.path, 'raw.ndjson'), 'utf8')).toContain(SECRET);
});
