import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { fire } from '../emit/samples.js';
import { until } from '../host/kit.js';
import { ROOT } from '../package/sources.js';
import { BIN, cli, SESSIONS } from './cli.js';

let folder = '';
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-history-db-'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({ XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: join(folder, 'run') });
const hookscope = (...args: string[]) => cli(args, { cwd: folder, env: env() });

test('a database gives the same answers as a file of lines', async () => {
  const config = join(ROOT, 'examples/demo/hookscope.config.ts');
  const session = join(SESSIONS, 'two-parallel-subagents.jsonl');
  const { stdout } = await cli(['run', '--config', config, session, '--json'], { cwd: ROOT });
  const lines = join(folder, 'records.ndjson');
  writeFileSync(lines, stdout);
  mkdirSync(join(folder, 'state/hookscope'), { recursive: true });
  const database = join(folder, 'state/hookscope/records.db');
  const sink = sqliteSink(database);
  for (const text of stdout.trim().split('\n')) {
    const record = JSON.parse(text) as HookRecord;
    if ((record.type as string) !== 'run_summary') sink.push(record);
  }
  await sink.close();
  for (const args of [
    ['history', '--limit', '0'],
    ['history', '--limit', '0', '--json'],
    ['history', '--blocked', '--agent', 'builder', '--long'],
    ['history', '--since', '1h', '--event', 'PreToolUse'],
    ['why', 'last', '--blocked'],
    ['why', 'toolu_subB_2_0'],
    ['why', 'toolu_subB_3_0', '--hook', 'readOnlyShell'],
    ['why', 'toolu_sub'],
    ['stats', '--by', 'agent'],
  ]) {
    const [fromLines, fromDatabase] = [await hookscope(...args, '--store', lines), await hookscope(...args)];
    // A command that is given as advice reads the store that was named.
    const advised = JSON.parse(JSON.stringify(fromLines).replaceAll(` --store ${lines}`, ''));
    expect(fromDatabase, args.join(' ')).toEqual(advised);
    expect(fromDatabase.stdout).not.toBe('');
  }
});

test('a database that is not there is none, and is not made by looking for it', async () => {
  const database = join(folder, 'nothing.db');
  const { stderr, code } = await hookscope('history', '--store', database);
  expect([stderr, code]).toEqual([`hookscope: ${database}: there is no such file.\n`, 1]);
  expect(existsSync(database)).toBe(false);
});

test('a database is watched, also before it is there', async () => {
  const database = join(folder, 'later.db');
  const child = spawn(process.execPath, [BIN, 'watch', '--store', database, '--json'], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', ...env() },
  });
  children.push(child);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (part) => (texts[name] += String(part)));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await until(() => texts.stderr.includes('watching'));
  const sink = sqliteSink(database);
  let seq = 0;
  await until(async () => {
    seq += 1;
    sink.push({ ...fire(seq), host_id: 'h', fire_id: `fire-${seq}` } as HookRecord);
    await sink.flush();
    return texts.stdout.includes('\n');
  });
  await sink.close();
  const seen = (): number[] =>
    texts.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as HookRecord).seq);
  await until(() => seen().at(-1) === seq);
  const [first = 0] = seen();
  expect(seen()).toEqual(Array.from({ length: seq - first + 1 }, (_, i) => first + i));
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(texts.stderr).toBe(`hookscope: watching ${database}, which does not exist yet; Ctrl-C ends it\n`);
});

test('where there are a database and a file of lines, both are read, and what both hold is shown once', async () => {
  const state = join(folder, 'both');
  mkdirSync(join(state, 'hookscope'), { recursive: true });
  const at = (seq: number): string => new Date(Date.now() - 100_000 + seq * 1_000).toISOString();
  const one = (seq: number, more: object = {}): HookRecord =>
    ({ ...fire(seq), host_id: 'h', time: at(seq), fire_id: `fire-${seq}`, ...more }) as HookRecord;
  const sink = sqliteSink(join(state, 'hookscope/records.db'), { redact: false });
  for (const seq of [1, 3, 4]) sink.push(one(seq));
  await sink.close();
  const lines = join(state, 'hookscope/records.ndjson');
  writeFileSync(lines, [2, 3, 5].map((seq) => `${JSON.stringify(one(seq))}\n`).join(''));
  const read = (...args: string[]) =>
    cli(args, { cwd: folder, env: { XDG_STATE_HOME: state, XDG_RUNTIME_DIR: join(folder, 'run') } });
  const ids = (text: string): string[] => [...text.matchAll(/fire-\d/g)].map(([id]) => id);
  const all = ['fire-1', 'fire-2', 'fire-3', 'fire-4', 'fire-5'];
  expect(ids((await read('history')).stdout)).toEqual(all);
  expect(ids((await read('history', '--limit', '0')).stdout)).toEqual(all);
  expect(ids((await read('history', '--limit', '2')).stdout)).toEqual(all.slice(-2));
  for (const id of all) expect((await read('why', id)).code).toBe(0);
  const [stats] = (await read('stats', '--json')).stdout.trim().split('\n');
  expect(JSON.parse(stats as string)).toMatchObject({ runs: 5 });
  expect((await read('doctor')).stdout).toMatch(/5 fires in \S+records\.db and \S+records\.ndjson within 7d/);
  const child = spawn(process.execPath, [BIN, 'watch'], { env: { ...process.env, ...env(), XDG_STATE_HOME: state } });
  children.push(child);
  let shown = '';
  child.stderr.on('data', (piece: Buffer) => (shown += piece.toString()));
  child.stdout.on('data', (piece: Buffer) => (shown += piece.toString()));
  await until(() => /watching \S+records\.db and \S+records\.ndjson/.test(shown));
  // Both are followed as soon as they are looked at, which nothing shows.
  const again = sqliteSink(join(state, 'hookscope/records.db'), { redact: false });
  let seq = 10;
  await until(() => {
    again.push(one(++seq, { fire_id: 'fire-6' }));
    appendFileSync(lines, `${JSON.stringify(one(++seq, { fire_id: 'fire-7' }))}\n`);
    return /fire-6/.test(shown) && /fire-7/.test(shown);
  });
  child.kill('SIGKILL');
  await again.close();
});

test('what was fired in a scope that is no agent is shown by its name', async () => {
  const state = join(folder, 'scopes');
  mkdirSync(join(state, 'hookscope'), { recursive: true });
  const { agent_id: _, ...scoped } = fire(1);
  const records = ['review', 'session'].map((scope, i) => ({
    ...scoped,
    seq: i + 1,
    scope,
    input: { tool_name: 'Bash' },
  }));
  writeFileSync(join(state, 'hookscope/records.ndjson'), records.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const read = async (...args: string[]) =>
    (await cli(args, { cwd: folder, env: { XDG_STATE_HOME: state, XDG_RUNTIME_DIR: join(folder, 'run') } })).stdout;
  const agents = (text: string): string[] =>
    text
      .trim()
      .split('\n')
      .map((line) => line.slice(25, 41).trim());
  expect(agents(await read('history'))).toEqual(['review', 'main']);
  expect(agents(await read('history', '--agent', 'review'))).toEqual(['review']);
  expect(agents(await read('history', '--agent', 'main'))).toEqual(['main']);
  expect(await read('stats', '--by', 'agent')).toMatch(/ review .*\n(?:.*\n)*.* main | main .*\n(?:.*\n)*.* review /);
  expect(await read('why', 'last', '--agent', 'review')).toMatch(/for review of session/);
});
