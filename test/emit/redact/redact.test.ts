import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hookRecord } from '../../../src/emit/fire-schema.js';
import { fireRecord, type HookRecord } from '../../../src/emit/record.js';
import { createRedactor, redactorOf } from '../../../src/emit/redact/redactor.js';
import { hookResponse } from '../../../src/emit/run-records.js';
import { FIRE, fire, RUN } from '../samples.js';
import { BY_LOOK, PEM, SAMPLES } from './secrets.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
const MASK = /\[redacted [a-z0-9-]+ hmac:[0-9a-f]{16}\]/;
const stamp = { seq: 1, time: '2025-01-31T09:15:01.500Z' };

describe('a secret', () => {
  const redactor = createRedactor({ keyFile });

  test.each(SAMPLES)('is masked in a text: $shape', ({ text, secret }) => {
    const masked = redactor.text(text);
    expect(masked).not.toContain(secret);
    expect(masked).toMatch(MASK);
    expect(redactor.text(masked), 'what was masked is not masked again').toBe(masked);
  });

  test.each(SAMPLES)('is masked wherever it stands in a record: $shape', ({ text, secret }) => {
    const places: HookRecord[] = [
      { ...stamp, ...fireRecord({ ...FIRE, input: { tool_input: { command: text, list: [{ deep: text }] } } }) },
      { ...stamp, ...fireRecord({ ...FIRE, final_input: { env: { A: text } } }) },
      { ...stamp, ...fireRecord({ ...FIRE, decision: { ...FIRE.decision, reason: text } }) },
      {
        ...stamp,
        ...fireRecord({
          ...FIRE,
          handlers: FIRE.handlers.map((one) => ({ ...one, name: text, output: { [text]: 1 } })),
        }),
      },
      {
        ...stamp,
        ...fireRecord({
          ...FIRE,
          handlers: FIRE.handlers.map((one) => ({
            ...one,
            failure: { cause: 'exit', message: text },
            warnings: [text],
          })),
        }),
      },
      {
        ...stamp,
        ...hookResponse({ ...RUN, name: text, hookName: text }, { durationMs: 1, stdout: text, stderr: text }),
      },
      { ...stamp, type: 'system', subtype: 'control_problem', peer: 'claude', problem: 'bad_json', message: text },
      {
        ...stamp,
        type: 'tool_call',
        session_id: 's',
        scope: 'x',
        tool_name: 'Bash',
        tool_use_id: 't',
        status: 'denied',
        ran: false,
        reason: text,
        hooks_ms: {},
      },
      {
        ...stamp,
        type: 'hook_alarm',
        alarm: 'other_input',
        message: text,
        session_id: 's',
        scope: 'x',
        tool_name: 'Bash',
        tool_use_id: 't',
        evidence: 'result',
        judged_input: text,
        ran_input: JSON.stringify({ text }),
      },
    ];
    for (const record of places) {
      const masked = redactor.redact(record);
      expect(JSON.stringify(masked)).not.toContain(JSON.stringify(secret).slice(1, -1));
      expect(masked.redacted?.key).toBe(redactor.keyId);
      expect(masked.redacted?.count).toBeGreaterThan(0);
      expect(hookRecord.parse(masked)).toEqual(masked);
    }
  });

  test('has the same mask wherever it stands, and another with another key', () => {
    const other = createRedactor({ keyFile: join(folder, 'other.key') });
    for (const { secret } of BY_LOOK.filter((one) => one.shape !== 'private key')) {
      const masks = [
        `x ${secret} y`,
        `export API_TOKEN=${secret}`,
        `--password ${secret}`,
        `{"token":"${secret}"}`,
      ].map((text) => MASK.exec(redactor.text(text))?.[0]);
      expect(new Set(masks).size, secret).toBe(1);
      expect(other.text(`x ${secret} y`)).not.toContain(masks[0]);
    }
    expect(other.keyId).not.toBe(redactor.keyId);
    expect(createRedactor({ keyFile }).text('--password hunter2')).toBe(redactor.text('--password hunter2'));
  });
});

describe('fields', () => {
  const redactor = createRedactor({
    keyFile,
    keys: ['iban'],
    paths: ['input.tool_input.secretive', 'handlers.*.output.note'],
  });
  const input = (tool_input: unknown) =>
    redactor.redact(fire(1, { input: { tool_input } as never })) as never as { input: { tool_input: unknown } };

  test.each([
    'password',
    'apiKey',
    'API_KEY',
    'x-api-key',
    'client_secret',
    'Authorization',
    'accessToken',
    'IBAN',
    'secretive',
  ])('called %s are masked whole, with all that is in them', (name) => {
    const { input: masked } = input({ [name]: 'open sesame', ok: 'open sesame' });
    expect(masked.tool_input).toEqual({ [name]: expect.stringMatching(MASK), ok: 'open sesame' });
    const { input: deep } = input({ [name]: { a: ['one word', 12], b: true } });
    expect(deep.tool_input).toEqual({
      [name]: { a: [expect.stringMatching(MASK), expect.stringMatching(MASK)], b: true },
    });
  });

  test('that only sound like secrets are kept', () => {
    const kept = {
      max_tokens: 4096,
      input_tokens: 12,
      token_type: 'bearer',
      password_file: '/run/secrets/a',
      author: 'me',
      key: 'user:42',
      pwd: false,
    };
    expect(input(kept).input.tool_input).toEqual(kept);
  });

  test('behind a flag in a list of arguments are masked', () => {
    expect(input({ args: ['deploy', '--password', 'letmein', '--yes'] }).input.tool_input).toEqual({
      args: ['deploy', '--password', expect.stringMatching(MASK), '--yes'],
    });
  });
});

