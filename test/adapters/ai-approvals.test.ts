import { generateText, type ModelMessage, streamText, ToolLoopAgent, type ToolSet, tool } from 'ai';
import type { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentTool, drive } from '../../src/adapters/ai.js';
import type { HookRecord } from '../../src/emit/record.js';
import type { Session } from '../../src/session/types.js';
import { whatBecame } from '../../src/why/ran.js';
import { byScope, names, on, opened } from '../session/kit.js';
import { prompt, scripted } from './ai-kit.js';

const inputSchema = z.object({ path: z.string() });
const asks = (updatedInput?: object) => ({
  hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'sure?', updatedInput },
});

function remover(more: object = {}) {
  const ran: string[] = [];
  const execute = ({ path }: { path: string }) => {
    ran.push(path);
    return `removed ${path}`;
  };
  return { ran, tools: { remove: tool({ inputSchema, execute, ...more }) } };
}

const turn = (session: Session, model: MockLanguageModelV3, options: Parameters<typeof drive<ToolSet, never>>[1]) =>
  drive(session, options, (round) => generateText({ model, ...round }));

/** The conversation with the user's yes to all that was asked, kept as text in between; with another input of the calls where one is given. */
function approved(messages: readonly ModelMessage[], input?: object): ModelMessage[] {
  const kept = JSON.parse(JSON.stringify(messages)) as ModelMessage[];
  const parts = kept.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  );
  for (const part of parts) if (part.type === 'tool-call' && input) part.input = input;
  const content = parts.flatMap((part) =>
    part.type === 'tool-approval-request'
      ? [{ type: 'tool-approval-response' as const, approvalId: part.approvalId, approved: true }]
      : [],
  );
  return [...kept, { role: 'tool', content }];
}

test.each([
  [
    'an approval',
    'The call was left unfinished, saying "remove waits for the user.", and nobody stopped it: it may be made again.',
  ],
  [
    'nothing, since it was interrupted',
    'The call was interrupted, after its tool had begun: by whoever stopped it, saying "The tool call was interrupted.".',
  ],
])('the record of a call that waits for %s says so, and so does why', async (what, sentence) => {
  const { host, session } = await opened();
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  on(host, 'PreToolUse', () => (what === 'an approval' ? asks() : undefined));
  const execute = () => {
    void session.interrupt();
    return new Promise(() => undefined);
  };
  const tools = { remove: tool({ inputSchema, execute }) };
  await turn(session, scripted({ remove: { path: 'a' } }, 'Done.'), { prompt: 'Go', tools });
  const [call] = records.filter((record) => record.type === 'tool_call');
  expect(call).toMatchObject({ status: 'interrupted' });
  expect(call?.denied_by).toBe(what === 'an approval' ? undefined : 'abort');
  expect(whatBecame({ records })).toEqual([sentence]);
});

