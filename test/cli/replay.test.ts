import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { createHost, type Hooks, loadHooksFile } from '../../src/index.js';
import { cli, SESSIONS } from './cli.js';

const dir = mkdtempSync(join(tmpdir(), 'replay-cli-'));
afterAll(() => rmSync(dir, { recursive: true }));

const COMMANDS = ['ls', 'git push --force', 'git push --force origin main', 'rm -rf build'];
const pushes = { type: 'command', command: 'grep -q push && { echo "Push by hand." >&2; exit 2; }; true' };
const deletes = { type: 'rule', decision: 'ask', reason: 'Deleting?', if: 'Bash(rm *)' };
const on = (...hooks: object[]): object => ({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } });

function write(name: string, value: unknown): string {
  writeFileSync(join(dir, name), JSON.stringify(value));
  return name;
}

beforeAll(async () => {
  write('old.json', on(pushes));
  write('hooks.json', (on(pushes) as { hooks: unknown }).hooks);
  const host = createHost({ session: { session_id: 's1', cwd: dir, transcript_path: '' } });
  const sinks = [ndjsonSink(join(dir, 'fires.ndjson')), sqliteSink(join(dir, 'fires.db'))];
  for (const sink of sinks) sink.attach(host.events$);
  host.register((await loadHooksFile(join(dir, 'hooks.json'))) as Hooks);
  for (const command of COMMANDS)
    await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: command });
  await host.close();
  for (const sink of sinks) await sink.close();
});

const run = (...args: string[]) => cli(['replay', ...args], { cwd: dir });

test('hookscope replay says what no hook decided, and is left out', async () => {
  const [line = ''] = readFileSync(join(dir, 'fires.ndjson'), 'utf8').match(/^.*"type":"hook_fire".*$/m) ?? [];
  const record = JSON.parse(line);
  const more = [{ unanswered: 'gone', handlers: [] }, { error: 'ABORTED' }].map((fields, i) =>
    JSON.stringify({ ...record, ...fields, seq: 100 + i, fire_id: `more ${i}` }),
  );
  writeFileSync(join(dir, 'undecided.ndjson'), `${[line, ...more].join('\n')}\n`);
  const { stdout, stderr, code } = await run('undecided.ndjson', '--config', 'old.json');
  expect([stdout, code]).toEqual(['1 fire replayed: 1 as they were\n', 0]);
  expect(stderr).toContain('2 fires are left out, which no hook decided');
});

describe.each(['fires.ndjson', 'fires.db'])('hookscope replay %s', (file) => {
  test('under the same hooks says that all is as it was, and exits 0', async () => {
    const { stdout, code } = await run(file, '--config', 'old.json');
    expect(stdout).toBe('4 fires replayed: 4 as they were\n');
    expect(code).toBe(0);
  });

  test('under others says what changes, by which hook, with an example, and exits 1', async () => {
    const { stdout, code } = await run(file, '--config', write('new.json', on(deletes)));
    expect(
      stdout.replaceAll(dir, '').replace(/[0-9a-f-]{36}/g, 'ID'),
    ).toBe(`4 fires replayed: 1 as they were, 1 newly asked, 2 newly allowed

newly asked (1)
       1  rule Bash(rm *) (Bash if Bash(rm *): ask) [/new.json]
          PreToolUse Bash rm -rf build  (${file}, ID)

newly allowed (2)
       2  command ${pushes.command}
          PreToolUse Bash git push --force  (${file}, ID)
`);
    expect(code).toBe(1);
  });
});

test('what nobody knows is unknown, runs nowhere, and exits 3 whatever else changes', async () => {
  const left = join(dir, 'left-behind');
  const { stdout, code } = await run(
    'fires.ndjson',
    '--config',
    write('unknown.json', on({ type: 'command', command: `touch ${left}`, if: 'Bash(ls *)' }, deletes)),
  );
  expect(stdout).toContain('1 newly asked, 2 newly allowed, 1 unknown');
  expect(stdout).toContain(`touch ${left}`);
  expect(stdout).toContain('no answer of it to this input was recorded');
  expect(code).toBe(3);
  expect(existsSync(left)).toBe(false);
});

test('--json prints each fire that changes as a line, then the summary', async () => {
  const { stdout, code } = await run('fires.ndjson', '--config', write('new.json', on(pushes, deletes)), '--json');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      type: 'replayed',
      changed: 'asked',
      event: 'PreToolUse',
      tool_use_id: 'rm -rf build',
      by: { kind: 'rule' },
      now: { word: 'ask' },
    },
    { type: 'replay_summary', fires: 4, asked: 1, denied: 0, unknown: 0, groups: [{ changed: 'asked', count: 1 }] },
  ]);
  expect(code).toBe(1);
});

test('--markdown prints tables that no text can leave', async () => {
  const odd = { ...deletes, reason: 'x', name: 'a | b <b>\nc' };
  const { stdout } = await run('fires.ndjson', '--config', write('odd.json', on(pushes, odd)), '--markdown');
  const rows = stdout.split('\n').filter((line) => line.startsWith('| 1 '));
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain('a \\| b <b>');
  expect(stdout).toContain('### newly asked (1)');
});

