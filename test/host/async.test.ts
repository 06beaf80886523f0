import { describe, expect, test } from 'vitest';
import { command } from '../../src/handlers/command/spec.js';
import type { Wake } from '../../src/host/types.js';
import { processes, uniqueSeconds } from '../handlers/shell-call.js';
import { INPUTS } from './inputs.js';
import { anyHooks, deferred, fires, never, only, sleep, testHost, turn, until, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;
const POST = INPUTS.PostToolUse;
const here = { session: { session_id: 's', transcript_path: '', cwd: process.cwd() } };
const context = (text: string) => ({ hookSpecificOutput: { additionalContext: text } });
const rewrite = (to: string) => ({ hookSpecificOutput: { updatedInput: { command: to } } });

describe.each([false, true])('an async handler (watched: %s)', (watched) => {
  const make = (options = {}) => {
    const made = testHost(options);
    return { ...made, seen: watched ? watch(made.host) : [] };
  };

  test.each<[string, unknown]>([
    ['registered so', { handler: async () => ({ decision: 'block', continue: false, ...rewrite('rm') }), async: true }],
    [
      'registered so, and sync',
      { handler: () => ({ decision: 'block', continue: false, ...rewrite('rm') }), async: true },
    ],
    [
      'registered so, and throwing',
      {
        handler: () => {
          throw new Error('broken');
        },
        async: true,
      },
    ],
    ['registered so, and hanging', { handler: never, async: true }],
    ['that answers so', () => ({ async: true, result: Promise.resolve({ decision: 'block', ...rewrite('rm') }) })],
    ['that answers so and fails', () => ({ async: true, result: Promise.reject(new Error('broken')) })],
    ['that answers so and is forgotten', async () => ({ async: true })],
  ])('%s decides nothing and holds up nobody', async (_, hook) => {
    const { host } = make({ onFailure: 'block', closeTimeout: 0 });
    let after = 0;
    host.register(anyHooks({ PreToolUse: [{ hooks: [hook, () => void after++] }] }));
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision).toMatchObject({ verdict: 'none', continue: true, failures: [] });
    expect(decision).not.toHaveProperty('updatedInput');
    expect(after).toBe(1);
    await host.close();
  });

  test('that throws at once has failed, which is told', async () => {
    const { host, reports, seen } = make();
    const broken = (): never => {
      throw new Error('broken');
    };
    host.register(anyHooks({ PreToolUse: [{ hooks: [{ handler: broken, async: true, name: 'b' }] }] }));
    await host.fire('PreToolUse', PRE);
    await host.close();
    expect(reports).toEqual([expect.stringMatching(/hook b failed \(threw\): .*broken/)]);
    if (watched) expect(seen).toContainEqual(expect.objectContaining({ subtype: 'hook_response', outcome: 'error' }));
  });

  test.each<[string, unknown]>([
    ['a callback', () => ({ async: true, decision: 'block' })],
    ['a command', command(`cat >/dev/null; echo '{"async":true,"decision":"block"}'`)],
  ])('that gives a verdict beside its wish to go on (%s) is told that nobody reads it', async (_, hook) => {
    const { host, reports } = make({ onFailure: 'block' });
    host.register(anyHooks({ PreToolUse: [{ hooks: [hook] }] }));
    expect(await host.fire('PreToolUse', { ...PRE, cwd: process.cwd() })).toMatchObject({ verdict: 'none' });
    expect(reports).toEqual([expect.stringContaining('with "async": true nothing else is read (decision)')]);
    await host.close();
  });

  test('is never asked again', async () => {
    const { host } = make();
    const calls: string[] = [];
    host.register(
      anyHooks({
        PreToolUse: [
          {
            hooks: [
              {
                handler: (_: unknown, __: unknown, c: { call: string }) => void calls.push(`a:${c.call}`),
                async: true,
              },
            ],
          },
          {
            hooks: [
              (_: unknown, __: unknown, c: { call: string }) => {
                calls.push(`b:${c.call}`);
                return { async: true, result: Promise.resolve() };
              },
            ],
          },
          { hooks: [() => rewrite('pwd')] },
        ],
      }),
    );
    await host.fire('PreToolUse', PRE);
    expect(calls).toEqual(['a:first', 'b:first']);
  });

  test('says late what joins the pending context: context and messages, in the order they come', async () => {
    const { host } = make();
    const [one, two] = [deferred<unknown>(), deferred<unknown>()];
    host.register(
      anyHooks({
        PostToolUse: [
          { hooks: [{ handler: () => one.promise, async: true }, () => ({ async: true, result: two.promise })] },
        ],
      }),
    );
    const decision = await host.fire('PostToolUse', POST);
    expect(decision.additionalContext).toEqual([]);
    two.resolve({ systemMessage: 'm2', ...context('c2') });
    await until(() => host.pendingContext().length === 2);
    one.resolve(context('c1'));
    await until(() => host.pendingContext().length === 3);
    expect(host.pendingContext()).toEqual(['c2', 'm2', 'c1']);
    // A copy, to be looked at.
    host.pendingContext().push('mine');
    expect(host.pendingContext()).toHaveLength(3);
  });

  test('that only says to go on is not followed', async () => {
    const { host } = make();
    host.register(
      anyHooks({ PostToolUse: [{ hooks: [() => ({ async: true }), () => ({ async: true, asyncTimeout: 5 })] }] }),
    );
    await host.fire('PostToolUse', POST);
    expect(await host.close()).toEqual({ pending: [] });
  });

  test.each([
    [
      'its answer',
      () => ({
        async: true,
        asyncTimeout: 0,
        result: turn()
          .then(turn)
          .then(() => context('late')),
      }),
    ],
    [
      'its registration',
      {
        handler: () =>
          turn()
            .then(turn)
            .then(() => context('late')),
        async: true,
        asyncTimeout: 0,
      },
    ],
  ])('with a time of 0 in %s it has all the time it needs', async (_, hook) => {
    const { host, reports } = make();
    host.register(anyHooks({ PostToolUse: [{ hooks: [hook] }] }));
    await host.fire('PostToolUse', POST);
    await until(() => host.pendingContext().length + reports.length > 0);
    expect(reports).toEqual([]);
    expect(host.pendingContext()).toEqual(['late']);
  });

  test.each<[string, object, RegExp]>([
    ['an answer', { result: context('c') }, /result: expected a promise of the answer, got object/],
    ['a number', { result: 5 }, /result: expected a promise.*, got number/],
    ['false', { result: false }, /result: expected a promise.*, got boolean/],
    ['a list of promises', { result: [Promise.resolve()] }, /result: expected a promise.*, got array/],
    ['a function', { result: async () => context('c') }, /result: expected a promise.*, got function/],
    ['a time in words', { asyncTimeout: '5', result: Promise.resolve() }, /asyncTimeout: expected.*, got "5"/],
    ['a time before now', { asyncTimeout: -1 }, /asyncTimeout: expected.*, got -1/],
  ])('that names %s as what is to come fails', async (_, said, message) => {
    const { host, reports } = make({ onFailure: 'block' });
    host.register(anyHooks({ PreToolUse: [{ name: 'it', hooks: [() => ({ async: true, ...said })] }] }));
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision).toMatchObject({ verdict: 'deny', failures: [{ name: 'it', cause: 'bad_schema' }] });
    expect(only(decision.failures).message).toMatch(message);
    expect(only(reports)).toMatch(message);
    await host.close();
  });

  test.each<[string, object]>([
    ['at once', {}],
    ['in parallel', { mode: 'parallel' }],
    ['after a turn', { after: true }],
  ])(
    'that is fire and forget is called once, whatever is rewritten after it: %s',
    async (_, { after, ...group }: { after?: true }) => {
      const { host } = make();
      let calls = 0;
      const notify = async (): Promise<unknown> => {
        calls++;
        if (after) await turn();
        return calls === 1 ? { async: true } : { decision: 'block', reason: 'again' };
      };
      host.register(anyHooks({ PreToolUse: [{ ...group, hooks: [notify] }, { hooks: [() => rewrite('pwd')] }] }));
      expect((await host.fire('PreToolUse', PRE)).verdict).toBe('none');
      expect(calls).toBe(1);
      await host.close();
    },
  );

  test.each([undefined, null])('that has no result, %s, is fire and forget', async (result) => {
    const { host, reports } = make({ onFailure: 'block' });
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => ({ async: true, result })] }] }));
    expect((await host.fire('PreToolUse', PRE)).failures).toEqual([]);
    expect(reports).toEqual([]);
    await host.close();
  });

  test.each<[string, unknown, RegExp]>([
    ['its answer', () => ({ async: true, asyncTimeout: 0.05, result: never() }), /0\.05 s/],
    ['its registration', { handler: () => ({ async: true, result: never() }), asyncTimeout: 0.06 }, /0\.06 s/],
    ['its registration, async from the start', { handler: never, async: true, asyncTimeout: 0.07 }, /0\.07 s/],
    [
      'its answer before its registration',
      { handler: () => ({ async: true, asyncTimeout: 0.05, result: never() }), asyncTimeout: 60 },
      /0\.05 s/,
    ],
  ])('runs out of the time of %s: its signal fires and it is said', async (_, hook, message) => {
    const { host, reports, seen } = make();
    let signal: AbortSignal | undefined;
    const inner = typeof hook === 'function' ? hook : (hook as { handler: () => unknown }).handler;
    const spy = (_: unknown, __: unknown, c: { signal: AbortSignal }): unknown => {
      signal = c.signal;
      return inner();
    };
    host.register(
      anyHooks({
        PostToolUse: [
          { name: 'it', hooks: [typeof hook === 'function' ? spy : { ...(hook as object), handler: spy }] },
        ],
      }),
    );
    await host.fire('PostToolUse', POST);
    await until(() => signal?.aborted === true);
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
    await turn();
    if (watched) {
      const response = only(seen.filter((r) => r.type === 'system' && r.subtype === 'hook_response'));
      expect(response).toMatchObject({
        outcome: 'cancelled',
        failure: { cause: 'timeout', message: expect.stringMatching(message) },
      });
    } else expect(only(reports)).toMatch(message);
    expect(await host.close()).toEqual({ pending: [] });
  });

  test('a time that no timer can hold is a long one, not none at all', async () => {
    const { host, reports } = make();
    const late = deferred<unknown>();
    host.register(
      anyHooks({ PostToolUse: [{ hooks: [() => ({ async: true, asyncTimeout: 1e9, result: late.promise })] }] }),
    );
    await host.fire('PostToolUse', POST);
    await sleep(20);
    late.resolve(context('still here'));
    await until(() => host.pendingContext().length > 0);
    expect(reports).toEqual([]);
  });

  test('that fails late is said to have failed', async () => {
    const { host, reports, seen } = make();
    host.register(
      anyHooks({
        PostToolUse: [
          {
            name: 'it',
            hooks: [
              () => ({ async: true, result: Promise.reject(new Error('late')) }),
              { handler: async () => ({ systemMessage: 7 }), async: true },
            ],
          },
        ],
      }),
    );
    await host.fire('PostToolUse', POST);
    if (watched) {
      await until(() => seen.filter((r) => r.type === 'system' && r.subtype === 'hook_response').length === 2);
      expect(
        seen
          .flatMap((r) => (r.type === 'system' && r.subtype === 'hook_response' ? [r.failure?.cause] : []))
          .toSorted(),
      ).toEqual(['bad_schema', 'threw']);
    } else {
      await until(() => reports.length === 2);
      expect(reports.join()).toMatch(/threw.*late/);
      expect(reports.join()).toMatch(/bad_schema.*systemMessage/);
    }
  });

  test.each<[string, unknown]>([
    ['registered so', { handler: () => 1, async: true }],
    ['that answers so', () => ({ async: true, result: turn() })],
    ['registered so that answers so', { handler: () => ({ async: true, result: turn() }), async: true }],
    ['of two phases', { handler: () => ({ async: true }), async: 'two-phase' }],
    ['of two phases that answers so twice', { handler: () => ({ async: true, result: turn() }), async: 'two-phase' }],
  ])('%s has one end', async (_, hook) => {
    const { host } = make();
    const seen = watch(host);
    host.register(anyHooks({ PreToolUse: [{ hooks: [hook] }] }));
    await host.fire('PreToolUse', PRE);
    await host.close();
    const runs = seen.flatMap((r) => (r.type === 'system' ? [[r.subtype, r.hook_id]] : []));
    expect(runs).toEqual([
      ['hook_started', runs[0]?.[1]],
      ['hook_response', runs[0]?.[1]],
    ]);
  });

  test('is not followed for ever where its answer leads to itself', async () => {
    const { host, reports } = make();
    const endless: Record<string, unknown> = { async: true };
    endless['result'] = Promise.resolve(endless);
    // One that nothing follows, and whose promises are only kept from ending the process.
    const other: Record<string, unknown> = { unknown: true };
    other['promise'] = Promise.resolve(other);
    host.register(anyHooks({ PreToolUse: [{ stage: 1, hooks: [() => other] }] }));
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => endless, { handler: () => endless, async: true }] }] }));
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('none');
    const again = (): string[] => reports.filter((line) => /bad_schema.*again/.test(line));
    await until(() => again().length === 2);
    expect(await host.close()).toEqual({ pending: [] });
  });

  test('has failed if its result only announces another one', async () => {
    const { host, reports, seen } = make();
    const announces = Promise.resolve({ async: true });
    host.register(anyHooks({ PreToolUse: [{ hooks: [() => ({ async: true, result: announces })] }] }));
    await host.fire('PreToolUse', PRE);
    await host.close();
    expect(reports.join()).toMatch(/bad_schema.*again/);
    const ends = seen.flatMap((one) =>
      'subtype' in one && one.subtype === 'hook_response' ? [one.failure?.cause] : [],
    );
    expect(ends).toEqual(watched ? ['bad_schema'] : []);
  });

  test('that only observes adds no context and wakes nobody, in whichever way it answers', async () => {
    const wakes: Wake[] = [];
    const { host, reports, seen } = make({ ...here, onWake: (wake: Wake) => wakes.push(wake) });
    const says = { systemMessage: 'm', ...context('c') };
    const printed = `echo '${JSON.stringify({ systemMessage: 'm', hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'c' } })}'`;
    const hooks = [
      () => says,
      { handler: () => says, async: true },
      () => ({ async: true, result: Promise.resolve(says) }),
      {
        handler: (_: unknown, __: unknown, { call }: { call: string }) => (call === 'async' ? says : { async: true }),
        async: 'two-phase',
      },
      command(printed, { async: true }),
      command(`echo '{"async":true}'; ${printed}`),
      command('cat >/dev/null; echo wake >&2; exit 2', { asyncRewake: true }),
    ];
    host.register(anyHooks({ PostToolUse: [{ phase: 'observe', hooks }] }));
    const decision = await host.fire('PostToolUse', POST);
    await host.close();
    expect(decision).toMatchObject({ additionalContext: [], systemMessages: [] });
    expect([host.pendingContext(), wakes, reports]).toEqual([[], [], []]);
    // It is recorded all the same.
    const ends = seen.filter((one) => 'subtype' in one && one.subtype === 'hook_response');
    expect(ends).toHaveLength(watched ? hooks.length : 0);
  });

  test('is recorded as running in the background', async () => {
    const { host } = make();
    const seen = watch(host);
    host.register(
      anyHooks({
        PreToolUse: [
          {
            hooks: [
              { handler: () => {}, async: true },
              () => ({ async: true, result: Promise.resolve() }),
              () => ({ async: true }),
            ],
          },
        ],
      }),
    );
    await host.fire('PreToolUse', PRE);
    expect(only(fires(seen)).handlers.map((h) => h.status)).toEqual(['background', 'background', 'ran']);
  });
});

