import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { type AgentFile, readAgentFile } from '../../src/claude-code/files/agent-file.js';

/** Valid frontmatters of different styles. */
const VALID = {
  'two events': `name: a
description: reviews
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./guard.sh
          timeout: 5
        - type: command
          command: ./second.sh
  Stop:
    - hooks:
        - type: command
          command: "echo run the tests first >&2; exit 2"
model: haiku
`,
  'indented deep': `name: a
hooks:
    Stop:
        - hooks:
            - type: command
              command: echo end
    PreToolUse:
        - matcher: Bash
          hooks:
            - type: command
              command: ./guard.sh
        - hooks:
            - command: ./all.sh
              type: command
          matcher: Edit
`,
  'indented little, and without an end': `hooks:
 PreToolUse:
 - matcher: Bash
   hooks:
   - type: command
     command: ./guard.sh
 PostToolUse:
 - hooks:
   - type: command
     command: ./log.sh
   matcher: Write
name: a
tools:
`,
  'lists at the depth of their keys': `tools:
hooks:
  PreToolUse:
  - matcher: Bash
    hooks:
    - type: command
      command: ./guard.sh
  Stop:
  - hooks:
    - type: command
      command: ./stop.sh`,
  'texts of several lines': `name: a
hooks:
  PreToolUse:
    - matcher: "Bash|Edit"
      hooks:
        - type: command
          command: |
            set -e
            check: yes
            ./guard.sh
        - type: command
          command: "one
            two: three
            four"
  Stop:
    - hooks:
        - { type: command,
            command: ./stop.sh }
  SubagentStop:
    - hooks: [{ type: command, command: ./end.sh }]
`,
  'broken lines beside them': `description: Use when: asked
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./guard.sh
          timeout: 5
    - hooks:
        - type: command
          command: ./all.sh
      matcher: Edit
prompt: Review: the change
  - style
skills:
  - a: b: c
`,
};

const read = (frontmatter: string) =>
  readAgentFile(`---\n${frontmatter.trimEnd()}\n---\n\nBody\n`, '/p/a.md', {
    events: ['PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop'],
    onInvalid: 'drop',
  });

/** What guards what: each handler with its event and its matcher. */
const hooksOf = (file: AgentFile | undefined): string[] =>
  Object.entries(file?.dropped === undefined ? (file?.hooks ?? {}) : {}).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher, hooks }) =>
      hooks.map(({ command }) => `${event} ${matcher} ${String(command).split('\n', 1)[0]}`),
    ),
  );

/** Moves one line of a text. */
function shifted(text: string, at: number, by: number): string | undefined {
  const lines = text.split('\n');
  const line = lines[at] as string;
  const indent = line.search(/\S/);
  if (indent < 0 || indent + by < 0) return undefined;
  lines[at] = ' '.repeat(indent + by) + line.trimStart();
  return lines.join('\n');
}

const SHIFTS = [-12, -10, -8, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 6, 8];

test.each(Object.entries(VALID))(
  'a line at another depth moves no hook to another event or matcher: %s',
  async (_, text) => {
    const right = hooksOf(await read(text));
    expect(right.length).toBeGreaterThan(1);
    const wrong: unknown[] = [];
    for (let at = 0; at < text.split('\n').length; at++)
      for (const by of SHIFTS) {
        const moved = shifted(text, at, by);
        if (moved === undefined) continue;
        const file = await read(moved);
        const found = hooksOf(file);
        // A key that stands twice is a warning, and the last one counts.
        const isTold = file?.problems.some(({ level, rule }) => level === 'error' || rule === 'duplicate-key');
        if (JSON.stringify(found) !== JSON.stringify(right) && !isTold)
          wrong.push([text.split('\n')[at], by, found, file?.problems.map(({ message }) => message)]);
      }
    expect(wrong).toEqual([]);
  },
);

const moved = (line: string, by: number): [name: string, text: string] => {
  const text = VALID['two events'];
  const at = text.split('\n').indexOf(line);
  return [`${line.trim()} by ${by}`, shifted(text, at, by) as string];
};

