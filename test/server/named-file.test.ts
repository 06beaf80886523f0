import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createUser, type User } from './kit.js';

let user: User;
beforeEach(() => {
  user = createUser();
});
afterEach(() => user.remove());

const PIPE = 'is no regular file, and a server reads its files again: write it to one, and name that';

/** What a name can lead to that nothing can be served from, and what is said of it. */
const NO_FILE: Readonly<Record<string, readonly [problem: string, make: (path: string) => void]>> = {
  nothing: ['there is no such file', () => undefined],
  'nothing, by a link': ['there is no such file', (path) => symlinkSync('/nowhere/x', path)],
  'a link to itself': ['is a link that leads to itself', (path) => symlinkSync(path, path)],
  'a folder': ['is a directory, not a file', (path) => mkdirSync(path)],
  'a pipe': [PIPE, (path) => execFileSync('mkfifo', [path])],
};

const FLAGS: readonly (readonly string[])[] = [
  ['--hooks', 'named.json'],
  ['--config', 'named.json'],
  ['--config', 'named.mjs'],
  ['--settings', 'named.json'],
  ['--agent', 'named.md'],
  ['--from', 'codex', 'named.json'],
];

test.each(FLAGS.flatMap((flag) => Object.keys(NO_FILE).map((what) => [flag, what] as const)))(
  'serve %j says of a name that leads to %s what it is, and serves nothing',
  async (flag, what) => {
    const [problem, make] = NO_FILE[what] as (typeof NO_FILE)[string];
    const path = join(user.path, 'project', flag.at(-1) as string);
    make(path);
    expect(await user.refused(['--install', ...flag])).toMatch(new RegExp(`named\\.\\w+: ${problem}\\.\\n$`));
  },
);

test.each([
  ['--hooks', 'named.json', 'a pipe'],
  ['--plugin', './named.mjs', 'a pipe'],
  ['--config', 'named.json', 'a link to itself'],
  ['--settings', 'named.json', 'a link to itself'],
])('the process that loads %s %s says so of %s', async (flag, name, what) => {
  const [problem, make] = NO_FILE[what] as (typeof NO_FILE)[string];
  const path = join(user.path, 'project', name);
  make(path);
  const { code, stderr } = await user.spawn(['serve', flag, name]);
  expect(stderr).toContain(`${path}: ${problem}.\n`);
  expect(code).toBe(1);
});
