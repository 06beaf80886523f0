import { createAgent, createMiddleware, modelFallbackMiddleware, tool } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hooks } from '../../src/adapters/langchain.js';
import type { Session } from '../../src/session/types.js';
import { byScope, names, on, opened } from '../session/kit.js';
import { deny, denying, ended, THROWN, twoSessions } from './edges.js';
import { prompt, Scripted } from './langchain-kit.js';

const schema = z.object({ path: z.string() });
const toolOf = (run: (path: string) => unknown, name = 'read') =>
  tool(({ path }) => run(path), { name, description: name, schema });
const READ = { read: { path: 'a' } };

test.each(THROWN)('a tool that throws %j has failed in some words', async (thrown) => {
  const { session, seen } = await opened();
  const read = toolOf(() => {
    throw thrown;
  });
  const model = new Scripted(READ, 'Done.');
  const agent = createAgent({ model, tools: [read], middleware: [hooks(session)] });
  expect((await agent.invoke({ messages: 'Go' })).hooks).toEqual({ status: 'done' });
  expect(seen.find(({ event }) => event === 'PostToolUseFailure')?.input['error']).toMatch(/./);
  expect(prompt(model, 1).outputs[0]).toMatchObject({ status: 'error', text: expect.stringMatching(/./) as string });
});

test('a model that stands in for one that fails has its calls judged', async () => {
  const { session, seen, ran } = await denying();
  const fallback = modelFallbackMiddleware(new Scripted(READ, 'Then not.') as never);
  const down = new Scripted(new Error('down'), new Error('down'), new Error('down'));
  const agent = createAgent({
    model: down,
    tools: [toolOf((p) => ran.push(p))],
    middleware: [hooks(session), fallback as never],
  });
  await agent.invoke({ messages: 'Go' } as never);
  expect(ran).toEqual([]);
  expect(names(seen)).toContain('PreToolUse');
});

test('turns of two sessions with the same tools, at the same time, are apart', async () => {
  const { session, other, ran, slowly } = await twoSessions();
  const read = toolOf(slowly);
  const agents = [session, other].map((one, i) =>
    createAgent({ model: new Scripted({ read: { path: 'ab'[i] } }, 'Done.'), tools: [read], middleware: [hooks(one)] }),
  );
  await Promise.all(agents.map((agent) => agent.invoke({ messages: 'Go' })));
  expect(ran).toEqual(['b']);
});

test('calls of one subagent beside each other are agents apart', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PreToolUse', ({ tool_name, tool_input }: { tool_name: string; tool_input: { path: string } }) =>
    tool_name === 'read' && tool_input.path === 'a' ? deny() : undefined,
  );
  const ran: string[] = [];
  const read = toolOf((path) => ran.push(path));
  const inner = (path: string) =>
    createAgent({
      model: new Scripted({ read: { path } }, 'Done.'),
      tools: [read],
      middleware: [hooks(session, { agent: { agent_type: 'helper' } })],
    });
  const helper = toolOf(async (path) => (await inner(path).invoke({ messages: 'Go' })).messages.at(-1)?.text, 'helper');
  const model = new Scripted({ helper: { path: 'a' }, 'helper#2': { path: 'b' } }, 'Done.');
  await createAgent({ model, tools: [helper], middleware: [hooks(session)] }).invoke({ messages: 'Go' });
  expect(ran).toEqual(['b']);
  const { main, ...agents } = byScope(seen);
  expect(Object.values(agents).map((events) => events.filter((event) => event === 'PreToolUse:read').length)).toEqual([
    1, 1,
  ]);
  expect(main).not.toContain('PreToolUse:read');
});

test('whoever leaves a stream early has judged calls alone behind', async () => {
  const { session, seen, ran } = await denying();
  const agent = createAgent({
    model: new Scripted(READ, 'Done.'),
    tools: [toolOf((p) => ran.push(p))],
    middleware: [hooks(session)],
  });
  for await (const _ of await agent.stream({ messages: 'Go' })) break;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(ran).toEqual([]);
  // And the session can have another turn.
  const again = createAgent({ model: new Scripted('Done.'), tools: [], middleware: [hooks(session)] });
  expect((await again.invoke({ messages: 'Again' })).hooks).toEqual({ status: 'done' });
  expect(names(seen).at(-1)).toBe('Stop');
});

