import { describe, expect, test } from 'vitest';
import { agentCodec, TABLES } from '../../src/agents/agents.js';
import { claudeName, payloadFor, renamesTools } from '../../src/agents/as-theirs.js';
import { subjectOf } from '../../src/agents/subjects.js';
import type { AgentTable, EventRow } from '../../src/agents/table.js';
import type { ToolWas } from '../../src/agents/tools/tools.js';
import { CATALOGUE } from '../../src/events/catalogue.js';
import type { EventSpec } from '../../src/events/spec.js';
import { matcherOf, readMatcher } from '../../src/foreign/matchers.js';
import type { Matcher } from '../../src/matching/matcher.js';
import { payloadsOf, SEEN } from '../agents/recorded.js';

// Under which names the hooks in an agent's file are asked about a tool, and what they are told of it.

const FOREIGN = TABLES.filter(({ runs }) => runs !== undefined);
const tableOf = (agent: string): AgentTable => TABLES.find(({ name }) => name === agent) as AgentTable;
const isAboutTools = (table: AgentTable, row: EventRow): boolean => subjectOf(table, row.name) === 'tool';
const isAsked = (table: AgentTable, row: EventRow, matcher: string, input: object): boolean =>
  (matcherOf(table, row, matcher, readMatcher(table, matcher, true)) as Matcher).matches(undefined, input);

