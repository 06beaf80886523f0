import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { unclosedWriters } from '../../src/emit/sinks/files/open-mark.js';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { openStore } from '../../src/store/place.js';
import { useCompiled } from './compiled.js';
import { stamped } from './samples.js';

/** How many processes are killed while they write; `npm run soak` kills 20, and HOOKSCOPE_GENERATED asks for as many as it says. */
const KILLED = Number(process.env['HOOKSCOPE_GENERATED'] ?? 8);
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-sqlite-'));
  path = join(folder, 'records.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Not so old that it would be taken away. */
const time = new Date().toISOString();
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** The sequence of each host, in order; and whether SQLite finds the file whole. */
function read(): { readonly hosts: ReadonlyMap<string, number[]>; readonly check: unknown } {
  const file = openSqlite(path);
  const hosts = new Map<string, number[]>();
  for (const { host_id, json } of file.all('SELECT host_id, json FROM records ORDER BY id')) {
    const seqs = hosts.get(String(host_id)) ?? [];
    for (const { seq } of [JSON.parse(String(json))].flat() as HookRecord[]) seqs.push(seq);
    hosts.set(String(host_id), seqs);
  }
  const check = file.all('PRAGMA integrity_check')[0]?.['integrity_check'];
  file.close();
  return { hosts, check };
}

const last = (stdout: string): number => Number(/written (\d+)\n(?!.*written)/s.exec(stdout)?.[1]);

describe('the SQLite file', () => {
  const { start, startShell, built } = useCompiled();

  test.each(['batch', 'sync'])(
    '%s: has all that was written, once, after its process was killed again and again',
    async (durability) => {
      const acknowledged: number[] = [];
      for (let run = 0; run < KILLED; run++) {
        const child = start('write-rows.mjs', path, `run-${run}`, '100000', '2000', durability);
        await child.says('written 20\n');
        await sleep((run * 7) % 20);
        child.kill('SIGKILL');
        const { signal, stdout } = await child.ended;
        expect(signal).toBe('SIGKILL');
        acknowledged.push(last(stdout));
      }
      const { hosts, check } = read();
      expect(check).toBe('ok');
      for (const [run, least] of acknowledged.entries()) {
        const seqs = hosts.get(`run-${run}`) ?? [];
        // Nothing twice, nothing missing before the end: what a kill took is behind the last of them.
        expect(seqs).toEqual(upTo(seqs.length));
        expect(seqs.length).toBeGreaterThanOrEqual(least);
      }
    },
  );

  test('without a SQLite the error says so and what to install', async () => {
    // Beside no packages, and with Node's own switched off.
    const bare = join(folder, 'bare');
    cpSync(built, bare, { recursive: true });
    const flags = isBuiltin('node:sqlite') ? ['--no-experimental-sqlite'] : [];
    const program = `import { sqliteSink } from './sqlite.js';
      try { sqliteSink(process.argv[1], { durability: 'sync' }) } catch ({ code, message }) { console.log(JSON.stringify({ code, message })) }
      const told = [];
      const sink = sqliteSink(process.argv[1], { logger: (line) => told.push(line) });
      sink.push({ seq: 1, time: new Date().toISOString() });
      await sink.flush();
      sink.push({ seq: 2, time: new Date().toISOString() });
      await sink.close();
      console.log(JSON.stringify({ dropped: sink.dropped, told }));`;
    const args = [...flags, '--input-type=module', '--eval', program, path];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: bare,
      env: { PATH: process.env['PATH'] },
    });
    const [thrown, detached] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(thrown).toEqual({ code: 'FILE', message: expect.stringMatching(/no SQLite of its own.*npm i libsql/) });
    expect(detached).toEqual({ dropped: 2, told: [expect.stringMatching(/was detached: .*npm i libsql/)] });
  });

  test('prints nothing of its own, also where Node warns that its SQLite is experimental, and hides no other warning', async () => {
    const program = `import { sqliteSink } from ${JSON.stringify(join(built, 'sqlite.js'))};
      const sink = sqliteSink(process.argv[1]);
      process.emitWarning('of the program');
      sink.push({ seq: 1, time: new Date().toISOString(), host_id: 'h', type: 'tool_call', session_id: 's', scope: 'session' });
      await sink.close();`;
    const args = ['--input-type=module', '--eval', program, path];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    expect([stdout, stderr]).toEqual([
      '',
      expect.stringMatching(/^\(node:\d+\) Warning: of the program\n\(Use [^\n]*\n$/),
    ]);
  });

  test('written by three processes at once has every record of each, once', async () => {
    const children = ['a', 'b', 'c'].map((host) => start('write-rows.mjs', path, host, '1500'));
    for (const { ended } of children) {
      const { code, stdout } = await ended;
      expect([code, JSON.parse(stdout.trim().split('\n').at(-1) as string)]).toEqual([0, { dropped: 0, told: [] }]);
    }
    const { hosts, check } = read();
    expect(check).toBe('ok');
    for (const host of ['a', 'b', 'c']) expect(hosts.get(host)).toEqual(upTo(1500));
  });

  test.each([
    [
      'another sink of the same process has begun to write it',
      async () => {
        const other = sqliteSink(path, { redact: false });
        other.push({ ...stamped(1), time, host_id: 'other' });
        await other.flush();
        return other;
      },
    ],
    [
      'the same process has begun to read it',
      async () => {
        const store = await openStore(path);
        for await (const _ of store.records({})) break;
        return store;
      },
    ],
    [
      'the same process has begun to read it by a link',
      async () => {
        const link = join(folder, 'link.db');
        symlinkSync(path, link);
        const store = await openStore(link);
        for await (const _ of store.records({})) break;
        return store;
      },
    ],
  ])('has every record when %s and another process has written and ended', async (_, meanwhile) => {
    const sink = sqliteSink(path, { redact: false });
    const write = async (from: number, to: number): Promise<void> => {
      for (let seq = from; seq <= to; seq++) sink.push({ ...stamped(seq), time, host_id: 'here' });
      await sink.flush();
    };
    await write(1, 50);
    const opened = await meanwhile();
    expect((await start('write-rows.mjs', path, 'there', '100').ended).code).toBe(0);
    await write(51, 400);
    await sink.close();
    await opened.close();
    const { hosts, check } = read();
    expect(check).toBe('ok');
    expect([sink.dropped, hosts.get('here'), hosts.get('there')]).toEqual([0, upTo(400), upTo(100)]);
  });

  const closed = (lost: number): string =>
    `${lost} ${lost === 1 ? 'record was' : 'records were'} not written to ${path}, which is closed`;

  test('that can grow no further costs one line and no crash; what was written stays, what was lost is counted', async () => {
    // Blocks of 512 bytes: SQLite is told that there is no more room, as of a full disk.
    const { code, stdout } = await startShell("trap '' XFSZ; ulimit -f 400", 'write-rows.mjs', path, 'h', '2000', '500')
      .ended;
    const { dropped, told } = JSON.parse(stdout.trim().split('\n').at(-1) as string) as {
      dropped: number;
      told: string[];
    };
    expect(code).toBe(0);
    expect(dropped).toBeGreaterThan(0);
    expect(told).toEqual([expect.stringMatching(/^Records cannot be written to .*records\.db: /), closed(dropped)]);
    const { hosts, check } = read();
    expect(check).toBe('ok');
    expect(hosts.get('h')?.length).toBe(2000 - dropped);
    // Nothing came after them that would show the gap by its number.
    expect(unclosedWriters(path)).toMatchObject([{ hosts: ['h'], lost: dropped }]);
  });

  test.each([0, 8, 24, 60, 80, 120])(
    'for which there is room for no more than %i blocks from the start costs one line, and is tried again with each record',
    async (blocks) => {
      const before = `trap '' XFSZ; ulimit -f ${blocks}`;
      const { code, stdout } = await startShell(before, 'write-rows.mjs', path, 'h', '60', '5000').ended;
      const said = JSON.parse(stdout.trim().split('\n').at(-1) as string);
      expect(code).toBe(0);
      expect(said.told).toEqual([
        expect.stringMatching(/^Records cannot be written to .*: .*(?:full|I\/O)/),
        closed(said.dropped),
      ]);
      expect((await start('write-rows.mjs', path, 'i', '20').ended).code).toBe(0);
      const { hosts, check } = read();
      expect([check, (hosts.get('h') ?? []).length, hosts.get('i')]).toEqual(['ok', 60 - said.dropped, upTo(20)]);
    },
  );

  test.each(['batch', 'sync'])('%s: one line also where smaller records still fit between larger ones', async (way) => {
    for (const blocks of [400, 700]) {
      for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
      const before = `trap '' XFSZ; ulimit -f ${blocks}`;
      const child = startShell(before, 'write-rows.mjs', path, 'h', '300', '20000', way, 'varied');
      const { code, stdout } = await child.ended;
      const { dropped, told } = JSON.parse(stdout.trim().split('\n').at(-1) as string);
      expect([code, told]).toEqual([0, [expect.stringMatching(/^Records cannot be written to /), closed(dropped)]]);
      const { hosts, check } = read();
      const seqs = hosts.get('h') ?? [];
      expect([check, seqs.length]).toEqual(['ok', 300 - dropped]);
    }
  });
});
