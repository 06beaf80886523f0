import { expect, test } from 'vitest';
import { anyHooks, never, turn } from '../host/kit.js';
import { opened } from './kit.js';

const read = { name: 'Read', input: {}, execute: () => 'text' };

test.each<[string, object, (session: Awaited<ReturnType<typeof opened>>['session']) => Promise<unknown>]>([
  ['a tool', {}, (session) => session.tool({ ...read, execute: never })],
  ['an approver', { permission: () => never() }, (session) => session.tool(read)],
  ['a classifier', { permission_mode: 'auto', classify: () => never() }, (session) => session.tool(read)],
  ['a person who is asked', { permission: undefined, ask: () => never() }, (session) => session.tool(read)],
  ['a form', {}, (session) => session.elicit({ mcp_server_name: 'm', message: 'q', ask: () => never() })],
  ['a compaction', {}, (session) => session.compact({ trigger: 'manual', run: () => never() } as never)],
])('%s that never ends keeps neither its session nor the host from closing', async (_, options, begin) => {
  const { host, session } = await opened(options, { closeTimeout: 0 });
  const begun = begin(session).then(
    () => 'answered',
    () => 'rejected',
  );
  await turn();
  await session.close();
  expect(await begun).toMatch(/answered|rejected/);
  await host.close();
});

test('nor does a hook, a message that is never taken, or a wake that never ends', async () => {
  const { host, session } = await opened(
    { onMessage: (() => never()) as never },
    { closeTimeout: 0, onWake: (() => never()) as never },
  );
  host.register(anyHooks({ PreToolUse: [{ timeout: 1000, hooks: [never as never] }] }));
  const begun = session.tool(read).catch(() => 'rejected');
  await turn();
  await host.close();
  await begun;
});

test('what a proxy throws that was thrown itself is heard: a promise in it ends no process', async () => {
  const unheard: unknown[] = [];
  const note = (error: unknown): void => void unheard.push(error);
  process.on('unhandledRejection', note);
  const thrown = new Proxy(
    {},
    {
      getPrototypeOf() {
        throw Object.assign(new Error('x'), { inside: Promise.reject(new Error('inside')) });
      },
    },
  );
  const { session } = await opened({
    permission() {
      throw thrown;
    },
  });
  expect(await session.tool(read)).toMatchObject({ status: 'denied' });
  await turn();
  process.off('unhandledRejection', note);
  expect(unheard).toEqual([]);
});
