import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadAgentHooks } from '../../src/agents.js';
import { loadClaudeCode } from '../../src/claude-code.js';
import { checkNamed } from '../../src/cli/host/claude-flags.js';
import { createHost } from '../../src/create-host.js';

let root = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-folder-')));
  mkdirSync(join(root, 'project'));
  writeFileSync(join(root, 'file'), '');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const NONE: readonly (readonly [path: string, why: string])[] = [
  ['gone', 'there is no such folder'],
  ['file', 'is a file, not a folder'],
  ['file/within', 'a part of its path is a file, not a folder'],
];
const LOADERS: readonly (readonly [name: string, problems: (folder: string) => Promise<readonly object[]>])[] = [
  [
    'loadClaudeCode',
    async (projectDir) => (await loadClaudeCode({ host: createHost(), projectDir, home: root })).problems,
  ],
  [
    'loadAgentHooks',
    async (projectDir) =>
      (await loadAgentHooks({ host: createHost(), agent: 'codex', projectDir, home: root })).problems,
  ],
];

test.each(LOADERS)('%s has a problem with a project that is no folder', async (_, problems) => {
  for (const [path, message] of NONE) {
    const file = join(root, path);
    expect(await problems(file)).toContainEqual(expect.objectContaining({ level: 'error', file, message }));
  }
  expect(await problems(join(root, 'project'))).toEqual([]);
});

test.each(NONE)('the program says of %s what it is', (path, why) => {
  const projectDir = join(root, path);
  expect(() => checkNamed({ projectDir, settings: [], agents: [] } as never)).toThrow(`${projectDir}: ${why}.`);
  const plugins = [{ dir: projectDir, trusted: true }];
  const named = { projectDir: root, settings: [], agents: [], plugins };
  expect(() => checkNamed(named as never)).toThrow(`${projectDir}: ${why}.`);
});
