import { describe, expect, test } from 'vitest';
import type { PermissionCall, SessionOptions } from '../../src/session/options.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import { on, opened } from './kit.js';

type Answer = { behavior: 'allow' | 'deny' };
type Fields = Record<string, unknown>;
const [allow, deny]: Answer[] = [{ behavior: 'allow' }, { behavior: 'deny' }];

/** Mistakes: each takes the first parameter for the call, or for what a hook is given. */
const MISTAKEN: Record<string, (call: never) => unknown> = {
  name: (call: Fields) => (call['name'] === 'Bash' ? deny : allow),
  'name, destructured': ({ name }: Fields) => (name === 'Bash' ? deny : allow),
  tool_name: (call: Fields) => (call['tool_name'] === 'Bash' ? deny : allow),
  tool_input: ({ tool_input }: Fields) => (tool_input === 'rm' ? deny : allow),
  agent_id: (call: Fields) => (call['agent_id'] ? deny : allow),
  effect: (call: Fields) => (call['effect'] === 'other' ? deny : allow),
  'permission_mode, async': async (call: Fields) => (call['permission_mode'] === 'default' ? deny : allow),
};

async function called(options: object, call: Partial<ToolCall> = {}, hooked = false) {
  const { host, session, reports } = await opened(options as SessionOptions);
  if (hooked) on(host, 'PreToolUse', () => ({ hookSpecificOutput: { permissionDecision: 'ask' } }));
  const result = await session.tool({ name: 'Bash', input: { command: 'rm' }, execute: (input) => input, ...call });
  await host.close();
  return { result, reports };
}

describe('a function of the session with one parameter, which it takes for the call', () => {
  test.each(Object.keys(MISTAKEN))('permission: %s', async (mistake) => {
    const { result, reports } = await called({ permission: MISTAKEN[mistake] });
    expect([result.status, result.deniedBy]).toEqual(['denied', 'failure']);
    expect(reports.join()).toContain('The call is the second parameter: permission(input, call)');
  });

  test.each(Object.keys(MISTAKEN))('ask: %s', async (mistake) => {
    const { result } = await called({ ask: MISTAKEN[mistake] }, {}, true);
    expect([result.status, result.deniedBy]).toEqual(['denied', 'failure']);
  });

  test('classify', async () => {
    const options = { permission: undefined, permission_mode: 'auto', classify: MISTAKEN['name'], ask: () => allow };
    expect((await called(options)).result).toMatchObject({ status: 'denied', deniedBy: 'failure' });
  });
});

describe('what is no mistake', () => {
  test('two parameters, whatever the input lacks', async () => {
    const permission = (input: unknown, call: PermissionCall) =>
      (input as Fields)['name'] === undefined && call.name === 'Bash' ? allow : deny;
    expect((await called({ permission })).result.status).toBe('ran');
  });

  test('a field of that name in the input', async () => {
    const permission = (input: Fields) => (input['name'] === 'x' ? allow : deny);
    expect((await called({ permission }, { input: { name: 'x' } })).result.status).toBe('ran');
  });

  test("a call's own function, which knows its tool", async () => {
    const permission = (input: unknown) => ((input as Fields)['name'] === undefined ? (allow as Answer) : deny);
    expect((await called({}, { permission: permission as ToolCall['permission'] })).result.status).toBe('ran');
  });

  test('the input is otherwise what it was: its keys, copies and text, and it can be handed back and added to', async () => {
    const seen: unknown[] = [];
    const permission = (input: Fields) => {
      seen.push(Object.keys(input), structuredClone(input), JSON.stringify(input), { ...input });
      input['name'] = 'x';
      return { behavior: 'allow', updatedInput: input };
    };
    const { result } = await called({ permission });
    const was = { command: 'rm' };
    expect(seen.slice(0, 4)).toEqual([['command'], was, JSON.stringify(was), was]);
    expect(result.input).toEqual({ command: 'rm', name: 'x' });
  });

  test.each([[['rm']], [null], ['rm']])('an input that is no object: %j', async (input) => {
    expect((await called({ permission: (_input: unknown) => allow }, { input })).result.status).toBe('ran');
  });
});
