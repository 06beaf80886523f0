import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentEntries, tableOf } from '../../src/connect/agent-hooks.js';
import { askCodex, findCodex } from '../../src/connect/codex-trust.js';
import { handlersOf } from '../../src/connect/connect.js';
import { type FakeCodex, writeFakeCodex } from './fake-codex.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'codex-trust-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entries = agentEntries(tableOf('codex'), (event) => `hook ${event}`);
function ask(fake: FakeCodex, patience?: number) {
  const file = join(folder, 'hooks.json');
  writeFileSync(file, JSON.stringify({ hooks: Object.fromEntries(Object.entries(entries).map(([k, v]) => [k, [v]])) }));
  const program = writeFakeCodex(join(folder, 'codex'), file, fake);
  const handlers = handlersOf(entries);
  return askCodex({ program, file, handlers, cwd: folder, ...(patience === undefined ? {} : { patience }) });
}

test('Codex is asked of each of our hooks whether it trusts it', async () => {
  const trust = {
    preToolUse: 'trusted',
    stop: 'modified',
    sessionEnd: 'managed',
    interrupt: 'trusted',
    '*': 'untrusted',
  };
  const { hooks } = await ask({ trust, off: ['interrupt'], elsewhere: 'trusted', instead: 'noise' });
  expect(Object.fromEntries(hooks.map(({ event, trust }) => [event, trust]))).toEqual({
    ...Object.fromEntries(Object.keys(entries).map((event) => [event, 'untrusted'])),
    PreToolUse: 'trusted',
    Stop: 'modified',
    SessionEnd: 'managed',
    Interrupt: 'off',
  });
});

test('what it does not list it does not know, and what it says of this folder is told', async () => {
  const { hooks, warnings } = await ask({ warnings: ['install bubblewrap', `trust\n  ${folder} first\n`] });
  expect(new Set(hooks.map(({ trust }) => trust))).toEqual(new Set(['unlisted']));
  expect(warnings).toEqual([`trust ${folder} first`]);
});

test.each([
  ['silence', /did not answer within 0.5 s/, 0.5],
  ['end', /ended with 3 before it answered: there is no such folder/, undefined],
  ['error', /no such method/, undefined],
  ['other form', /has another form/, undefined],
] as const)('%s of it is no answer', async (instead, message, patience) => {
  await expect(ask({ instead }, patience)).rejects.toThrow(message);
});

test('a program that is not there is an answer too', async () => {
  const program = join(folder, 'no-codex');
  await expect(askCodex({ program, file: 'x', handlers: [], cwd: folder })).rejects.toThrow(/ENOENT/);
});

test('it is found on the PATH, but not in a folder that is not absolute', () => {
  const program = writeFakeCodex(join(folder, 'codex'), 'x', {});
  expect(findCodex({ PATH: `.:/no/such:${folder}` })).toBe(program);
  expect(findCodex({ PATH: '.' })).toBeUndefined();
  expect(findCodex({})).toBeUndefined();
});
