import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-whole-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key') });

const SECRET = 'hX7kQ2mZ9pL4';
const FORMS: Readonly<Record<string, (value: string) => string>> = {
  'a line of variables': (value) => `A=1\nDB_PASSWORD=${value}\nB=2\n`,
  'an exported variable': (value) => `export DB_PASSWORD=${value}\n`,
  YAML: (value) => `a: 1\nDB_PASSWORD: ${value}\nb: 2\n`,
  properties: (value) => `DB_PASSWORD = ${value}\n`,
  'a line in JSON': (value) => JSON.stringify({ env: `A=1\nDB_PASSWORD=${value}\nB=2` }),
  'a log line': (value) => `INFO DB_PASSWORD=${value} status=1`,
};

test.each(Object.entries(FORMS))(
  'a value without quotes is masked to its end, whatever signs it has: %s',
  (form, write) => {
    const left: string[] = [];
    for (const sign of '!"#$%\'(*+-./:=?@[\\^_`{~') {
      const masked = redactor.text(write(`aB3x${sign}${SECRET}`));
      if (masked.includes(SECRET)) left.push(sign);
    }
    expect(left, form).toEqual([]);
  },
);

test.each(['=', ':', '>', '&'])('a value that begins with %s is masked in a line of variables', (sign) => {
  expect(redactor.text(`A=1\nDB_PASSWORD=${sign}${SECRET}\nB=2\n`)).not.toContain(SECRET);
});

test.each([
  'token = request.headers.get("authorization")',
  'password = decrypt(await read(file), key)',
  'const password = hash(\n  salt1,\n);',
  "it's password=`x` of 'a'",
  'if (password === hash(password, salt1)) {',
  'password: await getPassword(user1)',
  'PASSWORD=$(cat a1)',
])('code and words are kept: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
});
