import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hookRecord } from '../../../src/emit/fire-schema.js';
import type { HookRecord } from '../../../src/emit/record.js';
import { createFinder } from '../../../src/emit/redact/find/find.js';
import type { TextSpan } from '../../../src/emit/redact/find/quoted.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { MaskedStream } from '../../../src/emit/redact/stream.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-withheld-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');

const SECRET = 'hX7kQ2mZ9pL4';
const WITHHELD = '[redacted: it could not be read]';

/** What is read of a zod schema. */
interface Definition {
  readonly type: string;
  readonly shape?: Record<string, Schema>;
  readonly options?: readonly Schema[];
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly entries?: Record<string, string>;
  readonly values?: readonly unknown[];
  readonly format?: string;
}
interface Schema {
  readonly _zod: { readonly def: Definition };
}

/** Texts that the host makes itself. */
const OURS = new Set('host_id hook_id fire_id hook_event uuid event input_sha256 judged_sha256 ran_sha256'.split(' '));

/** Which word of a list is taken. */
let turn = 0;

/** A value with every field of the schema and some more, whose free texts are secrets; `told` gets what must be kept. */
function sampleOf(
  schema: Schema,
  path: readonly string[],
  told: (path: readonly string[], value: unknown) => void,
): unknown {
  const { type, shape, innerType, element, entries, values, format } = schema._zod.def;
  const name = path.at(-1) ?? '';
  const kept = <T>(value: T): T => {
    if (path.length > 0) told(path, value);
    return value;
  };
  if (type === 'object') {
    const fields: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(shape ?? {}))
      if (key !== 'redacted') fields[key] = sampleOf(one, [...path, key], told);
    if (path.length > 0) Object.assign(fields, { [SECRET]: 1, more: SECRET, list: [SECRET], within: { deep: SECRET } });
    return fields;
  }
  if (innerType !== undefined) return sampleOf(innerType, path, told);
  if (element !== undefined) return [sampleOf(element, [...path, '0'], told)];
  if (type === 'enum') return kept(Object.values(entries ?? {}).at(turn % Object.values(entries ?? {}).length));
  if (type === 'literal') return kept(values?.[0]);
  if (type === 'number') return kept(7);
  if (type === 'boolean') return kept(true);
  if (type === 'record')
    return name === 'hooks_ms' ? { PreToolUse: 5 } : { [SECRET]: SECRET, pin: 47.11, deep: [SECRET] };
  if (type === 'unknown') return { [SECRET]: [SECRET, 47.11] };
  if (format === 'datetime') return kept('2025-01-31T09:15:01.500Z');
  if (name === 'uuid') return kept('aa1b6f8e-584e-446a-8bc1-000000000001');
  if (OURS.has(name) && path.length === 1) return kept(name.endsWith('sha256') ? 'a'.repeat(64) : `id-of-${name}`);
  return path.join('.') === 'decision.event' ? kept('id-of-event') : SECRET;
}

function recordsOf(schema: Schema): Schema[] {
  return schema._zod.def.options?.flatMap(recordsOf) ?? [schema];
}

const RECORDS = recordsOf(hookRecord as unknown as Schema);
const typeOf = (schema: Schema): string =>
  ['type', 'subtype'].map((key) => schema._zod.def.shape?.[key]?._zod.def.values?.[0] ?? '').join(' ');

/** No list of the schema is longer. */
const MOST_WORDS = 24;

/** Data that no record can hold, so that masking it throws. */
function bottomless(): unknown {
  let deep: unknown = SECRET;
  for (let i = 0; i < 2000; i++) deep = [deep];
  return deep;
}

test.each(RECORDS.map((schema) => [typeOf(schema), schema] as const))(
  'of a record that cannot be masked, only what is known to be safe is kept: %s',
  (_, schema) => {
    for (turn = 0; turn < MOST_WORDS; turn++) {
      const safe: [string, unknown][] = [];
      const record = sampleOf(schema, [], (path, value) => safe.push([path.join('.'), value])) as HookRecord;
      hookRecord.parse(record);
      const masked = createRedactor({ keyFile }).redact({ ...record, too_deep: bottomless() } as unknown as HookRecord);
      const text = JSON.stringify(masked);
      expect(text).toContain(WITHHELD);
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('47.11');
      expect(masked.redacted?.count).toBeGreaterThan(0);
      expect(() => hookRecord.parse(masked), 'it is still a record').not.toThrow();
      const at = (path: string): unknown =>
        path.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], masked);
      expect(safe.map(([path]) => [path, at(path)])).toEqual(safe);
    }
  },
);

test('a word of the schema is kept only where the schema has words', () => {
  const schema = RECORDS.find((one) => typeOf(one).startsWith('hook_fire')) as Schema;
  const record = sampleOf(schema, [], () => undefined) as Extract<HookRecord, { type: 'hook_fire' }>;
  const odd = {
    ...record,
    session_id: 'deny',
    decision: { ...record.decision, event: 'X', stopReason: 'deny', fold: 'x' },
  };
  const masked = createRedactor({ keyFile }).redact({ ...odd, too_deep: bottomless() } as unknown as HookRecord);
  expect(masked).toMatchObject({
    session_id: WITHHELD,
    decision: { event: WITHHELD, stopReason: WITHHELD, fold: WITHHELD },
  });
});

test('a piece of a stream that cannot be read is left out with its line, and those that follow are read', () => {
  const finder = createFinder(() => true, []);
  const find = (text: string): readonly TextSpan[] => {
    if (text.includes('unreadable')) throw new RangeError('Maximum call stack size exceeded');
    return finder.find(text);
  };
  const stream = new MaskedStream({ ...finder, find });
  const push = (piece: string): string => stream.push(piece, (text, from, to) => text.slice(from, to));
  expect(push('first\n')).toBe('first\n');
  expect(() => push(`unreadable\npassword=${SECRET}`)).toThrow();
  expect(push(' and more\nsecond\n')).not.toContain(SECRET);
  expect(() => push('unreadable\n')).toThrow();
  expect(push('third\n')).toContain('third\n');
});

test('a record whose fields cannot even be read by a part is withheld, never thrown', () => {
  const throws = (): never => {
    throw new Error(SECRET);
  };
  const getter = (name: string, other: object = {}): object =>
    Object.defineProperty(other, name, { get: throws, enumerable: true });
  const proxy = new Proxy({}, { ownKeys: throws });
  const decisions = [
    getter('verdict', { continue: true }),
    getter('answers'),
    { answers: [getter('verdict'), 1] },
    { answers: getter('0', []) },
    proxy,
    { failure: proxy, continue: true },
  ];
  for (const decision of decisions) {
    const masked = createRedactor({ keyFile }).redact({ type: 'hook_fire', seq: 1, decision } as unknown as HookRecord);
    expect(JSON.stringify(masked)).not.toContain(SECRET);
    expect(masked).toMatchObject({ type: 'hook_fire', seq: 1 });
  }
  const record = getter('input', getter('event', { type: 'hook_fire', seq: 1 })) as HookRecord;
  expect(createRedactor({ keyFile }).redact(record)).toMatchObject({ seq: 1, event: WITHHELD, input: WITHHELD });
});
