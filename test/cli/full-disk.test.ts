import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/cli/doctor/finding.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { fire } from '../emit/samples.js';
import { BIN, type Finished, start } from './cli.js';

let root = '';
let state = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-full-')));
  state = join(root, 'state/hookscope');
  mkdirSync(state, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const kept = (seq: number) => ({ ...fire(seq), time: new Date().toISOString(), host_id: 'h' });

/** Like a full disk, nothing can be written into a file: not even the one by which readers of a database lock it. */
const hookscope = (args: readonly string[], before = 'ulimit -f 0'): Promise<Finished> =>
  start('sh', ['-c', `${before}; exec "$0" --no-warnings "$@"`, process.execPath, BIN, ...args], {
    cwd: root,
    stdin: '',
    env: {
      PATH: process.env['PATH'],
      HOME: root,
      XDG_STATE_HOME: join(root, 'state'),
      XDG_RUNTIME_DIR: join(root, 'run'),
    },
  });

async function findings(before?: string): Promise<readonly DoctorFinding[]> {
  const { stdout } = await hookscope(['doctor', '--json'], before);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as DoctorFinding]));
}

const READERS = [['history'], ['why', 'last'], ['stats']];

describe('where nothing can be written', () => {
  test('a database that was closed is read', async () => {
    const sink = sqliteSink(join(state, 'records.db'));
    sink.push(kept(1));
    await sink.close();
    for (const args of READERS) expect(await hookscope(args)).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await hookscope(['doctor']);
    expect(stdout).toMatch(/^1 fire in .*records\.db within 7d\.$/m);
  });

  test('one that is not closed says what is missing, and nobody advises to move it away', async () => {
    const file = join(root, 'records.db');
    const sink = sqliteSink(file);
    sink.push(kept(1));
    await sink.flush();
    // Its writer is gone, and so is the file by which readers lock it.
    for (const end of ['', '-wal']) copyFileSync(file + end, join(state, `records.db${end}`));
    await sink.close();
    for (const args of READERS) {
      const { code, stderr } = await hookscope(args);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/cannot be read where nothing can be written.*make room/),
      ]);
    }
    const found = (await findings()).filter(({ about }) => about === 'records');
    expect(found).toEqual([
      {
        level: 'problem',
        about: 'records',
        text: expect.stringContaining('nothing can be written'),
        fix: expect.stringMatching(/^Make room/),
      },
    ]);
  });

  test('doctor says that the disk is full', async () => {
    const isFull = ({ text }: DoctorFinding): boolean => text.startsWith('There is no room on the disk of');
    expect((await findings('true')).some(isFull)).toBe(false);
    // Only the superuser can make a disk.
    if (process.getuid?.() !== 0) return;
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', state]);
    try {
      expect(() => writeFileSync(join(state, 'fill'), Buffer.alloc(1_000_000))).toThrow(/ENOSPC/);
      const found = (await findings('true')).filter(({ about }) => about === 'records');
      expect(found).toEqual([expect.objectContaining({ level: 'problem', fix: expect.stringMatching(/^Make room/) })]);
      expect(found.some(isFull)).toBe(true);
    } finally {
      execFileSync('umount', [state]);
    }
  });
});

describe('of two files of records, one that cannot be read', () => {
  test.each([
    ['is no file', (file: string) => execFileSync('mkfifo', [file])],
    ['is damaged', (file: string) => writeFileSync(file, `SQLite format 3\0${'x'.repeat(5000)}`)],
  ])('%s hides nothing of the other', async (_, make) => {
    make(join(state, 'records.db'));
    appendFileSync(join(state, 'records.ndjson'), `${JSON.stringify(kept(1))}\n`);
    for (const args of READERS) {
      const { code, stdout, stderr } = await hookscope(args);
      expect([code, stdout === '']).toEqual([0, false]);
      expect(stderr).toMatch(/records\.db: .*What is in the other file is shown\.\n$/);
    }
    const { stdout } = await hookscope(['doctor']);
    expect(stdout).toMatch(/^1 fire in \S*records\.ndjson within 7d\.$/m);
    expect(stdout).toMatch(/^problem {2}\S*records\.db: /m);
  });

  test('if none can be read, it is an error as before', async () => {
    for (const name of ['records.db', 'records.ndjson']) execFileSync('mkfifo', [join(state, name)]);
    for (const args of READERS) expect((await hookscope(args)).code).toBe(1);
    const { stdout } = await hookscope(['doctor']);
    expect(stdout.match(/is not a regular file/g)).toHaveLength(2);
    expect(stdout).toContain('could not be read, so it is not known what hooks did.');
  });
});
