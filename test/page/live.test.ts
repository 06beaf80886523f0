import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { fire as record } from '../emit/samples.js';
import { createUser, type Running, send, type User, until } from '../server/kit.js';
import { startBrowser } from './browser.js';

let browser: Browser;
let page: Page;
let user: User;
let server: Running;
let problems: string[];

const tokens = (): Record<string, string> => JSON.parse(readFileSync(user.places.tokens, 'utf8'));
let calls = 0;
async function fire(event = 'PreToolUse', more: Record<string, unknown> = {}): Promise<void> {
  calls += 1;
  const call = { tool_name: 'Bash', tool_input: { command: `echo ${calls}` }, tool_use_id: `call-${calls}` };
  const answer = await send(
    { socketPath: user.places.socket },
    {
      path: `/hooks/${event}`,
      headers: { host: 'hookscope', authorization: `Bearer ${tokens()['fire']}` },
      body: JSON.stringify({ session_id: 's', ...(event === 'PreToolUse' ? call : {}), ...more }),
    },
  );
  expect(answer.status).toBe(200);
}

/** Does something while fires come, so many milliseconds apart. */
async function whileFires(apart: number, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const firing = (async () => {
    while (!isOver) {
      await fire();
      await sleep(apart);
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await firing;
  }
}

beforeAll(async () => {
  browser = await startBrowser();
  user = createUser();
  const shell = (name: string, command: string) => ({ name, hooks: [{ type: 'command', command }] });
  user.write('config.json', {
    hooks: {
      PreToolUse: [shell('quick', 'sleep 0.05')],
      UserPromptSubmit: [shell('varied', `sleep "$(sed 's/.*"prompt":"\\([^"]*\\)".*/\\1/')"`)],
    },
  });
  server = await user.serve(['--config', 'config.json', '--port', '0']);
});
afterAll(async () => {
  await browser.close();
  await user.remove();
});
beforeEach(async () => {
  if (!browser.isConnected()) browser = await startBrowser();
  const context = await browser.newContext({ viewport: { width: 1300, height: 1600 } });
  page = await context.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`http://127.0.0.1:${server.port}/#${tokens()['read']}`);
  await page.getByText('Live.').waitFor();
});
afterEach(async () => {
  expect(problems).toEqual([]);
  await page.context().close();
});

const option = (name: RegExp) => page.getByRole('listbox').getByRole('option', { name });

test.each([400, 100, 20])('what is typed stays while records come every %d ms, and is searched for', async (apart) => {
  await fire();
  const field = page.getByLabel('Text', { exact: true });
  await whileFires(apart, async () => {
    await field.click();
    // Faster and slower than what is typed is searched for.
    for (const delay of [60, 200]) {
      await field.fill('');
      await page.keyboard.type('no command has this', { delay });
      expect(await field.inputValue()).toBe('no command has this');
    }
    await until(async () => (await option(/./).count()) === 0);
    // What is not searched for yet is taken back as well.
    await page.keyboard.type(' and that');
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await field.inputValue()).toBe('');
    await sleep(300);
    expect(await field.inputValue()).toBe('');
    expect(await option(/./).count()).toBeGreaterThan(0);
  });
});

test('what is chosen, opened, scrolled and selected stays while records come', async () => {
  for (let i = 0; i < 80; i++) await fire();
  await option(/echo \d+/)
    .first()
    .click();
  const details = page.locator('.hooks details').first();
  await details.locator('summary').click();
  await page.getByLabel('Event').selectOption('PreToolUse');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.evaluate("document.querySelector('[role=listbox]').scrollTo(0, 120)");
  await page.evaluate("getSelection().selectAllChildren(document.querySelector('.explanation h2'))");
  const state = async () => ({
    ...(await page.evaluate<object>(`({
      open: document.querySelector('.hooks details').open,
      event: [...document.querySelectorAll('select')].map(({ value }) => value),
      scrolled: document.querySelector('[role=listbox]').scrollTop,
      text: getSelection().toString(),
    })`)),
    chosen: await page.locator('[role=option][aria-selected=true]').count(),
  });
  const before = await state();
  expect(before).toMatchObject({ open: false, scrolled: 120, text: expect.stringContaining('echo') });
  await whileFires(20, () => sleep(800));
  expect(await state()).toEqual(before);
});

