import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { readAgentFile } from '../../src/claude-code/files/agent-file.js';

const HOOKS = `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: exit 2
`;
const FLAT = `hooks:
  PreToolUse:
  - hooks:
    - type: command
      command: exit 2
    matcher: Bash
`;
/** A handler that ends with the input of a tool. */
const MCP = HOOKS.replace(
  'command: exit 2',
  'server: s\n          tool: t\n          input:\n            a: b',
).replace('type: command', 'type: mcp_tool');

async function read(frontmatter: string) {
  const text = `---\nname: a\n${frontmatter}---\n\nBody\n`;
  const file = await readAgentFile(text, '/p/a.md', { events: ['PreToolUse', 'Stop'], onInvalid: 'drop' });
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-beside-'));
  const agents = join(folder, '.claude', 'agents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(join(agents, 'a.md'), text);
  const { findings } = await checkHookFiles({ paths: [join(agents, 'a.md')], cwd: folder, home: folder } as never);
  const levels = [...(file?.problems ?? []), ...findings].map(({ level }) => level);
  return { file, hasErrors: levels.includes('error') };
}

const BROKEN = [
  'description: Use this agent when: code is reviewed\n  - style\n  - tests\n',
  'description: Reviews: code\n- style\n- tests\n',
  'description: Use when: x\n  <example>\n  user: "do: it"\n  - step: one\n  - type: two\n  </example>\n',
  'description: Use when: x\n  type: y\n  command: z\n',
  'description: Use when: x\n  hooks:\n  matchers\n',
  'args: [a] [b]\n',
  'prompt: Review: the change\n',
  'prompt: Review: the change\n  type: y\n',
  'shell: a: b\n',
  'skills:\n  - a\n  - b: c: d\n',
  'mcpServers:\n  x:\n    type: http\n    url: a: b\n',
  'tools: *\nmodel: a: b\n',
  '- a\n',
  '- a: b: c\n  d\n',
  '- a\n- type: b: c\nmodel: d\n',
  'mcpServers:\n    - matcher: x\n      type: http\n      command: a: b\n',
  'mcpServers: # two\n\n    - type: http\n      command: a: b\n      if: x\n',
  'description: Use it\n\n<example>\nuser: "a"\nassistant: "b: c"\n</example>\n\n<example>\nuser: "d"\nassistant: "e"\n</example>\n',
  'metadata:\n  a: 1\n  a: 2\n',
  'tools: Read\ntools: Write\n',
];

test.each(BROKEN)('a broken line beside hooks takes none of them: %j', async (broken) => {
  for (const hooks of [HOOKS, FLAT])
    for (const frontmatter of [hooks + broken, broken + hooks, `${hooks}color: red\n${broken}`]) {
      const { file, hasErrors } = await read(frontmatter);
      expect([frontmatter, file?.dropped, file?.hooks['PreToolUse']]).toEqual([
        frontmatter,
        undefined,
        [{ matcher: 'Bash', hooks: [expect.objectContaining({ command: 'exit 2' })] }],
      ]);
      expect([frontmatter, hasErrors]).toEqual([frontmatter, false]);
    }
});

test.each([
  'description: Explains the parts: what runs when\n  hooks:\n  matchers, and settings\ntools: Read\n',
  'description: Explains: parts\n  hooks:\n  - PreToolUse\n  - Stop\n',
  'hooks:\n  Stop:\n    - hooks:\n        - { type: mcp_tool, server: s, tool: t, input: { PreToolUse: [{ hooks: [a] }] } }\n',
  'hooks:\n  Stop:\n    - hooks:\n        - { type: mcp_tool, server: s, tool: t, input: { matcher: x } }\n',
  `${HOOKS}Stop:\n`,
  `${HOOKS}matcher: x\n`,
  `matcher: x\n${HOOKS}`,
  `matcher: x\nhooks:\n  Stop:\n    - hooks: [{ type: command, command: exit 0 }]\n`,
])('a frontmatter in which no hook stands at another depth has no error: %j', async (frontmatter) => {
  expect((await read(frontmatter)).hasErrors).toBe(false);
});

test.each([
  [
    'an event',
    `${HOOKS}Stop:\n    - hooks:\n        - type: command\n          command: a: b\n          timeout: x: y\n`,
  ],
  ['the key of a handler', `${HOOKS}timeout: 5\n          if: Bash(rm *)\n`],
  ['the command of a handler', `${HOOKS.replace('          command', 'command')}        - type: command\n`],
  ['an event in lower case', `${HOOKS}stop:\n    - hooks:\n        - type: command\n          command: a: b\n`],
  [
    'a group at the depth of hooks',
    `${HOOKS}- matcher: Edit\n      hooks:\n        - type: command\n          command: x\n`,
  ],
  ['a handler below another key', `${HOOKS}tools:\n        - type: command\n          command: a: b\n`],
  ['a key between its group and the next', `${HOOKS}model: a: b\n    - matcher: Edit\n      hooks: []\n`],
  ['hooks twice', `${HOOKS}${FLAT}`],
  ['the name twice', `${HOOKS}name: b\n`],
  ['an event in the input of a tool', `${MCP}            Stop:\n    - hooks: []\n`],
])('what is a part of the hooks at another depth is an error: %s', async (_, frontmatter) => {
  expect((await read(frontmatter)).hasErrors).toBe(true);
});
