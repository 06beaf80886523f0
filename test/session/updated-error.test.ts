import { describe, expect, test } from 'vitest';
import { rewrite } from '../../src/events/output/helpers.js';
import { anyHooks, registerAs, testHost, watch } from '../host/kit.js';
import { on, opened } from './kit.js';

const SECRET = 'sk-live-4242';
const failing = {
  id: 'toolu_1',
  name: 'Deploy',
  input: {},
  execute: () => Promise.reject(new Error(`401 for ${SECRET}`)),
};
const hide = ({ error }: { error: string }) => rewrite(error.replace(SECRET, '***'));
const shout = ({ error }: { error: string }) => ({ hookSpecificOutput: { updatedError: `${error}!` } });

describe("a tool's error", () => {
  test('that hooks rewrote is what the model, the result and the record have; each hook sees what those before it made of it', async () => {
    const { host, session } = await opened();
    const records: unknown[] = [];
    host.events$.subscribe((record) => {
      if (record.type === 'tool_call') records.push(record);
    });
    on(host, 'PostToolUseFailure', hide, shout);
    const result = await session.tool(failing);
    expect(result).toMatchObject({ status: 'failed', reason: '401 for ***!', content: '401 for ***!', isError: true });
    expect(JSON.stringify([result.content, result.reason, records])).not.toContain(SECRET);
    expect(records).toMatchObject([{ status: 'failed', reason: '401 for ***!' }]);
    await host.close();
  });

  test.each([5, null, {}, ['x']])('that a hook would make %j of stays, and the hook has failed', async (value) => {
    const { host, session, reports } = await opened();
    on(host, 'PostToolUseFailure', () => ({ hookSpecificOutput: { updatedError: value } }));
    expect(await session.tool(failing)).toMatchObject({ reason: `401 for ${SECRET}` });
    expect(reports.join()).toMatch(/updatedError: expected string/);
    await host.close();
  });

  test.each([
    ['continue', `401 for ${SECRET}`],
    ['block', 'What Deploy gave was withheld: its PostToolUseFailure hooks failed (hide).'],
  ] as const)('that a hook failed to rewrite under onFailure %s', async (onFailure, reason) => {
    const { host, session } = await opened();
    const throws = (): never => {
      throw new Error('no');
    };
    host.register({ PostToolUseFailure: [{ onFailure, name: 'hide', hooks: [throws] }] });
    const result = await session.tool(failing);
    expect(result.reason).toBe(reason);
    expect(JSON.stringify(result.content).includes(SECRET)).toBe(onFailure === 'continue');
    await host.close();
  });

  test('may be rewritten to nothing', async () => {
    const { host, session } = await opened();
    on(host, 'PostToolUseFailure', () => rewrite(''));
    expect(await session.tool(failing)).toMatchObject({ status: 'failed', reason: '' });
    await host.close();
  });

  test("is not Claude Code's to rewrite: from its hooks that is a failure, never a record that claims it", async () => {
    const { host } = testHost();
    const seen = watch(host);
    registerAs(host, anyHooks({ PostToolUseFailure: [{ hooks: [shout] }] }), { dialect: 'claude' });
    await host.fire('PostToolUseFailure', {
      session_id: 's',
      transcript_path: '',
      cwd: '/',
      tool_name: 'Bash',
      tool_input: {},
      tool_use_id: 't',
      error: 'no',
    } as never);
    expect(seen.at(-1)).toMatchObject({
      handlers: [{ failure: { cause: 'bad_schema', message: expect.stringContaining('does not know updatedError') } }],
    });
    expect(seen.at(-1)).not.toHaveProperty('final_input');
    await host.close();
  });
});
