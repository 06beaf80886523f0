import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { fireSchema } from '../../src/emit/fire-schema.js';
import { alarmSchema, progressSchema, responseSchema, startedSchema, toolCallSchema } from '../../src/emit/schema.js';
import { SKIP_REASONS } from '../../src/scopes/skip.js';
import { ROOT } from '../package/sources.js';

/** The shapes of records in docs/semantics.md. Each has every field of its schema, and marks those with `?` that may be missing. */
const page = readFileSync(`${ROOT}/docs/semantics.md`, 'utf8');

/** Optional in the schema alone, for the records of older versions. */
const ALWAYS_NOW = ['host_id'];

interface Field {
  readonly optional: boolean;
  /** The fields in its braces, where it has them. */
  readonly within: Fields | undefined;
}
type Fields = ReadonlyMap<string, Field>;

/** `{ a, b?, c: [{ d }] }   // a comment`. */
function fieldsOf(text: string): Fields {
  const code = text.replace(/\/\/.*$/gm, '').replace(/'[^']*'/g, "''");
  let at = code.indexOf('{');
  const inBraces = (): Fields => {
    const fields = new Map<string, Field>();
    at++;
    for (;;) {
      const [all, name, mark] = /^[\s,]*(\w+)(\??)/.exec(code.slice(at)) ?? [];
      if (all === undefined) throw new Error(`no name of a field: ${code.slice(at, at + 40)}`);
      at += all.length;
      let within: Fields | undefined;
      while (code[at] !== ',' && code[at] !== '}') {
        if (at >= code.length) throw new Error(`${name} has no end`);
        if (code[at] === '{') within = inBraces();
        else at++;
      }
      fields.set(name as string, { optional: mark === '?', within });
      if (/^[\s,]*\}/.test(code.slice(at))) break;
    }
    at = code.indexOf('}', at) + 1;
    return fields;
  };
  return inBraces();
}

function block(type: string): string {
  const from = page.indexOf(`{ type: '${type}'`);
  return page.slice(from, page.indexOf('```', from));
}

interface Shape {
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
}
interface Wrapped {
  readonly def: { readonly innerType?: Wrapped; readonly element?: Wrapped };
  readonly shape?: Shape['shape'];
}

/** The object in a field, also in a list. */
function objectIn(schema: unknown): Shape | undefined {
  const { def, shape } = schema as Wrapped;
  const inner = def.innerType ?? def.element;
  return shape ? { shape } : inner && objectIn(inner);
}

/** A field's name, with `?` where it may be missing; below it those of its own fields that the page lists. */
function listed(fields: Fields, at = ''): string[] {
  return [...fields].flatMap(([name, { optional, within }]) => [
    `${at}${name}${optional ? '?' : ''}`,
    ...(within ? listed(within, `${at}${name}.`) : []),
  ]);
}

function declared({ shape }: Shape, fields: Fields, at = ''): string[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const within = fields.get(name)?.within;
    const object = within && objectIn(schema);
    const optional = schema._zod.optin === 'optional' && !ALWAYS_NOW.includes(name);
    return [`${at}${name}${optional ? '?' : ''}`, ...(object ? declared(object, within, `${at}${name}.`) : [])];
  });
}

test.each([
  ['hook_fire', fireSchema],
  ['tool_call', toolCallSchema],
  ['hook_alarm', alarmSchema],
] as const)('docs/semantics.md lists the fields of a %s record', (type, schema) => {
  const fields = fieldsOf(block(type));
  expect(listed(fields).sort()).toEqual(declared(schema as unknown as Shape, fields).sort());
});

test('docs/semantics.md lists the reasons of a skip, and docs/architecture.md where each is set', () => {
  const [, reasons] = /reason\?, +\/\/ of a skip: (.*)/.exec(page) ?? [];
  expect(reasons?.split(' | ').sort()).toEqual(Object.keys(SKIP_REASONS).sort());
  const [tour] = /^4\. \*\*[\s\S]*?(?=^5\. )/m.exec(readFileSync(`${ROOT}/docs/architecture.md`, 'utf8')) ?? [''];
  // Those with a check are set where all checks are.
  const elsewhere = Object.entries(SKIP_REASONS).flatMap(([name, reason]) => ('check' in reason ? [] : [name]));
  expect(elsewhere.filter((name) => !tour.includes(`\`${name}\``))).toEqual([]);
});

test('docs/semantics.md names the fields of the records of a run', () => {
  const from = page.indexOf('- **Each run of a hook**');
  const text = page.slice(from, page.indexOf('\n- **', from));
  const fields = [startedSchema, progressSchema, responseSchema].flatMap(({ shape }) => Object.keys(shape));
  expect([...new Set(fields)].filter((name) => !text.includes(`\`${name}`))).toEqual([]);
});

test('what reads the page finds fields in braces, in lists and before comments', () => {
  const text = "{ type: 'x, y', a?, // b, { c }\n  d: [{ e, f?: 'g' | 'h' }], i?: { j } }";
  expect(listed(fieldsOf(text))).toEqual(['type', 'a?', 'd', 'd.e', 'd.f?', 'i?', 'i.j']);
});
