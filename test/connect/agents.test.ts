import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TABLES } from '../../src/agents/agents.js';
import { codecOf } from '../../src/agents/make-codec.js';
import type { AgentTable } from '../../src/agents/table.js';
import { readSettings } from '../../src/claude-code/files/settings.js';
import { agentEntries, layoutOf, settingsFile } from '../../src/connect/agent-hooks.js';
import { disconnect, planConnect } from '../../src/connect/connect.js';
import { Journal } from '../../src/connect/journal.js';
import { handlersIn } from '../../src/connect/settings-text.js';
import { readForeign } from '../../src/foreign/parse.js';
import { thinCommand } from '../../src/server/client/thin.js';
import { generated } from '../seed.js';
import { filesOf } from './texts.js';

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'connect-agents-')));
  journal = new Journal(join(folder, 'state', 'connections.json'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const agents = TABLES.map((table) => [table.name, table] as const);
const file = (): string => join(folder, 'hooks.json');
const entriesOf = (table: AgentTable) =>
  agentEntries(table, (event, timeout) => thinCommand(event, { as: table.name, timeout }));
async function connect(table: AgentTable, to = file()) {
  const { name: agent } = table;
  const plan = await planConnect({ agent, file: to, entries: entriesOf(table), layout: layoutOf(table) }, journal);
  plan.write();
  return plan;
}
const undo = () => disconnect(file(), journal);
const text = (): string => readFileSync(file(), 'utf8');
const read = (json: string) => parse(json.replace(/^\uFEFF/, '')) as { hooks?: Record<string, unknown[]> };

/** What somebody does to a file in their editor; it can be done to the file as it was, too. */
const EDITS: readonly ((before: string) => string)[] = [
  (before) => before.replace('MINE', 'YOURS'),
  (before) => before.replace('MINE', ''),
  (before) => before.replace('{', '{ "description": "new", '),
  (before) => `${before}\n\n`,
  (before) => before.replace('"MINE"', '"MINE" ').replace('./guard.sh', './other.sh'),
  (before) =>
    before
      .replace('MINE', 'a')
      .replace('{', '{\n\n')
      .replace(/\}(\s*)$/, '\n}$1 '),
];

describe.each(agents)('a file of %s', (_, table) => {
  const RUNS = { numRuns: generated(8) };

  test('that is connected has one entry of ours behind what it had, once, and is restored byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(filesOf(table), async (before) => {
        writeFileSync(file(), before);
        await connect(table);
        const connected = text();
        const { hooks = {}, ...others } = read(before);
        const expected: Record<string, unknown[]> = { ...hooks };
        for (const [event, entry] of Object.entries(entriesOf(table)))
          expected[event] = [...(hooks[event] ?? []), entry];
        expect(read(connected)).toEqual({ ...others, hooks: expected });
        // Not a byte of what was there is another one.
        const added = journal.list()[0]?.added ?? [];
        const rest = added
          .toReversed()
          .reduce((left, [at, length]) => left.slice(0, at) + left.slice(at + length), connected);
        expect(rest).toBe(before);
        expect((await connect(table)).difference).toBe('');
        expect(text()).toBe(connected);
        expect((await undo())?.how).toBe('restored');
        expect(text()).toBe(before);
      }),
      RUNS,
    );
  });

  test('that somebody has edited since is what it would be with that edit alone', async () => {
    await fc.assert(
      fc.asyncProperty(filesOf(table), fc.constantFrom(...EDITS), async (before, edit) => {
        writeFileSync(file(), before);
        await connect(table);
        writeFileSync(file(), edit(text()));
        expect((await undo())?.how).toBe('taken_out');
        expect(text()).toBe(edit(before));
      }),
      RUNS,
    );
  });

  test('that was not there, or was empty, has every event that it knows, in its units, and is gone or empty again', async () => {
    for (const before of [undefined, '', '\n', '{}']) {
      const to = join(folder, 'made', 'hooks.json');
      if (before !== undefined) {
        mkdirSync(dirname(to), { recursive: true });
        writeFileSync(to, before);
      }
      await connect(table, to);
      const { hooks, ...others } = JSON.parse(readFileSync(to, 'utf8')) as { hooks: Record<string, unknown[]> };
      expect(others).toEqual(table.files.version === undefined ? {} : { version: table.files.version });
      const { key, unit } = table.files.timeout;
      for (const [event, list] of Object.entries(hooks)) {
        const [handler] = handlersIn(list[0]);
        const { timeout } = table.events.find(({ name }) => name === event) ?? {};
        const seconds = timeout?.most ?? timeout?.usual ?? 600;
        // The agent gives it no less.
        expect(codecOf(table).timeout(event, seconds)).toBe(seconds);
        expect([event, handler?.[key]]).toEqual([event, unit === 'ms' ? seconds * 1000 : seconds]);
        expect(handler?.['command']).toContain(` --as ${table.name} ${event} --timeout ${seconds}`);
      }
      expect((await disconnect(to, journal))?.how).toBe(before === undefined ? 'removed' : 'restored');
      expect(before === undefined ? existsSync(dirname(to)) : readFileSync(to, 'utf8')).toBe(before ?? false);
      rmSync(dirname(to), { recursive: true, force: true });
    }
  });
});

