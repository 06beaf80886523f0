import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useBuilt } from '../built.js';

const built = useBuilt({ 'host-chaos': 'test/fixtures/programs/host-chaos.ts' });

async function run(how: string): Promise<Record<string, unknown>> {
  const program = join(built, 'host-chaos.js');
  const { stdout } = await promisify(execFile)(process.execPath, [program, how]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('whatever handlers, watchers and interceptors do, no rejection is unhandled and nothing is left after close', async () => {
  expect(await run('chaos')).toEqual({ unhandled: [], left: 0, logged: true });
});

test('a process whose host was not closed ends by itself when nothing is under way', async () => {
  expect(await run('left')).toEqual({ unhandled: [] });
});
