// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shells that read them
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, linkSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadClaudeCode } from '../../src/claude-code/load.js';
import {
  type CommandOptions,
  command,
  createHost,
  type Host,
  type HostOptions,
  loadHooksFile,
} from '../../src/index.js';
import { applyConfig } from '../../src/plugins/config.js';
import { loadConfig } from '../../src/plugins/config-file.js';
import { watch } from '../host/kit.js';
import { createFolder, type Folder } from '../plugins/folder.js';

let folder: Folder;
const at = (name: string): string => join(folder.path, name);
const NO = '#!/bin/sh\necho "the guard says no" >&2\nexit 2\n';
const OTHER = '#!/bin/sh\necho ran >> "$RAN"\n';

beforeEach(() => {
  folder = createFolder();
  for (const name of ['mine', 'theirs']) mkdirSync(at(name));
});
afterEach(() => folder.remove());

/** A script in both folders: the guard, and one that lets everything pass. */
function both(name: string, guard = NO, other = OTHER, mode = 0o755): void {
  folder.write(`mine/${name}`, guard, mode);
  folder.write(`theirs/${name}`, other, mode);
}

const hostIn = (options: HostOptions = {}): Host =>
  createHost({ session: { cwd: at('mine') }, logger: () => undefined, ...options });

async function ask(host: Host, cwd: string, more: object = {}): Promise<string> {
  const input = { tool_name: 'Bash', tool_input: { command: 'ls' }, cwd, ...more };
  const { verdict, reason = '' } = await host.fire('PreToolUse', input);
  return `${verdict} ${reason}`.trim();
}

const group = (line: string, options: CommandOptions = {}) => ({
  PreToolUse: [{ onFailure: 'block' as const, hooks: [command(line, options)] }],
});

/** What a call from our folder and one from theirs come to. */
async function answers(line: string, options: CommandOptions = {}): Promise<readonly [string, string]> {
  await using host = hostIn();
  const env = Array.isArray(options.env) ? options.env : { RAN: at('ran'), ...options.env };
  host.register(group(line, { ...options, env }));
  return [await ask(host, at('mine')), await ask(host, at('theirs'))];
}

const DENIED = 'deny the guard says no';

