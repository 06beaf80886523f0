import { describe, expect, test } from 'vitest';
import { addContext, stop } from '../../src/events/output/helpers.js';
import type { SessionMessage } from '../../src/session/options.js';
import { anyHooks, registerAs, until } from '../host/kit.js';
import { names, on, opened } from './kit.js';

test('context waits for the next system prompt of its scope, in order, and is then gone', async () => {
  const { host, session } = await opened();
  on(
    host,
    'Notification',
    () => addContext('first'),
    () => addContext('second'),
  );
  on(host, 'CwdChanged', () => ({ systemMessage: 'third' }));
  await session.notify({ message: 'm' });
  await session.changeCwd('/w/sub');
  expect(session.pendingContext()).toEqual(['first', 'second', 'third']);
  expect(host.pendingContext()).toEqual(['first', 'second', 'third']);
  expect(session.systemPrompt('You help.')).toBe('You help.\n\nfirst\nsecond\nthird');
  expect(session.systemPrompt('You help.')).toBe('You help.');
  expect(session.pendingContext()).toEqual([]);
});

test('context alone is a system prompt too', async () => {
  const { host, session } = await opened();
  on(host, 'Notification', () => addContext('only this'));
  await session.notify({ message: 'm' });
  expect(session.systemPrompt('')).toBe('only this');
});

test('each session and each agent has its own', async () => {
  const { host, session } = await opened();
  on(host, 'SubagentStart', ({ agent_id }: { agent_id: string }) => addContext(`for ${agent_id}`));
  on(host, 'SessionStart', ({ session_id }: { session_id: string }) => addContext(`for ${session_id}`));
  const other = await host.openSession({ session_id: 's2' });
  const a = await session.spawn({ agent_type: 'w', id: 'a' });
  const twin = await other.spawn({ agent_type: 'w', id: 'a' });
  const nested = await a.spawn({ agent_type: 'w', id: 'n' });
  expect([session, other, a, twin, nested].map((s) => s.systemPrompt(''))).toEqual([
    '',
    'for s2',
    'for a',
    'for a',
    'for n',
  ]);
});

test('Setup and SessionStart tell the model, and the title and the first message are there to ask for', async () => {
  const { host } = await opened({ session_id: 'other' });
  host.register(
    anyHooks({
      Setup: [{ hooks: [() => addContext('set up')] }],
      SessionStart: [
        {
          hooks: [
            () => ({
              hookSpecificOutput: { additionalContext: 'started', sessionTitle: 'T', initialUserMessage: 'hello' },
            }),
          ],
        },
      ],
    }),
  );
  const session = await host.openSession({ setup: 'maintenance' });
  expect(session.systemPrompt('base')).toBe('base\n\nset up\nstarted');
  expect([session.title, session.initialUserMessage]).toEqual(['T', 'hello']);
});

describe('context of a prompt', () => {
  test('stands before it, and waits nowhere else', async () => {
    const { host, session } = await opened();
    on(
      host,
      'UserPromptSubmit',
      () => addContext('today is Monday'),
      () => ({ systemMessage: 'be kind' }),
    );
    on(host, 'UserPromptExpansion', () => addContext('from the command'));
    const answer = await session.prompt('/c', { command: { command_name: 'c', expanded: 'Do it.' } });
    expect(answer).toMatchObject({
      blocked: false,
      endsLoop: false,
      prompt: 'Do it.',
      context: ['today is Monday', 'be kind', 'from the command'],
      content: 'today is Monday\nbe kind\nfrom the command\n\nDo it.',
    });
    expect(session.pendingContext()).toEqual([]);
  });

  test('of one that is blocked is lost with it', async () => {
    const { host, session } = await opened();
    on(
      host,
      'UserPromptSubmit',
      () => addContext('c'),
      () => ({ decision: 'block', reason: 'a secret' }),
    );
    const answer = await session.prompt('p');
    expect(answer).toMatchObject({
      blocked: true,
      reason: 'a secret',
      prompt: '',
      context: [],
      content: '',
      endsLoop: true,
    });
    expect(answer.message).toBe('UserPromptSubmit operation blocked by hook:\na secret\n\nOriginal prompt: p');
  });

  test('a block without a reason says so much and no more', async () => {
    const { host, session } = await opened();
    on(host, 'UserPromptSubmit', () => ({ decision: 'block' }));
    const answer = await session.prompt('p');
    expect(answer).not.toHaveProperty('reason');
    expect(answer.message).toBe('UserPromptSubmit operation blocked by hook\n\nOriginal prompt: p');
  });

  test.each([
    ['', 'PreToolUse:Read hook additional context: c'],
    ['r', 'r\n\nPreToolUse:Read hook additional context: c'],
  ])('context for the tool result %j stands below it, if there is anything above', async (result, content) => {
    const { host, session } = await opened();
    on(host, 'PreToolUse', () => addContext('c'));
    expect(await session.tool({ name: 'Read', input: {}, execute: () => result })).toMatchObject({ content });
  });
});

