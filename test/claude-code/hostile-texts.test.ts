import { afterEach, describe, expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { namedBy, namedFiles } from '../../src/trust/named/named-files.js';
import { cli } from '../cli/cli.js';
import { growth } from '../growth.js';
import { closeAll, createProject, hook, hooksOn } from './project.js';

afterEach(closeAll);

const MUCH = 60_000;
const frontmatter = (yaml: string): string => `---\nname: a\n${yaml}\n---\n`;
const nestedIn = (open: string, close: string, inner = '1'): string => open.repeat(1e5) + inner + close.repeat(1e5);

/** What a parser, or what looks at what it has read, runs out of stack, memory or time with. */
const AGENTS: Readonly<Record<string, string>> = {
  'brackets that are open': `hooks: ${'['.repeat(MUCH)}`,
  'brackets that are closed again': `hooks: ${'['.repeat(MUCH / 2)}${']'.repeat(MUCH / 2)}`,
  'braces in braces': `hooks: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'lists in lists': `hooks:\n  ${'- '.repeat(MUCH / 2)}a`,
  'keys of keys': `hooks:\n  ${'? '.repeat(MUCH / 2)}`,
  'keys of keys, a line each': `hooks:\n${Array.from({ length: 300 }, (_, i) => `${' '.repeat(i + 1)}?\n`).join('')}`,
  'deep lines': `hooks:\n${Array.from({ length: 500 }, (_, i) => `${' '.repeat(i + 1)}a:\n`).join('')}`,
  'a line that is no YAML, very often': `hooks:\n  PreToolUse:\n${'    - matcher: @x\n'.repeat(50_000)}`,
  'a very long one': `hooks:\n  Stop: "${'a '.repeat(2e6)}"`,
};
const DEEP: Readonly<Record<string, string>> = {
  arrays: nestedIn('[', ']'),
  objects: nestedIn('{"hooks":', '}'),
  'arrays that are not closed': '['.repeat(1e5),
  'objects that are not closed': '{"hooks":'.repeat(1e5),
  'objects just deep enough for some of the stack': `${'{"hooks":'.repeat(4500)}1${'}'.repeat(4500)}`,
};
const GOOD = hooksOn('PreToolUse', hook('good'));

describe.each(Object.entries(AGENTS))('a frontmatter of %s', (_, yaml) => {
  test('is told by name, and costs nobody else anything', async () => {
    const project = createProject();
    project.write('project/.claude/agents/a.md', frontmatter(yaml));
    project.write('project/.claude/settings.json', GOOD);
    const { problems, host } = await project.load({ trust: 'all' });
    expect(problems).toEqual([
      expect.objectContaining({
        level: 'error',
        file: expect.stringContaining('a.md'),
        message: expect.stringMatching(
          /^its frontmatter is (?:nested too deeply|longer than 64 KiB), so none of its hooks is read$/,
        ),
      }),
    ]);
    expect(String(host.describe())).toContain('good');
    const { findings } = await checkHookFiles({ paths: [project.dir], home: project.home });
    expect(findings.map(({ rule, message }) => [rule, message])).toContainEqual([
      'unreadable',
      expect.stringMatching(/^It is (?:nested too deeply|longer than 64 KiB)\.$/),
    ]);
  });
});

describe.each(Object.entries(DEEP))('JSON of %s', (_, json) => {
  test.each(['project/.claude/settings.json', 'plugin/.claude-plugin/plugin.json', 'plugin/hooks/hooks.json'])(
    'as %s is told by name, and costs nobody else anything',
    async (path) => {
      const project = createProject();
      project.write(path, json);
      project.write('project/.claude/settings.local.json', GOOD);
      const { problems, host } = await project.load({
        trust: 'all',
        plugins: path.startsWith('plugin') ? [`${project.path}/plugin`] : [],
      });
      expect(problems).toEqual([
        expect.objectContaining({ level: 'error', file: `${project.path}/${path}`, message: 'is nested too deeply' }),
      ]);
      expect(String(host.describe())).toContain('good');
    },
  );

  test.each([
    [['list', '--no-config', '--hooks'], 'hooks.json'],
    [['list', '--config'], 'hooks.json'],
    [['fire', 'PreToolUse', '--no-config', '--input'], 'hooks.json'],
    [['run', '--no-config'], 'hooks.json'],
    [['list'], 'hookscope.config.json'],
  ])('given to %s is one message', async (args, name) => {
    const project = createProject();
    const file = project.write(`project/${name}`, json);
    const { stderr, code } = await cli([...args, ...(args.length > 1 ? [file] : [])], { cwd: project.dir });
    expect([stderr, code]).toEqual([expect.stringContaining(name), args.length > 1 ? 1 : 0]);
    expect(stderr).not.toContain('call stack');
  });
});

describe('of commands', () => {
  test('one that is too long is not read for names, and trust says so', () => {
    const variables = { projectDir: '/nowhere' };
    const long = `./guard ${'a '.repeat(8 * 1024)}`;
    expect(namedFiles({ type: 'command', command: long }, variables)).toMatchObject({
      files: [],
      unresolved: ['a command of more than 16 KiB'],
    });
    expect(namedFiles({ type: 'command', command: long.slice(0, 10_000) }, variables).files).toEqual(['guard']);
  });

  test('what stands behind very many is not read either', () => {
    const handlers = Array.from({ length: 60 }, (_, i) => ({
      type: 'command',
      command: `./g${i} ${'a'.repeat(10_000)}`,
    }));
    const { files, unresolved } = namedBy(handlers, { projectDir: '/nowhere' });
    expect([files.length, unresolved]).toEqual([52, ['what stands behind 512 KiB of commands']]);
  });

  test.each(['PATH=abc:$PATH; ', 'a=$a$a; '])(
    'what %j costs grows with how often it stands there, and not faster',
    async (line) => {
      const read = (times: number) =>
        namedFiles({ type: 'command', command: `a=b; ${line.repeat(times)}guard` }, { projectDir: '/nowhere' });
      expect(await growth(read, { few: 100, many: 800, most: 32 })).toBeLessThan(32);
    },
  );
});