describe('a script that is named by a relative path', () => {
  test('is that of the folder from which the hook was registered; from another the hook fails as untrusted', async () => {
    both('hooks/guard.sh');
    await using host = hostIn();
    host.register(group('./hooks/guard.sh', { env: { RAN: at('ran') } }));
    const seen = watch(host);
    expect(await ask(host, at('mine'))).toBe(DENIED);
    expect(await ask(host, at('theirs'))).toBe(
      `deny hooks/guard.sh is bound to ${at('mine/hooks/guard.sh')}, and in this folder it is ${at('theirs/hooks/guard.sh')}, which does not run: write an absolute path, or "$CLAUDE_PROJECT_DIR"/hooks/guard.sh if each project has its own`,
    );
    const causes = seen.flatMap((record) => (record.type === 'hook_fire' ? record.handlers : [])).map((h) => h.failure);
    expect(causes).toEqual([undefined, expect.objectContaining({ cause: 'untrusted' })]);
    expect(hasRun()).toBe(false);
  });

  test.each<readonly [line: string, options: CommandOptions, script: string]>([
    ['./guard.sh', { args: [] }, 'guard.sh'],
    ['cd hooks && ./guard.sh', {}, 'hooks/guard.sh'],
    ["'./my guard.sh'", {}, 'my guard.sh'],
  ])('is not said to be found by words that do not find it: %s', async (line, options, script) => {
    both(script);
    const [, answer] = await answers(line, options);
    expect(answer).toMatch(/which does not run: write an absolute path$/);
  });

  test('is not said to stand outside the project', async () => {
    folder.write('guard.sh', NO, 0o755);
    folder.write('theirs/guard.sh', OTHER, 0o755);
    mkdirSync(at('theirs/deep'));
    await using host = hostIn();
    host.register(group('../guard.sh'));
    expect(await ask(host, at('theirs/deep'))).toMatch(/which does not run: write an absolute path$/);
  });

  test('asks the user at the least, where failures are not to block', async () => {
    both('guard.sh');
    await using host = hostIn();
    host.register({ PreToolUse: [{ hooks: [command('./guard.sh', { env: { RAN: at('ran') } })] }] });
    expect(await ask(host, at('theirs'))).toMatch(/^ask guard\.sh is bound to/);
  });

  test.each<readonly [what: string, line: string, options: CommandOptions, script: string]>([
    ['by an interpreter', 'sh hooks/guard.sh', {}, 'hooks/guard.sh'],
    ['by an interpreter, without a suffix', 'sh guard', {}, 'guard'],
    ['as arguments', 'sh', { args: ['hooks/guard.sh'] }, 'hooks/guard.sh'],
    ['as a program with arguments', './guard', { args: [] }, 'guard'],
    ['in another shell', 'exec ./guard.sh', { shell: 'bash' }, 'guard.sh'],
    ['behind a change of folders', 'cd hooks && ./guard.sh', {}, 'hooks/guard.sh'],
    ['behind a wrapper', 'timeout 20 ./guard.sh', {}, 'guard.sh'],
    ['by the working directory', '"$PWD"/guard.sh', {}, 'guard.sh'],
    ['by a program that is not known', './run it.sh', {}, 'run'],
    ['on a search path', 'PATH="./bin:$PATH" guard', {}, 'bin/guard'],
    ['on standard input', 'sh < guard', {}, 'guard'],
    ['as what a shell sources', '. ./guard.sh', {}, 'guard.sh'],
    ['as what another program prints to a shell', 'cat guard | sh', {}, 'guard'],
    ['as what another program prints into a line', 'eval "$(cat guard)"', {}, 'guard'],
    ['by other wrappers', 'env A=1 nice -n 5 sh guard', {}, 'guard'],
    ['by xargs', 'echo | xargs ./guard || exit 2', {}, 'guard'],
    ['behind a subshell that goes elsewhere', '(cd "$CLAUDE_PROJECT_DIR" && true); ./guard.sh', {}, 'guard.sh'],
    ['behind a command that runs elsewhere', 'env -C / true; ./guard.sh', {}, 'guard.sh'],
    ['behind a substitution that goes elsewhere', 'A="$(cd / && pwd)"; ./guard.sh', {}, 'guard.sh'],
    ['behind a way back', 'cd / && cd - >/dev/null && ./guard.sh', {}, 'guard.sh'],
    ['behind a plugin’s folder where there is no plugin', 'cd "$CLAUDE_PLUGIN_ROOT" && ./guard.sh', {}, 'guard.sh'],
    ['behind a variable that is not set', 'cd "$NOT_SET_HERE" && ./guard.sh', {}, 'guard.sh'],
    ['behind a variable that may be set', 'sh "${NOT_SET_HERE:-hooks}"/guard.sh', {}, 'hooks/guard.sh'],
    ['by a glob', 'sh hooks/*.sh', {}, 'hooks/guard.sh'],
    ['in a loop', 'for f in hooks/*.sh; do sh "$f" || exit 2; done', {}, 'hooks/guard.sh'],
  ])('%s', async (_, line, options, script) => {
    both(script);
    const [mine, theirs] = await answers(line, options);
    expect(mine).toBe(DENIED);
    expect(theirs).toMatch(/^deny \S+ is bound to/);
    expect(hasRun()).toBe(false);
  });

  test.each([
    ['node ./g.js', 'g.js'],
    ['node ./g', 'g.js'],
    ['node tools', 'tools/index.js'],
    ['node --require ./g.cjs -e 0', 'g.cjs'],
  ])('in JavaScript: %s', async (line, script) => {
    both(script, 'console.error("the guard says no"); process.exit(2);', '');
    const [mine, theirs] = await answers(line);
    expect(mine).toBe(DENIED);
    expect(theirs).toMatch(/^deny \S+ is bound to/);
  });

  const SAYS_NO = 'console.error("the guard says no"); process.exit(2);';
  test.each<readonly [line: string, script: string, guard: string, more: Readonly<Record<string, string>>]>([
    ['node ./g', 'g.js', SAYS_NO, { g: '' }],
    ['node tools', 'tools/index.js', SAYS_NO, { 'tools.js': '' }],
    ['node tools', 'tools/index.js', SAYS_NO, { 'tools/package.json': '{"main":"x.js"}', 'tools/x.js': '' }],
    ['node -r ./g -e 0', 'g.js', SAYS_NO, { g: '' }],
    ['node ./g', 'g/index.js', SAYS_NO, { 'g.js': '' }],
    ['sh hooks/*g*d.sh', 'hooks/guard.sh', NO, { 'hooks/a-g-d.sh': OTHER }],
    ['python3 -m guard', 'guard.py', 'exit(2)', { 'guard/__init__.py': '', 'guard/__main__.py': '' }],
    ['python3 tools', 'tools/__main__.py', 'exit(2)', { 'tools/__main__.py': 'exit(0)' }],
    ['PATH="./tools:./bin:$PATH" guard', 'bin/guard', NO, { 'tools/guard': OTHER }],
    ['sh hooks/*.sh', 'hooks/guard.sh', NO, { 'hooks/a.sh': OTHER }],
  ])('is not hidden by another file that the program finds first: %s', async (line, script, guard, more) => {
    both(script, guard, guard);
    for (const [name, text] of Object.entries(more)) folder.write(`theirs/${name}`, text, 0o755);
    const [mine, theirs] = await answers(line);
    expect(mine).toMatch(/^deny (?!.*bound)/);
    expect(theirs).toMatch(/^deny \S+ is bound to/);
  });

  test.each<readonly [line: string, mine: string, theirs: Readonly<Record<string, string>>]>([
    ['node ./g', 'g.js', { 'g.cjs': SAYS_NO, 'g/index.js': '' }],
    ['node tools', 'tools/index.js', { 'tools/index.cjs': SAYS_NO, 'tools/index.json': '' }],
    ['tsx ./g', 'g.ts', { 'g.ts': SAYS_NO, 'g.js': '' }],
    ['bun ./g', 'g.js', { 'g.js': SAYS_NO, 'g.tsx': '' }],
    ['tsx ./g.js', 'g.js', { 'g.js': SAYS_NO, 'g.ts': '' }],
  ])('is not hidden by a file that only seems to be found first: %s', async (line, mine, theirs) => {
    folder.write(`mine/${mine}`, SAYS_NO);
    for (const [name, text] of Object.entries(theirs)) folder.write(`theirs/${name}`, text);
    await using host = hostIn();
    host.register(group(line));
    const input = { tool_name: 'Bash', tool_input: { command: 'ls' }, cwd: at('theirs') };
    expect((await host.explain('PreToolUse', input)).hooks).toMatchObject([{ reason: 'untrusted' }]);
  });

  test('runs if all files of a glob are the same, not if one of them is missing', async () => {
    both('hooks/a.sh', '#!/bin/sh\n', '#!/bin/sh\n');
    both('hooks/guard.sh', NO, NO);
    const line = 'for f in hooks/*.sh; do sh "$f" || exit 2; done';
    expect(await answers(line)).toEqual([DENIED, DENIED]);
    rmSync(at('theirs/hooks/guard.sh'));
    expect((await answers(line))[1]).toMatch(/^deny hooks\/\*\.sh is bound to/);
  });

  test('is compared again when it changes, also if it is large', async () => {
    const large = (end: string): string => `#!/bin/sh\nexit 0\n${'#'.repeat(100_000)}${end}`;
    both('guard.sh', large('a'), large('a'));
    const past = new Date(Date.now() - 60_000);
    for (const name of ['mine', 'theirs']) utimesSync(at(`${name}/guard.sh`), past, past);
    await using host = hostIn();
    host.register(group('./guard.sh'));
    await sleep(2100);
    for (let i = 0; i < 2; i++) expect(await ask(host, at('theirs'))).toBe('none');
    folder.write('theirs/guard.sh', large('b'), 0o755);
    utimesSync(at('theirs/guard.sh'), past, past);
    expect(await ask(host, at('theirs'))).toMatch(/^deny guard\.sh is bound to/);
  });

  test('in a folder of the hook’s own that is relative begins at the project', async () => {
    both('hooks/guard.sh');
    const hooks = group('./guard.sh', { cwd: 'hooks', env: { RAN: at('ran') } });
    await using host = hostIn();
    host.register(hooks);
    expect(await ask(host, at('theirs'))).toBe(DENIED);
    await using free = createHost({ logger: () => undefined });
    const file = folder.write('mine/hooks.json', hooks);
    free.register(await loadHooksFile(file), { source: { kind: 'hooks-file', file } });
    expect(await ask(free, at('mine'))).toBe(DENIED);
    expect(await ask(free, at('theirs'))).toMatch(/^deny guard\.sh is bound to/);
    expect(hasRun()).toBe(false);
  });

  test('that leads upward is followed as the system follows it, through a link to a folder', async () => {
    both('guard.sh');
    mkdirSync(at('mine/sub'));
    mkdirSync(at('theirs/sub'));
    // `mine/link/..` is `theirs` to the system, and `mine` to who only reads the path.
    symlinkSync(at('theirs/sub'), at('mine/link'));
    await using host = hostIn({ session: { cwd: at('mine/sub') } });
    host.register(group('../guard.sh', { env: { RAN: at('ran') } }));
    expect(await ask(host, at('mine/sub'))).toBe(DENIED);
    expect(await ask(host, at('mine/link'))).toMatch(/^deny \.\.\/guard\.sh is bound to/);
    expect(hasRun()).toBe(false);
  });

  test('runs wherever the path leads to the same file, or to one with the same bytes', async () => {
    folder.write('mine/guard.sh', NO, 0o755);
    for (const name of ['copied', 'linked', 'hard']) mkdirSync(at(name));
    cpSync(at('mine/guard.sh'), at('copied/guard.sh'));
    symlinkSync(at('mine/guard.sh'), at('linked/guard.sh'));
    linkSync(at('mine/guard.sh'), at('hard/guard.sh'));
    symlinkSync(at('mine'), at('same'));
    await using host = hostIn();
    host.register(group('./guard.sh'));
    for (const name of ['copied', 'linked', 'hard', 'same']) expect(await ask(host, at(name)), name).toBe(DENIED);
    rmSync(at('linked/guard.sh'));
    symlinkSync(folder.write('evil.sh', OTHER, 0o755), at('linked/guard.sh'));
    expect(await ask(host, at('linked'))).toMatch(/^deny guard\.sh is bound to/);
  });

  test('is each project’s own where there was none when the hook was registered', async () => {
    folder.write('theirs/guard.sh', NO, 0o755);
    expect(await answers('./guard.sh')).toEqual([expect.stringMatching(/^deny .*not found/), DENIED]);
  });

  test('stays bound when it is deleted, also for agents that get it later', async () => {
    both('guard.sh');
    await using host = hostIn();
    host.spawnHooks('reviewer', group('./guard.sh', { env: { RAN: at('ran') } }));
    rmSync(at('mine/guard.sh'));
    const agent = { agent_id: 'a1', agent_type: 'reviewer' };
    expect(await ask(host, at('theirs'), agent)).toMatch(/^deny guard\.sh is bound to/);
    expect(await ask(host, at('mine'), agent)).toMatch(/^deny .*not found/);
  });

  test('is bound by a later registration of the same hook if it exists by then', async () => {
    const hooks = group('./guard.sh', { env: { RAN: at('ran') } });
    await using before = hostIn();
    before.register(hooks);
    both('guard.sh');
    await using after = hostIn();
    after.register(hooks);
    expect(await ask(after, at('theirs'))).toMatch(/^deny guard\.sh is bound to/);
  });

  test('that is missing elsewhere cannot be started, as any missing script', async () => {
    folder.write('mine/guard.sh', NO, 0o755);
    await using host = hostIn();
    host.register(group('./guard.sh', { args: [] }));
    expect(await ask(host, at('theirs'))).toMatch(/^deny .*could not be started/);
  });

  test.each<readonly [line: string, options: CommandOptions, script: string, more: string]>([
    ['sh hooks/guard.sh', {}, 'hooks/guard.sh', ''],
    ['. ./hooks/guard.sh', {}, 'hooks/guard.sh', ''],
    ['cat hooks/guard.sh | sh', {}, 'hooks/guard.sh', ''],
    ['sh', { args: ['hooks/guard.sh'] }, 'hooks/guard.sh', ''],
    ['python3 hooks/guard.py', {}, 'hooks/guard.py', '__main__.py'],
    ['node hooks/guard.js', {}, 'hooks/guard.js', 'index.js'],
    ['node -r ./hooks/guard.js -e 0', {}, 'hooks/guard.js', 'index.js'],
  ])('is not replaced by a folder of its name: %s', async (line, options, script, more) => {
    folder.write(`mine/${script}`, 'exit 2', 0o755);
    mkdirSync(at(`theirs/${script}`), { recursive: true });
    if (more !== '') folder.write(`theirs/${script}/${more}`, '');
    const [, theirs] = await answers(line, options);
    expect(theirs).toMatch(/^deny hooks\/guard\S+ is bound to/);
  });

  test.each<readonly [what: string, make: (path: string) => void]>([
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a link to what is not there yet', (path) => symlinkSync('later.sh', path)],
    ['a link to itself', (path) => symlinkSync('guard.sh', path)],
  ])('is not replaced by %s', async (_, make) => {
    folder.write('mine/guard.sh', NO, 0o755);
    make(at('theirs/guard.sh'));
    const [mine, theirs] = await answers('sh guard.sh');
    expect(mine).toBe(DENIED);
    expect(theirs).toMatch(/^deny guard\.sh is bound to/);
  });

  test('is looked for where the hook runs when the folder of the call is gone', async () => {
    both('guard.sh');
    const before = process.cwd();
    process.chdir(at('theirs'));
    try {
      await using host = createHost({ logger: () => undefined });
      const file = folder.write('mine/hooks.json', group('./guard.sh', { env: { RAN: at('ran') } }));
      host.register(await loadHooksFile(file), { source: { kind: 'hooks-file', file } });
      expect(await ask(host, at('gone'))).toMatch(/^deny guard\.sh is bound to/);
    } finally {
      process.chdir(before);
    }
    expect(hasRun()).toBe(false);
  });

  test('is bound for hooks in the background too', async () => {
    both('note.sh', OTHER);
    await using host = hostIn();
    host.register({ PreToolUse: [{ hooks: [command('./note.sh # x', { async: true, env: { RAN: at('ran') } })] }] });
    folder.write('theirs/note.sh', '#!/bin/sh\ntouch "$RAN"\n', 0o755);
    expect(await ask(host, at('theirs'))).toMatch(/^ask note\.sh is bound to/);
    await host.close();
    expect(hasRun()).toBe(false);
  });

  test('is bound for a subagent, and while the agent changes its folder', async () => {
    both('guard.sh');
    await using host = hostIn();
    host.register(group('./guard.sh', { env: { RAN: at('ran') } }));
    host.register({ CwdChanged: [{ hooks: [command('./note.sh')] }] });
    folder.write('mine/note.sh', '#!/bin/sh\nexit 0\n', 0o755);
    folder.write('theirs/note.sh', '#!/bin/sh\ntouch "$RAN"\n', 0o755);
    expect(await ask(host, at('mine'), { agent_id: 'a', agent_type: 'x' })).toBe(DENIED);
    await host.fire('CwdChanged', { old_cwd: at('mine'), new_cwd: at('theirs'), cwd: at('theirs') } as never);
    expect(await ask(host, at('theirs'), { agent_id: 'a', agent_type: 'x' })).toMatch(/^deny guard\.sh is bound/);
    expect(hasRun()).toBe(false);
  });

  test('is said by explain and describe', async () => {
    both('guard.sh');
    await using host = hostIn();
    host.register(group('./guard.sh'));
    const explain = (cwd: string) =>
      host.explain('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' }, cwd });
    expect((await explain(at('theirs'))).hooks).toMatchObject([
      { runs: false, reason: 'untrusted', why: expect.stringContaining('is bound to') },
    ]);
    expect((await explain(at('mine'))).hooks).toMatchObject([{ runs: true }]);
  });
});