/** Names under which the payload has a tool and its input. */
const NAMES = ['tool_name', 'toolName', 'tool_input', 'toolArgs', 'toolInput'];
const toolIn = (payload: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(NAMES.flatMap((name) => (name in payload ? [[name, payload[name]]] : [])));

describe('a call that did not come from the agent is told as one that was recorded', () => {
  const cases = SEEN.flatMap((agent) =>
    payloadsOf(agent).flatMap(({ file, event, text }) => {
      const { via, ...input } = agentCodec(agent).decode(text, {}, [event]).input;
      const { tool_name: own = '' } = via as ToolWas;
      // A call of ours is never one of such a tool.
      const isOneWay = tableOf(agent).tools[own]?.oneWay === true;
      return input['tool_name'] === undefined || isOneWay ? [] : [{ agent, file, event, text, input }];
    }),
  );
  test.each(cases)('$agent $file', ({ agent, event, text, input }) => {
    const table = tableOf(agent);
    const row = table.events.find(({ name, ours }) => name === event && ours === input['hook_event_name']) as EventRow;
    expect(toolIn(payloadFor(table, row, input))).toEqual(toolIn(JSON.parse(text)));
  });

  test('there are some of each agent', () => {
    for (const agent of SEEN) expect(cases.filter((one) => one.agent === agent).length, agent).toBeGreaterThan(3);
  });
});

test.each([
  ['beforeShellExecution', { tool_name: 'Bash', tool_input: { command: 'ls' } }, { command: 'ls' }],
  [
    'afterShellExecution',
    { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: 'a' },
    { command: 'ls', output: 'a' },
  ],
  ['beforeReadFile', { tool_name: 'Read', tool_input: { file_path: 'a' } }, { file_path: 'a' }],
  [
    'afterFileEdit',
    { tool_name: 'Write', tool_input: { file_path: 'a', edits: [] }, tool_response: {} },
    { file_path: 'a', edits: [] },
  ],
])('on %s of Cursor, which is about one tool alone, the payload does not name it', (event, input, payload) => {
  const table = tableOf('cursor');
  const row = table.events.find(({ name }) => name === event) as EventRow;
  expect(payloadFor(table, row, { session_id: 's', ...input })).toEqual({
    hook_event_name: event,
    conversation_id: 's',
    ...payload,
  });
});

const everyTool = FOREIGN.flatMap((table) =>
  table.events
    // Cursor's events about MCP servers have no tools of its own.
    .filter((row) => isAboutTools(table, row) && table.runs?.tools?.[row.name] === undefined)
    .flatMap((row) =>
      Object.entries(table.tools).flatMap(([own, tool]) =>
        (tool.oneWay ? [] : [tool.ours, ...Object.keys(tool.also ?? {})]).map((ours) => ({
          agent: table.name,
          event: row.name,
          own: renamesTools(table, row) ? own : claudeName(tool),
          ours,
          table,
          row,
          fields: tool.also?.[ours] ?? tool.fields ?? {},
          patch: tool.patch,
        })),
      ),
    ),
);

test.each(everyTool)(
  '$agent $event: who names $own is asked about $ours, and is told of $own',
  ({ table, row, own, ours, fields, patch }) => {
    const keys = Object.entries(fields);
    const tool_input = { other: 'x', ...Object.fromEntries(keys.map(([, key]) => [key, key])) };
    const input = { tool_name: ours, tool_input };
    for (const matcher of [own, `^${own}$`, `${own}|nothing`]) expect(isAsked(table, row, matcher, input)).toBe(true);
    expect(isAsked(table, row, 'nothing', input)).toBe(false);
    const read = readMatcher(table, own, true);
    const told = Object.values(toolIn(payloadFor(table, row, input, read.accepts)));
    const theirs = { other: 'x', ...Object.fromEntries(keys.map(([key, its]) => [key, its])) };
    const given = patch === undefined ? theirs : { [patch]: expect.stringContaining('*** Begin Patch') };
    expect(told).toEqual([own, given]);
  },
);

const MCP = { tool_name: 'mcp__github__push_files', tool_input: { a: 1 } };

describe.each<[agent: string, event: string, own: string, more?: object]>([
  ['gemini', 'BeforeTool', 'mcp_github_push_files'],
  ['gemini', 'AfterTool', 'mcp_github_push_files'],
  ['copilot', 'preToolUse', 'github-push_files'],
  ['copilot', 'PreToolUse', 'github-push_files'],
  ['copilot', 'permissionRequest', 'github/push_files'],
  ['cursor', 'preToolUse', 'MCP:push_files'],
  ['cursor', 'beforeMCPExecution', 'push_files'],
  ['codex', 'PreToolUse', 'mcp__github__push_files'],
])('%s %s: a tool of an MCP server is called %s', (agent, event, own) => {
  const table = tableOf(agent);
  const row = table.events.find(({ name }) => name === event) as EventRow;

  test('to matchers', () => {
    for (const matcher of [own, `^${own}$`, `${own}|nothing`, own.replace('push', '.*')])
      expect(isAsked(table, row, matcher, MCP), matcher).toBe(true);
    expect(isAsked(table, row, own.replace('push', 'pull'), MCP)).toBe(false);
    expect(isAsked(table, row, own, { ...MCP, tool_name: 'Bash' })).toBe(false);
  });

  test('to hooks', () => {
    const payload = payloadFor(table, row, MCP);
    expect(Object.values(toolIn(payload))[0]).toBe(own);
    if (agent === 'gemini') expect(payload['mcp_context']).toEqual({ server_name: 'github', tool_name: 'push_files' });
    else expect(payload).not.toHaveProperty('mcp_context');
  });
});

test('a call of another agent that does not say which server it is of is one of any', () => {
  const unknown = { ...MCP, tool_name: 'mcp__?__push_files' };
  const [gemini, copilot] = ['gemini', 'copilot'].map(tableOf) as [AgentTable, AgentTable];
  const [before, pre] = [gemini, copilot].map((table) => table.events.find(({ ours }) => ours === 'PreToolUse'));
  expect(isAsked(gemini, before as EventRow, 'mcp_github_.*', unknown)).toBe(true);
  expect(isAsked(gemini, before as EventRow, '^run_shell_command$', unknown)).toBe(false);
  expect(isAsked(copilot, pre as EventRow, 'github-push_files', unknown)).toBe(true);
  expect(isAsked(gemini, before as EventRow, '^mcp_git_hub_push.*$', unknown)).toBe(true);
  expect(isAsked(copilot, pre as EventRow, 'bash', unknown)).toBe(false);
});

test('a matcher of an event that is about some tools says which, for who asks why its hook did not run', () => {
  const cursor = tableOf('cursor');
  const textOf = (event: string, matcher: string | undefined): string => {
    const row = cursor.events.find(({ name }) => name === event) as EventRow;
    return (matcherOf(cursor, row, matcher, readMatcher(cursor, matcher, false)) as Matcher).text;
  };
  expect(textOf('beforeMCPExecution', undefined)).toBe('beforeMCPExecution is only about mcp__*');
  expect(textOf('beforeShellExecution', '^git')).toBe('^git; beforeShellExecution is only about Bash, PowerShell');
  expect(textOf('preToolUse', undefined)).toBe('*');
  expect(textOf('preToolUse', 'Shell')).toBe('Shell');
});

test('a tool for several files is not asked about a call for one', () => {
  const table = tableOf('gemini');
  const row = table.events.find(({ name }) => name === 'BeforeTool') as EventRow;
  const input = { tool_name: 'Read', tool_input: { file_path: 'a' } };
  expect(isAsked(table, row, 'read_many_files', input)).toBe(false);
  expect(isAsked(table, row, 'read_file', input)).toBe(true);
});

test("where a call has the agent's own name of a key too, the hook is told of the one that counts here", () => {
  const table = tableOf('copilot');
  const row = table.events.find(({ name }) => name === 'preToolUse') as EventRow;
  const tool_input = { path: 'ok', file_path: 'secret/a', old_string: 'a', new_string: 'b' };
  const payload = payloadFor(table, row, { tool_name: 'Edit', tool_input });
  expect(payload['toolArgs']).toEqual({ path: 'secret/a', old_str: 'a', new_str: 'b' });
});

test('only payloads that were seen with the names of Claude Code keep them', () => {
  const kept = FOREIGN.flatMap((table) =>
    table.events.filter((row) => isAboutTools(table, row) && !renamesTools(table, row)).map(({ name }) => name),
  );
  expect(kept).toEqual(['PreToolUse', 'PostToolUse', 'PostToolUseFailure']);
});

test('every event of an agent about a tool has a subject that is one, or none', () => {
  for (const table of FOREIGN)
    for (const row of table.events) {
      const spec = row.own ? undefined : (CATALOGUE as Record<string, EventSpec>)[row.ours];
      if (spec?.subjectField === 'tool_name' && row.matches === 'own')
        expect(isAboutTools(table, row), `${table.name} ${row.name}`).toBe(true);
    }
});

describe('a patch for Codex', () => {
  const codex = tableOf('codex');
  const row = codex.events.find(({ name }) => name === 'PreToolUse') as EventRow;
  const hunk = '@@\n-a\n+b\n';
  test.each([
    ['Edit', { file_path: '.env', old_string: 'a', new_string: 'b' }, `*** Update File: .env\n${hunk}`],
    ['Write', { file_path: '.env', content: 'KEY=1\nB=2' }, '*** Add File: .env\n+KEY=1\n+B=2\n'],
    ['Write', { file_path: '.env', content: '' }, '*** Add File: .env\n'],
    [
      'MultiEdit',
      { file_path: '.env', edits: [{ old_string: 'a', new_string: 'b' }, { new_string: 'c' }] },
      `*** Update File: .env\n${hunk}@@\n+c\n`,
    ],
    ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'x' }, '*** Update File: a.ipynb\n@@\n+x\n'],
  ])('of %s', (tool_name, tool_input, body) => {
    const input = { tool_name, tool_input };
    expect(toolIn(payloadFor(codex, row, input))).toEqual({
      tool_name: 'apply_patch',
      tool_input: { command: `*** Begin Patch\n${body}*** End Patch\n` },
    });
    for (const matcher of ['apply_patch', 'Edit', 'Write', 'Edit|Write', '^apply', tool_name])
      expect(isAsked(codex, row, matcher, input), matcher).toBe(true);
    expect(isAsked(codex, row, 'Bash', input)).toBe(false);
  });
});

