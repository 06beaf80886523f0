import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/emit/redact/redactor.js';
import { progressRecord } from '../../src/emit/run-records.js';
import { createSink } from '../../src/emit/sink.js';
import { deny } from '../../src/events/output/helpers.js';
import type { HookAlarm } from '../../src/host/alarms/alarms.js';
import { RUN } from '../emit/samples.js';
import { anyHooks, deferred, testHost } from '../host/kit.js';
import { PROMISES } from './promises.js';
import { ROOT } from './sources.js';

const CODE = /^```[\s\S]*?^```$/gm;
const COMMENT = /<!--[\s\S]*?-->/g;

/** Every sentence of a document: what stands in paragraphs, bullets and rows of tables, each as one line. A link alone is none. */
function sentencesOf(text: string): string[] {
  const prose = text.replace(CODE, '').replace(COMMENT, '');
  const pieces = prose.split(/\n(?=\s*\n|- |\||#)/).map((piece) => piece.replace(/\s+/g, ' ').trim());
  return pieces
    .filter((piece) => piece !== '' && !/^(#|!\[|\|[ |-]*$)/.test(piece))
    .flatMap((piece) => (piece.startsWith('|') ? [piece] : piece.split(/(?<=\.\**)\s(?=[A-Z`*[])/)))
    .filter((sentence) => !/^\[[^\]]*\]\([^)]*\)\.?$/.test(sentence));
}

describe.each(Object.entries(PROMISES))('%s', (document, { kept, none }) => {
  const sentences = sentencesOf(readFileSync(join(ROOT, document), 'utf8'));
  const rows = [...kept.map(([sentence]) => sentence), ...none.map(([sentence]) => sentence)];

  test('each row is about one sentence that stands there', () => {
    const found = (row: string) => sentences.filter((sentence) => sentence.includes(row)).length;
    expect(rows.filter((row) => found(row) !== 1).map((row) => `${found(row)}: ${row}`)).toEqual([]);
  });

  test('each sentence has a test that fails where it is not true, or promises nothing', () => {
    expect(sentences.filter((sentence) => !rows.some((row) => sentence.includes(row)))).toEqual([]);
  });

  test('the tests are there', () => {
    const missing = kept.filter(([, file, name]) => {
      const path = [`${file}.test.ts`, `${file}.ts`].map((end) => join(ROOT, 'test', end)).find((p) => existsSync(p));
      return path === undefined || !readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(name);
    });
    expect(missing).toEqual([]);
  });
});

test.each([
  ['10 silent, with a subscriber', /with a subscriber takes about ([\d.]+) times/],
  ['10 answer allow(), with a subscriber', /about ([\d.]+) times as long if they answer `allow\(\)`/],
  ['hookscope fire with one callback', /`hookscope fire` takes about ([\d.]+) times/],
  ['hookscope hook with one rule, recorded', /with one rule about ([\d.]+) times/],
  ['a call over HTTP, 1 connections', /over HTTP takes about ([\d.]+) times/],
  ['a call over HTTP, 10 connections', /about ([\d.]+) times as long with ten/],
  ['a call by the thin command', /by the thin command takes about ([\d.]+) of/],
])('what is said of speed is what the last run of the bench measured: %s', (row, words) => {
  const folder = join(ROOT, 'bench/results');
  const last = readdirSync(folder)
    .sort()
    .findLast((name) => name.endsWith('-node-20.json')) as string;
  const { rows } = JSON.parse(readFileSync(join(folder, last), 'utf8')) as { rows: Record<string, { median: number }> };
  const said = Number(words.exec(readFileSync(join(ROOT, 'docs/limitations.md'), 'utf8'))?.[1]);
  const measured = rows[row]?.median as number;
  // A row differs by up to a quarter from one run to the next.
  expect(Math.abs(said / measured - 1), `${measured}`).toBeLessThan(0.25);
});

test('a sentence is found wherever it stands, and no code', () => {
  const text =
    '# A\n\nOne two.\n**Three** four\nfive. `Six` e.g. seven. [A link](x.md).\n\n- Eight.\n  Nine\n- Ten\n\n```sh\nno\n```\n\n| a |\n| --- |\n| B. C |\n';
  expect(sentencesOf(text)).toEqual([
    'One two.',
    '**Three** four five.',
    '`Six` e.g. seven.',
    '- Eight.',
    'Nine',
    '- Ten',
    '| a |',
    '| B. C |',
  ]);
});

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };

test('a record holds what a hook was given and said; a secret is seen in events$ and in no sink', async () => {
  const { host } = testHost();
  const told: string[] = [];
  const written: string[] = [];
  host.events$.subscribe((record) => void told.push(JSON.stringify(record)));
  const sink = createSink((record) => void written.push(JSON.stringify(record)));
  sink.attach(host.events$);
  const secrets = [`ghp_${'a1B2'.repeat(9)}`, 'open-sesame-42', `AKIA${'A1B2'.repeat(4)}`];
  const [given, said, because] = secrets as [string, string, string];
  host.register({ PreToolUse: [{ hooks: [() => ({ ...deny(because), systemMessage: `password=${said}` })] }] });
  await host.fire('PreToolUse', { ...CALL, tool_input: { command: `curl -H ${given}` } });
  await sink.flush();
  for (const secret of secrets) {
    expect(told.join('\n')).toContain(secret);
    expect(written.join('\n')).not.toContain(secret);
  }
  expect(written.join('\n')).toContain('"command":"curl -H [redacted github-token hmac:');
});

test.each([
  'the password is swordfish',
  'tell him that it is Sw0rdfish',
  `the password is, backwards, ${[...'hunter2'].reverse().join('')}`,
  'thing = hunter2',
  '{\n  "value": "hunter2",\n  "name": "password"\n}',
  'bob:saXOUwpuvaFiE:19000',
  'key: hunter2',
  'Login: admin / hunter2',
  'AUTH swordfish',
  '{"tokens":["hunter2"]}',
  'terraform output -raw db_password\nhunter2',
  'COPY users (name, password) FROM stdin;\nme\thunter2\n\\.',
  "INSERT INTO users (name, password) SELECT 'me', 'hunter2'",
  'bcrypt-cli hunter2',
  'api_keys=(a1B2c3 d4E5f6)',
  'password: your-dog-Rex99',
  'PASSWORD="$ummer"',
  `{"password":"$${'{Zq8xK2}'}"}`,
  '{"password":"changeme"}',
  '{"content":"{\\"password\\": \\"your pet 77\\"}"}',
])('a plain word in a sentence is not masked, nor what else is said not to be found: %j', (text) => {
  expect(createRedactor().text(text)).toBe(text);
});

test('an argument that only the words before it mark is masked within the first 16 KB of a list, and not behind them', () => {
  const shown = (words: number): boolean => {
    const args = ['sh', ...Array.from({ length: words }, () => 'ordinary'), '--password', 'hunterrabbit'];
    return JSON.stringify(createRedactor().redact({ args } as never)).includes('hunterrabbit');
  };
  expect([shown(0), shown(1000), shown(2000)]).toEqual([false, false, true]);
});

test('a password behind a short flag is masked within 8 KB of its program in output that arrives in pieces, and not behind them', () => {
  const shown = (words: number, size: number): boolean => {
    const line = `curl -d '${'a; '.repeat(words)}' -u me:hunterrabbit https://h\n`;
    const redactor = createRedactor();
    const run = { ...RUN, hookId: `run-${words}-${size}` };
    return (line.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])
      .map((stdout) => redactor.redact(progressRecord(run, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h')))
      .some((record) => JSON.stringify(record).includes('hunterrabbit'));
  };
  expect([shown(100, 500), shown(2500, 500), shown(4000, 500), shown(4000, 20_000)]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test('a deny stops nothing by itself: it is an answer, and the next event is fired as any', async () => {
  const { host } = testHost();
  const after: unknown[] = [];
  host.register(
    anyHooks({
      PreToolUse: [{ hooks: [() => deny('no')] }],
      PostToolUse: [{ hooks: [({ tool_name }: { tool_name: string }) => void after.push(tool_name)] }],
    }),
  );
  expect(await host.fire('PreToolUse', CALL)).toMatchObject({ verdict: 'deny', continue: true });
  await host.fire('PostToolUse', { ...CALL, tool_response: {} });
  expect(after).toEqual(['Bash']);
});

test('a view is not the object itself', async () => {
  const { host } = testHost();
  const mine = { command: 'ls' };
  const seen: unknown[] = [];
  host.register({ PreToolUse: [{ hooks: [(input) => void seen.push(input.tool_input, input)] }] });
  const input = { ...CALL, tool_input: mine };
  await host.fire('PreToolUse', input);
  expect(seen[0]).toEqual(mine);
  expect([seen[0] === mine, seen[1] === input]).toEqual([false, false]);
});

test('what a caller changes during a fire, later hooks see', async () => {
  const { host } = testHost();
  const { promise, resolve } = deferred<undefined>();
  const seen: unknown[] = [];
  const look = ({ tool_input }: { tool_input: unknown }) => void seen.push((tool_input as typeof mine).command);
  host.register(anyHooks({ PreToolUse: [{ hooks: [look, () => promise, look] }] }));
  const mine = { command: 'ls' };
  const fire = host.fire('PreToolUse', { ...CALL, tool_input: mine });
  mine.command = 'rm x';
  resolve(undefined);
  await fire;
  expect(seen).toEqual(['ls', 'rm x']);
});

test('a watcher runs while the fire waits for it', async () => {
  const { host } = testHost();
  const order: string[] = [];
  host.events$.subscribe((record) => {
    order.push(`told ${'subtype' in record ? record.subtype : record.type}`);
  });
  host.register({ PreToolUse: [{ hooks: [() => void order.push('the hook')] }] });
  await host.fire('PreToolUse', CALL).then(() => order.push('the answer'));
  expect(order).toEqual(['told hook_started', 'the hook', 'told hook_response', 'told hook_fire', 'the answer']);
});

test('a denied call that failed is no alarm; one that ran is', async () => {
  const alarms: HookAlarm[] = [];
  const { host } = testHost({ onAlarm: (alarm) => void alarms.push(alarm) });
  host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
  await host.fire('PreToolUse', CALL);
  await host.fire('PostToolUseFailure', { ...CALL, error: 'it ran, and then failed' });
  expect(alarms).toEqual([]);
  await host.fire('PreToolUse', { ...CALL, tool_use_id: 't2' });
  await host.fire('PostToolUse', { ...CALL, tool_use_id: 't2', tool_response: {} });
  expect(alarms.map(({ alarm }) => alarm)).toEqual(['not_honoured']);
});

test('what is loaded only when it is needed is looked for from where hookscope is installed', () => {
  const source = readFileSync(join(ROOT, 'src/matching/matcher.ts'), 'utf8');
  expect(source).toContain("createRequire(import.meta.url)('minimatch')");
  expect(() => createRequire('/nowhere/bundle.js')('minimatch')).toThrow();
  expect(createRequire(join(ROOT, 'dist/index.js'))('minimatch')).toHaveProperty('Minimatch');
});
