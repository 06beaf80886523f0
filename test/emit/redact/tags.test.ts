import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';

// What begins with `!` behind a name is a tag of YAML, or itself the secret. Where it may be both, neither it nor what follows it is shown.

const folder = mkdtempSync(join(tmpdir(), 'redact-tags-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key') });

const SECRETS = ['!Summer2024', '!80474017993', '!K2m!hunter', '!x9-Lm/4', '!!7hX2kQ'];
const TAGS = ['!Base64', '!!int8', '!k8s/str', '!v2/str', '!aes256', '!!str', '!Sub'];
const VALUE = 'hX7kQ2mZ9pL4';

test.each(['password', 'DB_PASSWORD', 'api_key', 'token'])(
  '%s: a secret that begins as a tag does is masked',
  (name) => {
    const clear = SECRETS.flatMap((secret) =>
      ['', ' rejected', ' for user bob', '\nuser: bob', '\r\n  port: 1'].filter((end) =>
        redactor.text(`log: ${name}: ${secret}${end}`).includes(secret.replace(/^!+/, '')),
      ),
    );
    expect(clear).toEqual([]);
  },
);

test.each(['password', 'token'])('%s: what a tag stands before is masked', (name) => {
  const texts = TAGS.flatMap((tag) => [VALUE, `"${VALUE}"`, `'${VALUE}'`].map((said) => `${name}: ${tag} ${said}\n`));
  expect(texts.filter((text) => redactor.text(text).includes(VALUE))).toEqual([]);
});

test.each(['{ password: !form.step2 }', 'password: !state.v2 || x', 'token: !Horse for bob'])(
  '%s holds no secret',
  (text) => {
    expect(redactor.text(text)).toBe(text);
  },
);
