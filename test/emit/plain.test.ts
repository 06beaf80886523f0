import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../src/claude-code/files/findings.js';
import { createHost } from '../../src/create-host.js';
import { formatFire, formatRecord } from '../../src/emit/reading/print.js';
import type { HookRecord, UnstampedRecord } from '../../src/emit/record.js';
import { hookProgress, hookResponse, hookStarted } from '../../src/emit/run-records.js';
import { HookscopeError } from '../../src/errors.js';
import { deny } from '../../src/events/output/helpers.js';
import { clip, plain, plainJson, plainLines } from '../../src/plain.js';
import { fire, RUN } from './samples.js';

/** By number, and not by the properties that the code asks for: what moves, colours, reorders or hides. */
const RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xe000, 0xf8ff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xf0000, 0x10ffff],
];
const all = RANGES.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
const RAW = new RegExp(
  `[${RANGES.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('')}]`,
  'u',
);
/** One of each kind, and a line that pretends to be ours. */
const NASTY = `a${RANGES.map(([from]) => String.fromCodePoint(from)).join('b')}\nSPOOF\u001b[2J\u009b1m`;

describe('text as a terminal shows it', () => {
  test('writes out every character that would move, colour, reorder or hide', () => {
    expect(all.filter((code) => RAW.test(plain(String.fromCodePoint(code))))).toEqual([]);
    expect(
      all.filter((code) => !/^x\\(?:[nrt]|u\{[\da-f]+\})y$/.test(plain(`x${String.fromCodePoint(code)}y`))),
    ).toEqual([]);
  });

  test('keeps letters of all languages, combining marks, and emoji with the selector that makes them one', () => {
    const text = 'größe e\u0301 日本語 한국어 العربية עברית हिन्दी 🙂 ⚠\ufe0f €\u00a0½ │█░ \u3000';
    expect(plain(text)).toBe(text);
    expect(plainLines(text)).toBe(text);
    expect(JSON.parse(plainJson(text))).toBe(text);
    expect(plain('a\tb\r\n\u0000\u009b\u202e')).toBe('a\\tb\\r\\n\\u{0}\\u{9b}\\u{202e}');
    expect(plain('a\ufe0f ⚠\ufe0f\ufe0f \u{e0041}')).toBe('a\\u{fe0f} ⚠\ufe0f\\u{fe0f} \\u{e0041}');
  });

  test('of several lines keeps the lines', () => {
    expect(plainLines('a\n\tb\r\u2028c\u001b[m')).toBe('a\n\tb\\r\\u{2028}c\\u{1b}[m');
  });

  test('as JSON is escaped and means the same, but for half a surrogate pair, which is another character', () => {
    const value = { [NASTY]: [NASTY, '\n', 1] };
    const read = JSON.parse(JSON.stringify(value).replaceAll(/\\ud[89a-f]../g, '\ufffd'));
    for (const indent of [undefined, 2]) {
      const json = plainJson(value, indent);
      expect(json.replaceAll('\n', '')).not.toMatch(RAW);
      expect(JSON.parse(json)).toEqual(read);
    }
  });

  test('is cut between characters', () => {
    expect(clip('ab🙂cd', 4)).toBe('ab…');
    expect(clip('abcd', 4)).toBe('abcd');
    expect(clip('\u001babcd', 4)).toBe('\\u{…');
    expect(clip(`${'a'.repeat(3)}\u{e0041}`, 4)).toBe('aaa…');
  });
});

describe('nothing of a hook, tool or file reaches a terminal as it is', () => {
  const sent = (draft: UnstampedRecord<HookRecord>): HookRecord => ({
    seq: 1,
    time: '2025-01-31T09:15:01.250Z',
    ...draft,
  });
  const run = { ...RUN, name: NASTY, hookName: NASTY, agentId: NASTY, scope: NASTY };
  const failure = { cause: 'threw', message: NASTY };
  const handler = {
    id: NASTY,
    name: NASTY,
    handler: 'command',
    source: { kind: 'project', file: NASTY, name: NASTY },
    scope: NASTY,
    stage: 0,
    wave: 0,
  } as const;
  const handlers = [
    { ...handler, status: 'ran', warnings: [NASTY] },
    { ...handler, id: 'f', status: 'failed', failure },
    { ...handler, id: 's', status: 'skipped', reason: 'trust', why: NASTY },
  ] as const;
  const decision = { ...fire().decision, reason: NASTY, decidedBy: NASTY, overruled: [NASTY] };
  const whole = fire(1, {
    handlers,
    decision,
    scope: NASTY,
    event: NASTY,
    agent_id: NASTY,
    input: { tool_name: NASTY },
    conflicts: [{ winner: NASTY, loser: NASTY }],
  });

  test.each<[string, () => string]>([
    ['hook_started', () => formatRecord(sent(hookStarted(run)))],
    ['hook_progress', () => formatRecord(sent(hookProgress(run, { stdout: NASTY, stderr: NASTY })))],
    ['hook_response', () => formatRecord(sent(hookResponse(run, { durationMs: 1, failure })))],
    ['hook_fire', () => formatRecord(whole)],
    ['a fire that failed', () => formatRecord(fire(1, { ...whole, error: NASTY }))],
    [
      'a problem of the connection',
      () =>
        formatRecord(sent({ type: 'system', subtype: 'control_problem', peer: NASTY, problem: NASTY, message: NASTY })),
    ],
    [
      'a problem of a file',
      () => formatProblem({ level: 'error', rule: 'x', file: NASTY, where: NASTY, message: NASTY, nearest: NASTY }),
    ],
    ['an error', () => new HookscopeError('FILE', { file: NASTY, problem: NASTY }).message],
  ])('%s is one line', (_, print) => {
    const line = print();
    expect(line).not.toMatch(RAW);
    expect(line).toContain('\\u{');
  });

  test('a fire as a block has the lines that it has anyway', () => {
    const lines = formatFire(whole).split('\n');
    expect(lines.filter((line) => RAW.test(line) || line.startsWith('SPOOF'))).toEqual([]);
    expect(lines).toHaveLength(formatFire(fire(1, { ...whole, event: 'x' })).split('\n').length);
  });

  test('a described host, and what its logger is told', async () => {
    const told: string[] = [];
    const host = createHost({ logger: (message) => void told.push(message) });
    const tool = { tool_name: 'Bash', tool_input: {}, tool_use_id: 't1' };
    const named = { name: NASTY, handler: () => deny('no') };
    host.registerScoped(NASTY, { PreToolUse: [{ matcher: () => true, hooks: [named] }] });
    host.spawnHooks(NASTY, { PreToolUse: [{ hooks: [named] }] });
    await host.use({
      name: NASTY,
      apply: (scope) =>
        void scope.register({
          PreToolUse: [
            {
              hooks: [
                () => {
                  throw new Error(NASTY);
                },
              ],
            },
          ],
        }),
    });
    await host.fire('PreToolUse', tool);
    const lines = String(host.describe()).split('\n');
    expect(lines.filter((line) => RAW.test(line) || line.startsWith('SPOOF'))).toEqual([]);
    expect(lines.length).toBe(1 + 1 + 1 + 2 + 2 + 1);
    expect(told.join('|')).toContain('SPOOF');
    expect(told.filter((line) => RAW.test(line))).toEqual([]);
    await host.close();
  });
});
