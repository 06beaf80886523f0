import { expect, test } from 'vitest';
import type { HandlerRecord } from '../../src/emit/record.js';
import type { Cause } from '../../src/events/failure.js';
import { HANDLER_KINDS } from '../../src/events/handler-kinds.js';
import { mendFor } from '../../src/why/mends.js';
import { fire } from '../emit/samples.js';

const CAUSES: Readonly<Record<Cause, true>> = {
  threw: true,
  timeout: true,
  spawn_failed: true,
  exit_code: true,
  signal: true,
  bad_json: true,
  bad_schema: true,
  too_large: true,
  http_status: true,
  connection: true,
  aborted: true,
  worker_died: true,
  untrusted: true,
};
const failed = (handler: string, cause: string, more: object = {}): HandlerRecord =>
  ({ ...fire().handlers[0], handler, status: 'failed', failure: { cause, message: 'm' }, ...more }) as HandlerRecord;
const advice = (handler: string, cause: string, event = 'PreToolUse', more: object = {}): string =>
  mendFor(failed(handler, cause, more), event);

/** What only hooks of some types have. */
const PARTS: readonly (readonly [part: RegExp, of: readonly string[]])[] = [
  [/its program|chmod|ended with|killed|standard output|print less|hookscope check/, ['command']],
  [/its server|address|2xx|response/, ['http']],
  [/MCP|its tool|callTool/, ['mcp_tool']],
  [/model|prompt/, ['prompt', 'agent']],
  [/it throws|worker|program that it belongs to/, ['callback']],
];

test.each(HANDLER_KINDS.flatMap((kind) => Object.keys(CAUSES).map((cause) => [kind, cause] as const)))(
  'the advice for a %s that failed by %s speaks of what such a hook has',
  (kind, cause) => {
    const text = advice(kind, cause);
    expect(text).not.toBe('');
    for (const [part, of] of PARTS) if (!of.includes(kind)) expect(text).not.toMatch(part);
  },
);

test('a hook that asks a model, and one that calls a tool, get advice of their own', () => {
  expect(advice('prompt', 'spawn_failed')).toContain('createHost({ model })');
  expect(advice('mcp_tool', 'connection')).toContain('mcpServers');
  expect(advice('moon', 'connection')).toBe('see what its message says');
  expect(advice('command', 'moon')).toBe('see what its message says');
});

test.each([
  ['PreToolUse', 1, 'it ended with 1 and no answer; 0 is fine, 2 blocks, any other code is a failure'],
  ['SessionStart', 2, 'it ended with 2 and no answer; 0 is fine, any other code is a failure on SessionStart'],
  [
    'Notification',
    1,
    'it ended with 1 and no answer; 0 is fine, 2 means nothing on Notification, any other code is a failure',
  ],
  ['Moon', 1, 'it ended with 1 and no answer; 0 is fine, 2 blocks, any other code is a failure'],
])('on %s it is said what exit code %i means', (event, code, text) => {
  expect(advice('command', 'exit_code', event, { exit_code: code, output: undefined })).toBe(text);
});
