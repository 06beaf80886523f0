import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkHookFiles, type HookReport } from '../../src/check/check.js';
import { createLines } from '../../src/check/files/tree.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-check-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const check = (paths: readonly string[] = ['.'], hooksFiles: readonly string[] = []): Promise<HookReport> =>
  checkHookFiles({ paths, hooksFiles, cwd: folder, home: join(folder, 'home'), managedDir: join(folder, 'managed') });
const hooks = (command = 'echo ok'): string =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
const frontmatter = (command = 'echo ok'): string =>
  `---\nname: x\ndescription: x\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: ${command}\n---\n\nText.\n`;

describe('a folder', () => {
  test('is searched for everything that has hooks, and nothing else', async () => {
    write({
      '.claude/settings.json': hooks(),
      '.claude/settings.local.json': hooks('echo local'),
      '.claude/agents/team/reader.md': frontmatter(),
      '.claude/agents/plain.md': '---\nname: x\nargument-hint: [a] [b]\n---\n',
      '.claude/skills/greet/SKILL.md': frontmatter(),
      '.claude/commands/go.md': frontmatter(),
      'home/.claude/settings.json': hooks(),
      'managed/managed-settings.json': '{}',
      'managed/managed-settings.d/10-more.json': hooks(),
      'plugin/.claude-plugin/plugin.json':
        '{ "name": "p", "hooks": ["./extra/x.json", { "Stop": [{ "hooks": [] }] }] }',
      'plugin/hooks/hooks.json': hooks(),
      'plugin/extra/x.json': hooks(),
      'plugin/agents/a.md': frontmatter(),
      'hookscope.config.json': hooks(),
      'guards.hooks.json': hooks(),
      'src/data/hooks.json': '[{ "name": "react" }]',
      'package.json': '{ "hooks": {} }',
      'node_modules/x/.claude/settings.json': hooks(),
      'README.md': `# Read me\n\n${frontmatter()}`,
    });
    symlinkSync(folder, join(folder, 'loop'));
    symlinkSync('/nowhere/at/all.md', join(folder, 'gone.md'));
    const { files, findings } = await check();
    expect(files.map(({ file, kind }) => `${file}: ${kind}`)).toMatchInlineSnapshot(`
      [
        ".claude/agents/team/reader.md: agent",
        ".claude/commands/go.md: command",
        ".claude/settings.json: project",
        ".claude/settings.local.json: local",
        ".claude/skills/greet/SKILL.md: skill",
        "guards.hooks.json: hooks-file",
        "home/.claude/settings.json: user",
        "hookscope.config.json: config",
        "managed/managed-settings.d/10-more.json: managed",
        "managed/managed-settings.json: managed",
        "plugin/.claude-plugin/plugin.json: manifest",
        "plugin/agents/a.md: agent",
        "plugin/hooks/hooks.json: plugin",
        "plugin/extra/x.json: plugin",
      ]
    `);
    expect(findings).toEqual([]);
  });

  test('without hooks has no files', async () => {
    write({ 'README.md': 'x', 'package.json': '{}' });
    expect(await check()).toEqual({ files: [], findings: [] });
  });
});

describe('a file that is named', () => {
  test.each([
    ['.claude/settings.json', 'project'],
    ['.claude/hooks/hooks.json', 'settings'],
    ['home/.claude/settings.json', 'user'],
    ['plugin/hooks/hooks.json', 'plugin'],
    ['hooks.json', 'hooks-file'],
    ['any-name.json', 'settings'],
  ])('%s is read as %s', async (path, kind) => {
    write({ [path]: hooks() });
    expect((await check([path])).files).toEqual([{ file: path, kind, hooks: 1 }]);
  });

  test('is a hooks file if it is said to be', async () => {
    write({
      'any-name.json':
        '{ "PreToolUse": [{ "matcher": "Edit*", "hooks": [{ "type": "command", "command": "echo ok" }] }] }',
    });
    expect(await check([], ['any-name.json'])).toEqual({
      files: [{ file: 'any-name.json', kind: 'hooks-file', hooks: 1 }],
      findings: [],
    });
    expect((await check(['any-name.json'])).findings).toMatchObject([
      {
        rule: 'other-shape',
        message:
          'If this file is for --hooks: hookscope check --hooks any-name.json. Otherwise it has the event PreToolUse at its top level; expected it under "hooks", { "hooks": { "PreToolUse": [ … ] } }.',
      },
    ]);
  });

  test('of an event that is misspelt at the top of a file it is said that its hooks do not run', async () => {
    const groups = '[{ "hooks": [{ "type": "command", "command": "echo ok" }] }]';
    write({
      'any-name.json': `{ "PreToolUs": ${groups} }`,
      'other.json': '{ "stop": [1], "bundles": [{ "hooks": 1 }] }',
    });
    expect((await check(['any-name.json', 'other.json'])).findings).toMatchObject([
      {
        rule: 'other-shape',
        file: 'any-name.json',
        message: expect.stringContaining('{ "hooks": { "PreToolUse": [ … ] } }'),
      },
    ]);
  });

  test('must be there', async () => {
    await expect(check(['gone'])).rejects.toMatchObject({
      code: 'FILE',
      details: { problem: 'there is no such file or folder' },
    });
  });
});

