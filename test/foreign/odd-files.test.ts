import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TABLES } from '../../src/agents/agents.js';
import { agentEvents } from '../../src/agents/own-events.js';
import type { AgentTable } from '../../src/agents/table.js';
import { checkSources, type HookFinding } from '../../src/check/check.js';
import { readSource } from '../../src/check/files/source-file.js';
import { createHost } from '../../src/create-host.js';
import { loadAgentHooks } from '../../src/foreign/load.js';
import { readForeign } from '../../src/foreign/parse.js';

// Files of other agents that are not quite as they should be: what is loaded of them, what is said, and what check says.

const FOREIGN = TABLES.filter(({ runs }) => runs !== undefined).map((table) => [table.name, table] as const);
const machine = { cwd: '/project', home: '/nobody', path: '', managed: '/nowhere' };

async function check(agent: string, file: string, text: string): Promise<readonly HookFinding[]> {
  const source = readSource(file, text, { kind: 'agent-hooks', project: '/project', plugin: undefined, agent });
  return (await checkSources(source ? [source] : [], machine)).findings;
}

const PATH = '/project/hooks.json';
const eventOf = ({ events }: AgentTable): string => events.find(({ ours }) => ours === 'PreToolUse')?.name as string;
const handler = (more: object = {}): object => ({ type: 'command', command: 'exit 0', ...more });
const entry = ({ files }: AgentTable, hook: unknown = handler(), more: object = {}): object =>
  files.shape === 'groups' ? { ...more, hooks: [hook] } : { ...(hook as object), ...more };
const fileOf = (table: AgentTable, hooks: unknown, more: object = {}): string =>
  JSON.stringify(
    { ...(table.files.version === undefined ? {} : { version: table.files.version }), ...more, hooks },
    null,
    1,
  );
const plain = (table: AgentTable): string => fileOf(table, { [eventOf(table)]: [entry(table)] });

describe.each(FOREIGN)('%s: what is not plain JSON counts as this agent reads it', (name, table) => {
  const { reads } = table.connect;
  test.each([
    ['nothing', (text: string) => text, true],
    ['comments', (text: string) => `// a "quoted \n${text.replace('[', '/* : */ [')}`, reads?.includes('comments')],
    ['commas', (text: string) => text.replace(/\}$/, ',}'), reads?.includes('commas')],
    // Of an agent that nobody here has run it is not known.
    ['mark', (text: string) => `\uFEFF${text}`, reads === undefined || reads.includes('mark')],
  ])('%s', async (_, change, isRead = false) => {
    const text = change(plain(table));
    const { hooks, dropped, problems } = await readForeign(table, text, PATH);
    expect([hooks.length, dropped === undefined, problems.length]).toEqual(isRead ? [1, true, 0] : [0, false, 1]);
    const findings = await check(name, PATH, text);
    expect(findings.map(({ rule, line }) => [rule, line])).toEqual(isRead ? [] : [['unreadable', problems[0]?.line]]);
  });
});

test('what stands in a comment is at no other line for it', async () => {
  const gemini = FOREIGN.find(([name]) => name === 'gemini')?.[1] as AgentTable;
  const text = '{ // one\n/* two\n three */ "hooks": { "BeforeTool": [{ "hooks": [\n{ "type": 5 }] }] } }';
  expect((await readForeign(gemini, text, PATH)).problems).toMatchObject([{ line: 4, column: 3 }]);
});

/** One thing that is wrong, in the file of any agent. */
const WRONG: readonly (readonly [string, (table: AgentTable) => string | undefined])[] = [
  ['no object', () => '[]'],
  ['no hooks', (table) => JSON.stringify(table.files.version === undefined ? {} : { version: 1 })],
  ['hooks that are a list', (table) => fileOf(table, [])],
  ['an event that is an object', (table) => fileOf(table, { [eventOf(table)]: {} })],
  ['an entry that is a text', (table) => fileOf(table, { [eventOf(table)]: ['x'] })],
  [
    'a handler that is a text',
    (table) => (table.files.shape === 'groups' ? fileOf(table, { [eventOf(table)]: [{ hooks: ['x'] }] }) : undefined),
  ],
  [
    'the shape of the others',
    (table) =>
      fileOf(table, { [eventOf(table)]: [table.files.shape === 'groups' ? handler() : { hooks: [handler()] }] }),
  ],
  [
    'a matcher that is a number',
    (table) => fileOf(table, { [eventOf(table)]: [entry(table, handler(), { matcher: 5 })] }),
  ],
  ['a type that is a number', (table) => fileOf(table, { [eventOf(table)]: [entry(table, handler({ type: 5 }))] })],
  ...['"5"', '0', '-1', 'true'].map(
    (value) =>
      [
        `the timeout ${value}`,
        (table: AgentTable) =>
          fileOf(table, {
            [eventOf(table)]: [entry(table, handler({ [table.files.timeout.key]: JSON.parse(value) as unknown }))],
          }),
      ] as const,
  ),
  [
    'another name of the timeout',
    (table) => fileOf(table, { [eventOf(table)]: [entry(table, handler({ timeout: '5' }))] }),
  ],
  ...['"true"', '1', 'null'].map((text) => {
    const value = JSON.parse(text) as unknown;
    const wrong = (table: AgentTable) => {
      const more = Object.fromEntries((table.files.flags ?? []).map((flag) => [flag, value]));
      return fileOf(table, { [eventOf(table)]: [entry(table, handler(more), more)] });
    };
    return [`flags that are ${text}`, (table: AgentTable) => (table.files.flags ? wrong(table) : undefined)] as const;
  }),
  ['another version', (table) => (table.files.version === undefined ? undefined : fileOf(table, {}, { version: 2 }))],
  ['a strange key', (table) => (table.files.root.others === 'void' ? fileOf(table, {}, { $schema: 'x' }) : undefined)],
];

