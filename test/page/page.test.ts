import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AlarmRecord, FireRecord, HookRecord, HookResponse } from '../../src/emit/record.js';
import { BIN, cli } from '../cli/cli.js';
import { ROOT } from '../package/sources.js';
import { createUser, type Running, send, type User, until } from '../server/kit.js';
import { startBrowser } from './browser.js';
import { hostileRecords, manyFires } from './records.js';

const session = readFileSync(join(ROOT, 'test/fixtures/sessions/two-parallel-subagents.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { event: string; input: Record<string, unknown> });

let browser: Browser;
let folder: string;
let page: Page;
/** What the page asked for, and what went wrong in it. */
let requests: string[];
let problems: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-page-'));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  // Chromium itself crashes now and then when the machine has much other work; that says nothing about the page.
  if (!browser.isConnected()) browser = await startBrowser();
  const context = await browser.newContext({ viewport: { width: 1300, height: 2600 } });
  page = await context.newPage();
  requests = [];
  problems = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('dialog', (dialog) => {
    problems.push('a dialog');
    void dialog.dismiss();
  });
});
afterEach(async () => {
  expect(problems).toEqual([]);
  await page.context().close();
});

const list = () => page.getByRole('listbox', { name: 'Fires and alarms' });
const option = (name: RegExp) => list().getByRole('option', { name });
const shownLines = () => list().getByRole('option');
const tab = (name: string) => page.getByRole('tab', { name });
const explanation = () => page.getByRole('region', { name: 'Explanation' });
const counters = (): Promise<string> => page.getByRole('group', { name: 'Outcome' }).innerText();
/** The numbers that the page shows: fires, alarms, denied, failed. */
async function numbers(): Promise<number[]> {
  return [...(await counters()).matchAll(/([\d,]+) (?:fires|alarms|denied|failed)/g)].map(([, count = '']) =>
    Number(count.replaceAll(',', '')),
  );
}
async function violations(): Promise<string[]> {
  // Where it is needed: in every page that is opened it would be read each time.
  await page.evaluate(axe.source);
  const found = await page.evaluate('axe.run()');
  return (found as { violations: { id: string; nodes: { html: string }[] }[] }).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`),
  );
}

const isFire = (record: HookRecord): record is FireRecord => record.type === 'hook_fire';
const isBlocked = ({ decision: d }: FireRecord): boolean => d.verdict === 'deny' || !!d.blocked || !!d.continues;
/** The same numbers, from the records. */
function expected(records: readonly HookRecord[]): number[] {
  const fires = records.filter(isFire);
  return [
    fires.length,
    records.filter(({ type }) => type === 'hook_alarm').length,
    fires.filter(isBlocked).length,
    fires.filter(({ handlers }) => handlers.some(({ status }) => status === 'failed')).length,
  ];
}

/** What the table of hooks must hold, from the records: name, runs, denials, failures, p50, p95, p99. */
function table(records: readonly HookRecord[]): string[][] {
  const hooks = new Map<string, { name: string; runs: number; denials: number; failures: number; times: number[] }>();
  for (const fire of records.filter(isFire)) {
    for (const handler of fire.handlers.filter(({ status }) => status !== 'skipped')) {
      const hook = `${handler.name} ${handler.definition}`;
      const { name } = handler;
      const one = hooks.get(hook) ?? { name, runs: 0, denials: 0, failures: 0, times: [] };
      hooks.set(hook, one);
      one.runs += 1;
      const counted = fire.decision.failures.some(({ id, blocked }) => id === handler.id && blocked);
      if (handler.verdict === 'deny' || handler.verdict === 'block' || counted) one.denials += 1;
      if (handler.status === 'failed') one.failures += 1;
      if (handler.duration_ms !== undefined) one.times.push(handler.duration_ms);
    }
  }
  const rows = [...hooks.values()].map(({ name, runs, denials, failures, times }) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (percent: number): number => sorted[Math.ceil((percent / 100) * sorted.length) - 1] as number;
    return { name, counts: [runs, denials, failures], times: [at(50), at(95), at(99)] as const };
  });
  rows.sort((a, b) => b.times[1] - a.times[1] || b.times[0] - a.times[0]);
  const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  return rows.map(({ name, counts, times }) => [name, ...counts.map(String), ...times.map(ms)]);
}
/** The table, with names without the files that follow them. */
const shownTable = async (): Promise<string[][]> => {
  const rows = await page.locator('tbody tr').all();
  const cells = await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
  return cells.map(([name = '', ...figures]) => [name.replace(/ \(\/.*/, ''), ...figures.slice(0, 6)]);
};

const shell = (name: string, matcher: string, command: string) => ({
  matcher,
  name,
  onFailure: 'block',
  hooks: [{ type: 'command', command }],
});
const UPDATED = { hookEventName: 'PreToolUse', updatedInput: { command: 'timeout 10 wc -l report.md' } };
/** As the demo's hooks, in shell. */
const CONFIG = {
  hooks: {
    PreToolUse: [
      shell('protectPaths', 'Edit|Write', `grep -q out/summary && { echo 'out/ is protected' >&2; exit 2; }; exit 0`),
      shell('no-inline-node', 'Bash', `grep -q 'node -e' && { echo 'no inline programs' >&2; exit 2; }; exit 0`),
    ],
  },
  spawnHooks: {
    surveyor: { PreToolUse: [shell('readOnlyShell', 'Bash', 'exit 0')] },
    builder: {
      PreToolUse: [
        shell('onlyTheReport', 'Edit|Write', 'exit 0'),
        shell('inTime', 'Bash', `echo '${JSON.stringify({ hookSpecificOutput: UPDATED })}'`),
      ],
    },
  },
};

describe('of a running server', () => {
  let user: User;
  let server: Running;
  let port: number;
  const tokens = (): Record<string, string> => JSON.parse(readFileSync(user.places.tokens, 'utf8'));
  const serve = async (at: number): Promise<void> => {
    server = await user.serve(['--config', 'config.json', '--port', String(at)]);
    port = server.port as number;
  };
  const fire = async ({ event, input }: (typeof session)[number]): Promise<void> => {
    const answer = await send(
      { socketPath: user.places.socket },
      {
        path: `/hooks/${event}`,
        headers: { host: 'hookscope', authorization: `Bearer ${tokens()['fire']}` },
        body: JSON.stringify(input),
      },
    );
    expect(answer.status).toBe(200);
  };
  const records = async (): Promise<HookRecord[]> => {
    const { body } = await send(
      { socketPath: user.places.socket },
      {
        path: '/records',
        method: 'GET',
        headers: { host: 'hookscope', authorization: `Bearer ${tokens()['read']}` },
      },
    );
    return body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as HookRecord);
  };
  /** Every line of the list is that of one record, and the other way round. */
  const same = async (): Promise<void> => {
    const found = await records();
    await until(async () => (await numbers())[0] === expected(found)[0]);
    expect(await numbers()).toEqual(expected(found));
    const told = await shownLines().locator('time').allInnerTexts();
    const times = found.filter((record) => isFire(record) || record.type === 'hook_alarm').map(({ time }) => time);
    expect(told.length).toBeGreaterThan(0);
    expect(told.toSorted()).toEqual(times.map((time) => time.slice(11, 23)).toSorted());
  };

  let filled = false;
  /** The session is kept. */
  const fill = async (): Promise<void> => {
    if (!filled) for (const one of session) await fire(one);
    filled = true;
  };

  beforeAll(async () => {
    user = createUser();
    user.write('config.json', CONFIG);
    await serve(0);
  });
  afterAll(() => user.remove());

  test('it shows what happens while an agent works, and answers the five questions by one click each', async () => {
    await page.goto(`http://127.0.0.1:${port}/#${tokens()['read']}`);
    await page.getByText('Live.').waitFor();
    expect(page.url()).toBe(`http://127.0.0.1:${port}/`);
    const spawned = session.findLastIndex(({ event }) => event === 'SubagentStart') + 1;
    for (const one of session.slice(0, spawned)) await fire(one);
    // The tree as it is now: both subagents are open, and have hooks of their own.
    await tab('Scopes').click();
    await page.getByText('agent surveyor a4b31e').waitFor();
    await page.getByText('agent builder a9e488').waitFor();
    expect(await page.locator('.scopes').innerText()).toContain('readOnlyShell');
    await tab('Fires').click();
    for (const one of session.slice(spawned)) await fire(one);
    filled = true;
    await same();
    const found = await records();

    // Which hooks ran for an agent?
    await page.getByRole('button', { name: 'builder a9e488' }).click();
    const ofBuilder = found.filter((record) => !isFire(record) || record.agent_id?.startsWith('a9e488'));
    expect(await shownTable()).toEqual(table(ofBuilder));
    await page.getByRole('button', { name: 'Show all' }).click();
    // Which hook is the slowest?
    await tab('Hooks').click();
    expect(await shownTable()).toEqual(table(found));
    await tab('Fires').click();
    // Why did a hook not run?
    await option(/builder.*PreToolUse Bash wc -l/).click();
    await explanation()
      .getByText(/readOnlyShell \(of surveyor a4b31e\)/)
      .waitFor();
    await explanation()
      .getByText('was not asked: its matcher Edit|Write does not match Bash')
      .first()
      .waitFor({ state: 'attached' });
    // Its rewrite is a diff.
    expect(await explanation().locator('ins').first().innerText()).toContain('timeout');
    // Who denied a call, and what did it see? And was it honoured?
    await option(/denied PreToolUse Write/).click();
    await explanation().getByText('protectPaths decided: deny').waitFor();
    expect(await explanation().innerText()).toMatch(
      /"content": "two modules\\n"[\s\S]*It ran, although|It ran, although/,
    );
    // Was anything not honoured?
    await page.getByRole('button', { name: /alarms$/ }).click();
    const alarms = found.filter((record): record is AlarmRecord => record.type === 'hook_alarm');
    expect(alarms.length).toBeGreaterThan(0);
    expect(await shownLines().count()).toBe(alarms.length);
    await option(/not_honoured/)
      .first()
      .click();
    await explanation().getByText('ALARM not_honoured').first().waitFor();
    // What a shell hook printed.
    await page.getByRole('button', { name: 'Show all' }).click();
    await option(/denied PreToolUse Bash node -e/).click();
    const response = found.find(
      (record): record is HookResponse =>
        record.type === 'system' && record.subtype === 'hook_response' && record.stderr.includes('inline'),
    );
    expect(await explanation().innerText()).toContain((response as HookResponse).stderr.trim());
    expect(requests.filter((url) => !url.startsWith(`http://127.0.0.1:${port}/`))).toEqual([]);
    expect(requests.join()).not.toContain(tokens()['read']);
  });

  test('filters and the scrubber say the same as the records', async () => {
    await fill();
    await page.goto(`http://127.0.0.1:${port}/#${tokens()['read']}`);
    await page.getByText('Live.').waitFor();
    const found = await records();
    const count = async (holds: (fire: FireRecord) => boolean): Promise<void> => {
      const wanted = found.filter(isFire).filter(holds).length;
      expect(wanted).toBeGreaterThan(0);
      await until(async () => (await numbers())[0] === wanted);
    };
    await page.getByLabel('Event').selectOption('PreToolUse');
    await count(({ event }) => event === 'PreToolUse');
    await page.getByLabel('Hook').selectOption('onlyTheReport');
    await count(({ handlers }) =>
      handlers.some(({ name, status }) => name === 'onlyTheReport' && status !== 'skipped'),
    );
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Text').fill('two modules');
    await count((one) => JSON.stringify(one).toLowerCase().includes('two modules'));
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Show what was told until').focus();
    await page.keyboard.press('Home');
    // The first one may have had no hooks to wait for.
    await until(async () => ((await numbers())[0] as number) <= 1);
    const scrubber = page.getByLabel('Show what was told until');
    const most = Number(await scrubber.getAttribute('max'));
    await scrubber.fill(String(most / 2));
    const moment = (await scrubber.getAttribute('aria-valuetext')) as string;
    await count(({ time }) => `${time.slice(11, 23)} UTC` <= moment);
    await page.getByRole('button', { name: 'Now' }).click();
    await count(() => true);
  });

  test('a connection that is lost goes on where it was: nothing is lost, and nothing is there twice', async () => {
    await fill();
    await page.goto(`http://127.0.0.1:${port}/#${tokens()['read']}`);
    await page.getByText('Live.').waitFor();
    const call = (id: string, command = 'ls') => ({
      event: 'PreToolUse',
      input: { session_id: 's9', tool_name: 'Bash', tool_input: { command }, tool_use_id: id },
    });
    await fire(call('before'));
    // Some are on their way when it ends.
    await Promise.all([fire(call('with')), fire(call('with-other'))]);
    await server.stop();
    await page.getByText('Connection lost').waitFor();
    // While there is none, the command fires by itself, and keeps that where the server does.
    const hooks = user.write('hooks.json', {});
    expect((await user.spawnHook(['PreToolUse', '--hooks', hooks], call('between').input)).code).toBe(0);
    await serve(port);
    // Before the page has come back.
    await fire(call('after'));
    await page.getByText('Live.').waitFor();
    await fire(call('later'));
    await same();
  });

  test('the token is asked for, goes in a header, and stays in the tab', async () => {
    await page.goto(`http://127.0.0.1:${port}/`);
    const field = page.getByLabel('The token to read');
    await field.fill('nonsense');
    await page.getByRole('button', { name: 'Show what happens' }).click();
    await page.getByText('A token has 43').waitFor();
    expect(requests).toHaveLength(1);
    expect(await violations()).toEqual([]);
    // That of another right is none.
    await field.fill(tokens()['fire'] as string);
    await field.press('Enter');
    await page.getByText('this needs the token to read').waitFor();
    await field.fill(tokens()['read'] as string);
    await field.press('Enter');
    await page.getByText('Live.').waitFor();
    await page.reload();
    await page.getByText('Live.').waitFor();
    expect(requests.join()).not.toMatch(/[\w-]{43}/);
    expect(await page.evaluate('[location.href, document.cookie, localStorage.length]')).toEqual([
      `http://127.0.0.1:${port}/`,
      '',
      0,
    ]);
    const other = await page.context().newPage();
    await other.goto(`http://127.0.0.1:${port}/`);
    await other.getByLabel('The token to read').waitFor();
  });

  test('it is told to run and ask nothing but itself', async () => {
    const answer = await page.goto(`http://127.0.0.1:${port}/`);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}';.* connect-src 'self'; frame-ancestors 'none'$/,
    );
    expect(policy).not.toMatch(/unsafe/);
  });

  test('hooks are answered while the page reads all that is kept', async () => {
    const { sqliteSink } = await import('../../src/emit/sinks/sqlite.js');
    const sink = sqliteSink(join(user.places.state, 'records.db'), { redact: false, capacity: 50_000 });
    for (const line of manyFires(10_000).trim().split('\n')) sink.push(JSON.parse(line) as HookRecord);
    await sink.close();
    let read = 0;
    const all = records().then((found) => {
      read = found.length;
    });
    const call = { session_id: 's9', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'meanwhile' };
    let answered = 0;
    for (; read === 0; answered++) await fire({ event: 'PreToolUse', input: call });
    await all;
    expect(read).toBeGreaterThan(5_000);
    expect(answered).toBeGreaterThan(1);
  });

  test('a record from a clock that is a day ahead hides nothing that comes after it, and times have their day', async () => {
    await fill();
    const { sqliteSink } = await import('../../src/emit/sinks/sqlite.js');
    const sink = sqliteSink(join(user.places.state, 'records.db'), { redact: false });
    const [ahead] = (await records()).filter(isFire) as [FireRecord];
    const time = new Date(Date.now() + 86_400_000).toISOString();
    sink.push({ ...ahead, seq: 1, host_id: 'ahead', time });
    await sink.close();
    await page.goto(`http://127.0.0.1:${port}/#${tokens()['read']}`);
    await page.getByText('Live.').waitFor();
    await server.stop();
    await page.getByText('Connection lost').waitFor();
    const missed = {
      session_id: 's9',
      tool_name: 'Bash',
      tool_input: { command: 'echo missed' },
      tool_use_id: 'missed',
    };
    const hooks = user.write('hooks.json', {});
    expect((await user.spawnHook(['PreToolUse', '--hooks', hooks], missed)).code).toBe(0);
    await serve(port);
    await page.getByLabel('Text').fill('echo missed');
    await option(/echo missed/).waitFor();
    expect(await shownLines().locator('time').innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
    expect(await page.locator('.scrubber output').innerText()).toBe(`${time.replace('T', ' ').slice(0, 23)} UTC`);
  });
});

