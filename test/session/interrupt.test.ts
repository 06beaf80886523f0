import { describe, expect, test } from 'vitest';
import type { ToolCall } from '../../src/session/tool/call.js';
import { deferred, never, turn, until } from '../host/kit.js';
import { byScope, names, on, opened } from './kit.js';

interface Ends {
  readonly host: { close(): unknown };
  readonly aborts: AbortController;
}

/** A tool that never ends by itself, and says when it has begun and when it was told to end. */
function hanging(name = 'T') {
  const begun = deferred<void>();
  let aborted = false;
  const call: ToolCall = {
    name,
    input: {},
    concurrent: true,
    execute: (_input, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      begun.resolve();
      return never();
    },
  };
  return { call, begun: begun.promise, aborted: () => aborted };
}

describe('interrupt', () => {
  test('ends a running tool with a PostToolUseFailure that says so, and no Stop', async () => {
    const { session, seen } = await opened();
    const tool = hanging();
    await session.prompt('go');
    const batch = session.toolBatch([tool.call, { name: 'Later', input: {}, execute: () => 1 }]);
    await tool.begun;
    await session.interrupt();
    const { results, endsLoop, decision } = await batch;
    expect(results.map((r) => [r.status, r.isError, r.endsLoop])).toEqual([
      ['interrupted', true, true],
      ['interrupted', true, true],
    ]);
    expect([endsLoop, decision, tool.aborted()]).toEqual([true, undefined, true]);
    expect(await session.stop()).toEqual({ continues: false, continuations: 0, capped: false });
    expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUseFailure']);
    expect(seen.at(-1)?.input).toMatchObject({ is_interrupt: true, error: 'The tool call was interrupted.' });
  });

  test('waits until what ran has ended, and its hooks have been heard', async () => {
    const { host, session } = await opened();
    let heard = false;
    on(host, 'PostToolUseFailure', async () => {
      await turn();
      heard = true;
    });
    const tool = hanging();
    void session.tool(tool.call);
    await tool.begun;
    await session.interrupt();
    expect(heard).toBe(true);
  });

  test('while a hook judges: the call does not run, the hook is told to end', async () => {
    const { host, session, seen } = await opened();
    const asked = deferred<AbortSignal>();
    on(host, 'PreToolUse', (_i: unknown, _id: unknown, { signal }: { signal: AbortSignal }) => {
      asked.resolve(signal);
      return never();
    });
    let ran = 0;
    const result = session.tool({ name: 'T', input: {}, execute: () => ++ran });
    const signal = await asked.promise;
    await session.interrupt();
    expect(await result).toMatchObject({ status: 'interrupted', isError: true });
    expect([ran, signal.aborted]).toEqual([0, true]);
    expect(names(seen)).toEqual(['SessionStart', 'PreToolUse']);
  });

  test.each(['permission', 'ask', 'classify'] as const)('while %s() is asked: the call does not run', async (which) => {
    const asked = deferred<void>();
    const hang = () => {
      asked.resolve();
      return never();
    };
    const { session } = await opened({
      permission: undefined,
      permission_mode: which === 'classify' ? 'auto' : 'default',
      [which]: hang,
    });
    let ran = 0;
    const result = session.tool({ name: 'T', input: {}, execute: () => ++ran });
    await asked.promise;
    await session.interrupt();
    expect((await result).status).toBe('interrupted');
    expect(ran).toBe(0);
  });

  test('of a person who gives up in their own words is no failure', async () => {
    const { session, reports } = await opened({
      permission: undefined,
      ask: (_input, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('dialog closed')))),
    });
    const result = session.tool({ name: 'T', input: {}, execute: () => 1 });
    await turn();
    await session.interrupt();
    expect((await result).status).toBe('interrupted');
    expect(reports).toEqual([]);
  });

  test('after the tool has run: its hooks are heard, and the loop is over', async () => {
    const { host, session } = await opened();
    const [asked, answer] = [deferred<void>(), deferred<undefined>()];
    on(host, 'PostToolUse', () => {
      asked.resolve();
      return answer.promise;
    });
    const result = session.tool({ name: 'T', input: {}, execute: () => 'out' });
    await asked.promise;
    const interrupted = session.interrupt();
    answer.resolve(undefined);
    await interrupted;
    expect(await result).toMatchObject({ status: 'ran', content: 'out', endsLoop: true });
  });

  test("ends the agents of the session too, each with its own events; one agent's interruption is its own", async () => {
    const { session, seen } = await opened();
    const [one, two, main] = [hanging(), hanging(), hanging('Agent')];
    const a = await session.spawn({ agent_type: 'w', id: 'a' });
    const b = await session.spawn({ agent_type: 'w', id: 'b' });
    const results = [session.tool(main.call), a.tool(one.call), b.tool(two.call)];
    await Promise.all([main.begun, one.begun, two.begun]);
    await a.interrupt();
    expect([main.aborted(), one.aborted(), two.aborted()]).toEqual([false, true, false]);
    await session.interrupt();
    expect((await Promise.all(results)).map((r) => r.status)).toEqual(['interrupted', 'interrupted', 'interrupted']);
    await Promise.all([a.stop(), b.stop()]);
    expect([a.closed, b.closed]).toEqual([true, true]);
    expect(byScope(seen)['a']).toEqual(['SubagentStart', 'PreToolUse:T', 'PostToolUseFailure:T']);
    expect(byScope(seen)['b']).toEqual(['SubagentStart', 'PreToolUse:T', 'PostToolUseFailure:T']);
  });

  test('is over with the next prompt; until then nothing runs', async () => {
    const { session, seen } = await opened();
    await session.interrupt();
    const call = { name: 'T', input: {}, execute: () => 1 };
    expect((await session.tool(call)).status).toBe('interrupted');
    expect(names(seen)).toEqual(['SessionStart']);
    await session.prompt('again');
    expect((await session.tool(call)).status).toBe('ran');
    expect((await session.stop()).decision).toBeDefined();
  });

  test('of a prompt, a stop or a compaction that hooks look at: nobody let it through', async () => {
    const { host, session } = await opened();
    const asked = [deferred<void>(), deferred<void>(), deferred<void>()];
    const hang = (i: number) => () => {
      asked[i]?.resolve();
      return never();
    };
    on(host, 'UserPromptSubmit', hang(0));
    on(host, 'Stop', hang(1));
    on(host, 'PreCompact', hang(2));
    let compacted = 0;
    const work = Promise.all([
      session.stop(),
      session.compact({ trigger: 'auto', run: () => String(++compacted) }),
      session.prompt('p'),
    ]);
    await Promise.all(asked.map((d) => d.promise));
    await session.interrupt();
    const [stopped, compaction, prompt] = await work;
    expect(stopped).toEqual({ continues: false, continuations: 0, capped: false });
    expect(compaction).toMatchObject({ blocked: true, reason: 'The compaction was interrupted.' });
    expect(prompt).toMatchObject({ blocked: true, endsLoop: true, content: '' });
    expect(compacted).toBe(0);
  });

  test('of anything else rejects with ABORTED', async () => {
    const { host, session } = await opened();
    const asked = deferred<void>();
    on(host, 'TaskCreated', () => {
      asked.resolve();
      return never();
    });
    const created = session.task.create({ task_id: '1', task_subject: 's' });
    const fails = expect(created).rejects.toMatchObject({ code: 'ABORTED' });
    await asked.promise;
    await session.interrupt();
    await fails;
  });
});

