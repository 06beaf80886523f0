import { describe, expect, test } from 'vitest';
import { allow, createRedactor, deny, type FireRecord, type Hooks, type HostOptions, rule } from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { all } from './all.js';
import { bash, hostOf, lived } from './kit.js';

const on = (...hooks: unknown[]): Hooks => ({ PreToolUse: [{ hooks: hooks as never }] });
const CALL = ['PreToolUse', bash('ls')] as const;

describe('two configurations with the same hooks, whose answers are not known', () => {
  const hooks = on({ handler: () => allow(), name: 'a' }, { handler: () => deny('no'), name: 'b' });
  const compared = async (old: HostOptions, now: HostOptions, group: object = {}) => {
    const { fires } = await lived(hostOf({}), CALL);
    const grouped = { PreToolUse: [{ ...hooks.PreToolUse?.[0], ...group }] } as Hooks;
    const [found] = await all(replay(hostOf(grouped, now), fires, { against: hostOf(hooks, old) }));
    return found?.changed;
  };

  test.each<[what: string, old: HostOptions, now: HostOptions]>([
    ['decisions', { decisions: 'first' }, { decisions: 'last' }],
    ['merge', { merge: 'all' }, { merge: 'lineage' }],
    ['onFailure', { onFailure: 'block' }, { onFailure: 'continue' }],
    ['timeout', { timeout: 5 }, { timeout: 6 }],
    ['timeoutFor', { timeoutFor: 'group' }, {}],
  ])('are not the same with another %s', async (_, old, now) => {
    expect(await compared(old, now)).toBe('unknown');
    expect(await compared(now, now)).toBeUndefined();
  });

  test('are not the same with another policy that is the usual one as well', async () => {
    expect(await compared({}, {}, { onFailure: 'continue' })).toBe('unknown');
  });

  test('are not the same where other functions make the hooks of an agent', async () => {
    const agent = { agent_id: 'a1', agent_type: 'reviewer', session_id: 's1' };
    const { fires } = await lived(hostOf({}), ['PreToolUse', { ...bash('ls'), ...agent }]);
    const make = (maker: () => Hooks) => {
      const host = hostOf({});
      host.spawnHooks('reviewer', maker);
      return host;
    };
    const none = () => ({});
    const [same] = await all(replay(make(none), fires, { against: make(none) }));
    const [other] = await all(
      replay(
        make(() => on(rule('deny', 'no'))),
        fires,
        { against: make(none) },
      ),
    );
    expect([same?.changed, other?.changed]).toEqual([undefined, 'unknown']);
  });
});

describe('where hooks with unknown answers cannot change the decision', () => {
  test('what they may have told people is no change', async () => {
    const secret = `sk-ant-api03-${'Ab3dEf9hIj'.repeat(8)}-AAAAAA`;
    const warn = { handler: () => ({ systemMessage: 'a key' }), name: 'warn', if: 'Bash(*sk-ant*)' };
    const redactor = createRedactor();
    const { fires } = await lived(hostOf(on(warn)), ['PreToolUse', bash(`curl -H "x-api-key: ${secret}" a.b`)]);
    expect(fires[0]?.decision).toMatchObject({ systemMessages: ['a key'] });
    const masked = fires.map((fire) => redactor.redact(fire) as FireRecord);
    const [found] = await all(replay(hostOf({ ...on(warn), Stop: [{ hooks: [() => undefined] }] }), masked));
    expect(found?.changed).toBeUndefined();
  });

  test('whether a deny ends the turn is a change, and not known', async () => {
    const ends = { handler: () => ({ continue: false, stopReason: 'enough' }), name: 'ends' };
    const { fires } = await lived(hostOf(on(ends, rule('deny', 'no'))), CALL);
    const other = { handler: () => ({ continue: false, stopReason: 'over' }), name: 'ends' };
    const [found] = await all(replay(hostOf(on(other, rule('deny', 'no'))), fires));
    expect(found).toMatchObject({ changed: 'unknown', now: { word: 'deny', unknown: [{ name: 'ends' }] } });
  });

  test('what they do not decide is compared as ever', async () => {
    const { fires } = await lived(hostOf({}), CALL);
    const [found] = await all(replay(hostOf(on(rule('deny', 'no'), () => undefined)), fires));
    expect(found?.changed).toBe('denied');
  });
});