describe('a handler in two phases', () => {
  test('is called a second time in the background, with what it was called with first, and answers late', async () => {
    const { host } = testHost();
    const calls: unknown[] = [];
    const hook = async (
      input: { tool_input: unknown },
      id: string | undefined,
      { call, signal }: { call: string; signal: AbortSignal },
    ) => {
      calls.push([call, input.tool_input, id, signal.aborted]);
      return call === 'async' ? context('late') : { async: true };
    };
    host.register(
      anyHooks({ PreToolUse: [{ hooks: [() => rewrite('pwd')] }, { hooks: [{ handler: hook, async: 'two-phase' }] }] }),
    );
    await host.fire('PreToolUse', PRE);
    await until(() => host.pendingContext().length > 0);
    expect(calls).toEqual([
      ['first', { command: 'pwd' }, 't1', false],
      ['async', { command: 'pwd' }, 't1', false],
    ]);
    expect(host.pendingContext()).toEqual(['late']);
  });

  test.each<[string, unknown, number]>([
    ['that answers at once is not', { handler: () => context('now'), async: 'two-phase' }, 1],
    ['that is not registered so is not', { handler: () => ({ async: true }), async: false }, 1],
    [
      'that brings its own promise is not',
      { handler: () => ({ async: true, result: Promise.resolve() }), async: 'two-phase' },
      1,
    ],
    ['that is registered async is not', { handler: () => ({ async: true }), async: true }, 1],
    ['that asks again and again is called twice', { handler: () => ({ async: true }), async: 'two-phase' }, 2],
  ])('%s', async (_, hook, times) => {
    const { host } = testHost();
    let calls = 0;
    const { handler, ...rest } = hook as { handler: () => unknown };
    const counted = (): unknown => {
      calls++;
      return handler();
    };
    host.register(anyHooks({ PostToolUse: [{ hooks: [{ ...rest, handler: counted }] }] }));
    await host.fire('PostToolUse', POST);
    await host.close();
    expect(calls).toBe(times);
  });

  test('has its signal fire when its second time is up, or the host closes', async () => {
    const { host } = testHost({ closeTimeout: 0.02 });
    const signals: AbortSignal[] = [];
    const hook = (_: unknown, __: unknown, { call, signal }: { call: string; signal: AbortSignal }) => {
      if (call !== 'async') return { async: true };
      signals.push(signal);
      return never();
    };
    const register = (asyncTimeout: number) =>
      host.register(anyHooks({ PostToolUse: [{ hooks: [{ handler: hook, async: 'two-phase', asyncTimeout }] }] }));
    const undo = register(0.03);
    await host.fire('PostToolUse', POST);
    await until(() => signals[0]?.aborted === true);
    undo();
    register(60);
    await host.fire('PostToolUse', POST);
    await until(() => signals.length === 2);
    await host.close();
    expect(signals[1]?.aborted).toBe(true);
  });

  test('that is a command learns by HOOKSCOPE_CALL which call it is', async () => {
    const { host } = testHost(here);
    const line = `if [ "$HOOKSCOPE_CALL" = async ]; then echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"second"}}'; else echo '{"async":true}'; fi`;
    host.register({ PostToolUse: [{ hooks: [command(line, { async: 'two-phase' })] }] });
    await host.fire('PostToolUse', POST);
    await until(() => host.pendingContext().length > 0);
    expect(host.pendingContext()).toEqual(['second']);
    await host.close();
  });

  test('that is a command is killed when its second time is up', async () => {
    const { host, reports } = testHost(here);
    const seconds = uniqueSeconds();
    const line = `if [ "$HOOKSCOPE_CALL" = async ]; then sleep ${seconds} | cat; else echo '{"async":true}'; fi`;
    host.register({ PostToolUse: [{ hooks: [command(line, { async: 'two-phase', asyncTimeout: 0.4 })] }] });
    await host.fire('PostToolUse', POST);
    await until(() => processes(seconds).length > 0);
    await until(() => processes(seconds).length === 0);
    expect(reports.join()).toContain('0.4 s');
    expect(await host.close()).toEqual({ pending: [] });
  });
});

