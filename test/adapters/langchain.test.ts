import { ChatMessage } from '@langchain/core/messages';
import { Command, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import {
  AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  type StructuredTool,
  SystemMessage,
  ToolMessage,
  tool,
  toolRetryMiddleware,
} from 'langchain';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type HooksOptions, hooks } from '../../src/adapters/langchain.js';
import type { Session } from '../../src/session/types.js';
import { byScope, names, on, opened } from '../session/kit.js';
import { prompt, type Reply, Scripted } from './langchain-kit.js';

const schema = z.object({ city: z.string() });
const deny = { decision: 'block', reason: 'not today' };

async function setup(script: readonly Reply[], options: Parameters<typeof opened>[0] = {}) {
  const ran: string[] = [];
  const weather = tool(
    ({ city }) => {
      ran.push(city);
      if (city === 'nowhere') throw new Error('no such city');
      return { city, degrees: 21 };
    },
    { name: 'weather', description: 'Weather', schema },
  );
  return { ran, weather, model: new Scripted(...script), ...(await opened(options)) };
}
const ROME = { weather: { city: 'Rome' } };
const outputs = (model: Scripted, call: number) => prompt(model, call).outputs;

describe('a turn', () => {
  test('fires every event at its place', async () => {
    const { session, seen, model, weather } = await setup([{ ...ROME, 'weather#2': { city: 'nowhere' } }, 'Warm.']);
    const agent = createAgent({ model, tools: [weather], middleware: [hooks(session)] });
    const { messages, hooks: turn } = await agent.invoke({ messages: 'Weather?' });
    expect(turn).toEqual({ status: 'done' });
    expect(messages.map((m) => m.type)).toEqual(['human', 'ai', 'tool', 'tool', 'ai']);
    expect(names(seen).slice(0, 2)).toEqual(['SessionStart', 'UserPromptSubmit']);
    expect(names(seen).slice(-2)).toEqual(['PostToolBatch', 'Stop']);
    expect(names(seen).slice(2, -2).sort()).toEqual(['PostToolUse', 'PostToolUseFailure', 'PreToolUse', 'PreToolUse']);
    expect(outputs(model, 1)).toEqual([
      { text: '{"city":"Rome","degrees":21}', status: 'success' },
      { text: 'no such city', status: 'error' },
    ]);
  });

  test('streams as LangChain does, and nothing of a call that was denied', async () => {
    const { host, session, ran, model, weather } = await setup([ROME, 'It is warm today.']);
    on(host, 'PreToolUse', () => deny);
    const agent = createAgent({ model, tools: [weather], middleware: [hooks(session)] });
    const words: string[] = [];
    const nodes: string[] = [];
    for await (const [mode, piece] of await agent.stream({ messages: 'Go' }, { streamMode: ['messages', 'updates'] })) {
      if (mode === 'updates') nodes.push(...Object.keys(piece));
      else if (piece[0].text) words.push(piece[0].text);
    }
    expect(words).toEqual(['PreToolUse:weather hook error: not today', 'It ', 'is ', 'warm ', 'today.']);
    expect(ran).toEqual([]);
    expect(nodes.filter((node) => node.startsWith('hookscope'))).toEqual([
      'hookscope.before_agent',
      'hookscope.after_agent',
    ]);
  });

  test('runs the calls of a step beside each other', async () => {
    const { session, model } = await setup([{ meet: {}, 'meet#2': {} }, 'Done.']);
    let come = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      come = resolve;
    });
    let there = 0;
    const meet = tool(
      async () => {
        if (++there === 2) come();
        await both;
        return 'met';
      },
      { name: 'meet', description: 'd', schema: z.object({}) },
    );
    await createAgent({ model, tools: [meet], middleware: [hooks(session)] }).invoke({ messages: 'Go' });
    expect(outputs(model, 1).map(({ text }) => text)).toEqual(['met', 'met']);
  });

  test.each(['caller', 'session'] as const)(
    'that the %s ends while a tool runs aborts it, and fires no Stop',
    async (who) => {
      const { session, seen, model } = await setup([{ wait: {} }, 'never said']);
      const caller = new AbortController();
      let aborted = false;
      const wait = tool(
        async (_, { signal }) => {
          setTimeout(() => (who === 'caller' ? caller.abort() : void session.interrupt()), 5);
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
          aborted = true;
          return 'too late';
        },
        { name: 'wait', description: 'd', schema: z.object({}) },
      );
      const agent = createAgent({ model, tools: [wait], middleware: [hooks(session)] });
      const turn = agent.invoke({ messages: 'Go' }, { signal: caller.signal });
      if (who === 'caller') await expect(turn).rejects.toThrow(/abort/i);
      else expect((await turn).hooks).toEqual({ status: 'ended', reason: 'The tool call was interrupted.' });
      await expect.poll(() => aborted).toBe(true);
      await expect.poll(() => names(seen).at(-1)).toBe('PostToolUseFailure');
      expect(model.got).toHaveLength(1);
    },
  );

  test('has the steps that LangChain gives it, but for the two that begin and end it', async () => {
    const endless = () => Array.from({ length: 50 }, () => ROME);
    const { session, seen, model, weather } = await setup(endless());
    const theirs = new Scripted(...endless());
    const limit = { recursionLimit: 20 };
    const plain = createAgent({ model: theirs, tools: [weather] });
    await expect(plain.invoke({ messages: 'Go' }, limit)).rejects.toThrow('Recursion limit of 20');
    const agent = createAgent({ model, tools: [weather], middleware: [hooks(session)] });
    await expect(agent.invoke({ messages: 'Go' }, limit)).rejects.toThrow('Recursion limit of 20');
    expect(theirs.got.length - model.got.length).toBeLessThanOrEqual(1);
    expect(names(seen).filter((name) => name.startsWith('Stop'))).toEqual([]);
    const next = new Scripted('Done.');
    const { hooks: turn } = await createAgent({ model: next, middleware: [hooks(session)] }).invoke({ messages: 'Go' });
    expect(turn).toEqual({ status: 'done' });
  });

  test('of a blocked prompt leaves nothing of it, in the next turn neither', async () => {
    const { host, session, model } = await setup(['Hello.']);
    on(host, 'UserPromptSubmit', (input: { prompt: string }) => (input.prompt === 'bad' ? deny : undefined));
    const agent = createAgent({ model, middleware: [hooks(session)] });
    const first = await agent.invoke({ messages: [new AIMessage('Hi.'), new HumanMessage('bad')] });
    expect(first.hooks).toEqual({ status: 'blocked', reason: 'not today' });
    expect(first.messages.map((m) => m.text)).toEqual(['Hi.']);
    const second = await agent.invoke({ messages: [...first.messages, new HumanMessage('good')] });
    expect(second.hooks).toEqual({ status: 'done' });
    expect(prompt(model, 0).users).toEqual(['good']);
  });

  test('asks hooks about what is new, and about what came again under the same id', async () => {
    const { session, seen, model } = await setup([new Error('down'), 'One.', 'Two.']);
    const agent = createAgent({ model, middleware: [hooks(session)] });
    const hello = new HumanMessage({ content: 'hello', id: '1' });
    await expect(agent.invoke({ messages: [hello] })).rejects.toThrow('down');
    await agent.invoke({ messages: [hello, new HumanMessage({ content: 'again', id: '2' })] });
    await agent.invoke({ messages: [new HumanMessage({ content: 'other', id: '1' })] });
    const asked = seen.filter((one) => one.event === 'UserPromptSubmit').map((one) => one.input['prompt']);
    expect(asked).toEqual(['hello', 'again', 'other']);
  });

  test.each([
    ['a message of the system', [new HumanMessage('hello'), new SystemMessage('Be kind.')]],
    ['a role of its own', [new ChatMessage('hello', 'user')]],
  ])('is asked about behind or under %s', async (_, messages) => {
    const { host, session, model } = await setup(['never said']);
    on(host, 'UserPromptSubmit', (input: { prompt: string }) => (input.prompt === 'hello' ? deny : undefined));
    const agent = createAgent({ model, middleware: [hooks(session)] });
    const { messages: left } = await agent.invoke({ messages });
    expect(left.map((one) => one.type)).not.toContain('human');
    expect(model.got).toEqual([]);
  });

  test('with an image: hooks read its words, the model gets all of it, with the context above', async () => {
    const { host, session, seen, model } = await setup(['A cat.']);
    on(host, 'UserPromptSubmit', () => ({ hookSpecificOutput: { additionalContext: 'facts' } }));
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const message = new HumanMessage({ content: [{ type: 'text', text: 'What?' }, image] });
    await createAgent({ model, middleware: [hooks(session)] }).invoke({ messages: [message] });
    expect(seen.find((one) => one.event === 'UserPromptSubmit')?.input['prompt']).toBe('What?');
    expect(model.got[0]?.[0]?.content).toEqual([
      { type: 'text', text: 'facts' },
      { type: 'text', text: 'What?' },
      image,
    ]);
  });

  test('with an answer in a given form stops after it', async () => {
    const { session, seen, model } = await setup([{ extract: { degrees: 21 } }]);
    const responseFormat = z.object({ degrees: z.number() });
    const agent = createAgent({ model, responseFormat, middleware: [hooks(session)] });
    const { structuredResponse, hooks: turn } = await agent.invoke({ messages: 'Weather?' });
    expect(structuredResponse).toEqual({ degrees: 21 });
    expect(turn).toEqual({ status: 'done' });
    expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop']);
  });

  test.each([false, true])('that ends with a tool has its batch and its Stop (denied: %s)', async (denied) => {
    const { host, session, seen, model } = await setup([{ last: {} }, 'Then so.']);
    if (denied) on(host, 'PreToolUse', () => deny);
    const last = tool(() => 'the end', { name: 'last', description: 'd', schema: z.object({}), returnDirect: true });
    const agent = createAgent({ model, tools: [last], middleware: [hooks(session)] });
    const { hooks: turn } = await agent.invoke({ messages: 'Go' });
    expect(turn).toEqual({ status: 'done' });
    expect(names(seen).slice(-2)).toEqual(['PostToolBatch', 'Stop']);
    expect(model.got.length).toBe(denied ? 2 : 1);
  });
});

