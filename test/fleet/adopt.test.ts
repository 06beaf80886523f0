import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { adopt, makeLogFolder, release } from '../../src/fleet/log/folders.js';
import { useBuilt } from '../built.js';
import { ownFolder } from './bundles.js';

const built = useBuilt({ folders: 'src/fleet/log/folders.ts' });

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
