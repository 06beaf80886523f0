import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frontmatterOf, parseYamlTree } from '../../src/check/files/yaml-tree.js';
import { readAgentFile } from '../../src/claude-code/files/agent-file.js';

const RUNS = Number(process.env['HOOKSCOPE_GENERATED'] ?? 100);
const HOOKS = `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./guard.sh
`;
const GUARD = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './guard.sh' }] }] };
const read = (frontmatter: string) =>
  readAgentFile(`---\n${frontmatter}---\n\nBody\n`, '/p/a.md', { events: ['PreToolUse', 'Stop'], onInvalid: 'drop' });
/** Whether `check` sees the hooks, and nothing wrong. */
function checked(frontmatter: string): boolean {
  const block = frontmatterOf(`---\n${frontmatter}---\n`);
  const { root, errors } = parseYamlTree(block?.yaml ?? '', block?.start ?? 0);
  return errors.length === 0 && root?.kind === 'object' && root.entries.some(({ key }) => key === 'hooks');
}

/** What people write behind a key that is no YAML. */
const LINES = [
  'argument-hint: [file] [how]',
  'globs: *.ts',
  'globs: **/*.ts, *.js',
  'author: @me',
  'description: Use this: it is good',
  'description: Reviews code. Examples: <x>user: "hi"</x>',
  'description: say "hi" and: \'go',
  'description: "unbalanced',
  "description: 'unbalanced",
  'description: {a} b',
  'description: [a, b',
  'description: !x y: z',
  'description: &x',
  'description: `code`',
  'description: %d percent',
  'description: 100% # of: it',
  'description: a\tb:\tc',
  'tools:\tRead, Write',
  'model: one\nmodel: two',
  '\tindented: by a tab',
  'description: |\n not: [a] b\n  - "x',
  'description: first\n  then: second: third\n  and [x] y',
  'allowed-tools: Bash(git add:*), Bash(git status:*)',
  'tags: - a - b: c',
  '? x',
  'no colon at all',
  'x: ]',
  'x: }',
  'x: ,',
  'x: | y',
  'x: > y: z',
  '"quoted key: x',
];
const anyLine = fc.oneof(
  fc.constantFrom(...LINES),
  fc
    .tuple(
      fc.stringMatching(/^[a-z][a-z-]{0,6}$/).filter((key) => key !== 'hooks'),
      fc.array(
        fc.constantFrom(
          '[',
          ']',
          '{',
          '}',
          '*',
          '&',
          '!',
          '@',
          '`',
          '%',
          '#',
          ': ',
          ':',
          '"',
          "'",
          ',',
          ' ',
          '\t',
          '|',
          '>',
          '-',
          '?',
          'a',
          '\\',
          '=',
          '$',
        ),
        { maxLength: 8 },
      ),
    )
    .map(([key, value]) => `${key}: ${value.join('')}`),
);

test('no line elsewhere in a frontmatter costs its hooks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyLine, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.constantFrom('\n', '\r\n'),
      async (lines, at, end) => {
        const all = [...lines, HOOKS.trimEnd()];
        // The hooks may stand anywhere, but not within what is indented under another key.
        const [hooks = ''] = all.splice(all.length - 1, 1);
        all.splice(at % (all.length + 1), 0, hooks);
        const text = `${all.join('\n')}\n`.replaceAll('\n', end);
        const file = await read(text);
        expect([text, file?.dropped, file?.hooks]).toEqual([text, undefined, GUARD]);
        expect(checked(text)).toBe(true);
      },
    ),
    { numRuns: RUNS },
  );
});

test.each([
  ['the name', `name: a\n description: odd\n${HOOKS}`],
  ['a quoted name', `name: "a"\n description: odd\n${HOOKS}`],
  ['a name of no YAML', `name: @a\n description: odd\n${HOOKS}`],
  ['a description', `description: d\n odd: x\nname: a\n${HOOKS}`],
  ['the hooks', `name: a\n${HOOKS} odd: x\n`],
  ['the hooks, twice', `name: a\n${HOOKS} odd: x\n strange: [y\n`],
  ['the hooks, where a value of theirs is no YAML', `name: a\n${HOOKS.replace('Bash', '*')} odd: x\n`],
])('a line that is indented by mistake below %s costs neither name nor hooks', async (what, text) => {
  const file = await read(text);
  const guard =
    what.includes('no YAML') && what.includes('hooks') ? JSON.parse(JSON.stringify(GUARD).replace('Bash', '*')) : GUARD;
  expect([file?.dropped, file?.hooks]).toEqual([undefined, guard]);
  expect(file?.name).toMatch(/^@?a$/);
  expect(file?.problems).toMatchObject([{ level: 'warning', rule: 'not-yaml' }]);
  expect(checked(text)).toBe(true);
});

test('hooks that no reading saves are said to be lost', async () => {
  const file = await read('name: a\nhooks:\n  PreToolUse: [\n    - }\n');
  expect(file?.dropped).toMatch(/is not YAML: .*, so none of its hooks is read/);
});

test('what had to be read leniently is a warning, at its place; what is YAML is none', async () => {
  const file = await read(`name: a\nargument-hint: [file] [how]\n${HOOKS}`);
  expect(file).toMatchObject({
    name: 'a',
    problems: [
      {
        level: 'warning',
        rule: 'not-yaml',
        line: 3,
        message: expect.stringMatching(/is not YAML: .*; it was read line by line/),
      },
    ],
  });
  expect((await read(`name: a\ndescription: b\n${HOOKS}`))?.problems).toEqual([]);
});

test('the name counts though it is no YAML', async () => {
  expect((await read(`name: @me\n${HOOKS}`))?.name).toBe('@me');
});

test.each([
  ['matcher: *', '*'],
  ['matcher: mcp__x: y', 'mcp__x: y'],
  ['matcher: [Edit] [Write]', '[Edit] [Write]'],
])('a value within the hooks is what stands there: %s', async (line, matcher) => {
  const file = await read(HOOKS.replace('matcher: Bash', line));
  expect(file?.hooks['PreToolUse']?.[0]).toMatchObject({ matcher });
});

test('a command with a colon, and one in a block of text beside it', async () => {
  const file = await read(
    `${HOOKS.replace('./guard.sh', 'echo a: b')}        - type: command\n          command: |\n            x: [a] b\n`,
  );
  expect(file?.hooks['PreToolUse']?.[0]?.hooks.map((hook) => hook['command'])).toEqual(['echo a: b', 'x: [a] b\n']);
});

test('hooks that nobody can read are an error', async () => {
  expect((await read('hooks:\n  PreToolUse: [\n    - }\n'))?.dropped).toMatch(/its frontmatter is not YAML/);
});

test.each(LINES)('%j before and after the hooks', async (line) => {
  for (const text of [`${line}\n${HOOKS}`, `${HOOKS}${line}\n`]) expect((await read(text))?.hooks).toEqual(GUARD);
});

test.each([
  ['indented as a whole', `name: a\n${HOOKS}`.replace(/^(?=.)/gm, '  ')],
  ['with an anchor', HOOKS.replace('hooks:', '&h hooks:')],
  ['with a tag', HOOKS.replace('hooks:', '!!str hooks:')],
  ['with its colon on the next line', HOOKS.replace('hooks:', '? hooks\n:')],
  ['behind CRLF', HOOKS.replaceAll('\n', '\r\n')],
])('hooks are not lost for how their key stands: %s', async (_, frontmatter) => {
  expect((await read(frontmatter))?.hooks).toEqual(GUARD);
});
