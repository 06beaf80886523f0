import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/record.js';
import { thinScript } from '../../src/server/client/thin.js';
import { type Finished, start } from '../cli/cli.js';
import { bash, createUser, type Running, type User, until } from './kit.js';

const rule = (decision: string, reason: string, matcher = 'Bash'): object => ({
  PreToolUse: [{ matcher, onFailure: 'block', hooks: [{ type: 'rule', decision, reason }] }],
});
const plugin = (decision: string, word: string): string => `import { word } from './word.mjs';
const guard = () => ({ decision: '${decision}', reason: '${word} ' + word });
export default { name: 'guards', apply: (scope) => scope.register({ PreToolUse: [{ matcher: 'Bash', hooks: [guard] }] }) };`;

let user: User;
let server: Running;
let other: string;
const at = (name: string): string => join(user.path, 'project', name);

beforeEach(async () => {
  user = createUser();
  user.write('a.json', rule('deny', 'as served'));
  user.write('b.json', rule('deny', 'of b', 'Read'));
  user.write('word.mjs', `export const word = 'as served';`);
  user.write('plugin.mjs', plugin('block', 'plugin'));
  user.write('hookscope.json', { plugins: ['./plugin.mjs'] });
  user.write('run.sh', '#!/bin/sh\necho as served >&2; exit 2\n', 0o755);
  user.write('script.json', {
    PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [{ type: 'command', command: at('run.sh') }] }],
  });
  symlinkSync(at('a.json'), at('link.json'));
  linkSync(at('a.json'), at('hard.json'));
  symlinkSync(user.path, join(user.path, 'way'));
  other = join(user.path, 'other');
  mkdirSync(other);
});
afterEach(() => user.remove());

const thin = (args: readonly string[], cwd: string): Promise<Finished> =>
  start('/bin/sh', [thinScript(), '--node', process.execPath, ...args], {
    env: user.env,
    cwd,
    stdin: JSON.stringify(bash('ls')),
  });

const argsOf = (named: readonly string[]): string[] => ['PreToolUse', '--timeout', '30', ...named];
const answer = async (named: readonly string[], cwd = at('.')): Promise<string> =>
  (await user.hook(argsOf(named), bash('ls'), cwd)).stdout;
/** What the thin command and Node say, which is the same. */
async function bothAnswer(named: readonly string[]): Promise<string> {
  const said = await thin(argsOf(named), at('.'));
  expect(await answer(named)).toBe(said.stdout);
  return said.stdout;
}
const fires = (): FireRecord[] => user.records().filter((record) => record.type === 'hook_fire');
/** Whether the fires that are new since the last call were made without the server. A server stores its own a little later than it answers. */
async function newFires(count: number): Promise<unknown[]> {
  await until(() => fires().length >= seen.size + count);
  const added = fires().filter((fire) => !seen.has(fire.fire_id));
  for (const { fire_id } of added) seen.add(fire_id);
  return added.map(({ stateless }) => stateless);
}
const seen = new Set<string>();
beforeEach(() => seen.clear());

