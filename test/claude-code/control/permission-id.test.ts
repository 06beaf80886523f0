import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { serveControl } from '../../../src/claude-code/control/server/server.js';
import { createHost } from '../../../src/index.js';

type Json = Record<string, unknown>;

test('a PermissionRequest callback and can_use_tool name the same call, which the callback’s input does not', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const said: Json[] = [];
  const host = createHost();
  const control = serveControl({ input, output, host });
  const answer = (request_id: unknown, response: Json) =>
    input.write(
      `${JSON.stringify({ type: 'control_response', response: { subtype: 'success', request_id, response } })}\n`,
    );
  output.on('data', (line) => {
    const message = JSON.parse(String(line)) as Json;
    if (message['type'] !== 'control_request') return;
    const request = message['request'] as Json;
    said.push(request);
    answer(message['request_id'], request['subtype'] === 'can_use_tool' ? { behavior: 'allow' } : {});
  });
  const hooks = { PermissionRequest: [{ hookCallbackIds: ['hook_0'] }] };
  input.write(
    `${JSON.stringify({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize', hooks } })}\n`,
  );
  await control.initialized;
  const session = await host.openSession({
    ask: (asked, { id, name, signal }) =>
      control.canUseTool({ tool_name: name, input: asked as Json, tool_use_id: id }, { signal }),
  });
  const { status } = await session.tool({
    id: 'toolu_7',
    name: 'Bash',
    input: { command: 'ls' },
    execute: () => 'ran',
  });

  expect(status).toBe('ran');
  expect(said).toMatchObject([
    { subtype: 'hook_callback', callback_id: 'hook_0', tool_use_id: 'toolu_7' },
    { subtype: 'can_use_tool', tool_use_id: 'toolu_7' },
  ]);
  expect((said[0] as { input: Json }).input).not.toHaveProperty('tool_use_id');
  await session.close();
  await host.close();
});
