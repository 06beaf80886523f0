import { describe, expect, test } from 'vitest';
import { AGENT_NAMES, agentCodec } from '../../src/agents/agents.js';
import type { Answer } from '../../src/agents/codec.js';
import { foldOf } from '../../src/agents/rows.js';
import { SAYABLE, type Sayable } from '../../src/agents/says.js';
import { supportOf, supports } from '../../src/agents/supports.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'npm ci' } };
const encode = (agent: string, event: string, decision: Answer) =>
  agentCodec(agent).encode(decision, event, { input: CALL });

describe('Copilot asks about a permission where all is allowed, too', () => {
  test.each(['permissionRequest', 'PermissionRequest'])('so that another input denies the call on %s', (event) => {
    for (const verdict of ['none', 'allow', 'ask'] as const) {
      const { stdout, losses } = encode('copilot', event, {
        verdict,
        updatedInput: { command: 'npm ci --ignore-scripts' },
      });
      expect(JSON.parse(stdout)).toMatchObject({ behavior: 'deny', message: expect.stringContaining('another input') });
      expect(losses).toContainEqual({ what: 'rewrite', why: expect.stringContaining('the call is denied') });
    }
  });

  test('which each of these events says as a loss, and "ask" too', () => {
    const payload = { hookName: 'permissionRequest', sessionId: 's', toolName: 'bash', toolInput: { command: 'ls' } };
    const { losses } = agentCodec('copilot').decode(JSON.stringify(payload));
    expect(losses).toContainEqual({ what: 'event', why: expect.stringContaining('nobody is asked') });
    expect(encode('copilot', 'permissionRequest', { verdict: 'ask' }).losses).toEqual([
      { what: 'ask', why: expect.stringContaining('nobody is asked') },
    ]);
    expect(supports('copilot', 'permissionRequest', 'ask')).toMatchObject({ carried: 'no' });
  });

  test('where the user is always asked, the user decides about the input there is', () => {
    const { stdout, losses } = encode('codex', 'PermissionRequest', { updatedInput: { command: 'x' } });
    expect(stdout).toBe('');
    expect(losses).toContainEqual({ what: 'rewrite', why: expect.stringContaining('the user is asked') });
  });
});

describe('A rewrite to what there is', () => {
  const same = { updatedInput: { ...CALL.tool_input } };

  test.each(['permissionRequest', 'PermissionRequest'])('allows the call in Copilot on %s', (event) => {
    const { stdout, losses } = encode('copilot', event, { verdict: 'allow', ...same });
    expect(JSON.parse(stdout)).toEqual({ behavior: 'allow' });
    expect(losses).toEqual([]);
  });

  test.each(AGENT_NAMES)('is told as none: %s', (agent) => {
    const { events } = agentCodec(agent);
    for (const row of events.filter(
      (one) => foldOf(one) === 'gate' && ['PreToolUse', 'PermissionRequest'].includes(one.ours),
    ))
      for (const verdict of ['none', 'allow', 'ask', 'deny'] as const) {
        const answer: Answer = { verdict, reason: 'r', additionalContext: ['c'] };
        expect(encode(agent, row.name, { ...answer, ...same })).toEqual(encode(agent, row.name, answer));
      }
    for (const { name } of events.filter(({ ours }) => ours === 'PostToolUse')) {
      const input = { ...CALL, tool_response: 'out' };
      const told = agentCodec(agent).encode({ updatedOutput: 'out' }, name, { input });
      expect(told).toEqual(agentCodec(agent).encode({}, name, { input }));
    }
  });
});

