import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { hookRecord } from '../../src/emit/fire-schema.js';
import type { FireRecord, HandlerRecord, HookProgress, HookResponse } from '../../src/emit/record.js';
import { fireRecord } from '../../src/emit/record.js';
import { hookProgress, hookResponse, hookStarted } from '../../src/emit/run-records.js';
import { clientMessage } from '../../src/emit/schema.js';
import { FIRE, fire, RUN, stamped } from './samples.js';

const STREAM = new URL('../fixtures/stream/', import.meta.url);
const stamp = { seq: 1, time: '2025-01-31T09:15:00.123Z' };
const minimal = { ...RUN, agentId: undefined, toolUseId: undefined, plugin: undefined };

const recorded = readdirSync(STREAM).flatMap((file) => {
  const lines = readFileSync(new URL(file, STREAM), 'utf8').trim().split('\n');
  return lines.map((line, index) => ({
    at: `${file}:${index + 1}`,
    message: JSON.parse(line) as Record<string, unknown>,
  }));
});

describe('the messages of a run', () => {
  test('carry the wire fields of every message the client was recorded to print, and ours', () => {
    expect(recorded.length).toBeGreaterThan(300);
    const sent: Record<string, Record<string, unknown>> = {
      hook_started: hookStarted(RUN),
      hook_progress: hookProgress(RUN, {}),
      hook_response: hookResponse(RUN, { durationMs: 1, exitCode: 0 }),
    };
    for (const { at, message } of recorded) {
      const { success, error } = clientMessage.safeParse(message);
      expect(success, `${at}: ${error?.message}`).toBe(true);
      const keys = Object.keys(sent[message['subtype'] as string] ?? {});
      expect(
        Object.keys(message).filter((key) => !keys.includes(key)),
        at,
      ).toEqual([]);
    }
  });

  test.each(['hook_id', 'hook_name', 'hook_event', 'uuid', 'session_id', 'stdout', 'stderr', 'output', 'outcome'])(
    "are refused by the schema, ours and the client's, without %s",
    (key) => {
      const { [key as 'uuid']: _, ...rest } = hookResponse(RUN, { durationMs: 1 });
      expect(clientMessage.safeParse(rest).success).toBe(false);
      expect(hookRecord.safeParse({ ...stamp, ...rest }).success).toBe(false);
    },
  );

  test.each(['seq', 'time', 'fire_id', 'scope', 'handler', 'handler_id', 'name', 'source', 'duration_ms'])(
    'are refused by our schema without %s',
    (key) => {
      const { [key as 'seq']: _, ...rest } = stamped(1);
      expect(hookRecord.safeParse(rest).success).toBe(false);
    },
  );

  test.each([
    ['started', hookStarted(RUN)],
    ['started, with the least', hookStarted(minimal)],
    ['progress', hookProgress(RUN, { stdout: 'a\n', stderr: 'b\n' })],
    ['response', hookResponse(RUN, { durationMs: 3.5, exitCode: 2, stderr: 'no', decision: 'deny' })],
    ['failed', hookResponse(minimal, { durationMs: 1, failure: { cause: 'timeout', message: 'too late' } })],
    ['fire', fireRecord(FIRE)],
  ])('pass the schema as sent: %s', (_, draft) => {
    expect(hookRecord.parse({ ...stamp, ...draft })).toEqual({ ...stamp, ...draft });
  });

  test.each(['none', 'allow', 'ask', 'defer', 'deny'] as const)(
    'pass the schema whatever was decided: %s',
    (verdict) => {
      const [handler] = FIRE.handlers;
      if (handler === undefined) throw new Error('the sample has no handler');
      const decided = fireRecord({
        ...FIRE,
        decision: { ...FIRE.decision, verdict },
        handlers: [{ ...handler, verdict }],
      });
      expect(hookRecord.parse({ ...stamp, ...decided })).toEqual({ ...stamp, ...decided });
      const run = hookResponse(RUN, { durationMs: 1, decision: verdict });
      expect(hookRecord.parse({ ...stamp, ...run })).toEqual({ ...stamp, ...run });
    },
  );

  test.each(['not_honoured', 'other_input', 'unasked'] as const)('pass the schema whatever an alarm is: %s', (kind) => {
    const alarm = {
      type: 'hook_alarm',
      alarm: kind,
      message: 'm',
      session_id: 's',
      scope: 'session',
      tool_name: 'Bash',
      tool_use_id: 't1',
      evidence: 'PostToolUse',
    };
    expect(hookRecord.parse({ ...stamp, ...alarm })).toEqual({ ...stamp, ...alarm });
    expect(hookRecord.safeParse({ ...stamp, ...alarm, alarm: '' }).success).toBe(false);
  });

  test('with a verdict that there is not are refused', () => {
    const decided = fireRecord({ ...FIRE, decision: { ...FIRE.decision, verdict: 'maybe' as never } });
    expect(hookRecord.safeParse({ ...stamp, ...decided }).success).toBe(false);
    const run = hookResponse(RUN, { durationMs: 1, decision: 'maybe' as never });
    expect(hookRecord.safeParse({ ...stamp, ...run }).success).toBe(false);
  });

  test('say each whose call it was', () => {
    const whose = { agent_id: 'agent-1', tool_use_id: 'toolu_1', plugin: 'guards' };
    for (const draft of [hookStarted(RUN), hookProgress(RUN, {}), hookResponse(RUN, { durationMs: 1 })])
      expect(draft).toMatchObject(whose);
  });

  test('leave out what there is not, instead of undefined', () => {
    for (const draft of [hookStarted(minimal), hookProgress(minimal, {}), hookResponse(minimal, { durationMs: 1 })]) {
      expect(Object.entries(draft).filter(([, value]) => value === undefined)).toEqual([]);
      expect(Object.keys(draft)).not.toContain('agent_id');
    }
  });

  test('have a uuid each and the hook_id of their run', () => {
    const [a, b] = [hookStarted(RUN), hookResponse(RUN, { durationMs: 1 })];
    expect(a.uuid).not.toBe(b.uuid);
    expect([a.hook_id, b.hook_id]).toEqual(['run-1', 'run-1']);
  });

  test("of progress hold the new piece; a callback's text is output alone", () => {
    expect(hookProgress(RUN, { stdout: 'out', stderr: 'err' })).toMatchObject({
      stdout: 'out',
      stderr: 'err',
      output: 'errout',
    });
    expect(hookProgress(RUN, { text: 'half way' })).toMatchObject({ stdout: '', stderr: '', output: 'half way' });
  });

  test.each([
    [{ exitCode: 0 }, 'success'],
    [{ exitCode: 2 }, 'error'],
    [{ exitCode: 1, failure: { cause: 'exit_code', message: 'exit 1' } }, 'error'],
    [{ failure: { cause: 'timeout', message: '' } }, 'cancelled'],
    [{ failure: { cause: 'aborted', message: '' } }, 'cancelled'],
    [{ failure: { cause: 'spawn_failed', message: '' } }, 'error'],
  ] as const)('name the outcome as the client does: %j is %s', (result, outcome) => {
    expect(hookResponse(RUN, { durationMs: 1, ...result }).outcome).toBe(outcome);
  });

  test('of an http hook with status 200 is a success', () => {
    expect(hookResponse({ ...RUN, handler: 'http' }, { durationMs: 1, exitCode: 200 }).outcome).toBe('success');
  });
});