describe('a command that names served files other than they were served', () => {
  test('in another order or more often is answered by the server; with fewer of them it is answered without it, as long as nothing of those has changed', async () => {
    server = await user.serve(['--hooks', 'a.json', '--hooks', 'b.json']);
    for (const names of [
      ['b.json', 'a.json'],
      ['a.json', 'b.json', 'a.json', 'b.json', 'b.json'],
    ]) {
      expect(await bothAnswer(names.flatMap((name) => ['--hooks', name]))).toContain('as served');
      expect(await newFires(2)).toEqual([undefined, undefined]);
    }
    user.write('b.json', rule('allow', 'edited', 'Read'));
    expect(await bothAnswer(['--hooks', 'a.json'])).toContain('as served');
    expect(await newFires(2)).toEqual([true, true]);
  });

  test('in another order, of other agents as well, but no file of another agent', async () => {
    user.write('c.json', { hooks: {} });
    const codex = ['codex', 'c.json'].flatMap((one) => ['--from', one]);
    const gemini = ['gemini', 'b.json'].flatMap((one) => ['--from', one]);
    const swapped = ['codex', 'b.json', 'gemini', 'c.json'].flatMap((one) => ['--from', one]);
    user.write('b.json', { hooks: {} });
    server = await user.serve(['--hooks', 'a.json', ...codex, ...gemini, '--trust', 'all']);
    await answer([...gemini, ...codex, '--hooks', 'a.json', '--trust', 'all']);
    expect(await newFires(1)).toEqual([undefined]);
    await answer([...swapped, '--hooks', 'a.json', '--trust', 'all']);
    expect(await newFires(1)).toEqual([true]);
  });

  const edits: readonly [name: string, edit: () => void][] = [
    ['a.json', () => user.write('a.json', rule('allow', 'edited'))],
    ['hookscope.json', () => user.write('hookscope.json', {})],
    ['plugin.mjs', () => user.write('plugin.mjs', plugin('approve', 'edited'))],
    ['word.mjs', () => user.write('word.mjs', `export const word = 'edited';`)],
    ['run.sh', () => user.write('run.sh', '#!/bin/sh\nexit 0\n', 0o755)],
    ['a.json', () => rmSync(at('a.json'))],
  ];
  const cases: readonly [how: string, named: () => readonly string[], edit: number][] = [
    ['a hooks file alone', () => ['--hooks', 'a.json'], 0],
    ['by its absolute path', () => ['--hooks', at('a.json')], 0],
    ['by a path from another folder', () => ['--hooks', relative(other, at('a.json'))], 0],
    ['in another order', () => ['--hooks', 'b.json', '--hooks', 'a.json'], 0],
    ['more often', () => ['--hooks', 'a.json', '--hooks', 'a.json'], 0],
    ['beside a file that is not served', () => ['--hooks', 'a.json', '--hooks', join(other, 'more.json')], 0],
    ['by a link', () => ['--hooks', 'link.json'], 0],
    ['by a hard link', () => ['--hooks', 'hard.json'], 0],
    ['by a folder that is a link', () => ['--hooks', join(user.path, 'way/project/a.json')], 0],
    ['with another model', () => ['--hooks', 'a.json', '--model', 'other'], 0],
    ['and is gone', () => ['--hooks', 'a.json'], 5],
    ['a configuration', () => ['--config', 'hookscope.json'], 1],
    ['a plugin of a configuration', () => ['--config', 'hookscope.json'], 2],
    ['a plugin', () => ['--plugin', './plugin.mjs'], 2],
    ['what a plugin imports', () => ['--plugin', at('plugin.mjs')], 3],
    ['a script of a hooks file', () => ['--hooks', 'script.json'], 4],
  ];
  test('runs nothing of them that somebody has edited, with the server and without it', async () => {
    user.write('../other/more.json', rule('deny', 'more', 'Read'));
    const served = ['a.json', 'b.json', 'script.json'].flatMap((name) => ['--hooks', name]);
    server = await user.serve([...served, '--plugin', './plugin.mjs', '--config', 'hookscope.json']);
    const files = ['a.json', 'hookscope.json', 'plugin.mjs', 'word.mjs', 'run.sh'];
    const before = files.map((name) => readFileSync(at(name), 'utf8'));
    for (const stopped of [false, true]) {
      if (stopped) await server.stop();
      for (const [how, named, edit] of cases) {
        if (stopped && edit === 5) continue;
        const cwd = how.includes('another folder') ? other : at('.');
        const [file, change] = edits[edit] as (typeof edits)[number];
        change();
        const what = edit === 5 ? ', with which the server was started, is gone' : ' has changed since';
        expect(await answer(named(), cwd), how).toMatch(
          new RegExp(`"deny","permissionDecisionReason":"hookscope: [^"]*${file.replace('.', '\\.')}${what}`),
        );
        files.forEach((name, i) => {
          user.write(name, before[i], name === 'run.sh' ? 0o755 : 0o644);
        });
        if (edit === 5) {
          rmSync(at('hard.json'));
          linkSync(at('a.json'), at('hard.json'));
        }
        if (!stopped) expect(await answer(named(), cwd), how).not.toContain('has changed');
      }
    }
  });

  test('by where a link led when it was served, whatever the link is now', async () => {
    server = await user.serve(['--hooks', 'link.json', '--hooks', 'b.json']);
    rmSync(at('link.json'));
    user.write('link.json', rule('deny', 'as served'));
    user.write('a.json', rule('allow', 'edited'));
    // The one that is bound has its bytes again, but what is named is another.
    expect(await answer(['--hooks', 'a.json'])).not.toContain('"allow"');
  });

  test('in a folder with a colon in its name runs what is as it was served, and nothing that somebody has edited', async () => {
    const folder = at('a:/b');
    const command = (script: string): object => ({
      PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [{ type: 'command', command: `sh ${script}` }] }],
    });
    for (const name of ['one', 'two']) {
      user.write(`a:/b/${name}.sh`, `echo ${name} says no >&2; exit 2\n`);
      user.write(`a:/b/${name}.json`, command(`${name}.sh`));
    }
    const both = ['--hooks', 'one.json', '--hooks', 'two.json'];
    const says = (named: readonly string[] = []): Promise<string> => answer(named, folder);
    server = await user.serve(both, { cwd: folder });
    expect(await says(['--hooks', 'one.json'])).toContain('one says no');
    expect((await user.run(['doctor'], { cwd: folder })).stdout).not.toContain('fail as untrusted');
    await server.stop();
    for (const named of [[], both]) expect(await says(named)).toContain('says no');
    server = await user.serve(both, { cwd: folder });
    user.write('a:/b/one.sh', 'exit 0\n');
    expect(await says(['--hooks', 'one.json'])).toMatch(/a:\/b\/one\.sh has changed since/);
    await server.stop();

    // As a version wrote it that put a colon between folder and file.
    const kept = readFileSync(user.places.served, 'utf8');
    writeFileSync(user.places.served, kept.replaceAll('\\u0000', ':'));
    expect(await says(['--hooks', 'one.json'])).toMatch(/has changed since|is gone/);
    expect(await says()).toMatch(/has changed since|is gone/);
  });

  test('but is another, to which a link to a served one leads by now, runs', async () => {
    user.write('v1/h.json', rule('deny', 'as served'));
    user.write('v2/h.json', rule('deny', 'not served'));
    symlinkSync('v1', at('cur'));
    server = await user.serve(['--hooks', 'cur/h.json', '--hooks', 'b.json']);
    rmSync(at('cur'));
    symlinkSync('v2', at('cur'));
    expect(await answer(['--hooks', 'v2/h.json'])).toContain('not served');
    expect(await answer(['--hooks', 'v1/h.json'])).toContain('as served');
    for (const name of ['cur/h.json', join(user.path, 'way/project/cur/h.json')])
      expect(await answer(['--hooks', name]), name).toContain('has changed since');
    user.write('v1/h.json', rule('allow', 'edited'));
    for (const name of ['v1/h.json', join(user.path, 'way/project/v1/h.json')])
      expect(await answer(['--hooks', name]), name).toContain('has changed since');
    expect(await answer(['--hooks', 'v2/h.json'])).toContain('not served');
  });

  test('from another folder runs no script of that folder in place of the one that was served', async () => {
    const command = { type: 'command', command: 'sh guard.sh' };
    user.write('guard.sh', 'echo as served >&2; exit 2\n');
    user.write('../other/guard.sh', 'exit 0\n');
    user.write('a.json', { PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [command] }] });
    symlinkSync(at('a.json'), at('again.json'));
    server = await user.serve(['--hooks', 'a.json', '--hooks', 'b.json']);
    const [a, b, again] = ['a.json', 'b.json', 'again.json'].map((name) => ['--hooks', at(name)]) as [
      string[],
      ...string[][],
    ];
    for (const stopped of [false, true]) {
      if (stopped) await server.stop();
      for (const named of [a, [...a, ...(b as string[])], again as string[]]) {
        expect(await answer(named, other), `${named}`).toContain('guard.sh is not what was accepted for');
        expect(await answer(named), `${named}`).toContain('as served');
      }
    }
  });

  const MANIFEST = 'dir/.claude-plugin/plugin.json';
  const edited = { hooks: { PreToolUse: [] } };
  const parts: readonly (readonly [kind: string, named: string, files: readonly (readonly [string, unknown])[]])[] = [
    [
      'settings',
      'settings.json',
      [
        ['settings.json', edited],
        ['settings.sh', 'exit 0\n'],
      ],
    ],
    [
      'plugin-dir',
      'dir',
      [
        ['dir/hooks/hooks.json', edited],
        ['dir/hooks/more.json', edited],
        ['dir/plugin.sh', 'exit 0\n'],
        [MANIFEST, { name: 'dir', hooks: [] }],
      ],
    ],
    [
      'agent',
      'agent.md@a1',
      [
        ['agent.md', '---\nname: agent\ndescription: d\n---\nx\n'],
        ['agent.sh', 'exit 0\n'],
      ],
    ],
  ];
  describe.each(parts)('what --%s names', (kind, named, files) => {
    let one: User;
    const more = ['--hooks', 'b.json'];
    // As long as one look is good for.
    const looked = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600));
    beforeAll(async () => {
      one = createUser();
      const within = (name: string): string => join(one.path, 'project', name);
      const says = (name: string): string => `echo ${name} says no >&2; exit 2\n`;
      const guard = (command: string): object => ({
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] },
      });
      one.write('b.json', rule('deny', 'of b', 'Read'));
      for (const name of ['settings', 'dir/plugin', 'agent']) one.write(`${name}.sh`, says(name));
      one.write('settings.json', guard(`sh ${within('settings.sh')}`));
      one.write(MANIFEST, { name: 'dir', hooks: './hooks/more.json' });
      one.write('dir/hooks/hooks.json', guard(`sh "\${CLAUDE_PLUGIN_ROOT}"/plugin.sh`));
      one.write('dir/hooks/more.json', guard(`sh \${CLAUDE_PLUGIN_ROOT}/plugin.sh`));
      const hooks = `hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: sh ${within('agent.sh')}\n`;
      one.write('agent.md', `---\nname: agent\ndescription: d\n${hooks}---\nx\n`);
      server = await one.serve([`--${kind}`, named, ...more]);
    });
    afterAll(() => one.remove());

    const call = { ...bash('ls'), ...(kind === 'agent' && { agent_id: 'a1', agent_type: 'agent' }) };
    const ways = [[], [`--${kind}`, named], [`--${kind}`, named, ...more]];
    const ask = async (way: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> =>
      (await one.run(['hook', ...argsOf(way)], { stdin: JSON.stringify(call), env })).stdout;

    test.each(files.map(([file, content]) => [file, kind, content] as const))(
      '%s of --%s runs as it was served, and not as somebody has edited it',
      async (file, _, content) => {
        for (const way of ways) expect(await ask(way), way.join(' ')).toContain('says no');
        const before = readFileSync(join(one.path, 'project', file), 'utf8');
        one.write(file, content);
        await looked();
        // What is served and has changed fails, and a hook beside it that has not may deny.
        for (const way of ways) expect(await ask(way), way.join(' ')).toMatch(/"(?:ask|deny)"/);
        const refuses = /"(?:ask|deny)".*(?:has changed since|is not what was accepted)/;
        expect(await ask(ways[1] ?? [])).toMatch(refuses);
        expect((await one.run(['doctor'])).stdout).toMatch(new RegExp(`not what (?:it was|they were): [^ ]*${file}`));
        // Where the server is not found, it is as if it were gone.
        const elsewhere = { XDG_RUNTIME_DIR: join(one.path, 'nowhere') };
        for (const way of ways) expect(await ask(way, elsewhere), way.join(' ')).toMatch(refuses);
        one.write(file, before);
        await looked();
      },
    );

    test('is refused by what was served last when the server is gone', async () => {
      await server.stop();
      for (const way of ways) expect(await ask(way), way.join(' ')).toContain('says no');
      const [[file, content] = ['', '']] = files;
      one.write(file, content);
      for (const way of ways) expect(await ask(way), way.join(' ')).toMatch(/"(?:ask|deny)".*has changed since/);
    });
  });
});
