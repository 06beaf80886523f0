import { describe, expect, test } from 'vitest';
import { allow, deny, rewrite } from '../../../src/events/output/helpers.js';
import { anyHooks, testHost } from '../kit.js';

type Said = 'silent' | 'allow' | 'deny' | 'rewrite';

/** A host that was told of so many calls, and of no result, that it remembers no more of those that may run. */
async function patient() {
  const { host, reports } = testHost();
  let said: Said = 'silent';
  let requested: 'none' | 'deny' | 'allow' = 'none';
  const answers = { silent: undefined, allow: allow(), deny: deny('no'), rewrite: rewrite({ n: 2 }) };
  host.register(
    anyHooks({
      PreToolUse: [{ hooks: [() => answers[said]] }],
      PermissionRequest: [
        { hooks: [() => (requested === 'none' ? undefined : { allow: allow(), deny: deny('not now') }[requested])] },
      ],
    }),
  );
  const about = (id: string, n = 1) => ({ tool_name: 'Bash', tool_use_id: id, tool_input: { n } });
  const judge = (id: string, as: Said): Promise<unknown> => {
    said = as;
    return host.fire('PreToolUse', about(id));
  };
  const request = (id: string, as: 'deny' | 'allow' = 'deny'): Promise<unknown> => {
    requested = as;
    return host.fire('PermissionRequest', about(id) as never);
  };
  const ran = (id: string, n = 1): Promise<unknown> => host.fire('PostToolUse', { ...about(id, n), tool_response: '' });
  for (let i = 0; i < 1100; i++) await judge(`before-${i}`, i % 2 === 0 ? 'silent' : 'allow');
  return { host, judge, request, ran, alarms: () => reports.filter((line) => line.startsWith('Alarm')) };
}

describe('a host that remembers only what matters', () => {
  test.each<[string, readonly Said[], number, string | undefined]>([
    ['a denied call that ran', ['deny'], 1, 'not_honoured'],
    ['a denied call that was allowed later', ['deny', 'allow'], 1, undefined],
    ['a denied call of which nobody said anything later', ['deny', 'silent'], 1, undefined],
    ['an allowed call that was denied later', ['allow', 'deny'], 1, 'not_honoured'],
    ['a rewritten call that ran as it was rewritten', ['rewrite'], 2, undefined],
    ['a rewritten call that ran as it was', ['rewrite'], 1, 'other_input'],
    ['a rewritten call that was allowed as it is later', ['rewrite', 'allow'], 1, undefined],
    ['an allowed call that ran with another input, which it cannot know', ['allow'], 2, undefined],
  ])('%s', async (_, said, n, alarm) => {
    const { host, judge, ran, alarms } = await patient();
    for (const as of said) await judge('x', as);
    await ran('x', n);
    expect(alarms().length).toBe(alarm === undefined ? 0 : 1);
    expect(alarms().join()).toContain(alarm ?? '');
    await host.close();
  });

  test.each<Said>(['silent', 'allow'])('a call (%s) that was refused when the user was asked', async (as) => {
    const { host, judge, request, ran, alarms } = await patient();
    await judge('x', as);
    await request('x');
    await ran('x');
    expect(alarms().join()).toContain('not_honoured');
    await host.close();
  });

  test('a call that was refused and then granted may run', async () => {
    const { host, judge, request, ran, alarms } = await patient();
    await judge('x', 'silent');
    await request('x', 'deny');
    await request('x', 'allow');
    await ran('x');
    expect(alarms()).toEqual([]);
    await host.close();
  });
});
