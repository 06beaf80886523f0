import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listHeld } from '../../src/claude-code/trust/held.js';
import { rewrite } from '../../src/events/output/helpers.js';
import type { HookCallback } from '../../src/host/types.js';
import { plainLines } from '../../src/plain.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { trustDiff } from '../../src/trust/diff.js';
import { checkOutside, createTrustStore, type TrustStore } from '../../src/trust/store.js';
import { closeAll, createProject, hook, hooksOn, memoryStore, type Project, ran, skipped } from './project.js';

let project: Project;
let store: TrustStore;
beforeEach(() => {
  project = createProject();
  store = memoryStore();
});
afterEach(closeAll);

const files = () => project.files;
const load = (options = {}) => project.load({ trust: store, ...options });

const acceptAll = (options = {}) => project.acceptAll(store, options);

/** A project whose one hook runs a script that denies. */
function withScript(): string {
  project.write(
    'project/.claude/settings.json',
    hooksOn('PreToolUse', { type: 'command', command: '"$CLAUDE_PROJECT_DIR"/guard.sh' }),
  );
  return project.write('project/guard.sh', '#!/bin/sh\necho guarded >&2\nexit 2\n', 0o755);
}

describe('a file that is not accepted', () => {
  test('runs nothing of a project or a plugin, but all of the user, managed and named files', async () => {
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', hook('user')));
    project.write('managed/managed-settings.json', hooksOn('PreToolUse', hook('managed')));
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', hook('project')));
    project.write('project/.claude/settings.local.json', hooksOn('PreToolUse', hook('local')));
    project.write('plug/hooks/hooks.json', hooksOn('PreToolUse', hook('plugin')));
    project.write('named/hooks/hooks.json', hooksOn('PreToolUse', hook('named')));
    const flag = project.write('flag.json', hooksOn('PreToolUse', hook('flag')));
    const plugins = [join(project.path, 'plug'), { dir: join(project.path, 'named'), trusted: true }];
    const { fire, held } = await load({ settings: [flag], plugins });
    const record = await fire();
    expect(ran(record)).toEqual(['managed', 'user', 'flag', 'named']);
    expect(Object.keys(skipped(record))).toEqual(['project', 'local', 'plugin']);
    expect(skipped(record)['project']).toMatch(/^trust: .*settings\.json is not accepted/);
    expect(held.map(({ kind }) => kind)).toEqual(['project', 'local', 'plugin']);
    await acceptAll({ plugins });
    expect(ran(await (await load({ settings: [flag], plugins })).fire())).toHaveLength(7);
  });

  test('contributes nothing else: no disableAllHooks, no policy, no stricter or weaker copy of a hook', async () => {
    const same = hook('same', 'exit 1');
    project.write('home/.claude/settings.json', hooksOn('PreToolUse', { ...same, onFailure: 'block' }));
    const settings = {
      disableAllHooks: true,
      enabledPlugins: { plug: false },
      allowedHttpHookUrls: [],
      ...hooksOn('PreToolUse', { ...same, async: true, timeout: 0.01 }),
    };
    project.write('project/.claude/settings.json', settings);
    const { decision, handlers } = await (await load()).fire();
    expect(handlers.map(({ status, reason }) => reason ?? status)).toEqual(['failed', 'trust']);
    expect(decision.verdict).toBe('deny');
  });

  test('agents and skills of the project are held too, those of the user not', async () => {
    const agent = (name: string): string =>
      `---\n${JSON.stringify({ name, ...hooksOn('PreToolUse', hook(name)) })}\n---\n`;
    project.write('project/.claude/agents/theirs.md', agent('theirs'));
    project.write('project/.claude/skills/skill/SKILL.md', agent('skill'));
    project.write('home/.claude/agents/mine.md', agent('mine'));
    const { fire, held } = await load();
    expect(held.map(({ kind, name }) => [kind, name])).toEqual([
      ['agent', 'theirs'],
      ['skill', 'skill'],
    ]);
    expect(ran(await fire('PreToolUse', { agent_id: 'a', agent_type: 'mine' }))).toEqual(['mine']);
    expect(skipped(await fire('PreToolUse', { agent_id: 'b', agent_type: 'theirs' }))['theirs']).toMatch(/^trust: /);
  });

  test('needs no consent where it says nothing of hooks', async () => {
    project.write('project/.claude/settings.json', { permissions: { allow: ['Bash'] }, hooks: {} });
    expect((await load()).held).toEqual([]);
  });
});

