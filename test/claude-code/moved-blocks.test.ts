import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { type AgentFile, readAgentFile } from '../../src/claude-code/files/agent-file.js';

const FRONTMATTERS = {
  'two events': `name: a
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./guard.sh
          timeout: 5
  Stop:
    - hooks:
        - type: command
          command: exit 2
model: haiku
`,
  'lists at the depth of their keys': `hooks:
  PreToolUse:
  - hooks:
    - type: command
      command: ./guard.sh
    matcher: Bash
  Stop:
  - hooks:
    - type: command
      command: ./stop.sh
      timeout: 5
name: a
`,
  'several groups and handlers': `description: Use when: asked
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: ./guard.sh
          if: Bash(rm *)
        - type: command
          command: ./second.sh
    - matcher: Edit
      hooks:
        - type: http
          url: https://example.com/
          onFailure: block
  SubagentStop: [{ hooks: [{ type: command, command: ./end.sh }] }]
  PostToolUse:
    - hooks:
        - type: prompt
          prompt: Judge it
`,
  'the input of a tool, a text and comments': `hooks: # mine
  PreToolUse:
    - matcher: Bash
      # all of it
      hooks:
        - type: mcp_tool
          server: s
          tool: t
          input:
            path: x
  Stop:
    - hooks:
        - type: command
          command: |
            echo one
            exit 2
  # the end
  SubagentStop:
    - hooks:
        - type: command
          command: ./end.sh
skills:
  - a
  - b
`,
};

const read = (frontmatter: string) =>
  readAgentFile(`---\n${frontmatter}---\n\nBody\n`, '/p/a.md', {
    events: ['PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop'],
    onInvalid: 'drop',
  });

/** What guards what: each handler as it is, with its event and its matcher. The lines of a text may be indented in any way. */
const hooksOf = (file: AgentFile | undefined): string[] =>
  Object.entries(file?.dropped === undefined ? (file?.hooks ?? {}) : {}).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher, hooks }) =>
      hooks.map((hook) => JSON.stringify([event, matcher, hook]).replaceAll(/(?:\\n| )+/g, ' ')),
    ),
  );

/** The hooks without the options that a line may take from them without a change of what runs for what. */
const withoutOptions = (hooks: readonly string[]): string[] =>
  hooks.map((hook) => {
    const [event, matcher, handler] = JSON.parse(hook) as [string, string, Record<string, unknown>];
    const { timeout, if: _, onFailure, ...rest } = handler;
    return JSON.stringify([event, matcher, rest]);
  });

/** The text with each block of one to four lines at other depths. */
function* moves(text: string): Generator<string> {
  const lines = text.trimEnd().split('\n');
  for (let from = 0; from < lines.length; from++)
    for (let to = from + 1; to <= Math.min(from + 4, lines.length); to++)
      for (const by of [-8, -6, -4, -2, -1, 1, 2, 4, 6, 8]) {
        const block = lines.slice(from, to);
        if (block.some((line) => line.search(/\S/) + by < 0)) continue;
        const moved = block.map((line) => ' '.repeat(line.search(/\S/) + by) + line.trimStart());
        yield `${[...lines.slice(0, from), ...moved, ...lines.slice(to)].join('\n')}\n`;
      }
}

/** The rules of what check says of a frontmatter as an error. */
async function checked(frontmatter: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-moved-'));
  const agents = join(folder, '.claude', 'agents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(join(agents, 'a.md'), `---\n${frontmatter}---\n\nBody\n`);
  const { findings } = await checkHookFiles({ paths: [join(agents, 'a.md')], cwd: folder, home: folder } as never);
  return findings.flatMap(({ level, rule, line }) => (level === 'error' && line !== undefined ? [rule] : []));
}

test.each(Object.entries(FRONTMATTERS))(
  'lines at another depth lose or move no hook without an error, and no option of one without a warning: %s',
  async (_, text) => {
    const right = hooksOf(await read(text));
    const wrong: unknown[] = [];
    const seen = new Set<string>();
    for (const moved of moves(text)) {
      const file = await read(moved);
      const found = hooksOf(file);
      // A comment that is moved into a text is a part of it.
      if (JSON.stringify(found).replaceAll(' # the end', '') === JSON.stringify(right)) continue;
      // Of a key that stands twice the last one counts, which is a warning of loading and an error of check.
      const isSame = JSON.stringify(withoutOptions(found)) === JSON.stringify(withoutOptions(right));
      const told =
        file?.problems.filter(({ level, rule }) => isSame || level === 'error' || rule === 'duplicate-key') ?? [];
      const kind = told.map(({ rule, message }) => `${rule} ${message.replace(/:.*/, '')}`).join();
      if (told.some(({ line }) => line === undefined) || told.length === 0) wrong.push([moved, found, file?.problems]);
      else if (!seen.has(kind) && !isSame) expect([moved, await checked(moved)]).not.toEqual([moved, []]);
      seen.add(kind);
    }
    expect(wrong).toEqual([]);
  },
);

const WHOLE = FRONTMATTERS['two events'];
test.each([
  [WHOLE.replace('  Stop:\n', '          Stop:\n').replace('    - hooks:\n', '            - hooks:\n'), 9],
  [WHOLE.replace('  Stop:\n', '      Stop:\n').replace('    - hooks:\n', '        - hooks:\n'), 9],
])('what is at another depth is told once, at its line, and the other hooks are read: %#', async (text, line) => {
  const problems = (await read(text))?.problems;
  expect(problems).toEqual([expect.objectContaining({ level: 'error', rule: 'misplaced', line: line + 1 })]);
  expect((await checked(text)).filter((rule) => rule !== 'script-missing')).toEqual(['misplaced']);
});

const OPTIONS = [
  'timeout: 60',
  'if: Bash(rm *)',
  'once: true',
  'async: true',
  'headers: { a: b }',
  'statusMessage: x',
  'onFailure: block',
];
const GUARD = `name: a
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: exit 2
`;

test.each(OPTIONS)(
  'an option of a handler that stands elsewhere costs no hook, and is a warning: %s',
  async (option) => {
    const right = hooksOf(await read(GUARD));
    for (const text of [
      `${GUARD}${option}\n`,
      `${GUARD}      ${option}\n`,
      `${GUARD}  ${option}\n`,
      GUARD.replace('hooks:\n  Pre', `hooks:\n  ${option}\n  Pre`),
    ]) {
      const file = await read(text);
      expect([text, hooksOf(file)]).toEqual([text, right]);
      expect(file?.problems).toEqual([expect.objectContaining({ level: 'warning', rule: 'unknown-key' })]);
      expect([text, await checked(text)]).toEqual([text, []]);
    }
  },
);

test.each(['timeout', 'headers'])(
  'what an option at another depth takes with it is lost with an error: %s',
  async (option) => {
    const text = `${GUARD}${option}:\n  - type: command\n    command: ./second.sh\n`;
    expect((await read(text))?.problems.some(({ level }) => level === 'error')).toBe(true);
  },
);