describe('other middleware', () => {
  const changing = (at: string) =>
    createMiddleware({
      name: at,
      wrapToolCall: (request, handler) =>
        handler({ ...request, toolCall: { ...request.toolCall, args: { city: 'Moscow' } } }),
    });
  const guarded = async (
    order: (mine: ReturnType<typeof hooks>) => Parameters<typeof createAgent>[0]['middleware'],
  ) => {
    const { host, session, ran, model, weather } = await setup([ROME, 'Done.']);
    on(host, 'PreToolUse', ({ tool_input }: { tool_input: { city: string } }) =>
      tool_input.city === 'Moscow' ? deny : undefined,
    );
    await createAgent({ model, tools: [weather], middleware: order(hooks(session)) ?? [] }).invoke({ messages: 'Go' });
    return { ran, output: outputs(model, 1)[0]?.text };
  };

  test('before it changes a call that is then judged', async () => {
    const { ran, output } = await guarded((mine) => [changing('before'), mine]);
    expect(ran).toEqual([]);
    expect(output).toBe('PreToolUse:weather hook error: not today');
  });

  test('behind it cannot change a call that was judged', async () => {
    const { ran, output } = await guarded((mine) => [mine, changing('behind')]);
    expect(ran).toEqual([]);
    expect(output).toContain('was changed after hooks had judged it');
  });

  test('behind it cannot do so in place either', async () => {
    const inPlace = createMiddleware({
      name: 'behind',
      wrapToolCall: (request, handler) => {
        Object.assign(request.toolCall.args, { city: 'Moscow' });
        return handler(request);
      },
    });
    const { ran, output } = await guarded((mine) => [mine, inPlace]);
    expect(ran).toEqual([]);
    expect(output).toContain('was changed after hooks had judged it');
  });

  test.each(['another tool', 'an answer of its own'])(
    'behind it that puts %s in its place is not seen',
    async (what) => {
      const other = tool(() => 'from another', { name: 'other', description: 'd', schema });
      const behind = createMiddleware({
        name: 'behind',
        wrapToolCall: (request, handler) =>
          what === 'another tool'
            ? handler({ ...request, tool: other as never })
            : new ToolMessage({ content: 'from another', tool_call_id: request.toolCall.id ?? '' }),
      });
      const { session, seen, ran, model, weather } = await setup([ROME, 'Done.']);
      await createAgent({ model, tools: [weather], middleware: [hooks(session), behind] }).invoke({ messages: 'Go' });
      expect(ran).toEqual([]);
      const after = seen.find(({ event }) => event === 'PostToolUse');
      expect(after?.input).toMatchObject({ tool_name: 'weather', tool_response: 'from another' });
    },
  );

  test('behind it tries a tool again, which is one call', async () => {
    const { session, seen, model } = await setup([{ flaky: {} }, 'Done.']);
    let tries = 0;
    const flaky = tool(
      () => {
        if (++tries < 3) throw new Error('not yet');
        return 'now';
      },
      { name: 'flaky', description: 'd', schema: z.object({}) },
    );
    const retry = toolRetryMiddleware({ maxRetries: 5, initialDelayMs: 0 });
    await createAgent({ model, tools: [flaky], middleware: [hooks(session), retry as never] } as never).invoke({
      messages: 'Go',
    } as never);
    expect(outputs(model, 1)).toEqual([{ text: 'now', status: 'success' }]);
    expect(names(seen).filter((name) => name.includes('ToolUse'))).toEqual(['PreToolUse', 'PostToolUse']);
  });

  test.each(['before', 'behind'])('%s it tries a model again with all that hooks had to say', async (where) => {
    const { host, session, seen, model } = await setup([new Error('down'), 'Up.']);
    on(host, 'Notification', () => ({ hookSpecificOutput: { additionalContext: 'in src' } }));
    await session.notify({ message: 'm', notification_type: 'n' });
    const retry = modelRetryMiddleware({ maxRetries: 2, initialDelayMs: 0, onFailure: 'error' });
    const middleware = where === 'before' ? [retry, hooks(session)] : [hooks(session), retry];
    const agent = createAgent({ model, middleware: middleware as [ReturnType<typeof hooks>] });
    const { hooks: turn } = await agent.invoke({ messages: 'Go' });
    expect(turn).toEqual({ status: 'done' });
    expect([prompt(model, 0).system, prompt(model, 1).system]).toEqual(['in src', 'in src']);
    expect(names(seen).filter((name) => name === 'StopFailure')).toHaveLength(where === 'before' ? 1 : 0);
  });

  test('before it takes another model in a subagent, which stays the same agent', async () => {
    const { session, seen, model } = await setup([{ help: {} }, 'Done.']);
    const helper = createAgent({
      model: new Scripted(new Error('down')),
      middleware: [
        modelFallbackMiddleware(new Scripted('Helped.')),
        hooks(session, { agent: { agent_type: 'helper' } }),
      ],
    });
    const help = tool(async () => (await helper.invoke({ messages: 'Help.' })).messages.at(-1)?.text, {
      name: 'help',
      description: 'd',
      schema: z.object({}),
    });
    await createAgent({ model, tools: [help], middleware: [hooks(session)] }).invoke({ messages: 'Go' });
    expect(outputs(model, 1)).toEqual([{ text: 'Helped.', status: 'success' }]);
    const { main: _, ...agents } = byScope(seen);
    expect(Object.values(agents)).toEqual([['SubagentStart', 'SubagentStop']]);
  });

  test.each(['before', 'behind'])('%s it that brings a tool of its own has it judged', async (where) => {
    const { host, session, model } = await setup([{ late: { city: 'Rome' } }, 'Done.']);
    const ran: string[] = [];
    const late = tool(({ city }) => void ran.push(city), { name: 'late', description: 'd', schema });
    const brings = createMiddleware({
      name: 'brings',
      wrapModelCall: (request, handler) => handler({ ...request, tools: [...(request.tools ?? []), late] }),
      wrapToolCall: (request, handler) =>
        handler(request.toolCall.name === 'late' ? { ...request, tool: late } : request),
    });
    on(host, 'PreToolUse', () => deny);
    const middleware = where === 'before' ? [brings, hooks(session)] : [hooks(session), brings];
    await createAgent({ model, middleware }).invoke({ messages: 'Go' });
    expect(ran).toEqual([]);
    expect(outputs(model, 1)).toEqual([{ text: 'PreToolUse:late hook error: not today', status: 'error' }]);
  });

  test('that jumps to the tools has them judged', async () => {
    const { host, session, ran, model, weather } = await setup(['never said']);
    on(host, 'PreToolUse', () => deny);
    const call = new AIMessage({ content: '', tool_calls: [{ name: 'weather', args: { city: 'Rome' }, id: 'c' }] });
    const jumps = createMiddleware({
      name: 'jumps',
      beforeAgent: { canJumpTo: ['tools'], hook: () => ({ messages: [call], jumpTo: 'tools' as const }) },
    });
    await createAgent({ model, tools: [weather], middleware: [hooks(session), jumps] }).invoke({ messages: 'Go' });
    expect(ran).toEqual([]);
  });
});

