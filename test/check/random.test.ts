import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { checkSources } from '../../src/check/check.js';
import type { FileKind, FilePlace } from '../../src/check/files/kinds.js';
import { readSource } from '../../src/check/files/source-file.js';
import { RULES } from '../../src/check/rules/rules.js';

/** How much of everything, next to a thousand: a fifth in the gate. */
const SHARE = Number(process.env['HOOKSCOPE_GENERATED'] ?? 200) / 1000;

const usual = fc.readConfigureGlobal();
fc.configureGlobal({ ...usual, baseSize: 'xsmall' });
afterAll(() => fc.configureGlobal(usual));

const MACHINE = { cwd: '/project', home: '/nobody', path: '', managed: '/nowhere' };
const KINDS: readonly FileKind[] = [
  'managed',
  'user',
  'project',
  'local',
  'settings',
  'plugin',
  'manifest',
  'config',
  'hooks-file',
];
const kind = fc.constantFrom(...KINDS);
const place = (of: FileKind): FilePlace => ({
  kind: of,
  project: '/project',
  plugin: of === 'plugin' ? '/project' : undefined,
});

/** Checks the text; every finding has a rule and stands in the text. */
async function check(path: string, text: string, of: FileKind): Promise<number> {
  const file = readSource(path, text, place(of));
  if (!file) return 0;
  const { findings } = await checkSources([file], MACHINE);
  const lines = text.split('\n');
  for (const found of findings) {
    expect(Object.keys(RULES)).toContain(found.rule);
    expect(found.line).toBeLessThanOrEqual(lines.length);
    expect(found.column).toBeLessThanOrEqual((lines[found.line - 1] ?? '').length + 1);
    expect(found.endLine * 1e6 + found.endColumn).toBeGreaterThanOrEqual(found.line * 1e6 + found.column);
    expect(found.message).not.toContain('undefined');
  }
  return findings.length;
}

/** Words that mean something here, among others. */
const word = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'PreToolUse',
    'Stop',
    'SessionStart',
    'hooks',
    'matcher',
    'type',
    'command',
    'timeout',
    'if',
    'args',
    'url',
  ),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'http',
    'prompt',
    'agent',
    'mcp_tool',
    '*',
    'Bash(git *)',
    '(a+)+$',
    '[',
  ),
  fc.constantFrom(
    '$CLAUDE_PROJECT_DIR/x.sh',
    '"',
    'echo \'{"decision":1}\'; exit 2',
    'a=(1 2',
    '[[ a =~ (b) ]] && exit 1',
    `sh \${x`,
    '~/a\0b',
  ),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    word,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(word, tie('any'), { maxKeys: 5 }),
}));
const handler = fc.record(
  {
    type: fc.oneof({ weight: 8, arbitrary: fc.constantFrom('command', 'http', 'prompt', 'agent', 'mcp_tool') }, word),
    command: fc.oneof({ weight: 8, arbitrary: word }, value.any),
    args: value.any,
    shell: word,
    if: word,
    url: word,
    headers: value.object,
    allowedEnvVars: value.list,
    timeout: fc.oneof(fc.double(), word),
    async: fc.boolean(),
    once: fc.boolean(),
  },
  { requiredKeys: ['type'] },
);
const group = fc.record(
  {
    matcher: fc.oneof(word, value.any),
    hooks: fc.array(fc.oneof({ weight: 8, arbitrary: handler }, value.any), { minLength: 1 }),
  },
  { requiredKeys: [] },
);
const file = fc.record({
  hooks: fc.dictionary(
    fc.oneof(fc.constantFrom('PreToolUse', 'Stop', 'SessionStart', 'FileChanged', 'PreCompact'), word),
    fc.array(fc.oneof({ weight: 8, arbitrary: group }, value.any), { minLength: 1 }),
    { minKeys: 1 },
  ),
});