describe('a command in the background', () => {
  test('its exit 2 wakes the agent with what it said, under asyncRewake alone, and blocks nothing', async () => {
    const wakes: Wake[] = [];
    const { host } = testHost({ ...here, onWake: (wake) => wakes.push(wake) });
    host.register({
      PostToolUse: [
        {
          hooks: [
            command('cat >/dev/null; echo "tests fail" >&2; exit 2', { asyncRewake: true, name: 'rewake' }),
            command('cat >/dev/null; echo no >&2; exit 2', { async: true }),
            command('cat >/dev/null; echo fine >&2; exit 0', { asyncRewake: true }),
          ],
        },
      ],
    });
    const decision = await host.fire('PostToolUse', { ...POST, agent_id: 'a1' });
    expect(decision).toMatchObject({ blocked: false, failures: [] });
    await host.close();
    expect(wakes).toEqual([{ scope: 'a1', handler: expect.stringContaining('rewake'), text: 'tests fail' }]);
  });

  test('with nobody to wake, it is said', async () => {
    const { host, reports } = testHost(here);
    host.register({ PostToolUse: [{ hooks: [command('echo "tests fail" >&2; exit 2', { asyncRewake: true })] }] });
    await host.fire('PostToolUse', POST);
    await host.close();
    expect(reports.join()).toContain('tests fail');
  });
});