test('--against compares two configurations over the same inputs', async () => {
  write('ask.json', on(deletes));
  write('deny.json', on({ ...deletes, decision: 'deny' }));
  const { stdout, code } = await run('fires.ndjson', '--config', 'deny.json', '--against', 'ask.json');
  expect(stdout).toContain('4 fires replayed: 3 as they were, 1 newly denied');
  expect(code).toBe(1);
  expect((await run('fires.ndjson', '--config', 'deny.json', '--against', 'deny.json')).code).toBe(0);
});

test('--run-callbacks calls the functions of the configuration, which nothing else does', async () => {
  const code = `export default { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [(input) => { globalThis.asked = (globalThis.asked ?? 0) + 1; console.error('asked'); return input.tool_input.command.startsWith('rm') ? { decision: 'block', reason: 'No.' } : undefined; }] }] } };`;
  writeFileSync(join(dir, 'code.mjs'), code);
  expect((await run('fires.ndjson', '--config', 'code.mjs')).code).toBe(3);
  expect((globalThis as { asked?: number }).asked).toBeUndefined();
  const { stdout, code: exit } = await run('fires.ndjson', '--config', 'code.mjs', '--run-callbacks');
  expect(stdout).toContain('1 newly denied');
  expect(exit).toBe(1);
});

test('the events of a session, of which nobody was asked, are replayed too; several files one after the other', async () => {
  const { stdout, code } = await run(
    join(SESSIONS, 'simple.jsonl'),
    'fires.ndjson',
    '--config',
    write('edits.json', {
      hooks: { PreToolUse: [{ matcher: 'Edit|Write', hooks: [{ type: 'rule', decision: 'ask', reason: 'Look.' }] }] },
    }),
  );
  expect(stdout).toMatch(/newly asked \(\d+\)/);
  expect(code).toBe(1);
});

test('a file that is not there, or holds something else, is named', async () => {
  const missing = await run('nowhere.ndjson', '--no-config');
  expect(missing.stderr).toContain('nowhere.ndjson: there is no such file');
  expect(missing.code).toBe(1);
  writeFileSync(join(dir, 'text.txt'), 'hello\n');
  const text = await run('text.txt', '--no-config');
  expect(text.stderr).toContain('text.txt:1: this line is not JSON');
  expect(text.stderr).toContain('text.txt: nothing was replayed');
  expect(text).toMatchObject({ code: 1, stdout: '' });
  expect((await run('fires.ndjson', '--json', '--markdown')).stderr).toContain('--markdown');
});

test('a file that is cut or empty is no recording under which all stays as it was', async () => {
  const start = (file: string, bytes: number) => readFileSync(join(dir, file)).subarray(0, bytes);
  writeFileSync(join(dir, 'cut.db'), start('fires.db', 2000));
  const damaged = await run('cut.db', '--no-config');
  expect(damaged.stderr).toMatch(/cut\.db: \S/);
  expect(damaged.code).toBe(1);
  writeFileSync(join(dir, 'cut.ndjson'), start('fires.ndjson', 100));
  writeFileSync(join(dir, 'empty.ndjson'), '');
  for (const name of ['cut.ndjson', 'empty.ndjson'])
    expect(await run(name, '--no-config', '--json')).toMatchObject({ code: 1, stdout: '' });
  for (const files of [
    ['empty.ndjson', 'fires.ndjson'],
    ['fires.ndjson', 'empty.ndjson'],
  ]) {
    const beside = await run(...files, '--config', 'old.json');
    expect(beside).toMatchObject({ code: 0, stdout: '4 fires replayed: 4 as they were\n' });
    expect(beside.stderr).toContain('empty.ndjson: nothing was replayed: it holds no event that was fired');
    expect(beside.stderr).not.toContain(' fires.ndjson: nothing');
  }
});

test('a project’s configuration that was not accepted is not used, and is told of', async () => {
  const project = mkdtempSync(join(dir, 'project-'));
  writeFileSync(join(project, 'hookscope.config.json'), JSON.stringify(on(deletes)));
  const { stdout, stderr } = await cli(['replay', join(dir, 'fires.ndjson')], { cwd: project });
  expect(stderr).toMatch(/hookscope\.config\.json/);
  expect(stdout).not.toContain('newly asked (1)\n       1  rule');
});

test('secrets in the report are masked', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const fire = JSON.stringify({
    at_ms: 0,
    event: 'PreToolUse',
    input: {
      session_id: 's',
      transcript_path: '',
      cwd: '/',
      tool_name: 'Bash',
      tool_input: { command: `rm ${secret}` },
      tool_use_id: 't',
      hook_event_name: 'PreToolUse',
    },
  });
  writeFileSync(join(dir, 'secret.jsonl'), `${fire}\n`);
  write('rm.json', on({ ...deletes, if: 'Bash(rm *)' }));
  for (const how of [[], ['--json'], ['--markdown']]) {
    const { stdout } = await run('secret.jsonl', '--config', 'rm.json', ...how);
    expect(stdout).toContain('asked');
    expect(stdout).not.toContain(secret);
  }
});

test('of several files one that is not there is said before anything is replayed', async () => {
  const { code, stdout, stderr } = await run('fires.ndjson', 'none.ndjson', '--no-config', '--json');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('none.ndjson: there is no such file');
});
