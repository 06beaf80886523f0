import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { createHost, deny, type Host, rewrite } from '../../src/index.js';
import { openFires } from '../../src/replay/open.js';
import type { RecordedFire } from '../../src/replay/recorded.js';
import { firesOf } from '../../src/replay/source.js';
import { readRecord } from '../../src/store/read-record.js';
import { all } from './all.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', session_id: 's1' };
const dir = mkdtempSync(join(tmpdir(), 'replay-'));
afterAll(() => rmSync(dir, { recursive: true }));

async function recorded(place: string, run: (host: Host) => Promise<unknown>): Promise<RecordedFire[]> {
  const host = createHost({ logger: () => {} });
  const sink = (place.endsWith('.db') ? sqliteSink : ndjsonSink)(join(dir, place));
  sink.attach(host.events$);
  await run(host);
  await host.close();
  await sink.close();
  return all(openFires(join(dir, place)));
}

describe.each(['fires.ndjson', 'fires.db'])('fires recorded to %s', (place) => {
  test('come in order, with every hook, its answers, and every form of the input', async () => {
    const fires = await recorded(place, async (host) => {
      host.register({
        PreToolUse: [
          { matcher: 'Bash', hooks: [() => rewrite({ command: 'ls -l' }), () => deny('no')] },
          { matcher: 'Edit', hooks: [() => deny('never')] },
        ],
      });
      await host.fire('PreToolUse', CALL);
      await host.fire('PreToolUse', { ...CALL, agent_id: 'a1', agent_type: 'reviewer' });
    });
    expect(fires.map(({ agent, agentType, scope }) => [agent, agentType, scope])).toEqual([
      [undefined, undefined, 'session'],
      ['a1', 'reviewer', 'a1'],
    ]);
    const [first] = fires as [RecordedFire];
    expect(first).toMatchObject({ event: 'PreToolUse', session: 's1', toolUse: 't1', masked: false, inferred: [] });
    expect(first.versions).toEqual([{ command: 'ls -l' }]);
    expect(first.hooks?.map(({ skipped }) => skipped)).toEqual([undefined, undefined, 'matcher']);
    expect(first.hooks?.map(({ answers }) => answers.map(({ judged }) => judged))).toEqual([[0], [1], []]);
    expect(first.decision).toMatchObject({ verdict: 'deny', reason: 'no' });
    expect(first.revision).toMatch(/^[0-9a-f]{32}$/);
    for (const { definition } of first.hooks ?? []) expect(definition).toMatch(/^[0-9a-f]{32}$/);
  });

  test('what was asked in a shadow is told with its fire, and fires keep their order', async () => {
    const fires = await recorded(`shadow-${place}`, async (host) => {
      host.register({ PreToolUse: [{ enforce: false, matcher: 'Bash', hooks: [() => deny('would')] }] });
      await host.fire('PreToolUse', CALL);
      await host.fire('PreToolUse', { ...CALL, tool_name: 'Read', tool_use_id: 't2' });
      await host.fire('PreToolUse', { ...CALL, tool_use_id: 't3' });
    });
    expect(fires.map(({ toolUse }) => toolUse)).toEqual(['t1', 't2', 't3']);
    expect(fires.map(({ hooks }) => hooks?.[0]?.answers.length)).toEqual([1, 0, 1]);
    expect(fires[0]?.hooks?.[0]).toMatchObject({ skipped: 'shadow', answers: [{ judged: 0 }] });
    expect(JSON.stringify(fires[0]?.hooks?.[0]?.answers)).toContain('would');
  });
});

test('a record of an older version is read: its hooks are known by their names', async () => {
  const old = {
    type: 'hook_fire',
    seq: 1,
    time: '2026-01-31T09:15:00.000Z',
    fire_id: 'f',
    event: 'PreToolUse',
    scope: 'session',
    session_id: 's',
    input: CALL,
    decision: {
      event: 'PreToolUse',
      fold: 'gate',
      verdict: 'deny',
      continue: true,
      overruled: [],
      failures: [],
      conflicts: [],
    },
    handlers: [
      {
        id: 'a#1',
        name: './guard.sh',
        handler: 'command',
        status: 'ran',
        verdict: 'deny',
        output: { decision: 'block' },
      },
    ],
  };
  const { record } = readRecord(old);
  const [fire] = await all(firesOf([record as never], 'old.ndjson'));
  expect(fire?.hooks).toEqual([
    expect.objectContaining({
      name: './guard.sh',
      definition: undefined,
      answers: [expect.objectContaining({ judged: 0, output: { decision: 'block' } })],
    }),
  ]);
  expect(fire?.host).toBeUndefined();
});
