import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHost, definePlugin, deny, type Host, type PluginScope } from '../../src/index.js';
import { deferred, never, testHost, turn } from './kit.js';

type Log = string[];
const hook = { Stop: [{ hooks: [() => undefined] }] };
const stop = { stop_hook_active: false };

/** How a plugin says what is to be cleaned up; each writes one line. */
const KINDS: Readonly<Record<string, (log: Log, scope: PluginScope) => unknown>> = {
  'a function': (log) => () => void log.push('x'),
  'an async function': (log) => async () => {
    await turn();
    log.push('x');
  },
  'a promise of a function': async (log) => {
    await turn();
    return () => void log.push('x');
  },
  'a Disposable': (log) => ({ [Symbol.dispose]: () => void log.push('x') }),
  'an AsyncDisposable': (log) => ({
    [Symbol.asyncDispose]: async () => {
      await turn();
      log.push('x');
    },
    [Symbol.dispose]: () => void log.push('the wrong one'),
  }),
  'a class’s Disposable': (log) => {
    class Held {
      readonly #log = log;
      [Symbol.dispose](): void {
        this.#log.push('x');
      }
    }
    return new Held();
  },
  onClose: (log, scope) => void scope.onClose(() => void log.push('x')),
  'the signal': (log, { signal }) => signal.addEventListener('abort', () => log.push('x')),
  'the undo of a plugin of its own': (log, scope) =>
    scope.use({ name: 'inner', apply: () => () => void log.push('x') }),
};

type Use = (plugin: { name: string; apply(scope: PluginScope): unknown }) => Promise<() => Promise<void>>;
/** Where it is used, and what ends it. */
const ENDS: Readonly<Record<string, (host: Host, use: (door: { use: unknown }) => ReturnType<Use>) => Promise<void>>> =
  {
    'its undo': async (host, use) => await (await use(host))(),
    'its undo in a scope': async (host, use) => await (await use(host.scope('a')))(),
    'its scope': async (host, use) => {
      await use(host.scope('a'));
      expect(host.unregisterScoped('a')).toBe(true);
    },
    'the scope’s close': async (host, use) => {
      await use(host.scope({ session: 'other' }));
      host.scope({ session: 'other' }).close();
    },
    'the scope above': async (host, use) => {
      host.registerScoped('a', hook);
      host.registerScoped('b', hook, { parent: 'a' });
      await use(host.scope('b'));
      host.unregisterScoped('a');
    },
    'the agent’s stop': async (host, use) => {
      host.spawnHooks('t', hook);
      const agent = { agent_id: 'a', agent_type: 't' };
      await host.fire('SubagentStart', agent);
      await use(host.scope('a'));
      await host.fire('SubagentStop', { ...agent, ...stop });
    },
    'the session’s close': async (host, use) => {
      const session = await host.openSession({ session_id: 'mine' });
      await use(session);
      await session.close();
    },
    'an agent’s close': async (host, use) => {
      const session = await host.openSession({ session_id: 'mine' });
      const child = await session.spawn({ agent_type: 't' });
      await use(child);
      await child.close();
    },
    'an agent’s own stop': async (host, use) => {
      const child = await (await host.openSession()).spawn({ agent_type: 't' });
      await use(child);
      await child.stop();
    },
    'the close of its agent’s session': async (host, use) => {
      const session = await host.openSession();
      await use(await session.spawn({ agent_type: 't' }));
      await session.close();
    },
    'the host’s close': async (host, use) => {
      await use(host);
      await host.close();
    },
    'the host’s close, in a session': async (host, use) => {
      await use(await host.openSession());
      await host.close();
    },
  };

