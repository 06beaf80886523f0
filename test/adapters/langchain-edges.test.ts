import { createAgent, modelFallbackMiddleware, tool } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hooks } from '../../src/adapters/langchain.js';
import { byScope, names, on, opened } from '../session/kit.js';
import { deny, denying, THROWN, twoSessions } from './edges.js';
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