describe('what the user has approved', () => {
  test.each([
    { who: 'a hook', more: {}, hook: asks() },
    { who: 'the tool', more: { needsApproval: true }, hook: undefined },
  ])('is the input that $who asked about: with another one the call does not run', async ({ more, hook }) => {
    const { host, session } = await opened();
    on(host, 'PreToolUse', () => hook);
    const { ran, tools } = remover(more);
    const model = scripted({ remove: { path: 'a' } }, 'Then not.');
    const first = await turn(session, model, { prompt: 'Go', tools });
    const second = await turn(session, model, { messages: approved(first.messages, { path: 'b' }), tools });
    expect(second).toMatchObject({ status: 'done', text: 'Then not.' });
    expect(ran).toEqual([]);
    expect(JSON.stringify(prompt(model, 1).outputs)).toContain('The user was asked about another input of remove.');
  });

  test.each([
    ['a hook', {}, { hookSpecificOutput: { permissionDecision: 'allow' } }],
    ['a rule', { permission: () => ({ behavior: 'allow' as const }) }, undefined],
    ['the mode', { permission: undefined, permission_mode: 'bypassPermissions' as const }, undefined],
  ])('is recorded as allowed by the user, and not by %s that allows it too', async (_, options, hook) => {
    for (const restored of [false, true]) {
      const { host, session } = await opened(options);
      const records: HookRecord[] = [];
      host.events$.subscribe((record) => records.push(record));
      on(host, 'PreToolUse', () => hook);
      const { ran, tools } = remover({ needsApproval: true });
      const model = scripted({ remove: { path: 'a' } }, 'Done.', { remove: { path: 'b' } });
      const first = await turn(session, model, { prompt: 'Go', tools });
      const later = restored ? await host.openSession(options) : session;
      await turn(later, model, { messages: approved(first.messages), tools });
      expect(ran).toEqual(['a']);
      const calls = records.filter((record) => record.type === 'tool_call');
      expect(calls).toMatchObject([{ status: 'ran', approver: 'user' }]);
      expect(calls[0]).not.toHaveProperty('decided_by');
    }
  });

  test('as a hook has rewritten it runs so, and not as a hook rewrites it by then', async () => {
    const { host, session } = await opened();
    const paths = ['b', 'b', 'c', 'd'];
    on(host, 'PreToolUse', () => asks({ path: paths.shift() }));
    const { ran, tools } = remover();
    const model = scripted({ remove: { path: 'a' } }, 'Done.', { remove: { path: 'a' } }, 'Then not.');
    const shown: unknown[] = [];
    const onAsk = (input: unknown) => void shown.push(input);
    const first = await turn(session, model, { prompt: 'Go', tools, onAsk });
    const second = await turn(session, model, { messages: approved(first.messages), tools, onAsk });
    expect(ran).toEqual(['b']);
    const third = await turn(session, model, { messages: second.messages, prompt: 'Again', tools, onAsk });
    expect(third.status).toBe('unfinished');
    await turn(session, model, { messages: approved(third.messages), tools, onAsk });
    expect(ran).toEqual(['b']);
    expect(shown).toEqual([{ path: 'b' }, { path: 'c' }]);
  });

  const rewrites = (permissionDecision?: string) => ({
    hookSpecificOutput: { permissionDecision, updatedInput: { path: 'b' } },
  });
  const RULED = [
    {},
    { permission: () => ({ behavior: 'allow' as const }) },
    { permission_mode: 'bypassPermissions' as const },
  ];

  test.each([undefined, 'ask', 'allow'])(
    'is the input that the SDK shows for a tool that needs approval: rewritten by a hook (which says %s) the call does not run',
    async (said) => {
      for (const options of RULED)
        for (const restored of [false, true]) {
          const { host, session } = await opened(options);
          const records: HookRecord[] = [];
          host.events$.subscribe((record) => records.push(record));
          on(host, 'PreToolUse', () => rewrites(said));
          const { ran, tools } = remover({ needsApproval: true });
          const model = scripted({ remove: { path: 'a' } }, 'Then not.');
          const first = await turn(session, model, { prompt: 'Go', tools });
          expect(JSON.stringify(first.messages)).toContain('"input":{"path":"a"}');
          const later = restored ? await host.openSession(options) : session;
          expect(await turn(later, model, { messages: approved(first.messages), tools })).toMatchObject({
            status: 'done',
          });
          expect(ran).toEqual([]);
          const [call] = records.filter((record) => record.type === 'tool_call');
          const reason = expect.stringMatching(/^The user was asked about another input of remove, before .*onAsk/);
          expect(call).toMatchObject({ status: 'denied', ran: false, denied_by: 'nobody', reason });
          expect(call).not.toHaveProperty('approver');
        }
    },
  );

  test.each([undefined, 'ask', 'allow'])(
    'is the input that onAsk shows, of a tool that needs approval, too: a hook has rewritten it and says %s',
    async (said) => {
      for (const options of RULED) {
        const { host, session } = await opened(options);
        const records: HookRecord[] = [];
        host.events$.subscribe((record) => records.push(record));
        on(host, 'PreToolUse', () => rewrites(said));
        const { ran, tools } = remover({ needsApproval: true });
        const model = scripted({ remove: { path: 'a' } }, 'Done.');
        const shown: unknown[] = [];
        const onAsk = async (input: unknown, { name }: { name: string }) => {
          await Promise.resolve();
          shown.push([name, input]);
          (input as { path: string }).path = 'changed';
        };
        const first = await turn(session, model, { prompt: 'Go', tools, onAsk });
        await turn(session, model, { messages: approved(first.messages), tools, onAsk });
        expect([shown, ran]).toEqual([[['remove', { path: 'changed' }]], ['b']]);
        const call = records.findLast((record) => record.type === 'tool_call');
        expect(call).toMatchObject({ status: 'ran', approver: 'user' });
        expect(call).not.toHaveProperty('decided_by');
      }
    },
  );

  test('is asked of nobody where the SDK would show another input than the one that a hook asks about', async () => {
    const { host, session } = await opened();
    const records: HookRecord[] = [];
    host.events$.subscribe((record) => records.push(record));
    on(host, 'PreToolUse', () => rewrites('ask'));
    const { ran, tools } = remover();
    const turned = await turn(session, scripted({ remove: { path: 'a' } }, 'Then not.'), { prompt: 'Go', tools });
    expect([turned.status, ran]).toEqual(['done', []]);
    const reason = expect.stringMatching(/^Nobody was asked about remove: .* would not see .*onAsk/);
    expect(records.find((record) => record.type === 'tool_call')).toMatchObject({ denied_by: 'nobody', reason });
  });

  test('is nothing where onAsk throws: the call is denied', async () => {
    const { host, session } = await opened();
    on(host, 'PreToolUse', () => asks());
    const { ran, tools } = remover();
    const onAsk = () => {
      throw new Error('no screen');
    };
    const model = scripted({ remove: { path: 'a' } }, 'Then not.');
    expect((await turn(session, model, { prompt: 'Go', tools, onAsk })).status).toBe('done');
    expect(ran).toEqual([]);
    expect(JSON.stringify(prompt(model, 1).outputs)).toContain('no screen');
  });

  test('is asked of the session where a hook rewrites it after the SDK has asked', async () => {
    const asked: unknown[] = [];
    const ask = (input: unknown) => {
      asked.push(input);
      return { behavior: 'allow' as const };
    };
    const { host, session } = await opened({ ask, permission: () => ({ behavior: 'allow' }) });
    on(host, 'PreToolUse', () => rewrites());
    const { ran, tools } = remover({ needsApproval: true });
    const model = scripted({ remove: { path: 'a' } }, 'Done.');
    const first = await turn(session, model, { prompt: 'Go', tools });
    await turn(session, model, { messages: approved(first.messages), tools });
    expect([asked, ran]).toEqual([[{ path: 'b' }], ['b']]);
  });

  test('is taken from the conversation as it is where another session goes on with it; hooks judge it all the same', async () => {
    const { host, session } = await opened();
    on(host, 'PreToolUse', () => asks());
    const { ran, tools } = remover();
    const first = await turn(session, scripted({ remove: { path: 'a' } }), { prompt: 'Go', tools });
    const other = await opened();
    on(other.host, 'PreToolUse', () => asks());
    const messages = approved(first.messages, { path: 'b' });
    await turn(other.session, scripted('Done.'), { messages, tools });
    expect(ran).toEqual(['b']);
    const third = await opened();
    on(third.host, 'PreToolUse', () => ({ decision: 'block', reason: 'never' }));
    await turn(third.session, scripted('Done.'), { messages, tools });
    expect(ran).toEqual(['b']);
  });
});

