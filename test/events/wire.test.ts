import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { checkInput, inputGuard } from '../../src/events/guard.js';
import type { EventSpec } from '../../src/events/spec.js';

const WIRE = new URL('../fixtures/wire/', import.meta.url);
type Input = Record<string, unknown>;
const recorded: [name: HookEvent, input: Input][] = readdirSync(WIRE).flatMap((file) => {
  const inputs = JSON.parse(readFileSync(new URL(file, WIRE), 'utf8')) as Input[];
  return inputs.map((input): [HookEvent, Input] => [file.replace('.json', '') as HookEvent, input]);
});

const entryOf = (name: HookEvent): EventSpec => CATALOGUE[name];

describe('recorded inputs', () => {
  it('cover all but the three events that could not be provoked', () => {
    const names = new Set<string>(recorded.map(([name]) => name));
    expect(HOOK_EVENTS.filter((name) => !names.has(name))).toEqual([
      'TeammateIdle',
      'ElicitationResult',
      'DirectoryAdded',
    ]);
  });

  it.each(recorded)('%s is accepted, at a glance, and is not touched', (name, input) => {
    const before = structuredClone(input);
    expect(checkInput(entryOf(name), input)).toBeUndefined();
    expect(inputGuard(entryOf(name))(input)).toBe(true);
    expect(entryOf(name).input.parse(input)).toEqual(before);
    expect(input).toEqual(before);
    expect(Object.isFrozen(input)).toBe(false);
  });

  it.each(recorded)('%s may have fields that nobody has heard of', (name, input) => {
    const later = { ...input, field_of_tomorrow: { a: [1] } };
    expect(checkInput(entryOf(name), later)).toBeUndefined();
    expect(entryOf(name).input.parse(later)).toEqual(later);
  });

  it.each(recorded)('%s names the field that has the wrong type or is missing', (name, input) => {
    const spec = entryOf(name);
    for (const [key, schema] of Object.entries(spec.input.shape)) {
      if (acceptsAnything(schema)) continue;
      const wrong = { ...input, [key]: Symbol.for('wrong') };
      expect(checkInput(spec, wrong)?.field).toBe(key);
      expect(inputGuard(spec)(wrong)).toBe(false);
    }
    for (const [key, schema] of Object.entries(spec.input.shape)) {
      if (schema._zod.optin === 'optional') continue;
      const { [key]: _, ...without } = input;
      expect(checkInput(spec, without)?.field).toBe(key);
      expect(inputGuard(spec)(without)).toBe(false);
    }
  });
});

function acceptsAnything(schema: z.core.$ZodType): boolean {
  return (schema as z.ZodType).safeParse(Symbol.for('wrong')).success;
}

describe('checkInput', () => {
  const input = recorded.find(([name]) => name === 'PreToolUse')?.[1] as Input;

  it('says what the field must be', () => {
    const check = (over: Input): unknown => checkInput(CATALOGUE.PreToolUse as EventSpec, { ...input, ...over });
    expect(check({ tool_name: 3 })).toEqual({ field: 'tool_name', expected: 'must be string, got number' });
    expect(check({ effort: {} })).toEqual({ field: 'effort.level', expected: 'is missing: it must be string' });
    expect(check({ hook_event_name: 'Stop' })).toEqual({
      field: 'hook_event_name',
      expected: 'must be "PreToolUse", got "Stop"',
    });
  });

  it('finds the place inside a list', () => {
    const batch = recorded.find(([name]) => name === 'PostToolBatch')?.[1] as Input;
    const calls = [...(batch['tool_calls'] as object[]), { tool_name: null, tool_input: {} }];
    expect(checkInput(CATALOGUE.PostToolBatch as EventSpec, { ...batch, tool_calls: calls })).toEqual({
      field: `tool_calls[${calls.length - 1}].tool_name`,
      expected: 'must be string, got null',
    });
  });

  it.each([undefined, null, 'text', 3, []])('refuses %j as an input', (value) => {
    expect(checkInput(CATALOGUE.PreToolUse as EventSpec, value)?.field).toBe('input');
    expect(inputGuard(CATALOGUE.PreToolUse as EventSpec)(value)).toBe(false);
  });

  it('accepts values that no list has', () => {
    const open: Input = { ...input, permission_mode: 'paranoid', effort: { level: 'extreme' } };
    expect(checkInput(CATALOGUE.PreToolUse as EventSpec, open)).toBeUndefined();
    expect(inputGuard(CATALOGUE.PreToolUse as EventSpec)(open)).toBe(true);
  });

  it('reads old payloads, where some fields are absent', () => {
    const old = { session_id: 's', transcript_path: '/t', cwd: '/' };
    const cases: [HookEvent, Input][] = [
      ['PreToolUse', { tool_name: 'Bash', tool_input: {} }],
      ['PostToolUse', { tool_name: 'Bash', tool_input: {}, tool_response: null }],
      ['PostToolUseFailure', { tool_name: 'Bash', tool_input: {}, error: 'x' }],
      ['Notification', { message: 'hello' }],
      ['SubagentStop', { stop_hook_active: false }],
    ];
    for (const [name, own] of cases) {
      expect(checkInput(entryOf(name), { ...old, hook_event_name: name, ...own })).toBeUndefined();
    }
  });
});