describe('a tool', () => {
  const run = async (
    made: StructuredTool,
    prepare: (host: Awaited<ReturnType<typeof opened>>['host']) => void = () => undefined,
    options: HooksOptions = {},
  ) => {
    const { host, session, seen, model } = await setup([{ t: { city: 'Rome' } }, 'Done.']);
    prepare(host);
    const agent = createAgent({ model, tools: [made], middleware: [hooks(session, options)] });
    const { messages } = await agent.invoke({ messages: 'Go' });
    const message = messages.find((m): m is ToolMessage => ToolMessage.isInstance(m));
    return { message, seen, model };
  };
  const how = { name: 't', description: 'd', schema };

  test('with something for the program alone keeps it, unless hooks change or hide what it says', async () => {
    const both = tool(() => ['said', { kept: 'secret' }], { ...how, responseFormat: 'content_and_artifact' });
    const plain = await run(both);
    expect(plain.message).toMatchObject({ content: 'said', artifact: { kept: 'secret' } });
    const redactors = [
      () => ({ suppressOutput: true }),
      () => ({ hookSpecificOutput: { updatedToolOutput: 'masked' } }),
      () => {
        throw new Error('it cannot hide it');
      },
    ];
    for (const redact of redactors) {
      const group = { onFailure: 'block' as const, hooks: [redact] };
      const { message } = await run(both, (host) => host.register({ PostToolUse: [group] }));
      expect(message?.artifact).toBeUndefined();
      expect([message?.status, plain.message?.status]).toEqual(['success', 'success']);
      expect(JSON.stringify(message)).not.toContain('secret');
    }
  });

  test.each(['a message', 'a plain object'])('that answers with a command has its message judged: %s', async (form) => {
    const message = { content: 'said', tool_call_id: 'call-1', name: 't' };
    const jump = tool(
      () =>
        new Command({
          update: { messages: [form === 'a message' ? new ToolMessage(message) : { role: 'tool', ...message }] },
        }),
      how,
    );
    const { message: now } = await run(jump, (host) =>
      on(host, 'PostToolUse', (input: { tool_response: unknown }) => ({
        hookSpecificOutput: { updatedToolOutput: `not ${String(input.tool_response)}` },
      })),
    );
    expect(now).toMatchObject({ content: 'not said', tool_call_id: 'call-1' });
  });

  test('may have a JSON schema, which its rewritten input must meet', async () => {
    const ran: unknown[] = [];
    const json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
    const made = tool((input) => void ran.push(input), { ...how, schema: json } as never);
    const { message } = await run(made as never, (host) =>
      on(host, 'PreToolUse', () => ({ hookSpecificOutput: { updatedInput: { city: 5 } } })),
    );
    expect(ran).toEqual([]);
    expect(message?.status).toBe('error');
  });

  test('has the effect and the rules that it is given', async () => {
    const { message } = await run(
      tool(() => 'ran', how),
      undefined,
      {
        toolHow: { t: { permission: () => ({ behavior: 'deny', message: 'never' }) } },
      },
    );
    expect(message).toMatchObject({ content: 'never', status: 'error' });
  });

  test('that calls another on its own account is all that hooks see', async () => {
    const other = tool(() => 'other', { name: 'other', description: 'd', schema: z.object({}) });
    const { message, seen } = await run(tool(() => other.invoke({}), how));
    expect(message?.content).toBe('other');
    expect(names(seen).filter((name) => name === 'PreToolUse')).toHaveLength(1);
  });

  test('is shown to those who watch LangChain itself as it is, and to the model as hooks leave it', async () => {
    const { host, session, model } = await setup([{ t: { city: 'Rome' } }, 'Done.']);
    on(host, 'PostToolUse', () => ({ hookSpecificOutput: { updatedToolOutput: 'masked' } }));
    const agent = createAgent({ model, tools: [tool(() => 'secret', how)], middleware: [hooks(session)] });
    const modes = ['values', 'updates', 'messages', 'tools'] as const;
    const shown: string[] = [];
    for await (const [mode, piece] of await agent.stream({ messages: 'Go' }, { streamMode: [...modes] }))
      if (JSON.stringify(piece).includes('secret')) shown.push(mode);
    expect(new Set(shown)).toEqual(new Set(['tools']));
    expect(outputs(model, 1)[0]?.text).toBe('masked');
  });

  test('that fails in no words says that it failed', async () => {
    const mute = tool(() => Promise.reject(new Error('')), how);
    expect((await run(mute)).message).toMatchObject({ content: 'Error', status: 'error' });
  });

  test.each([null, 'x', 5, { a: undefined }])('is not called with arguments that are none: %j', async (args) => {
    const { session, ran, model, weather } = await setup([{ weather: args }, 'Done.']);
    await createAgent({ model, tools: [weather], middleware: [hooks(session)] }).invoke({ messages: 'Go' });
    expect(ran).toEqual([]);
    expect(outputs(model, 1)[0]?.status).toBe('error');
  });
});

