import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useBuilt } from '../built.js';
import { SEED } from '../seed.js';

const built = useBuilt({
  'host-answers': 'test/fixtures/programs/host-answers.ts',
  'host-thenables': 'test/fixtures/programs/host-thenables.ts',
});
const COUNT = Number(process.env['HOOKSCOPE_GENERATED'] ?? 80);

test(`whatever callbacks hand back, every fire is decided and the process lives (HOOKSCOPE_SEED=${SEED})`, async () => {
  const args = [join(built, 'host-answers.js'), String(SEED), String(COUNT)];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
  const fires = COUNT * 2;
  expect(JSON.parse(stdout)).toEqual({ seed: SEED, fires, decided: fires, calls: 0, unhandled: [] });
}, 600_000);

test('what a thenable returns from its then is heard: its rejection fails whoever answered it, and does not end the process', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(built, 'host-thenables.js')]);
  const { hook, apply, execute, ask, sink, ...others } = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
  const failed = 'deny threw: Error: connection refused';
  const ends = Array<unknown>(5);
  expect(Object.values(hook!)).toEqual([...ends.fill(failed), 'none']);
  expect(Object.values(apply!)).toEqual([...ends.fill(expect.stringContaining('connection refused')), 'used']);
  expect(Object.values(execute!)).toEqual([...ends.fill('failed'), 'ran']);
  expect(Object.values(ask!)).toEqual([...ends.fill('denied'), 'denied']);
  expect(Object.values(sink!)).toEqual([...ends.fill('dropped 1'), 'dropped 0']);
  expect(Object.keys(others)).toEqual(['result of an async answer', 'cleanup', 'permission', 'subscriber']);
});
