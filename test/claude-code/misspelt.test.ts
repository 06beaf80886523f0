import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { readAgentFile } from '../../src/claude-code/files/agent-file.js';
import { readPluginDir } from '../../src/claude-code/files/plugin-dir.js';
import { readSettings } from '../../src/claude-code/files/settings.js';
import { CLAUDE_EVENTS } from '../../src/events/catalogue.js';
import { checkConfig } from '../../src/plugins/config.js';
import { loadHooksFile } from '../../src/plugins/hooks-file.js';

const OPTIONS = { events: CLAUDE_EVENTS, onInvalid: 'drop' } as const;
const HOOKS = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './guard.sh' }] }] };
const FRONTMATTER = (key: string): string => `---
name: a
${key}:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./guard.sh
---
`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-misspelt-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(path: string, content: unknown): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

/** What loading a file says. */
const LOADED: Readonly<
  Record<string, { path: string; content: (key: string) => unknown; load(file: string): unknown }>
> = {
  'a hooks file': {
    path: 'a.hooks.json',
    content: (key) => ({ [key]: HOOKS }),
    load: (file) => loadHooksFile(file),
  },
  settings: {
    path: '.claude/settings.json',
    content: (key) => ({ [key]: HOOKS }),
    load: async (file) => (await readSettings(JSON.stringify({ [KEY]: HOOKS }), file, OPTIONS)).problems,
  },
  'a configuration': {
    path: 'hookscope.config.json',
    content: (key) => ({ [key]: HOOKS }),
    load: (file) => checkConfig({ [KEY]: HOOKS } as never, file),
  },
  'a frontmatter': {
    path: '.claude/agents/a.md',
    content: FRONTMATTER,
    load: async (file) => (await readAgentFile(FRONTMATTER(KEY), file, OPTIONS))?.problems,
  },
  'the hooks file of a plugin': {
    path: 'hooks/hooks.json',
    content: (key) => ({ [key]: HOOKS }),
    load: async () => (await readPluginDir(folder, OPTIONS)).files.flatMap(({ problems }) => problems),
  },
  'the manifest of a plugin': {
    path: '.claude-plugin/plugin.json',
    content: (key) => ({ name: 'p', [key]: './more.json' }),
    load: async () => (await readPluginDir(folder, OPTIONS)).files.flatMap(({ problems }) => problems),
  },
};
const KEY = 'hoks';

test.each(Object.entries(LOADED))(
  'hooks that are misspelt are told with the right name: %s',
  async (_, { path, content, load }) => {
    const file = put(path, content(KEY));
    const told = await Promise.resolve()
      .then(() => load(file))
      .catch(({ details: { where, nearest } }) => [{ where, nearest }]);
    expect(told).toEqual([expect.objectContaining({ where: KEY, nearest: 'hooks' })]);
    const { findings } = await checkHookFiles({ paths: [file], cwd: folder, home: folder } as never);
    expect(findings.map(({ message }) => message)).toEqual([expect.stringMatching(/"hooks"/)]);
  },
);

test.each(Object.entries(LOADED))('a key that is right is not told: %s', async (_, { path, content, load }) => {
  if (!path.endsWith('.hooks.json') && !path.includes('plugin') && !path.startsWith('hooks/')) return;
  put('more.json', { hooks: HOOKS });
  expect(await load(put(path, content('hooks')))).toEqual(path.endsWith('.hooks.json') ? HOOKS : []);
});

test('a needed key that is misspelt is named, in groups and handlers', async () => {
  const read = async (hooks: unknown) => (await readSettings(JSON.stringify({ hooks }), 'a.json', OPTIONS)).problems;
  for (const [group, where, key, wrong] of [
    [{ matcher: 'Bash', hoks: [] }, 'hooks.Stop[0]', 'hooks', 'hoks'],
    [{ hooks: [{ type: 'command', comand: 'x' }] }, 'hooks.Stop[0].hooks[0]', 'command', 'comand'],
    [{ hooks: [{ type: 'http', ulr: 'http://x/' }] }, 'hooks.Stop[0].hooks[0]', 'url', 'ulr'],
    [{ hooks: [{ type: 'mcp_tool', server: 'a', tol: 'b' }] }, 'hooks.Stop[0].hooks[0]', 'tool', 'tol'],
    [{ hooks: [{ type: 'prompt', promt: 'x' }] }, 'hooks.Stop[0].hooks[0]', 'prompt', 'promt'],
  ] as const)
    expect(await read({ Stop: [group] })).toEqual([
      expect.objectContaining({
        ...{ level: 'error', where, nearest: key },
        message: expect.stringMatching(
          new RegExp(`^"${key}" is missing; expected .*, and "${wrong}" is not a known key$`),
        ),
      }),
    ]);
  expect(await read({ Stop: [{ matcher: 'Bash', others: [] }] })).toEqual([
    expect.not.objectContaining({ nearest: expect.anything() }),
  ]);
});
