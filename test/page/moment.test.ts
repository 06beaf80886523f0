import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli } from '../cli/cli.js';
import { fire, stamped } from '../emit/samples.js';
import { startBrowser } from './browser.js';

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await startBrowser();
  folder = mkdtempSync(join(tmpdir(), 'hookscope-moment-'));
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (ms: number) => ({ time: new Date(Date.UTC(2026, 0, 31, 9, 15) + ms).toISOString() });

test('at a moment of the past a fire is explained with what was known then', async () => {
  const background = { ...fire().handlers[0], id: 'audit#1', name: 'audit', status: 'background' };
  const failure = { cause: 'threw', message: 'no disk' };
  const other = { ...fire().handlers[0], id: 'later#1', name: 'later', scope: 'agent-2' };
  const denied = { ...fire(1), handlers: [...fire().handlers, background] };
  const records = [
    { ...denied, ...at(0) },
    { ...fire(2, { fire_id: 'between', tool_use_id: 'toolu_2' }), ...at(60_000) },
    { ...fire(3, { fire_id: 'ran', event: 'PostToolUse' }), ...at(120_000) },
    { ...fire(4, { fire_id: 'more', tool_use_id: 'toolu_3' }), handlers: [other], ...at(120_000) },
    { ...stamped(5), ...at(120_000), fire_id: 'fire-1', handler_id: 'audit#1', failure },
  ];
  writeFileSync(join(folder, 'r.ndjson'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const made = await cli(['page', 'r.ndjson', '--out', 'r.html'], { cwd: folder });
  expect(made.code).toBe(0);
  const page = await browser.newPage();
  await page.goto(`file://${join(folder, 'r.html')}`);
  const explained = async (): Promise<string> => page.locator('.explanation').innerText();
  await page.locator('[role=option]').first().click();
  await page.getByText('It ran, although it was denied').waitFor();
  await page.getByText('later (').waitFor();
  const [now, list] = [await explained(), page.locator('[role=option]')];
  for (const known of ['The same call', 'no disk', 'later (']) expect(now).toContain(known);
  await page.locator('input[type=range]').fill('30000');
  await page.getByText('No record says whether it ran').waitFor();
  const then = await explained();
  for (const unknown of ['It ran', 'The same call', 'no disk', 'later (']) expect(then).not.toContain(unknown);
  expect(then).toContain('goes on in the background');
  expect(await list.count()).toBe(1);
  await page.close();
});
