import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { formatFire, formatRecord } from '../../src/emit/reading/print.js';
import type { HookRecord, RecordedDecision, RunResult, UnstampedRecord } from '../../src/emit/record.js';
import { hookProgress, hookResponse, hookStarted } from '../../src/emit/run-records.js';
import { FIRE, fire, RUN } from './samples.js';

const sent = (draft: UnstampedRecord<HookRecord>): HookRecord => ({
  seq: 1,
  time: '2025-01-31T09:15:01.250Z',
  ...draft,
});
const answered = (result: Partial<RunResult>) => sent(hookResponse(RUN, { durationMs: 12.4, ...result }));
/** The columns of a line. */
const columns = (line: string) => line.split(/ {2,}/);

describe('a record as a line', () => {
  test('says when, who, what event, which handler and what came of it', () => {
    expect(
      columns(formatRecord(answered({ decision: 'deny', exitCode: 0 }), { since: '2025-01-31T09:15:00.000Z' })),
    ).toEqual(['+1.250s', 'agent-1', 'PreToolUse:Bash', './guard.sh', 'success deny 12 ms']);
  });

  test('shows the time of day where there is nothing to count from, and the scope where there is no agent', () => {
    const line = formatRecord(sent(hookStarted({ ...RUN, agentId: undefined, scope: 'session' })));
    expect(columns(line).slice(0, 2)).toEqual(['09:15:01.250', 'session']);
  });

  test.each<[string, HookRecord, string]>([
    ['started', sent(hookStarted(RUN)), 'started'],
    ['progress', sent(hookProgress(RUN, { stdout: 'one\ntwo\n' })), '… one\\ntwo'],
    ['success', answered({}), 'success 12 ms'],
    ['fast', answered({ durationMs: 0.25 }), 'success 0.3 ms'],
    ['slow', answered({ durationMs: 1234 }), 'success 1.23 s'],
    [
      'failed',
      answered({ failure: { cause: 'timeout', message: 'no answer after 5 s' } }),
      'cancelled timeout: no answer after 5 s 12 ms',
    ],
    ['fire', fire(), 'deny by ./guard.sh: "not here", over allowBash, 1 failed'],
  ])('ends with what came of it: %s', (_, record, end) => {
    expect(columns(formatRecord(record)).slice(4).join('  ')).toBe(end);
  });

  test.each([
    [{ status: 'interrupted', denied_by: 'abort', approver: 'hook' }, 'interrupted by abort'],
    [{ status: 'denied', denied_by: 'hook' }, 'denied by hook guards#1'],
    [{ status: 'ran', approver: 'hook' }, 'ran (hook guards#1)'],
  ])('names the hook that stopped a call or let it run: %j', (fields, end) => {
    const call = { type: 'tool_call', session_id: 's', scope: 'session', tool_name: 'Bash', tool_use_id: 't' };
    const record = sent({ ...call, ran: true, hooks_ms: {}, decided_by: 'guards#1', ...fields } as never);
    expect(columns(formatRecord(record)).slice(4).join('  ')).toBe(end);
  });

  test('has its columns where those of every other record are', () => {
    const alarm = {
      type: 'hook_alarm',
      alarm: 'unasked',
      message: '#',
      session_id: 's',
      scope: 'session',
      tool_name: 'Bash',
      tool_use_id: 't',
      evidence: 'PostToolUse',
    } as const;
    const problem = {
      type: 'system',
      subtype: 'control_problem',
      peer: 'p',
      problem: 'bad_line',
      message: '#',
    } as const;
    const lines = [alarm, problem].map((draft) => formatRecord(sent(draft as UnstampedRecord<HookRecord>)));
    for (const line of lines) expect(line.indexOf('#')).toBe(formatRecord(sent(hookStarted(RUN))).indexOf('started'));
    expect(formatRecord(fire()).indexOf('deny by')).toBe(lines[0]?.indexOf('#'));
    expect(columns(lines[0] as string)[1]).toBe('session');
    expect(columns(formatRecord(sent({ ...alarm, agent_id: 'a7' } as UnstampedRecord<HookRecord>)))[1]).toBe('a7');
  });

  test('stays one line whatever a hook prints', () => {
    const nasty = 'a\nb\r\u001b[2J\u001b]0;title\u0007\u202e\u2028';
    const failure = { cause: 'threw', message: nasty };
    const records = [
      sent(hookStarted({ ...RUN, name: nasty, hookName: nasty, agentId: nasty })),
      sent(hookProgress(RUN, { text: nasty })),
      answered({ failure }),
      fire(1, {
        agent_id: nasty,
        input: { tool_name: nasty },
        decision: { ...FIRE.decision, reason: nasty, decidedBy: nasty },
      }),
    ];
    for (const line of records.map((record) => formatRecord(record))) {
      expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
    }
    expect(formatFire(fire(1, { input: { tool_name: nasty }, scope: nasty })).split('\n')).toHaveLength(
      formatFire(fire()).split('\n').length,
    );
  });

  test('has colour only where asked, and the same words', () => {
    for (const record of [answered({ decision: 'deny' }), fire(), sent(hookStarted(RUN))]) {
      const colourless = formatRecord(record);
      const coloured = formatRecord(record, { color: true });
      expect(coloured).toContain('\u001b[');
      expect(stripVTControlCharacters(coloured)).toBe(colourless);
    }
    expect(formatRecord(answered({ decision: 'deny' }), { color: true })).toContain('\u001b[31mdeny\u001b[39m');
  });
});

