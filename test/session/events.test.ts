import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addContext, ask, block, deny, stop } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { ElicitOptions } from '../../src/session/steps/elicit.js';
import { registerAs, testHost } from '../host/kit.js';
import { names, on, opened } from './kit.js';

describe('compact', () => {
  test('asks, runs, starts anew and tells, in this order', async () => {
    const { host, session, seen } = await opened({ model: 'm' });
    on(host, 'SessionStart', ({ source }: { source: string }) =>
      source === 'compact' ? addContext('remember the tests') : undefined,
    );
    const given: unknown[] = [];
    const run = (instructions: string | null) => {
      given.push(instructions, names(seen).at(-1));
      return 'the summary';
    };
    on(host, 'PreCompact', () => addContext('keep names'));
    const answer = await session.compact({ trigger: 'manual', custom_instructions: 'be short', run });
    expect(answer).toMatchObject({ blocked: false, summary: 'the summary', instructions: 'be short\nkeep names' });
    expect(given).toEqual(['be short\nkeep names', 'PreCompact']);
    expect(
      seen
        .slice(1)
        .map((s) => [s.event, s.input['source'] ?? s.input['compact_summary'] ?? s.input['custom_instructions']]),
    ).toEqual([
      ['PreCompact', 'be short'],
      ['SessionStart', 'compact'],
      ['PostCompact', 'the summary'],
    ]);
    expect(seen[2]?.input['model']).toBe('m');
    expect(session.systemPrompt('')).toBe('remember the tests');
  });

  test('is refused by a hook', async () => {
    const { host, session, seen } = await opened();
    on(host, 'PreCompact', () => block('not now'));
    const answer = await session.compact({ trigger: 'auto', run: () => 'never' });
    expect(answer).toMatchObject({ blocked: true, reason: 'not now', instructions: null });
    expect(answer.summary).toBeUndefined();
    expect(names(seen)).toEqual(['SessionStart', 'PreCompact']);
  });

  test('that fails is thrown on, and nothing more is told', async () => {
    const { session, seen } = await opened();
    await expect(
      session.compact({ trigger: 'auto', run: () => Promise.reject(new Error('no model')) }),
    ).rejects.toThrow('no model');
    expect(names(seen)).toEqual(['SessionStart', 'PreCompact']);
  });

  test.each([
    ['manual', true],
    ['auto', false],
  ] as const)('that is %s has a prompt id of its own: %s', async (trigger, own) => {
    const { session } = await opened();
    await session.prompt('p', { prompt_id: 'p1' });
    await session.compact({ trigger, run: () => 's' });
    expect(session.prompt_id !== 'p1').toBe(own);
  });
});

test('a notification is shown unless a hook from code hides it', async () => {
  const { host, session } = await opened();
  expect((await session.notify({ message: 'm' })).shown).toBe(true);
  on(host, 'Notification', () => ({ suppressOutput: true }));
  expect((await session.notify({ message: 'm', title: 't', notification_type: 'idle_prompt' })).shown).toBe(false);
});

describe('switchModel', () => {
  const to = { to_model: 'big' };
  test.each([
    ['allowed', undefined, undefined, { switched: true, model: 'big' }, ['PreModelSwitch', 'PostModelSwitch']],
    [
      'denied',
      deny('too dear'),
      undefined,
      { switched: false, reason: 'too dear', model: 'small' },
      ['PreModelSwitch'],
    ],
    [
      'asked, and the person says yes',
      ask('sure?'),
      () => true,
      { switched: true, model: 'big' },
      ['PreModelSwitch', 'PostModelSwitch'],
    ],
    [
      'asked, and the person says no',
      ask('sure?'),
      () => false,
      { switched: false, reason: 'sure?', model: 'small' },
      ['PreModelSwitch'],
    ],
    [
      'asked, and nobody is there',
      ask('sure?'),
      undefined,
      { switched: false, reason: 'sure?', model: 'small' },
      ['PreModelSwitch'],
    ],
  ])('%s', async (_, said, person, answer, events) => {
    const { host, session, seen } = await opened({ model: 'small' });
    on(host, 'PreModelSwitch', () => said);
    expect(await session.switchModel({ ...to, ...(person ? { ask: person } : {}) })).toEqual(answer);
    expect(session.model).toBe(answer.model);
    expect(names(seen).slice(1)).toEqual(events);
  });

  test('tells what is known, and asks nobody about a switch nobody asked for', async () => {
    const { host, session, seen } = await opened({ model: 'small' });
    on(host, 'PostModelSwitch', () => addContext('you are big'));
    await session.switchModel({ ...to, source: 'auto', context_tokens: 9 });
    expect(seen.slice(1)).toMatchObject([
      {
        event: 'PostModelSwitch',
        input: { from_model: 'small', to_model: 'big', requested_model: 'big', source: 'auto', context_tokens: 9 },
      },
    ]);
    expect(session.systemPrompt('')).toBe('you are big');
  });
});

