import fc from 'fast-check';
import type { Json } from './puppet.js';
import { RECORDINGS } from './recordings.js';

/** Every recorded message, of both sides, and some that were recorded of neither. */
const MESSAGES: readonly Json[] = [
  ...RECORDINGS.flatMap(({ entries }) => entries.map(({ msg }) => msg as Json)),
  { type: 'control_cancel_request', request_id: 'nobody' },
  { type: 'control_request', request_id: 'g', request: { subtype: 'interrupt' } },
  { type: 'control_response', response: { subtype: 'error', request_id: 'req_1_000000', error: 'no' } },
];

/** Stands in the text where JSON.stringify would not write it so. */
const RAW = ['1e400', '-1e-400', '-0', '123456789012345678901234567890', '"\\ud800"', '"\\u0000"', '"\\udfff\\ud800"'];
const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'then', 'toJSON', 'hasOwnProperty', '', 'type'];

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    '',
    [],
    {},
    'control_request',
    'initialize',
    'hook_0',
    'hook_callback',
    '\u2028',
  ),
  fc.constantFrom<unknown>({ polluted: true }, { prototype: { polluted: true } }, { subtype: 'initialize', hooks: [] }),
  fc.nat(RAW.length - 1).map((at) => `@@${at}@@`),
  fc.jsonValue({ maxDepth: 2 }),
);
const edit = fc.record({
  how: fc.constantFrom('delete' as const, 'retype' as const, 'wrap' as const, 'add' as const, 'rename' as const),
  at: fc.nat(10_000),
  key: fc.constantFrom(...KEYS),
  value: odd,
  depth: fc.oneof({ weight: 30, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.constant(9_000) }),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Every place in a message that something stands at: what holds it, and its key. */
function places(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [[holder, key], ...places(holder[key])] as never);
}

/** As JSON.parse would: `__proto__` is a key like any other. */
const put = (holder: object, key: string, value: unknown): unknown =>
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });

function apply(message: Json, { how, at, key, value, depth }: Edit): void {
  const all = places(message);
  const [holder, name] = all[at % Math.max(1, all.length)] ?? [message, 'type'];
  if (how === 'delete') delete holder[name];
  else if (how === 'retype') put(holder, name, structuredClone(value));
  else if (how === 'add') put(holder, key, structuredClone(value));
  else if (how === 'rename') {
    put(holder, key, holder[name]);
    delete holder[name];
  } else put(holder, name, `@<${depth},${JSON.stringify(holder[name]) ?? 'null'}>@`);
}

/** Raw tokens and deep nesting are put in as text: neither can be written by JSON.stringify. */
function textOf(message: Json): string {
  return JSON.stringify(message)
    .replace(/"@@(\d)@@"/g, (_, at: string) => RAW[Number(at)] as string)
    .replace(/"@<(\d+),((?:[^"\\]|\\.)*)>@"/g, (_, depth: string, inner: string) => {
      const value = JSON.parse(`"${inner}"`) as string;
      return `${'{"a":['.repeat(Number(depth))}${value}${']}'.repeat(Number(depth))}`;
    });
}

const message = fc
  .tuple(fc.constantFrom(...MESSAGES), fc.array(edit, { maxLength: 3 }))
  .map(([whole, edits]): string => {
    const copy = structuredClone(whole) as Json;
    for (const one of edits) apply(copy, one);
    return textOf(copy);
  });

const twice = fc
  .tuple(message, fc.constantFrom(...KEYS, 'request_id', 'request'), fc.constantFrom('1', '"x"', '{"polluted":true}'))
  .map(([text, key, value]) => text.replace('{', `{${JSON.stringify(key)}:${value},`));
const cut = fc.tuple(message, fc.nat(3_000)).map(([text, at]) => text.slice(0, at % (text.length + 1)));
const joined = fc.tuple(message, fc.constantFrom('', ' ', ',', '\r'), message).map((parts) => parts.join(''));
const flipped = fc
  .tuple(message, fc.array(fc.tuple(fc.nat(3_000), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }))
  .map(([text, flips]) => {
    const bytes = Buffer.from(text);
    for (const [at, byte] of flips) bytes[at % bytes.length] = byte;
    return bytes;
  });

/** The bytes of a line that may be anything: mostly a recorded one to which something was done. */
export const garbage: fc.Arbitrary<Buffer> = fc
  .oneof(
    { weight: 8, arbitrary: message },
    { weight: 2, arbitrary: twice },
    { weight: 2, arbitrary: cut },
    { weight: 2, arbitrary: joined },
    { weight: 3, arbitrary: flipped },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  )
  .map((line) => Buffer.from(line as string));

/** How often each request id was asked for, as anybody would read the bytes. */
export function asked(bytes: Buffer): Map<string, number> {
  const ids = new Map<string, number>();
  // A newline is the same byte in any text, so what is no text splits alike.
  for (const line of bytes.toString('utf8').split('\n')) {
    let found: { type?: unknown; request_id?: unknown } | null = null;
    try {
      found = JSON.parse(line);
    } catch {
      continue;
    }
    const id = found?.request_id;
    if (found?.type === 'control_request' && typeof id === 'string' && id !== '') ids.set(id, (ids.get(id) ?? 0) + 1);
  }
  return ids;
}