describe('consent binds', () => {
  const verdict = async (): Promise<unknown> => (await (await load()).fire()).decision.verdict;

  test('the bytes of the script: one that changes is held again, and accepted anew with what changed', async () => {
    const script = withScript();
    await acceptAll();
    expect(await verdict()).toBe('deny');
    writeFileSync(script, readFileSync(script, 'utf8').replace('guarded', 'Guarded'));
    const [held] = (await load()).held;
    expect(held?.why).toMatch(/guard\.sh, which .*settings\.json names, has changed since it was accepted/);
    expect(await trustDiff(held?.previous, held!.request)).toContain('\n-echo guarded >&2\n+echo Guarded >&2\n');
    expect(await verdict()).toBe('ask');
    await acceptAll();
    expect(await verdict()).toBe('deny');
  });

  test('not the program that the first line of a script names', async () => {
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command: './guard' }));
    project.write('project/guard', '#!./own\n', 0o755);
    const own = project.write('project/own', '#!/bin/sh\necho guarded >&2\nexit 2\n', 0o755);
    await acceptAll();
    const held = async (): Promise<number> => (await load()).held.length;
    expect(await held()).toBe(0);
    writeFileSync(own, '#!/bin/sh\nexit 0\n');
    expect(await held()).toBe(0);
    writeFileSync(join(project.dir, 'guard'), '#!./owm\n');
    expect(await held()).toBe(1);
  });

  test('the definition, but not what the file says of other things', async () => {
    withScript();
    await acceptAll();
    const path = join(project.dir, '.claude/settings.json');
    const settings = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ permissions: { allow: ['Bash(ls)'] }, ...settings }, undefined, 4));
    expect(await verdict()).toBe('deny');
    writeFileSync(path, JSON.stringify({ ...settings, disableAllHooks: false }));
    const [held] = (await load()).held;
    expect(held?.why).toContain('settings.json has changed since it was accepted');
    expect(await trustDiff(held?.previous, held!.request)).toContain('+  "disableAllHooks": false');
  });

  test('a file that was not there, and one that goes', async () => {
    project.write(
      'project/.claude/settings.json',
      hooksOn('PreToolUse', { type: 'command', command: '[ -f ./more.sh ] && . ./more.sh; exit 2' }),
    );
    await acceptAll();
    expect(await verdict()).toBe('deny');
    const more = project.write('project/more.sh', 'exit 0');
    expect(await verdict()).toBe('ask');
    unlinkSync(more);
    expect(await verdict()).toBe('deny');
  });

  test('a symlink’s bytes, wherever it leads', async () => {
    const script = withScript();
    const [good, evil] = ['good.sh', 'evil.sh'].map((name) =>
      project.write(name, readFileSync(script, 'utf8') + (name === 'evil.sh' ? '#' : ''), 0o755),
    ) as [string, string];
    const leadTo = (target: string): void => {
      rmSync(script);
      symlinkSync(target, script);
    };
    leadTo(good);
    await acceptAll();
    expect(await verdict()).toBe('deny');
    leadTo(evil);
    expect(await verdict()).toBe('ask');
    leadTo(good);
    expect(await verdict()).toBe('deny');
    chmodSync(good, 0o755);
    writeFileSync(good, '#!/bin/sh\nexit 0\n');
    expect(await verdict()).toBe('ask');
  });

  test('what a manifest gives as the value of an option, and the file that value names', async () => {
    const manifest = (script: string): string =>
      project.write('plug/.claude-plugin/plugin.json', { name: 'plug', userConfig: { script: { default: script } } });
    const hooks = hooksOn('PreToolUse', { type: 'command', command: 'sh', args: [`\${user_config.script}`] });
    project.write('plug/hooks/hooks.json', hooks);
    const script = project.write('project/guard.sh', 'exit 2');
    project.write('project/other.sh', 'exit 0');
    const plugins = [join(project.path, 'plug')];
    const holds = async (): Promise<number> => (await load({ plugins })).held.length;
    manifest('./guard.sh');
    await acceptAll({ plugins });
    expect(await holds()).toBe(0);
    manifest('./other.sh');
    expect(await holds()).toBe(1);
    manifest('./guard.sh');
    expect(await holds()).toBe(0);
    writeFileSync(script, 'exit 0');
    expect(await holds()).toBe(1);
  });

  test('not the log that a command writes: it runs again and again', async () => {
    project.write(
      'project/.claude/settings.json',
      hooksOn('PreToolUse', { type: 'command', command: 'echo called >> "$CLAUDE_PROJECT_DIR"/calls.log; exit 2' }),
    );
    await acceptAll();
    for (let i = 0; i < 3; i++) expect(await verdict()).toBe('deny');
  });

  test('what cannot be read is held', async () => {
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command: 'sh ./loop.sh' }));
    symlinkSync(join(project.dir, 'loop.sh'), join(project.dir, 'loop.sh'));
    await acceptAll();
    expect((await load()).held.map(({ why }) => why)).toEqual([
      expect.stringContaining('loop.sh, which cannot be read'),
    ]);
  });

  test('one project alone: the same bytes elsewhere are not accepted', async () => {
    withScript();
    await acceptAll();
    const other = join(project.path, 'other');
    mkdirSync(other);
    renameSync(join(project.dir, '.claude'), join(other, '.claude'));
    renameSync(join(project.dir, 'guard.sh'), join(other, 'guard.sh'));
    expect((await load({ projectDir: other })).held).toHaveLength(1);
  });
});

