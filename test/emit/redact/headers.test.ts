import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-headers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key') });
const json = JSON.stringify;
const SECRET = '00QQ7KabcDEF9xyzW2mN';

const schemes = 'Bearer Basic SSWS DPoP JWT Bot Klaviyo-API-Key Zoho-oauthtoken Session Client User Secret B'.split(
  ' ',
);
const LOGINS = [
  SECRET,
  ...schemes.map((scheme) => `${scheme} ${SECRET}`),
  `Bearer Bearer ${SECRET}`,
  `Bearer\r\n ${SECRET}`,
  `SSWS\r\n\t${SECRET}`,
  `Digest username="me", realm="a b", response="${SECRET}"`,
  `Digest username="me",\r\n  response="${SECRET}"`,
  `MAC id="h1", mac="${SECRET}"`,
  `Token token="${SECRET}", email="a@example.com"`,
  `Signature keyId=k,signature=${SECRET}`,
  `AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=${SECRET}`,
];
const COOKIES = [`sid="${SECRET}"`, `sid=${SECRET}; a="b c"`, `sid="${SECRET}"; Path=/`];
const MORE_COOKIES = [`a=1; sid="${SECRET}"; z=1`, `a="x"; sid=${SECRET}`];
const HEADERS = [
  ...['Authorization', 'authorization', 'Proxy-Authorization'].flatMap((name) =>
    LOGINS.map((value) => [name, value] as const),
  ),
  ...['Cookie', 'set-cookie', 'Set-Cookie'].flatMap((name) => COOKIES.map((value) => [name, value] as const)),
  ...MORE_COOKIES.map((value) => ['Cookie', value] as const),
];

const double = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
const written = (text: string): string => text.replace(/\r\n/g, '\\r\\n').replace(/\t/g, '\\t');
/** Texts of lines, and those that only a value of one line can be in. What is `kept` is no part of the header. */
const LINES: readonly ((name: string, value: string) => string)[] = [
  (name, value) => `before kept\n${name}: ${value}\nafter kept`,
  (name, value) => `GET / HTTP/1.1\r\nHost: kept\r\n${name}: ${value}\r\nAccept: kept\r\n\r\nbody kept`,
  (name, value) => `fetch(u, { headers: { ${json(name)}: ${json(value)}, Accept: 'kept' } })`,
  (name, value) => json({ [name]: value, Accept: 'kept' }),
  (name, value) => `printf 'GET / HTTP/1.1\\r\\n${name}: ${written(value)}\\r\\nAccept: kept\\r\\n' | nc kept 80`,
];
const LINE: typeof LINES = [
  (name, value) => `> Host: kept\n> ${name}: ${value}\n> Accept: kept\n`,
  (name, value) => `curl -H '${name}: ${value}' https://kept -H 'Accept: kept'`,
  (name, value) => `curl -H ${double(`${name}: ${value}`)} https://kept -H "Accept: kept"`,
  (name, value) => `http x ${name}:${double(value)} kept=1`,
  (name, value) => `fetch(u, { headers: { '${name}': '${value}', Accept: 'kept' } })`,
  (name, value) => `const h = { '${name}': \`${value}\`, Accept: 'kept' }`,
  (name, value) => `headers={"${name}": '${value}', "Accept": "kept"}`,
  (name, value) => `headers:\n  ${name}: ${value}\n  Accept: kept\n`,
  (name, value) => `headers:\n  ${name}: ${double(value)}\n  Accept: kept\n`,
];
const AROUND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => json({ command: text, and: 'kept' }),
  (text) => json({ body: json({ command: text, and: 'kept' }), and: 'kept' }),
];
const countOf = (text: string): number => text.split('kept').length;

test.each(HEADERS)(
  'the value of a header is masked in each way it is written, and nothing else: %s: %j',
  (name, value) => {
    for (const write of value.includes('\n') ? LINES : [...LINES, ...LINE])
      for (const around of AROUND) {
        const text = around(write(name, value));
        const masked = redactor.text(text);
        expect(masked, text).not.toContain(SECRET);
        expect(countOf(masked), `${text}\n${masked}`).toBe(countOf(text));
        expect(redactor.text(masked), text).toBe(masked);
      }
  },
);

test.each([
  'Authorization: see the docs',
  'Authorization: see RFC7235 for details',
  'authorization: await client2.getToken()',
  "authorization: role === 'admin1' ? x : y",
  'authorization: string | undefined',
  '- **Authorization**: Users must log in',
  'Authorization: SSWS $TOKEN',
  'curl -H "Authorization: SSWS $TOKEN" https://example.com',
  'Authorization: Bearer <token> (see the docs)',
  "headers = { 'Authorization': 'SSWS ' + token }",
  'authorization:\n  enabled: true1\n  x: 1',
])('a text about a header is kept: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
});
