import { generateText, streamText, type ToolSet, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentTool, drive } from '../../src/adapters/ai.js';
import type { Session } from '../../src/session/types.js';
import { byScope, names, opened } from '../session/kit.js';
import { prompt, scripted } from './ai-kit.js';
import { deny, denying, THROWN, twoSessions } from './edges.js';

const inputSchema = z.object({ path: z.string() });
const turn = (session: Session, model: MockLanguageModelV3, tools: ToolSet) =>
  drive(session, { prompt: 'Go', tools }, (round) => generateText({ model, ...round }));

test.each(THROWN)('a tool that throws %j has failed in some words', async (thrown) => {
  const { session, seen } = await opened();
  const read = tool({
    inputSchema,
    execute: (): string => {
      throw thrown;
    },
  });
  const model = scripted({ read: { path: 'a' } }, 'Done.');
  expect(await turn(session, model, { read })).toMatchObject({ status: 'done' });
  const failure = seen.find(({ event }) => event === 'PostToolUseFailure');
  expect(failure?.input['error']).toMatch(/./);
  expect(prompt(model, 1).outputs[0]).toMatchObject({
    type: 'error-text',
    value: expect.stringMatching(/./) as string,
  });
});

test('a model that stands in for one that fails has its calls judged', async () => {
  const { session, ran } = await denying();
  const read = tool({ inputSchema, execute: ({ path }) => void ran.push(path) });
  const second = scripted({ read: { path: 'a' } }, 'Then not.');
  const first = new MockLanguageModelV3({ doGenerate: async () => Promise.reject(new Error('down')) });
  const { text } = await drive(session, { prompt: 'Go', tools: { read } }, async (round) => {
    const how = { maxRetries: 0, ...round };
    return generateText({ model: first, ...how }).catch(() => generateText({ model: second, ...how }));
  });
  expect({ text, ran }).toEqual({ text: 'Then not.', ran: [] });
});

test('turns of two sessions with the same tools and model, at the same time, are apart', async () => {
  const { session, seen, other, ran, slowly } = await twoSessions();
  const read = tool({ inputSchema, execute: ({ path }) => slowly(path) });
  const models = ['a', 'b'].map((path) => scripted({ read: { path } }, `Done with ${path}.`));
  const turns = await Promise.all(
    [session, other].map((one, i) => turn(one, models[i] as MockLanguageModelV3, { read })),
  );
  expect(turns.map(({ text }) => text)).toEqual(['Done with a.', 'Done with b.']);
  expect(ran).toEqual(['b']);
  expect(seen.filter(({ event }) => event === 'Stop')).toHaveLength(2);
});

test('calls of one subagent tool beside each other are agents apart, whose hooks see their own calls', async () => {
  const { session, seen } = await opened();
  const ran: string[] = [];
  const read = tool({ inputSchema, execute: ({ path }) => void ran.push(path) });
  const helper = agentTool(session, {
    agent_type: 'helper',
    description: 'Helps.',
    run: async (child, task) => {
      if (task === 'a') child.on('PreToolUse', deny);
      return (await turn(child, scripted({ read: { path: task } }, 'Done.'), { read })).text;
    },
  });
  await turn(session, scripted({ helper: { prompt: 'a' }, 'helper#2': { prompt: 'b' } }, 'Done.'), { helper });
  expect(ran).toEqual(['b']);
  const { main, ...agents } = byScope(seen);
  expect(Object.keys(agents)).toHaveLength(2);
  expect(main).not.toContain('PreToolUse:read');
});

test('whoever leaves a stream early ends no turn: the rest of it is run, judged and recorded', async () => {
  const { session, seen } = await opened();
  const ran: string[] = [];
  const read = tool({ inputSchema, execute: ({ path }) => void ran.push(path) });
  const { status, text } = await drive(session, { prompt: 'Go', tools: { read } }, async (round) => {
    const result = streamText({ model: scripted({ read: { path: 'a' } }, 'Done.'), ...round });
    for await (const part of result.fullStream) if (part.type === 'tool-call') break;
    return result;
  });
  expect({ status, text, ran }).toEqual({ status: 'done', text: 'Done.', ran: ['a'] });
  expect(names(seen).slice(-2)).toEqual(['PostToolBatch', 'Stop']);
});

test.each([undefined, null, 5, {}])('a result that is none (%j) is an error that says what one is', async (result) => {
  const { session } = await opened();
  const made = drive(session, { prompt: 'Go', tools: {} }, () => result as never);
  await expect(made).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: expect.stringContaining('generateText') as string,
  });
});
