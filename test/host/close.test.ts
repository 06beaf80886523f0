import { describe, expect, test } from 'vitest';
import { command } from '../../src/handlers/command/spec.js';
import { HOOKS, processes, uniqueSeconds } from '../handlers/shell-call.js';
import { INPUTS } from './inputs.js';
import { deferred, fires, never, only, sleep, testHost, turn, until, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;
const here = { session: { session_id: 's', transcript_path: '', cwd: process.cwd() } };
const closed = { code: 'CLOSED' };

describe('a host that closes', () => {
  test('with nothing to wait for says so, once and for all', async () => {
    const { host } = testHost();
    host.register({ PreToolUse: [{ hooks: [async () => {}] }] });
    await host.fire('PreToolUse', PRE);
    const first = host.close();
    expect(host.close()).toBe(first);
    expect(await first).toEqual({ pending: [] });
    expect(await host.close()).toEqual({ pending: [] });
  });

  test('refuses hooks from then on, wherever they are registered: they would never run', async () => {
    const { host } = testHost();
    const session = await host.openSession({});
    const scope = host.scope({ session: 's1' });
    const hooks = { Stop: [{ hooks: [() => undefined] }] };
    await host.close();
    const closed = expect.objectContaining({ code: 'CLOSED' }) as Error;
    expect(() => host.register(hooks)).toThrow(closed);
    expect(() => host.on('Stop', () => undefined)).toThrow(closed);
    expect(() => host.registerScoped('a', hooks)).toThrow(closed);
    expect(() => host.spawnHooks('w', hooks)).toThrow(closed);
    for (const one of [scope, host.scope('b'), session]) {
      expect(() => one.register(hooks)).toThrow(closed);
      expect(() => one.on('Stop', () => undefined)).toThrow(closed);
    }
    expect(String(host.describe())).not.toContain('Stop');
  });

  test('refuses every fire from then on, known event or not in order', async () => {
    const { host } = testHost();
    const gate = deferred<undefined>();
    host.register({ PreToolUse: [{ hooks: [() => gate.promise] }] });
    const fire = host.fire('PreToolUse', PRE);
    const closing = host.close();
    await expect(host.fire('PreToolUse', PRE)).rejects.toMatchObject({
      ...closed,
      message: expect.stringContaining('PreToolUse'),
    });
    await expect(host.fire('Stop', INPUTS.Stop)).rejects.toMatchObject(closed);
    await expect(host.fire('Nope' as never, {} as never)).rejects.toMatchObject({ code: 'UNKNOWN_EVENT' });
    gate.resolve(undefined);
    await closing;
    await expect(host.fire('PreToolUse', PRE)).rejects.toMatchObject(closed);
    expect((await fire).verdict).toBe('none');
  });

  test.each([false, true])(
    'lets what is under way come to its end in closeTimeout, all of it (raw tap: %s)',
    async (tap) => {
      const { host } = testHost({ closeTimeout: 5 });
      if (tap) host.hooks.PreToolUse.tap({ name: 'tap', stage: -1 }, () => undefined);
      const seen = watch(host);
      const ran: string[] = [];
      const slow = (name: string) => async () => {
        await sleep(20);
        ran.push(name);
        return undefined;
      };
      host.register({
        PreToolUse: [
          { hooks: [slow('a'), slow('b'), () => ({ hookSpecificOutput: { updatedInput: { command: 'pwd' } } })] },
          { phase: 'observe', hooks: [slow('observer')] },
        ],
      });
      const fire = host.fire('PreToolUse', PRE);
      expect(await host.close()).toEqual({ pending: [] });
      expect(ran).toEqual(['a', 'b', 'a', 'b', 'observer']);
      expect((await fire).updatedInput).toEqual({ command: 'pwd' });
      expect(only(fires(seen)).error).toBeUndefined();
    },
  );

  test('waits for a fire that is between its raw taps and its observers', async () => {
    const { host } = testHost({ closeTimeout: 5 });
    const seen = watch(host);
    host.hooks.PreToolUse.tap('tap', () => undefined);
    let observed = false;
    const observer = async () => {
      await turn();
      observed = true;
    };
    host.register({ PreToolUse: [{ hooks: [() => undefined] }, { phase: 'observe', hooks: [observer] }] });
    const fire = host.fire('PreToolUse', PRE);
    expect(await host.close()).toEqual({ pending: [] });
    expect([observed, fires(seen).length]).toEqual([true, 1]);
    expect((await fire).verdict).toBe('none');
  });

  test.each([0, 0.15])('waits %f s and not less for what does not end, and names it', async (closeTimeout) => {
    const { host } = testHost({ closeTimeout });
    host.register(
      { PreToolUse: [{ mode: 'parallel', hooks: [never as never, { handler: never as never, name: 'other' }] }] },
      { name: 'stuck' },
    );
    host.register({ Stop: [{ hooks: [never as never] }] }, { name: 'quick' });
    const rejected = [
      expect(host.fire('PreToolUse', PRE)).rejects.toMatchObject(closed),
      expect(host.fire('PreToolUse', PRE)).rejects.toMatchObject(closed),
      expect(host.fire('Stop', INPUTS.Stop)).rejects.toMatchObject(closed),
    ];
    const began = performance.now();
    const { pending } = await host.close();
    // A timer counts whole milliseconds, of a clock that was read before.
    expect(performance.now() - began).toBeGreaterThan(closeTimeout * 1000 - 1);
    expect(pending.toSorted()).toEqual(['other', 'quick', 'stuck/never']);
    await Promise.all(rejected);
  });

  test('tells each signal, and has every cut-short fire told before the stream completes', async () => {
    const { host } = testHost({ closeTimeout: 0.02 });
    let completed = 0;
    host.events$.subscribe({ complete: () => void completed++ });
    const seen = watch(host);
    const signals: AbortSignal[] = [];
    const stuck = (_: unknown, __: unknown, context: { signal: AbortSignal }): Promise<never> => {
      signals.push(context.signal);
      return never();
    };
    host.register({ PreToolUse: [{ hooks: [stuck] }] });
    const rejected = expect(host.fire('PreToolUse', PRE)).rejects.toMatchObject(closed);
    await host.close();
    await rejected;
    expect(signals.map((s) => [s.aborted, s.reason?.code])).toEqual([[true, 'CLOSED']]);
    expect(only(fires(seen))).toMatchObject({ error: 'CLOSED' });
    expect(completed).toBe(1);
  });

  test('is what `await using` does', async () => {
    const { host } = testHost();
    await host[Symbol.asyncDispose]();
    await expect(host.fire('PreToolUse', PRE)).rejects.toMatchObject(closed);
  });

  test('from within a handler waits for that handler no longer than closeTimeout', async () => {
    const { host } = testHost({ closeTimeout: 0.05 });
    let said: unknown;
    host.register({
      PreToolUse: [
        {
          name: 'closer',
          hooks: [
            async () => {
              said = await host.close();
            },
          ],
        },
      ],
    });
    await expect(host.fire('PreToolUse', PRE)).rejects.toMatchObject(closed);
    await until(() => said !== undefined);
    expect(said).toEqual({ pending: ['closer'] });
  });
});

describe('what goes on in the background when a host closes', () => {
  test('a callback’s promise is given closeTimeout, then its signal fires; it is named and told as cancelled', async () => {
    const { host } = testHost({ closeTimeout: 0.05 });
    const seen = watch(host);
    let signal: AbortSignal | undefined;
    host.register({
      PostToolUse: [
        {
          name: 'late',
          hooks: [
            (_, __, context) => {
              signal = context.signal;
              return { async: true, result: never() };
            },
          ],
        },
      ],
    });
    await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(await host.close()).toEqual({ pending: ['late'] });
    expect(signal?.aborted).toBe(true);
    const responses = seen.filter((r) => r.type === 'system' && r.subtype === 'hook_response');
    expect(only(responses)).toMatchObject({ outcome: 'cancelled', failure: { cause: 'aborted' } });
  });

  test('one that ends in time is waited for', async () => {
    const { host } = testHost({ closeTimeout: 5 });
    host.register({
      PostToolUse: [{ hooks: [() => ({ async: true, result: sleep(30).then(() => ({ systemMessage: 'done' })) })] }],
    });
    await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(await host.close()).toEqual({ pending: [] });
    expect(host.pendingContext()).toEqual(['done']);
  });

  test.each<[string, (seconds: string) => ReturnType<typeof command>]>([
    ['a command that is async from the start', (s) => command(`sleep ${s}`, { async: true, name: 'it' })],
    ['a command that asked to go on', (s) => command(`echo '{"async":true}'; sleep ${s}`, { name: 'it' })],
    [
      'the second call of a command in two phases',
      (s) =>
        command(`if [ "$HOOKSCOPE_CALL" = async ]; then sleep ${s}; else echo '{"async":true}'; fi`, {
          async: 'two-phase',
          name: 'it',
        }),
    ],
    [
      'one that does not end when it is asked to',
      (s) => command(`${HOOKS}stubborn.sh ${s}`, { async: true, name: 'it' }),
    ],
  ])('%s is killed and named', async (_, made) => {
    const { host } = testHost({ ...here, closeTimeout: 0.1 });
    const seconds = uniqueSeconds();
    host.register({ PostToolUse: [{ hooks: [made(seconds)] }] });
    await host.fire('PostToolUse', INPUTS.PostToolUse);
    await until(() => processes(seconds).length > 0);
    expect((await host.close()).pending).toEqual(['it']);
    expect(processes(seconds)).toEqual([]);
  });

  test('a child that a command left behind is killed', async () => {
    const { host } = testHost(here);
    const seconds = uniqueSeconds();
    host.register({ PostToolUse: [{ hooks: [command(`${HOOKS}leave-child.sh ${seconds}`, { name: 'it' })] }] });
    await host.fire('PostToolUse', INPUTS.PostToolUse);
    expect(processes(seconds).length).toBeGreaterThan(0);
    expect((await host.close()).pending).toEqual(['it (left behind)']);
    expect(processes(seconds)).toEqual([]);
  });

  test('a command that does not end when it is asked to is killed, and its fire rejects', async () => {
    const { host } = testHost({ ...here, closeTimeout: 0.1 });
    const seconds = uniqueSeconds();
    host.register({ PreToolUse: [{ hooks: [command(`${HOOKS}stubborn.sh ${seconds}`)] }] });
    const rejected = expect(host.fire('PreToolUse', PRE)).rejects.toMatchObject(closed);
    await until(() => processes(seconds).length > 0);
    await host.close();
    await rejected;
    expect(processes(seconds)).toEqual([]);
  });
});

describe('plugins when a host closes', () => {
  const plugin = (name: string, cleanup: () => unknown) => ({ name, apply: () => cleanup });

  test('are cleaned up, after the fires; one that fails keeps nobody else from it', async () => {
    const { host, reports } = testHost({ closeTimeout: 0.02 });
    const log: string[] = [];
    const fire = deferred<undefined>();
    host.register({ PreToolUse: [{ hooks: [() => fire.promise] }] });
    await host.use(
      plugin('one', () => {
        throw new Error('broken');
      }),
    );
    await host.use(
      plugin('two', async () => {
        await turn();
        log.push('two');
      }),
    );
    const rejected = host.fire('PreToolUse', PRE).catch(() => log.push('fire'));
    await host.close();
    await rejected;
    expect(log).toEqual(['fire', 'two']);
    expect(only(reports.filter((r) => r.includes('one')))).toContain('broken');
  });

  test('are not waited for for ever', async () => {
    const { host, reports } = testHost({ closeTimeout: 0.05 });
    let other = 0;
    await host.use(plugin('stuck', never));
    await host.use(plugin('other', () => void other++));
    await host.close();
    expect(other).toBe(1);
    expect(reports.join()).toContain('stuck');
  });
});

test('a very long closeTimeout is long', async () => {
  const { host } = testHost({ closeTimeout: 1e10 });
  const gate = deferred<undefined>();
  host.register({ PreToolUse: [{ hooks: [() => gate.promise] }] });
  const fire = host.fire('PreToolUse', PRE);
  const closing = host.close();
  await sleep(50);
  gate.resolve(undefined);
  expect(await closing).toEqual({ pending: [] });
  expect((await fire).verdict).toBe('none');
});
