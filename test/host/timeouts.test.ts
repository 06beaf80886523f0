import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { deny } from '../../src/events/output/helpers.js';
import { command } from '../../src/handlers/command/spec.js';
import type { Handler } from '../../src/handlers/handler.js';
import { madeHandler } from '../../src/host/register/handler-entry.js';
import { INPUTS } from './inputs.js';
import { anyHooks, deferred, fires, never, only, registerAs, sleep, testHost, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;
const rewrite = { hookSpecificOutput: { updatedInput: { command: 'pwd' } } };

/** The ways a fire goes: the quick one, and those that everything else takes. */
const WAYS = {
  quick: {},
  watched: { watched: true },
  parallel: { mode: 'parallel' },
  timed: { slowAfter: 1000 },
} as const;
type Way = { readonly watched?: boolean; readonly mode?: 'parallel'; readonly slowAfter?: number };

describe.each(Object.entries(WAYS))('time is up (%s)', (_, way: Way) => {
  const { watched, mode, slowAfter } = way;
  const make = (options = {}) => {
    const made = testHost({ ...options, ...(slowAfter === undefined ? {} : { slowAfter }) });
    return { ...made, seen: watched ? watch(made.host) : [] };
  };
  const group = (timeout: number, ...hooks: unknown[]) => ({ timeout, ...(mode ? { mode } : {}), hooks });

  test.each([0.03, 0.075, 0.2])('never early: after %f s', async (timeout) => {
    const { host } = make();
    host.register(anyHooks({ PreToolUse: [group(timeout, never)] }));
    for (let i = 0; i < 3; i++) {
      await sleep(i * 3);
      const began = performance.now();
      const decision = await host.fire('PreToolUse', PRE);
      expect(performance.now() - began).toBeGreaterThanOrEqual(timeout * 1000);
      expect(decision.failures).toMatchObject([{ cause: 'timeout', message: expect.stringContaining(`${timeout} s`) }]);
    }
  });

  test('and one outside the program that then cleans up takes no time of those behind it', async () => {
    const { host } = make();
    const handler: Handler = {
      kind: 'command',
      name: 'slow',
      run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({}))),
    };
    const later = async (): Promise<object> => {
      await sleep(1);
      return deny('not here');
    };
    const quick: Handler = { kind: 'command', name: 'quick', run: async () => ({ output: { systemMessage: 'said' } }) };
    host.register(anyHooks({ PreToolUse: [group(0.03, madeHandler(handler))] }));
    host.register(anyHooks({ PreToolUse: [group(60, madeHandler(quick), later)] }));
    const { failures, systemMessages, verdict } = await host.fire('PreToolUse', PRE);
    expect(failures.map(({ name, cause }) => [name, cause])).toEqual([['slow', 'timeout']]);
    expect([systemMessages, verdict]).toEqual([['said'], 'deny']);
  });

  test('for each handler by its own clock: who answers in time has answered', async () => {
    const { host } = make();
    const slow = async () => {
      await sleep(60);
      return { systemMessage: 'in time' };
    };
    host.register(anyHooks({ PreToolUse: [group(0.05, never), group(5, slow), group(0.05, never)] }));
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision.failures.map((f) => f.cause)).toEqual(['timeout', 'timeout']);
    expect(decision.systemMessages).toEqual(['in time']);
  });

  test('counts by policy', async () => {
    const { host } = make({ onFailure: 'block', timeout: 0.02 });
    host.register(anyHooks({ PreToolUse: [{ ...(mode ? { mode } : {}), hooks: [never] }] }));
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('0.02 s'),
    });
  });

  test('and what is answered late is dropped, an error too', async () => {
    const { host, reports, seen } = make();
    const [yes, no] = [deferred<unknown>(), deferred<unknown>()];
    host.register(
      anyHooks({
        PreToolUse: [
          group(
            0.02,
            () => yes.promise,
            () => no.promise,
          ),
        ],
      }),
    );
    const decision = await host.fire('PreToolUse', PRE);
    const before = [reports.length, seen.length];
    yes.resolve({ decision: 'block', systemMessage: 'late', continue: false });
    no.reject(new Error('late'));
    await sleep(30);
    expect(decision).toMatchObject({ verdict: 'none', continue: true, systemMessages: [] });
    expect([reports.length, seen.length]).toEqual(before);
  });

  test('and what goes on asynchronously in a late answer is not followed', async () => {
    const { host } = make();
    const late = deferred<unknown>();
    host.register(anyHooks({ PostToolUse: [group(0.02, () => late.promise)] }));
    await host.fire('PostToolUse', INPUTS.PostToolUse);
    late.resolve({ async: true, result: Promise.resolve({ systemMessage: 'late' }) });
    await sleep(20);
    expect(host.pendingContext()).toEqual([]);
    expect(await host.close()).toEqual({ pending: [] });
  });

  test('its signal says so, also when it is first read later; that of one in time does not', async () => {
    const { host } = make();
    const contexts: { signal: AbortSignal }[] = [];
    const heard: unknown[] = [];
    const hang = (_: unknown, __: unknown, context: { signal: AbortSignal }) => {
      if (contexts.push(context) === 1)
        context.signal.addEventListener('abort', () => heard.push(context.signal.reason));
      return never();
    };
    const answer = async (_: unknown, __: unknown, context: { signal: AbortSignal }) => void contexts.push(context);
    host.register(anyHooks({ PreToolUse: [group(0.02, hang, hang, answer)] }));
    await host.fire('PreToolUse', PRE);
    expect(heard).toMatchObject([{ name: 'TimeoutError', message: expect.stringContaining('0.02 s') }]);
    expect(contexts.map((c) => c.signal.aborted)).toEqual([true, true, false]);
    expect(contexts[1]?.signal.reason).toMatchObject({ name: 'TimeoutError' });
    expect(contexts[0]?.signal).toBe(contexts[0]?.signal);
  });

  test('0 is no limit', async () => {
    const { host } = make({ timeout: 0.02 });
    const slow = async () => {
      await sleep(80);
      return { systemMessage: 'done' };
    };
    host.register(anyHooks({ PreToolUse: [group(0, slow)] }));
    expect((await host.fire('PreToolUse', PRE)).systemMessages).toEqual(['done']);
  });

  test('one that keeps the loop busy cannot be interrupted, and its answer counts', async () => {
    const { host } = make();
    const busy = () => {
      for (const end = performance.now() + 60; performance.now() < end; );
      return { systemMessage: 'busy' };
    };
    host.register(anyHooks({ PreToolUse: [group(0.02, busy, async () => busy())] }));
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ systemMessages: ['busy', 'busy'], failures: [] });
  });
});