describe('consent for a file of one project', () => {
  test('does not count in another that links to it; one for a plugin counts everywhere', async () => {
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', hook('own', 'sh ./*.sh')));
    project.write('plug/hooks/hooks.json', hooksOn('PreToolUse', hook('plugin')));
    const plugins = [join(project.path, 'plug')];
    await acceptAll({ plugins });
    expect((await load({ plugins })).held).toEqual([]);
    const other = join(project.path, 'other');
    mkdirSync(join(other, '.claude'), { recursive: true });
    symlinkSync('../../project/.claude/settings.json', join(other, '.claude/settings.json'));
    const { held } = await load({ plugins, projectDir: other });
    expect(held.map(({ kind }) => kind)).toEqual(['project']);
    await acceptAll({ projectDir: other });
    expect((await load({ plugins, projectDir: other })).held).toEqual([]);
    symlinkSync(project.dir, join(project.path, 'link'));
    expect((await load({ plugins, projectDir: join(project.path, 'link') })).held).toEqual([]);
  });
});

describe('between the check and the run', () => {
  test('a script that is replaced after loading is untrusted, with its path; put back, it runs', async () => {
    const script = withScript();
    await acceptAll();
    const { fire } = await load();
    expect((await fire()).decision.verdict).toBe('deny');
    const { atime, mtime } = statSync(script);
    const good = readFileSync(script, 'utf8');
    // Same length, same times: nothing but the bytes tells.
    writeFileSync(script, good.replace('exit 2', 'exit 0'));
    utimesSync(script, atime, mtime);
    const record = await fire();
    expect(record.decision.verdict).toBe('ask');
    const message = expect.stringMatching(
      /guard\.sh is not what was accepted for .*settings\.json; see hookscope trust/,
    );
    expect(record.handlers).toMatchObject([{ status: 'failed', wave: 0, failure: { cause: 'untrusted', message } }]);
    writeFileSync(script, good);
    expect((await fire()).decision.verdict).toBe('deny');
  });

  test.each([
    ['before its turn', { stage: -1 }],
    ['in its very wave', { mode: 'parallel', before: ['"$CLAUDE_PROJECT_DIR"/guard.sh'] }],
  ] as const)('one that another hook replaces in the same fire, %s', async (_, group) => {
    const script = withScript();
    await acceptAll();
    const { fire, host } = await load();
    const swap = (): void => writeFileSync(script, '#!/bin/sh\nexit 0\n');
    host.register({ PreToolUse: [{ ...group, name: 'swap', hooks: [swap] }] });
    const { handlers } = await fire();
    expect(handlers.map(({ status, reason }) => reason ?? status)).toEqual(['ran', 'failed']);
  });

  test('of two copies of a hook the one that needs no consent runs when the other’s script has changed', async () => {
    const script = withScript();
    await acceptAll();
    const flag = project.write('flag.json', readFileSync(join(project.dir, '.claude/settings.json'), 'utf8'));
    const { fire } = await load({ settings: [flag] });
    const rows = async () =>
      (await fire()).handlers.map(({ source, status, reason }) => `${source.kind} ${reason ?? status}`);
    expect(await rows()).toEqual(['project ran', 'flag duplicate']);
    writeFileSync(script, '#!/bin/sh\nexit 0\n');
    expect(await rows()).toEqual(['project failed', 'flag ran']);
  });

  test('a deny stands too when the script is swapped in the wave that asks again', async () => {
    const script = withScript();
    await acceptAll();
    const { fire, host } = await load();
    const swap: HookCallback<'PreToolUse'> = (_input, _id, { call }) => {
      if (call === 'reask') writeFileSync(script, '#!/bin/sh\nexit 0\n');
    };
    const before = ['"$CLAUDE_PROJECT_DIR"/guard.sh'];
    host.register({ PreToolUse: [{ mode: 'parallel', before, name: 'swap', hooks: [swap] }] });
    host.register({ PreToolUse: [{ stage: 1, hooks: [() => rewrite({ command: 'rm -rf /' })] }] });
    expect((await fire()).decision).toMatchObject({ verdict: 'deny', reason: 'guarded' });
  });

  test('a deny that was given stands when the script is swapped before it is asked again', async () => {
    const script = withScript();
    await acceptAll();
    const { fire, host } = await load();
    const swapAndRewrite = () => {
      writeFileSync(script, '#!/bin/sh\nexit 0\n');
      return { hookSpecificOutput: { updatedInput: { command: 'rm -rf /' } } };
    };
    host.register({ PreToolUse: [{ stage: 1, hooks: [{ handler: swapAndRewrite, name: 'rewrite' }] }] });
    expect((await fire()).decision).toMatchObject({ verdict: 'deny', reason: 'guarded' });
  });

  test('a relative name is looked up where the hook runs', async () => {
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command: './guard.sh' }));
    project.write('project/guard.sh', '#!/bin/sh\nexit 2\n', 0o755);
    project.write('project/sub/guard.sh', '#!/bin/sh\nexit 0\n', 0o755);
    project.write('project/none/.keep', '');
    await acceptAll();
    const { fire } = await load();
    expect((await fire()).decision.verdict).toBe('deny');
    expect((await fire('PreToolUse', { cwd: join(project.dir, 'sub') })).handlers).toMatchObject([
      { failure: { cause: 'untrusted' } },
    ]);
    // Where there is no such file the command itself says so, and its onFailure counts.
    expect((await fire('PreToolUse', { cwd: join(project.dir, 'none') })).handlers).toMatchObject([
      { failure: { cause: 'spawn_failed' } },
    ]);
  });

  test('a relative name is looked up in the project too: the command may go there first', async () => {
    const command = 'cd "$(dirname "$PWD")" && ./guard.sh';
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command }));
    const script = project.write('project/guard.sh', '#!/bin/sh\nexit 2\n', 0o755);
    project.write('project/sub/.keep', '');
    await acceptAll();
    const { fire } = await load();
    const input = { cwd: join(project.dir, 'sub') };
    expect((await fire('PreToolUse', input)).decision.verdict).toBe('deny');
    writeFileSync(script, '#!/bin/sh\nexit 0\n');
    expect((await fire('PreToolUse', input)).handlers).toMatchObject([{ failure: { cause: 'untrusted' } }]);
  });

  test('what changes while somebody looks is not what is accepted', async () => {
    const script = withScript();
    const held = await listHeld({ ...files(), trust: store });
    writeFileSync(script, '#!/bin/sh\nexit 0\n');
    for (const { request } of held) acceptTrust(request, store);
    expect((await load()).held).toHaveLength(1);
  });
});

describe('the store', () => {
  const consent = (file: string, at: string) => ({ file, project: '/p', definition: '{}', files: {}, at });

  test('is its owner’s alone, keeps the newest consent of each file and project, and forgets', () => {
    const path = join(project.path, 'config/hookscope/trust.json');
    const kept = createTrustStore(path);
    expect(kept.list()).toEqual([]);
    kept.accept(consent('/a', '1'));
    kept.accept(consent('/b', '2'));
    kept.accept(consent('/a', '3'));
    expect(
      createTrustStore(path)
        .list()
        .map(({ file, at }) => [file, at]),
    ).toEqual([
      ['/b', '2'],
      ['/a', '3'],
    ]);
    expect([statSync(path).mode & 0o777, statSync(join(project.path, 'config/hookscope')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    expect([kept.revoke('/a'), kept.revoke('/a'), kept.list().length]).toEqual([true, false, 1]);
  });

  test.each<[string, (path: string) => void, RegExp]>([
    ['others may write it', (path) => chmodSync(path, 0o666), /may be written by other users/],
    [
      'it is a link',
      (path) => {
        renameSync(path, `${path}.real`);
        symlinkSync(`${path}.real`, path);
      },
      /is not a regular file/,
    ],
    ['it is something else', (path) => writeFileSync(path, '{"version":2}'), /is not a consent file/],
  ])('is refused where %s', (_, spoil, message) => {
    const path = join(project.path, 'trust.json');
    createTrustStore(path).accept(consent('/a', '1'));
    spoil(path);
    expect(() => createTrustStore(path).list()).toThrow(message);
  });

  test('must not lie in the project, behind links too', () => {
    expect(() => checkOutside(join(project.dir, 'config/trust.json'), project.dir)).toThrow(/lies in the project/);
    symlinkSync(project.dir, join(project.path, 'link'));
    expect(() => checkOutside(join(project.path, 'link/trust.json'), project.dir)).toThrow(/lies in the project/);
    expect(() => checkOutside(join(project.home, 'trust.json'), project.dir)).not.toThrow();
  });
});

test('the difference can be shown as it is, and says whom the hooks are for', async () => {
  const source = { kind: 'agent', place: '.claude/agents/a.md', names: ['reader'] };
  const before = { file: '/p/a\n+ok.md', project: '/p', definition: '{}', files: {}, source, at: '' };
  const now = { ...before, unresolved: [], source: { ...source, names: ['reader', '*'] } };
  const nasty = '\u001b[2J\u009b1m\u202e\r';
  const files = { 'a\n+b\u001b': { sha256: '1', text: `x${nasty}\n\ty\n` }, 'c\n+d': { sha256: '2' } };
  const diff = await trustDiff(before, { ...now, files });
  expect(diff).toContain('+    "*"\n');
  expect(diff).toContain('+x\\u{1b}[2J\\u{9b}1m\\u{202e}\\r\n+\ty\n');
  expect(plainLines(diff)).toBe(diff);
  expect(diff.split('\n').filter((line) => /^\+(?:ok|b|d)/.test(line))).toEqual([]);
  expect(
    await trustDiff(
      { ...before, files: { f: { sha256: '1', text: 'a' } } },
      { ...now, source, files: { f: { sha256: '2', text: 'a\n' } } },
    ),
  ).toBe('f: its last line end\n');
});

test('bytes that are no text are told apart by their hash: no difference is ever empty', async () => {
  const shown = async (before: Buffer, now: Buffer) => {
    const script = withScript();
    writeFileSync(script, before);
    await acceptAll();
    writeFileSync(script, now);
    const [held] = (await load()).held;
    return trustDiff(held?.previous, held!.request);
  };
  const line = (byte: number) => Buffer.from([0x23, byte, 0x0a]);
  expect(await shown(line(0xff), line(0xfe))).toMatch(/guard\.sh: \w{64} -> \w{64}\n$/);
  const before = { file: '/p/a', project: '/p', definition: '{}', at: '' };
  const kept = (sha256: string) => ({ f: { sha256, text: '\ufffd\n' } });
  expect(await trustDiff({ ...before, files: kept('1') }, { ...before, files: kept('2'), unresolved: [] })).toBe(
    'f: 1 -> 2\n',
  );
});

test('of a text of which everything has changed all is shown, without looking for the fewest changes', async () => {
  const text = (word: string) => Array.from({ length: 40_000 }, (_, i) => `${word}${i}\n`).join('');
  const of = (word: string) => ({
    ...{ file: '/p/a', project: '/p', definition: '{}', at: '', unresolved: [] },
    files: { f: { sha256: word, text: text(word) } },
  });
  const lines = (await trustDiff(of('a'), of('b'))).split('\n');
  expect(lines.filter((line) => line.startsWith('-a'))).toHaveLength(40_000);
  expect(lines.filter((line) => line.startsWith('+b'))).toHaveLength(40_000);
});