describe('tasks and teammates', () => {
  const task = { task_id: '1', task_subject: 's' };
  test.each(['create', 'complete'] as const)('task.%s is refused with feedback', async (which) => {
    const { host, session } = await opened();
    expect(await session.task[which](task)).toMatchObject({ done: true, endsLoop: false });
    on(host, which === 'create' ? 'TaskCreated' : 'TaskCompleted', () => block('tests first'));
    expect(await session.task[which](task)).toMatchObject({ done: false, reason: 'tests first' });
  });

  test('continue: false stops the teammate that completes a task, but not one that creates it', async () => {
    const { host, session } = await opened();
    on(host, 'TaskCreated', () => stop());
    on(host, 'TaskCompleted', () => stop());
    expect([(await session.task.create(task)).endsLoop, (await session.task.complete(task)).endsLoop]).toEqual([
      false,
      true,
    ]);
  });

  test.each([
    ['nobody minds', undefined, { keepsWorking: false, endsLoop: false }],
    ['a hook has work', block('review it'), { keepsWorking: true, feedback: 'review it', endsLoop: false }],
    ['a hook stops it', { ...block('review it'), continue: false }, { keepsWorking: false, endsLoop: true }],
  ])('a teammate is idle: %s', async (_, said, answer) => {
    const { host, session } = await opened();
    on(host, 'TeammateIdle', () => said);
    const { decision, ...rest } = await session.teammate.idle({ teammate_name: 'n', team_name: 't' });
    expect(rest).toEqual(answer);
    expect(decision.event).toBe('TeammateIdle');
  });
});

describe('elicit', () => {
  const question: ElicitOptions = { mcp_server_name: 'mem', message: 'name?', mode: 'form' };
  const person: ElicitOptions['ask'] = () => ({ action: 'accept', content: { name: 'Ann' } });
  const says = (value: object) => () => ({ hookSpecificOutput: value });
  type Case = [
    who: string,
    before: Parameters<typeof on>[2] | undefined,
    after: Parameters<typeof on>[2] | undefined,
    person: ElicitOptions['ask'],
    answer: object,
    told: boolean,
  ];
  test.each<Case>([
    [
      'a hook',
      says({ action: 'accept', content: { name: 'Bob' } }),
      undefined,
      person,
      { action: 'accept', content: { name: 'Bob' }, by: 'hook' },
      false,
    ],
    ['a hook that refuses', () => block('no'), undefined, person, { action: 'decline', by: 'hook' }, false],
    ['the person', undefined, undefined, person, { action: 'accept', content: { name: 'Ann' }, by: 'person' }, true],
    ['nobody', undefined, undefined, undefined, { action: 'cancel', by: 'nobody' }, false],
    [
      'a hook, after the person',
      undefined,
      says({ content: { name: 'Cy' } }),
      person,
      { action: 'accept', content: { name: 'Cy' }, by: 'hook' },
      true,
    ],
    [
      'a hook that refuses after the person',
      undefined,
      () => block('no'),
      person,
      { action: 'decline', by: 'hook' },
      true,
    ],
    ...(['decline', 'cancel'] as const).flatMap((action): Case[] => [
      [
        `a hook that says ${action}`,
        says({ action, content: { name: 'X' } }),
        undefined,
        person,
        { action, by: 'hook' },
        false,
      ],
      [
        `a hook that says ${action} after the person`,
        undefined,
        says({ action }),
        person,
        { action, by: 'hook' },
        true,
      ],
      [
        `a hook that says ${action}, with a content, after the person`,
        undefined,
        says({ action, content: { name: 'X' } }),
        person,
        { action, by: 'hook' },
        true,
      ],
      [
        `a person who says ${action}`,
        undefined,
        undefined,
        () => ({ action, content: { name: 'Ann' } }),
        { action, by: 'person' },
        true,
      ],
    ]),
  ])('is answered by %s', async (_, before, after, who, answer, told) => {
    const { host, session, seen } = await opened();
    if (before) on(host, 'Elicitation', before);
    if (after) on(host, 'ElicitationResult', after);
    expect(await session.elicit({ ...question, ...(who ? { ask: who } : {}) })).toEqual(answer);
    expect(names(seen).slice(1)).toEqual(told ? ['Elicitation', 'ElicitationResult'] : ['Elicitation']);
  });

  test.each(['accept', 'decline', 'cancel'] as const)('takes a content of null for none: %s', async (action) => {
    const { session, seen } = await opened();
    const given = { action, content: null } as never;
    expect(await session.elicit({ ...question, ask: () => given })).toEqual({ action, by: 'person' });
    expect(seen.at(-1)?.input).not.toHaveProperty('content');
  });
});