test('any JSON is checked, whatever the file is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(file, value.any),
      kind,
      async (data, of) => void (await check('/project/a.json', JSON.stringify(data, undefined, 1), of)),
    ),
    { numRuns: Math.ceil(1500 * SHARE) },
  );
});

test('any text is checked, JSON or not', async () => {
  const cut = fc.tuple(file, fc.nat(), word).map(([data, at, more]) => {
    const text = JSON.stringify(data);
    return text.slice(0, at % text.length) + more;
  });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string(), cut),
      kind,
      async (text, of) => void (await check('/project/a.json', text, of)),
    ),
    { numRuns: Math.ceil(500 * SHARE) },
  );
});

test('any frontmatter is checked, YAML or not', async () => {
  const yaml = fc.oneof(
    fc.string(),
    file.map((data) => JSON.stringify(data)),
    fc.array(word).map((words) => words.join(': \n - ')),
  );
  const text = fc
    .tuple(yaml, fc.constantFrom('\n', '\r\n'))
    .map(([block, end]) => `---${end}hooks: ${block}${end}---${end}`);
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom<FileKind[]>('agent', 'skill', 'command'),
      async (md, of) => void (await check('/project/agents/a.md', md, of)),
    ),
    { numRuns: Math.ceil(500 * SHARE) },
  );
});

test('generated files are not all refused at the door', async () => {
  const counts = await Promise.all(
    fc.sample(file, { numRuns: 100, seed: 1 }).map((data) => check('/project/a.json', JSON.stringify(data), 'project')),
  );
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(50);
});

const stopHook = (command: string): string =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });

// Two sizes each, and no look at the clock.
test.each<[string, sizes: readonly number[], (size: number) => string, string[]]>([
  ['a list nested deep', [1_000, 36_000], (size) => '['.repeat(size), ['unreadable']],
  [
    'an object nested deep',
    [1_000, 5_000],
    (size) => `${'{"hooks":'.repeat(size)}1${'}'.repeat(size)}`,
    ['unreadable'],
  ],
  ['a string of a megabyte', [10_000, 200_000], (size) => JSON.stringify({ statusLine: 'a"\\n['.repeat(size) }), []],
  ['a long command', [100, 2_000], (size) => stopHook('echo a; '.repeat(size)), []],
  ['a command of many parentheses', [100, 4_000], (size) => stopHook('$('.repeat(size)), []],
])('%s is no trouble', async (_, sizes, made, rules) => {
  for (const size of sizes) {
    const file = readSource('/project/a.json', made(size), place('project'));
    const { findings } = await checkSources(file ? [file] : [], MACHINE);
    expect(findings.map(({ rule }) => rule)).toEqual(rules);
  }
});

test('a YAML alias within what it stands for is an error at its place', async () => {
  const text = '---\nname: a\nhooks: &a\n  Stop: [*a]\n---\n';
  const { findings } = await checkSources([readSource('/project/agents/a.md', text, place('project'))!], MACHINE);
  expect(findings[0]).toMatchObject({ rule: 'unreadable', level: 'error', line: 4, column: 10 });
});

test('JSON that is nested too deeply is said to be so', async () => {
  const text = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  const { findings } = await checkSources([readSource('/project/a.json', text, place('project'))!], MACHINE);
  expect(findings).toMatchObject([{ rule: 'unreadable', message: 'It is nested too deeply.' }]);
});

test('YAML aliases that stand for billions are no trouble', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`);
  const text = ['---', 'a0: &a0 [x, x]', ...levels, 'hooks: *a12', '---', ''].join('\n');
  expect(await check('/project/agents/a.md', text, 'agent')).toBeGreaterThan(0);
});

test('a name that a command repeats ten thousand times is looked for once', async () => {
  let asked = 0;
  const machine = {
    ...MACHINE,
    get path() {
      asked++;
      return MACHINE.path;
    },
  };
  const command = 'local a=1; exit; f() { read a; }; f; '.repeat(2_500);
  const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
  await checkSources([readSource('/project/a.json', text, place('project'))!], machine);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(10);
});
