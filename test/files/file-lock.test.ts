import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from '../../src/files/file-lock.js';
import { replaceFile } from '../../src/files/replace-file.js';
import { asNobodyHere } from '../nobody.js';
import { ROOT } from '../package/sources.js';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hookscope-lock-'));
  file = join(dir, 'file');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** The id of a process that has ended. */
const ended = (): number => Number(execFileSync('/bin/sh', ['-c', 'echo $$']).toString());

test('a lock is released, also by an error', () => {
  expect(withLock(file, () => existsSync(`${file}.lock`))).toBe(true);
  expect(() =>
    withLock(file, () => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(readdirSync(dir)).toEqual([]);
});

test.each<readonly [string, (lock: string) => void]>([
  ['of a process that has ended', (lock) => writeFileSync(lock, String(ended()))],
  [
    'that was never written to the end',
    (lock) => {
      writeFileSync(lock, '');
      utimesSync(lock, 0, 0);
    },
  ],
  [
    'of a process whose id another one has since, before it said when it started',
    (lock) => {
      writeFileSync(lock, String(process.ppid));
      utimesSync(lock, 1e9, 1e9);
    },
  ],
  ...(existsSync('/proc/self/stat')
    ? [
        [
          'of a process whose id another one has since',
          (lock: string) => writeFileSync(lock, `${process.ppid} 1`),
        ] as const,
      ]
    : []),
  ['that is a pipe', (lock) => void execFileSync('mkfifo', [lock])],
  ['that is a folder', (lock) => void mkdirSync(lock)],
  ['that is a link to nothing', (lock) => symlinkSync('nothing', lock)],
  ['that is a link to itself', (lock) => symlinkSync('file.lock', lock)],
  [
    'that was never written to the end, by a clock that was wrong',
    (lock) => {
      writeFileSync(lock, '');
      utimesSync(lock, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
    },
  ],
  [
    'of a process that has ended, and whose removal was killed',
    (lock) => {
      writeFileSync(lock, String(ended()));
      writeFileSync(`${lock}.removal`, String(ended()));
    },
  ],
])('a lock %s holds nobody up', (_, leave) => {
  leave(`${file}.lock`);
  const start = performance.now();
  expect(withLock(file, () => 1)).toBe(1);
  expect(performance.now() - start).toBeLessThan(1000);
  expect(readdirSync(dir)).toEqual([]);
});

test('a lock that is held is waited for', () => {
  const lock = `${file}.lock`;
  const holder = spawn('/bin/sh', [
    '-c',
    `echo $$ > '${lock}.new'; mv '${lock}.new' '${lock}'; sleep 0.5; rm '${lock}'`,
  ]);
  while (!existsSync(lock)) spawnSync('sleep', ['0.01']);
  expect(withLock(file, () => readFileSync(lock, 'utf8'))).toMatch(new RegExp(`^${process.pid}\\b`));
  expect(holder.exitCode ?? 0).toBe(0);
});

test('while another process removes a lock, the processor rests, and the message names what is held', () => {
  writeFileSync(`${file}.lock`, String(ended()));
  writeFileSync(`${file}.lock.removal`, String(process.pid));
  const before = process.cpuUsage();
  expect(() => withLock(file, () => 1)).toThrow(`${file}.lock.removal is held by another command; if there is none`);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(2.5);
});

test.each<readonly [string, number, (lock: string) => void, RegExp]>([
  ['in a folder without write permission', 0o555, () => undefined, /EACCES/],
  ['whose removal was killed, too', 0o555, (lock) => writeFileSync(`${lock}.removal`, String(ended())), /EACCES/],
  // As root only, since there is another user then.
  ...(process.getuid?.() === 0 ? [['of another user', 0o1777, () => undefined, /EPERM/] as const] : []),
])('a dead lock %s says why it cannot be removed, and what to do', async (_, mode, leave, code) => {
  const lock = `${file}.lock`;
  writeFileSync(lock, String(ended()));
  leave(lock);
  chmodSync(dir, mode);
  try {
    const error = await asNobodyHere(async () => withLock(file, () => 1)).catch((e: unknown) => e);
    expect(String(error)).toMatch(code);
    expect(String(error)).toContain(`${lock} was left by a command that has ended`);
    expect(String(error)).toMatch(/; remove it as a user who may$/);
    expect(String(error)).not.toMatch(/ENOTDIR/);
  } finally {
    chmodSync(dir, 0o755);
  }
});

const run = (code: string, ...args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code, ...args], {
      cwd: ROOT,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
    child.on('close', () => resolve(text));
  });

test('a process that cannot take a lock leaves that of another', async () => {
  const held = `${process.pid}`;
  writeFileSync(`${file}.lock`, held);
  const code = `
    import { openSync } from 'node:fs';
    import { withLock } from './src/files/file-lock.js';
    try { withLock('/dev/null/x', () => 1); } catch {}
    try { for (;;) openSync('/dev/null'); } catch {}
    try { withLock(process.argv[1], () => 1); } catch (error) { console.log(error.code); }
  `;
  expect((await run(code, file)).trim()).toBe('EMFILE');
  expect(readFileSync(`${file}.lock`, 'utf8')).toBe(held);
});

test('of processes that meet locks without holders again and again, one at a time has the lock', async () => {
  writeFileSync(file, '0');
  const until = String(Date.now() + 4000);
  const counting = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import { withLock } from './src/files/file-lock.js';
    const [file, until] = process.argv.slice(1);
    let own = 0;
    for (; Date.now() < until; own++)
      withLock(file, () => {
        const n = Number(readFileSync(file, 'utf8'));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
        writeFileSync(file, String(n + 1));
      });
    console.log(own);
  `;
  const planting = `
    import { writeFileSync } from 'node:fs';
    const [file, until] = process.argv.slice(1);
    while (Date.now() < until) try { writeFileSync(file + '.lock', '999999999 1', { flag: 'wx' }); } catch {}
  `;
  const [, ...counts] = await Promise.all(
    [planting, counting, counting, counting].map((code) => run(code, file, until)),
  );
  expect(counts.join('')).toMatch(/^(?:[1-9]\d*\n){3}$/);
  const sum = counts.reduce((all, count) => all + Number(count), 0);
  expect(Number(readFileSync(file, 'utf8'))).toBe(sum);
});

test('a file is replaced although a process with the same id was killed while it wrote', () => {
  writeFileSync(`${file}.${process.pid}.tmp`, 'half');
  replaceFile(file, 'whole', 0o600);
  expect(readFileSync(file, 'utf8')).toBe('whole');
});

const ADD = `
  import { createTrustStore } from './src/trust/store.js';
  const [path, who] = process.argv.slice(1);
  const store = createTrustStore(path);
  for (let i = 0; i < 10; i++) store.accept({ file: \`/p/\${who}-\${i}\`, project: '/p', definition: '{}', files: {}, at: '' });
  store.revoke(\`/p/\${who}-0\`);
`;

test('of acceptances by several processes at once none is lost', async () => {
  writeFileSync(`${file}.lock`, String(ended()));
  const runs = [1, 2, 3, 4].map(
    (who) =>
      new Promise<string>((resolve) => {
        const child = spawn(
          process.execPath,
          ['--import', 'tsx', '--input-type=module', '-e', ADD, file, String(who)],
          { cwd: ROOT },
        );
        let errors = '';
        child.stderr.on('data', (chunk: Buffer) => {
          errors += chunk.toString();
        });
        child.on('close', () => resolve(errors));
      }),
  );
  expect(await Promise.all(runs)).toEqual(['', '', '', '']);
  const { accepted } = JSON.parse(readFileSync(file, 'utf8')) as { accepted: { file: string }[] };
  const expected = [1, 2, 3, 4].flatMap((who) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `/p/${who}-${i}`));
  expect(accepted.map((one) => one.file).sort()).toEqual(expected);
  expect(readdirSync(dir)).toEqual(['file']);
});