describe('a fire as a block', () => {
  test('says the decision, then of every handler what it said or why it did not run', () => {
    expect(formatFire(fire()).split('\n')).toEqual([
      'PreToolUse:Bash  deny by ./guard.sh: "not here", over allowBash, 1 failed  in agent-1',
      '  ./guard.sh  command code        deny 12 ms',
      '  allowBash   callback code       allow (asked again 1x) 0.4 ms',
      '  audit       callback code       failed: timeout: no answer after 5 s 5.00 s',
      '  format      callback code       did not run: its matcher did not match',
      '  up to 2 more in other scopes',
    ]);
  });

  test('shows which file decided a skip, and what a handler was warned about', () => {
    const handlers = FIRE.handlers
      .slice(3)
      .map((handler) => ({ ...handler, why: 'managed.json', warnings: ['unknown key "a\nb"'] }));
    expect(
      formatFire(fire(1, { handlers, out_of_scope: 0 }))
        .split('\n')
        .slice(1),
    ).toEqual([
      '  format  callback code       did not run: its matcher did not match (managed.json)',
      '    warning: unknown key "a\\nb"',
    ]);
  });

  test('names conflicts, a rewrite, an unknown scope and a fire that was not decided', () => {
    const conflicts = [{ winner: 'guards#1', loser: 'code#1' }];
    const text = formatFire(
      fire(1, { conflicts, scope_known: false, out_of_scope: 0, final_input: { tool_name: 'Bash' } }),
    );
    expect(text).toContain('input rewritten');
    expect(text).toContain('conflict: the rewrite of ./guard.sh stands, that of allowBash was dropped');
    expect(text).toContain('in agent-1 (a scope nobody opened)');
    expect(text).not.toContain('more in scopes');
    expect(formatFire(fire(1, { error: 'ABORTED' }))).toContain('not decided: ABORTED');
  });

  test.each([
    ['matcher', 'its matcher did not match'],
    ['if', 'its if rule did not match'],
    ['scope', 'it belongs to another scope'],
    ['policy', 'a policy does not let it run'],
    ['disabled', 'it is switched off'],
    ['trust', 'its file is not trusted yet'],
    ['duplicate', 'the same hook already ran'],
    ['once', 'it runs only once, and has already run'],
    ['bailed', 'a hook before it ended the run'],
    ['cancelled', 'the fire was cancelled before its turn'],
    ['invalid', 'it cannot run as it is written'],
    [undefined, 'no reason given'],
    // Of a later version, or of nobody's.
    ['moon' as 'once', 'moon'],
    ['constructor' as 'once', 'constructor'],
    ['\u001b[2J' as 'once', '\\u{1b}[2J'],
  ] as const)('explains a skip by %s in words of its own', (reason, words) => {
    const [handler] = FIRE.handlers;
    if (handler === undefined) throw new Error('the sample has no handler');
    const { verdict: _, ...rest } = handler;
    const skipped = { ...rest, status: 'skipped', ...(reason && { reason }) } as const;
    const lines = formatFire(fire(1, { handlers: [skipped] })).split('\n');
    expect(lines[1]?.endsWith(`  did not run: ${words}`)).toBe(true);
  });

  test.each<[Partial<RecordedDecision>, string]>([
    [{ fold: 'gate', verdict: 'none' }, 'no opinion'],
    [{ fold: 'gate', verdict: 'ask' }, 'ask'],
    [{ fold: 'block', blocked: true }, 'blocked'],
    [{ fold: 'block', blocked: false }, 'done'],
    [{ fold: 'stop', continues: true }, 'goes on'],
    [{ fold: 'stop', continues: false }, 'stops'],
    [{ fold: 'gate', verdict: 'defer' }, 'defer'],
    [{ fold: 'stop', endedBy: 'cap' }, 'stops (cap)'],
    [{ fold: 'observe' }, 'done'],
    [{ fold: 'context', continue: false }, "done, ends the agent's loop"],
  ])('says %j as %s', (fields, words) => {
    const decision = {
      event: 'Stop',
      fold: 'gate',
      continue: true,
      overruled: [],
      failures: [],
      conflicts: [],
      ...fields,
    } as const;
    expect(columns(formatFire(fire(1, { decision, handlers: [] })).split('\n')[0] as string)[1]).toBe(words);
  });

  test('says of a handler what it said, or that it goes on', () => {
    const [, , , last] = FIRE.handlers;
    const { verdict: _, reason: __, ...bare } = last as (typeof FIRE.handlers)[number];
    const lines = formatFire(
      fire(1, {
        out_of_scope: 0,
        handlers: [
          { ...bare, status: 'ran' },
          { ...bare, status: 'ran', verdict: 'ask', duration_ms: 20 },
          { ...bare, status: 'background' },
          { ...bare, status: 'failed' },
        ],
      }),
    ).split('\n');
    expect(lines.slice(1).map((line) => columns(line.trim()).at(-1))).toEqual([
      'no opinion',
      'ask 20 ms',
      'runs on in the background',
      'failed: unknown:',
    ]);
  });

  test('takes the subject from whoever knows the events', () => {
    const subject = (event: string, input: Readonly<Record<string, unknown>>) =>
      `${event.length}-${String(input['tool_name'])}`;
    expect(formatFire(fire(), { subject })).toMatch(/^PreToolUse:10-Bash {2}/);
    expect(formatFire(fire(1, { input: {} }))).toMatch(/^PreToolUse {2}/);
  });
});
