import { expect, test } from 'vitest';
import type { ToolCall } from '../../src/session/tool/call.js';
import { names, on, opened } from './kit.js';

const read = (path: string): ToolCall => ({ name: 'Read', input: { path }, execute: (input) => input });

test('calls that a framework ran one by one end as a batch does: with what the model asked for and what it gets', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PreToolUse', () => ({ hookSpecificOutput: { updatedInput: { path: '/b' } } }));
  on(host, 'PostToolBatch', () => ({ hookSpecificOutput: { additionalContext: 'all read' } }));
  const calls = [read('a'), read('b')];
  const ran = await Promise.all(calls.map((call) => session.tool(call)));
  const { results, endsLoop } = await session.endBatch(calls, ran);
  expect(endsLoop).toBe(false);
  expect(results.map((r) => r.content)).toEqual([
    '{"path":"/b"}',
    '{"path":"/b"}\n\nPostToolBatch hook additional context: all read',
  ]);
  expect(seen.at(-1)).toMatchObject({ event: 'PostToolBatch' });
  expect(seen.at(-1)?.input['tool_calls']).toEqual([
    { tool_name: 'Read', tool_input: { path: 'a' }, tool_use_id: ran[0]?.id, tool_response: '{"path":"/b"}' },
    { tool_name: 'Read', tool_input: { path: 'b' }, tool_use_id: ran[1]?.id, tool_response: '{"path":"/b"}' },
  ]);
});

test('where a call has ended the loop, or there was none, no PostToolBatch is fired', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PostToolUse', () => ({ continue: false, stopReason: 'enough' }));
  const call = read('a');
  expect(await session.endBatch([call], [await session.tool(call)])).toMatchObject({
    endsLoop: true,
    reason: 'enough',
  });
  expect(await session.endBatch([], [])).toMatchObject({ endsLoop: false });
  expect(names(seen)).not.toContain('PostToolBatch');
});

test('calls without their results, and a closed session, are errors', async () => {
  const { session } = await opened();
  await expect(session.endBatch([read('a')], [])).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: expect.stringMatching(/endBatch\.results.*one for each call/),
  });
  const [ran] = [await session.tool(read('a'))];
  for (const [calls, results, where] of [
    [undefined, undefined, 'calls'],
    [[ran], undefined, 'results'],
    [ran, [ran], 'calls'],
  ] as never[][])
    await expect(session.endBatch(calls as never, results as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(new RegExp(`endBatch\\.${where}: expected an array, .*; got`)),
    });
  await expect(session.toolBatch(read('a') as never)).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: expect.stringMatching(/toolBatch\.calls: expected an array/),
  });
  await session.close();
  await expect(session.endBatch([], [])).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
});
