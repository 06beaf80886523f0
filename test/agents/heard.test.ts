import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentCodec, TABLES } from '../../src/agents/agents.js';
import type { Answer } from '../../src/agents/codec.js';
import { hear } from '../../src/agents/hear.js';
import { foldOf } from '../../src/agents/rows.js';
import type { AgentTable, EventRow } from '../../src/agents/table.js';

// What an agent is told in its words is what its own hook would have told it: the way back of `encode`.

const AGENTS = TABLES.filter(({ runs }) => runs !== undefined);
const reason = 'because';
const said = (table: AgentTable, row: EventRow, decision: Answer) => {
  const { stdout, stderr, exitCode, losses } = agentCodec(table.name).encode(decision, row.name);
  return { losses, stdout, heard: hear(table, row, { stdout, stderr, exitCode }) };
};

/** What may be said on an event of a kind, and how it is heard. */
const DECISIONS: Readonly<Record<string, readonly (readonly [Answer, (heard: Answer) => boolean])[]>> = {
  gate: [
    [{ verdict: 'deny', reason }, (d) => d.verdict === 'deny' && d.reason === reason],
    [{ verdict: 'ask', reason }, (d) => d.verdict === 'ask' || d.verdict === 'deny'],
    [{ updatedInput: { command: 'x' } }, (d) => d.updatedInput !== undefined],
    [{ continue: false, stopReason: reason }, (d) => d.continue === false || d.interrupt === true],
  ],
  block: [
    [{ blocked: true, reason }, (d) => d.blocked === true && d.reason === reason],
    [{ additionalContext: [reason] }, (d) => d.additionalContext?.includes(reason) === true],
  ],
  stop: [[{ continues: true, reason }, (d) => d.continues === true && d.reason === reason]],
  context: [[{ additionalContext: [reason] }, (d) => d.additionalContext?.includes(reason) === true]],
  replace: [[{ blocked: true, reason }, (d) => d.blocked === true]],
};

describe.each(AGENTS.map((table) => [table.name, table] as const))('%s', (_, table) => {
  const cases = table.events.flatMap((row) =>
    (DECISIONS[foldOf(row)] ?? []).map(([decision, is]) => ({ row, decision, is, text: JSON.stringify(decision) })),
  );

  test.each(cases)('$row.name: $text is heard as it was meant, where it can be said', ({ row, decision, is }) => {
    const { losses, stdout, heard } = said(table, row, decision);
    if (losses.some(({ what }) => what !== 'block' && what !== 'reason') || stdout.trim() === '') return;
    // Told as something else.
    if (decision.blocked && !(row.says.block && 'say' in row.says.block)) return;
    expect([heard.failure, is(heard.answer)], stdout).toEqual([undefined, true]);
  });

  test('whatever a hook prints and exits with is heard without an error, and a code of 0 with nothing says nothing', () => {
    const words = fc.constantFrom('deny', 'allow', 'ask', 'block', '', 'x');
    const keys = fc.constantFrom(
      ...['decision', 'permissionDecision', 'permission', 'reason', 'continue', 'hookSpecificOutput', 'hookEventName'],
      ...['additionalContext', 'updatedInput', 'modifiedArgs', 'tool_input', 'behavior', '__proto__', 'constructor'],
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, words, fc.boolean(), fc.constant(null), fc.integer(), tie('object')),
      object: fc.dictionary(keys, tie('value')),
    }));
    const stdout = fc.oneof(
      value.map((any) => JSON.stringify(any)),
      fc.string(),
    );
    const rows = fc.constantFrom(...table.events);
    const codes = fc.constantFrom(0, 1, 2, 3, 127, undefined);
    fc.assert(
      fc.property(rows, stdout, fc.string(), codes, (row, printed, stderr, exitCode) => {
        const { answer, failure, warnings } = hear(table, row, { stdout: printed, stderr, exitCode });
        expect(typeof answer).toBe('object');
        expect(Array.isArray(warnings)).toBe(true);
        if (exitCode !== 0 && exitCode !== 2 && failure === undefined) expect(printed.trim()).not.toBe('');
      }),
      { numRuns: 500 },
    );
    for (const row of table.events)
      expect(hear(table, row, { stdout: '', stderr: 'noise', exitCode: 0 })).toEqual({ answer: {}, warnings: [] });
  });
});
