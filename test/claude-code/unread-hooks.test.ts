import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkHookFiles } from '../../src/check/check.js';
import { type AgentFile, readAgentFile } from '../../src/claude-code/files/agent-file.js';

const VALID = `name: a
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
          command: ./stop.sh
model: haiku
`;

const read = (frontmatter: string) =>
  readAgentFile(`---\n${frontmatter}---\n\nBody\n`, '/p/a.md', {
    events: ['PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop'],
    onInvalid: 'drop',
  });

/** What guards what: each handler as it is, with its event and its matcher. */
const hooksOf = (file: AgentFile | undefined): string[] =>
  Object.entries(file?.dropped === undefined ? (file?.hooks ?? {}) : {}).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher, hooks }) => hooks.map((hook) => JSON.stringify([event, matcher, hook]))),
  );

/** What check says of a frontmatter, apart from the scripts that its hooks run; undefined if it finds no hooks in it. */
async function checked(frontmatter: string): Promise<string[] | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-unread-'));
  const agents = join(folder, '.claude', 'agents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(join(agents, 'a.md'), `---\n${frontmatter}---\n\nBody\n`);
  const { findings, files } = await checkHookFiles({ paths: [folder], cwd: folder, home: folder } as never);
  if (files.length === 0) return undefined;
  return findings.flatMap(({ level, rule }) => (rule.startsWith('script-') ? [] : [level]));
}

const BLANKS = ['\u00a0', '\u3000', '\u2003', '\u202f', '\u200b', '\ufeff', '\u2060', '\u200e'];

/** A line with such a character in place of a space, or beside its key. */
function* spoilt(line: string, blank: string): Generator<string> {
  const key = line.search(/[^\s-]/);
  const end = line.indexOf(':');
  for (const at of new Set([0, line.search(/\S/), key, key + 2, end, end + 1]))
    yield line.slice(0, at) + blank + line.slice(at);
  for (const at of new Set([0, line.indexOf(' '), key - 1, end + 1]))
    if (line[at] === ' ') yield line.slice(0, at) + blank + line.slice(at + 1);
  yield line.replace(/^ +/, (spaces) => blank.repeat(spaces.length));
  yield line.replace(/^ {2}/, blank);
}

test.each(BLANKS)(
  'a character that looks like a space or cannot be seen loses no hook without an error: %j',
  async (blank) => {
    const right = hooksOf(await read(VALID));
    const wrong: unknown[] = [];
    const lines = VALID.split('\n').slice(0, -1);
    for (const [i, line] of lines.entries())
      for (const other of spoilt(line, blank)) {
        const text = `${[...lines.slice(0, i), other, ...lines.slice(i + 1)].join('\n')}\n`;
        const file = await read(text);
        const found = hooksOf(file);
        const isSame = JSON.stringify(found).replaceAll(blank, '') === JSON.stringify(right);
        const errors = file?.problems.filter(({ level, line: at }) => level === 'error' && at !== undefined) ?? [];
        if (!isSame && errors.length === 0) wrong.push([text, found, file?.problems]);
        if (!isSame && !(await checked(text))?.includes('error')) wrong.push([text, 'check']);
      }
    expect(wrong).toEqual([]);
  },
);

const HANDLERS = '\n        - type: command\n          command: ./stop.sh\n';
const GROUPS = `\n    - hooks:${HANDLERS}`;
const ONE = VALID.slice(0, VALID.indexOf('  Stop:'));
const FLOW = '[{ matcher: Bash, hooks: [{ type: command, command: ./stop.sh }] }]';

test.each([
  ['Stops', `${ONE}Stops:${GROUPS}`, 'Stop'],
  ['preToolUse', `${ONE}preToolUse: ${FLOW}\n`, 'PreToolUse'],
  ['Stops without hooks', `name: a\nStops:${GROUPS}`, 'Stop'],
  ['Stop, with handlers and no group', `${ONE}Stop:${HANDLERS}`, undefined],
  ['Stop, with a group and no list', `${ONE}Stop:\n      hooks:${HANDLERS}`, undefined],
  ['Stop, with a handler', `${ONE}Stop:\n  type: command\n  command: ./stop.sh\n`, undefined],
  ['Stop, with handlers, without hooks', `name: a\nStop:${HANDLERS}`, undefined],
  ['Hooks', `name: a\nHooks:\n  Stop: ${FLOW}\n`, 'hooks'],
  ['Hooks beside hooks', `${ONE}Hooks:\n  Stop: ${FLOW}\n`, 'hooks'],
  ['hooks with two colons', `name: a\nhooks::\n  Stop: ${FLOW}\n`, 'hooks'],
  ['hook', `name: a\nhook:\n  Stop:${GROUPS}`, 'hooks'],
  ['hook with handlers alone', `name: a\nhook:\n  Stop: [{ type: command, command: ./stop.sh }]\n`, 'hooks'],
  ['hooks in braces', `name: a\n"Hooks": { "Stop": ${FLOW} }\n`, 'hooks'],
])('hooks below a key that is nearly the right one are an error: %s', async (_, text, meant) => {
  const errors = (await read(text))?.problems.filter(({ level }) => level === 'error');
  expect(errors).toEqual([expect.objectContaining({ line: expect.any(Number) })]);
  expect(errors?.[0]?.nearest).toBe(meant);
  expect(await checked(text)).toEqual(['error']);
});

