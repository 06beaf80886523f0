import { expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { deny } from '../../src/events/output/helpers.js';

const AGENT = { agent_id: 'a1', agent_type: 'reviewer' };
const CALL = { ...AGENT, tool_name: 'Write', tool_input: {}, tool_use_id: 't1' };
const STOP = { ...AGENT, stop_hook_active: false, agent_transcript_path: '' };

test('an agent that is started again has the hooks of its type again; one that has ended has none for a late event', async () => {
  await using host = createHost();
  host.spawnHooks('reviewer', { PreToolUse: [{ hooks: [() => deny('reviewers read')] }] });
  const verdict = async () => (await host.fire('PreToolUse', CALL)).verdict;
  await host.fire('SubagentStart', AGENT);
  expect(await verdict()).toBe('deny');
  await host.fire('SubagentStop', STOP);
  expect(await verdict()).toBe('none');
  await host.fire('SubagentStart', AGENT);
  expect(await verdict()).toBe('deny');
  await host.fire('SubagentStop', STOP);
  expect(await verdict()).toBe('none');
});

test('describe() lists what agents of a type will get, before any is there', async () => {
  await using host = createHost();
  host.spawnHooks('reviewer', { PreToolUse: [{ matcher: 'Write', name: 'read only', hooks: [() => deny('no')] }] });
  expect(String(host.describe())).toBe(
    [
      'managed',
      '  host',
      '    agents of type reviewer',
      '      PreToolUse:Write  callback read only  [fails open; spawn reviewer]',
    ].join('\n'),
  );
});

test('two agents whose session and id read the same when they are joined are two agents', async () => {
  for (const [one, two] of [
    [
      ['a', 'b c'],
      ['a b', 'c'],
    ],
    [
      ['a', 'b","c'],
      ['a","b', 'c'],
    ],
    [
      ['a', 'b\0c'],
      ['a\0b', 'c'],
    ],
  ] as const) {
    await using host = createHost();
    host.spawnHooks('reviewer', { PreToolUse: [{ hooks: [() => deny('reviewers read')] }] });
    const of = ([session_id, agent_id]: readonly [string, string]) => ({ session_id, agent_id });
    await host.fire('SubagentStart', { ...AGENT, ...of(one) });
    await host.fire('SubagentStop', { ...STOP, ...of(one) });
    expect((await host.fire('PreToolUse', { ...CALL, ...of(two) })).verdict).toBe('deny');
    expect((await host.fire('PreToolUse', { ...CALL, ...of(one) })).verdict).toBe('none');
  }
});
