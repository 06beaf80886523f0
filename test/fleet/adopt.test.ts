import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { asideIn } from '../../src/fleet/log/aside.js';
import { adopt, makeLogFolder, release } from '../../src/fleet/log/folders.js';
import { Wal } from '../../src/fleet/log/wal.js';
import { useBuilt } from '../built.js';
import { ownFolder } from './bundles.js';

const built = useBuilt({ folders: 'src/fleet/log/folders.ts', aside: 'src/fleet/log/aside.ts' });

/** As soon as it is told to, takes what there is and leaves it again, many times; says what was wrong with what it had. */
const TAKER = `
  const [built, parent] = process.argv.slice(1);
  const { adopt, release } = await import(built);
  const { readFileSync } = await import('node:fs');
  const wrong = [];
  const take = () => {
    for (const folder of adopt(parent)) {
      readFileSync(folder + '/whose');
      const { pid } = JSON.parse(readFileSync(folder + '/owner.json', 'utf8'));
      if (pid !== process.pid) wrong.push('it has another owner');
      release(folder);
    }
  };
  process.stdin.once('data', () => {
    for (let i = 0; i < 100; i++) {
      try {
        take();
      } catch (error) {
        wrong.push(error.message.split(',')[0]);
      }
    }
    process.stdout.write(JSON.stringify(wrong));
    process.stdin.destroy();
  });
  process.stdout.write('ready ');
`;

test('what others have left is taken by one of many who try at once, and none is lost', async () => {
  const parent = ownFolder();
  const names = Array.from({ length: 30 }, (_, i) => String(i));
  for (const name of names) {
    const folder = makeLogFolder(parent);
    writeFileSync(join(folder, 'whose'), name);
    release(folder);
  }
  const args = ['--input-type=module', '--eval', TAKER, join(built, 'folders.js'), parent];
  const takers = names.slice(0, 4).map(() => spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  const said = takers.map((one) => text(one.stdout));
  await Promise.all(takers.map((one) => new Promise((resolve) => one.stdout.once('data', resolve))));
  for (const one of takers) one.stdin.write('go');
  expect(await Promise.all(said)).toEqual(takers.map(() => 'ready []'));
  const left = readdirSync(parent).map((name) => readFileSync(join(parent, name, 'whose'), 'utf8'));
  expect(left.toSorted()).toEqual(names.toSorted());
});

test('one that somebody is taking is left to him for as long as he may need', () => {
  const parent = ownFolder();
  const taken = join(parent, 'taken-00000000-0000-4000-8000-000000000000');
  mkdirSync(taken, { mode: 0o700 });
  writeFileSync(join(taken, 'owner.json'), JSON.stringify({ pid: 0, where: 'nowhere' }));
  expect(adopt(parent)).toEqual([]);
  expect(readFileSync(join(taken, 'owner.json'), 'utf8')).toContain('nowhere');
});

/** Puts records aside, one with each line that it is told. */
const WRITER = `
  const [built, folder, name] = process.argv.slice(1);
  const { putAside } = await import(built);
  process.stdin.once('data', () => {
    for (let i = 0; i < 300; i++)
      putAside(folder, [Buffer.from(JSON.stringify({ id: name + i }) + '\\n')], { segmentBytes: 2_000, maxBytes: 1_000_000 });
    process.stdin.destroy();
  });
  process.stdout.write('ready ');
`;

test('what many put aside at once, while others take it away, is all there', async () => {
  const folder = ownFolder();
  const writers = ['a', 'b', 'c'].map((name) =>
    spawn(process.execPath, ['--input-type=module', '--eval', WRITER, join(built, 'aside.js'), folder, name], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  let left = writers.length;
  for (const one of writers) one.once('exit', () => (left -= 1));
  await Promise.all(writers.map((one) => new Promise((resolve) => one.stdout.once('data', resolve))));
  for (const one of writers) one.stdin.write('go');
  const wal = new Wal(ownFolder(), { segmentBytes: 2_000, maxBytes: 1_000_000 });
  const own = (i: number): Buffer => Buffer.from(`${JSON.stringify({ id: `own${i}` })}\n`);
  let i = 0;
  for (let isLast = false; !isLast; ) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    isLast = left === 0;
    for (const file of asideIn(folder)) {
      try {
        wal.take(file);
      } catch (error) {
        // As the outbox does: a writer whose file is full has renamed it since it was listed.
        if (isLast || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    wal.append([own(i++)]);
  }
  const ids = wal.next(100_000).map(({ line }) => JSON.parse(line.toString()).id as string);
  const all = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 300 }, (_, at) => `${name}${at}`));
  expect(new Set(ids)).toEqual(new Set([...all, ...Array.from({ length: i }, (_, at) => `own${at}`)]));
  expect(wal.waiting).toBe(ids.length);
  expect(readdirSync(folder)).toEqual([]);
});

test('what is still written into a file after it was taken is counted nowhere: whoever wrote it writes it again', () => {
  const [folder, aside] = [ownFolder(), join(ownFolder(), 'aside.ndjson')];
  const line = (id: number): Buffer => Buffer.from(`${JSON.stringify({ id })}\n`);
  writeFileSync(aside, Buffer.concat([line(1), line(2)]));
  const wal = new Wal(folder, { segmentBytes: 40, maxBytes: 100 });
  wal.take(aside);
  const [taken] = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
  appendFileSync(join(folder, taken as string), line(3));
  // Until it is dropped.
  for (let id = 4; wal.dropped === 0; id++) wal.append([line(id)]);
  expect(wal.dropped).toBe(2);
  expect(wal.waiting).toBe(wal.next(100).length);
});