test.each(agents)(
  'what is written for %s is no hook of ours: it would ask itself without end',
  async (agent, table) => {
    const { files } = table;
    const events = Object.keys(entriesOf(table));
    const mine = { type: 'command', command: 'sh /opt/dist/hookscope-hook.sh --node x' };
    const own = files.shape === 'groups' ? { hooks: [mine] } : mine;
    const hooks = Object.fromEntries(Object.entries(entriesOf(table)).map(([event, entry]) => [event, [entry, own]]));
    const json = JSON.stringify({ ...(files.version === undefined ? {} : { version: files.version }), hooks });
    const found =
      agent === 'claude-code'
        ? Object.values((await readSettings(json, file(), { events, onInvalid: 'skip' })).hooks).flatMap((groups) =>
            (groups ?? []).flatMap((group) => group.hooks),
          )
        : (await readForeign(table, json, file())).hooks.map(({ handler }) => handler);
    expect(found.map((handler) => (handler as { command?: string }).command)).toEqual(events.map(() => mine.command));
  },
);

test('every event of an agent is connected once, under the name whose payload and words are known best', () => {
  const names = (agent: string) => {
    const table = TABLES.find(({ name }) => name === agent) as AgentTable;
    return Object.keys(entriesOf(table));
  };
  for (const [agent, table] of agents) {
    const ours = new Set(table.events.filter(({ name }) => names(agent).includes(name)).map((row) => row.ours));
    const all = new Set(table.events.map((row) => row.ours));
    all.delete('WorktreeCreate');
    expect(ours).toEqual(all);
    expect(new Set(names(agent)).size).toBe(names(agent).length);
  }
  expect(names('copilot')).toContain('preToolUse');
  expect(names('copilot').filter((name) => /^[A-Z]/.test(name))).toEqual([]);
  expect(names('gemini').filter((name) => name === 'AfterTool')).toHaveLength(1);
});

test('Cursor is told that a gate which fails is closed, and Gemini the name of what runs', () => {
  const handlers = (agent: string) => {
    const entries = entriesOf(TABLES.find(({ name }) => name === agent) as AgentTable);
    return Object.entries(entries).map(([event, entry]) => [event, handlersIn(entry)[0]] as const);
  };
  expect(
    handlers('cursor')
      .filter(([, handler]) => handler?.['failClosed'] === true)
      .map(([event]) => event),
  ).toEqual([
    'beforeSubmitPrompt',
    'preToolUse',
    'beforeShellExecution',
    'beforeMCPExecution',
    'beforeReadFile',
    'beforeTabFileRead',
  ]);
  expect(new Set(handlers('gemini').map(([, handler]) => handler?.['name']))).toEqual(new Set(['hookscope']));
});

