import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bash, createUser, type User } from './kit.js';

const NO = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] };
const GOOD = JSON.stringify({ hooks: NO });
const CUT = GOOD.slice(0, -2);
/** A handler without its command, for which Claude Code drops the whole file. */
const WRONG = JSON.stringify({ hooks: { PreToolUse: [...NO.PreToolUse, { hooks: [{ type: 'command' }] }] } });

let user: User;
beforeEach(() => {
  user = createUser();
});
afterEach(() => user.remove());

function atHome(name: string, text: string): void {
  const file = join(user.path, 'home', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const asks = (...args: string[]) => user.hook(['PreToolUse', '--timeout', '30', ...args], bash('rm x'));

describe('a file that is named, or is the user’s own, and whose hooks are lost', () => {
  test.each<[what: string, files: Readonly<Record<string, string>>, why: RegExp]>([
    ['its hooks are cut short', { 'hooks/hooks.json': CUT }, /hooks\.json:\d+:\d+: is not JSON/],
    ['one of its hooks is wrong', { 'hooks/hooks.json': WRONG }, /hooks\.json:\d+:\d+: hooks\.PreToolUse\[1\]/],
    [
      'its manifest is cut short',
      { '.claude-plugin/plugin.json': '{', 'hooks/hooks.json': GOOD },
      /plugin\.json.*JSON/,
    ],
    [
      'its manifest names a file that is not there',
      { '.claude-plugin/plugin.json': '{ "name": "p", "hooks": "./gone.json" }' },
      /plugin\.json.*gone\.json does not exist/,
    ],
    [
      'a skill of it is wrong',
      { 'skills/s/SKILL.md': '---\nhooks: [\n---\n' },
      /SKILL\.md:2:8: hooks: expected an object/,
    ],
  ])('a plugin blocks if %s', async (_, files, why) => {
    for (const [name, text] of Object.entries(files)) user.write(`p/${name}`, text);
    for (const trust of [[], ['--trust', 'all']])
      expect(await asks('--plugin-dir', 'p', ...trust)).toMatchObject({
        code: 2,
        stdout: expect.stringMatching(/"permissionDecision":"deny"/),
        stderr: expect.stringMatching(why),
      });
    expect(await user.spawn(['serve', '--plugin-dir', 'p'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(why),
    });
    expect(user.records().filter(({ type }) => type === 'hook_fire')).toHaveLength(2);
  });

  test.each([
    ['.claude/settings.json', CUT, /home\/\.claude\/settings\.json:\d+:\d+: is not JSON/],
    ['.claude/settings.json', WRONG, /home\/\.claude\/settings\.json:\d+:\d+: hooks\.PreToolUse\[1\]/],
    ['.claude/agents/a.md', '---\nname: a\nhooks: [\n---\n', /agents\/a\.md:3:8: hooks: expected an object/],
  ])('the user’s %s blocks if Claude Code’s files are named', async (name, text, why) => {
    atHome(name, text);
    expect(await asks('--claude-code', '.')).toMatchObject({ code: 2, stderr: expect.stringMatching(why) });
    expect(await user.spawn(['serve', '--claude-code', '.'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(why),
    });
  });

  test('settings and an agent that were named block if one of their hooks is wrong', async () => {
    user.write('s.json', WRONG);
    user.write('a.md', '---\nhooks: { PreToolUse: [{ hooks: [{ type: command }] }] }\n---\n');
    for (const args of [
      ['--settings', 's.json'],
      ['--agent', 'a.md'],
    ])
      expect(await asks(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(/hooks\.PreToolUse/) });
  });

  test('an agent, a command or a skill that is not there blocks nothing, and doctor finds nothing wrong with it', async () => {
    atHome('.claude/settings.json', GOOD);
    for (const [name, to] of [
      ['agents/.#rev.md', 'me@host.123:456'],
      ['agents/gone.md', '/nowhere/gone.md'],
      ['commands/deep/.#c.md', 'me@host.123:456'],
      ['skills/s/SKILL.md', 'nowhere'],
    ] as const) {
      const link = join(user.path, 'home/.claude', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(to, link);
    }
    expect(await asks('--claude-code', '.')).toMatchObject({ code: 0, stdout: expect.stringMatching(/"deny".*no/) });
    const server = await user.serve(['--claude-code', '.']);
    expect((await user.run(['doctor'])).stdout).not.toMatch(/^problem/m);
    await server.stop();
  });

  test.each([
    ['.claude/settings.json', CUT],
    ['.claude/settings.json', ''],
    ['.claude/settings.json', WRONG],
    ['.claude/agents/a.md', '---\nname: a\nhooks: [\n---\n'],
    ['.claude/agents/deep/a.md', '---\nname: a\nhooks: { PreToolUse: [{ hooks: [{ type: command }] }] }\n---\n'],
    ['.claude/commands/c.md', '---\nhooks: [\n---\n'],
    ['.claude/skills/s/SKILL.md', '---\nname: s\nhooks: [\n---\n'],
    ['.codex/hooks.json', '{"hooks":'],
    ['.gemini/settings.json', '{"hooks":'],
    ['.cursor/hooks.json', '{"hooks":'],
  ])('doctor says why calls are refused: %s %j', async (name, text) => {
    atHome(name, text);
    const agent = name.split('/')[0]?.slice(1) ?? '';
    const how = agent === 'claude' ? ['--claude-code', '.'] : ['--from', agent];
    expect(await asks(...how)).toMatchObject({ code: 2 });
    const { code, stdout } = await user.run(['doctor']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^problem .*${name.replaceAll('.', '\\.')}:`, 'm')),
    ]);
  });

  test.each<[what: string, leave: (home: string) => void, named: string]>([
    [
      'settings that are a link to nowhere',
      (home) => symlinkSync('nowhere', join(home, 'settings.json')),
      'settings.json',
    ],
    ['settings that are a folder', (home) => mkdirSync(join(home, 'settings.json')), 'settings.json'],
    ['agents that are a file', (home) => writeFileSync(join(home, 'agents'), ''), 'agents'],
    ['skills that are a link to a folder without any', (home) => symlinkSync('..', join(home, 'skills')), ''],
    ['commands that are a file', (home) => writeFileSync(join(home, 'commands'), ''), 'commands'],
    ['skills that are a file', (home) => writeFileSync(join(home, 'skills'), ''), 'skills'],
    ['settings that are cut short', (home) => writeFileSync(join(home, 'settings.json'), CUT), 'settings.json'],
  ])('doctor finds something once exactly where calls are refused: %s', async (_, leave, named) => {
    mkdirSync(join(user.path, 'home/.claude'), { recursive: true });
    leave(join(user.path, 'home/.claude'));
    const isRefused = named !== '';
    expect((await asks('--claude-code', '.')).code).toBe(isRefused ? 2 : 0);
    const { code, stdout } = await user.run(['doctor']);
    const told = stdout.split('\n').filter((line) => line.startsWith('problem') && line.includes('.claude'));
    expect(told).toEqual(isRefused ? [expect.stringContaining(`.claude/${named}:`)] : []);
    expect(code).toBe(Number(isRefused));
  });

  test.each([
    'skills/x/templates/hooks.json',
    'skills/x/README.md',
    'skills/x/deep/SKILL.md',
    'agents/hooks.json',
    'commands/x/hooks.json',
    'other/SKILL.md',
  ])('doctor finds nothing wrong with a file that nobody reads: %s', async (name) => {
    atHome(`.claude/${name}`, name.endsWith('.md') ? '---\nhooks: [\n---\n' : CUT);
    expect(await asks('--claude-code', '.')).toMatchObject({ code: 0 });
    expect((await user.run(['doctor'])).stdout).not.toMatch(/^problem/m);
  });

  test('the user’s own file of another agent blocks, too', async () => {
    atHome('.codex/hooks.json', CUT);
    expect(await asks('--from', 'codex')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/home\/\.codex\/hooks\.json:\d+:\d+: is not JSON/),
    });
  });

  test('one of a project that nobody has accepted does not block, and is told after an answer without a reason', async () => {
    user.write('.claude/settings.json', CUT);
    const said = await asks('--claude-code', '.');
    expect(said).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/error: .*settings\.json.*is not JSON/),
    });
    user.write('h.json', NO);
    expect((await asks('--claude-code', '.', '--hooks', 'h.json')).stdout).toMatch(/"deny"/);
    expect(await asks('--claude-code', '.', '--trust', 'all')).toMatchObject({ code: 2 });
  });

  test('a server that finds no hooks in what is named says so', async () => {
    mkdirSync(join(user.path, 'project/empty'));
    for (const option of ['--plugin-dir', '--claude-code']) {
      const server = await user.serve([option, 'empty']);
      expect(server.output()).toMatch(/no hooks are served from what is named: there are none in it/);
      await server.stop();
      rmSync(user.places.served);
    }
  });
});
