import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { optionsOf } from '../../src/cli/command-row.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { cli } from './cli.js';

const SECRET = `sk-ant-api03-${'Ab9_'.repeat(20)}AA`;
/** Of no known form, so that only its place tells. */
const PASSWORD = 'hunter2Secret99xyz';

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
});
afterAll(() => folder.remove());

/** What a command prints for its arguments, on both streams. */
async function shown(args: readonly string[]): Promise<string> {
  const env = { HOME: folder.path, XDG_STATE_HOME: join(folder.path, 'state'), XDG_CONFIG_HOME: folder.path };
  return (await cli(args, { cwd: folder.path, stdin: JSON.stringify(LS), env })).output;
}

function holdsSecret(text: string): boolean {
  return text.includes(SECRET) || text.includes(PASSWORD);
}

const ROWS = COMMANDS.map((row) => {
  const options = optionsOf(row).map(([flags, , value]) => ({
    long: /--[\w-]+/.exec(flags)?.[0] ?? '',
    isFlag: !/[<[]/.test(flags),
    isChecked: typeof value === 'function',
  }));
  return { name: row.usage.split(' ')[0] as string, options };
});
const UNKNOWN = [`--pasword=${PASSWORD}`, `--token=it's ${PASSWORD}'`, `--x=a\n${PASSWORD}`, `-x=${PASSWORD}`];

test.each(ROWS)('hookscope $name does not repeat a secret in an option that it does not take so', async (row) => {
  const { name, options } = row;
  const wrong = [...UNKNOWN, `--bogus=${SECRET}`, `--${SECRET}`];
  for (const { long, isFlag, isChecked } of options) {
    if (isFlag) wrong.push(`${long}=${PASSWORD}`);
    if (isChecked) wrong.push(`${long}=${SECRET}`);
  }
  for (const option of wrong) {
    const output = await shown([name, ...(name === 'hook' ? ['PreToolUse'] : []), option]);
    expect(output, option).toMatch(/^hookscope: /);
    expect([option, holdsSecret(output)]).toEqual([option, false]);
  }
});

const EVENTS = {
  'claude-code': 'PreToolUse',
  codex: 'PreToolUse',
  copilot: 'preToolUse',
  gemini: 'BeforeTool',
  cursor: 'beforeShellExecution',
};

test.each(Object.entries(EVENTS))('the answer to %s and its record hold no secret of an option', async (as, event) => {
  const { options } = ROWS.find(({ name }) => name === 'hook') as (typeof ROWS)[number];
  const valued = options.filter(({ isFlag }) => !isFlag).map(({ long }) => [long, SECRET]);
  for (const option of [...UNKNOWN.map((one) => [one]), [`--bogus=${SECRET}`], [SECRET], ...valued]) {
    const output = await shown(['hook', event, '--as', as, ...option]);
    expect(output.length, option[0]).toBeGreaterThan(10);
    expect([option, holdsSecret(output)]).toEqual([option, false]);
  }
  const state = join(folder.path, 'state');
  const kept = readdirSync(state, { recursive: true, encoding: 'utf8' }).map((file) => join(state, file));
  const files = kept.filter((file) => statSync(file).isFile());
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect([file, holdsSecret(readFileSync(file, 'latin1'))]).toEqual([file, false]);
});

test.each([
  ['history', '--hook'],
  ['stats', '--hook'],
  ['why', 'last', '--store'],
  ['history', '--store'],
  ['page', '--out'],
])('hookscope %s does not say the secret that it was given for %s', async (...args) => {
  await shown(['hook', 'PreToolUse']);
  const output = await shown([...args, SECRET]);
  expect(output.length).toBeGreaterThan(10);
  expect(holdsSecret(output)).toBe(false);
});