describe('a place', () => {
  const at = async (path: string, text: string): Promise<string[]> => {
    write({ [path]: text });
    return (await check([path])).findings.map(
      ({ rule, line, column, endColumn, where }) => `${line}:${column}-${endColumn} ${rule} ${where}`,
    );
  };

  test('is that of the key or value in JSON, whatever the line ends are', async () => {
    const text =
      '\uFEFF{\r\n  "hooks": {\r\n    "Stop": [{ "hooks": [{ "type": "command", "command": "echo ok", "timeout": 5000 }] }]\r\n  }\r\n}\r\n';
    expect(await at('.claude/settings.json', text)).toEqual(['3:80-84 milliseconds hooks.Stop[0].hooks[0].timeout']);
  });

  test('is that of the key or value in a frontmatter, behind an anchor too', async () => {
    const text =
      '---\nname: x\nhooks:\n  Stop: &groups\n    - hooks:\n        - type: command\n          command: echo ok\n          timeout: 5000\n  SubagentStop: *groups\n---\n';
    expect(await at('agents/a.md', text)).toEqual(['8:20-24 milliseconds hooks.Stop[0].hooks[0].timeout']);
  });

  test('is the line of the script where the script is wrong', async () => {
    write({
      '.claude/hooks/guard.sh': '#!/bin/sh\n# a guard\nfor x in a; do\n',
      '.claude/settings.json': hooks('sh "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh'),
    });
    const { findings } = await check();
    expect(findings).toMatchObject([
      { rule: 'shell-syntax', file: '.claude/hooks/guard.sh', line: 4, hookFile: '.claude/settings.json' },
    ]);
  });

  test('counts lines and columns from 1', () => {
    const lineOf = createLines('ab\ncd\n\nef');
    expect([0, 2, 3, 6, 7, 9].map(lineOf).map(({ line, column }) => `${line}:${column}`)).toEqual([
      '1:1',
      '1:3',
      '2:1',
      '3:1',
      '4:1',
      '4:3',
    ]);
  });
});

describe('a script that a file of our own names by a relative path', () => {
  const found = ({ findings }: HookReport): string[] =>
    findings.flatMap(({ rule, message }) => (/^script-(?:relative|missing)/.test(rule) ? [`${rule}: ${message}`] : []));
  const bound = (written: string, path: string): string =>
    `script-relative: ${written} is bound to ${path}: from a folder that has none it is not found, and from one that has another the hook fails as untrusted.`;

  test.each(['hooks.json', 'hookscope.config.json'])('is bound to the folder of %s, which is said', async (name) => {
    write({ [`mine/${name}`]: hooks('sh ./hooks/guard.sh'), 'mine/hooks/guard.sh': 'exit 0\n' });
    const said = [bound('./hooks/guard.sh', join('mine', 'hooks', 'guard.sh'))];
    expect(found(await check([`mine/${name}`]))).toEqual(said);
    // Where another one is, it is not the one that runs.
    write({ 'hooks/guard.sh': 'exit 0\n' });
    expect(found(await check([`mine/${name}`]))).toEqual(said);
  });

  test('is not bound where there is none, nor by an absolute path or that of the project', async () => {
    write({ 'mine/hooks.json': hooks('sh ./hooks/guard.sh'), 'hooks/guard.sh': 'exit 0\n' });
    expect(found(await check(['mine/hooks.json']))).toEqual([]);
    write({ 'mine/hooks/guard.sh': 'exit 0\n', 'mine/hooks.json': hooks(`sh ${join(folder, 'mine/hooks/guard.sh')}`) });
    expect(found(await check(['mine/hooks.json']))).toEqual([]);
  });
});

test.each([
  ['rule', { type: 'rule', decision: 'deny' }, 'reason'],
  ['command', { type: 'command' }, 'command'],
  ['http', { type: 'http', url: 1 }, 'url'],
])('a wrong option of a handler is named by its keys: %s', async (_, handler, key) => {
  write({ 'hooks.json': JSON.stringify({ PreToolUse: [{ hooks: [handler] }] }) });
  const report = await check([], ['hooks.json']);
  const findings = report.findings.filter(({ rule }) => rule === 'invalid-hooks');
  expect(findings.map(({ where }) => where)).toEqual([`PreToolUse[0].hooks[0].${key}`]);
});