describe('an id that the model gives its calls again', () => {
  /** Hooks ask about b and c. */
  async function asking(more: object = {}) {
    const { host, session, seen } = await opened();
    on(host, 'PreToolUse', (input: object) => (/"path":"[bc]"/.test(JSON.stringify(input)) ? asks() : undefined));
    on(host, 'PermissionRequest', () => undefined);
    const inputs = () =>
      seen.map(({ event, input }) => [event, (input['tool_input'] as { path?: string } | undefined)?.path]);
    return { session, seen, inputs, ...remover(more) };
  }
  const answered = (messages: readonly ModelMessage[], approve: boolean): ModelMessage[] => {
    const all = messages.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' ? content : [],
    );
    const request = all.findLast((part) => part.type === 'tool-approval-request');
    const approvalId = request?.type === 'tool-approval-request' ? request.approvalId : '';
    const kept = JSON.parse(JSON.stringify(messages)) as ModelMessage[];
    return [...kept, { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: approve }] }];
  };

  test('for a call that the user refuses: the hooks are told of that call, not of the first one', async () => {
    const { session, inputs, ran, tools } = await asking();
    const model = scripted({ 'remove@c': { path: 'a' } }, { 'remove@c': { path: 'b' } }, 'Then not.');
    const first = await turn(session, model, { prompt: 'Go', tools });
    const before = inputs().length;
    const second = await turn(session, model, { messages: answered(first.messages, false), tools });
    expect([first.status, second.status, ran]).toEqual(['unfinished', 'done', ['a']]);
    const told = inputs()
      .slice(before)
      .filter(([event]) => event === 'PreToolUse' || event === 'PermissionRequest');
    expect(told).toEqual([
      ['PreToolUse', 'b'],
      ['PermissionRequest', 'b'],
    ]);
  });

  test.each([
    ['with another input', 'c'],
    ['with the same input', 'b'],
  ])('for the call after one that was approved, %s: it is asked about on its own', async (_, path) => {
    for (const approve of [true, false]) {
      const { session, ran, tools } = await asking();
      const model = scripted({ 'remove@c': { path: 'b' } }, { 'remove@c': { path } }, 'Done.');
      const first = await turn(session, model, { prompt: 'Go', tools });
      const second = await turn(session, model, { messages: answered(first.messages, true), tools });
      expect([first.status, second.status, ran]).toEqual(['unfinished', 'unfinished', ['b']]);
      const third = await turn(session, model, { messages: answered(second.messages, approve), tools });
      expect([third.status, ran]).toEqual(['done', approve ? ['b', path] : ['b']]);
      expect(JSON.stringify(third.messages)).not.toContain('another input');
    }
  });

  test.each([true, false])(
    'for a call that nobody asks about after one that was answered (%s): nobody is asked',
    async (yes) => {
      const { session, ran, tools } = await asking();
      const calls = [{ 'remove@c': { path: 'b' } }, { 'remove@c': { path: 'a' } }, 'Done.'];
      const model = scripted(...calls);
      const first = await turn(session, model, { prompt: 'Go', tools });
      const second = await turn(session, model, { messages: answered(first.messages, yes), tools });
      expect([second.status, ran]).toEqual(['done', yes ? ['b', 'a'] : ['a']]);
    },
  );

  test('for an equal call after one that was approved: hooks judge it before anybody is asked', async () => {
    const { host, session } = await opened();
    const answers = [asks(), asks(), undefined];
    on(host, 'PreToolUse', () => answers.shift());
    const { ran, tools } = remover();
    const model = scripted({ 'remove@c': { path: 'b' } }, { 'remove@c': { path: 'b' } }, 'Done.');
    const first = await turn(session, model, { prompt: 'Go', tools });
    const second = await turn(session, model, { messages: answered(first.messages, true), tools });
    expect([first.status, second.status, ran]).toEqual(['unfinished', 'done', ['b', 'b']]);
  });

  test("for a call of a tool that needs approval, each time: the tool's own wish counts for each", async () => {
    const { session, ran, tools } = await asking({ needsApproval: true });
    const model = scripted({ 'remove@c': { path: 'a' } }, { 'remove@c': { path: 'a' } }, 'Done.');
    const first = await turn(session, model, { prompt: 'Go', tools });
    const second = await turn(session, model, { messages: answered(first.messages, true), tools });
    expect([second.status, ran]).toEqual(['unfinished', ['a']]);
    await turn(session, model, { messages: answered(second.messages, true), tools });
    expect(ran).toEqual(['a', 'a']);
  });

  test('in one step: each has its own output, and PostToolBatch lists both', async () => {
    const { session, seen, inputs, ran, tools } = await asking();
    const model = scripted({ 'remove@c': { path: 'a' }, 'remove@c#2': { path: 'z' } }, 'Done.');
    expect((await turn(session, model, { prompt: 'Go', tools })).status).toBe('done');
    expect(ran).toEqual(['a', 'z']);
    expect(inputs().filter(([event]) => event === 'PostToolUse')).toHaveLength(2);
    const batch = seen.find(({ event }) => event === 'PostToolBatch');
    expect(batch?.input['tool_calls']).toMatchObject([
      { tool_input: { path: 'a' }, tool_response: 'removed a' },
      { tool_input: { path: 'z' }, tool_response: 'removed z' },
    ]);
    const outputs = JSON.stringify(prompt(model, 1).outputs);
    expect([outputs.includes('removed a'), outputs.includes('removed z')]).toEqual([true, true]);
  });
});

