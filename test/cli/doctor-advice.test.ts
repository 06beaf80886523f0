import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/cli/doctor/finding.js';
import { BIN, cli, start } from './cli.js';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-advice-')));
  for (const name of ['project', 'other']) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, value: unknown): string => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
  return file;
};

interface Place {
  readonly folder?: string;
  readonly env?: NodeJS.ProcessEnv;
}
const run = (args: readonly string[], { folder = 'project', env = {} }: Place = {}) =>
  cli(args, {
    cwd: join(root, folder),
    env: {
      HOME: join(root, 'home'),
      XDG_STATE_HOME: join(root, 'state'),
      XDG_RUNTIME_DIR: join(root, 'run'),
      XDG_CONFIG_HOME: join(root, 'config'),
      PATH: root,
      ...env,
    },
  });

async function told(place: Place = {}): Promise<(readonly [text: string, fix: string])[]> {
  const { stdout } = await run(['doctor', '--json'], place);
  const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as DoctorFinding]));
  return found.flatMap(({ level, about, text, fix }) =>
    level === 'problem' && about === 'agent' ? [[text, fix] as const] : [],
  );
}

/** The variables and words of a command that is given as advice, as bash reads them. */
function pasted(fix: string): { readonly env: NodeJS.ProcessEnv; readonly args: readonly string[] } {
  const [, advice = ''] = /^[^:]*: (.*)\.$/s.exec(fix) ?? [];
  const script = `hookscope() { printf '%s\\0' "\${CLAUDE_CONFIG_DIR-}" "\${CODEX_HOME-}" "\${COPILOT_HOME-}" "\${GEMINI_CLI_HOME-}" "$@"; }; ${advice}`;
  const words = execFileSync('/bin/bash', ['--norc', '-c', script], { encoding: 'utf8', env: { LC_ALL: 'C' } }).split(
    '\0',
  );
  const [claude, codex, copilot, gemini, ...args] = words.slice(0, -1);
  const all = { CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex, COPILOT_HOME: copilot, GEMINI_CLI_HOME: gemini };
  return { env: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')), args };
}

function edit(file: string, change: (settings: Record<string, Record<string, unknown>>) => void): void {
  const settings = JSON.parse(readFileSync(file, 'utf8'));
  change(settings);
  writeFileSync(file, JSON.stringify(settings));
}

describe('where hooks are switched off', () => {
  const OFF = / says "disableAllHooks": true, so Claude Code does not run hookscope's hooks\.$/;

  test("a project's file is looked at with what is beside it, wherever doctor runs", async () => {
    await run(['connect', 'claude-code', '--project', '--write']);
    const other = write('other/.claude/settings.json', { disableAllHooks: true });
    expect(await told({ folder: 'other' })).toEqual([]);
    rmSync(other);
    const file = join(root, 'project/.claude/settings.local.json');
    const text = readFileSync(file, 'utf8');
    edit(file, (settings) => Object.assign(settings, { disableAllHooks: true }));
    for (const folder of ['project', 'other']) {
      const found = await told({ folder });
      expect(found).toEqual([[expect.stringMatching(OFF), 'Remove that.']]);
      expect(found[0]?.[0]).toContain(file);
    }
    writeFileSync(file, text);
    const shared = write('project/.claude/settings.json', { disableAllHooks: true });
    expect((await told({ folder: 'other' })).map(([one]) => one.split(' says')[0])).toEqual([shared]);
  });

  test("a user's file that a variable led to is looked at without the variable, and the current folder too", async () => {
    await run(['connect', 'claude-code', '--write'], { env: { CLAUDE_CONFIG_DIR: join(root, 'cc') } });
    edit(join(root, 'cc/settings.json'), (settings) => Object.assign(settings, { disableAllHooks: true }));
    expect(await told()).toEqual([[expect.stringMatching(OFF), 'Remove that.']]);
    edit(join(root, 'cc/settings.json'), (settings) => Reflect.deleteProperty(settings, 'disableAllHooks'));
    write('project/.claude/settings.json', { disableAllHooks: true });
    expect(await told()).toEqual([[expect.stringMatching(OFF), 'Remove that.']]);
    expect(await told({ folder: 'other' })).toEqual([]);
  });
});

describe('advice that is pasted into a shell', () => {
  test.each([
    ['claude-code', 'CLAUDE_CONFIG_DIR', 'settings.json', 'PreToolUse'],
    ['codex', 'CODEX_HOME', 'hooks.json', 'PreToolUse'],
    ['copilot', 'COPILOT_HOME', 'hooks/hookscope.json', 'preToolUse'],
    ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json', 'BeforeTool'],
  ] as const)('writes the file of %s that %s led to', async (agent, variable, path, event) => {
    const home = join(root, "my agent's");
    const hooks = write('hooks.json', {});
    await run(['connect', agent, '--write', '--hooks', hooks], { env: { [variable]: home } });
    edit(join(home, path), ({ hooks: list = {} }) => Reflect.deleteProperty(list, event));
    // With the variable or without, and where it leads elsewhere.
    for (const value of [undefined, home, join(root, 'elsewhere')]) {
      const [[text, fix] = ['', '']] = await told({ env: value === undefined ? {} : { [variable]: value } });
      expect(text).toContain(`no longer has hookscope's hook on ${event}`);
      expect(pasted(fix)).toEqual({
        env: { [variable]: home },
        args: ['connect', agent, '--write', '--hooks', hooks],
      });
    }
    const [[, fix] = ['', '']] = await told();
    const { args, env } = pasted(fix);
    expect((await run(args, { folder: 'other', env })).code).toBe(0);
    expect(await told()).toEqual([]);
  });

  test.each(['a b', "it's", 'a\nb', '\t', 'a\u200db\\', "'\u202e'", '$(touch x)', 'ü', '👨‍👩‍👧', '\u007f\r'])(
    'names a folder %j so that nothing raw is printed',
    async (name) => {
      const hooks = write(`${name}/hooks.json`, {});
      await run(['connect', 'claude-code', '--write', '--hooks', hooks]);
      edit(join(root, 'home/.claude/settings.json'), ({ hooks: list = {} }) => Reflect.deleteProperty(list, 'Stop'));
      const [[, fix] = ['', '']] = await told();
      expect(fix).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(pasted(fix)).toEqual({ env: {}, args: ['connect', 'claude-code', '--write', '--hooks', hooks] });
    },
  );

  test.each([
    [['one', 'two'], ['one'], '--hooks two'],
    [['one', 'two', 'three'], ['one', 'three'], '--hooks two'],
    [['one'], ['one'], '--hooks FILE'],
  ])('connects again %j, of which %j are gone, with %s', async (names, gone, named) => {
    const files = new Map(names.map((name) => [name, write(`${name}.json`, {})]));
    await run([
      'connect',
      'gemini',
      '--attended',
      '--write',
      ...[...files.values()].flatMap((file) => ['--hooks', file]),
    ]);
    for (const name of gone) rmSync(files.get(name) as string);
    const found = await told();
    expect(found).toHaveLength(gone.length);
    const options = named.replace('two', files.get('two') ?? '').split(' ');
    for (const [, fix] of found) {
      const { args } = pasted(fix.replace(/^Put it back, or: /, ''));
      expect([...args].sort()).toEqual(['connect', 'gemini', '--write', '--attended', ...options].sort());
      if (gone.length < names.length) expect((await run(args)).stderr).not.toContain('no such file');
    }
  });

  test('closes the file that it means', async () => {
    const env = { CLAUDE_CONFIG_DIR: join(root, "my agent's\n") };
    await run(['connect', 'claude-code', '--http', '--port', '7007', '--write'], { env });
    const file = join(env.CLAUDE_CONFIG_DIR, 'settings.json');
    chmodSync(file, 0o644);
    const [fix = ''] = (await told({ env })).map(([, one]) => one).filter((one) => one.includes('chmod'));
    const [, command = ''] = /^Run: (.*?)\. If/s.exec(fix) ?? [];
    const script = `chmod() { printf '%s\\0' "$@"; }; ${command}`;
    expect(execFileSync('/bin/bash', ['--norc', '-c', script], { encoding: 'utf8' })).toBe(`600\0${file}\0`);
  });
});

test('managed settings that are not JSON are a finding, and the others are still told', async () => {
  write('project/.claude/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } });
  // On Windows their folder has a name that is relative elsewhere.
  const managed = join(root, 'project', 'C:\\Program Files\\ClaudeCode', 'managed-settings.json');
  mkdirSync(dirname(managed));
  writeFileSync(managed, '{ nope');
  const windows = 'data:text/javascript,Object.defineProperty(process, "platform", { value: "win32" })';
  const { stdout, stderr } = await start(process.execPath, ['--import', windows, BIN, 'doctor', '--json'], {
    cwd: join(root, 'project'),
    stdin: '',
    env: { ...process.env, HOME: join(root, 'home'), XDG_STATE_HOME: join(root, 'state') },
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('is not JSON');
  expect(stdout).toContain('.claude/settings.json is not accepted');
});