describe('what is no script of the folder', () => {
  test.each([
    ['an absolute path', (): string => at('theirs/guard.sh')],
    ['the project', (): string => '"$CLAUDE_PROJECT_DIR"/guard.sh'],
    ['a variable', (): string => '"$HOOKS"/guard.sh'],
    ['a folder that the line goes to', (): string => `cd ${at('theirs')} && ./guard.sh`],
    ['the project, as a folder that the line goes to', (): string => 'cd "$CLAUDE_PROJECT_DIR" && ./guard.sh'],
    ['the project, or else nothing', (): string => 'cd "$CLAUDE_PROJECT_DIR" || exit 1; ./guard.sh'],
    ['the project, in a line that ends at errors', (): string => 'set -e\ncd "$CLAUDE_PROJECT_DIR"\n./guard.sh'],
    ['the project, and what failures mean', (): string => 'cd "$CLAUDE_PROJECT_DIR" && ./guard.sh || exit 2'],
    ['the project, in a subshell', (): string => '(cd "$CLAUDE_PROJECT_DIR" && ./guard.sh)'],
    ['the project, in a line within', (): string => `bash -c 'cd "$CLAUDE_PROJECT_DIR" && ./guard.sh'`],
    [
      'the project, as a folder of a stack',
      (): string => `bash -c 'pushd "$CLAUDE_PROJECT_DIR" >/dev/null && ./guard.sh'`,
    ],
    ['the project, with a default', (): string => 'cd "${CLAUDE_PROJECT_DIR:-.}" && ./guard.sh'],
    ['the project of a path, with a default', (): string => '"${CLAUDE_PROJECT_DIR:-.}"/guard.sh'],
    ['the repository', (): string => 'cd "$(git rev-parse --show-toplevel)" && ./guard.sh'],
    ['the repository, in a path', (): string => 'sh "$(git rev-parse --show-toplevel)"/guard.sh'],
  ])('%s binds nothing', async (_, line) => {
    both('guard.sh', NO, NO.replace('the guard', 'theirs'));
    execFileSync('git', ['init', '-q', at('theirs')]);
    await using host = createHost({ logger: () => undefined });
    const file = folder.write('mine/hooks.json', group(line(), { env: { HOOKS: at('theirs') } }));
    host.register(await loadHooksFile(file), { source: { kind: 'hooks-file', file } });
    expect(await ask(host, at('theirs'))).toBe('deny theirs says no');
  });

  test.each(['cat package.json', 'echo see notes/plan.md', 'npx --no-install eslint', 'make -s', 'cat < data.txt'])(
    'data and the tools of each project are not bound: %s',
    async (line) => {
      for (const name of ['package.json', 'notes/plan.md', 'data.txt']) both(name, '{}', '{ }', 0o644);
      both('Makefile', 'all:\n\t@true\n', 'all:\n\t@:\n', 0o644);
      both('node_modules/.bin/eslint', '#!/bin/sh\nexit 0\n', '#!/bin/sh\n:\n');
      expect(await answers(line)).toEqual([expect.not.stringContaining('bound'), expect.not.stringContaining('bound')]);
    },
  );
});