describe.each(Object.entries(KINDS))('%s is called once', (_, made) => {
  test.each(Object.entries(ENDS))('at %s, its hooks gone before', async (_, end) => {
    const { host, reports } = testHost();
    const log: Log = [];
    let inUse: PluginScope | undefined;
    let used = false;
    await end(host, async (door) => {
      const undo = await (door.use as Use)({
        name: 'p',
        apply(scope) {
          inUse = scope;
          scope.register(hook);
          scope.onClose(
            () => void log.push(scope.describe().hooks.some(({ plugin }) => plugin === 'p') ? 'late' : 'gone'),
          );
          return made(log, scope);
        },
      });
      expect(log).toEqual([]);
      used = true;
      return undo;
    });
    expect(used).toBe(true);
    for (let i = 0; i < 5; i++) await turn();
    expect([...log].sort()).toEqual(['gone', 'x']);
    expect(inUse?.signal.aborted).toBe(true);
    await host.close();
    expect(log).toHaveLength(2);
    expect(reports).toEqual([]);
  });
});

test('a session’s close waits for what is cleaned up, no longer than closeTimeout', async () => {
  const { host, reports } = testHost({ closeTimeout: 0.05 });
  const done = deferred();
  const order: string[] = [];
  const session = await host.openSession({ plugins: [{ name: 'slow', apply: () => () => done.promise }] });
  const other = await host.openSession({ plugins: [{ name: 'hangs', apply: () => never }] });
  const closing = session.close().then(() => order.push('closed'));
  setImmediate(() => {
    order.push('cleaned');
    done.resolve(undefined);
  });
  await closing;
  expect(order).toEqual(['cleaned', 'closed']);
  expect(reports).toEqual([]);
  await other.close();
  expect(reports).toEqual([expect.stringMatching(/hangs did not clean up within 0.05 s/)]);
});

const FAIL: Readonly<Record<string, (host: Host) => unknown>> = {
  throws: () => {
    throw new Error('no');
  },
  'throws a promise': () => {
    throw Promise.reject(new Error('no'));
  },
  rejects: () => Promise.reject(new Error('no')),
  hangs: never,
  'rejects later': async () => {
    await turn();
    throw new Error('no');
  },
  'hands back a broken promise': () =>
    Object.fromEntries([
      [
        'then',
        () => {
          throw new Error('no');
        },
      ],
    ]),
  'waits for the host to close': (host) => host.close(),
};

test.each(Object.entries(FAIL))('a cleanup that %s is told, and keeps no other from cleaning up', async (_, fail) => {
  for (const end of ['undo', 'scope', 'host'] as const) {
    const { host, reports } = testHost({ closeTimeout: 0.05 });
    let others = 0;
    const scope = host.scope('a');
    await scope.use({ name: 'before', apply: () => () => void others++ });
    const undo = await scope.use({
      name: 'bad',
      apply: (inner) => {
        inner.onClose(() => void others++);
        return () => fail(host);
      },
    });
    await scope.use({ name: 'behind', apply: () => () => void others++ });
    if (end === 'undo') await undo();
    if (end === 'scope') scope.close();
    await host.close();
    expect(others).toBe(3);
    expect(reports).toEqual([expect.stringMatching(/^Plugin bad (failed while it was cleaned up|did not clean up)/)]);
  }
});

test('undone twice, and from within its own end, it cleans up once', async () => {
  const { host } = testHost();
  let times = 0;
  let undo: () => Promise<void> = async () => undefined;
  undo = await host.use({
    name: 'p',
    apply(scope) {
      scope.signal.addEventListener('abort', () => void undo());
      scope.onClose(() => void undo());
      return () => {
        times++;
        void undo();
        host.unregisterScoped('a');
      };
    },
  });
  await Promise.all([undo(), undo()]);
  await undo();
  expect(times).toBe(1);
  await host.close();
  expect(times).toBe(1);
});

