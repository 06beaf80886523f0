import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../package/sources.js';

const MOST_LINES = 40;
const folder = join(ROOT, 'examples/plugins');
const plugins = readdirSync(folder).filter((name) => !name.includes('.'));

test.each(plugins)(`%s: its tests pass, and have at most ${MOST_LINES} lines`, async (name) => {
  const file = join(folder, name, 'index.test.js');
  expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  const args = ['--test', '--test-reporter=tap', file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: join(folder, name) });
  expect(stdout).toMatch(/^# pass [1-9]\d$/m);
});
