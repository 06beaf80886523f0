import { execFile } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { allow, rewrite } from '../../src/events/output/helpers.js';
import { INPUTS } from './inputs.js';
import { anyHooks, sleep, testHost, until, watch } from './kit.js';

const PRE = {
  ...INPUTS.PreToolUse,
  session_id: 's',
  transcript_path: '/t',
  cwd: '/w',
  hook_event_name: 'PreToolUse' as const,
};

/** An object that counts whatever is done to it. */
function counting<T extends object>(target: T): { proxy: T; done: string[] } {
  const done: string[] = [];
  const count = (trap: string) => ({
    [trap]: (...args: unknown[]) => {
      done.push(trap);
      return (Reflect as unknown as Record<string, (...args: unknown[]) => unknown>)[trap]?.(...args);
    },
  });
  const traps = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'isExtensible'].map(count);
  return { proxy: new Proxy(target, Object.assign({}, ...traps) as ProxyHandler<T>), done };
}

describe('with nothing registered', () => {
  test.each(HOOK_EVENTS.filter((event) => event !== 'SubagentStop'))(
    'the input of %s is not even looked at',
    async (event) => {
      const { host } = testHost();
      const { proxy, done } = counting({ agent_id: 'a', session_id: 's' });
      await host.fire(event as HookEvent, proxy as never);
      await host.fire(event as HookEvent, proxy as never, {});
      expect(done).toEqual([]);
    },
  );

  test('it is looked at again once there is a hook, a raw tap, a watcher, or hooks for agents of a type', async () => {
    const looked = async (host: ReturnType<typeof testHost>['host']): Promise<boolean> => {
      const { proxy, done } = counting({ ...PRE });
      await host.fire('PreToolUse', proxy);
      return done.length > 0;
    };
    const { host } = testHost();
    expect(await looked(host)).toBe(false);
    const undo = host.register({ PreToolUse: [{ hooks: [() => undefined] }] });
    expect(await looked(host)).toBe(true);
    undo();
    expect(await looked(host)).toBe(false);
    const subscription = host.events$.subscribe(() => undefined);
    expect(await looked(host)).toBe(true);
    subscription.unsubscribe();
    expect(await looked(host)).toBe(false);
    const undoSpawn = host.spawnHooks('builder', { PreToolUse: [{ hooks: [() => undefined] }] });
    expect(await looked(host)).toBe(true);
    undoSpawn();
    expect(await looked(host)).toBe(false);
    host.hooks.PreToolUse.tap('raw', () => undefined);
    expect(await looked(host)).toBe(true);
  });

  test('a name that is not an event is refused all the same', async () => {
    const { host } = testHost();
    for (const name of ['toString', '__proto__', 'constructor', '', ['PreToolUse'], { toString: () => 'PreToolUse' }]) {
      await expect(host.fire(name as never, PRE as never), String(name)).rejects.toMatchObject({
        code: 'UNKNOWN_EVENT',
      });
    }
  });
});

describe('with nobody subscribed', () => {
  const { now } = performance;
  const { Date: RealDate } = globalThis;
  afterEach(() => {
    performance.now = now;
    globalThis.Date = RealDate;
  });

  /** How often a clock was read meanwhile. */
  async function clockReads(work: () => Promise<unknown>): Promise<number> {
    let reads = 0;
    performance.now = () => {
      reads++;
      return now.call(performance);
    };
    globalThis.Date = new Proxy(RealDate, {
      construct(target, args) {
        reads++;
        return new target(...(args as []));
      },
    });
    await work();
    performance.now = now;
    globalThis.Date = RealDate;
    return reads;
  }

  const ways = {
    silent: [() => undefined, async () => undefined],
    allowing: [() => allow('fine'), async () => allow('fine')],
    rewriting: [async () => rewrite({ command: 'ls -l' }), async () => undefined],
    throwing: [() => Promise.reject(new Error('no')), async () => undefined],
  };

  test.each(Object.entries(ways))('no record is built and no clock is read for %s handlers', async (_, hooks) => {
    const { host, reports } = testHost();
    host.register(anyHooks({ PreToolUse: [{ hooks }, { mode: 'parallel', hooks }] }));
    // But for the lines of the logger, of which there are only so many a minute.
    expect(await clockReads(() => host.fire('PreToolUse', PRE))).toBe(reports.length);
    expect(reports).toHaveLength(hooks === ways.throwing ? 2 : 0);
    expect(host.recordsBuilt).toBe(0);
  });

  test('the same fires are recorded, and timed, for a watcher', async () => {
    const { host } = testHost();
    host.register(anyHooks({ PreToolUse: [{ hooks: ways.allowing }] }));
    const seen = watch(host);
    expect(await clockReads(() => host.fire('PreToolUse', PRE))).toBeGreaterThan(0);
    expect(host.recordsBuilt).toBe(seen.length);
    expect(seen).toHaveLength(5);
  });
});

describe('a large tool_response', () => {
  test.each([
    ['complete', PRE],
    ['with its base fields filled in', { tool_name: 'Bash', tool_input: {}, tool_use_id: 't' }],
  ])('is not walked, in an input %s', async (_, base) => {
    const { host } = testHost();
    const hooks = [() => undefined, async () => undefined, () => allow('fine')];
    host.register(anyHooks({ PostToolUse: [{ matcher: 'Bash', hooks }] }));
    const { proxy, done } = counting({ files: Array.from({ length: 10_000 }, (_, i) => ({ path: `f${i}` })) });
    const decision = await host.fire('PostToolUse', {
      ...base,
      hook_event_name: 'PostToolUse',
      tool_response: proxy,
    } as never);
    expect(decision.outcomes).toHaveLength(3);
    expect(done).toEqual([]);
  });

  test('is walked by who reads it, as far as it is read', async () => {
    const { host } = testHost();
    const { proxy, done } = counting({ stdout: 'x', files: [] as string[] });
    const read: unknown[] = [];
    const look = (input: { tool_response?: unknown }): void =>
      void read.push((input.tool_response as { stdout: string }).stdout);
    host.register({ PostToolUse: [{ hooks: [look] }] });
    await host.fire('PostToolUse', { ...PRE, hook_event_name: 'PostToolUse', tool_response: proxy });
    expect(read).toEqual(['x']);
    expect(done).toEqual(['get']);
  });
});

describe('a host', () => {
  const run = promisify(execFile);
  const program = fileURLToPath(new URL('../fixtures/programs/heap.mjs', import.meta.url));
  const kept = async (what: string, count: number): Promise<{ each: number; scopes: number }> => {
    const { stdout } = await run(process.execPath, ['--expose-gc', program, what, `${count}`]);
    return JSON.parse(stdout) as { each: number; scopes: number };
  };

  test('keeps less than 1 KB of a registration', async () => {
    expect((await kept('registrations', 100_000)).each).toBeLessThan(1024);
  });

  test('keeps nothing of 100,000 scopes that were opened, fired in and ended, and ends when nothing is under way', async () => {
    const { each, scopes } = await kept('scopes', 100_000);
    expect(scopes).toBe(1);
    expect(each).toBeLessThan(32);
  });

  test('has no timer once its fires have settled, whether they waited, failed or timed out', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    // Until those of the tests before are gone.
    await sleep(200);
    const before = timers();
    const { host } = testHost();
    const hooks = [
      async () => undefined,
      () => Promise.reject(new Error('no')),
      () => new Promise<undefined>(() => undefined),
    ];
    host.register({ PreToolUse: [{ timeout: 0.05, hooks }] });
    await Promise.all(Array.from({ length: 50 }, () => host.fire('PreToolUse', PRE)));
    await until(() => timers() <= before);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
