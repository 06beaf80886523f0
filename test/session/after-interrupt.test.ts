import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Host } from '../../src/create-host.js';
import { http } from '../../src/handlers/http/spec.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import type { Session } from '../../src/session/types.js';
import { anyHooks, deferred, never, testHost, turn } from '../host/kit.js';
import { on, opened } from './kit.js';

const SECRET = 'what hooks hide';
const deny = { behavior: 'deny', interrupt: true } as const;

interface Ends {
  readonly host: Host;
  readonly session: Session;
  readonly agent: Session;
  readonly aborts: AbortController;
}

/** What can end the turn while the hooks of a call that has run are asked. */
const ends: Readonly<Record<string, (of: Ends) => unknown>> = {
  'session.interrupt()': ({ session }) => session.interrupt(),
  'session.close()': ({ session }) => session.close(),
  "the session's signal": ({ aborts }) => aborts.abort(),
  'a denial with interrupt by the user': ({ session }) =>
    session.tool({ name: 'Denied', input: {}, needsApproval: true, ask: () => deny, execute: () => 1 }),
  'a denial with interrupt by a hook': ({ host, session }) => {
    on(host, 'PermissionRequest', () => ({ hookSpecificOutput: { decision: deny } }));
    return session.tool({ name: 'Denied', input: {}, needsApproval: true, execute: () => 1 });
  },
};

const tools: Readonly<Record<string, Pick<ToolCall, 'execute'>>> = {
  'has returned': { execute: () => SECRET },
  'has thrown': {
    execute: () => {
      throw new Error(SECRET);
    },
  },
};

/** How a hook hides what the tool gave, by the event that it is asked about. */
const hiding: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'has returned': {
    'a rewrite': { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'hidden' } },
    suppressOutput: { suppressOutput: true },
  },
  'has thrown': {
    'a rewrite': { hookSpecificOutput: { hookEventName: 'PostToolUseFailure', updatedError: 'hidden' } },
  },
};

const EVENTS: Readonly<Record<string, string>> = { 'has returned': 'PostToolUse', 'has thrown': 'PostToolUseFailure' };
const WITHHELD: Readonly<Record<string, string>> = {
  'has returned': 'What T gave was withheld: its PostToolUse hooks were cut short.',
  'has thrown': 'What T gave was withheld: its PostToolUseFailure hooks were cut short.',
};

const cases = Object.keys(ends).flatMap((end) =>
  Object.entries(hiding).flatMap(([tool, answers]) =>
    Object.keys(answers).flatMap((answer) =>
      ['the session', 'an agent'].flatMap((who) =>
        ['callback', 'parallel', 'http'].map((kind) => ({ end, tool, answer, who, kind })),
      ),
    ),
  ),
);

