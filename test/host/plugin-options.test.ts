import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHost, definePlugin, type Plugin } from '../../src/index.js';
import { generated } from '../seed.js';

/** What a plugin with this schema reads, or the error's message. */
async function read(options: unknown, given: unknown): Promise<unknown> {
  let got: unknown;
  const host = createHost();
  try {
    const apply = (_: unknown, parsed: unknown): void => {
      got = parsed;
    };
    await host.use({ name: 'p', options, apply } as Plugin, given);
    return { got };
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_PLUGIN' });
    return (error as Error).message;
  } finally {
    await host.close();
  }
}

const words = z.array(z.string()).default([]);
const plain = z.object({ words });

describe('a key that the schema does not name is refused, with the nearest', () => {
  test.each<[string, z.ZodType, unknown, string]>([
    ['default', plain.default({ words: [] }), { wordz: [] }, 'wordz'],
    ['prefault', plain.prefault({}), { wordz: [] }, 'wordz'],
    ['optional', plain.optional(), { wordz: [] }, 'wordz'],
    ['nullable', plain.nullable(), { wordz: [] }, 'wordz'],
    ['readonly', plain.readonly(), { wordz: [] }, 'wordz'],
    ['catch', plain.catch({ words: [] }), { wordz: [] }, 'wordz'],
    ['nonoptional', z.nonoptional(plain.optional()), { wordz: [] }, 'wordz'],
    ['refine', plain.refine(() => true), { wordz: [] }, 'wordz'],
    ['brand', plain.brand<'b'>(), { wordz: [] }, 'wordz'],
    ['transform', plain.transform((all) => all), { wordz: [] }, 'wordz'],
    ['pipe', plain.pipe(z.looseObject({}) as never), { wordz: [] }, 'wordz'],
    ['pipe of unknown', z.unknown().pipe(plain), { wordz: [] }, 'wordz'],
    ['lazy', z.lazy(() => plain), { wordz: [] }, 'wordz'],
    ['strict', z.strictObject({ words }), { wordz: [] }, 'wordz'],
    ['array', z.object({ rules: z.array(plain) }), { rules: [{ words: [] }, { wordz: [] }] }, 'rules[1].wordz'],
    ['tuple', z.object({ rules: z.tuple([z.string()], plain) }), { rules: ['a', { wordz: [] }] }, 'rules[1].wordz'],
    ['record', z.record(z.string(), plain), { a: { wordz: [] } }, 'a.wordz'],
    ['map', z.object({ m: z.map(z.string(), plain) }), { m: new Map([['a', { wordz: [] }]]) }, 'm.a.wordz'],
    ['set', z.object({ s: z.set(plain) }), { s: new Set([{ wordz: [] }]) }, 's[0].wordz'],
    ['catchall', z.object({}).catchall(plain), { a: { wordz: [] } }, 'a.wordz'],
    ['nested', z.object({ inner: plain.optional() }), { inner: { wordz: [] } }, 'inner.wordz'],
    ['intersection', z.intersection(plain, z.object({ b: z.string() })), { b: 'x', wordz: [] }, 'wordz'],
    [
      'intersection of nested objects',
      z.intersection(z.object({ i: plain }), z.object({ i: z.object({ b: z.string() }) })),
      { i: { b: 'x', wordz: [] } },
      'i.wordz',
    ],
    ['union', z.union([z.object({ n: z.number() }), plain]), { wordz: [] }, 'wordz'],
    [
      'union that does not accept it',
      z.union([z.object({ words: z.string() }), z.object({ b: z.number() })]),
      { wordz: 'x' },
      'wordz',
    ],
    [
      'discriminated union',
      z.discriminatedUnion('k', [z.object({ k: z.literal('a'), words }), z.object({ k: z.literal('b') })]),
      { k: 'a', wordz: [] },
      'wordz',
    ],
  ])('%s', async (_, schema, given, place) => {
    expect(await read(schema, given)).toMatch(`Plugin "p": options: ${place}: is not a known option; there are `);
    expect(await read(schema, given)).toContain('Did you mean "words"?');
  });

  test('also beside one that is missing', async () => {
    expect(await read(z.object({ max: z.number() }), { maxx: 1 })).toBe(
      'Plugin "p": options: maxx: is not a known option; there are max. Did you mean "max"?; max: Invalid input: expected number, received undefined.',
    );
  });
});

test.each<[string, z.ZodType, unknown]>([
  ['a loose object', z.looseObject({}), { a: 1 }],
  ['a catchall', z.object({}).catchall(z.number()), { a: 1 }],
  [
    'a codec of a record',
    z.codec(z.record(z.string(), z.number()), z.object({ pairs: z.array(z.unknown()) }), {
      decode: (from) => ({ pairs: Object.entries(from) }),
      encode: (to) => Object.fromEntries(to.pairs as [string, number][]),
    }),
    { a: 1 },
  ],
  ['a record whose keys are changed', z.record(z.string().toLowerCase(), z.unknown()).pipe(plain), { WORDS: [] }],
  [
    'a value that a check changes',
    z
      .unknown()
      .overwrite(() => ({ words: [] }))
      .pipe(plain),
    { wordz: [] },
  ],
  ['a loose object behind a pipe', z.object({ i: z.looseObject({}) }).transform((x) => x), { i: { a: 1 } }],
  ['the other side of an intersection', z.intersection(plain, z.object({ b: z.string() })), { words: [], b: 'x' }],
  ['a loose side of an intersection', z.intersection(plain, z.looseObject({})), { a: 1 }],
  ['another option of a union', z.union([z.object({ n: z.number() }), plain]), { words: ['a'] }],
  ['what a preprocess makes of it', z.preprocess(() => ({ words: [] }), plain), { list: [] }],
  ['a record', z.record(z.string(), z.unknown()), { a: { b: 1 } }],
])('%s takes what its schema takes', async (_, schema, given) => {
  expect(await read(schema, given)).toHaveProperty('got');
});

