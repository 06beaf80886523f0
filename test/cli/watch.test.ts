import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentPaints } from '../../src/cli/history/watch.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { fire } from '../emit/samples.js';
import { until } from '../host/kit.js';
import { bash, createUser } from '../server/kit.js';
import { BIN } from './cli.js';

let folder = '';
let children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-watch-'));
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  rmSync(folder, { recursive: true, force: true });
});

/** `hookscope watch` as a process, and what it has printed so far. */
function watch(...args: string[]) {
  const env = { ...process.env, NO_COLOR: '1', XDG_STATE_HOME: join(folder, 'state'), XDG_RUNTIME_DIR: folder };
  const child = spawn(process.execPath, [BIN, 'watch', ...args], { cwd: folder, env });
  children.push(child);
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (part) => (texts[name] += String(part)));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const lines = (): string[] => texts.stdout.split('\n').filter((line) => line !== '');
  return { child, texts, lines, ended };
}

const line = (seq: number, fields: object = {}): string =>
  `${JSON.stringify({ ...fire(seq), fire_id: `fire-${seq}`, ...fields })}\n`;

describe('hookscope watch', () => {
  test('shows beside what a server answers what commands answer themselves, each fire once', async () => {
    const user = createUser();
    try {
      const rule = { type: 'rule', decision: 'deny', reason: 'no' };
      for (const name of ['a', 'b']) user.write(`${name}.json`, { PreToolUse: [{ hooks: [rule] }] });
      await user.serve(['--hooks', 'a.json']);
      const child = spawn(process.execPath, [BIN, 'watch'], { cwd: user.path, env: user.env });
      children.push(child);
      let text = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += String(part)));
      await until(() => text.includes('Ctrl-C'));
      const calls: string[] = [];
      const both = async (): Promise<void> => {
        for (const more of [[], ['--hooks', 'b.json']]) {
          calls.push(`call-${calls.length}`);
          await user.hook(['PreToolUse', '--hooks', 'a.json', ...more], bash(`echo ${calls.at(-1)}`));
        }
      };
      // The first ones may come before it listens.
      while (!/call-\d*[02468] .*call-\d*[13579] /s.test(text) && calls.length < 20) await both();
      const next = calls.length;
      await both();
      await both();
      await until(() => calls.slice(next).every((call) => text.includes(`${call} `)));
      for (const call of calls.slice(next)) expect(text.split(`${call} `)).toHaveLength(2);
    } finally {
      await user.remove();
    }
  });

  test('goes on with what a server answers where the kept records cannot be read, and says so once', async () => {
    const user = createUser();
    try {
      user.write('a.json', { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] }] });
      mkdirSync(join(user.env['XDG_STATE_HOME'] as string, 'hookscope', 'records.ndjson'), { recursive: true });
      await user.serve(['--hooks', 'a.json']);
      const child = spawn(process.execPath, [BIN, 'watch'], { cwd: user.path, env: user.env });
      children.push(child);
      let text = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += String(part)));
      await until(() => text.includes('is not a regular file'));
      const call = (n: number) => user.hook(['PreToolUse', '--hooks', 'a.json'], bash(`echo call-${n}`));
      // The first ones may come before it listens.
      for (let n = 0; n < 20 && !/call-\d/.test(text); n++) await call(n);
      await call(99);
      await until(() => text.includes('call-99'));
      expect(text.split('shows only what the server answers: ')).toHaveLength(2);
      expect(child.exitCode).toBeNull();
    } finally {
      await user.remove();
    }
  });

  test('prints each fire as it comes, across rotations, and ends with 130 when it is interrupted', async () => {
    const file = join(folder, 'records.ndjson');
    appendFileSync(file, line(1));
    const { child, texts, lines, ended } = watch('--store', file);
    await until(() => texts.stderr !== '');
    expect(texts.stderr).toBe(`hookscope: watching ${file}; Ctrl-C ends it\n`);
    await until(() => {
      // What is there when it begins is for `history`.
      appendFileSync(file, line(0));
      return lines().length > 0;
    });
    const since = (): string[] => lines().filter((text) => !text.endsWith('fire-0'));
    const sink = ndjsonSink(file, { maxBytes: 6_000, keep: 50 });
    for (let seq = 2; seq <= 60; seq++) {
      sink.push({ ...fire(seq), fire_id: `fire-${seq}` });
      if (seq % 7 === 0) await sink.flush();
    }
    await sink.close();
    await until(() => since().length >= 59);
    expect(since().map((text) => /fire-(\d+)$/.exec(text)?.[1])).toEqual(
      Array.from({ length: 59 }, (_, i) => String(i + 2)),
    );
    expect(since()[0]).toBe(
      '09:15:01.500  agent agent-1     PreToolUse Bash rm -rf build                  deny by ./guard.sh: "not here", over allowBash, 1 failed  fire-2',
    );
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  });

  test('says that a store does not exist yet, and shows what comes there', async () => {
    const file = join(folder, 'later.ndjson');
    const { child, texts, lines } = watch('--store', file);
    await until(() => texts.stderr !== '');
    expect(texts.stderr).toBe(`hookscope: watching ${file}, which does not exist yet; Ctrl-C ends it\n`);
    await until(() => {
      appendFileSync(file, line(1));
      return lines().length > 0;
    });
    child.kill('SIGINT');
  });

  test('names what decided about a call, as the fire before it does', async () => {
    const file = join(folder, 'records.ndjson');
    appendFileSync(file, line(0));
    const { texts, lines } = watch('--store', file);
    const { id: decided_by, name } = fire().handlers[0] as { id: string; name: string };
    const said = { type: 'tool_call', tool_name: 'Bash', status: 'denied', denied_by: 'hook', decided_by };
    await until(() => texts.stderr !== '');
    await until(() => {
      appendFileSync(file, `${line(1)}${line(2, said)}`);
      return lines().some((text) => text.includes('call of Bash'));
    });
    expect(lines().find((text) => text.includes('call of Bash'))).toContain(`denied by hook ${name} `);
  });

  test('waits for something to watch in the default place', async () => {
    const { child, texts, lines, ended } = watch('--blocked', '--json');
    await until(() => texts.stderr.includes('waiting for one of them'));
    mkdirSync(join(folder, 'state/hookscope'), { recursive: true });
    const file = join(folder, 'state/hookscope/records.ndjson');
    appendFileSync(file, '');
    await until(() => texts.stderr.includes(`watching ${file}`));
    await until(() => {
      appendFileSync(file, line(1, { decision: { ...fire().decision, verdict: 'allow' } }) + line(2));
      return lines().length > 0;
    });
    expect(new Set(lines().map((text) => JSON.parse(text).seq))).toEqual(new Set([2]));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  });

  test('ends when nobody reads it any more', async () => {
    const file = join(folder, 'records.ndjson');
    const { child, texts, ended } = watch('--store', file);
    await until(() => texts.stderr !== '');
    child.stdout.destroy();
    await new Promise((resolve) => setTimeout(resolve, 300));
    let over = false;
    void ended.then(() => (over = true));
    await until(() => {
      if (!over) appendFileSync(file, line(1));
      return over;
    });
    expect(await ended).toBe(0);
  });
});

describe('the colours of agents', () => {
  test('are the same in every run, differ while there are enough, and are none without colour', () => {
    const ids = ['a4b31ea214a8f8e3d', 'a9e4887d034009bc4', 'x', 'y', 'z'];
    const painted = (order: readonly string[]) => {
      const paints = agentPaints(true);
      return new Map(order.map((id) => [id, paints(id)('agent')]));
    };
    const [first, second] = [painted(ids), painted(ids)];
    expect(second).toEqual(first);
    expect(new Set(first.values()).size).toBe(ids.length);
    expect([...first.values()].map(stripVTControlCharacters)).toEqual(ids.map(() => 'agent'));
    expect(first.get('x')).not.toBe('agent');
    const paints = agentPaints(true);
    expect(paints('x')('agent')).toBe(paints('x')('agent'));
    expect(agentPaints(false)('x')('agent')).toBe('agent');
  });
});