describe('the file that an agent reads', () => {
  const placed = (agent: string, whose: 'user' | 'project', env: NodeJS.ProcessEnv = {}, at = folder) =>
    settingsFile(TABLES.find(({ name }) => name === agent) as AgentTable, whose, at, env);

  test.each([
    ['claude-code', '.claude/settings.json', 'CLAUDE_CONFIG_DIR', 'settings.json', '.claude/settings.local.json'],
    ['codex', '.codex/hooks.json', 'CODEX_HOME', 'hooks.json', '.codex/hooks.json'],
    [
      'copilot',
      '.copilot/hooks/hookscope.json',
      'COPILOT_HOME',
      'hooks/hookscope.json',
      '.github/hooks/hookscope.json',
    ],
    ['gemini', '.gemini/settings.json', 'GEMINI_CLI_HOME', '.gemini/settings.json', '.gemini/settings.json'],
    ['cursor', '.cursor/hooks.json', 'CURSOR_HOME', undefined, '.cursor/hooks.json'],
  ])('of %s', (agent, home, variable, given, project) => {
    expect(placed(agent, 'user')).toBe(join(homedir(), home));
    expect(placed(agent, 'user', { [variable]: 'relative' })).toBe(join(homedir(), home));
    expect(placed(agent, 'user', { [variable]: '/elsewhere' })).toBe(
      given === undefined ? join(homedir(), home) : join('/elsewhere', given),
    );
    expect(placed(agent, 'project')).toBe(join(folder, project));
  });

  test('of Copilot lies at the root of the repository', () => {
    mkdirSync(join(folder, '.git'));
    const inner = join(folder, 'a', 'b');
    mkdirSync(inner, { recursive: true });
    expect(placed('copilot', 'project', {}, inner)).toBe(join(folder, '.github/hooks/hookscope.json'));
    expect(placed('gemini', 'project', {}, inner)).toBe(join(inner, '.gemini/settings.json'));
  });
});

test.each([
  [
    'codex',
    '{ "$schema": "x", "hooks": {} }',
    /line 1, column 3: Codex CLI reads only "hooks" and "description".*"\$schema" voids it/,
  ],
  ['codex', '{ "version": 1 }', /"version" voids it/],
  [
    'codex',
    '{\n  // mine\n  "hooks": {} }',
    /line 2, column 3: Codex CLI does not accept comments here, and reads none of this file/,
  ],
  ['codex', '\uFEFF{ "hooks": {} }', /does not accept a byte order mark/],
  ['codex', '{ "hooks": {}, }', /line 1, column 16: Codex CLI does not accept a trailing comma/],
  ['copilot', '{ "version": 1, /* mine */ "hooks": {} }', /GitHub Copilot CLI does not accept comments/],
  ['copilot', '{ "version": 2, "hooks": {} }', /line 1, column 3: GitHub Copilot CLI reads files of "version": 1/],
  ['gemini', '\uFEFF{ "hooks": {} }', /Gemini CLI does not accept a byte order mark/],
  ['gemini', '{ "hooks": {}, }', /does not accept a trailing comma/],
  ['cursor', '{ "version": "1" }', /Cursor reads files of "version": 1/],
  ['cursor', '{ "hooks": { "stop": {} } }', /"hooks.stop" is expected to be a list/],
])('a file that %s does not read is not written into: %s', async (agent, before, message) => {
  writeFileSync(file(), before);
  await expect(connect(TABLES.find(({ name }) => name === agent) as AgentTable)).rejects.toThrow(message);
  expect(text()).toBe(before);
  expect(journal.list()).toEqual([]);
});

test('what has been made void since can still be taken out', async () => {
  const codex = TABLES.find(({ name }) => name === 'codex') as AgentTable;
  writeFileSync(file(), '{}');
  await connect(codex);
  writeFileSync(file(), text().replace('{', '{\n  // mine\n  "$schema": "x",'));
  await expect(connect(codex)).rejects.toThrow(/does not accept comments/);
  expect((await undo())?.how).toBe('taken_out');
  expect(read(text())).toEqual({ $schema: 'x' });
  expect(text()).toContain('// mine');
});

test('Cursor is connected to every event that can stop a call, and to one after it', () => {
  const [, table] = agents.find(([name]) => name === 'cursor') as (typeof agents)[number];
  const about = (ours: string) => table.events.filter((row) => row.ours === ours).map(({ name }) => name);
  const written = Object.keys(entriesOf(table));
  expect(about('PreToolUse').filter((name) => !written.includes(name))).toEqual([]);
  expect(about('PostToolUse').filter((name) => written.includes(name))).toEqual(['postToolUse']);
  // Nothing could be said on the others.
  const others = table.events.filter(({ name }) => !written.includes(name));
  expect(others.filter(({ says }) => Object.keys(says).length > 0)).toEqual([]);
});
