import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    expect(fromDatabase, args.join(' ')).toEqual(fromLines);
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
  expect(texts.stderr).toBe(`hookscope: watching ${database}; Ctrl-C ends it\n`);
});
