import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { addContext, deny, type Hooks } from '../../src/index.js';
import { expectFired, fakeClock, fireHook, payload, testSession } from '../../src/testing.js';

test('the record is that of the event itself, not of one that a hook has fired', async () => {
  const hooks: Hooks = {
    PreToolUse: [
      {
        name: 'outer',
        hooks: [
          async ({ tool_name, ...input }, _id, { host }) => {
            if (tool_name === 'Read') return undefined;
            await host.fire('PreToolUse', { ...input, tool_name: 'Read' } as never);
            return deny('no');
          },
        ],
      },
    ],
  };
  const fired = await fireHook(hooks, 'PreToolUse');
  expect(fired.record).toMatchObject({ decision: { verdict: 'deny' }, input: { tool_name: 'Bash' } });
  expect(() => expectFired(fired).toStaySilent()).toThrow(/outer .*deny/);
});

test('a hook that is enforced in a share of sessions decides, in a session as well', async () => {
  const hooks = { PreToolUse: [{ enforce: 0.001, hooks: [() => deny('no')] }] };
  expectFired(await fireHook(hooks, 'PreToolUse', payload.preToolUse.bash('ls'))).toDeny('no');
  const one = await testSession({ hooks });
  expect((await one.call('Bash', { command: 'ls' })).status).toBe('denied');
  await one.close();
});

describe('a hook in the background', () => {
  const inBackground = (answer: () => unknown): Hooks => {
    const handler = async (): Promise<unknown> => {
      await sleep(5);
      return answer();
    };
    return { PostToolUse: [{ name: 'late', hooks: [{ handler, async: true }] }] } as Hooks;
  };

  test('that throws has failed, and was not silent', async () => {
    const throws = (): never => {
      throw new Error('boom');
    };
    const fired = await fireHook(inBackground(throws), 'PostToolUse');
    expectFired(fired).toFail('threw');
    expectFired(fired).not.toStaySilent();
    expectFired(fired).not.toFail('timeout');
    expect(String(fired)).toMatch(/late failed \(threw\): .*boom in the background$/);
  });

  test('that gives context has given it, and was not silent', async () => {
    const fired = await fireHook(
      inBackground(() => addContext('The tests pass.')),
      'PostToolUse',
    );
    expectFired(fired).toAddContext(/tests pass/);
    expectFired(fired).not.toAddContext('fail');
    expectFired(fired).not.toStaySilent();
    expect(String(fired)).toMatch(/late ended in the background, context: \["The tests pass\."\]$/);
  });

  test('that only observes adds no context', async () => {
    const hooks = [{ name: 'late', handler: () => addContext('The tests pass.'), async: true }];
    const fired = await fireHook({ PostToolUse: [{ phase: 'observe', hooks }] }, 'PostToolUse');
    expectFired(fired).not.toAddContext();
    expect(String(fired)).toMatch(/late ended in the background$/);
  });

  test('that says nothing is silent', async () => {
    const fired = await fireHook(
      inBackground(() => undefined),
      'PostToolUse',
    );
    expectFired(fired).toStaySilent();
    expectFired(fired).not.toFail();
  });

  test('that never ends has timed out', async () => {
    const clock = fakeClock();
    const hooks = { PostToolUse: [{ hooks: [{ handler: () => new Promise(() => {}), async: true }] }] } as Hooks;
    const firing = fireHook(hooks, 'PostToolUse');
    await clock.advance(60);
    clock.restore();
    expectFired(await firing).toFail('timeout');
  });
});

test('an observer that fails has failed', async () => {
  const throws = (): never => {
    throw new Error('boom');
  };
  const fired = await fireHook({ PreToolUse: [{ phase: 'observe', hooks: [throws] }] }, 'PreToolUse');
  expectFired(fired).toFail('threw');
});

describe('a RegExp', () => {
  test.each([/force/g, /no/y, /FORCE/giy])('%s passes each time', async (pattern) => {
    const fired = await fireHook(() => deny(pattern.ignoreCase ? 'force' : 'no force'), 'PreToolUse');
    for (let i = 0; i < 3; i++) expectFired(fired).toDeny(pattern);
  });

  test('is in the text of a failure', async () => {
    const fired = await fireHook(() => deny('no'), 'PreToolUse');
    expect(() => expectFired(fired).toDeny(/other\b/i)).toThrow('expected a denial, with /other\\b/i');
    expect(() => expectFired(fired).toRewrite(/x/)).toThrow('expected a rewrite to /x/');
  });
});