test.each([
  ['cd "$(false)" || true; ./guard.sh', 'guard.sh'],
  ['"$(echo ./hooks | cat)"/guard.sh', 'hooks/guard.sh'],
  ['sh hooks/*/guard.sh', 'hooks/a/guard.sh'],
  [`sh -c '"$1"' _ ./guard.sh`, 'guard.sh'],
  ['make -s -C hooks 2>/dev/null', 'hooks/Makefile'],
  ['set -- ./guard.sh; "$1"', 'guard.sh'],
  [': "${G:=./guard.sh}"; $G', 'guard.sh'],
  ['echo ./guard.sh | { read -r G; $G; }', 'guard.sh'],
  ['alias g=./guard.sh\ng', 'guard.sh'],
  ['grep -v zzz guard.sh | sh', 'guard.sh'],
  ['find . -name guard.sh -exec sh {} \\;', 'guard.sh'],
  ['nice --unknown 5 ./guard.sh 2>/dev/null', 'guard.sh'],
  [`./guard.sh #${'x'.repeat(16 * 1024)}`, 'guard.sh'],
])('what only the run can tell is not bound: %s', async (line, script) => {
  both(script, 'all:;@exit 2', 'all:;@exit 1');
  if (!line.startsWith('make')) both(script, '#!/bin/sh\n', NO);
  const [, theirs] = await answers(line);
  expect(theirs).not.toContain('bound');
});