const wrongFiles = FOREIGN.flatMap(([name, table]) =>
  WRONG.flatMap(([what, make]) => {
    const text = make(table);
    return text === undefined ? [] : [{ name, table, what, text }];
  }),
);

test.each(wrongFiles)(
  '$name: $what is an error for who loads it, and check finds it there',
  async ({ name, table, text }) => {
    const { problems } = await readForeign(table, text, PATH);
    const errors = problems.filter(({ level }) => level === 'error');
    expect(errors.length).toBeGreaterThan(0);
    const found = (await check(name, PATH, text)).filter(({ level }) => level === 'error');
    for (const { where, line } of errors) expect(found).toContainEqual(expect.objectContaining({ where, line }));
  },
);

describe.each(FOREIGN)('%s: a key that stands twice', (name, table) => {
  const event = eventOf(table);
  const guard = JSON.stringify(entry(table));
  const version = table.files.version === undefined ? '' : '"version": 1,';
  const matcher = '"matcher": "a", "matcher":\n"b"';
  const hook = '"type": "command", "command": "exit 0"';
  test.each([
    ['hooks', `{${version} "hooks": { "${event}": [${guard}] },\n"hooks": { "${event}": [] } }`, 'hooks', 0],
    [event, `{${version} "hooks": { "${event}": [${guard}],\n"${event}": [] } }`, `hooks.${event}`, 0],
    [
      'command',
      `{${version} "hooks": { "${event}": [${guard.replace('"command":', '"command": "a",\n"command":')}] } }`,
      `hooks.${event}[0]${table.files.shape === 'groups' ? '.hooks[0]' : ''}.command`,
      1,
    ],
    [
      'matcher',
      `{${version} "hooks": { "${event}": [{${matcher.replace('\n', '').replace('"matcher":"b"', '\n"matcher": "b"')}, ${table.files.shape === 'groups' ? `"hooks": [{${hook}}]` : hook}}] } }`,
      `hooks.${event}[0].matcher`,
      1,
    ],
  ])('%s: the last counts, and both are told by file, line and key', async (_, text, where, count) => {
    const { hooks, problems, dropped } = await readForeign(table, text, PATH);
    expect([hooks.length, dropped]).toEqual([count, undefined]);
    expect(problems).toEqual([
      {
        level: 'error',
        file: PATH,
        where,
        line: 2,
        column: 1,
        message: 'appears here a second time; what the first one holds does not count',
      },
    ]);
    expect((await check(name, PATH, text)).filter(({ rule }) => rule === 'duplicate-key')).toMatchObject([
      { where, line: 2 },
    ]);
  });

  test('where it switches hooks off is told too', async () => {
    const text = `{${version} "hooks": { "${event}": [${guard}] }, "hooksConfig": { "enabled": true,\n"enabled": false } }`;
    const twice = { where: 'hooksConfig.enabled', line: 2 };
    expect((await readForeign(table, text, '/project/settings.json')).problems).toMatchObject([twice]);
    expect(await check(name, '/project/settings.json', text)).toMatchObject([{ rule: 'duplicate-key', ...twice }]);
  });

  test('where it is a remark is not told', async () => {
    const text = `{${version} "hooks": { "//": "a", "//": "b", "_x": 1, "_x": 2, "${event}": [${guard}] }}`;
    expect((await readForeign(table, text, PATH)).problems).toEqual([]);
    expect(await check(name, PATH, text)).toEqual([]);
  });
});

describe('what is said once hooks are loaded', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookscope-odd-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const load = async (agent: string, text: string, events = agentEvents()) => {
    const file = join(folder, 'settings.json');
    writeFileSync(file, text);
    const host = createHost({ logger: () => undefined, events });
    const { problems } = await loadAgentHooks({ host, agent, file, projectDir: folder });
    const hooks = host.describe().children.flatMap((scope) => scope.hooks);
    await host.close();
    return { problems, hooks };
  };

  test.each([
    [
      'codex',
      '{ "hooks": { "PreToolUse": [\n{ "matcher": "(a+)+$", "hooks": [\n{ "type": "command", "command": "x" }] }] } }',
      3,
    ],
    ['copilot', '{ "version": 1, "hooks": { "sessionStart": [\n{ "type": "prompt", "prompt": "x" }] } }', 2],
    ['gemini', '{ "hooks": { "BeforeModel": [{ "hooks": [\n{ "type": "command", "command": "x" }] }] } }', 2],
    ['cursor', '{ "version": 1, "hooks": { "preToolUse": [\n{ "type": "prompt" }] } }', 2],
  ])('of a hook in a file of %s has its line and column', async (agent, text, line) => {
    const { problems } = await load(agent, text, {});
    expect(problems).toMatchObject([{ level: 'warning', line, column: 1 }]);
  });

  test("of Cursor's failClosed: what is neither true nor false is an error, and taken for true", async () => {
    const cursor = FOREIGN.find(([name]) => name === 'cursor')?.[1] as AgentTable;
    const policy = async (failClosed: unknown) => {
      const { problems, hooks } = await load('cursor', fileOf(cursor, { preToolUse: [handler({ failClosed })] }));
      return [hooks[0]?.onFailure, problems.map(({ level, where }) => `${level} ${where}`)];
    };
    const told = ['error hooks.preToolUse[0].failClosed'];
    expect(await policy(true)).toEqual(['block', []]);
    for (const value of ['true', 'yes', 'false', 1, null]) expect(await policy(value)).toEqual(['block', told]);
    for (const value of [false, undefined]) expect((await policy(value))[0]).not.toBe('block');
  });
});