test('a record says that a tool has run where there is one, also one that only middleware knows', async () => {
  const { host, session } = await opened();
  const records: Record<string, unknown> = {};
  host.events$.subscribe((record) => {
    if (record.type === 'tool_call') records[record.tool_name] = { ran: record.ran, status: record.status };
  });
  const breaks = () => {
    throw new Error('broken');
  };
  const throwing = toolOf(breaks, 'throwing');
  const others = { other: toolOf(() => 'text', 'other'), broken: toolOf(breaks, 'broken') };
  const knows = createMiddleware({
    name: 'knows',
    wrapToolCall: (request, handler) =>
      handler({ ...request, tool: others[request.toolCall.name as keyof typeof others] ?? request.tool }),
  });
  const names = ['read', 'throwing', 'other', 'broken', 'none'];
  const model = new Scripted(Object.fromEntries(names.map((name) => [name, { path: 'a' }])), 'Done.');
  const tools = [toolOf(() => 'text'), throwing];
  await createAgent({ model, tools, middleware: [hooks(session), knows] }).invoke({ messages: 'Go' });
  expect(records).toEqual({
    read: { ran: true, status: 'ran' },
    throwing: { ran: true, status: 'failed' },
    other: { ran: true, status: 'ran' },
    broken: { ran: true, status: 'failed' },
    none: { ran: false, status: 'failed' },
  });
});

test('an input that cannot be judged ends the loop: the turn is no turn that is done, and no Stop is fired', async () => {
  const { session, seen } = await opened({}, { maxInputBytes: 1000 });
  const model = new Scripted({ read: { path: 'x'.repeat(5000) } }, 'never said');
  const agent = createAgent({ model, tools: [toolOf(() => 'text')], middleware: [hooks(session)] });
  const { hooks: turn } = await agent.invoke({ messages: 'Go' });
  expect(turn).toMatchObject({ status: 'ended', reason: expect.stringContaining('room') as string });
  expect(names(seen)).not.toContain('Stop');
});

test('the caller aborts a subagent, for a reason of its own: it has no SubagentStop, and its scope and its hooks are gone', async () => {
  const { host, session, seen } = await opened();
  const caller = new AbortController();
  let agent: Session | undefined;
  on(host, 'SubagentStart', ({ agent_id }: { agent_id: string }) => {
    agent = { id: agent_id } as Session;
  });
  const read = toolOf(() => {
    setImmediate(() => caller.abort(new Error('no more')));
    return new Promise(() => undefined);
  });
  const middleware = [hooks(session, { agent: { agent_type: 'helper', hooks: ended.hooks() } })];
  const helper = createAgent({ model: new Scripted(READ, 'Done.'), tools: [read], middleware });
  const help = tool(
    async ({ path }, config) => (await helper.invoke({ messages: path }, config)).messages.at(-1)?.text,
    {
      name: 'help',
      description: 'Helps.',
      schema,
    },
  );
  const model = new Scripted({ help: { path: 'a' } }, 'Done.');
  const main = createAgent({ model, tools: [help], middleware: [hooks(session)] });
  await expect(main.invoke({ messages: 'Go' }, { signal: caller.signal })).rejects.toThrow();
  await ended.check({ host, session, seen, agent });
});

test('the caller aborts while the model is called, for a reason of its own: no Stop and no StopFailure', async () => {
  const { session, seen } = await opened();
  const caller = new AbortController();
  const model = new Scripted(READ);
  const { _generate } = model;
  model._generate = async (messages, options) => {
    if (model.got.length === 0) return await _generate.call(model, messages, options);
    setImmediate(() => caller.abort(new Error('no more')));
    return await new Promise((_, reject) => {
      options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error));
    });
  };
  const agent = createAgent({ model, tools: [toolOf(() => 'text')], middleware: [hooks(session)] });
  await expect(agent.invoke({ messages: 'Go' }, { signal: caller.signal })).rejects.toThrow();
  expect(names(seen).at(-1)).toBe('PostToolBatch');
  expect(await session.stop()).not.toHaveProperty('decision');
});

test('a run that other middleware ends before the calls are made is unfinished, and no Stop hook is asked', async () => {
  const { host, session, seen } = await opened();
  on(host, 'Stop', () => ({ decision: 'block', reason: 'go on' }));
  const limit = createMiddleware({
    name: 'limit',
    afterModel: { canJumpTo: ['end'], hook: () => ({ jumpTo: 'end' as const }) },
  });
  const model = new Scripted(READ, 'Done.');
  const agent = createAgent({ model, tools: [toolOf(() => 'read')], middleware: [hooks(session), limit] });
  expect((await agent.invoke({ messages: 'Go' })).hooks).toEqual({ status: 'unfinished' });
  expect(names(seen)).not.toContain('Stop');
});
