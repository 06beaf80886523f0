import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-openers-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key') });

const SECRET = 'hX7kQ2mZ9pL4';

test.each([
  'password: &x §\nb: 1',
  'password: &db\n  §\n',
  'password: !!str §',
  'password: !Sub §',
  'password: &a !!str "§"',
  'passwords: &x\n  - §\n',
  '"\\u003cpassword\\u003e§\\u003c/password\\u003e"',
  '&lt;password&gt;§&lt;/password&gt;',
  '"<password>§<\\/password>"',
  'API_KEY ?= §',
  'API_KEYS+=(§)',
  'PASSWORD[0]=§',
  '$password = "§" . "§b";',
  'password = "§" + "§b" + "§c"',
  '{"password"\n:\n"§"}',
  '{"password": /* a * b */ "§"}',
  'a%5Bpassword%5D=§',
  '["password"]=>\n  string(12) "§"',
])('a value is masked behind what may precede it, or within what is around its name: %s', (text) => {
  expect(redactor.text(text.replaceAll('§', SECRET))).not.toContain(SECRET);
});

test.each(['fn f(password: &str, n: u8) {}', 'tokens[0] = token1'])('what only names a secret is kept: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
});