describe('one time for a whole group', () => {
  const slow = (ms: number) => async () => {
    await sleep(ms);
    return { systemMessage: `${ms}` };
  };

  test.each<[string, object, object, object]>([
    ['said by the group', { timeoutFor: 'group' }, {}, {}],
    ['said by the call', {}, { timeoutFor: 'group' }, {}],
    ['said by the host', {}, {}, { timeoutFor: 'group' }],
  ])('%s', async (_, own, call, options) => {
    const { host } = testHost(options);
    host.register(
      {
        PreToolUse: [
          { ...own, timeout: 0.1, hooks: [slow(10), never as never, slow(1000), () => ({ systemMessage: 'sync' })] },
        ],
      },
      call,
    );
    for (let i = 0; i < 2; i++) {
      const began = performance.now();
      const decision = await host.fire('PreToolUse', PRE);
      expect(performance.now() - began).toBeGreaterThanOrEqual(100);
      expect(decision.systemMessages).toEqual(['10', 'sync']);
      expect(decision.failures.map((f) => f.cause)).toEqual(['timeout', 'timeout']);
    }
  });

  test('is not shared with other groups', async () => {
    const { host } = testHost({ timeoutFor: 'group' });
    host.register({
      PreToolUse: [
        { timeout: 0.05, hooks: [never as never] },
        { timeout: 5, hooks: [slow(10)] },
      ],
    });
    expect((await host.fire('PreToolUse', PRE)).systemMessages).toEqual(['10']);
  });
});

