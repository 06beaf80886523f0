import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { withName } from '../../src/events/define.js';
import { type JsonSchema, jsonSchema } from '../../src/events/json-schema.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { EventSpec } from '../../src/events/spec.js';

const WIRE = new URL('../fixtures/wire/', import.meta.url);
const entries: readonly EventSpec[] = HOOK_EVENTS.map((name) => CATALOGUE[name]);
/** Read back by zod, so that the schema itself is what is tested and not what it was made from. */
const reader = (schema: JsonSchema): z.ZodType => z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);

describe('jsonSchema', () => {
  it.each(entries.map((spec) => [spec.name, spec] as const))('is plain JSON for %s', (name, spec) => {
    for (const direction of ['input', 'output'] as const) {
      const schema = jsonSchema(spec, direction);
      expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
      expect(schema).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: expect.stringContaining(name),
        description: spec.about,
      });
    }
    expect(jsonSchema(spec, 'input')).toMatchObject({ properties: { hook_event_name: { const: name } } });
  });

  it('accepts recorded inputs, fields of tomorrow included, and refuses spoiled ones', () => {
    for (const file of readdirSync(WIRE)) {
      const accepts = reader(jsonSchema(CATALOGUE[file.replace('.json', '') as HookEvent], 'input'));
      for (const input of JSON.parse(readFileSync(new URL(file, WIRE), 'utf8')) as object[]) {
        expect(accepts.safeParse({ ...input, field_of_tomorrow: 1 }).success).toBe(true);
        expect(accepts.safeParse({ ...input, cwd: 3 }).success).toBe(false);
        expect(accepts.safeParse({ ...input, hook_event_name: 'Other' }).success).toBe(false);
      }
    }
  });

  it('accepts what a hook may print, and names the event it is for', () => {
    const output = reader(jsonSchema(CATALOGUE.PreToolUse as EventSpec, 'output'));
    const specific = (keys: object): unknown => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...keys } });
    const right = [
      {},
      { decision: 'block', reason: 'no' },
      { async: true, asyncTimeout: 5 },
      specific({ permissionDecision: 'deny' }),
      specific({ updatedInput: { a: 1 }, metrics: 1 }),
    ];
    const wrong = [
      { decision: 'maybe' },
      { continue: 'no' },
      { hookSpecificOutput: { permissionDecision: 'deny' } },
      { hookSpecificOutput: { hookEventName: 'Stop' } },
      specific({ permissionDecision: 'maybe' }),
      { async: true, asyncTimeout: '5' },
    ];
    expect(right.map((value) => output.safeParse(value).success)).toEqual(right.map(() => true));
    expect(wrong.map((value) => output.safeParse(value).success)).toEqual(wrong.map(() => false));
  });

  it('shows the well-known values of a string that takes others too', () => {
    const schema = jsonSchema(CATALOGUE.SessionStart as EventSpec, 'input');
    expect(schema).toMatchObject({
      properties: { source: { type: 'string', examples: ['startup', 'resume', 'clear', 'compact', 'fork'] } },
    });
  });

  it('takes custom events', () => {
    const Deploy: EventSpec = withName('Deploy', defineEvent({ input: z.object({ at: z.date() }), fold: 'observe' }));
    expect(jsonSchema(Deploy, 'input')).toMatchObject({ properties: { at: {}, cwd: { type: 'string' } } });
  });
});