describe('the fire record', () => {
  test('holds the input as it was when the fire ended', () => {
    const input = { tool_name: 'Bash', tool_input: { command: 'ls', env: ['A'] } };
    const final = { ...input, tool_input: { command: 'ls -l' } };
    const record = fireRecord({ ...FIRE, input, final_input: final });
    input.tool_input.env.push('B');
    final.tool_input.command = 'rm';
    expect(record.input).toEqual({ tool_name: 'Bash', tool_input: { command: 'ls', env: ['A'] } });
    expect(record.final_input).toEqual({ tool_name: 'Bash', tool_input: { command: 'ls -l' } });
  });

  test('copies data only: a function is left out, a __proto__ key stays a key', () => {
    const input = { log: () => undefined, at: 'noon', ...(JSON.parse('{"__proto__":{"a":1}}') as object) };
    const copy = fireRecord({ ...FIRE, input }).input;
    expect(copy).not.toHaveProperty('log');
    expect(copy['at']).toBe('noon');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(fireRecord({ ...FIRE, input: JSON.parse('{"__proto__":{"a":1}}') }).input)).toBe(
      '{"__proto__":{"a":1}}',
    );
  });

  test('of an input of which a part cannot be read keeps the rest, and names the part', () => {
    const no = (): never => {
      throw new Error('not today');
    };
    const parts = {
      getter: Object.defineProperty({}, 'b', { get: no, enumerable: true }),
      json: { toJSON: no },
      proxy: new Proxy({}, { ownKeys: no }),
    };
    const record = fireRecord({ ...FIRE, input: { tool_name: 'Bash', tool_input: { a: 1, ...parts } } });
    expect(record.input).toMatchObject({ tool_name: 'Bash', tool_input: { a: 1 } });
    expect(record.truncated).toEqual(['getter.b', 'json', 'proxy'].map((name) => `input.tool_input.${name}`));
  });

  test('names twenty parts that cannot be read, and says that there are more', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1n]));
    expect(fireRecord({ ...FIRE, input: many(20) }).truncated).toHaveLength(20);
    expect(fireRecord({ ...FIRE, input: many(40) }).truncated?.slice(19)).toEqual(['input.k19', '…']);
  });

  test("shows the decision's own fields in JSON, not the wire form its toJSON gives", () => {
    class Decision {
      readonly event = 'PreToolUse';
      readonly fold = 'gate';
      readonly continue = true;
      readonly verdict = 'deny';
      readonly decidedBy = 'guards#1';
      readonly overruled = [];
      readonly failures = [];
      readonly conflicts = [];
      toJSON() {
        return { hookSpecificOutput: {} };
      }
    }
    const text = JSON.stringify(fireRecord({ ...FIRE, decision: new Decision() }));
    expect(JSON.parse(text)).toMatchObject({ decision: { verdict: 'deny', decidedBy: 'guards#1', fold: 'gate' } });
  });

  test.each(['fire_id', 'event', 'scope_known', 'input', 'decision', 'handlers', 'conflicts', 'out_of_scope'])(
    'is refused by the schema without %s',
    (key) => {
      const { [key as 'event']: _, ...rest } = fire();
      expect(hookRecord.safeParse(rest).success).toBe(false);
    },
  );
});

test('the types are what the schemas read, without what nobody knows of, and nothing of a record can be changed', () => {
  type Mutable<T> = { -readonly [K in keyof T]: T[K] };
  expectTypeOf<FireRecord>().not.toEqualTypeOf<Mutable<FireRecord>>();
  expectTypeOf<FireRecord['handlers']>().toExtend<readonly HandlerRecord[]>();
  expectTypeOf<FireRecord['handlers']>().not.toExtend<unknown[]>();
  expectTypeOf<'no such field'>().not.toExtend<keyof FireRecord>();
  expectTypeOf<HookResponse['exit_code']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<{ agent_id: undefined }>().not.toExtend<Pick<HookProgress, 'agent_id'>>();
});
