import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-every-sign-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key'), keys: ['iban'] });

const CORE = 'hX7kQ2mZ9pL4';
const SIGNS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter((one) =>
  /[^A-Za-z\d]/.test(one),
);
const PLACES: Readonly<Record<string, (sign: string) => string>> = {
  first: (sign) => sign + CORE,
  within: (sign) => `aB3x${sign}${CORE}`,
  last: (sign) => CORE + sign,
};
const NAMES = ['password', 'DB_PASSWORD', 'api_key', 'token', 'iban', 'IBAN'];

interface Form {
  readonly write: (name: string, value: string) => string;
  /** Signs that begin something else in this form, or end the value. */
  readonly first?: string;
  readonly within?: string;
}

const json = JSON.stringify;
const shell = (value: string): string => `'${value.replace(/'/g, "'\\''")}'`;
const double = (value: string): string => value.replace(/["\\]/g, '\\$&');
/** Where a value has no quotes. In a shell, these signs end a word, or are none of its letters. */
const SHELL = '&()-;<>\\|$,';
const ENDS = ');<>|';
const BARE: Readonly<Record<string, Form>> = {
  'a file of variables': { write: (name, value) => `A=1\n${name}=${value}\nB=2\n` },
  'an exported variable': { write: (name, value) => `export ${name}=${value}\n` },
  'lines in JSON': { write: (name, value) => json({ c: `A=1\nexport ${name}=${value}\nB=1` }), first: '\\' },
  YAML: { write: (name, value) => `db:\n  ${name}: ${value}\n  port: 5432\n`, first: '!&' },
  INI: { write: (name, value) => `[a]\n${name} = ${value}\nb = 1\n`, first: '&' },
  'an option': { write: (name, value) => `cmd --${name} ${value} -x`, first: SHELL, within: ENDS },
  'an option with =': { write: (name, value) => `cmd --${name}=${value} -x`, first: `${SHELL}:=`, within: ENDS },
  'a log line': {
    write: (name, value) => `2026-01-01T00:00:00Z INFO connect ${name}=${value} host=a`,
    first: `${SHELL}:=`,
    within: `${ENDS}&`,
  },
  Markdown: { write: (name, value) => `**${name}:** ${value}\n`, first: '!&`', within: '`' },
  'a list in Markdown': { write: (name, value) => `- **${name}**: ${value}\n`, first: '!&' },
};
const QUOTED: Readonly<Record<string, Form>> = {
  'a file of variables': { write: (name, value) => `A=1\n${name}="${double(value)}"\nB=2\n` },
  'a shell': { write: (name, value) => `${name}=${shell(value)}\n` },
  YAML: { write: (name, value) => `a:\n  ${name}: "${double(value)}"\n` },
  'YAML in apostrophes': { write: (name, value) => `a:\n  ${name}: '${value.replace(/'/g, "''")}'\n`, first: "'" },
  TOML: { write: (name, value) => `${name} = "${double(value)}"\n` },
  JSON: { write: (name, value) => json({ [name]: value }) },
  'JSON over lines': { write: (name, value) => json({ [name]: value, b: 1 }, null, 2) },
  'JSON in JSON': { write: (name, value) => json({ b: json({ [name]: value }) }) },
  'JSON in JSON in JSON': { write: (name, value) => json({ c: json({ b: json({ [name]: value }) }) }) },
  'an option': { write: (name, value) => `cmd --${name} ${shell(value)} -x`, first: '-' },
  'a list of arguments': { write: (name, value) => json(['cmd', `--${name}`, value]), first: '-$' },
  'JSON for curl': { write: (name, value) => `curl -d ${shell(json({ [name]: value }))} http://x` },
};
/** Where a value is written in another way, or with its name in quotes. */
const ELSEWHERE: Readonly<Record<string, Form>> = {
  'data for curl': { write: (name, value) => `curl -d ${shell(`${name}=${value}`)} http://x`, first: "'>" },
  'a form for curl': {
    write: (name, value) => `curl -F "${name}=${value.replace(/["\\$`]/g, '\\$&')}" http://x`,
    first: '>$',
  },
  'a query': { write: (name, value) => `http://x/?a=1&${name}=${encodeURIComponent(value)}&b=1` },
  'a query in JSON of .NET': { write: (name, value) => `"http://x/?a=1\\u0026${name}=${encodeURIComponent(value)}"` },
  'JSON in a query': { write: (name, value) => `http://x/?a=${encodeURIComponent(json({ [name]: value }))}&b=1` },
  'a URL': { write: (_, value) => `git clone https://bob:${encodeURIComponent(value)}@h/x` },
  'the URL of a variable': { write: (_, value) => `DATABASE_URL=postgres://u:${encodeURIComponent(value)}@h/db` },
  'code in Markdown': { write: (name, value) => `\`${name}\`: \`${value}\`\n`, first: '`', within: '`' },
  'JSON in JSON of .NET': {
    write: (name, value) =>
      json({ a: json({ [name]: value }) })
        .replaceAll('\\"', '\\u0022')
        .replaceAll('&', '\\u0026'),
  },
  'JSON in HTML': { write: (name, value) => `<a x="${json({ [name]: value }).replaceAll('"', '&quot;')}">` },
};

/** Each value with a sign in each place that this form has. */
function* values({ first = '', within = '' }: Form): Generator<string> {
  for (const [place, write] of Object.entries(PLACES))
    for (const sign of SIGNS)
      if (!(place === 'first' && first.includes(sign)) && !(place === 'within' && within.includes(sign)))
        yield write(sign);
}

test.each([BARE, QUOTED, ELSEWHERE].flatMap((forms) => Object.entries(forms)))(
  'whatever sign a value has, and wherever, none of it is left in clear: %s',
  (_, form) => {
    const left: string[] = [];
    for (const value of values(form))
      for (const name of NAMES) {
        const text = form.write(name, value);
        if (redactor.text(text).includes(CORE)) left.push(text);
      }
    expect(left).toEqual([]);
  },
);

test('where a value is written as it is in quotes, equal values have equal masks', () => {
  const maskOf = (text: string): readonly string[] => redactor.text(text).match(/hmac:[\da-f]{16}/g) ?? [];
  const different: string[] = [];
  for (const [form, { write, ...other }] of Object.entries(QUOTED))
    for (const value of values({ write, ...other })) {
      // These are escaped, or expanded.
      if (/["'\\$`]/.test(value)) continue;
      const [mask] = maskOf(json({ password: value }, null, 2));
      for (const name of NAMES) {
        const text = write(name, value);
        const masks = maskOf(text);
        if (masks.length !== 1 || masks[0] !== mask) different.push(`${form}: ${redactor.text(text)}`);
      }
    }
  expect(different).toEqual([]);
});
