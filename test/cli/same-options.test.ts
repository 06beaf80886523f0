import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { fire } from '../emit/samples.js';
import { SAMPLES } from '../store/records.js';
import { cli } from './cli.js';

let root = '';
const STORE = "the agent's records.ndjson";
/** As a shell reads it. */
const OPTION = String.raw`--store 'the agent'\''s records.ndjson'`;

const base = fire(1) as FireRecord;
const [handler] = base.handlers;
const skipped = (name: string, reason: string) => ({ ...handler, id: name, name, status: 'skipped', reason });
const RECORDS = [
  { ...base, fire_id: 'fire-1', handlers: [skipped('a', 'matcher'), skipped('b', 'matcher'), skipped('c', 'shadow')] },
  { ...base, fire_id: 'fire-2', seq: 2, handlers: [], unanswered: 'the server could not be asked' },
  { ...(SAMPLES.find(({ type }) => type === 'hook_alarm') as HookRecord), seq: 3 },
].map((record) => ({ ...record, time: new Date().toISOString() }));

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'hookscope-same-options-'));
  mkdirSync(join(root, 'home'));
  writeFileSync(join(root, STORE), RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const env = () => ({
  HOME: join(root, 'home'),
  XDG_STATE_HOME: join(root, 'state'),
  XDG_RUNTIME_DIR: join(root, 'run'),
  XDG_CONFIG_HOME: join(root, 'config'),
});

/** The commands of hookscope in a text that read records, each up to the end of what it was given as a place. */
async function advised(...args: string[]): Promise<{ commands: string[]; text: string }> {
  const { stdout, stderr } = await cli(args, { cwd: root, env: env() });
  const text = `${stdout}${stderr}`;
  return {
    commands: text.match(/hookscope (?:why|history|stats|watch|doctor)\b.*?(?=[.;,)]? |[.;)]?$)/gm) ?? [],
    text,
  };
}

test.each([
  [
    ['why', 'fire-1'],
    [`hookscope why fire-1 --hook NAME ${OPTION}`, `hookscope history --shadow ${OPTION}`],
  ],
  [['why', 'fire-2'], [`hookscope doctor ${OPTION}`]],
  [['why', 'nothing'], [`hookscope history ${OPTION}`]],
  [['stats', '--event', 'PreToolUse'], [`hookscope history --unanswered --event PreToolUse ${OPTION}`]],
  [['doctor'], [`hookscope why fire-2 ${OPTION}`, `hookscope history --alarms ${OPTION}`]],
])('what %j gives as advice reads the same records', async (args, commands) => {
  const { commands: found, text } = await advised(...args, '--store', STORE);
  for (const command of commands) expect(text).toContain(command);
  expect(text.split(/hookscope (?=why|history|stats|watch|doctor)/).slice(1)).toEqual(
    found.map(() => expect.stringContaining(OPTION)),
  );
});

test('what stats gives as advice is about the same time and agent', async () => {
  const since = '2020-01-31T09:15:00.000Z';
  const { text } = await advised('stats', '--store', STORE, '--since', since, '--until', '2090-01-31T09:15Z');
  expect(text).toContain(`hookscope history --unanswered --since ${since} --until 2090-01-31T09:15:00.000Z ${OPTION})`);
});

test('advice names no records where none were named', async () => {
  mkdirSync(join(root, 'state/hookscope'), { recursive: true });
  writeFileSync(
    join(root, 'state/hookscope/records.ndjson'),
    RECORDS.map((one) => `${JSON.stringify(one)}\n`).join(''),
  );
  for (const args of [['why', 'fire-1'], ['why', 'fire-2'], ['stats'], ['doctor']]) {
    const { commands, text } = await advised(...args);
    expect(commands).not.toEqual([]);
    expect(text).not.toContain('--store');
  }
});

test('doctor sends to check with the files that it looked at', async () => {
  const file = join(root, 'wrong.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`Wrong${i}`, []]))));
  const { text } = await advised('doctor', '--store', STORE, '--hooks', 'wrong.json');
  expect(text).toContain('See hookscope check . --hooks wrong.json.');
});