/** A schema, with a value that it accepts, and how to put another key into one of its objects. */
interface Made {
  readonly schema: z.ZodType;
  readonly value: unknown;
  /** The same with a key too many, once for each object in it. */
  readonly spoiled: readonly unknown[];
}

const leaf = fc.constantFrom<Made>(
  { schema: z.string(), value: 'x', spoiled: [] },
  { schema: z.number(), value: 1, spoiled: [] },
);

const WRAPS: readonly ((schema: z.ZodType) => z.ZodType)[] = [
  (s) => s.optional(),
  (s) => s.nullable(),
  (s) => s.readonly(),
  (s) => s.refine(() => true),
  (s) => s.transform((x) => x),
  (s) => s.pipe(z.unknown()),
  (s) => z.unknown().pipe(s),
  (s) => z.lazy(() => s),
  (s) => s.default(() => undefined as never),
  (s) => s.prefault(() => undefined as never),
  (s) => s.catch(undefined as never),
  (s) => z.union([z.object({ other: z.literal('only') }), s]),
];

const { made } = fc.letrec<{ made: Made; object: Made; array: Made; record: Made; wrapped: Made }>((tie) => ({
  made: fc.oneof({ maxDepth: 4 }, leaf, tie('object'), tie('array'), tie('record'), tie('wrapped')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('made'), { minKeys: 1 }).map((fields) => {
    const value = Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, one.value]));
    const inner = Object.entries(fields).flatMap(([key, one]) => one.spoiled.map((bad) => ({ ...value, [key]: bad })));
    const shape = Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, one.schema]));
    return { schema: z.object(shape), value, spoiled: [{ ...value, zzz: 1 }, ...inner] };
  }),
  array: tie('made').map(({ schema, value, spoiled }) => ({
    schema: z.array(schema),
    value: [value, value],
    spoiled: spoiled.map((bad) => [value, bad]),
  })),
  record: tie('made').map(({ schema, value, spoiled }) => ({
    schema: z.record(z.string(), schema),
    value: { one: value },
    spoiled: spoiled.map((bad) => ({ one: bad })),
  })),
  wrapped: fc
    .tuple(tie('made'), fc.constantFrom(...WRAPS))
    .map(([one, wrap]) => ({ ...one, schema: wrap(one.schema) })),
}));

test('generated schemas refuse one key too many, wherever it is, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(made, async ({ schema, value, spoiled }) => {
      const options = z.object({ all: schema });
      expect(await read(options, { all: value })).toHaveProperty('got');
      for (const bad of spoiled) expect(await read(options, { all: bad })).toMatch(/zzz: is not a known option/);
    }),
    { numRuns: generated(100) },
  );
});

test('options that are left out are the default of the whole', async () => {
  expect(await read(z.object({ max: z.number() }).default({ max: 3 }), undefined)).toEqual({ got: { max: 3 } });
  expect(await read(z.object({ max: z.number() }).prefault({ max: 3 }).readonly(), undefined)).toEqual({
    got: { max: 3 },
  });
  const whole = z.object({ max: z.number() }).default({ max: 3 });
  expect(
    await read(
      z.lazy(() => whole),
      undefined,
    ),
  ).toEqual({ got: { max: 3 } });
  expect(await read(plain.optional(), undefined)).toEqual({ got: { words: [] } });
});

test('what is wrong with each option of a union is said, with its key', async () => {
  const schema = z.object({ of: z.union([z.object({ a: z.string() }), z.object({ b: z.number() })]) });
  expect(await read(schema, { of: {} })).toMatch(
    /options: either of\.a: .*expected string.*; or of\.b: .*expected number/,
  );
});

test.each([
  [[{ message: 'Expected string' }], 'options: Expected string.'],
  [[{ message: 'Expected string', path: [{ type: 'object', key: 'max' }, 0] }], 'options: max[0]: Expected string.'],
  [[{ message: 'one', path: ['a'] }, { message: 'two' }], 'options: a: one; two.'],
  [[null], 'options: Invalid type.'],
  [[], 'options: Invalid type.'],
])('the issues of another library are said as far as they go: %j', async (issues, said) => {
  const parse = () => {
    throw Object.assign(new Error('Invalid type'), { issues });
  };
  expect(await read({ parse }, {})).toContain(said);
});

test('an asynchronous schema is refused, and what to do', async () => {
  const late = z.object({ a: z.string().refine(async () => true) });
  expect(await read(late, { a: 'x' })).toMatch(/options: the schema is asynchronous .*apply\(\)/);
  expect(await read({ parse: () => Promise.reject(new Error('no')) }, {})).toMatch(/the schema is asynchronous/);
});

test('options that are no schema are refused', async () => {
  expect(() => definePlugin({ name: 'p', options: { a: 1 } as never, apply: () => undefined })).toThrow(
    /Invalid option definePlugin: options: expected a schema.*parse\(value\), got \{"a":1\}/,
  );
  expect(await read({ a: 1 }, {})).toMatch(/options: expected a schema.*, got object/);
});