describe("a subagent's tool that needs approval", () => {
  const go = async (options: Parameters<typeof opened>[0]) => {
    const { session, seen } = await opened(options);
    const { ran, tools } = remover({ needsApproval: ({ path }: { path: string }) => path === 'a' });
    const inner = scripted({ remove: { path: 'a' }, 'remove#2': { path: 'b' } }, 'I am done.');
    const statuses: string[] = [];
    const helper = agentTool(session, {
      agent_type: 'helper',
      description: 'Helps.',
      run: async (child, task) => {
        const { status, text } = await turn(child, inner, { prompt: task, tools });
        statuses.push(status);
        return text;
      },
    });
    const model = scripted({ helper: { prompt: 'Clean up' } }, 'Done.');
    expect(await turn(session, model, { prompt: 'Go', tools: { helper } })).toMatchObject({ status: 'done' });
    expect(statuses).toEqual(['done']);
    return { ran, outputs: JSON.stringify(prompt(inner, 1).outputs), seen };
  };

  test('is denied where nobody can be asked at once', async () => {
    const { ran, outputs } = await go({});
    expect(ran).toEqual(['b']);
    expect(outputs).toContain('Permission to use remove was not granted: nobody was there to be asked.');
  });

  test('is asked about where somebody can, and what rules deny is denied', async () => {
    const ask = () => ({ behavior: 'allow' as const });
    const { ran, seen } = await go({ ask });
    expect(ran.sort()).toEqual(['a', 'b']);
    expect(names(seen).filter((name) => name === 'PermissionRequest')).toHaveLength(1);
    const ruled = await go({
      ask,
      permission: (input) => ({ behavior: JSON.stringify(input).includes('path') ? 'deny' : 'allow' }),
    });
    expect(ruled.ran).toEqual([]);
  });
});

