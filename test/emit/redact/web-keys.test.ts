import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { fire } from '../samples.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-web-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
const redactor = createRedactor({ keyFile });
const json = JSON.stringify;

type WebKey = Readonly<Record<string, string>>;
const made = (pair: { privateKey: { export(options: { format: 'jwk' }): unknown } }): WebKey =>
  pair.privateKey.export({ format: 'jwk' }) as WebKey;
const KEYS: Readonly<Record<string, WebKey>> = {
  EC: made(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  OKP: made(generateKeyPairSync('ed25519')),
  RSA: made(generateKeyPairSync('rsa', { modulusLength: 1024 })),
  oct: { kty: 'oct', alg: 'HS256', k: 'aB3dE5gH7jK9mN2pQ4rS6tU8vW' },
  'oct, with a short secret': { kty: 'oct', alg: 'HS256', k: 'c2VjcmV' },
  AKP: { kty: 'AKP', alg: 'ML-DSA-44', priv: 'aB3dE5gH7jK9mN2pQ4rS6tU8vWaB3dE5gH7jK9mN2pQ', pub: 'unknown' },
};
const PUBLIC = ['kty', 'alg', 'crv', 'x', 'y', 'n', 'e', 'pub', 'kid', 'use'];

const WRITTEN: Readonly<Record<string, (key: WebKey) => string>> = {
  JSON: json,
  'with brackets in its texts': (key) => json({ kty: key['kty'], kid: 'a}b', use: '{x', ...key, note: 'it is; }' }),
  'with brackets in its texts, in JSON': (key) =>
    json({ body: json({ kty: key['kty'], kid: 'x } y', ...key, use: '{' }) }),
  'a set of keys, in lines': (key) =>
    json(
      {
        keys: [
          { kid: 'a', use: 'sig' },
          { use: 'sig', ...key, kid: 'b' },
        ],
      },
      null,
      2,
    ),
  'JSON in JSON': (key) => json({ body: json({ jwk: key, n: 1 }) }),
  'JSON in JSON in JSON': (key) => json({ body: json({ a: json(key) }) }),
  'with another object within': (key) => json({ ...Object.fromEntries(Object.entries(key).reverse()), ext: { a: 1 } }),
  'with another object before its kind': (key) =>
    json({ ...key, kty: undefined, ext: { a: 1 }, kind: key['kty'] }).replace('kind', 'kty'),
  code: (key) =>
    `const key = { ${Object.entries(key)
      .map(([name, value]) => `${name}: '${value}'`)
      .join(', ')} };`,
  Python: (key) => json(key).replaceAll('"', "'"),
};

describe.each(Object.entries(KEYS))('of a key of kind %s', (_, key) => {
  const isPublic = ([name]: readonly [string, string]): boolean => PUBLIC.includes(name);
  const kept = Object.entries(key).filter(isPublic);
  const secrets = Object.entries(key).filter((one) => !isPublic(one));

  test.each(Object.entries(WRITTEN))('the private members are masked, and no other: %s', (__, write) => {
    const masked = redactor.text(write(key));
    for (const [name, value] of secrets) expect(masked, name).not.toContain(value);
    for (const [name, value] of kept) expect(masked, name).toContain(value);
    expect(redactor.text(masked)).toBe(masked);
  });

  test('the private members are masked in data, and no other', () => {
    const record = fire(1, { input: { tool_input: { jwk: key, set: { keys: [{ ...key, kid: 'a' }] } } } as never });
    const masked = json(redactor.redact(record));
    for (const [name, value] of secrets) expect(masked, name).not.toContain(value);
    for (const [name, value] of kept) expect(masked, name).toContain(json(value));
  });

  test('where private keys are no shape, it is left', () => {
    const others = createRedactor({ keyFile, shapes: ['jwt'] });
    expect(others.text(json(key))).toBe(json(key));
  });
});

const yaml = (key: WebKey): string =>
  Object.entries(key)
    .map(([name, value]) => `  ${name}: "${value}"\n`)
    .join('');
const call = (key: WebKey): string =>
  `jwk.JWK(${Object.entries(key)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')})`;
const PAIRS: Readonly<Record<string, (one: WebKey, other: WebKey) => string>> = {
  'a list of YAML': (one, other) => `keys:\n-${yaml(one).slice(1)}-${yaml(other).slice(1)}`,
  'two documents of YAML': (one, other) => `${yaml(one)}---\n${yaml(other)}`,
  'two lines of Python': (one, other) => `a = ${call(one)}\nb = ${call(other)}\n`,
  'one line of JSON': (one, other) => json([one, other]),
  'two lines of JSON': (one, other) => `${json(one)}\n${json(other)}\n`,
  'one in the other': (one, other) => json({ ...one, wrapped: other }),
  'one in the other, which begins with it': (one, other) => json({ wrapped: other, ...one }),
  'one in the middle of the other': (one, other) => {
    const { kty = '', ...rest } = one;
    return json({ ...rest, wrapped: other, kty });
  },
};

test.each(Object.entries(PAIRS))(
  'of two keys, the private members of both are masked, and no other: %s',
  (_, write) => {
    for (const [kind, one] of Object.entries(KEYS))
      for (const [otherKind, other] of Object.entries(KEYS))
        for (const key of [one, Object.fromEntries(Object.entries(one).filter(([name]) => PUBLIC.includes(name)))]) {
          const masked = redactor.text(write(key, other));
          for (const [name, value] of [...Object.entries(key), ...Object.entries(other)]) {
            const told = `${name} of ${kind} and ${otherKind}`;
            if (PUBLIC.includes(name)) expect(masked, told).toContain(value);
            else expect(masked, told).not.toContain(value);
          }
        }
  },
);

test.each([
  '{"d":"aB3dE5gH7jK9mN2pQ4rS","x":"b"}',
  '{"kty":"EC","crv":"P-256"} {"d":"aB3dE5gH7jK9mN2p","k":"v"}',
  '{"d":"aB3dE5gH7jK9","jwk":{"kty":"EC","x":"a","y":"b"},"k":"b"}',
  '{"properties":{"kty":{"type":"string"},"d":{"type":"string"}}}',
  "if (jwk.kty === 'EC') return jwk.d; const { kty: type, d } = key;",
  '{"kty":"RSA","k":"searching","p":"mainline"}',
  '{"kty":"EC","k":"aB3dE5gH7jK9mN2pQ4rS6tU8vWaB3dE5gH7jK9","p":"aB3dE5gH7jK9mN2pQ4rS6tU8vWaB3dE5gH7jK9"}',
  '{"kty":"oct","d":"some-folder","priv":"aB3dE5gH7jK9mN2pQ4rS6tU8vWaB3dE5gH7jK9"}',
  'const kty = "RSA"; const opts = { d: "some-folder", q: "select-all" }',
])('what is no member of a key is kept: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
  if (!text.startsWith('{"') || text.includes('} {')) return;
  const tool_input = JSON.parse(text) as Record<string, unknown>;
  const record = fire(1, { input: { tool_input } as never });
  expect(redactor.redact(record)).toBe(record);
});