describe('a file that is not run as a script is not bound', () => {
  test.each([
    ['test -f own/x.ts', 'x.ts'],
    ['[ -f own/x.py ] && true', 'x.py'],
    ['grep -q TODO own/x.py; true', 'x.py'],
    ['cat own/x.ts', 'x.ts'],
    ['cat ./own/x', 'x'],
    ['not-there -c own/x.js own/x.js; true', 'x.js'],
    ['pytest own/x.py; true', 'x.py'],
    ['bun test ./own/x.ts; true', 'x.ts'],
    ['npx --no-install not-there own/x.ts; true', 'x.ts'],
    ['echo "edit own/x.sh" >> own/x.sh', 'x.sh'],
    ['bash -n own/x.sh', 'x.sh'],
    ['node --check own/x.js', 'x.js'],
    ['python3 -m py_compile own/x.py', 'x.py'],
    ['node -e "require(process.argv[1])" ./own/x.json', 'x.json'],
    ['git diff --no-index --stat own/x.c own/x.c; true', 'x.c'],
    ['xargs echo < own/x', 'x'],
    ['sh -c "cat own/x.sh"', 'x.sh'],
    ['git -C own status -s x.sh; true', 'x.sh'],
    ['own/.venv/bin/tool', '.venv/bin/tool'],
    ['. own/.venv/bin/activate', '.venv/bin/activate'],
    ['own/node_modules/.bin/tool', 'node_modules/.bin/tool'],
    ['PATH="$PWD/own/node_modules/.bin:$PATH" tool', 'node_modules/.bin/tool'],
  ])('%s', async (line, name) => {
    const text = name.endsWith('.json') ? '{}' : name.includes('bin/') ? '#!/bin/sh\n' : '';
    both(`own/${name}`, text, `${text}\n`);
    const [mine, theirs] = await answers(line);
    expect([mine, theirs]).toEqual([expect.not.stringContaining('bound'), expect.not.stringContaining('bound')]);
  });
});