test.each(['quick', 'varied'])('the focus stays on %s when rows change their places', async (name) => {
  await fire('UserPromptSubmit', { prompt: '0' });
  await fire();
  await page.getByRole('tab', { name: 'Hooks' }).click();
  const button = page.getByRole('button', { name, exact: true });
  const first = () => page.locator('tbody tr').first().innerText();
  const focused = () => page.evaluate('document.activeElement.textContent');
  await until(async () => (await page.locator('tbody tr').count()) === 2);
  // Until the other one is the slowest.
  const other = (await first()).includes('quick') ? 'varied' : 'quick';
  await button.focus();
  for (let i = 1; i < 20 && !(await first()).includes(other); i++)
    if (other === 'varied') await fire('UserPromptSubmit', { prompt: `0.${2 + i}` });
    else await fire();
  expect(await focused()).toBe(name);
});

test('the tree of scopes says which session each belongs to, and axe finds nothing with nothing chosen', async () => {
  for (const session of ['alpha', 'beta'])
    await fire('SubagentStart', { session_id: session, agent_id: 'x1', agent_type: 'scout' });
  await page.getByRole('tab', { name: 'Scopes' }).click();
  await page.getByText('session beta').waitFor();
  const tree = (await page.locator('.scopes').innerText()).split('\n').map((line) => line.trim());
  expect(tree.filter((line) => /alpha|beta|x1/.test(line))).toEqual([
    'session alpha',
    'agent scout x1',
    'session beta',
    'agent scout x1',
  ]);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string }[] };
  expect(violations.map(({ id }) => id)).toEqual([]);
});

test('in a narrow window the list scrolls sideways to the event, and a lane has its name however deep it is', async () => {
  const file = join(user.path, 'deep.ndjson');
  const start = Date.UTC(2026, 0, 31, 9, 15);
  const lines = Array.from({ length: 20 }, (_, i) => ({
    ...record(i + 1),
    ...{ time: new Date(start + i * 10).toISOString(), event: 'SubagentStart', session_id: 's', handlers: [] },
    ...{
      agent_id: `agent-${i}`,
      input: { agent_type: 'scout', ...(i > 0 ? { parent_agent_id: `agent-${i - 1}` } : {}) },
    },
  }));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await page.setInputFiles('input[type=file]', file);
  await page.locator('.state.file').waitFor();
  for (const width of [1300, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate("document.querySelector('.labels').scrollTo(0, 1000)");
    const rooms = await page.evaluate<number[]>(`[...document.querySelectorAll('.labels button')].map((button) =>
      button.clientWidth - parseFloat(getComputedStyle(button).paddingLeft))`);
    expect(Math.min(...rooms)).toBeGreaterThan(50);
    const about = option(/./).first().locator('.what');
    await page.evaluate("document.querySelector('[role=listbox]').scrollTo(1000, 0)");
    const [list, what] = [await page.getByRole('listbox').boundingBox(), await about.boundingBox()];
    const right = (box: typeof list): number => (box?.x ?? 0) + (box?.width ?? 0);
    expect(right(what)).toBeLessThanOrEqual(right(list));
    expect(what?.width).toBeGreaterThan(50);
  }
});

test('what a command answers itself beside the server is shown as it comes, once', async () => {
  const rule = { type: 'rule', decision: 'deny', reason: 'no' };
  user.write('other.json', { PreToolUse: [{ hooks: [rule] }] });
  const text = page.getByLabel('Text', { exact: true });
  for (const command of ['beside-one', 'beside-two']) {
    const input = { session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: command };
    await user.hook(['PreToolUse', '--hooks', 'other.json'], { ...input, tool_input: { command } });
    await text.fill(command);
    await option(new RegExp(`denied.*${command}`)).waitFor();
    await fire();
    // The list has only the rows that are in sight.
    await text.fill(`echo ${calls}`);
    await option(new RegExp(`echo ${calls} `)).waitFor();
    await text.fill(command);
    await option(new RegExp(`denied.*${command}`)).waitFor();
    expect(await option(new RegExp(command)).count()).toBe(1);
  }
});

test('which file of what is kept cannot be read is said', async () => {
  const file = join(user.places.state, 'records.ndjson');
  mkdirSync(file);
  try {
    await fire();
    await page.reload();
    await page.getByText(`Not all that is kept can be read: ${file}: is not a regular file.`).waitFor();
    await page.getByLabel('Text', { exact: true }).fill(`echo ${calls}`);
    await option(new RegExp(`echo ${calls} `)).waitFor();
  } finally {
    rmdirSync(file);
  }
  await page.reload();
  await page.getByText('Live.', { exact: true }).waitFor();
});
