import { describe, expect, test } from 'vitest';
import { agentCodec, TABLES } from '../../src/agents/agents.js';
import type { Answer } from '../../src/agents/codec.js';
import { foldOf } from '../../src/agents/rows.js';
import type { EventRow } from '../../src/agents/table.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { answersOf, SEEN } from './recorded.js';
import { honouredShapes, shapeOf } from './shapes.js';

/** Everything that a decision can hold on an event of a kind, one thing at a time and what often comes together. */
function decisionsFor(row: EventRow): Record<string, Answer> {
  const reason = 'MARK';
  const everywhere: Record<string, Answer> = {
    nothing: {},
    stop: { continue: false, stopReason: reason },
    context: { additionalContext: [reason] },
    message: { systemMessages: [reason] },
    suppress: { suppressOutput: true },
  };
  const updatedInput = { command: 'echo rewritten' };
  const byFold: Record<string, Record<string, Answer>> = {
    gate: {
      deny: { verdict: 'deny', reason },
      'deny without a reason': { verdict: 'deny' },
      'deny with an empty reason': { verdict: 'deny', reason: ' ' },
      ask: { verdict: 'ask', reason },
      defer: { verdict: 'defer', reason },
      allow: { verdict: 'allow' },
      'allow with a reason': { verdict: 'allow', reason },
      rewrite: { verdict: 'none', updatedInput },
      'allow and rewrite': { verdict: 'allow', updatedInput },
      'ask and rewrite': { verdict: 'ask', reason, updatedInput },
      'deny and stop': { verdict: 'deny', reason, continue: false, stopReason: reason },
      'deny and context': { verdict: 'deny', reason, additionalContext: [reason] },
      'allow and context': { verdict: 'allow', additionalContext: [reason] },
      'ask and context': { verdict: 'ask', reason, additionalContext: [reason] },
      'rewrite and context': { updatedInput, additionalContext: [reason] },
      'allow, rewrite and context': { verdict: 'allow', updatedInput, additionalContext: [reason] },
      'deny, context and a message': {
        verdict: 'deny',
        reason,
        additionalContext: [reason],
        systemMessages: [reason],
      },
      'deny and a message': { verdict: 'deny', reason, systemMessages: [reason] },
      'deny and interrupt': { verdict: 'deny', reason, interrupt: true },
    },
    block: {
      block: { blocked: true, reason },
      'block without a reason': { blocked: true },
      rewrite: { blocked: false, updatedOutput: reason },
      'block and rewrite': { blocked: true, reason, updatedOutput: reason },
      'rewrite and context': { updatedOutput: reason, additionalContext: [reason] },
      'block and context': { blocked: true, reason, additionalContext: [reason] },
      'block and stop': { blocked: true, reason, continue: false },
    },
    stop: {
      'go on': { continues: true, reason },
      'go on for its context': { continues: true, additionalContext: [reason] },
    },
    replace: { value: { value: {} }, block: { blocked: true, reason } },
    context: { retry: { retry: true } },
    observe: {},
  };
  return { ...everywhere, ...byFold[foldOf(row)] };
}