test('the user’s own settings of Claude Code mean what they mean there: the script of the folder of the session', async () => {
  both('guard.sh', NO, NO.replace('the guard', 'theirs'));
  folder.write('home/.claude/settings.json', { hooks: group('./guard.sh') });
  folder.write('home/.claude/guard.sh', OTHER, 0o755);
  await using host = createHost({ logger: () => undefined });
  await loadClaudeCode({ host, projectDir: at('mine'), home: at('home') });
  expect(await ask(host, at('mine'))).toBe(DENIED);
  expect(await ask(host, at('theirs'))).toBe('deny theirs says no');
});

describe('the folder is that', () => {
  const elsewhere = async (host: Host): Promise<void> => {
    expect(await ask(host, at('mine'))).toBe(DENIED);
    expect(await ask(host, at('theirs'))).toMatch(/^deny guard\.sh is bound to/);
    expect(hasRun()).toBe(false);
  };
  beforeEach(() => both('guard.sh'));

  test('of a hooks file', async () => {
    await using host = createHost({ logger: () => undefined });
    const file = folder.write('mine/hooks.json', group('./guard.sh', { env: { RAN: at('ran') } }));
    host.register(await loadHooksFile(file), { source: { kind: 'hooks-file', file } });
    await elsewhere(host);
  });

  test('of the session for hooks of a file that are registered without it', async () => {
    await using host = hostIn();
    const file = folder.write('theirs/hooks.json', group('./guard.sh', { env: { RAN: at('ran') } }));
    host.register(await loadHooksFile(file));
    await elsewhere(host);
  });

  test.each(['hooks', 'spawnHooks'])('of a configuration: %s', async (key) => {
    const hooks = group('./guard.sh', { env: { RAN: at('ran') } });
    const content = key === 'hooks' ? { hooks } : { spawnHooks: { main: hooks, x: hooks } };
    const { file, config } = await loadConfig(folder.write('mine/hookscope.config.json', content));
    await using host = createHost({ logger: () => undefined });
    await applyConfig(host, config, { file });
    if (key === 'hooks') await elsewhere(host);
    else
      expect(await ask(host, at('theirs'), { agent_id: 'a', agent_type: 'x' })).toMatch(/^deny guard\.sh is bound to/);
  });

  test('of the session, else of this process', async () => {
    const hooks = group('./guard.sh', { env: { RAN: at('ran') } });
    const before = process.cwd();
    process.chdir(at('mine'));
    try {
      await using host = createHost({ logger: () => undefined });
      host.register(hooks);
      // Where the process goes later does not count.
      process.chdir(at('theirs'));
      await elsewhere(host);
    } finally {
      process.chdir(before);
    }
  });
});

function hasRun(): boolean {
  return existsSync(at('ran'));
}
