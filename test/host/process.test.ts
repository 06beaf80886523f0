import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../fixtures/programs/host-chaos.ts', import.meta.url));

async function run(how: string): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', PROGRAM, how], {
    timeout: 60_000,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('whatever handlers, watchers and interceptors do, no rejection is unhandled and nothing is left after close', async () => {
  expect(await run('chaos')).toEqual({ unhandled: [], left: 0, logged: true });
}, 90_000);

test('a process whose host was not closed ends by itself when nothing is under way', async () => {
  expect(await run('left')).toEqual({ unhandled: [] });
}, 90_000);
