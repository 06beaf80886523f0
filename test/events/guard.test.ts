import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CATALOGUE } from '../../src/events/catalogue.js';
import { withName } from '../../src/events/define.js';
import { checkInput, inputGuard } from '../../src/events/guard.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { EventSpec } from '../../src/events/spec.js';
import { compilePredicate } from '../../src/values/predicate.js';
import { findProblem } from '../../src/values/problem.js';
import { generated } from '../seed.js';

const entries: readonly EventSpec[] = Object.values(CATALOGUE);

/** A value that is often right for some field and often wrong for another. */
const anything = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.double(),
  fc.constantFrom(
    undefined,
    null,
    Number.NaN,
    {},
    [],
    { level: 'high' },
    { level: 3 },
    { name: 'x' },
    new Map(),
    new Date(0),
  ),
  fc.array(fc.oneof(fc.string(), fc.record({ tool_name: fc.string(), tool_input: fc.anything() }))),
  fc.anything(),
);

/** An input with about the right fields: most of them of the right type, one or two spoiled or missing. */
function nearlyRight(spec: EventSpec): fc.Arbitrary<unknown> {
  const right = Object.fromEntries(Object.entries(spec.input.shape).map(([key, schema]) => [key, sample(schema)]));
  const keys = Object.keys(right);
  const spoil = fc.record({ key: fc.constantFrom(...keys, 'unknown_field'), value: anything, missing: fc.boolean() });
  return fc.array(spoil, { maxLength: 2 }).map((spoils) => {
    const input: Record<string, unknown> = { ...right, hook_event_name: spec.name };
    for (const { key, value, missing } of spoils) {
      if (missing) delete input[key];
      else input[key] = value;
    }
    return input;
  });
}

function sample(schema: z.core.$ZodType): unknown {
  const candidates = ['text', true, 3, { level: 'high', name: 'x' }, [], null];
  return candidates.find((value) => (schema as z.ZodType).safeParse(value).success);
}

describe.each(entries.map((spec) => [spec.name, spec] as const))('the guard of %s', (_, spec) => {
  it('says yes only where the schema does', () => {
    const guard = inputGuard(spec);
    let yes = 0;
    fc.assert(
      fc.property(
        fc.oneof({ weight: 9, arbitrary: nearlyRight(spec) }, { weight: 1, arbitrary: fc.anything() }),
        (input) => {
          if (!guard(input)) return;
          yes++;
          expect(checkInput(spec, input)).toBeUndefined();
        },
      ),
      { numRuns: generated(100) },
    );
    expect(yes).toBeGreaterThan(20);
  });
});

describe('the guard', () => {
  it('does not look into what a tool was given or gave back', () => {
    let looked = 0;
    const large = new Proxy({}, { get: () => looked++, ownKeys: () => [`${looked++}`] });
    const input = {
      session_id: 's',
      transcript_path: '/t',
      cwd: '/',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: large,
      tool_response: large,
    };
    expect(inputGuard(CATALOGUE.PostToolUse as EventSpec)(input)).toBe(true);
    expect(looked).toBe(0);
  });

  it('is compiled once', () => {
    const spec = CATALOGUE.Stop as EventSpec;
    expect(inputGuard(spec)).toBe(inputGuard(spec));
  });

  it('asks zod where a custom field is more than a type', () => {
    const Deploy: EventSpec = withName(
      'Deploy',
      defineEvent({ input: z.object({ port: z.number().int().max(65535), mail: z.email() }), fold: 'gate' }),
    );
    const input = {
      session_id: 's',
      transcript_path: '',
      cwd: '/',
      hook_event_name: 'Deploy',
      mail: 'a@b.cd',
      port: 80,
    };
    expect(inputGuard(Deploy)(input)).toBe(true);
    expect(inputGuard(Deploy)({ ...input, port: 80_000 })).toBe(false);
    expect(checkInput(Deploy, { ...input, port: 80_000 })).toEqual({
      field: 'port',
      expected: 'must be at most 65535, got 80000',
    });
    expect(inputGuard(Deploy)({ ...input, mail: 'nobody' })).toBe(false);
  });
});

it.each<[z.ZodType, unknown, string, string]>([
  [z.number().min(0), -1, 'at least 0', '-1'],
  [z.number().max(5), 7, 'at most 5', '7'],
  [z.number().positive(), 0, 'more than 0', '0'],
  [z.number().lt(5), 5, 'less than 5', '5'],
  [z.array(z.string()).min(1), [], 'at least 1 in the array', '0'],
  [z.string().min(3), 'ab', 'at least 3 characters', '2'],
  [z.number(), Number.NaN, 'number', 'NaN'],
  [z.number(), Number.POSITIVE_INFINITY, 'number', 'Infinity'],
  [z.number(), 'x', 'number', 'string'],
])('what is too large or too small is said as it is (%#)', (schema, value, expected, got) => {
  expect(findProblem(schema, value)).toEqual({ field: '', expected, got });
});

describe('compilePredicate', () => {
  const schemas: Record<string, z.ZodType> = {
    string: z.string(),
    'string with a check': z.string().min(2),
    'refined string': z.string().refine((text) => text !== 'text'),
    email: z.email(),
    number: z.number(),
    integer: z.int(),
    boolean: z.boolean(),
    unknown: z.unknown(),
    literal: z.literal('text'),
    'literals of several types': z.literal(['text', 3, null]),
    enum: z.enum(['text', 'b']),
    optional: z.string().optional(),
    nullable: z.number().nullable(),
    'exact optional': z.object({ a: z.string().exactOptional() }),
    nullish: z.boolean().nullish(),
    default: z.string().default('x'),
    array: z.array(z.string()),
    'array of anything': z.array(z.unknown()),
    'short array': z.array(z.unknown()).max(1),
    'nested array': z.array(z.array(z.number())),
    record: z.record(z.string(), z.unknown()),
    'record of strings': z.record(z.string(), z.string()),
    'record of few keys': z.record(z.enum(['a']), z.unknown()),
    object: z.object({ a: z.string(), "it's": z.unknown() }),
    'loose object': z.looseObject({ a: z.unknown().optional() }),
    'strict object': z.strictObject({ a: z.string() }),
    catchall: z.object({}).catchall(z.string()),
    union: z.union([z.string(), z.number()]),
    transform: z.string().transform((text) => text.length),
    date: z.date(),
  };
  const value = fc.oneof(
    anything,
    fc.record(
      { a: fc.oneof(fc.string(), fc.integer(), fc.constant(undefined)), "it's": fc.anything() },
      { requiredKeys: [] },
    ),
    fc.constantFrom(
      'text',
      'b',
      3,
      1.5,
      [[1]],
      ['x'],
      { a: 'x', "it's": undefined },
      { a: 'x', b: 1 },
      new (class {
        a = 'x';
      })(),
    ),
  );

  it.each(Object.entries(schemas))('says yes only where zod does: %s', (_, schema) => {
    const accepts = compilePredicate(schema);
    fc.assert(
      fc.property(value, (v) => {
        if (accepts(v)) expect(schema.safeParse(v).success).toBe(true);
      }),
      { numRuns: generated(200) },
    );
    expect(accepts(Symbol('never of this type'))).toBe(schema.safeParse(Symbol('')).success);
  });
});