describe("the session's own signal", () => {
  test('ends hooks and tools, and everything to come; closing still works', async () => {
    const controller = new AbortController();
    const { session, seen } = await opened({ signal: controller.signal });
    const tool = hanging();
    const child = await session.spawn({ agent_type: 'w', id: 'a' });
    const inner = hanging();
    const results = [session.tool(tool.call), child.tool(inner.call)];
    await Promise.all([tool.begun, inner.begun]);
    controller.abort(new Error('the user left'));
    expect((await Promise.all(results)).map((r) => r.status)).toEqual(['interrupted', 'interrupted']);
    expect([tool.aborted(), inner.aborted()]).toEqual([true, true]);
    expect(await session.prompt('again')).toMatchObject({ blocked: true, endsLoop: true });
    expect((await session.tool({ name: 'T', input: {}, execute: () => 1 })).status).toBe('interrupted');
    await expect(session.spawn({ agent_type: 'w' })).rejects.toMatchObject({ code: 'ABORTED' });
    await session.close();
    expect(byScope(seen)['main']).toEqual([
      'SessionStart:startup',
      'PreToolUse:T',
      'PostToolUseFailure:T',
      'SessionEnd:other',
    ]);
    expect(byScope(seen)['a']).toEqual(['SubagentStart', 'PreToolUse:T', 'PostToolUseFailure:T']);
  });

  test('that has fired already opens no session, and leaves nothing behind', async () => {
    const { host } = await opened();
    await expect(host.openSession({ session_id: 'x', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
      message:
        'SessionStart was not fired, and nothing was opened: the signal of openSession() had already aborted. Give it one that has not, of a new AbortController, or none.',
    });
    await expect(host.openSession({ session_id: 'x' })).resolves.toMatchObject({ id: 'x' });
  });

  test('of an agent that has fired already starts none, and the error says so; so does that of an agent whose starter was interrupted', async () => {
    const controller = new AbortController();
    const { host, session, seen } = await opened({ signal: controller.signal });
    const spawn = (signal?: AbortSignal) => session.spawn({ agent_type: 'w', id: 'a', signal });
    await expect(spawn(AbortSignal.abort())).rejects.toMatchObject({
      code: 'ABORTED',
      message: expect.stringContaining('the signal of spawn() had already aborted. Give it one') as string,
    });
    await session.interrupt();
    await expect(spawn()).rejects.toMatchObject({
      code: 'ABORTED',
      message: expect.stringContaining('was interrupted. Spawn it in the next turn.') as string,
    });
    expect(names(seen)).not.toContain('SubagentStart');
    await session.prompt('On');
    await (await spawn()).close();
    expect(names(seen)).toContain('SubagentStart');
    controller.abort();
    await expect(spawn()).rejects.toMatchObject({
      code: 'ABORTED',
      message: expect.stringContaining("the session's signal has aborted. Open another session.") as string,
    });
    await host.close();
    await expect(spawn()).rejects.toThrow(/the host is closed\. Create a new host\.$/);
  });

  test('of an agent that has fired leaves the session, which can still start others', async () => {
    const controller = new AbortController();
    const { session } = await opened();
    const child = await session.spawn({ agent_type: 'w', signal: controller.signal });
    controller.abort();
    await expect(child.spawn({ agent_type: 'w' })).rejects.toThrow(
      /agent's signal has aborted\. Spawn it from the session, or from an agent whose signal has not aborted\.$/,
    );
    await expect(session.spawn({ agent_type: 'w' })).resolves.toMatchObject({ closed: false });
    const reason = new Error('enough');
    await expect(session.spawn({ agent_type: 'w', signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
      code: 'ABORTED',
      cause: reason,
    });
  });

  test('of an agent ends that agent alone', async () => {
    const controller = new AbortController();
    const { session } = await opened();
    const child = await session.spawn({ agent_type: 'w', signal: controller.signal });
    controller.abort();
    const call = { name: 'T', input: {}, execute: () => 1 };
    expect([(await child.tool(call)).status, (await session.tool(call)).status]).toEqual(['interrupted', 'ran']);
  });
});

describe('a denial with interrupt', () => {
  const deny = { behavior: 'deny', interrupt: true } as const;
  const denied = (name = 'Denied'): ToolCall => ({
    name,
    input: {},
    concurrent: true,
    needsApproval: true,
    ask: async () => {
      await turn();
      await turn();
      return deny;
    },
    execute: () => 1,
  });
  /** What a call beside it waits for. */
  const waits: Readonly<Record<string, Partial<ToolCall>>> = {
    'its hooks': {},
    'permission()': { permission: never },
    'ask()': { needsApproval: true, ask: never },
    'ask() and then its hooks again': {
      needsApproval: true,
      ask: () => ({ behavior: 'allow', updatedInput: { a: 1 } }),
    },
    'its check': { permission: () => ({ behavior: 'allow', updatedInput: { a: 1 } }), check: never },
  };

  test.each(Object.entries(waits))('keeps a call that waits for %s from starting', async (name, more) => {
    const { host, session } = await opened();
    on(host, 'PreToolUse', (input: { tool_name: string; tool_input: { a?: number } }) => {
      const isHooks = name.includes('hooks') && (name === 'its hooks' || input.tool_input.a === 1);
      return isHooks && input.tool_name === 'Beside' ? never() : undefined;
    });
    let ran = 0;
    const beside = { name: 'Beside', input: {}, concurrent: true, execute: () => ++ran, ...more };
    const { results, endsLoop } = await session.toolBatch([beside, denied(), { ...beside, concurrent: false }]);
    expect(results.map((r) => r.status)).toEqual(['interrupted', 'denied', 'interrupted']);
    expect([ran, endsLoop]).toEqual([0, true]);
  });

  test.each(['Stop', 'SubagentStop', 'PostToolBatch'] as const)(
    'in the background cuts short the %s hooks that are being asked: the turn is over',
    async (event) => {
      const { host, session } = await opened();
      const agent = await session.spawn({ agent_type: 'w' });
      const asked = deferred<void>();
      on(host, event, () => {
        asked.resolve();
        return never();
      });
      const [beside] = await Promise.all([
        event === 'PostToolBatch'
          ? session.toolBatch([{ name: 'T', input: {}, execute: () => 1 }])
          : (event === 'Stop' ? session : agent).stop(),
        asked.promise.then(() => session.tool(denied())),
      ]);
      expect(beside).toMatchObject('results' in beside ? { endsLoop: true } : { continues: false });
      expect(beside.decision).toBeUndefined();
      expect(agent.closed).toBe(event === 'SubagentStop');
    },
  );

  test('is an interruption: it ends what runs beside it, and the agents of the session', async () => {
    const { session } = await opened();
    const agent = await session.spawn({ agent_type: 'w' });
    const [beside, below] = [hanging(), hanging()];
    const results = [session.tool(beside.call), agent.tool(below.call)];
    await Promise.all([beside.begun, below.begun]);
    expect((await session.tool(denied())).status).toBe('denied');
    expect((await Promise.all(results)).map((r) => r.status)).toEqual(['interrupted', 'interrupted']);
    await session.prompt('Another');
    expect((await session.tool({ name: 'T', input: {}, execute: () => 1 })).status).toBe('ran');
  });
});

test('an interruption at the very moment when a call was let run: it does not start', async () => {
  for (const moments of Array(12).keys()) {
    const { host, session } = await opened();
    const judged = deferred<void>();
    on(host, 'PreToolUse', () => judged.promise);
    let over = false;
    let ranAfter = false;
    const execute = () => {
      ranAfter = over;
    };
    const result = session.tool({ name: 'T', input: {}, execute });
    await turn();
    judged.resolve();
    for (let i = 0; i < moments; i++) await null;
    over = true;
    await session.interrupt();
    await result;
    expect(ranAfter).toBe(false);
    await host.close();
  }
});

test('many calls at once listen to one signal without a warning', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): number => warnings.push(warning);
  process.on('warning', note);
  const { session } = await opened();
  const tools = Array.from({ length: 30 }, () => hanging());
  const results = tools.map((t) => session.tool(t.call));
  await Promise.all(tools.map((t) => t.begun));
  await session.interrupt();
  await Promise.all(results);
  await turn();
  process.off('warning', note);
  expect(warnings.filter((w) => w.name.includes('MaxListeners'))).toEqual([]);
});

