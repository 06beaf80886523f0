import { generateText, type ToolSet, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../src/adapters/ai.js';
import { opened } from '../session/kit.js';
import { scripted } from './ai-kit.js';
import { denying } from './edges.js';

const inputSchema = z.object({ euros: z.number() });
const transfer = tool({ inputSchema }) as unknown as ToolSet[string];

test('a call of a tool without `execute` goes through no hook, and the logger hears of it once', async () => {
  const { host, session, seen, reports } = await denying();
  const tools = { transfer, read: tool({ inputSchema, execute: () => 'text' }) };
  const turn = (messages?: Parameters<typeof drive>[1]['messages']) =>
    drive(session, messages ? { messages, tools } : { prompt: 'Go', tools }, (round) =>
      generateText({ model: messages ? scripted('Sent.') : scripted({ transfer: { euros: 1000 } }), ...round }),
    );
  const { status, messages } = await turn();
  expect(status).toBe('unfinished');
  const output = { type: 'text' as const, value: 'ok' };
  const result = { type: 'tool-result' as const, toolCallId: 'call-1', toolName: 'transfer', output };
  expect(await turn([...messages, { role: 'tool', content: [result] }])).toMatchObject({
    status: 'done',
    text: 'Sent.',
  });
  expect(seen.filter(({ event }) => event.includes('Tool'))).toEqual([]);
  const other = await host.openSession({});
  await drive(other, { prompt: 'Go', tools }, (round) => generateText({ model: scripted('Done.'), ...round }));
  expect(reports.filter((line) => line.includes('"transfer"'))).toEqual([
    expect.stringContaining('no hook is asked about them'),
  ]);
  expect(reports.join()).not.toContain('"read"');
});

test('each host hears of the same tool', async () => {
  for (const { session, reports } of [await opened(), await opened()]) {
    await drive(session, { prompt: 'Go', tools: { transfer } }, (round) =>
      generateText({ model: scripted('Done.'), ...round }),
    );
    expect(reports.join()).toContain('the tool "transfer" has no `execute`');
  }
});
