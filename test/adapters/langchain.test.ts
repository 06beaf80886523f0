import { MemorySaver } from '@langchain/langgraph';
import { createAgent, tool } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hooks } from '../../src/adapters/langchain.js';
import { names, on, opened } from '../session/kit.js';
import { prompt, Scripted } from './langchain-kit.js';

const ran: string[] = [];
const weather = tool(
  ({ city }) => {
    ran.push(city);
    if (city === 'nowhere') throw new Error('no such city');
    return { city, degrees: 21 };
  },
  { name: 'weather', description: 'Weather', schema: z.object({ city: z.string() }) },
);
test('a turn', async () => {
  const { session, seen } = await opened();
  const model = new Scripted({ weather: { city: 'Rome' }, 'weather#2': { city: 'nowhere' } }, 'It is warm.');
  const agent = createAgent({ model, tools: [weather], middleware: [hooks(session)] });
  const { messages, hooks: turn } = await agent.invoke({ messages: 'Weather?' });
  console.log(
    names(seen),
    turn,
    messages.map((m) => [m.type, m.content]),
    prompt(model, 1),
    JSON.stringify(seen.find((s) => s.event === 'PostToolBatch')?.input),
  );
  expect(names(seen).at(-1)).toBe('Stop');
});
test('go on', async () => {
  const { host, session, seen } = await opened();
  on(host, 'Stop', (input: { stop_hook_active: boolean }) =>
    input.stop_hook_active ? undefined : { decision: 'block', reason: 'Say it in Celsius.' },
  );
  const model = new Scripted('70 degrees.', '21 degrees.');
  const agent = createAgent({ model, tools: [weather], middleware: [hooks(session)] });
  const { messages, hooks: turn } = await agent.invoke({ messages: 'Weather?' });
  console.log(
    names(seen),
    turn,
    messages.map((m) => [m.type, m.content]),
    prompt(model, 1),
  );
});
test('batch ends', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PostToolBatch', () => ({ continue: false, stopReason: 'enough' }));
  const model = new Scripted({ weather: { city: 'Rome' } }, '21 degrees.');
  const agent = createAgent({ model, tools: [weather], middleware: [hooks(session)] });
  const { messages, hooks: turn } = await agent.invoke({ messages: 'Weather?' });
  console.log(
    names(seen),
    turn,
    messages.map((m) => [m.type, m.content]),
    model.got.length,
  );
});
test('blocked', async () => {
  const { host, session, seen } = await opened();
  on(host, 'UserPromptSubmit', () => ({ decision: 'block', reason: 'no' }));
  const model = new Scripted('x');
  const agent = createAgent({ model, tools: [weather], middleware: [hooks(session)] });
  const { messages, hooks: turn } = await agent.invoke({ messages: 'Weather?' });
  console.log(
    names(seen),
    turn,
    messages.map((m) => [m.type, m.content]),
    model.got.length,
  );
});
