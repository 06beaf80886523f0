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

let run: Promise<{ stdout: string }> | undefined;
/** The output of the program, which runs once. */
async function thenables(): Promise<string> {
  run ??= promisify(execFile)(process.execPath, [join(built, 'host-thenables.js')]);
  return (await run).stdout;
}

test('what a thenable returns from its then is heard: its rejection fails whoever answered it, and does not end the process', async () => {
  const stdout = await thenables();
  const { hook, apply, execute, ask, sink, twice, chains, ...others } = JSON.parse(stdout) as Record<
    string,
    Record<string, unknown>
  >;
  const failed = 'deny threw: Error: connection refused';
  const ends = Array<unknown>(5);
  expect(Object.values(hook!)).toEqual([...ends.fill(failed), 'none']);
  expect(Object.values(apply!)).toEqual([...ends.fill(expect.stringContaining('connection refused')), 'used']);
  expect(Object.values(execute!)).toEqual([...ends.fill('failed'), 'ran']);
  expect(Object.values(ask!)).toEqual([...ends.fill('denied'), 'denied']);
  expect(Object.values(sink!)).toEqual([...ends.fill('dropped 1'), 'dropped 0']);
  expect(Object.keys(others)).toEqual(['result of an async answer', 'cleanup', 'permission', 'subscriber']);
});

test('the first callback of a thenable counts, whatever it calls afterwards; a chain of thenables is followed, and has an end', async () => {
  const stdout = await thenables();
  const { twice, chains } = JSON.parse(stdout) as { twice: [string, string, string][]; chains: string[] };
  expect(twice.length).toBe(14 * 14 * 2);
  const words: Record<string, RegExp> = {
    none: /^none$/,
    unreadable: /^deny bad_schema: .*cannot be read/,
    denied: /^deny threw: /,
  };
  for (const [name, outcome, got] of twice) expect(got, name).toMatch(words[outcome] ?? new RegExp(`^${outcome}$`));
  expect(chains[0]).toBe('deny');
  expect(chains[1]).toBe('deny');
  for (const refused of chains.slice(2))
    expect(refused).toMatch(/^deny bad_schema: .*resolves to another one, more than 10000 times/);
});