describe("Cursor's count of how often a loop was continued", () => {
  const decode = (event: string, more: object) =>
    agentCodec('cursor').decode(JSON.stringify({ conversation_id: 'c', hook_event_name: event, ...more }));
  test.each(['stop', 'subagentStop'])('says on %s whether a stop hook is active', (event) => {
    for (const [loop_count, active] of [
      [0, false],
      [1, true],
      [3, true],
    ] as const) {
      const given = { conversation_id: 'c', hook_event_name: event, loop_count, status: 'completed' };
      const decoded = decode(event, given);
      expect(decoded.input['stop_hook_active']).toBe(active);
      expect(decoded.losses).toEqual([]);
      expect(agentCodec('cursor').payload(decoded)).toEqual(given);
    }
    for (const more of [{}, { loop_count: 'three' }]) {
      const { input, losses } = decode(event, more);
      expect(input['stop_hook_active']).toBe(false);
      expect(losses).toEqual([{ what: 'stop_hook_active', why: expect.stringContaining('loop_count') }]);
    }
  });
});

describe('two reasons', () => {
  const both: Answer = { verdict: 'deny', reason: 'R', continue: false, stopReason: 'S' };
  test.each(['codex', 'copilot', 'gemini', 'cursor'])(
    'of a deny and of the end of the loop are both told to %s',
    (agent) => {
      const { stdout } = encode(agent, 'PreToolUse', both);
      expect(stdout).toContain('S\\nR');
      expect(encode(agent, 'PreToolUse', { ...both, stopReason: 'R' }).stdout).not.toContain('R\\nR');
    },
  );

  test('of a block and of the end of the loop, and of an interrupted permission', () => {
    const blocked: Answer = { blocked: true, reason: 'R', continue: false, stopReason: 'S' };
    expect(encode('gemini', 'AfterTool', blocked).stdout).toContain('S\\nR');
    expect(encode('cursor', 'beforeSubmitPrompt', blocked).stdout).toContain('S\\nR');
    const { stdout } = encode('copilot', 'permissionRequest', { ...both, interrupt: true });
    expect(JSON.parse(stdout)).toEqual({ behavior: 'deny', message: 'S\nR', interrupt: true });
  });

  test('an output that nobody gets any more is not told as the reason of the end', () => {
    const answer: Answer = { continue: false, stopReason: 'S', updatedOutput: 'other', suppressOutput: true };
    expect(JSON.parse(encode('gemini', 'AfterTool', answer).stdout)).toEqual({ continue: false, stopReason: 'S' });
  });

  test('of an ask, and of another input that cannot be told beside it', () => {
    const asked: Answer = { verdict: 'ask', reason: 'a person must look', updatedInput: { command: 'x' } };
    for (const event of ['preToolUse', 'PreToolUse']) {
      const { stdout, losses } = encode('copilot', event, asked);
      expect(stdout).toContain('"deny"');
      expect(stdout).toContain('a person must look\\nA hook would have run this with another input');
      expect(losses.map(({ what }) => what)).toEqual(['rewrite', 'ask']);
    }
  });
});

describe.each(AGENT_NAMES)('what supports says of %s is what it is told', (agent) => {
  const codec = agentCodec(agent);
  const gates = codec.events.filter((row) => foldOf(row) === 'gate');
  test.each(gates.map((row) => [row.name, row] as const))('on %s', (_, row) => {
    for (const verdict of ['allow', 'ask', 'defer', 'deny'] as const) {
      const { carried, as } = supportOf(row, verdict, codec.source, codec.title);
      const { stdout, losses } = codec.encode({ verdict, reason: 'R' }, row.name);
      const said = carried === 'yes' ? verdict : as;
      if (said !== undefined) expect(stdout).toContain(`"${said}"`);
      else expect(stdout.trim()).toBe(codec.encode({}, row.name).stdout.trim());
      if (carried === 'as' || carried === 'no') expect(losses.map(({ what }) => what)).toContain(verdict);
    }
  });
});

test('every answer is asked about by a name that there is', () => {
  const all: readonly Sayable[] = SAYABLE;
  expect(all.map((what) => supports('codex', 'PreToolUse', what).carried)).not.toContain(undefined);
  expect(supports('codex', 'PreToolUse', 'defer')).toMatchObject({ carried: 'as', as: 'deny' });
  expect(supports('codex', 'Stop', 'defer')).toMatchObject({ carried: 'no' });
});