describe('how much time', () => {
  const times = (host: ReturnType<typeof testHost>['host'], event: string) =>
    (host.describe().children[0]?.hooks ?? []).filter((h) => h.event === event).map((h) => h.timeout);

  test('the handler says, else its group, else the host, else 60 seconds', () => {
    for (const [options, expected] of [
      [{}, [1.5, 2, 60, 0, 7]],
      [{ timeout: 9 }, [1.5, 2, 9, 0, 7]],
    ] as const) {
      const { host } = testHost(options);
      const fn = () => {};
      host.register({
        PreToolUse: [
          { timeout: 2, hooks: [{ handler: fn, timeout: 1.5 }, fn] },
          { hooks: [fn, { handler: fn, timeout: 0 }, command('true', { timeout: 7 })] },
        ],
      });
      expect(times(host as never, 'PreToolUse')).toEqual(expected);
    }
  });

  test('from code every event has 60 seconds, but SessionEnd 1.5 and 60 at most', () => {
    const { host } = testHost();
    for (const event of HOOK_EVENTS) {
      host.register(
        anyHooks({
          [event]: [{ hooks: [() => {}, { handler: () => {}, timeout: 90 }, { handler: () => {}, timeout: 0 }] }],
        }),
      );
      expect(times(host as never, event), event).toEqual(event === 'SessionEnd' ? [1.5, 60, 60] : [60, 90, 0]);
    }
  });

  test('from Claude Code’s files the client’s own', () => {
    const own: Record<string, number> = {
      UserPromptSubmit: 30,
      PreModelSwitch: 30,
      PostModelSwitch: 30,
      MessageDisplay: 10,
      SessionEnd: 1.5,
    };
    const { host } = testHost({ timeout: 5 });
    for (const event of HOOK_EVENTS) {
      registerAs(
        host as never,
        { [event]: [{ hooks: [{ type: 'command', command: 'true' }] }] },
        { dialect: 'claude' },
      );
      expect(times(host as never, event), event).toEqual([own[event] ?? 600]);
    }
  });

  test('asked again, a handler has its time anew', async () => {
    const { host } = testHost();
    const waits = async () => {
      await sleep(60);
      return { systemMessage: 'ok' };
    };
    host.register({ PreToolUse: [{ timeout: 0.1, hooks: [waits, () => rewrite] }] });
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ systemMessages: ['ok'], failures: [] });
  });
});

describe('slow hooks', () => {
  test('are said once each time they take long, with name and event; others are not', async () => {
    const { host, reports } = testHost({ slowAfter: 0.05 });
    host.register(
      { PreToolUse: [{ hooks: [() => {}, async () => sleep(1).then(() => undefined)] }] },
      { name: 'quick' },
    );
    host.register({ PreToolUse: [{ hooks: [async () => void (await sleep(70))] }] }, { name: 'snail' });
    await host.fire('PreToolUse', PRE);
    expect(only(reports)).toMatch(/snail.*PreToolUse|PreToolUse.*snail/);
    await host.fire('PreToolUse', PRE);
    expect(reports).toHaveLength(2);
  });

  test('nobody being timed, nobody is said to be slow', async () => {
    const { host, reports } = testHost();
    host.register({ PreToolUse: [{ hooks: [async () => void (await sleep(30))] }] });
    await host.fire('PreToolUse', PRE);
    expect(reports).toEqual([]);
  });
});

test('a command that ran out of time has in its record what it had printed', async () => {
  const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: process.cwd() } });
  const seen = watch(host);
  const line = `echo before; echo err >&2; ${process.platform === 'win32' ? 'timeout 30' : 'sleep 30'}`;
  host.register({ PreToolUse: [{ timeout: 0.6, hooks: [command(line)] }] });
  await host.fire('PreToolUse', PRE);
  const response = seen.find((r) => r.type === 'system' && r.subtype === 'hook_response');
  expect(response).toMatchObject({
    outcome: 'cancelled',
    failure: { cause: 'timeout' },
    stdout: 'before\n',
    stderr: 'err\n',
  });
  expect(only(fires(seen)).handlers[0]).toMatchObject({ status: 'failed', failure: { cause: 'timeout' } });
  await host.close();
});