describe("Cursor's tool_input", () => {
  const codec = agentCodec('cursor');
  const events = ['preToolUse', 'postToolUse', 'postToolUseFailure', 'beforeMCPExecution', 'afterMCPExecution'];
  const given = (event: string, tool_input: unknown) =>
    codec.decode(JSON.stringify({ hook_event_name: event, conversation_id: 'c', tool_name: 'MCP:push', tool_input }));

  test.each(events)('of %s is read as an object, text or not, and is given back as it came', (event) => {
    for (const call of [{ command: 'ls' }, '{"command":"ls"}', '{ "command" : "ls" }']) {
      const decoded = given(event, call);
      expect(decoded.input['tool_input']).toEqual({ command: 'ls' });
      expect(codec.payload(decoded)['tool_input']).toEqual(call);
    }
    for (const call of ['not json', '', null, 5, [1]])
      expect(codec.payload(given(event, call))['tool_input']).toEqual(call);
  });

  test.each(events)('of %s that a hook has changed is text where it was, or is text always', (event) => {
    const changed = (call: unknown): unknown => {
      const decoded = given(event, call);
      return codec.payload({ as: event, input: { ...decoded.input, tool_input: { command: 'pwd' } } })['tool_input'];
    };
    const text = '{"command":"pwd"}';
    expect(changed('{"command":"ls"}')).toBe(text);
    expect(changed({ command: 'ls' })).toEqual(event.includes('MCP') ? text : { command: 'pwd' });
  });
});
