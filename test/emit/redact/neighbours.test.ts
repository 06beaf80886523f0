import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedactor, type Redactor } from '../../../src/emit/redact/redactor.js';
import { fire } from '../samples.js';
import { SAMPLES } from './secrets.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-neighbours-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
const plain = createRedactor({ keyFile });
const asked: [value: string, path: string][] = [];
const asking = createRedactor({
  keyFile,
  mask(value, path) {
    asked.push([value, path]);
    return value.replaceAll('Kim', '~');
  },
});

type Stored = { readonly input: { readonly tool_input: Record<string, unknown> }; readonly redacted?: unknown };
const record = (redactor: Redactor, tool_input: unknown): Stored =>
  redactor.redact(fire(1, { input: { tool_input } as never })) as never;
const stored = (redactor: Redactor, tool_input: unknown): Record<string, unknown> =>
  record(redactor, tool_input).input.tool_input;

const LISTS: Readonly<Record<string, (text: string) => unknown>> = {
  'behind a command with a secret': (text) => ['sh', '-c', `curl -u me:pa55_w0rd9 https://x; ${text}`],
  'before a line with a secret': (text) => ['bash', '-lc', `${text}\nexport TOKEN=pa55_w0rd9`],
  'behind an argument with a secret': (text) => ['mysql', '-ppa55_w0rd9', text],
};

describe.each(Object.entries(LISTS))('a secret of an element is masked, as in the element alone, %s', (_, write) => {
  test.each(SAMPLES)('$shape', ({ text, secret }) => {
    // Some samples are no secret any more behind the text before them.
    if (plain.text((write(text) as string[]).at(-1) as string).includes(secret)) return;
    asked.length = 0;
    const masked = [stored(plain, { args: write(text) }), stored(asking, { args: write(text) })];
    expect(JSON.stringify([masked, asked])).not.toContain(secret);
    expect(JSON.stringify(masked)).not.toContain('pa55_w0rd9');
  });
});

test.each([
  ['mysql -p\'ab3dE\'"Xk29fLq0Wz81" app', 'Xk29fLq0Wz81'],
  ['cat > users.csv <<E\nname,password\nbob,Xk29fLq0Wz81\nE\ncurl -u me:pa55_w0rd9 https://x', 'Xk29fLq0Wz81'],
])('an argument with two secrets has both masked: %j', (text, secret) => {
  expect(JSON.stringify(stored(plain, { args: ['bash', '-lc', text] }))).not.toContain(secret);
});

test('patterns look at an argument from its beginning', () => {
  const anchored = createRedactor({ keyFile, patterns: [/^cust_\d+/] });
  const { args } = stored(anchored, { args: ['sh', '-c', 'cust_42 --password hunter22'] }) as { args: string[] };
  expect(args[2]).toMatch(/^\[redacted [^\]]*\] --password \[redacted [^\]]*\]$/);
});

test('an element of a list of secrets is masked as a whole, whatever its neighbours say', () => {
  const { passwords } = stored(plain, { passwords: ['--token', 'hunter22', 'abc --password=hunter22 Zq8xK2mN5pQ8'] });
  expect((passwords as string[])[2]).toMatch(/^\[redacted [^\]]*\]$/);
});

test('the name of a pair whose value is masked is searched like any text', () => {
  const names = createRedactor({ keyFile, patterns: [/cust_\d+/] });
  const pairs = [
    ['cust_42_token', 'hunter22Zq8xK'],
    ['host', 'Kim'],
  ];
  expect(stored(names, { h: pairs })).toEqual({
    h: [
      [expect.stringMatching(/^\[redacted [^\]]*\]_token$/), expect.stringMatching(/^\[redacted [^\]]*\]$/)],
      ['host', 'Kim'],
    ],
  });
  asked.length = 0;
  stored(asking, { h: [['Kim api token', 'hunter22Zq8xK'], pairs[1]] });
  expect(asked.filter(([, path]) => path.startsWith('input.tool_input'))).toEqual([
    ['Kim api token', 'input.tool_input.h.0.0'],
    ['host', 'input.tool_input.h.1.0'],
    ['Kim', 'input.tool_input.h.1.1'],
  ]);
});

test.each([{ paths: ['input.tool_input.args'] }, { keys: ['args'] }])(
  'of arguments beside their command that are chosen by %j, the values themselves are masked',
  (chosen) => {
    const redactor = createRedactor({ keyFile, ...chosen });
    const args = ['--password=hunter22', '-u'];
    const beside = record(redactor, { command: 'mysql', args });
    const alone = record(redactor, { args });
    expect(beside.input.tool_input['args']).toEqual(alone.input.tool_input['args']);
    expect(beside.redacted).toEqual({ key: redactor.keyId, count: 2 });
  },
);
