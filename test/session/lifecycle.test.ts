import { expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { addContext, combine, deny, rewrite } from '../../src/events/output/helpers.js';
import { byScope, on, opened } from './kit.js';

const defer = { hookSpecificOutput: { permissionDecision: 'defer' } };

test('a whole session fires every event in its place, each in the scope of its agent', async () => {
  const { host, session, seen } = await opened({
    setup: 'init',
    model: 'm1',
    instructions: [{ file_path: '/w/AGENTS.md', memory_type: 'Project', load_reason: 'session_start' }],
    permission: (input) => ({ behavior: (input as { ask?: boolean }).ask ? 'ask' : 'allow' }),
    ask: () => ({ behavior: 'allow' }),
  });
  on(host, 'PreToolUse', ({ tool_input }: { tool_input: { command?: string } }) => {
    if (tool_input.command === 'rm') return deny('no');
    if (tool_input.command === 'old') return rewrite({ command: 'new' });
    return tool_input.command === 'later' ? defer : undefined;
  });
  let stops = 0;
  on(host, 'Stop', () => (++stops <= 2 ? { decision: 'block', reason: `again ${stops}` } : undefined));

  await session.prompt('go', { command: { command_name: 'go' } });
  await session.toolBatch([
    { name: 'Bash', input: { command: 'ls' }, effect: 'read', execute: () => 'a' },
    { name: 'Read', input: {}, effect: 'read', execute: () => 'b' },
    { name: 'Bash', input: { command: 'rm' }, execute: () => 'never' },
    { name: 'Bash', input: { command: 'old' }, execute: () => 'ran' },
    { name: 'Bash', input: { ask: true }, execute: () => Promise.reject(new Error('exit 4')) },
    { name: 'Nope', input: {}, invalid: 'No such tool: Nope' },
  ]);
  const agent = (id: string, tools: readonly string[]) => async (): Promise<string> => {
    const child = await session.spawn({ agent_type: 'worker', id });
    for (const name of tools) await child.toolBatch([{ name, input: {}, execute: () => 'ok' }]);
    await child.stop({ lastMessage: 'done' });
    return 'done';
  };
  await session.toolBatch([
    { name: 'Agent', input: { n: 1 }, concurrent: true, execute: agent('one', ['Grep', 'Read']) },
    { name: 'Agent', input: { n: 2 }, concurrent: true, execute: agent('two', ['Edit']) },
  ]);
  await session.compact({ trigger: 'auto', run: () => 'the summary' });
  const answers = [];
  for (let going = true; going; ) {
    const answer = await session.stop({ lastMessage: 'hm' });
    answers.push(answer.instruction);
    going = answer.continues;
  }
  await session.toolBatch([{ name: 'Bash', input: { command: 'later' }, execute: () => 'never' }]);
  await session.close('prompt_input_exit');

  expect(answers).toEqual(['again 1', 'again 2', undefined]);
  expect(byScope(seen)).toEqual({
    main: [
      'Setup:init',
      'SessionStart:startup',
      'InstructionsLoaded:session_start',
      'UserPromptSubmit',
      'UserPromptExpansion:go',
      'PreToolUse:Bash',
      'PreToolUse:Read',
      'PostToolUse:Bash',
      'PostToolUse:Read',
      'PreToolUse:Bash',
      'PreToolUse:Bash',
      'PostToolUse:Bash',
      'PreToolUse:Bash',
      'PermissionRequest:Bash',
      'PostToolUseFailure:Bash',
      'PostToolBatch',
      'PreToolUse:Agent',
      'PreToolUse:Agent',
      'PostToolUse:Agent',
      'PostToolUse:Agent',
      'PostToolBatch',
      'PreCompact:auto',
      'SessionStart:compact',
      'PostCompact:auto',
      'Stop',
      'Stop',
      'Stop',
      'PreToolUse:Bash',
      'SessionEnd:prompt_input_exit',
    ],
    one: [
      'SubagentStart',
      'PreToolUse:Grep',
      'PostToolUse:Grep',
      'PostToolBatch',
      'PreToolUse:Read',
      'PostToolUse:Read',
      'PostToolBatch',
      'SubagentStop',
    ],
    two: ['SubagentStart', 'PreToolUse:Edit', 'PostToolUse:Edit', 'PostToolBatch', 'SubagentStop'],
  });
});

test('every event of the catalogue has a call that fires it', async () => {
  const { host, session, seen } = await opened({
    setup: 'init',
    instructions: [{ file_path: '/w/a.md', memory_type: 'User', load_reason: 'session_start' }],
    permission: (input) => (input as { answer: never }).answer,
    ask: () => ({ behavior: 'allow' }),
  });
  await session.prompt('p', { command: { command_name: 'c' } });
  await session.toolBatch([
    { name: 'A', input: { answer: { behavior: 'ask' } }, execute: () => 1 },
    { name: 'B', input: { answer: { behavior: 'deny' } }, execute: () => 1 },
    { name: 'C', input: { answer: { behavior: 'allow' } }, execute: () => Promise.reject(new Error('no')) },
  ]);
  await using child = await session.spawn({ agent_type: 't' });
  await child.stop();
  await session.compact({ trigger: 'manual', run: () => 's' });
  await session.notify({ message: 'm', notification_type: 'idle_prompt' });
  await session.switchModel({ to_model: 'big' });
  await session.task.create({ task_id: '1', task_subject: 's' });
  await session.task.complete({ task_id: '1', task_subject: 's' });
  await session.teammate.idle({ teammate_name: 'n', team_name: 't' });
  await session.elicit({ mcp_server_name: 'mem', message: 'name?', ask: () => ({ action: 'cancel' }) });
  await session.changeCwd('/w/sub');
  await session.addDirectory('/other');
  await session.worktree.create('feat', () => '/w/feat');
  await session.worktree.remove('/w/feat');
  await session.display({ turn_id: 't', message_id: 'm', index: 0, final: true, delta: 'd' });
  await session.configChanged({ source: 'user_settings' });
  await session.fire('FileChanged', { file_path: '/w/x', event: 'change' });
  await session.stop();
  await session.stop({ error: 'rate_limit' });
  await session.close();
  expect([...new Set(seen.map((s) => s.event))].sort()).toEqual([...HOOK_EVENTS].sort());
  await host.close();
});

test('every event carries who it is about, in the order of the keys on the wire', async () => {
  const { session, seen } = await opened({
    session_id: 's9',
    transcript_path: '/t.jsonl',
    cwd: '/w',
    permission_mode: 'acceptEdits',
    effort: { level: 'high' },
  });
  await session.prompt('p', { prompt_id: 'p1' });
  await using child = await session.spawn({ agent_type: 'worker', id: 'a1', agent_transcript_path: '/a.jsonl' });
  await child.tool({ name: 'Bash', input: {}, id: 't1', mcp: { name: 'mem' }, execute: () => 'x' });
  await child.stop({ lastMessage: 'l' });
  const base = { session_id: 's9', transcript_path: '/t.jsonl', cwd: '/w' };
  const agent = { agent_id: 'a1', agent_type: 'worker' };
  const turn = { prompt_id: 'p1', permission_mode: 'acceptEdits' };
  const effort = { effort: { level: 'high' } };
  const call = { tool_name: 'Bash', tool_input: {} };
  const expected = [
    { ...base, hook_event_name: 'SessionStart', source: 'startup' },
    { ...base, ...turn, ...effort, hook_event_name: 'UserPromptSubmit', prompt: 'p' },
    { ...base, prompt_id: 'p1', ...agent, hook_event_name: 'SubagentStart' },
    {
      ...base,
      ...turn,
      ...agent,
      ...effort,
      hook_event_name: 'PreToolUse',
      ...call,
      tool_use_id: 't1',
      mcp_server: { name: 'mem' },
    },
    {
      ...{ ...base, ...turn, ...agent, ...effort, hook_event_name: 'PostToolUse', ...call },
      ...{ tool_response: 'x', tool_use_id: 't1', duration_ms: 0, mcp_server: { name: 'mem' } },
    },
    {
      ...{ ...base, ...turn, ...agent, ...effort, hook_event_name: 'SubagentStop', stop_hook_active: false },
      ...{ agent_transcript_path: '/a.jsonl', last_assistant_message: 'l', background_tasks: [], session_crons: [] },
    },
  ];
  const timeless = seen.map(({ input }) => ('duration_ms' in input ? { ...input, duration_ms: 0 } : input));
  expect(timeless.map((input) => JSON.stringify(input))).toEqual(expected.map((input) => JSON.stringify(input)));
});

test('what hooks add to a call stands beside its result, in order', async () => {
  const { host, session } = await opened();
  on(
    host,
    'PreToolUse',
    () => addContext('before'),
    () => addContext('before too'),
  );
  host.register({
    PostToolUse: [
      {
        hooks: [
          { name: 'linter', handler: () => combine(addContext('after'), rewrite('rewritten')) },
          { name: 'critic', handler: () => ({ decision: 'block' as const, reason: 'too long' }) },
        ],
      },
    ],
  });
  on(host, 'PostToolBatch', () => addContext('batch'));
  const { results } = await session.toolBatch([
    { name: 'Bash', input: {}, execute: () => 'original' },
    { name: 'Read', input: {}, execute: () => [{ type: 'image', data: 'x' }], render: (r) => r as never },
  ]);
  expect(results[0]?.content).toBe(
    [
      'rewritten',
      'PreToolUse:Bash hook additional context: before\nbefore too',
      'PostToolUse:Bash hook blocking error from "critic": too long',
      'PostToolUse:Bash hook additional context: after',
    ].join('\n\n'),
  );
  expect(results[1]?.content).toMatch(/PostToolBatch hook additional context: batch$/);
  expect(results[0]?.content).not.toContain('batch');
});