describe('a plugin whose scope ends', () => {
  test('while it is applied is not applied, and cleans up', async () => {
    const { host, reports } = testHost();
    const log: Log = [];
    const applied = host.scope('a').use({
      name: 'p',
      async apply(scope: PluginScope) {
        scope.register(hook);
        host.unregisterScoped('a');
        await turn();
        expect(scope.signal.aborted).toBe(true);
        scope.onClose(() => void log.push('late'));
        expect(() => scope.register(hook)).toThrow(expect.objectContaining({ code: 'PLUGIN_ENDED' }));
        return () => void log.push('returned');
      },
    } as never);
    await expect(applied).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringContaining('ended') });
    expect(log).toEqual(['late', 'returned']);
    expect(host.unregisterScoped('a')).toBe(false);
    expect(reports).toEqual([]);
  });

  test('can do nothing in the scope of the next one of that name', async () => {
    const { host } = testHost();
    const kept: PluginScope[] = [];
    await host.scope('a').use({ name: 'p', apply: (scope) => void kept.push(scope) });
    host.unregisterScoped('a');
    host.registerScoped('a', {});
    const [scope] = kept as [PluginScope];
    const late: Readonly<Record<string, () => unknown>> = {
      register: () => scope.register(hook),
      on: () => scope.on('Stop', () => undefined),
      spawnHooks: () => scope.spawnHooks('t', hook),
      use: () => scope.use({ name: 'q', apply: () => undefined }),
    };
    for (const [call, step] of Object.entries(late)) {
      const error = await Promise.resolve()
        .then(step)
        .catch((e: unknown) => e);
      expect(error).toMatchObject({ code: 'PLUGIN_ENDED', details: { plugin: 'p', scope: 'a', call } });
    }
    expect(host.describe().children[0]?.children[0]?.children[0]).toMatchObject({ scope: 'a', hooks: [] });
  });

  test('has its hooks run in the fire that is under way', async () => {
    const { host } = testHost();
    const going = deferred();
    const inside = deferred();
    await host.scope('a').use({
      name: 'p',
      apply: (scope) =>
        void scope.register({
          PreToolUse: [
            {
              hooks: [
                async () => {
                  inside.resolve(undefined);
                  await going.promise;
                },
                () => deny('still here'),
              ],
            },
          ],
        }),
    });
    const call = { tool_name: 'Bash', tool_input: {} };
    const fired = host.fire('PreToolUse', call, { scope: 'a' });
    await inside.promise;
    host.unregisterScoped('a');
    going.resolve(undefined);
    expect((await fired).verdict).toBe('deny');
    expect((await host.fire('PreToolUse', call, { scope: 'a' })).verdict).toBe('none');
    expect(await host.close()).toEqual({ pending: [] });
  });
});

test.each(['fails', 'is undone'])(
  'a plugin that %s takes along one that it uses and that is still being applied',
  async (how) => {
    const { host } = testHost();
    const log: Log = [];
    let used: Promise<unknown> | undefined;
    const undo = await host
      .use({
        name: 'outer',
        apply(scope) {
          used = scope
            .use({
              name: 'inner',
              async apply(inner) {
                inner.on('Stop', () => void log.push('asked'));
                inner.onClose(() => void log.push('cleaned up'));
                await turn();
              },
            })
            .catch((error: unknown) => error);
          if (how === 'fails') throw new Error('no');
        },
      })
      .catch(() => undefined);
    await undo?.();
    await host.fire('Stop', stop);
    expect(log).toEqual(['cleaned up']);
    expect(await used).toMatchObject({ code: 'PLUGIN_FAILED', details: { plugin: 'inner' } });
    await host.close();
    expect(log).toEqual(['cleaned up']);
  },
);

test('a plugin that fails while it is applied cleans up what it has begun, and leaves no scope', async () => {
  const { host } = testHost();
  const log: Log = [];
  const broken = {
    name: 'p',
    apply(scope: PluginScope) {
      scope.spawnHooks('t', hook);
      scope.register(hook);
      scope.onClose(() => void log.push('cleaned'));
      throw new Error('no');
    },
  };
  const before = JSON.stringify(host.describe());
  for (const id of ['a', { session: 'x' }]) {
    await expect(host.scope(id).use(broken as never)).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
  }
  expect(log).toEqual(['cleaned', 'cleaned']);
  expect(JSON.stringify(host.describe())).toBe(before);
});

