import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/record.js';
import { fire } from '../emit/samples.js';
import { SAMPLES } from '../store/records.js';
import { cli } from './cli.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-hosts-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const none = { ...fire().decision, verdict: 'none' as const };
let at = 0;
/** A record of a host, later than those before it. */
function of(host: string, more: object = {}): object {
  at += 1;
  const time = new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString();
  return { ...fire(), host_id: host, seq: at, time, fire_id: `fire ${at}`, tool_use_id: 'call', ...more };
}
const sample = (type: string): object => SAMPLES.find((one) => one.type === type) ?? {};

async function told(records: readonly object[], ...args: string[]): Promise<string> {
  const file = join(folder, 'records.ndjson');
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const { stdout, stderr } = await cli([...args, '--store', file], { cwd: folder });
  return stdout + stderr;
}

test('why shows all that was asked about a call, the strictest first, and its alarm', async () => {
  const records = [
    of('server', { decision: none, input: fire().input }),
    of('other', { stateless: true }),
    of('third', { stateless: true, decision: none, event: 'PostToolUse' }),
    of('server', {
      ...sample('hook_alarm'),
      tool_use_id: 'call',
      session_id: fire().session_id,
      agent_id: fire().agent_id,
    }),
  ];
  const text = await told(records, 'why', 'call');
  expect(text).toMatch(
    /PreToolUse[\s\S]*decided: deny[\s\S]*PreToolUse[\s\S]*agent's own permission rules decide[\s\S]*ALARM/,
  );
});

test('why says what a hook that is not enforced would have said, as JSON too', async () => {
  const asked = of('a', { decision: none });
  const shadow = of('a', { decision: none, shadow_of: (asked as FireRecord).fire_id, would: 'deny' });
  const id = (shadow as FireRecord).fire_id;
  for (const what of [[id], ['call', '--shadow'], ['last', '--shadow']]) {
    expect(await told([asked, shadow], 'why', ...what)).toContain('is not enforced: it would deny; the fire');
    const json = JSON.parse(await told([asked, shadow], 'why', ...what, '--json'));
    expect(json).toMatchObject({ fire_id: id, decision: [expect.stringContaining('would deny')] });
  }
  expect(await told([asked, shadow], 'why', 'call')).not.toContain('not enforced');
});

test('why of a call without fires is JSON too, if asked for', async () => {
  const call = { ...sample('tool_call'), tool_use_id: 'alone' };
  expect(JSON.parse(await told([call], 'why', 'alone', '--json'))).toMatchObject({ outcome: [expect.any(String)] });
});

test('the type of an agent is known whichever host told it, and whenever', async () => {
  const agent = { agent_id: 'q77', decision: none };
  const records = [
    of('a', { ...agent, event: 'SubagentStart', input: { agent_type: 'reviewer' } }),
    of('b', { ...agent, input: {} }),
    of('c', { ...agent, input: {} }),
  ];
  const since = ['--since', (records[1] as FireRecord).time.replace(/:00\.000Z$/, 'Z')];
  const lines = async (...args: string[]) =>
    (await told(records, 'history', '--agent', 'reviewer', ...args)).trim().split('\n').length;
  for (const limit of [[], ['--limit', '0']]) {
    expect(await lines(...limit)).toBe(3);
    expect(await lines(...limit, ...since)).toBe(2);
  }
  // Also where the type comes last.
  expect(await told(records.toReversed(), 'stats', '--by', 'agent')).not.toContain('agent q77');
  const alarm = of('a', {
    ...sample('hook_alarm'),
    agent_id: 'q77',
    session_id: fire().session_id,
    agent_type: undefined,
  });
  const alarms = ['--alarms', '--agent', 'reviewer', '--limit', '0', '--since', '2026-01-01T00:04Z'];
  expect(await told([...records, alarm], 'history', ...alarms)).toContain('ALARM');
});

test('stats counts runs, denials and failures by fire, and no denial of what decided nothing', async () => {
  const [handler] = fire().handlers;
  const denies = { ...handler, name: 'guard', verdict: 'deny', reasked: 1 };
  const records = [
    of('a', { handlers: [denies] }),
    of('a', { handlers: [{ ...denies, name: 'watcher', phase: 'observe' }], decision: none }),
    of('a', { handlers: [{ ...denies, name: 'late' }], error: 'ABORTED' }),
    of('b', { unanswered: 'its hooks have not answered in time', handlers: [] }),
    of('b', {
      unanswered: 'standard output is closed or ignored, so nobody hears the answer: {}',
      handlers: [],
      tool_use_id: 'x',
    }),
  ];
  const text = await told(records, 'stats', '--json');
  const rows = text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  expect(Object.fromEntries(rows.map(({ hook, runs, denials }) => [hook, [runs, denials]]))).toEqual({
    guard: [1, 1],
    watcher: [1, 0],
    late: [1, 0],
  });
  expect(text).toMatch(
    /2 of the 4 fires were answered .* answer of the hooks could not be given, or the hooks could not be asked/,
  );
  expect(await told(records, 'why', 'x')).toContain(
    'since the answer of the hooks could not be given: "standard output',
  );
  const why = await told([records[2] as object], 'why', 'last');
  expect(why).not.toContain('counts as');
  expect(await told([records[2] as object], 'history', '--blocked')).toContain('nothing of that kind');
});
