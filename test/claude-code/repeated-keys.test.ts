import { afterEach, describe, expect, test } from 'vitest';
import type { ClaudeProblem } from '../../src/claude-code/files/findings.js';
import { closeAll, createProject, type Project } from './project.js';

afterEach(closeAll);

const guard = (command: string): string => `[{ "hooks": [{ "type": "command", "command": "${command}" }] }]`;
const twice = (message: string): string => `stands twice in one object: the last one counts${message}`;
const LOST = ', and no hook of the one before it runs';

/** A text in which a key stands twice, which is the last thing on its line. */
const TEXTS: [key: string, text: string, line: number, message: string][] = [
  [
    'hooks.PreToolUse',
    `{ "hooks": {\n "PreToolUse": ${guard('exit 2')},\n "PreToolUse": ${guard('true')} } }`,
    3,
    twice(LOST),
  ],
  [
    'hooks',
    `{ "hooks": { "PreToolUse": ${guard('exit 2')} },\n "hooks": { "PreToolUse": ${guard('true')} } }`,
    2,
    twice(LOST),
  ],
  [
    'hooks.PreToolUse[0].hooks',
    `{ "hooks": { "PreToolUse": [{ "hooks": [],\n\n "hooks": [{ "type": "command", "command": "true" }] }] } }`,
    3,
    twice(LOST),
  ],
  [
    'hooks.PreToolUse[0].matcher',
    `{ "hooks": { "PreToolUse": [{ "matcher": "Bash",\n "matcher": "Bas\\u0068", "hooks": [{ "type": "command", "command": "true" }] }] } }`,
    2,
    twice(''),
  ],
];

const HOOKS_FILES: [place: string, file: string][] = [
  ['user', 'home/.claude/settings.json'],
  ['project', 'project/.claude/settings.json'],
  ['local', 'project/.claude/settings.local.json'],
  ['managed', 'managed/managed-settings.json'],
  ['managed', 'managed/managed-settings.d/10-more.json'],
  ['plugin', 'plugin/hooks/hooks.json'],
  ['plugin', 'plugin/.claude-plugin/plugin.json'],
];

/** What is said of a project with this one file, and which of its hooks would run before a Bash call. */
async function loaded(file: string, text: string): Promise<{ problems: readonly ClaudeProblem[]; ran: string[] }> {
  const project: Project = createProject();
  project.write(file, text);
  const plugins = file.startsWith('plugin') ? [{ dir: `${project.path}/plugin`, trusted: true }] : [];
  const load = await project.load({ trust: 'all', plugins });
  const { hooks } = load.host.explain('PreToolUse', project.call);
  return { problems: load.problems, ran: hooks.flatMap(({ runs, name }) => (runs ? [name] : [])) };
}

describe.each(HOOKS_FILES)('%s: %s', (_, file) => {
  test.each(TEXTS)('%s twice is said with its place, and the last one counts', async (where, text, line, message) => {
    const { problems, ran } = await loaded(file, text);
    expect(problems).toEqual([
      { level: 'warning', rule: 'duplicate-key', file: expect.stringContaining(file), where, line, column: 2, message },
    ]);
    expect(ran).toEqual([expect.stringContaining('true')]);
  });

  test('keys that people write remarks with may stand twice', async () => {
    const text = `{ "//": 1, "//": 2, "hooks": { "_Stop": [], "// a": 1, "// a": 2, "PreToolUse": ${guard('true')} } }`;
    expect((await loaded(file, text)).problems.filter(({ rule }) => rule === 'duplicate-key')).toEqual([]);
  });
});

test.each(['disableAllHooks', 'allowedHttpHookUrls', 'enabledPlugins', 'pluginConfigs', 'httpHookAllowedEnvVars'])(
  'a setting that stands twice, %s, is said too; one that says nothing of hooks is not',
  async (key) => {
    const value = key === 'disableAllHooks' ? 'false' : /^(allowed|http)/.test(key) ? '[]' : '{}';
    const text = `{ "env": {}, "env": { "A": "1", "A": "2" },\n "${key}": ${value}, "${key}": ${value} }`;
    const { problems } = await loaded('project/.claude/settings.json', text);
    expect(problems.map(({ where, line }) => [where, line])).toEqual([[key, 2]]);
  },
);

test('a manifest that names its hooks file twice says so, and reads the last one', async () => {
  const { problems } = await loaded(
    'plugin/.claude-plugin/plugin.json',
    '{ "name": "one", "name": "p",\n "hooks": "./a.json",\n "hooks": [],\n "userConfig": { "a": {}, "a": {} } }',
  );
  expect(problems.map(({ where, line, rule }) => [where, line, rule])).toEqual([
    ['name', 1, 'duplicate-key'],
    ['hooks', 3, 'duplicate-key'],
    ['userConfig.a', 4, 'duplicate-key'],
  ]);
});

describe('frontmatter', () => {
  const event = (command: string): string =>
    `  PreToolUse:\n    - hooks:\n        - type: command\n          command: ${command}\n`;
  test.each([
    ['hooks.PreToolUse', `hooks:\n${event('exit 2')}${event('echo true')}`, 8, LOST],
    ['hooks', `hooks:\n${event('exit 2')}hooks:\n${event('echo true')}`, 8, LOST],
    ['description', `description: x\nhooks:\n${event('echo true')}description: y\n`, 9, ''],
    ['hooks.PreToolUse[0].hooks[0].command', `hooks:\n${event('exit 2\n          command: "true"')}`, 8, ''],
    ['hooks', `argument-hint: [a] [b]\nhooks:\n${event('exit 2')}hooks:\n${event('echo true')}`, 9, LOST],
  ])('%s twice is said with its place, and the last one counts', async (where, yaml, line, lost) => {
    const project = createProject();
    project.write('project/.claude/agents/reader.md', `---\nname: reader\n${yaml}---\n`);
    const { problems, sources } = await project.load({ trust: 'all' });
    expect(problems.filter(({ rule }) => rule !== 'not-yaml')).toMatchObject([
      { level: 'warning', rule: 'duplicate-key', where, line, message: twice(lost) },
    ]);
    expect(sources).toMatchObject([{ kind: 'agent', name: 'reader', status: 'loaded', hooks: 1 }]);
    expect(JSON.stringify(problems)).not.toContain('unique');
  });

  test('what is wrong in the last one is said at its line', async () => {
    const project = createProject();
    const [file, group] = ['project/.claude/agents/reader.md', '  Stop:\n    - hooks:\n        - type: command\n'];
    project.write(file, `---\nhooks:\n${group}          command: "x"\n${group}          command: 1\n---\n`);
    project.write('project/.claude/settings.json', '{ "hooks": {\n "Stop": [],\n "Stop": 1 } }');
    const { problems } = await project.load();
    expect(problems.map(({ rule, line }) => [rule, line])).toEqual([
      ['wrong-value', 3],
      ['wrong-value', 10],
      ['duplicate-key', 3],
      ['duplicate-key', 7],
    ]);
  });
});