describe("an agent of the SDK's own", () => {
  test('goes through the hooks with the settings of the round', async () => {
    const { host, session, seen } = await opened();
    on(host, 'PreToolUse', () => ({ decision: 'block', reason: 'never' }));
    const { ran, tools } = remover();
    const model = scripted({ remove: { path: 'a' } }, 'Then not.');
    const { text } = await drive(session, { prompt: 'Go', tools }, ({ messages, ...round }) =>
      new ToolLoopAgent({ model, ...round }).generate({ messages }),
    );
    expect({ text, ran }).toEqual({ text: 'Then not.', ran: [] });
    expect(byScope(seen)['main']).toContain('Stop');
  });

  test('with a tool of its own is an error, though its call has the id of one that hooks have seen', async () => {
    const { session } = await opened();
    const { tools } = remover();
    const turn = (...replies: object[]) =>
      drive(session, { prompt: 'Go', tools }, ({ tools: own, ...round }) => {
        const model = scripted(...(replies as Record<string, object>[]), 'Done.');
        return generateText({ model, ...round, tools: { ...own, other: tools['remove'] } } as never) as never;
      });
    const call = { 'remove@c': { path: 'a' } };
    await expect(turn(call, { 'other@c': { path: 'b' } })).rejects.toThrow('other ran, and no hook has seen it');
    await expect(turn({ 'other@c': { path: 'b' }, ...call })).rejects.toThrow('other ran, and no hook has seen it');
    expect((await turn(call, call)).status).toBe('done');
  });

  test.each(['an agent', 'generateText'])('with tools of its own is an error, after they have run: %s', async (how) => {
    const { session, seen } = await opened();
    const { ran, tools } = remover();
    const model = scripted({ remove: { path: 'a' } }, 'Done.');
    const going = drive(session, { prompt: 'Go' }, ({ messages, ...round }) =>
      how === 'an agent'
        ? new ToolLoopAgent({ model, tools }).generate({ messages })
        : (generateText({ model, messages, ...round, tools } as never) as never),
    );
    await expect(going).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('remove ran, and no hook has seen it') as string,
    });
    expect(ran).toEqual(['a']);
    expect(names(seen).at(-1)).toBe('StopFailure');
  });

  test('that a tool runs on its own account is that call alone to the hooks', async () => {
    const { session, seen } = await opened();
    const { ran, tools } = remover();
    const inner = new ToolLoopAgent({ model: scripted({ remove: { path: 'a' } }, 'Done.'), tools });
    const ask = tool({ inputSchema, execute: async ({ path }) => (await inner.generate({ prompt: path })).text });
    await turn(session, scripted({ ask: { path: 'x' } }, 'Done.'), { prompt: 'Go', tools: { ask } });
    expect(ran).toEqual(['a']);
    expect(seen.flatMap(({ input }) => input['tool_name'] ?? [])).toEqual(['ask', 'ask']);
  });
});

