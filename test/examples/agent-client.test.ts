// What the real client does beside hooks: rules on the command line, processes that end, messages for the user, MCP servers of the driver.
import { accessSync, constants } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENT, bash, type Driven, drive, type Json, type Place, place, running, type Turn, until } from './driven.js';

const isResult = ({ type }: Json): boolean => type === 'result';
const isInit = ({ subtype }: Json): boolean => subtype === 'init';
const asking = (subtype: string) => (message: Json) =>
  message['type'] === 'control_request' && (message['request'] as Json)['subtype'] === subtype;
const write = (file_path: string) => ({ name: 'Write', input: { file_path, content: 'x\n' } });

/** Set up, with one prompt. */
function begin(there: Place, args: readonly string[], initialize: Json = {}): Driven {
  const driven = drive(there, args);
  driven.say({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize', ...initialize } });
  driven.say({ type: 'user', message: { role: 'user', content: 'go' } });
  return driven;
}
const reply = (driven: Driven, { request_id }: Json, response: Json): void =>
  driven.say({ type: 'control_response', response: { subtype: 'success', request_id, response } });
/** Answers every callback and question of that kind from now on. */
function answer(driven: Driven, subtype: string, make: (request: Json) => Json | undefined): void {
  const done = new Set<unknown>();
  const look = (): void => {
    for (const message of driven.lines.filter(asking(subtype))) {
      if (done.has(message['request_id'])) continue;
      done.add(message['request_id']);
      const said = make(message['request'] as Json);
      if (said) reply(driven, message, said);
    }
  };
  driven.child.stdout.on('data', () => setImmediate(look));
}
const hooks = (...events: string[]): Json => ({
  hooks: Object.fromEntries(events.map((event) => [event, [{ hookCallbackIds: [event] }]])),
});

test('agent.mjs may be run as a program', () => {
  expect(() => accessSync(AGENT, constants.X_OK)).not.toThrow();
});

test('allowedTools run without a question; a line that does more than the rule says is asked about', async () => {
  const allowed = [
    'echo one > /dev/null',
    'touch plain',
    'touch a; touch after',
    'touch $(touch inner)',
    'touch b && touch and',
  ];
  const there = await place({
    main: [
      { tools: [bash('touch plain'), ...allowed.slice(2).map(bash), write('in/x.txt'), write('out.txt')] },
      { text: 'done' },
    ],
  });
  const driven = begin(there, ['--allowedTools=Bash(touch *),Write(in/**)', '--permission-prompt-tool', 'stdio']);
  const asked: unknown[] = [];
  answer(driven, 'can_use_tool', ({ tool_name, input }) => {
    asked.push(tool_name === 'Bash' ? (input as Json)['command'] : (input as Json)['file_path']);
    return { behavior: 'deny', message: 'no' };
  });
  await driven.hear(isResult);
  expect(asked).toEqual([...allowed.slice(2), 'out.txt']);
  expect(['plain', 'in/x.txt', 'after', 'inner', 'and', 'out.txt'].map(there.has)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('disallowedTools are not there, and calls that a rule is about are denied, also in the mode that asks nobody', async () => {
  const there = await place({
    main: [
      { tools: [write('w.txt'), bash('rm -f keep; touch removed'), bash('sh -c "rm x"'), bash('touch made')] },
      { text: 'done' },
    ],
  });
  const driven = begin(there, ['--disallowedTools=Write,Bash(rm *)', '--permission-mode', 'bypassPermissions']);
  const init = await driven.hear(isInit);
  expect(init['tools']).not.toContain('Write');
  expect(init['tools']).toContain('Edit');
  const result = await driven.hear(isResult);
  expect(['w.txt', 'removed', 'made'].map(there.has)).toEqual([false, false, true]);
  expect((result['permission_denials'] as Json[]).map(({ tool_input }) => (tool_input as Json)['command'])).toEqual([
    'rm -f keep; touch removed',
    'sh -c "rm x"',
  ]);
  expect(there.asked.at(-1)?.text).toContain('There is no tool Write');
});

test('tools are only those that --tools names, for subagents too', async () => {
  const there = await place({ main: [{ tools: [write('w.txt')] }, { text: 'done' }] });
  const driven = begin(there, ['--tools=Read,Glob', '--permission-mode', 'bypassPermissions']);
  expect((await driven.hear(isInit))['tools']).toEqual(['Read', 'Glob']);
  await driven.hear(isResult);
  expect(there.has('w.txt')).toBe(false);
});

const WAYS: Readonly<Record<string, (driven: Driven) => void>> = {
  interrupt: (driven) => driven.say({ type: 'control_request', request_id: 'x', request: { subtype: 'interrupt' } }),
  SIGTERM: (driven) => driven.child.kill('SIGTERM'),
  'the death of its driver': (driven) => {
    driven.child.stdin.destroy();
    driven.child.stdout.destroy();
  },
};
const SHELLS: Readonly<Record<string, (marker: string) => string>> = {
  'a child': (marker) => `${marker}; true`,
  'a child in the background': (marker) => `${marker} & wait`,
  'a session of its own': (marker) => `setsid ${marker}; true`,
  'one that ignores SIGTERM': (marker) => `trap '' TERM; ${marker}; ${marker}`,
};
let marks = 0;
for (const [way, end] of Object.entries(WAYS)) {
  test(`processes of its tools end by ${way}`, async () => {
    const mark = `${process.pid}${++marks}`;
    const sleeps = Object.keys(SHELLS).map((_, i) => `sleep 6${i}.${mark}`);
    const turns: Turn[] = [
      { tools: [{ name: 'Agent', input: { subagent_type: 'all', prompt: 'x', description: 'd' } }] },
    ];
    const agents = Object.fromEntries(Object.keys(SHELLS).map((_, i) => [`a${i}`, { description: 'd', prompt: 'p' }]));
    const calls = Object.keys(SHELLS).map((_, i) => ({
      name: 'Agent',
      input: { subagent_type: `a${i}`, prompt: 'x', description: 'd' },
    }));
    turns[0] = { tools: calls };
    const each = Object.values(SHELLS).map((shell, i) => [`a${i}`, [{ tools: [bash(shell(sleeps[i] as string))] }]]);
    const there = await place({ main: turns, ...Object.fromEntries(each) });
    const driven = begin(there, ['--permission-mode', 'bypassPermissions'], { agents });
    await until(() => sleeps.every(running));
    end(driven);
    if (way === 'interrupt') await driven.hear(isResult);
    else await driven.ended;
    await until(() => !sleeps.some(running));
  });
}

test('a command that leaves something in the background does not wait for it; it ends with the agent', async () => {
  const marker = `sleep 66.${process.pid}`;
  const there = await place({ main: [{ tools: [bash(`${marker} & echo started`)] }, { text: 'done' }] });
  const driven = begin(there, ['--permission-mode', 'bypassPermissions']);
  await driven.hear(isResult);
  expect(running(marker)).toBe(true);
  expect(there.asked.at(-1)?.text).toContain('started');
  driven.child.stdin.end();
  await driven.ended;
  await until(() => !running(marker));
});

test('what a hook says to the user reaches the user', async () => {
  const there = await place({ main: [{ tools: [bash('true')] }, { text: 'done' }] });
  const driven = begin(there, ['--permission-mode', 'bypassPermissions'], hooks('PreToolUse', 'Stop'));
  answer(driven, 'hook_callback', ({ callback_id }) => ({ systemMessage: `SM ${callback_id}` }));
  await driven.hear(isResult);
  const told = driven.lines.filter(({ subtype }) => subtype === 'informational');
  expect(told).toMatchObject([
    {
      content: 'PreToolUse says: SM PreToolUse',
      level: 'notice',
      session_id: expect.any(String),
      uuid: expect.any(String),
    },
    { content: 'Stop says: SM Stop', level: 'notice' },
  ]);
});

test.each([
  ['PreToolUse', { terminal_reason: 'hook_stopped', result: '' }, 1],
  ['PostToolUse', { terminal_reason: 'hook_stopped', result: '' }, 1],
  ['PostToolBatch', { terminal_reason: 'hook_stopped', result: '' }, 1],
  ['Stop', { terminal_reason: 'stop_hook_prevented', result: 'done' }, 2],
  ['UserPromptSubmit', { result: 'Operation stopped by hook: SR', num_turns: 0 }, 0],
])('continue: false on %s ends the turn, and its result says so as the client’s does', async (event, result, asked) => {
  const there = await place({ main: [{ text: 'words', tools: [bash('true')] }, { text: 'done' }] });
  const driven = begin(there, ['--permission-mode', 'bypassPermissions'], hooks(event));
  answer(driven, 'hook_callback', () => ({ continue: false, stopReason: 'SR' }));
  const said = await driven.hear(isResult);
  expect(said).toMatchObject({ subtype: 'success', is_error: false, ...result });
  if (!('terminal_reason' in result)) expect(said).not.toHaveProperty('terminal_reason');
  expect(there.asked).toHaveLength(asked);
});

test('a denial with continue: false is no interruption', async () => {
  const there = await place({ main: [{ tools: [bash('touch made')] }, { text: 'done' }] });
  const driven = begin(there, ['--permission-mode', 'bypassPermissions'], hooks('PreToolUse'));
  const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'D' };
  answer(driven, 'hook_callback', () => ({ continue: false, hookSpecificOutput }));
  expect(await driven.hear(isResult)).toMatchObject({ subtype: 'success', terminal_reason: 'hook_stopped' });
  expect(there.has('made')).toBe(false);
});

/** A server in the driver, as its side of the protocol has it. */
function mcpServer({ message }: Json): Json {
  const { id, method, params } = message as { id?: number; method: string; params: Json };
  const result = (): Json => {
    if (method === 'initialize')
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's' } };
    if (method === 'tools/list' && params['cursor'] === undefined)
      return {
        tools: [{ name: 'add', description: 'adds', inputSchema: { type: 'object', properties: { a: {}, b: {} } } }],
        nextCursor: '2',
      };
    if (method === 'tools/list') return { tools: [{ name: 'fail', inputSchema: { type: 'object' } }] };
    const { name, arguments: given } = params as { name: string; arguments: { a: number; b: number } };
    if (name === 'fail') return { content: [{ type: 'text', text: 'it broke' }], isError: true };
    return { content: [{ type: 'text', text: `sum ${given.a + given.b}` }] };
  };
  return { mcp_response: { jsonrpc: '2.0', id: id ?? 0, result: id === undefined ? {} : result() } };
}

test('tools of MCP servers in the driver appear and work; one that fails, and one elsewhere, is named as failed', async () => {
  const add = (a: number, b: number) => ({ name: 'mcp__calc__add', input: { a, b } });
  const there = await place({
    main: [{ tools: [add(20, 22), { name: 'mcp__calc__fail', input: {} }] }, { text: 'done' }],
  });
  const config = JSON.stringify({ mcpServers: { ext: { command: 'x' } } });
  const args = ['--allowedTools=mcp__calc', '--mcp-config', config];
  const driven = begin(there, args, { sdkMcpServers: ['calc', 'broken'], ...hooks('PreToolUse') });
  answer(driven, 'mcp_message', (request) =>
    request['server_name'] === 'calc'
      ? mcpServer(request)
      : { mcp_response: { error: { code: 1, message: 'no such server' } } },
  );
  const judged: unknown[] = [];
  answer(driven, 'hook_callback', ({ input }) => {
    judged.push([(input as Json)['tool_name'], (input as Json)['mcp_server']]);
    return {};
  });
  const init = await driven.hear(isInit);
  expect(init['tools']).toEqual(expect.arrayContaining(['Bash', 'mcp__calc__add', 'mcp__calc__fail']));
  expect(init['mcp_servers']).toEqual([
    { name: 'calc', status: 'connected' },
    { name: 'broken', status: 'failed', error: 'no such server' },
    { name: 'ext', status: 'failed', error: expect.stringContaining('in its driver alone') },
  ]);
  await driven.hear(isResult);
  expect(there.asked.at(-1)?.text).toMatch(/sum 42[\s\S]*it broke/);
  const server = { name: 'calc', source: 'sdk' };
  expect(judged).toEqual([
    ['mcp__calc__add', server],
    ['mcp__calc__fail', server],
  ]);
});