test('a host that closes ends the tools of its sessions', async () => {
  const { host, session } = await opened();
  const tool = hanging();
  const result = session.tool(tool.call);
  await tool.begun;
  await host.close();
  expect((await result).status).toBe('interrupted');
  await until(() => tool.aborted());
  expect(await session.close()).toEqual({ cancelled: [] });
});

test.each([
  ['the host is closed', (ends: Ends) => ends.host.close()],
  ["the session's signal has aborted", (ends: Ends) => ends.aborts.abort()],
])('whatever is asked of a session afterwards says that %s', async (why, end) => {
  const aborts = new AbortController();
  const { host, session } = await opened({ signal: aborts.signal });
  const agent = await session.spawn({ agent_type: 'reader' });
  await end({ host, aborts });
  for (const who of [session, agent]) {
    const call = await who.tool({ name: 'T', input: {}, execute: () => 'ran' });
    expect(call).toMatchObject({ status: 'interrupted', reason: `The tool call was interrupted: ${why}.` });
    expect(call.content).toBe(call.reason);
  }
  expect(await session.prompt('p')).toMatchObject({ blocked: true, reason: `The prompt was interrupted: ${why}.` });
  const compaction = await session.compact({ trigger: 'auto', run: () => 'compacted' });
  expect(compaction).toMatchObject({ blocked: true, reason: `The compaction was interrupted: ${why}.` });
});

test('a turn that is interrupted says no more than that', async () => {
  const { session } = await opened();
  const tool = hanging();
  const result = session.tool(tool.call);
  await tool.begun;
  await session.interrupt();
  expect((await result).reason).toBe('The tool call was interrupted.');
});