describe.each(['generateText', 'streamText'] as const)('of two calls with one id that wait, by %s', (how) => {
  const cases = [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ].flatMap((answers) => [
    { answers, second: 'b' },
    { answers, second: 'a' },
  ]);
  test.each(cases)('no call runs that the user has refused ($answers, $second)', async ({ answers, second }) => {
    const { host, session } = await opened();
    const records: HookRecord[] = [];
    host.events$.subscribe((record) => records.push(record));
    const { ran, tools } = remover({ needsApproval: true });
    const calls = { 'remove@x': { path: 'a' }, 'remove#2@x': { path: second } };
    const model = scripted(calls, 'Done.', 'Done.');
    const go = (options: Parameters<typeof drive<ToolSet, never>>[1]) =>
      drive(session, options, (round) =>
        how === 'generateText' ? generateText({ model, ...round }) : (streamText({ model, ...round }) as never),
      );
    const first = await go({ prompt: 'Go', tools });
    expect(ran).toEqual([]);
    const messages = approved(first.messages);
    const last = messages.at(-1)?.content as { approved: boolean }[];
    last.forEach((part, at) => {
      part.approved = answers[at] === true;
    });
    await go({ messages, tools });
    // For a yes the SDK may make the last call with the id, also the one that the user has refused.
    for (const path of ran) expect(['a', second].filter((_, at) => answers[at])).toContain(path);
    if (answers[0] && (how === 'generateText' || second === 'a')) expect(ran).toEqual(['a']);
    const made = records.filter((record) => record.type === 'tool_call' && record.status === 'ran');
    for (const call of made) expect(call).toMatchObject({ approver: 'user' });
  });
});
