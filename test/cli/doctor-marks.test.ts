import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/cli/doctor/finding.js';
import { createOpenMark } from '../../src/emit/sinks/files/open-mark.js';
import { startOf } from '../../src/values/processes.js';
import { fire } from '../emit/samples.js';
import { cli } from './cli.js';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-marks-')));
  mkdirSync(join(root, 'project'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const DAY = 86_400_000;
const DEAD = 999_999_999;
/** What is to be written next, and the records that are read. */
const STORE = 'state/hookscope/records.db';
const file = (): string => join(root, 'state/hookscope/records.ndjson');
const run = (...args: string[]) =>
  cli(args, {
    cwd: join(root, 'project'),
    env: {
      HOME: join(root, 'home'),
      XDG_STATE_HOME: join(root, 'state'),
      XDG_RUNTIME_DIR: join(root, 'run'),
      XDG_CONFIG_HOME: join(root, 'config'),
    },
  });

/** A mark written so many milliseconds ago: by a process that found room for it, or empty. */
function mark(pid: number, ago: number, fields?: object, store = join(root, STORE)): string {
  const path = `${store}.writing.${pid}-0123abcd`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    fields === undefined ? '' : JSON.stringify({ pid, since: '2026-01-01', hosts: ['m'], ...fields }),
  );
  const at = new Date(Date.now() - ago);
  utimesSync(path, at, at);
  return path;
}

/** A record made so many milliseconds ago. */
function keep(ago: number): void {
  mkdirSync(dirname(file()), { recursive: true });
  const time = new Date(Date.now() - ago).toISOString();
  writeFileSync(file(), `${JSON.stringify({ ...fire(1), time, host_id: 'h', handlers: [] })}\n`);
}

async function problems(...args: string[]): Promise<string[]> {
  const { stdout } = await run('doctor', '--json', ...args);
  const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as DoctorFinding]));
  return found.flatMap(({ level, about, text }) => (level === 'problem' && about === 'records' ? [text] : []));
}

/** Whether doctor and history say that records are being lost. */
async function lose(): Promise<readonly [doctor: boolean, history: boolean]> {
  const { stderr } = await run('history');
  return [(await problems()).length > 0, /no room|could not write/.test(stderr)];
}

test('what stands in the place of a mark and is no file that ends is left alone by doctor, history and the next writer', async () => {
  keep(0);
  const store = join(root, STORE);
  execFileSync('mkfifo', [`${store}.writing.${DEAD}-0123abcd`]);
  mkdirSync(`${store}.writing.${DEAD}-0123abce`);
  expect(await lose()).toEqual([false, false]);
  const own = createOpenMark(store, true);
  own.host('h');
  own.end();
  expect(readdirSync(dirname(file()))).toContain(`records.db.writing.${DEAD}-0123abcd`);
});

test.each([
  ['empty', undefined],
  ['of no known start', { lost: 3 }],
])('a mark that is %s is of the process with its number only if that was there before it', async (_, fields) => {
  const own = mark(process.pid, 400 * DAY, fields);
  // A record from before: only a process that runs can be losing some now.
  keep(500 * DAY);
  const [doctor] = await lose();
  rmSync(own);
  mark(process.pid, 1_500, fields);
  keep(DAY);
  expect([doctor, await lose()]).toEqual([true, [true, true]]);
  // A record that was made since shows that there is room.
  keep(0);
  expect(await lose()).toEqual([false, false]);
});

test('a process that started later than a mark without its start is not said to write', async () => {
  mark(process.pid, 400 * DAY, { lost: 3 });
  keep(500 * DAY);
  expect(await problems()).toEqual([expect.stringContaining(`Process ${process.pid}, which wrote to `)]);
  mark(process.pid, 400 * DAY, { lost: 3 }, file());
  expect(await problems('--store', file())).toEqual([]);
  mark(process.pid, 0, { lost: 3, started: startOf(process.pid) }, file());
  keep(0);
  expect(await problems('--store', file())).toEqual([expect.stringContaining(', which writes to ')]);
});

test('whether records are being lost does not depend on which are asked for', async () => {
  mark(DEAD, 20 * DAY, { lost: 3 });
  keep(3_000);
  expect(await problems('--since', '1s')).toEqual([]);
  expect((await run('history', '--event', 'Stop')).stderr).not.toContain('could not write');
  expect((await run('history', '--since', '1s')).stderr).not.toContain('could not write');
  rmSync(file());
  mark(DEAD, 1_000);
  keep(20 * DAY);
  expect(await problems('--since', '1s')).toEqual([expect.stringContaining('found no room')]);
  expect((await run('history', '--event', 'Stop')).stderr).toContain('no room was found');
});

test.each([['empty', undefined] as const, ['lost', { lost: 1 }] as const])(
  'a mark (%s) or a record of a clock that was ahead says nothing of now',
  async (_, fields) => {
    mark(DEAD, -300 * DAY, fields);
    keep(1_000);
    expect(await lose()).toEqual([false, false]);
    mark(DEAD, 1_000, fields);
    keep(-300 * DAY);
    expect(await lose()).toEqual([true, true]);
  },
);

test("a mark's text is printed plain", async () => {
  mark(DEAD, 0, { since: '\u001b[31mX\nproblem  faked', hosts: ['\u001b]0;t\u0007'], lost: 3 });
  keep(DAY);
  const { stdout } = await run('doctor');
  expect(stdout).toContain('since \\u{1b}[31mX\\nproblem  faked, could not write its last 3 records');
});

test.each([-1, 0, 1.5, null, '3'])('a mark of %j lost records says no number', async (lost) => {
  mark(DEAD, 0, { lost });
  keep(DAY);
  const { stdout } = await run('doctor');
  expect(stdout).not.toMatch(/its last \S+ records?\b/);
});