describe.each(SEEN)('%s', (agent) => {
  const codec = agentCodec(agent);
  const cases = codec.events.flatMap((row) => Object.entries(decisionsFor(row)).map(([name, d]) => ({ row, name, d })));

  test('was asked about every event of ours and of its own', () => {
    expect(cases.length).toBeGreaterThan(80);
    expect(new Set(cases.map(({ row }) => row.ours)).size).toBeGreaterThan(11);
  });

  test.each(cases)('$row.name, $name: every word of the answer was seen to be honoured', ({ row, d }) => {
    for (const attended of [false, true]) {
      const { stdout, stderr, exitCode } = codec.encode(d, row.name, { attended });
      expect([stderr, exitCode]).toEqual(['', 0]);
      if (stdout === '') continue;
      expect(stdout.match(/\n/g)).toHaveLength(1);
      // Its own word, where a person is there to be asked: no run was watched by one.
      if (attended && agent === 'gemini' && shapeOf(stdout) === '{"decision":"ask","reason":"•"}') continue;
      expect(honouredShapes(agent, row.name), stdout).toContain(shapeOf(stdout));
    }
  });

  test('a reason is never empty', () => {
    for (const { row, d } of cases) {
      const { stdout } = codec.encode(d, row.name);
      expect(stdout).not.toMatch(/"(reason|permissionDecisionReason|message|stopReason)":"\s*"/);
      if (/"(?:deny|block)"/.test(stdout)) expect(stdout).toMatch(/"(reason|permissionDecisionReason|message)":"[^"]/);
    }
  });

  test.each(HOOK_EVENTS)('%s is answered, or said to be none of its events', (event) => {
    const row = codec.events.find(({ ours }) => ours === event);
    if (row === undefined) expect(() => codec.encode({ verdict: 'deny' }, event)).toThrow('Unknown event');
    else expect(codec.encode({}, event).stdout).toBe('');
  });

  test('the ways in which a no is lost are those that were recorded', () => {
    const { cases: all } = answersOf(agent).before_tool;
    const lost = all.filter(({ kind, agent_does }) => kind !== 'other' && agent_does === 'ran').map(({ name }) => name);
    expect([...(codec.limits.opens ?? [])].sort()).toEqual(lost.sort());
    expect(codec.version).toBe(answersOf(agent).version);
  });
});

describe('what nobody may be asked', () => {
  const ask: Answer = { verdict: 'ask', reason: 'R' };
  const said = (agent: string, event: string, attended: boolean) =>
    agentCodec(agent).encode(ask, event, { attended }).stdout.trim();

  test('is denied where "ask" lets it run or hangs, and said where it is heard', () => {
    expect(said('codex', 'PreToolUse', true)).toContain('"permissionDecision":"deny"');
    expect(said('gemini', 'BeforeTool', false)).toBe('{"decision":"deny","reason":"R"}');
    expect(said('gemini', 'BeforeTool', true)).toBe('{"decision":"ask","reason":"R"}');
    expect(said('copilot', 'preToolUse', false)).toContain('"permissionDecision":"ask"');
    expect(said('cursor', 'preToolUse', true)).toContain('"permission":"deny"');
    expect(said('cursor', 'beforeShellExecution', false)).toContain('"permission":"ask"');
    expect(said('claude-code', 'PreToolUse', false)).toContain('"permissionDecision":"ask"');
  });
});

test('what ends the loop stops the call at least, on every gate of every other agent', () => {
  for (const table of TABLES.filter(({ name }) => name !== 'claude-code'))
    for (const row of table.events.filter((one) => foldOf(one) === 'gate')) {
      const { stdout, losses } = agentCodec(table.name).encode({ continue: false, stopReason: 'R' }, row.name);
      expect(stdout, `${table.name} ${row.name}`).toContain('R');
      expect(stdout.includes('"continue":false') || losses.some(({ what }) => what === 'stop')).toBe(true);
    }
});

