import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { RunSummary } from '../../src/cli/run/summary.js';
import { summaryTable } from '../../src/cli/run/summary-table.js';
import { createPaint } from '../../src/cli/run/view.js';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { deny } from '../../src/events/output/helpers.js';
import type { HostOptions } from '../../src/host/options.js';
import type { HookCallback } from '../../src/host/types.js';
import { LS } from '../plugins/folder.js';

/** The summary of what a real host with these hooks does, called `n` times. */
async function summaryOf(
  hooks: readonly HookCallback<'PreToolUse'>[],
  n = 1,
  options: HostOptions = {},
): Promise<RunSummary> {
  const host: Host = createHost(options);
  const summary = new RunSummary();
  host.events$.subscribe((record: HookRecord) => {
    if (record.type === 'hook_fire') summary.add(record, 'main');
    else if (record.type === 'system' && record.subtype === 'hook_response') summary.end(record);
  });
  host.register({ PreToolUse: hooks.map((hook) => ({ name: 'hook', hooks: [hook] })) });
  for (let i = 0; i < n; i++) await host.fire('PreToolUse', LS);
  await host.close();
  return summary;
}

const failing = (): never => {
  throw new Error('x');
};

describe('the summary of a run', () => {
  test('counts runs, what was blocked and what failed', async () => {
    const [row] = (await summaryOf([() => deny('no')], 3)).rows();
    expect(row).toMatchObject({ agent: 'main', event: 'PreToolUse', hook: 'hook', runs: 3, blocked: 3, failed: 0 });
  });

  test('a failure is a block only where it counts as one', async () => {
    expect((await summaryOf([failing])).rows()).toMatchObject([{ runs: 1, blocked: 0, failed: 1 }]);
    expect((await summaryOf([failing], 1, { onFailure: 'block' })).rows()).toMatchObject([
      { runs: 1, blocked: 1, failed: 1 },
    ]);
  });

  test('a hook that was asked again after a rewrite has run once', async () => {
    const rewriting: HookCallback<'PreToolUse'> = ({ tool_input }) =>
      isDeepStrictEqual(tool_input, LS.tool_input)
        ? { hookSpecificOutput: { updatedInput: { command: 'ls -a' } } }
        : undefined;
    const rows = (await summaryOf([() => undefined, rewriting])).rows();
    expect(rows).toMatchObject([{ hook: 'hook', runs: 2 }]);
  });

  test('a background hook counts its own time and failure, not that of its start', async () => {
    const late: HookCallback<'PreToolUse'> = () => ({
      async: true,
      result: new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 60)),
    });
    const [row] = (await summaryOf([late], 2)).rows();
    expect(row).toMatchObject({ runs: 2, failed: 2, blocked: 0 });
    expect(row?.p50).toBeGreaterThanOrEqual(50);
  });

  test('percentiles are times that were measured, by nearest rank', () => {
    const summary = new RunSummary();
    for (let ms = 1; ms <= 20; ms++) summary.add(took(ms), 'main');
    expect(summary.rows()).toMatchObject([{ runs: 20, p50: 10, p95: 19 }]);
  });

  test('rows stand by agent, then event, in the order in which they came', () => {
    const summary = new RunSummary();
    for (const [event, agent] of [
      ['A', 'main'],
      ['B', 'x'],
      ['B', 'main'],
      ['A', 'x'],
    ] as const)
      summary.add(took(1, event), agent);
    expect(summary.rows().map((row) => [row.agent, row.event])).toEqual([
      ['main', 'A'],
      ['main', 'B'],
      ['x', 'A'],
      ['x', 'B'],
    ]);
  });

  test('the table says a name once, and nothing of a time nobody took', () => {
    const row = { agent: 'main', event: 'Stop', runs: 1, blocked: 0, failed: 0 };
    const table = summaryTable(
      [
        { ...row, hook: 'hookscope-plugin-a/b', p50: 0.26, p95: 1234.4 },
        { ...row, hook: 'c\u001b' },
      ],
      createPaint(false),
    );
    expect(table).toBe(
      [
        'agent  event  hook     runs  blocked  failed  p50 ms  p95 ms',
        'main   Stop   a/b         1        0       0     0.3    1234',
        '              c\\u{1b}     1        0       0       -       -',
      ].join('\n'),
    );
  });
});

/** As much of a fire record as is counted. */
function took(duration_ms: number, event = 'Stop'): FireRecord {
  const handler = { id: 'h', name: 'h', status: 'ran', duration_ms };
  return { event, fire_id: 'f', handlers: [handler], decision: { failures: [] } } as unknown as FireRecord;
}
