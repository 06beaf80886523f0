import { expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import type { Plugin } from '../../src/host/plugin-types.js';
import { deferred, never, testHost } from './kit.js';

/** A plugin whose `apply` does not come back. */
const hangs: Plugin = { name: 'hangs', apply: () => never() };

type Use = (host: Host) => Promise<{ readonly used: Promise<unknown>; end(): unknown }>;

/** Where a plugin is used, and what ends that. */
const USES: Record<string, Use> = {
  'a host, host.close': async (host) => ({ used: host.use(hangs), end: () => host.close() }),
  'a scope, unregisterScoped': async (host) => ({
    used: host.scope('A').use(hangs),
    end: () => host.unregisterScoped('A'),
  }),
  'a scope, close of its parent': async (host) => {
    host.registerScoped('A', {});
    host.registerScoped('B', {}, { parent: 'A' });
    return { used: host.scope('B').use(hangs), end: () => host.unregisterScoped('A') };
  },
  'a session, session.close': async (host) => {
    const session = await host.openSession();
    return { used: session.use(hangs), end: () => session.close() };
  },
  'a session, host.close': async (host) => {
    const session = await host.openSession();
    return { used: session.use(hangs), end: () => host.close() };
  },
  'an agent, agent.stop': async (host) => {
    const agent = await (await host.openSession()).spawn({ agent_type: 't' });
    return { used: agent.use(hangs), end: () => agent.stop() };
  },
  'an agent, session.close': async (host) => {
    const session = await host.openSession();
    const agent = await session.spawn({ agent_type: 't' });
    return { used: agent.use(hangs), end: () => session.close() };
  },
  'another plugin, its undo': async (host) => {
    const used = deferred<Promise<unknown>>();
    const undo = await host.use({ name: 'outer', apply: (scope) => used.resolve(scope.use(hangs)) });
    // Wrapped, since a promise of a promise is waited for.
    return { used: used.promise, end: undo };
  },
};

test.each(Object.keys(USES))(
  'use() settles closeTimeout after the end, if apply does not come back: %s',
  async (way) => {
    const { host } = testHost({ closeTimeout: 0.05 });
    const { used, end } = await (USES[way] as Use)(host);
    const failure = used.then(
      () => undefined,
      (error: unknown) => error,
    );
    await Promise.all([
      end(),
      expect(failure).resolves.toMatchObject({
        code: 'PLUGIN_FAILED',
        message: expect.stringMatching(
          /"hangs".*apply did not come back within 0\.05 s after what it was for had ended/,
        ),
      }),
    ]);
    await host.close();
  },
);

test('use() waits for as long as its scope lives, and what comes back late is cleaned up', async () => {
  const { host } = testHost({ closeTimeout: 0.01 });
  const late = deferred<() => void>();
  const cleaned = deferred<void>();
  let state = 'waits';
  const used = host.scope('A').use({ name: 'late', apply: () => late.promise });
  used.catch(() => {
    state = 'failed';
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(state).toBe('waits');
  host.unregisterScoped('A');
  await expect(used).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
  late.resolve(() => cleaned.resolve());
  await cleaned.promise;
  await host.close();
});