test('a plugin of one session has no say over another’s agents, and none over its own once it has ended', async () => {
  const { host } = testHost();
  const plugin = {
    name: 'p',
    apply: (scope: PluginScope) => void scope.spawnHooks('worker', { PreToolUse: [{ hooks: [() => deny('by p')] }] }),
  };
  const [one, two] = [await host.openSession({ session_id: '1' }), await host.openSession({ session_id: '2' })];
  const undo = await one.use(plugin as never);
  const child = await one.spawn({ agent_type: 'worker' });
  const ask = async (session: string, agent_id: string) =>
    (
      await host.fire('PreToolUse', {
        session_id: session,
        agent_id,
        agent_type: 'worker',
        tool_name: 'X',
        tool_input: {},
      })
    ).verdict;
  const other = await two.spawn({ agent_type: 'worker' });
  expect([await ask('1', child.id), await ask('2', other.id)]).toEqual(['deny', 'none']);
  // Below one agent alone: not beside it.
  const narrow = await child.use({ ...plugin, name: 'q' } as never);
  const inner = await child.spawn({ agent_type: 'worker', id: 'inner' });
  await undo();
  expect([await ask('1', child.id), await ask('1', inner.id)]).toEqual(['none', 'deny']);
  const beside = await one.spawn({ agent_type: 'worker', id: 'beside' });
  expect(await ask('1', beside.id)).toBe('none');
  await narrow();
  expect(await ask('1', inner.id)).toBe('none');
});

test('on a closed host no plugin is used', async () => {
  const host = createHost();
  await host.close();
  const log: Log = [];
  const use = host.use({ name: 'p', apply: () => void log.push('applied') });
  await expect(use).rejects.toMatchObject({ code: 'CLOSED' });
  expect(log).toEqual([]);
});

test.each([undefined, null, 7, 'x', {}, []])('onClose takes no %j', async (fn) => {
  const use = createHost().use({ name: 'p', apply: (scope) => void scope.onClose(fn as never) });
  await expect(use).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringContaining('a function') });
});

test('what onClose was given can be taken out again', async () => {
  const host = createHost();
  const log: Log = [];
  await host.use({
    name: 'p',
    apply(scope) {
      const forget = scope.onClose(() => void log.push('no'));
      scope.onClose(() => void log.push('first'));
      scope.onClose(() => void log.push('last'));
      forget();
    },
  });
  await host.close();
  expect(log).toEqual(['last', 'first']);
});

test('options reach the plugin as its schema reads them', async () => {
  const seen: unknown[] = [];
  const plugin = definePlugin({
    name: 'p',
    options: z.object({ max: z.number().default(3) }),
    apply: (_, options) => void seen.push(options),
  });
  const host = createHost({ logger: () => undefined });
  await host.use(plugin);
  await host.use(plugin, { max: 4 });
  expect(seen).toEqual([{ max: 3 }, { max: 4 }]);
});

test('a misspelt option of a plugin is refused, and not dropped with its default in force', async () => {
  const host = createHost({ logger: () => undefined });
  const options = { enforce: z.boolean().default(true) };
  const used = (schema: z.ZodType, given: unknown) =>
    host.use(definePlugin({ name: 'p', options: schema, apply: () => undefined }), given as never);
  await expect(used(z.object(options), { enforc: false })).rejects.toMatchObject({
    code: 'INVALID_PLUGIN',
    message: 'Plugin "p": options: enforc: is not a known option; there are enforce. Did you mean "enforce"?',
  });
  await expect(used(z.object({}), { enforce: false })).rejects.toThrow(
    /enforce: is not a known option; there are none/,
  );
  await expect(used(z.strictObject(options), { enforc: false })).rejects.toThrow(/enforc/);
  await used(z.looseObject(options), { enforc: false });
  await used(z.object(options).catchall(z.boolean()), { enforc: false });
  await used(z.record(z.string(), z.boolean()), { enforc: false });
  await host.close();
});
