import { describe, expect, test } from 'vitest';
import { createRedactor, type FireRecord, type Hooks, rule } from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { all } from './all.js';
import { bash, hostOf, lived, wordOf, words } from './kit.js';

const inHome = (_: string | undefined, input: { tool_input?: unknown }): boolean =>
  JSON.stringify(input.tool_input).includes('/home');
const on = (group: object): Hooks =>
  ({ PreToolUse: [{ name: 'guard', matcher: inHome, ...group, hooks: [rule('deny', 'no')] }] }) as Hooks;

describe('a hook whose matcher is a function', () => {
  test('and that its rule skipped is unknown where the rule is gone or another one', async () => {
    const { fires } = await lived(hostOf(on({ if: 'Bash(rm *)' })), ['PreToolUse', bash('mv /home/x /tmp')]);
    expect(fires[0]?.handlers[0]?.reason).toBe('if');
    expect(await words(hostOf(on({})), fires)).toEqual(['unknown']);
    expect(await words(hostOf(on({ if: 'Bash(mv *)' })), fires)).toEqual(['unknown']);
    // Whatever the matcher says of it, the rule does not match.
    expect(await words(hostOf(on({ if: 'Bash(ls *)' })), fires)).toEqual(['none']);
  });

  test('and that its matcher skipped is not asked under any rule', async () => {
    const { fires } = await lived(hostOf(on({ if: 'Bash(rm *)' })), ['PreToolUse', bash('mv a b')]);
    expect(fires[0]?.handlers[0]?.reason).toBe('matcher');
    expect(await words(hostOf(on({})), fires)).toEqual(['none']);
  });

  test('and that had had its single run is asked where it may run again', async () => {
    const calls = [1, 2].map(() => ['PreToolUse', bash('mv /home/x /tmp')] as const);
    const { fires } = await lived(hostOf(on({ once: true })), ...calls);
    expect(fires[1]?.handlers[0]?.reason).toBe('once');
    expect(await words(hostOf(on({})), fires)).toEqual(['deny', 'deny']);
  });

  test('and that was skipped for one of several forms of the input is unknown', async () => {
    const renames = {
      name: 'renames',
      hooks: [() => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'ls' } } })],
    };
    const of = (group: object): Hooks => ({ PreToolUse: [renames, ...(on(group).PreToolUse ?? [])] }) as Hooks;
    const { fires } = await lived(hostOf(of({})), ['PreToolUse', bash('mv /home/x /tmp')]);
    expect(fires[0]?.handlers[1]?.reason).toBe('matcher');
    // Before the rewrite, nobody asked the matcher.
    expect(await words(hostOf(on({})), fires)).toEqual(['unknown']);
  });
});

test('hooks of one session are no part of the configuration’s hash: where what they look at is masked, they are unknown', async () => {
  const secret = `sk-ant-api03-${'Ab3dEf9hIj'.repeat(8)}-AAAAAA`;
  const make = (text: string) => {
    const host = hostOf({});
    host.scope({ session: 's1' }).register({ PreToolUse: [{ if: text, hooks: [rule('deny', 'no')] }] });
    return host;
  };
  const { fires } = await lived(make('Bash(git *)'), ['PreToolUse', bash(`curl -H "x-api-key: ${secret}" a.b`)]);
  const redactor = createRedactor();
  const masked = fires.map((fire) => redactor.redact(fire) as FireRecord);
  const [found] = await all(replay(make('Bash(curl *)'), masked));
  expect(found && wordOf(found)).toBe('unknown');
});