test.each([
  moved('  Stop:', -1),
  moved('  Stop:', -2),
  moved('  Stop:', 4),
  moved('  Stop:', 6),
  moved('  PreToolUse:', -1),
  moved('  PreToolUse:', -2),
  moved('hooks:', 1),
  moved('hooks:', 4),
  moved('    - matcher: Bash', -3),
  moved('      hooks:', -5),
  ['a matcher beside the hooks', `${VALID['lists at the depth of their keys']}\nmatcher: Edit\n`],
  ['an event behind a key without a value', 'name: a\ntools:\n  hooks:\n  Stop:\n    - hooks: []\n'],
])('check says what stands at another depth, too: %s', async (_, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-misindented-'));
  const agents = join(folder, '.claude', 'agents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(join(agents, 'a.md'), `---\n${text}---\n\nBody\n`);
  expect((await read(text))?.problems).toContainEqual(expect.objectContaining({ level: 'error' }));
  for (const path of [folder, join(agents, 'a.md')]) {
    const { findings } = await checkHookFiles({ paths: [path], cwd: folder, home: folder } as never);
    const shape = findings.filter(({ rule }) => !rule.startsWith('script-'));
    expect(shape).toContainEqual(expect.objectContaining({ level: 'error', line: expect.any(Number) }));
  }
});

const GROUPS = `PreToolUse:
  - matcher: Bash
    hooks:
      - type: command
        command: ./guard.sh
`;
const below = (keys: readonly string[], text: string = GROUPS): string =>
  keys.reduceRight(
    (inner, key) =>
      `${key}:\n${inner
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`)
        .join('\n')}\n`,
    text,
  );
const levelsOf = async (text: string): Promise<string[]> =>
  (await read(text))?.problems.map(({ level, where }) => `${level} ${where}`) ?? [];

test.each([
  ['metadata', ['metadata', 'hooks']],
  ['metadata, deeper', ['metadata', 'acme', 'hooks']],
  ["a key of the author's", ['x-acme', 'hooks']],
])('hooks below a key of another purpose are not read, which is a warning: %s', async (_, keys) => {
  for (const own of ['', VALID['two events'].replace('name: a\n', '')]) {
    const text = `name: a\n${own}${below(keys)}`;
    const file = await read(text);
    expect(await levelsOf(text)).toEqual([`warning ${keys.join('.')}`]);
    expect(hooksOf(file)).toHaveLength(own === '' ? 0 : 3);
  }
});

test.each([
  ['a key that has a text', ['description', 'hooks']],
  ['a key that has a list', ['tools', 'hooks']],
  ['the hooks twice', ['hooks', 'hooks']],
  ['no "hooks" around them', ['x-acme']],
])('elsewhere they are taken for a mistake: %s', async (_, keys) => {
  const levels = await levelsOf(
    `name: a\n${below(keys)}hooks:\n`.replace(/hooks:\n$/, keys[0] === 'hooks' ? '' : '$&'),
  );
  expect(levels).toContainEqual(expect.stringMatching(/^error /));
});

test.each([
  ['a literal block', below(['description: |'.replace(/:$/, '')], below(['hooks'])).replace('|:', '|')],
  ['a folded block', below(['description: >-'], below(['hooks'])).replace('-:', '-')],
  [
    'a block behind a line that is no YAML',
    `prompt: Use when: asked\n${below(['example: |'], below(['hooks'])).replace('|:', '|')}`,
  ],
  ['a quoted text', `description: "Write\n${below(['hooks']).replace(/^/gm, '  ')}  "\n`],
  ['a text in single quotes', `description: 'Write\n${below(['hooks']).replace(/^/gm, '  ')}  '\n`],
])('hooks within a text are no hooks, and nothing is said: %s', async (_, text) => {
  const levels = await levelsOf(`name: a\n${text}`);
  expect(levels.filter((one) => !/^warning $/.test(one))).toEqual([]);
  const own = await read(`name: a\n${VALID['two events'].replace('name: a\ndescription: reviews\n', '')}${text}`);
  expect(own?.problems.filter(({ level }) => level === 'error')).toEqual([]);
  expect(hooksOf(own)).toHaveLength(3);
});