describe('the workspace', () => {
  test('a directory is added once, changed once', async () => {
    const { session, seen } = await opened({ cwd: '/w' });
    await session.addDirectory('/a', 'register_repo_root');
    await session.addDirectory('/a');
    await session.changeCwd('/w');
    expect(session.directories).toEqual(['/a']);
    expect(seen.slice(1)).toMatchObject([
      { event: 'DirectoryAdded', input: { directory: '/a', source: 'register_repo_root' } },
    ]);
  });

  const made = (worktreePath: string) => () => ({ hookSpecificOutput: { worktreePath } });
  const fails = () => {
    throw new Error('git says no');
  };
  test.each([
    ['a hook', made('/hook'), () => '/own', { path: '/hook' }],
    ['the harness', () => undefined, () => '/own', { path: '/own' }],
    ['nobody', () => undefined, undefined, { reason: 'No hook created it.' }],
    ['nobody, where a hook failed', fails, () => '/own', { reason: 'Error: git says no' }],
  ])('a worktree is made by %s', async (_, hook, make, answer) => {
    const { host, session } = await opened();
    on(host, 'WorktreeCreate', hook);
    const { decision, ...rest } = await session.worktree.create('feat', make);
    expect(rest).toEqual(answer);
    expect(decision.event).toBe('WorktreeCreate');
  });

  test('a change of settings is applied unless a hook refuses it; a managed one always', async () => {
    const { host, session } = await opened();
    on(host, 'ConfigChange', () => block('keep it'));
    expect(await session.configChanged({ source: 'user_settings' })).toMatchObject({
      applied: false,
      reason: 'keep it',
    });
    expect(await session.configChanged({ source: 'policy_settings' })).toMatchObject({ applied: true });
  });
});

test('a piece of the answer is shown as hooks want it', async () => {
  const { host, session } = await opened();
  const piece = { turn_id: 't', message_id: 'm', index: 0, final: true, delta: 'secret' };
  expect(await session.display(piece)).toBe('secret');
  on(host, 'MessageDisplay', () => ({ hookSpecificOutput: { displayContent: '' } }));
  expect(await session.display(piece)).toBe('');
});

test("an event of the host's own is fired in the session's scope, with its fields", async () => {
  const Deploy = defineEvent({ input: z.object({ target: z.string() }), subject: 'target', fold: 'gate' });
  const { host } = testHost({ events: { Deploy } });
  const session = await host.openSession({ cwd: '/w/x' });
  const child = await session.spawn({
    agent_type: 'w',
    id: 'a',
    hooks: { Deploy: [{ matcher: 'prod', hooks: [({ agent_id, cwd }) => deny(`${agent_id} in ${cwd}`)] }] },
  });
  expect(await child.fire('Deploy', { target: 'prod' })).toMatchObject({ verdict: 'deny', reason: 'a in /w/x' });
  expect(await session.fire('Deploy', { target: 'prod' })).toMatchObject({ verdict: 'none' });
});