describe('an agent within a tool', () => {
  const worker = (session: Session, script: readonly Reply[], options?: HooksOptions) => {
    const inner = tool(({ city }) => `in ${city}`, { name: 'look', description: 'd', schema });
    return createAgent({ model: new Scripted(...script), tools: [inner], middleware: [hooks(session, options)] });
  };
  const calling = (agents: readonly ReturnType<typeof worker>[], together = false) =>
    tool(
      async ({ city }) => {
        const go = (agent: ReturnType<typeof worker>) => agent.invoke({ messages: city });
        const states = [];
        if (together) states.push(...(await Promise.all(agents.map(go))));
        else for (const agent of agents) states.push(await go(agent));
        return states.map(({ messages }) => messages.at(-1)?.text).join();
      },
      { name: 'ask', description: 'd', schema },
    );

  test.each([false, true])(
    'has its own scope also beside another in the same call (together: %s)',
    async (together) => {
      const { session, seen, model } = await setup([{ ask: { city: 'Rome' } }, 'Done.']);
      const script = [{ look: { city: 'Rome' } }, 'Looked.'];
      const options = { agent: { agent_type: 'worker' } };
      const agents = [worker(session, script, options), worker(session, script, options)];
      const agent = createAgent({ model, tools: [calling(agents, together)], middleware: [hooks(session)] });
      await agent.invoke({ messages: 'Go' });
      expect(outputs(model, 1)[0]?.text).toBe('Looked.,Looked.');
      const { main, ...others } = byScope(seen);
      const each = ['SubagentStart', 'PreToolUse:look', 'PostToolUse:look', 'PostToolBatch', 'SubagentStop'];
      expect(Object.values(others)).toEqual([each, each]);
      expect(main?.slice(2)).toEqual(['PreToolUse:ask', 'PostToolUse:ask', 'PostToolBatch', 'Stop']);
    },
  );

  test('is an agent also with the middleware of its caller', async () => {
    const { session, seen, model } = await setup([{ ask: { city: 'Rome' } }, 'Done.']);
    const mine = hooks(session);
    const inner = createAgent({ model: new Scripted('Asked.'), middleware: [mine] });
    const agent = createAgent({ model, tools: [calling([inner as never])], middleware: [mine] });
    await agent.invoke({ messages: 'Go' });
    expect(seen.filter((one) => one.event === 'UserPromptSubmit')).toHaveLength(1);
    expect(seen.filter((one) => one.event === 'SubagentStart').map((one) => one.input['agent_type'])).toEqual([
      'agent',
    ]);
    expect(names(seen).at(-1)).toBe('Stop');
  });

  test('of a call that is aborted is closed', async () => {
    const { session, seen, model } = await setup([{ ask: { city: 'Rome' } }, 'never said']);
    const caller = new AbortController();
    const inner = createAgent({
      model: new Scripted({ wait: {} }),
      tools: [
        tool(
          async (_, { signal }) => {
            setTimeout(() => caller.abort(), 5);
            await new Promise((resolve) => signal?.addEventListener('abort', resolve));
          },
          { name: 'wait', description: 'd', schema: z.object({}) },
        ),
      ],
      middleware: [hooks(session, { agent: { agent_type: 'worker' } })],
    });
    const agent = createAgent({ model, tools: [calling([inner as never])], middleware: [hooks(session)] });
    await expect(agent.invoke({ messages: 'Go' }, { signal: caller.signal })).rejects.toThrow(/abort/i);
    await expect.poll(() => byScope(seen)['main']?.at(-1)).toBe('PostToolUseFailure:ask');
    await session.close();
    expect(names(seen).filter((name) => name === 'Stop')).toEqual([]);
  });

  test('as a node of a graph has a scope for each time, beside others too', async () => {
    const { session, seen } = await setup([]);
    const script = [{ look: { city: 'Rome' } }, 'Looked.', { look: { city: 'Bari' } }, 'Again.'];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('one', worker(session, script, { agent: { agent_type: 'one' } }).graph as never)
      .addNode('two', worker(session, script, { agent: { agent_type: 'two' } }).graph as never)
      .addEdge(START, 'one')
      .addEdge(START, 'two')
      .compile();
    await graph.invoke({ messages: 'Go' } as never);
    await graph.invoke({ messages: 'Go' } as never);
    const { main: _, ...agents } = byScope(seen);
    expect(Object.values(agents).map((events) => [events[0], events.at(-1)])).toEqual(
      Array.from({ length: 4 }, () => ['SubagentStart', 'SubagentStop']),
    );
  });

  test('as a node of a graph whose model fails is closed', async () => {
    const { session, seen } = await setup([]);
    const failing = worker(session, [new Error('down')], { agent: { agent_type: 'one' } });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('one', failing.graph as never)
      .addEdge(START, 'one')
      .compile();
    await expect(graph.invoke({ messages: 'Go' } as never)).rejects.toThrow('down');
    await expect.poll(() => names(seen).slice(1)).toEqual(['SubagentStart', 'StopFailure']);
  });
});