describe('what is not carried', () => {
  const lossesOf = (agent: string, d: Answer, event: string, input?: object) =>
    agentCodec(agent).encode(d, event, { ...(input ? { input: input as Record<string, unknown> } : {}) });

  test('another input that cannot be said is denied, so that nothing runs that was not decided', () => {
    const { stdout, losses } = lossesOf(
      'cursor',
      { verdict: 'allow', updatedInput: { command: 'x' } },
      'beforeShellExecution',
    );
    expect(JSON.parse(stdout)).toMatchObject({ permission: 'deny' });
    expect(losses.map(({ what }) => what)).toEqual(['rewrite', 'allow']);
  });

  test('on a permission request it is left to the user, who is asked already', () => {
    const { stdout, losses } = lossesOf(
      'codex',
      { verdict: 'allow', updatedInput: { command: 'x' } },
      'PermissionRequest',
    );
    expect(stdout).toBe('');
    expect(losses.map(({ what }) => what)).toEqual(['rewrite', 'allow']);
  });

  test('what a rewrite leaves out stays in Gemini, and is named', () => {
    const input = { tool_name: 'Bash', tool_input: { command: 'a', description: 'd' } };
    const { losses } = lossesOf('gemini', { updatedInput: { command: 'b' } }, 'BeforeTool', input);
    expect(losses).toMatchObject([{ what: 'rewrite', why: expect.stringContaining('description stays') }]);
    expect(
      lossesOf('gemini', { updatedInput: { command: 'b', description: 'd' } }, 'BeforeTool', input).losses,
    ).toEqual([]);
  });

  test('an output that is hidden stays hidden, as a block where there is no other word', () => {
    for (const agent of ['codex', 'gemini', 'copilot']) {
      const { stdout } = lossesOf(agent, { suppressOutput: true }, 'PostToolUse');
      expect(stdout, agent).toContain('A hook has hidden this output.');
    }
    // In no other form either.
    for (const agent of ['codex', 'gemini', 'copilot'])
      expect(lossesOf(agent, { suppressOutput: true, updatedOutput: 'SHOWN' }, 'PostToolUse').stdout).not.toContain(
        'SHOWN',
      );
    expect(lossesOf('cursor', { suppressOutput: true }, 'postToolUse').losses).toMatchObject([{ what: 'suppress' }]);
  });

  test('a new output and feedback go out together, the output first', () => {
    const { stdout } = lossesOf('codex', { blocked: true, reason: 'why', updatedOutput: 'new' }, 'PostToolUse');
    expect(JSON.parse(stdout)).toEqual({ decision: 'block', reason: 'new\nwhy' });
  });

  test('context that cannot stand beside a refusal goes into its reason', () => {
    const { stdout, losses } = lossesOf(
      'gemini',
      { verdict: 'deny', reason: 'no', additionalContext: ['more'] },
      'BeforeTool',
    );
    expect(JSON.parse(stdout)).toEqual({ decision: 'deny', reason: 'no\nmore' });
    expect(losses).toEqual([]);
  });
});

describe('no, when hooks could not be asked', () => {
  test('is said wherever something can be stopped, and a loss elsewhere', () => {
    for (const table of TABLES) {
      const codec = agentCodec(table.name);
      for (const row of table.events) {
        const { stdout, losses } = codec.refuse('the server is gone', row.name);
        const isSaid = stdout.includes('the server is gone');
        expect(isSaid || losses.length > 0, `${table.name} ${row.name}: ${stdout}`).toBe(true);
        if (foldOf(row) === 'gate') expect(isSaid || table.name === 'cursor', `${table.name} ${row.name}`).toBe(true);
      }
    }
  });
});

describe.each(TABLES)('$name: a decision that no host makes', (table) => {
  test.each(table.events.filter((row) => foldOf(row) === 'gate' && row.says.deny).map(({ name }) => name))(
    'blocks a call where it says so, and never runs it with an output for its input: %s',
    (event) => {
      const { encode } = agentCodec(table.name);
      for (const more of [{}, { verdict: 'allow' as const }, { updatedInput: { command: 'x' } }]) {
        const { stdout } = encode({ blocked: true, reason: 'no', updatedOutput: 'o', ...more }, event);
        expect(stdout).toMatch(/"deny"/);
        expect(stdout).not.toMatch(/"allow"|"o"|"x"/);
      }
      const { stdout, losses } = encode({ verdict: 'allow', updatedOutput: { command: 'o' } }, event);
      expect(stdout).not.toContain('"o"');
      expect(losses).toContainEqual(expect.objectContaining({ what: 'rewrite' }));
    },
  );
});