/** Answers the hooks that ask by HTTP. */
const replies: { url: string; answer: () => Promise<unknown> } = { url: '', answer: never };
const server = createServer(async (_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(await replies.answer()));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  replies.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each(cases)('$end does not cut the hook ($kind, $answer) of a call by $who that $tool', async (one) => {
  const aborts = new AbortController();
  const { host, session } = await opened({ signal: aborts.signal });
  const agent = await session.spawn({ agent_type: 'w' });
  const asked = deferred<void>();
  const answer = hiding[one.tool]?.[one.answer];
  const slow = async (): Promise<unknown> => {
    asked.resolve();
    await sleep(20);
    return answer;
  };
  replies.answer = slow;
  const hooks = {
    callback: [{ hooks: [slow] }],
    parallel: [{ mode: 'parallel', hooks: [slow, () => undefined] }],
    http: [{ hooks: [http(replies.url)] }],
  }[one.kind];
  host.register(anyHooks({ [EVENTS[one.tool] as string]: hooks }));
  const by = one.who === 'an agent' ? agent : session;
  const call = { name: 'T', input: {}, ...tools[one.tool] };
  const result = by.tool(call);
  await asked.promise;
  const over = ends[one.end]?.({ host, session, agent, aborts });
  const ended = await result;
  expect({ content: JSON.stringify(ended.content), failures: ended.after?.failures }).toMatchObject({
    failures: [],
    content: expect.stringContaining('hidden'),
  });
  expect(JSON.stringify({ ...ended, decision: 0, after: 0 })).not.toContain(SECRET);
  expect([ended.status, ended.endsLoop]).toEqual([one.tool === 'has thrown' ? 'failed' : 'ran', true]);
  await over;
  await host.close();
});

describe('hooks of a call that has run', () => {
  const hangs = (name: string, timeout: number, more = {}) =>
    anyHooks({
      PostToolUse: [{ name, timeout, hooks: [never], ...more }],
      PostToolUseFailure: [{ name, timeout, hooks: [never], ...more }],
    });

  /** Runs a call whose hooks are asked when this resolves; `result` is its result. */
  async function begun(by: Session, tool: string) {
    const result = by.tool({ name: 'T', id: 't1', input: {}, ...tools[tool] });
    await turn();
    await turn();
    return { result };
  }

  const both = Object.keys(tools);

  test.each(both)('that %s are waited for by an interruption until their own timeout', async (tool) => {
    const { host, session } = await opened();
    host.register(hangs('slow', 0.05));
    const { result } = await begun(session, tool);
    await session.interrupt();
    expect((await result).after?.failures).toMatchObject([{ name: 'slow', cause: 'timeout' }]);
  });

  test('that wait for the interruption of their own session wait for themselves, until their timeout', async () => {
    for (const end of ['interrupt', 'close'] as const) {
      const { host, session } = await opened();
      host.register(anyHooks({ PostToolUse: [{ name: 'self', timeout: 0.05, hooks: [() => session[end]()] }] }));
      const { result } = await begun(session, 'has returned');
      expect((await result).after?.failures).toMatchObject([{ name: 'self', cause: 'timeout' }]);
    }
  });

  test.each(both)(
    'that %s, and never end, hold up a close for its endTimeout; what they may hide is withheld',
    async (tool) => {
      const { host, session } = await opened({ endTimeout: 0.1 });
      host.register(hangs('hang', 0));
      const agent = await session.spawn({ agent_type: 'w' });
      const [own, below] = [await begun(session, tool), await begun(agent, tool)];
      const { cancelled } = await session.close();
      expect(cancelled).toContain('hang');
      for (const { result } of [own, below]) {
        const ended = await result;
        expect(ended).toMatchObject({ endsLoop: true, content: WITHHELD[tool] });
        expect(JSON.stringify(ended)).not.toContain(SECRET);
      }
    },
  );

  test.each(both)('that %s, and never end, hold up the end of an agent for a minute', async (tool) => {
    for (const end of ['close', 'stop'] as const) {
      const { host, session } = await opened();
      host.register(hangs('hang', 0));
      const agent = await session.spawn({ agent_type: 'w' });
      const { result } = await begun(agent, tool);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const ending = agent[end]();
        await vi.advanceTimersByTimeAsync(61_000);
        await ending;
      } finally {
        vi.useRealTimers();
      }
      expect((await result).content).toBe(WITHHELD[tool]);
    }
  });

  test.each(both)(
    'that %s are cut when the host closes: what they may hide is withheld, but not from hooks that only observe',
    async (tool) => {
      for (const { more, withheld } of [
        { more: {}, withheld: true },
        { more: { phase: 'observe' }, withheld: false },
        { more: { matcher: 'Other' }, withheld: false },
      ]) {
        const { host } = testHost({ closeTimeout: 0.05 });
        const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
        host.register(hangs('hang', 0, more));
        const { result } = await begun(session, tool);
        await host.close();
        const ended = await result;
        expect(JSON.stringify(ended).includes(SECRET)).toBe(!withheld);
      }
    },
  );
});

test.each(Object.keys(tools))(
  'that %s and were removed before a close cuts them: what they may hide is withheld',
  async (tool) => {
    for (const end of ['session', 'host']) {
      const { host } = testHost({ closeTimeout: 0.05 });
      const session = await host.openSession({ permission: () => ({ behavior: 'allow' }), endTimeout: 0.05 });
      const asked = deferred<void>();
      const hang = () => {
        asked.resolve();
        return never();
      };
      const undo = host.register({ [EVENTS[tool] as string]: [{ hooks: [hang] }] } as never);
      const result = session.tool({ name: 'T', input: {}, ...(tools[tool] as (typeof tools)[string]) });
      await asked.promise;
      undo();
      await (end === 'session' ? session.close() : host.close());
      expect((await result).content).toBe(WITHHELD[tool]);
    }
  },
);

test('a call that ends after the next turn has begun does not end that turn', async () => {
  const { host, session } = await opened();
  const [asked, answer] = [deferred<void>(), deferred<unknown>()];
  on(host, 'PostToolUse', () => {
    asked.resolve();
    return answer.promise;
  });
  const result = session.tool({ name: 'T', input: {}, execute: () => 'out' });
  await asked.promise;
  const interrupted = session.interrupt();
  await session.prompt('Another');
  answer.resolve({ continue: false });
  await interrupted;
  expect(await result).toMatchObject({ status: 'ran', endsLoop: true });
  expect((await session.stop()).decision).toBeDefined();
});