describe('of a file', () => {
  let kept: string;
  let records: HookRecord[];
  const asked = (): string[] => requests.filter((url) => !url.startsWith('blob:'));
  const make = async (...args: string[]): Promise<string> => {
    const out = join(folder, `${args.length}-${Math.random()}.html`);
    const made = await cli(['page', ...args, '--out', out], { cwd: folder });
    expect(made.stderr).toBe('');
    expect(made.code).toBe(0);
    return out;
  };
  const open = async (file: string): Promise<void> => {
    await page.goto(`file://${file}`);
    await page.getByRole('group', { name: 'Outcome' }).waitFor();
  };
  /** The page without records, as it stands in the package. */
  const empty = join(ROOT, 'dist/page.html');

  beforeAll(async () => {
    kept = join(folder, 'session.ndjson');
    const source = join(ROOT, 'test/fixtures/sessions/two-parallel-subagents.jsonl');
    await promisify(execFile)(process.execPath, ['examples/demo/record.mjs', source, kept], { cwd: ROOT });
    const lines = readFileSync(kept, 'utf8').trim().split('\n');
    records = lines.map((line) => JSON.parse(line) as HookRecord);
  });

  test('one HTML file has all of it inside, asks nobody, and is nobody else’s to read', async () => {
    const out = await make(kept);
    await open(out);
    await until(async () => (await numbers())[0] === expected(records)[0]);
    expect(await numbers()).toEqual(expected(records));
    await tab('Hooks').click();
    expect(await shownTable()).toEqual(table(records));
    expect(requests).toEqual([`file://${out}`]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const html = readFileSync(out, 'utf8');
    expect(html).toMatch(/<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/);
    expect(html).not.toMatch(/https?:\/\/(?!www\.w3\.org\/)[\w.-]+\.\w+\/.*\.(?:js|css|woff2?)\b/);
  });

  test('a database becomes a page too, with its secrets masked; what is no page of ours is not written over', async () => {
    const { sqliteSink } = await import('../../src/emit/sinks/sqlite.js');
    const file = join(folder, 'records.db');
    const sink = sqliteSink(file, { redact: false });
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const [first] = records.filter(isFire);
    sink.push({ ...(first as FireRecord), input: { prompt: `use ${secret}` } });
    await sink.close();
    const out = await make(file);
    expect(readFileSync(out, 'utf8')).not.toContain(secret);
    expect(readFileSync(await make(file, '--no-redact'), 'utf8')).toContain(secret);
    await open(out);
    await until(async () => (await numbers())[0] === 1);
    await make(file);
    const mine = '{"prompt":"<title>hookscope</title>"}';
    writeFileSync(join(folder, 'mine.html'), mine);
    // What cannot be opened is there too.
    const socket = createServer().listen(join(folder, 'mine.sock'));
    await once(socket, 'listening');
    for (const name of ['mine.html', 'mine.sock']) {
      const refused = await cli(['page', file, '--out', name], { cwd: folder });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is no page of hookscope')]);
    }
    expect(readFileSync(join(folder, 'mine.html'), 'utf8')).toBe(mine);
    expect(statSync(join(folder, 'mine.sock')).isSocket()).toBe(true);
    socket.close();
    const nowhere = await cli(['page', file, '--out', 'no/where.html'], { cwd: folder });
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringMatching(/where\.html: the folder that it is to be in is not there; make it first\./),
    ]);
    const gone = await cli(['page', 'nothing.ndjson'], { cwd: folder });
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('there is no such file')]);
    expect(existsSync(join(folder, 'nothing.html'))).toBe(false);
  });

  test('a file that is dropped is read without a server', async () => {
    await page.goto(`file://${empty}`);
    await page.getByText('Or drop a file').waitFor();
    const text = `${readFileSync(kept, 'utf8')}no record\n`;
    await page.evaluate(`{
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(text)}], 'dropped.ndjson'));
      document.querySelector('.app').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
    }`);
    await page.getByText('dropped.ndjson 1 lines are no records').waitFor();
    expect(await numbers()).toEqual(expected(records));
    await page.setInputFiles('input[type=file]', join(folder, 'records.db'));
    await page.getByText('records.db is a database: hookscope page FILE').waitFor();
    expect(requests).toEqual([`file://${empty}`]);
  });

  test('all of it can be reached by keys', async () => {
    await open(await make(kept));
    const heading = () => explanation().getByRole('heading', { level: 2 }).innerText();
    await page.locator('canvas').focus();
    await page.keyboard.press('n');
    await until(async () => /denied/.test(await heading()));
    const first = await heading();
    await page.keyboard.press('n');
    await until(async () => (await heading()) !== first);
    await page.keyboard.press('p');
    await until(async () => (await heading()) === first);
    await page.keyboard.press('ArrowUp');
    await until(async () => (await heading()) !== first);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('explanation');
    await list().focus();
    await page.keyboard.press('Home');
    await until(async () => /SessionStart/.test(await heading()));
    await page.keyboard.press('ArrowDown');
    await until(async () => /UserPromptSubmit/.test(await heading()));
    const active = await list().getAttribute('aria-activedescendant');
    expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
    await tab('Fires').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('columnheader', { name: 'p95 ms' }).waitFor();
  });

  test('axe finds nothing, light or dark', async () => {
    await page.goto(`file://${empty}`);
    expect(await violations()).toEqual([]);
    await open(await make(kept));
    for (const [colorScheme, names] of [
      ['light', ['Hooks', 'Scopes']],
      ['dark', ['Hooks']],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await tab('Fires').click();
      await option(/denied PreToolUse Write/).click();
      await explanation().getByText('What would have to change', { exact: true }).waitFor();
      expect(await violations(), colorScheme).toEqual([]);
      for (const name of names) {
        await tab(name).click();
        expect(await violations(), `${name}, ${colorScheme}`).toEqual([]);
      }
    }
  });

  test('hostile text in every place runs nothing, and asks nobody', async () => {
    const file = join(folder, 'hostile.ndjson');
    const lines = hostileRecords();
    writeFileSync(file, `${lines.join('\n')}\n`);
    const wanted = expected(lines.map((line) => JSON.parse(line) as HookRecord));
    const out = await make(file);
    const look = async (): Promise<void> => {
      await until(async () => (await numbers())[0] === wanted[0]);
      expect(await numbers()).toEqual(wanted);
      const rows = await shownLines().count();
      expect(rows).toBeGreaterThan(20);
      for (let i = 0; i < rows; i += 1) {
        // Without a mouse, whose every click waits for the list to stand still.
        await shownLines().nth(i).dispatchEvent('click');
        expect(await shownLines().nth(i).getAttribute('aria-selected')).toBe('true');
        await explanation().getByRole('heading', { level: 2 }).waitFor();
      }
      await option(/PreToolUse Bash/).click();
      await explanation()
        .getByRole('button', { name: /Show all [\d,]{7,} characters/ })
        .click();
      for (const name of ['Hooks', 'Scopes', 'Fires']) await tab(name).click();
      expect(await page.evaluate('[window.ran, document.scripts.length, frames.length]')).toEqual([
        undefined,
        expect.any(Number),
        0,
      ]);
      expect(await page.locator('img, iframe, link, object, embed, a, style ~ style, #app script').count()).toBe(0);
    };
    await open(out);
    await look();
    expect(await page.evaluate('document.scripts.length')).toBe(2);
    await page.goto(`file://${empty}`);
    await page.setInputFiles('input[type=file]', file);
    await look();
    expect(await page.evaluate('document.scripts.length')).toBe(1);
    expect(asked()).toEqual([`file://${out}`, `file://${empty}`]);
    // What is no text of ours does not run here even if it came to be in the page.
    await open(out);
    const blocked = await page.evaluate(`(async () => {
      const found = [];
      addEventListener('securitypolicyviolation', (event) => found.push(event.effectiveDirective));
      const image = document.createElement('img');
      image.src = 'https://evil.example/a.png';
      document.body.append(image);
      await fetch('https://evil.example/').catch(() => undefined);
      try {
        document.body.insertAdjacentHTML('beforeend', '<b>x</b>');
      } catch {
        found.push('html');
      }
      await new Promise((resolve) => setTimeout(resolve));
      return found;
    })()`);
    expect(blocked).toEqual(expect.arrayContaining(['img-src', 'connect-src', 'html']));
    problems = [];
  });

  test('100,000 fires are drawn in no more than three times what their rectangles take', async () => {
    const file = join(folder, 'many.ndjson');
    writeFileSync(file, manyFires(100_000));
    await page.goto(`file://${empty}`);
    await page.setViewportSize({ width: 1300, height: 900 });
    await page.setInputFiles('input[type=file]', file);
    await page.locator('.state.file').waitFor();
    expect(await numbers()).toEqual([100_000, 0, 2_000, 0]);
    const redraw = async (): Promise<number> => {
      const from = await page.evaluate('performance.getEntriesByName("hookscope redraw")[0].startTime');
      // Nearer, and all of it again.
      await page.locator('canvas').press('+');
      await page.locator('canvas').press('0');
      const entry = () =>
        page.evaluate(
          '(({ startTime, duration }) => [startTime, duration])(performance.getEntriesByName("hookscope redraw")[0])',
        );
      await until(async () => ((await entry()) as [number, number])[0] > (from as number));
      return ((await entry()) as [number, number])[1];
    };
    const bare = (): Promise<number> =>
      page.evaluate(`(() => {
        const { width, height } = document.querySelector('canvas');
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        const context = canvas.getContext('2d', { alpha: false });
        const start = performance.now();
        for (let i = 0; i < 100000; i++) context.fillRect((i * 7919) % width, (i * 26) % height, 3, 12);
        return performance.now() - start;
      })()`);
    const median = (values: number[]): number => values.toSorted((a, b) => a - b)[1] as number;
    const ours = median([await redraw(), await redraw(), await redraw()]);
    expect(ours).toBeLessThanOrEqual(3 * median([await bare(), await bare(), await bare()]));
    // Whatever there is, the list holds no more lines than are seen.
    expect(await shownLines().count()).toBeLessThan(100);
    await list().press('End');
    await explanation().getByText('step 99999').first().waitFor();
  });

  test('the page is one file of at most 60 KB', () => {
    expect(gzipSync(readFileSync(empty), { level: 9 }).length).toBeLessThanOrEqual(60 * 1024);
    expect(existsSync(BIN)).toBe(true);
  });
});
