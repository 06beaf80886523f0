import { Agent, setTracingDisabled, tool, toolSearchTool } from '@openai/agents';
import { SandboxAgent } from '@openai/agents/sandbox';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../src/adapters/openai-agents.js';
import { names, on, opened } from '../session/kit.js';

setTracingDisabled(true);

test('tools that a search of the program finds go through the hooks', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PreToolUse', () => ({ decision: 'block', reason: 'not that' }));
  const ran: string[] = [];
  const late = tool({
    name: 'late',
    description: 'late',
    parameters: z.object({}),
    execute: () => {
      ran.push('late');
      return 'done';
    },
  });
  const model = new ScriptedModel([
    [{ type: 'tool_search_call', call_id: 's', execution: 'client', arguments: {}, status: 'completed' } as never],
    [functionCall('late', {}, { callId: 'c' })],
    [assistantMessage('Done.')],
  ]);
  const tools = [toolSearchTool({ execution: 'client', execute: () => [late] })];
  const { text } = await drive(session, new Agent({ name: 'main', model, tools }), 'Go');
  expect(text).toBe('Done.');
  expect(ran).toEqual([]);
  expect(names(seen)).toContain('PreToolUse');
  expect(JSON.stringify(model.calls[2]?.request.input)).toContain('not that');
});

test('an agent of a sandbox, which gets its tools while it runs, is refused, also as one to hand over to', async () => {
  const { session } = await opened();
  const boxed = new SandboxAgent({ name: 'boxed' });
  const expected = { code: 'INVALID_OPTIONS', message: expect.stringContaining('agent boxed: no hook would see') };
  await expect(drive(session, boxed as never, 'Go')).rejects.toMatchObject(expected);
  const main = new Agent({ name: 'main', handoffs: [boxed as never] });
  await expect(drive(session, main, 'Go')).rejects.toMatchObject(expected);
});

test('a prompt is asked about behind which a message of the system stands', async () => {
  const { host, session } = await opened();
  on(host, 'UserPromptSubmit', () => ({ decision: 'block', reason: 'not here' }));
  const model = new ScriptedModel([[assistantMessage('never said')]]);
  const input = [
    { role: 'user' as const, content: 'hello' },
    { role: 'system' as const, content: 'Be kind.' },
  ];
  const { status } = await drive(session, new Agent({ name: 'main', model }), input);
  expect(status).toBe('blocked');
  expect(model.calls).toEqual([]);
});
