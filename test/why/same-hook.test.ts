import { expect, test } from 'vitest';
import { Health } from '../../src/cli/doctor/health.js';
import type { FireRecord, HandlerRecord } from '../../src/emit/record.js';
import { createHost } from '../../src/index.js';
import { countedIn, Tallies } from '../../src/why/tally.js';

/** The record of a fire in `/p` with a hook from each of these files, all of one name; those from files named `bad…` fail. */
async function fired(files: readonly string[]): Promise<FireRecord> {
  const host = createHost({ logger: () => undefined });
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => void (record.type === 'hook_fire' && records.push(record)));
  for (const file of files)
    host.on('Stop', () => (file.includes('bad') ? Promise.reject(new Error('no')) : undefined), { name: file });
  await host.fire('Stop', { cwd: '/p', stop_hook_active: false });
  await host.close();
  const [record] = records as [FireRecord];
  const handlers = record.handlers.map(
    (one): HandlerRecord => ({ ...one, name: 'guard', source: { kind: 'hooks-file', file: one.name } }),
  );
  return { ...record, handlers };
}

const rowsOf = (fires: readonly FireRecord[]) => {
  const counted = new Tallies();
  for (const fire of fires) for (const hook of countedIn(fire)) counted.add(fire, hook, undefined);
  return counted.rows().map(({ hook, place, runs, failures }) => [hook, place, runs, failures]);
};

test('hooks of one name of several files are counted each by itself', async () => {
  const files = ['/p/a.json', '/p/bad.json', '/q/a.json'];
  const fires = [await fired(files), await fired(files.slice(0, 1)), await fired(files)];
  expect(rowsOf(fires).sort()).toEqual(
    files.map((place, i) => ['guard', place, i === 0 ? 3 : 2, place.includes('bad') ? 2 : 0]).sort(),
  );
});

test('hooks of one name of one file are counted together, once in a fire', async () => {
  const bad = ['/p/bad.json', '/p/bad.json'];
  expect(rowsOf([await fired(bad), await fired(bad), await fired(bad.slice(1))])).toEqual([['guard', undefined, 3, 3]]);
});

test('doctor blames the file whose hook fails', async () => {
  const health = new Health((record) => record);
  for (const files of [['/p/bad.json', '/p/a.json'], ['/p/a.json', '/p/bad.json'], ['/p/a.json']])
    health.add(await fired(files));
  expect(health.findings(1000).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^guard \(\/p\/bad\.json\) failed each of the 2 times it ran on Stop/),
  ]);
  expect([health.lists('Stop', 'guard'), health.lists('Stop', 'other'), health.lists('PreToolUse', 'guard')]).toEqual([
    ...[true, false, false],
  ]);
});
