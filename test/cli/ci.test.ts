import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../package/sources.js';
import { cli } from './cli.js';

const FOLDER = join(ROOT, 'test/fixtures/ci');
const shapes = readdirSync(FOLDER).sort();

const run = (shape: string, file: string) =>
  cli(['test', file, '--settings', '.claude/settings.json'], {
    cwd: join(FOLDER, shape),
    env: { HOME: '/nonexistent' },
  });
const examplesIn = (shape: string, file: string): number =>
  readFileSync(join(FOLDER, shape, file), 'utf8').match(/^- /gm)?.length ?? 0;

test.each(shapes)('%s: its examples pass, and what it misses is seen', async (shape) => {
  const passes = await run(shape, 'passes.hooktest.yaml');
  expect([passes.stdout, passes.code]).toEqual([expect.stringMatching(/examples?, all as expected\n$/), 0]);
  const misses = await run(shape, 'misses.hooktest.yaml');
  expect(misses.code).toBe(1);
  expect(misses.stdout.match(/^FAIL /gm)).toHaveLength(examplesIn(shape, 'misses.hooktest.yaml'));
});

test('docs/ci.md has a row for each shape, in the same order', () => {
  const rows = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8').match(/^\| [A-Z]\w+.* \| \d+ \| /gm) ?? [];
  const events = shapes.map((shape) => {
    const { hooks } = JSON.parse(readFileSync(join(FOLDER, shape, '.claude/settings.json'), 'utf8')) as {
      hooks: object;
    };
    return Object.keys(hooks)[0];
  });
  expect(rows.map((row) => /\w+/.exec(row)?.[0])).toEqual(events);
  expect(events).toHaveLength(20);
});