test.each([
  ['in a list of groups', `${ONE}guards:${GROUPS}`],
  ['in a list of handlers below a key that is nearly hooks', `${ONE}metadata:\n  hook:${HANDLERS}`],
  ["in a list of handlers below an event's nearly right name", `${ONE}metadata:\n  preToolUse:${HANDLERS}`],
  ['below another key', `${ONE}metadata:\n  guards:${GROUPS}`],
  ['in a group', `${ONE}metadata:\n  hooks:${HANDLERS}`],
  ['without hooks', `name: a\nguards: ${FLOW}\n`],
])('hooks below any other key are a warning: %s', async (_, text) => {
  const file = await read(text);
  expect(file?.problems).toEqual([expect.objectContaining({ level: 'warning', rule: 'unknown-key' })]);
  expect(file?.problems[0]?.message).toMatch(/so none of them runs$|where hooks are not read/);
  expect(await checked(text)).toEqual(['warning']);
});

test.each([
  'mcpServers:\n  - type: http\n    url: https://example.com/\n',
  'mcpServers:\n  s:\n    type: stdio\n    command: ./server\n',
  'description: |\n  hooks:\n    Stop:\n      - hooks:\n          - type: command\n            command: ./stop.sh\n',
  `description: 'Write { "hooks": [{ "type": "command" }] } there'\n`,
  'hook:\n  - one\n',
  'statusLine:\n  type: command\n  command: ./line.sh\n',
  'steps:\n  - type: command\n    command: npm test\n  - type: prompt\n    prompt: hi\n',
  'evals:\n  - type: prompt\n    prompt: what?\n',
  'metadata:\n  steps:\n    - type: command\n      command: npm test\n',
])('what is no hook is none: %j', async (text) => {
  expect((await read(`name: a\n${text}`))?.problems ?? []).toEqual([]);
  expect(await checked(`name: a\n${text}`)).toBeUndefined();
  expect((await read(`${ONE}${text}`))?.problems).toEqual([]);
});

const ANCHOR = '\n  - matcher: Bash\n    hooks:\n      - type: command\n        command: exit 2\n';
test.each([
  ['the groups of an event', `x-guard: &g${ANCHOR}hooks:\n  PreToolUse: *g\n`],
  ['the groups, further down', `x:\n guard: &g${ANCHOR}hooks:\n  PreToolUse: *g\n`],
  ['below the name of an event', `PreToolUse: &g${ANCHOR}hooks:\n  PreToolUse: *g\n`],
  ['all hooks', `hook: &h\n PreToolUse:${ANCHOR}hooks: *h\n`],
  ['each group', `guards:\n  - &a { hooks: [{ type: command, command: exit 2 }] }\nhooks:\n  PreToolUse: [*a]\n`],
  ['by their use', `hooks:\n  PreToolUse: &g${ANCHOR}x-guard: *g\n`],
])('hooks behind an anchor that the hooks use run, and are not told to be lost: %s', async (_, text) => {
  const file = await read(`name: a\n${text}`);
  expect(hooksOf(file)).toHaveLength(1);
  expect(file?.problems).toEqual([]);
  expect(await checked(`name: a\n${text}`)).toEqual([]);
});

test('hooks behind an anchor that only other keys use are told', async () => {
  const text = `${ONE}x-guard: &g${ANCHOR}x-other: *g\n`;
  expect((await read(text))?.problems.map(({ where }) => where)).toEqual(['x-guard', 'x-other']);
  expect(await checked(text)).toEqual(['warning', 'warning']);
});

test.each([
  ['http', 'url: http://127.0.0.1:9/x'],
  ['prompt', 'prompt: Judge it'],
  ['agent', 'prompt: Judge it'],
  ['mcp_tool', 'server: s\n    tool: t'],
])('a handler of any type below the name of an event is an error there: %s', async (type, more) => {
  const lost = `Stop:\n  - type: ${type}\n    ${more}\n`;
  for (const text of [
    `name: a\n${lost}`,
    `${ONE}${lost}`,
    `name: a\nStop:\n  type: ${type}\n  ${more.replace('\n  ', '\n')}\n`,
  ]) {
    const errors = (await read(text))?.problems.filter(({ level }) => level === 'error');
    expect([text, errors]).toEqual([
      text,
      [expect.objectContaining({ rule: expect.stringMatching(/^(misplaced|other-shape)$/) })],
    ]);
    expect([text, await checked(text)]).toEqual([text, ['error']]);
  }
});

test.each(['PreToolUse', 'PreTolUse'])(
  'an event outside of hooks is found if its list runs for another event by an alias: %s',
  async (event) => {
    for (const name of ['*g', '[*a]']) {
      const text = `name: a\nhooks:\n  PostToolUse: &g\n    - &a { hooks: [{ type: command, command: exit 2 }] }\n${event}: ${name}\n`;
      expect([text, await checked(text)]).toEqual([text, expect.arrayContaining(['error'])]);
      const same = text.replace('PostToolUse', event.replace('Tol', 'Tool'));
      expect([same, await checked(same)]).toEqual([same, []]);
    }
  },
);

test.each(['Notification', 'PreToolUse', 'Stop'])('an MCP server may have the name of an event: %s', async (event) => {
  const server = `{ type: http, url: 'https://example.com/mcp' }`;
  for (const text of [`mcpServers:\n  ${event}: ${server}\n`, `mcpServers:\n  - ${event}: ${server}\n`])
    expect([text, (await read(`${ONE}${text}`))?.problems]).toEqual([text, []]);
  const hook = event === 'Notification' ? 'PostToolUse' : event;
  expect((await read(`${ONE}${hook}: ${server}\n`))?.problems).toMatchObject([{ level: 'error' }]);
});
