import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { command, createHost, type Host, rule } from '../../src/index.js';
import { type Replayed, replay } from '../../src/replay/replay.js';
import { all } from './all.js';

const file = (name: string): string => fileURLToPath(new URL(`../fixtures/transcripts/${name}.jsonl`, import.meta.url));

/** What a policy would have changed: how, on which event, of which call or agent. */
async function changes(name: string, policy: (host: Host) => void): Promise<unknown[]> {
  const host = createHost({ logger: () => {} });
  policy(host);
  const found: Replayed[] = await all(replay(host, file(name)));
  await host.close();
  expect(found.length).toBeGreaterThan(5);
  return found.flatMap(({ fire, changed, by }) => (changed ? [[changed, fire.event, fire.toolUse, by?.name]] : []));
}

const noRm = (host: Host): void => {
  host.register({ PreToolUse: [{ name: 'no-rm', if: 'Bash(rm *)', hooks: [rule('deny', 'Nothing is removed.')] }] });
};
const readers = (host: Host): void => {
  host.spawnHooks('surveyor', { PreToolUse: [{ name: 'readers', matcher: 'Bash', hooks: [rule('ask', 'Sure?')] }] });
};
const script = (host: Host): void => {
  host.register({ PreToolUse: [{ matcher: 'Write', name: 'script', hooks: [command('exit 2')] }] });
};

const PUSH = ['allowed', 'PreToolUse', 'toolu_main_1_0', undefined];
const WENT_ON = ['allowed', 'Stop', undefined, undefined];

describe('recorded transcripts under three changes of policy', () => {
  test('a rule about a command: what it would have denied, and what nobody denies any more', async () => {
    expect(await changes('hooks-and-compaction', noRm)).toEqual([
      PUSH,
      WENT_ON,
      ['denied', 'PreToolUse', 'toolu_main_7_0', 'no-rm'],
    ]);
    expect(await changes('permission-denied', noRm)).toEqual([
      ['allowed', 'PermissionRequest', 'toolu_main_1_0', undefined],
      ['denied', 'PreToolUse', 'toolu_main_3_0', 'no-rm'],
    ]);
    expect(await changes('with-subagents', noRm)).toEqual([]);
  });

  test('a rule for the agents of one type alone', async () => {
    expect(await changes('with-subagents', readers)).toEqual([
      ['asked', 'PreToolUse', 'toolu_subS_0_0', 'readers'],
      ['asked', 'PreToolUse', 'toolu_subS_3_0', 'readers'],
    ]);
    expect(await changes('hooks-and-compaction', readers)).toEqual([
      PUSH,
      ['asked', 'PreToolUse', 'toolu_sub_0_0', 'readers'],
      ['asked', 'PreToolUse', 'toolu_sub_0_1', 'readers'],
      WENT_ON,
    ]);
    expect(await changes('simple', readers)).toEqual([]);
  });

  test('a command, which no transcript has answers of: nobody knows', async () => {
    const found = await changes('with-subagents', script);
    expect(found).toEqual([['unknown', 'PreToolUse', 'toolu_subB_2_0', 'script']]);
  });
});
