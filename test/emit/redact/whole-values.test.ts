// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a shell expands it
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-whole-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key'), keys: ['iban'] });

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

const SIGNS = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((one) =>
  /[^A-Za-z\d]/.test(one),
);
const WORDS: Readonly<Record<string, (word: string) => string>> = {
  'before a command': (word) => `DB_PASSWORD=${word} ./run.sh\n`,
  'exported, before the next command': (word) => `export DB_PASSWORD=${word}; ls\n`,
  'at the end': (word) => `PGPASSWORD=${word}\n`,
  'of a container': (word) => `docker run -e api_key=${word} img\n`,
  'of an option': (word) => `cmd --password=${word} -x\n`,
  'of the caller': (word) => `iban=${word}\n`,
  'in JSON': (word) => JSON.stringify({ command: `export DB_PASSWORD=${word} && ls` }),
};

test.each(Object.entries(WORDS))('a shell word that goes on in quotes is masked to their end: %s', (_, write) => {
  const left: string[] = [];
  for (const sign of SIGNS)
    for (const [quote, head] of ['"', "'"].flatMap((one) => ['battery', 'ab1', 'Horse'].map((head) => [one, head])))
      for (const rest of ['', ' Staple', `${sign}4722x`]) {
        const said = `Staple${sign}${SECRET}${rest}`;
        const inQuotes = quote === "'" ? said : said.replace(/["\\$`]/g, '\\$&');
        if (quote === "'" && sign === "'") continue;
        const text = write(`${head}${quote}${inQuotes}${quote}`);
        const masked = redactor.text(text);
        if (masked.includes(SECRET) || masked.includes('4722x')) left.push(text);
      }
  expect(left).toEqual([]);
});

const LITERALS: Readonly<Record<string, (value: string) => string>> = {
  Python: (value) => `{'a': 'b', 'password': '${value}', 'host': 'db'}`,
  'Python without blanks': (value) => `{'a':'b','password':'${value}','host':'db'}`,
  'an argument of Python': (value) => `connect(password='${value}').use('db')`,
  JavaScript: (value) => `f({ password: '${value}', host: 'db' })`,
  'the end of an object': (value) => `f({ host: 'db', password: '${value}'}); g('db')`,
  'a list': (value) => `["password", '${value}'].join('db')`,
  PHP: (value) => `['password' => '${value}', 'host' => 'db']`,
  'a constant of PHP': (value) => `define('DB_PASSWORD', '${value}');define('A', 'db');`,
  'a statement': (value) => `const password = '${value}'; const a = 'db';`,
  'a connection': (value) => `Server=h;Password='${value}';Host='db'`,
  'a name of the caller': (value) => `{'iban': '${value}', 'host': 'db'}`,
  'a statement in JSON': (value) => JSON.stringify({ c: `x.password = '${value}', y = 'db';` }),
};

test.each(Object.entries(LITERALS))('an apostrophe that code escapes ends no value, wherever: %s', (_, write) => {
  for (const value of [`'${SECRET}`, `aB3x'${SECRET}`, `${SECRET}'`, `${SECRET}'x'`]) {
    const masked = redactor.text(write(value.replaceAll("'", String.raw`\'`)));
    expect(masked).not.toContain(SECRET);
    expect(masked).toContain('db');
  }
});

test('in a quoted word of a shell, a value is masked to its end', () => {
  for (const word of [`'\\''${SECRET}'\\''`, `'\\''${SECRET}'\\'' ls`])
    expect(redactor.text(`bash -c 'export PASSWORD=${word}'`)).not.toContain(SECRET);
});

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
  "const token = header.replace('Bearer ', '');",
  'token = auth.removeprefix("Bearer ")',
  "password = getpass.getpass('Password: ')",
  'char *password = getpass("Password: ");',
  'token := strings.TrimPrefix(auth, "Bearer ")',
  "const token = authorization?.startsWith('Bearer ')",
  "const token = auth2.getToken('a ')",
  'const token = jwt.sign(payload\n  , secret);',
  'password = hash(salt\n                + value)',
  'password = sha256(salt1\n  + value)',
  "password = cfg['db password ']",
  'password: z.string().min(8',
  'unexpected token: foo(bar',
  'const SECRET = /\\b(?:sk|ghp)[\\w]+ /g;',
  JSON.stringify({ new_string: "const token = header.replace('Bearer ', '');\nfoo()" }),
  "The token: it's a thing, don't worry",
  "Your password: don't share it",
  "- **Token:** it's a JWT",
  "api_key: you'll find it",
  "token: l'utilisateur",
  "token: GitHub's own",
  'password = C:\\temp\\x',
  'token = D:\\a\\b',
  "password: ${PASSWORD:-x'y}",
])('code and words are kept: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
});

test('the rest of a value may have letters of any script', () => {
  expect(redactor.text('TOKEN=abc`x`ünï9cödé y')).not.toContain('9cödé');
  expect(redactor.text("TOKEN=aB3x'ünï9cödé y")).not.toContain('9cödé');
});

test('what follows the bracket of a call behind a header is no part of its value', () => {
  expect(redactor.text('const authorization = getHeader("authorization");')).toMatch(/"authorization"\);$/);
});