test('calls of a batch that may not run beside each other wait for each other', async () => {
  const { session } = await opened();
  const log: string[] = [];
  const tool = (name: string, concurrent?: boolean, effect?: 'read') => ({
    name,
    input: {},
    ...(concurrent === undefined ? {} : { concurrent }),
    ...(effect ? { effect } : {}),
    execute: async () => {
      log.push(`+${name}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`-${name}`);
      return name;
    },
  });
  const { results } = await session.toolBatch([
    tool('a', true),
    tool('b', undefined, 'read'),
    tool('c'),
    tool('d', false, 'read'),
    tool('e', true),
  ]);
  expect(log.join(' ')).toBe('+a +b -a -b +c -c +d -d +e -e');
  expect(results.map((r) => r.content)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('PostToolBatch sees what the model asked for and what it gets', async () => {
  const { host, session, seen } = await opened({
    permission: (input) => ({ behavior: 'allow', updatedInput: { ...(input as object), more: 1 } }),
  });
  on(host, 'PostToolUse', () => addContext('c'));
  await session.toolBatch([
    { name: 'A', id: 'a', input: { x: 1 }, execute: (input) => input },
    { name: 'B', id: 'b', input: {}, invalid: 'No such tool' },
  ]);
  expect(seen.at(-1)?.input['tool_calls']).toEqual([
    {
      tool_name: 'A',
      tool_input: { x: 1 },
      tool_use_id: 'a',
      tool_response: '{"x":1,"more":1}\n\nPostToolUse:A hook additional context: c',
    },
    { tool_name: 'B', tool_input: {}, tool_use_id: 'b', tool_response: 'No such tool' },
  ]);
});

test('calls that a framework ran by itself, one by one, end as a batch does', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PostToolBatch', () => addContext('batch'));
  const calls = ['A', 'B'].map((name) => ({ name, input: { name }, execute: () => name }));
  const results = await Promise.all(calls.map((call) => session.tool(call)));
  const answer = await session.endBatch(calls, results);
  expect(answer.results.map((r) => r.content)).toEqual(['A', 'B\n\nPostToolBatch hook additional context: batch']);
  expect(seen.at(-1)?.input['tool_calls']).toEqual(
    results.map(({ id, name }) => ({ tool_name: name, tool_input: { name }, tool_use_id: id, tool_response: name })),
  );
  await expect(session.endBatch(calls, [])).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
});

test("continue: false of Claude Code's own PreToolUse hooks lets the calls run, then ends the loop", async () => {
  const { host, session, seen } = await opened();
  registerAs(
    host,
    { PreToolUse: [{ matcher: 'A', hooks: [() => ({ continue: false, stopReason: 'enough' })] }] },
    { dialect: 'claude' },
  );
  const { results, endsLoop, reason, decision } = await session.toolBatch(
    ['A', 'B'].map((name) => ({ name, input: {}, execute: () => 1 })),
  );
  expect(results.map((r) => r.status)).toEqual(['ran', 'ran']);
  expect({ endsLoop, reason, decision }).toEqual({ endsLoop: true, reason: 'enough', decision: undefined });
  expect(names(seen)).not.toContain('PostToolBatch');
});

test('continue: false of a hook from code denies its call and ends the loop', async () => {
  const { host, session } = await opened();
  on(host, 'PreToolUse', () => stop('enough'));
  expect(await session.tool({ name: 'A', input: {}, execute: () => 1 })).toMatchObject({
    status: 'denied',
    deniedBy: 'hook',
    endsLoop: true,
  });
});

test('a deferred call ends the turn; it is judged anew when it comes again', async () => {
  const { host, session, seen } = await opened();
  let later = true;
  on(host, 'PreToolUse', () =>
    later ? { hookSpecificOutput: { permissionDecision: 'defer', permissionDecisionReason: 'at night' } } : undefined,
  );
  const call = { name: 'A', id: 't1', input: { x: 1 }, execute: () => 1 };
  const { results, endsLoop } = await session.toolBatch([call]);
  expect(results[0]).toMatchObject({
    status: 'deferred',
    id: 't1',
    input: { x: 1 },
    reason: 'at night',
    isError: false,
    content: '',
  });
  expect([endsLoop, (await session.stop()).decision]).toEqual([true, undefined]);
  later = false;
  expect((await session.tool(call)).status).toBe('ran');
  expect((await session.stop()).decision).toBeDefined();
  expect(names(seen)).toEqual(['SessionStart', 'PreToolUse', 'PreToolUse', 'PostToolUse', 'Stop']);
});

test.each([
  ['an Error', new Error('exit 4'), 'exit 4'],
  ['an Error without words', new RangeError(''), 'RangeError'],
  ['a string', 'plain', 'plain'],
  ['nothing', '', 'The tool failed.'],
])('a tool that throws %s has failed, and the model reads why', async (_, thrown, text) => {
  const { host, session, seen } = await opened();
  on(host, 'PostToolUseFailure', () => ({
    decision: 'block',
    reason: 'look',
    hookSpecificOutput: { additionalContext: 'c' },
  }));
  const result = await session.tool({ name: 'A', input: {}, execute: () => Promise.reject(thrown) });
  expect(result).toMatchObject({ status: 'failed', isError: true, reason: text, endsLoop: false });
  expect(String(result.content).split('\n\n')).toEqual([
    text,
    expect.stringMatching(/^PostToolUseFailure:A hook blocking error from ".*": look$/),
    'PostToolUseFailure:A hook additional context: c',
  ]);
  expect(seen.at(-1)?.input).toMatchObject({ error: text, is_interrupt: false, duration_ms: expect.any(Number) });
});

test('a switch from no model, as the session itself says it, is one', async () => {
  const { session } = await opened();
  expect(await session.switchModel({ from_model: '', to_model: 'big' })).toMatchObject({ switched: true });
  await session.close();
});