test("a prompt may be blocked by its expansion, and its text kept from the user's screen", async () => {
  const { host, session, seen } = await opened();
  on(host, 'UserPromptExpansion', () => ({
    decision: 'block',
    reason: 'R',
    hookSpecificOutput: { suppressOriginalPrompt: true },
  }));
  const answer = await session.prompt('/c', { command: { command_name: 'c' } });
  expect(answer).toMatchObject({ blocked: true, message: 'UserPromptExpansion operation blocked by hook:\nR' });
  on(host, 'UserPromptSubmit', () => ({ decision: 'block' }));
  await session.prompt('/c', { command: { command_name: 'c' } });
  expect(names(seen).slice(1)).toEqual(['UserPromptSubmit', 'UserPromptExpansion', 'UserPromptSubmit']);
});

test('continue: false on a prompt keeps the prompt and ends the loop', async () => {
  const { host, session } = await opened();
  on(host, 'UserPromptSubmit', () => stop('budget'));
  expect(await session.prompt('p')).toMatchObject({ blocked: false, endsLoop: true, prompt: 'p', reason: 'budget' });
  expect((await session.stop()).decision).toBeUndefined();
});

test('a title that a hook gives is told to later prompts', async () => {
  const { host, session, seen } = await opened();
  const titles = ['My title', undefined];
  on(host, 'UserPromptSubmit', () => {
    const sessionTitle = titles.shift();
    return sessionTitle === undefined ? undefined : { hookSpecificOutput: { sessionTitle } };
  });
  expect((await session.prompt('one')).sessionTitle).toBe('My title');
  await session.prompt('two');
  await session.prompt('three');
  expect(seen.map((s) => s.input['session_title'])).toEqual([undefined, undefined, 'My title', 'My title']);
});

describe('a system message', () => {
  test("of a hook from code is for the user and the model; of Claude Code's files for the user alone", async () => {
    const messages: SessionMessage[] = [];
    const { host, session } = await opened({ onMessage: (m) => messages.push(m) });
    on(host, 'PostToolUse', () => ({ systemMessage: 'from code' }));
    registerAs(
      host,
      {
        PostToolUse: [
          {
            hooks: [
              () => ({
                systemMessage: 'from a file',
                hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'context' },
              }),
            ],
          },
        ],
      },
      { dialect: 'claude' },
    );
    const child = await session.spawn({ agent_type: 'w', id: 'a' });
    const result = await child.tool({ name: 'T', input: {}, execute: () => 'out' });
    expect(result.content).toBe('out\n\nPostToolUse:T hook additional context: context\nfrom code');
    expect(messages).toEqual(
      ['from code', 'from a file'].map((text) => ({ event: 'PostToolUse', text, session_id: 's', agent_id: 'a' })),
    );
  });

  test('is shown although the harness throws when it is told', async () => {
    const { host, session, reports } = await opened({
      onMessage: () => {
        throw new Error('no screen');
      },
    });
    on(host, 'PreToolUse', () => ({ systemMessage: 'm' }));
    expect((await session.tool({ name: 'T', input: {}, execute: () => 'out' })).status).toBe('ran');
    expect(reports.join()).toMatch(/no screen/);
  });
});

