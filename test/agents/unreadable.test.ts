import { describe, expect, test } from 'vitest';
import { AGENT_NAMES, agentCodec } from '../../src/agents/agents.js';
import type { Answer } from '../../src/agents/codec.js';
import { isWellFormed } from '../../src/plain.js';

// Codex, which is written in Rust, reads no answer with half a surrogate pair or with more than 127 levels, and runs the call.

const HALF = 'no file caf\udce9';
const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' } };

/** As a parser does that takes no half of a pair, in a key or a value. */
function read(stdout: string): unknown {
  const escapes = stdout.match(/\\(?:u[\da-f]{4}|.)/gi) ?? [];
  expect(escapes.filter((one) => /^\\ud[89a-f]/i.test(one))).toEqual([]);
  expect(isWellFormed(stdout)).toBe(true);
  return stdout === '' ? undefined : JSON.parse(stdout);
}

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe.each(AGENT_NAMES)('%s', (agent) => {
  const codec = agentCodec(agent);
  const texts: Answer = {
    reason: HALF,
    stopReason: HALF,
    additionalContext: [HALF],
    systemMessages: [HALF],
    updatedOutput: { [HALF]: [HALF] },
    value: { [HALF]: HALF },
  };
  const told: readonly Answer[] = [
    { verdict: 'deny' },
    { verdict: 'ask' },
    { verdict: 'allow' },
    { blocked: true },
    { continues: true },
    { continue: false },
    {},
  ];

  test('whatever is told on any event is text that any reader reads', () => {
    let said = 0;
    for (const row of codec.events)
      for (const answer of told)
        for (const attended of [false, true])
          if (read(codec.encode({ ...texts, ...answer }, row.name, { attended }).stdout) !== undefined) said += 1;
    expect(said).toBeGreaterThan(20);
  });

  const row = codec.events.find(({ ours }) => ours === 'PreToolUse');
  const rewritten = (updatedInput: unknown, verdict: 'none' | 'allow' | 'ask' = 'allow') => {
    const { stdout, losses } = codec.encode({ verdict, updatedInput, reason: 'R' }, row?.name as string, {
      input: CALL,
    });
    read(stdout);
    return { stdout, losses };
  };

  test.each([
    ['in a text', { command: `touch ${HALF}` }],
    ['in a key', { command: 'ls', more: [{ [HALF]: 1 }] }],
    ['a number that JSON has not', { command: 'ls', timeout: Number.POSITIVE_INFINITY }],
  ])('another input that JSON does not carry (%s) denies the call, and the loss says so', (_, updatedInput) => {
    for (const verdict of ['none', 'allow', 'ask'] as const) {
      const { stdout, losses } = rewritten(updatedInput, verdict);
      expect(stdout).toContain('"deny"');
      // Where "ask" is a deny, its own reason is the reason.
      if (verdict !== 'ask')
        expect(stdout).toMatch(/another input, which .* cannot be told of here: (a text in it has half|Infinity)/);
      if (verdict !== 'ask')
        expect(losses).toContainEqual({
          what: 'rewrite',
          why: expect.stringMatching(/half a surrogate pair|Infinity/),
        });
    }
  });

  test('another input with whole pairs, and one that only looks like an escape, is told', () => {
    for (const command of ['touch 😀', 'echo \\ud83d', 'echo \\\\ud83d'])
      expect(JSON.stringify(read(rewritten({ command }).stdout))).toContain(JSON.stringify(command));
  });
});

test('another input is told to Codex as deep as Codex reads, and denied beyond it', () => {
  const on = (agent: string, levels: number): string =>
    agentCodec(agent).encode({ verdict: 'allow', updatedInput: { x: nested(levels) } }, 'PreToolUse', { input: CALL })
      .stdout;
  expect(on('codex', 124)).toContain('"updatedInput"');
  expect(on('codex', 125)).toContain('"deny"');
  expect(on('copilot', 125)).toContain('"updatedInput"');
});