describe('options', () => {
  test('patterns mask their group; a function keeps what it returns, and masks where it throws', () => {
    const redactor = createRedactor({
      keyFile,
      patterns: [/\bcust_(\w+)/],
      mask(value, path) {
        if (path === 'decision.reason') return 'because';
        if (value === 'throw') throw new Error('no');
        return undefined;
      },
    });
    expect(redactor.text('for cust_42ab')).toMatch(/^for cust_\[redacted secret hmac:/);
    expect(redactor.text('throw')).toMatch(MASK);
    const masked = redactor.redact(fire());
    expect(masked).toMatchObject({ decision: { reason: 'because' }, redacted: { count: 1 } });
  });

  test('shapes leave out the others', () => {
    const some = createRedactor({ keyFile, shapes: ['jwt'] });
    const [jwt, npm] = ['jwt', 'npm'].map((shape) => BY_LOOK.find((one) => one.shape === shape)?.text as string);
    expect(some.text(jwt as string)).toMatch(MASK);
    expect(some.text(npm as string)).toBe(npm);
    expect(createRedactor({ keyFile, shapes: false }).text(jwt as string)).toBe(jwt);
  });

  test.each([
    [{ shape: true }, /"?shape/],
    [{ shapes: ['jwtt'] }, /"jwtt" is not a known shape/],
    [{ keys: 'a' }, /keys/],
    [{ patterns: ['a'] }, /regular expressions/],
    [{ mask: 'x' }, /mask/],
  ])('that are wrong are refused: %j', (options, message) => {
    expect(() => createRedactor(options as never)).toThrow(message);
  });

  test('false is no redactor', () => expect(redactorOf(false)).toBeUndefined());
});

describe('ordinary text survives', () => {
  const redactor = createRedactor({ keyFile });
  const survives = (text: string) => expect(redactor.text(text)).toBe(text);

  test.each([
    'const token: string = parse(line);',
    'if (password === expected) return login(user, password);',
    'f(password=password, token=tok)',
    'password = getPassword()',
    ['headers.authorization = `Bearer $', '{token}`;'].join(''),
    ['API_TOKEN: $', '{{ secrets.API_TOKEN }}'].join(''),
    'export TOKEN=$(cat token.txt)',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
    'id 123e4567-e89b-12d3-a456-426614174000',
    'integrity: sha512-9fceb02d0ae598e95dc970b74767f19372d61af8aabbcc==',
    'task-1234567890abcdefghijklmnop',
    '- key: node-modules-linux-x64-9fceb02d',
    'interface A {\n  password: string\n  token: Token\n}',
    'see https://example.com/a@b and mailto:me@example.com',
    "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return;",
    'docker run -u 1000:1000 -p 8080:80 image',
    'the token is expired; ask for a password',
    '"token": "comma", "type": "password"',
    `data:image/png;base64,${Buffer.from(Array.from({ length: 30_000 }, (_, i) => (i * 2_654_435_761) >>> 24)).toString('base64')}`,
  ])('%s', survives);

  test('the sources and documents of this package, but for a handful of values', () => {
    const files = ['src', 'docs', 'examples'].flatMap((dir) =>
      readdirSync(dir, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(?:ts|md|mjs)$/.test(file))
        .map((file) => join(dir, file)),
    );
    const changed = files.filter((file) => redactor.text(readFileSync(file, 'utf8')) !== readFileSync(file, 'utf8'));
    expect(files.length).toBeGreaterThan(300);
    expect(changed.length / files.length, changed.join('\n')).toBeLessThan(0.02);
  });

  test('recorded sessions', () => {
    for (const dir of ['sessions', 'stream', 'wire']) {
      const at = new URL(`../../fixtures/${dir}/`, import.meta.url);
      for (const file of readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /\.jsonl?$/.test(name),
      ))
        survives(readFileSync(new URL(file, at), 'utf8'));
    }
  });
});

test('a record is masked once, is not changed, and one that is masked already is handed on', () => {
  const redactor = createRedactor({ keyFile });
  const record = fire(1, { input: { tool_input: { command: `echo ${PEM}` } } });
  const masked = redactor.redact(record);
  expect(redactor.redact(record)).toBe(masked);
  expect(redactor.redact(masked)).toBe(masked);
  expect(createRedactor({ keyFile: join(folder, 'other.key') }).redact(masked)).toBe(masked);
  expect(JSON.stringify(record)).toContain('PRIVATE');
  const clean = fire();
  expect(redactor.redact(clean)).toBe(clean);
});