test('what a hook in the background says waits in the scope it was fired in', async () => {
  const { host, session } = await opened();
  host.register(
    anyHooks({
      PreToolUse: [
        {
          hooks: [
            {
              async: true,
              handler: async ({ agent_id }: { agent_id?: string }) => addContext(`late for ${agent_id ?? 'main'}`),
            },
          ],
        },
      ],
    }),
  );
  const child = await session.spawn({ agent_type: 'w', id: 'a' });
  const result = await child.tool({ name: 'T', input: {}, execute: () => 'out' });
  await session.tool({ name: 'T', input: {}, execute: () => 'out' });
  await until(() => child.pendingContext().length + session.pendingContext().length === 2);
  expect(result.content).toBe('out');
  expect([child.systemPrompt(''), session.systemPrompt('')]).toEqual(['late for a', 'late for main']);
  expect(host.pendingContext('a')).toEqual([]);
});

describe('the output of a tool', () => {
  const call = { name: 'T', input: {}, execute: () => 'secret' };

  test('is hidden from transcript and model by suppressOutput, and one line says by whom', async () => {
    const { host, session, seen } = await opened();
    host.register({
      PostToolUse: [
        { name: 'redact', hooks: [() => ({ suppressOutput: true, hookSpecificOutput: { additionalContext: 'c' } })] },
      ],
    });
    const { results } = await session.toolBatch([call]);
    expect(results[0]).toMatchObject({
      hidden: true,
      content: 'The output of T was hidden by the hook "redact".\n\nPostToolUse:T hook additional context: c',
    });
    expect(results[0]).not.toHaveProperty('response');
    expect(JSON.stringify(seen.find((s) => s.event === 'PostToolBatch'))).not.toContain('secret');
  });

  test("is not hidden by Claude Code's own files", async () => {
    const { host, session } = await opened();
    registerAs(host, { PostToolUse: [{ hooks: [() => ({ suppressOutput: true })] }] }, { dialect: 'claude' });
    expect(await session.tool(call)).toMatchObject({ hidden: false, content: 'secret' });
  });

  test('is hidden by the hook from code, also where one of the files wanted it first', async () => {
    const { host, session } = await opened();
    registerAs(
      host,
      { PostToolUse: [{ stage: -1, name: 'of a file', hooks: [() => ({ suppressOutput: true })] }] },
      { dialect: 'claude' },
    );
    host.register({ PostToolUse: [{ name: 'of code', hooks: [() => ({ suppressOutput: true })] }] });
    expect((await session.tool(call)).content).toBe('The output of T was hidden by the hook "of code".');
  });

  test.each([
    ['text', 'old', 'new', undefined, 'new'],
    ['data the tool can say', { out: 'old' }, { out: 'new' }, (r: unknown) => (r as { out: string }).out, 'new'],
    ['text for data', { out: 'old' }, 'new', (r: unknown) => (r as { out: string }).out, 'new'],
    [
      'data the tool cannot say',
      { out: 'old' },
      { other: 1 },
      (r: unknown) => (r as { out: string }).out,
      '{"other":1}',
    ],
    [
      'data the tool fails on',
      { out: ['old'] },
      { other: 1 },
      (r: unknown) => (r as { out: string[] }).out.join(),
      '{"other":1}',
    ],
    ['null', 'old', null, undefined, ''],
  ])('is rewritten: %s', async (_, before, after, render, content) => {
    const { host, session } = await opened();
    on(host, 'PostToolUse', () => ({ hookSpecificOutput: { updatedToolOutput: after } }));
    const result = await session.tool({ ...call, execute: () => before, ...(render ? { render } : {}) });
    expect(result).toMatchObject({ content, response: after });
  });

  test.each([
    ['nothing', undefined, ''],
    ['a number', 7, '7'],
    ['data', { a: [1] }, '{"a":[1]}'],
    ['blocks', [{ type: 'text', text: 't' }], [{ type: 'text', text: 't' }]],
    ['no blocks', [], '[]'],
  ])('goes to the model as it is: %s', async (_, response, content) => {
    const { session } = await opened();
    expect((await session.tool({ ...call, execute: () => response })).content).toEqual(content);
  });
});
