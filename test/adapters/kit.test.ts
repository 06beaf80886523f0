import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { callText, contentText, runAgent, runTurn, Steps } from '../../src/adapters/kit.js';
import type { Host } from '../../src/create-host.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import type { Session } from '../../src/session/types.js';
import { deferred } from '../host/kit.js';
import { names, on, opened } from '../session/kit.js';
import { ended } from './edges.js';

class Pause extends Error {}
const isPause = (error: unknown): boolean => error instanceof Pause;
const call = (more: Partial<ToolCall> = {}): ToolCall => ({
  name: 'write',
  id: 'call-1',
  input: { path: 'a' },
  execute: () => 'written',
  ...more,
});
const done = async () => ({ result: undefined, text: 'Done.', finished: true });
/** The call has been judged, and its tool runs. */
const started = (seen: Seen) =>
  vi.waitFor(() => expect(names(seen)).toContain('PreToolUse')).then(() => new Promise(setImmediate));
type Seen = Awaited<ReturnType<typeof opened>>['seen'];
const scopes = (seen: Seen) =>
  seen.map(({ event, input }) => `${String(input['agent_type'] ?? '')} ${event}`.trim()).slice(1);

test('the limit of a framework is thrown on, without Stop or StopFailure', async () => {
  const { session, seen } = await opened();
  const steps = new Steps(session, { limit: (error) => error instanceof RangeError });
  await expect(runTurn(steps, 'Go', () => Promise.reject(new RangeError('20 turns')))).rejects.toThrow('20 turns');
  expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit']);
});

test("the framework's control flow leaves the turn as it is, from a tool and from the loop", async () => {
  const { session, seen } = await opened();
  const steps = new Steps(session, { passThrough: isPause });
  let answer: string | undefined;
  const ask = call({
    execute: () => {
      if (answer === undefined) throw new Pause('which one?');
      return answer;
    },
  });
  const round = async () => {
    const result = await steps.run(ask);
    await steps.endBatch();
    return { result, text: callText(result), finished: true };
  };
  await expect(runTurn(steps, 'Go', round)).rejects.toBeInstanceOf(Pause);
  expect(steps.over).toBeUndefined();
  answer = 'the second';
  expect(await runTurn(steps, undefined, round)).toMatchObject({ status: 'done', text: 'the second' });
  expect(names(seen).slice(1)).toEqual([
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUseFailure',
    'PostToolUse',
    'PostToolBatch',
    'Stop',
  ]);
});

test('a loop that ends in no other way is left by leave(), also inside an error of the framework', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PostToolBatch', () => ({ continue: false, stopReason: 'enough' }));
  const steps = new Steps(session);
  const turn = await runTurn(steps, 'Go', async () => {
    await steps.run(call());
    await steps.endBatch();
    throw new Error('the graph failed', { cause: new Error('a node failed', { cause: steps.leave() }) });
  });
  expect(turn).toMatchObject({ status: 'ended', reason: 'enough', rounds: [] });
  expect(names(seen)).not.toContain('StopFailure');
  await expect(runTurn(new Steps(session), 'Go', () => Promise.reject(steps.leave()))).rejects.toThrow();
});

test('a call that is judged ahead is judged once, and runs when it is made', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PreToolUse', () => ({ hookSpecificOutput: { updatedInput: { path: 'b' } } }));
  const steps = new Steps(session);
  expect(await steps.asks(call())).toBe(false);
  expect(names(seen)).toEqual(['SessionStart', 'PreToolUse']);
  const inputs: unknown[] = [];
  const result = await steps.run(call({ execute: (input) => void inputs.push(input) }));
  expect(result).toMatchObject({ status: 'ran', input: { path: 'b' } });
  expect(inputs).toEqual([{ path: 'b' }]);
  expect(names(seen).filter((name) => name === 'PreToolUse')).toHaveLength(1);
});

test('a call that was judged ahead with another input, or of another tool, is judged again', async () => {
  const { host, session } = await opened();
  on(host, 'PreToolUse', (input: { tool_input: { path: string } }) =>
    input.tool_input.path === 'secret' ? { decision: 'block', reason: 'not that' } : undefined,
  );
  const steps = new Steps(session);
  const ran: unknown[] = [];
  const execute = (input: unknown) => void ran.push(input);
  expect(await steps.asks(call({ execute }))).toBe(false);
  expect(await steps.run(call({ execute, input: { path: 'secret' } }))).toMatchObject({ status: 'denied' });
  expect(await steps.asks(call({ execute, id: 'call-2' }))).toBe(false);
  expect(await steps.run(call({ execute, id: 'call-2', name: 'other' }))).toMatchObject({
    status: 'ran',
    name: 'other',
  });
  expect(ran).toEqual([{ path: 'a' }]);
});

test('a call that was judged ahead and is not made has failed when its batch ends', async () => {
  const { session, seen } = await opened();
  const steps = new Steps(session);
  let ran = false;
  await steps.asks(
    call({
      execute: () => {
        ran = true;
      },
    }),
  );
  await steps.endBatch();
  expect(ran).toBe(false);
  expect(names(seen)).toEqual(['SessionStart', 'PreToolUse', 'PostToolUseFailure', 'PostToolBatch']);
  expect(seen[2]?.input['error']).toBe('write was allowed, and then not called.');
});

test('a call that somebody has to be asked about waits, and goes on with the answer; a session that can ask is asked at once', async () => {
  const ask = () => ({ hookSpecificOutput: { permissionDecision: 'ask' } });
  const later = await opened();
  on(later.host, 'PreToolUse', ask);
  const steps = new Steps(later.session);
  expect(await steps.asks(call())).toBe(true);
  expect(steps.over).toBeUndefined();
  expect(await steps.run(call({ pause: () => ({ behavior: 'allow' }) }))).toMatchObject({ status: 'ran' });
  expect(await steps.run(call({ id: 'call-2' }))).toMatchObject({ status: 'denied', deniedBy: 'nobody' });

  const now = await opened({ ask: () => ({ behavior: 'deny' }) });
  on(now.host, 'PreToolUse', ask);
  const others = new Steps(now.session);
  expect(await others.asks(call())).toBe(false);
  expect(await others.run(call({ pause: () => ({ behavior: 'allow' }) }))).toMatchObject({ status: 'denied' });
});

test('a handoff: who has the conversation has a scope of its own, is asked before the session whether it may stop, and is closed', async () => {
  const { host, session, seen } = await opened();
  on(host, 'SubagentStop', (input: { stop_hook_active: boolean }) =>
    input.stop_hook_active ? undefined : { decision: 'block', reason: 'Not yet.' },
  );
  const steps = new Steps(session);
  const said: (string | undefined)[] = [];
  const turn = await runTurn(steps, 'Go', async ({ instruction }) => {
    said.push(instruction);
    await steps.handTo({ agent_type: 'clerk' });
    const clerk = steps.current;
    expect(await steps.handTo({ agent_type: 'clerk' })).toBe(clerk);
    await steps.run(call());
    await steps.endBatch();
    return await done();
  });
  expect(turn.status).toBe('done');
  expect(said).toEqual([undefined, 'Not yet.']);
  expect(scopes(seen)).toEqual([
    'UserPromptSubmit',
    'clerk SubagentStart',
    'clerk PreToolUse',
    'clerk PostToolUse',
    'clerk PostToolBatch',
    'clerk SubagentStop',
    'clerk PreToolUse',
    'clerk PostToolUse',
    'clerk PostToolBatch',
    'clerk SubagentStop',
    'Stop',
  ]);
  expect(steps.current).toBe(session);
});

test('a handoff on, and back: each closes who had the conversation before', async () => {
  const { session, seen } = await opened();
  const steps = new Steps(session);
  const first = await steps.handTo({ agent_type: 'clerk' });
  await steps.handTo({ agent_type: 'boss' });
  expect(first.closed).toBe(true);
  expect(await steps.handTo(undefined)).toBe(session);
  expect(scopes(seen)).toEqual([
    'clerk SubagentStart',
    'clerk SubagentStop',
    'boss SubagentStart',
    'boss SubagentStop',
  ]);
});

test('a subagent is closed however its work ends, and left open by control flow alone, to be gone on with', async () => {
  const { session, seen } = await opened({ passThrough: isPause });
  const agent = { agent_type: 'reader', key: 'call-1', passThrough: isPause };
  await expect(runAgent(session, agent, () => Promise.reject(new Error('it fell')))).rejects.toThrow('it fell');
  const ids: string[] = [];
  const pauses = (child: { id: string }) => {
    ids.push(child.id);
    if (ids.length < 2) throw new Pause('wait');
    return 'read';
  };
  await expect(runAgent(session, agent, pauses)).rejects.toBeInstanceOf(Pause);
  expect(await runAgent(session, agent, pauses)).toBe('read');
  expect(ids[0]).toBe(ids[1]);
  expect(scopes(seen)).toEqual([
    'reader SubagentStart',
    'reader SubagentStop',
    'reader SubagentStart',
    'reader SubagentStop',
  ]);
  // Without a key nothing is kept.
  await expect(
    runAgent(session, { agent_type: 'reader', passThrough: isPause }, () => Promise.reject(new Pause())),
  ).rejects.toThrow();
  expect(scopes(seen).slice(-1)).toEqual(['reader SubagentStop']);
});

test('one Steps does for all turns of a session: what ended one does not end the next', async () => {
  const { host, session } = await opened();
  let batches = 0;
  on(host, 'PostToolBatch', () => (batches++ === 0 ? { continue: false, stopReason: 'enough' } : undefined));
  const steps = new Steps(session);
  const round = async () => {
    await steps.run(call());
    await steps.endBatch();
    return await done();
  };
  expect(await runTurn(steps, 'Go', round)).toMatchObject({ status: 'ended', reason: 'enough' });
  expect(await runTurn(steps, 'Again', round)).toMatchObject({ status: 'done' });
});

test('words for the model stand below the next system prompt, once; what is empty leaves no line', async () => {
  const { session } = await opened();
  const steps = new Steps(session);
  steps.tell('Tests are red.');
  expect(steps.systemPrompt('')).toBe('Tests are red.');
  expect(steps.systemPrompt('Be brief.')).toBe('Be brief.');
});

test("a signal of the caller's that has fired begins no round; a call under way is an interruption", async () => {
  const { session, seen } = await opened();
  const caller = new AbortController();
  const steps = new Steps(session, { signal: caller.signal });
  const turn = runTurn(steps, 'Go', async () => {
    const running = steps.run(call({ execute: () => new Promise(() => undefined) }));
    setTimeout(() => caller.abort(new Error('no more')), 5);
    return { result: await running, text: '', finished: true };
  });
  await expect(turn).rejects.toThrow('no more');
  expect(seen.at(-1)).toMatchObject({ event: 'PostToolUseFailure', input: { is_interrupt: true } });
  let rounds = 0;
  const again = runTurn(steps, 'Again', async () => {
    rounds++;
    return await done();
  });
  await expect(again).rejects.toThrow('no more');
  expect(rounds).toBe(0);
});

test('the words of a call are never empty where it did not run', () => {
  const result = {
    id: 'c',
    name: 'write',
    input: {},
    isError: true,
    hidden: false,
    retry: false,
    endsLoop: true,
    updatedPermissions: [],
  };
  expect(callText({ ...result, status: 'deferred', content: '' })).toBe('The call of write was deferred.');
  expect(callText({ ...result, status: 'denied', content: '', reason: 'no' })).toBe('no');
  expect(callText({ ...result, status: 'ran', content: '' })).toBe('');
  expect(
    contentText([
      { type: 'text', text: 'a' },
      { type: 'image', data: 'x' },
    ]),
  ).toBe('a\n\n{"type":"image","data":"x"}');
});

test('an answer counts for what was asked about, as JSON has it, and for no other call of that id', async () => {
  const { session } = await opened();
  const steps = new Steps(session);
  const ran: unknown[] = [];
  const execute = (input: unknown) => ran.push(input);
  const make = (input: object, name = 'write') => ({ id: 'c', name, input, execute });
  const pause = () => ({ behavior: 'allow' as const });
  const asked = make({ path: 'a', at: new Date(0), mode: undefined });
  steps.asked('c', 'write', asked.input);
  Object.assign(asked.input, { path: 'later' });
  const kept = { at: '1970-01-01T00:00:00.000Z', path: 'a' };
  await steps.run({ ...make(kept), pause });
  expect(ran).toEqual([kept]);
  const reason = 'The user was asked about another input of write.';
  expect(await steps.run({ ...make({ path: 'b' }), pause })).toMatchObject({ status: 'denied', reason });
  expect(await steps.run({ ...make(kept, 'list'), pause })).toMatchObject({ status: 'denied' });
  expect(await new Steps(session).run({ ...make({ path: 'b' }), pause })).toMatchObject({ status: 'denied' });
  expect(ran).toHaveLength(1);
});

test('an answer counts for the input that the user saw: the one that the framework shows, or that onAsk was given', async () => {
  for (const permission of [undefined, () => ({ behavior: 'allow' as const })]) {
    const { host, session } = await opened({ permission });
    on(host, 'PreToolUse', () => ({ hookSpecificOutput: { updatedInput: { path: 'b' } } }));
    const ran: unknown[] = [];
    const made = call({ execute: (input: unknown) => ran.push(input) });
    const pause = () => ({ behavior: 'allow' as const });
    const blind = new Steps(session);
    blind.asked('call-1', 'write', made.input);
    const reason = expect.stringContaining('asked about another input of write, before the hook') as string;
    expect(await blind.run({ ...made, pause })).toMatchObject({ status: 'denied', deniedBy: 'nobody', reason });
    const other = { ...made, id: 'call-2', needsApproval: true };
    expect(await blind.asks(other)).toBe(false);
    expect(await blind.run(other)).toMatchObject({ status: 'denied', deniedBy: 'nobody' });
    const shown: unknown[] = [];
    const shows = new Steps(session, { onAsk: (input) => void shown.push(input) });
    const third = { ...made, id: 'call-3', needsApproval: true };
    expect(await shows.asks(third)).toBe(true);
    expect(ran).toEqual([]);
    expect(await shows.run({ ...third, pause })).toMatchObject({ status: 'ran' });
    expect([shown, ran]).toEqual([[{ path: 'b' }], [{ path: 'b' }]]);
  }
});

test('of the questions that nobody answers the oldest are forgotten', async () => {
  const { session } = await opened();
  const steps = new Steps(session);
  const run = (id: string) =>
    steps.run({ id, name: 'w', input: { path: 'b' }, execute: () => 'ran', pause: () => ({ behavior: 'allow' }) });
  for (let n = 0; n <= 1000; n++) steps.asked(`c${n}`, 'w', {});
  expect((await run('c0')).status).toBe('ran');
  expect((await run('c1')).status).toBe('denied');
});

test('what the framework cannot say of a call ends no loop: the call is in its batch', async () => {
  const { session, seen } = await opened();
  const steps = new Steps(session);
  const said = () => {
    throw new Error('no words');
  };
  expect(await steps.run(call(), { said })).toMatchObject({ status: 'ran' });
  expect(steps.over).toBeUndefined();
  await steps.endBatch();
  expect(seen.at(-1)).toMatchObject({ event: 'PostToolBatch', input: { tool_calls: [{ tool_response: 'written' }] } });
});

test('a turn whose call could not be judged is not done: no Stop is fired, and an agent is closed', async () => {
  const { session, seen } = await opened();
  const round = (steps: Steps) => async () => {
    await steps.run(call({ input: { count: 3n } })).catch(() => undefined);
    return await done();
  };
  const steps = new Steps(session);
  const reason = expect.stringContaining('bigint') as string;
  expect(await runTurn(steps, 'Go', round(steps))).toMatchObject({ status: 'ended', reason });
  expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit']);
  const child = await session.spawn({ agent_type: 'clerk' });
  const childs = new Steps(child);
  expect(await runTurn(childs, 'Go', round(childs))).toMatchObject({ status: 'ended', reason });
  expect(child.closed).toBe(true);
  expect(await runTurn(steps, 'Again', done)).toMatchObject({ status: 'done' });
});

test('hooks hear of the end of a step, of a failed round and of a turn once its calls have ended', async () => {
  const { session, seen } = await opened();
  const steps = new Steps(session);
  const slowly = () => new Promise((resolve) => setTimeout(resolve, 10, 'written'));
  const begin = () => void steps.run(call({ execute: slowly })).catch(() => undefined);
  await runTurn(steps, 'Go', async () => {
    begin();
    await steps.endBatch();
    begin();
    return await done();
  });
  const calls = ['PreToolUse', 'PostToolUse'];
  expect(names(seen).slice(2)).toEqual([...calls, 'PostToolBatch', ...calls, 'Stop']);
  seen.length = 0;
  const fails = () => {
    begin();
    return Promise.reject(new Error('down'));
  };
  await expect(runTurn(steps, 'Again', fails)).rejects.toThrow('down');
  expect(names(seen)).toEqual(['UserPromptSubmit', ...calls, 'StopFailure']);
  await steps.asks(call());
  seen.length = 0;
  await expect(runTurn(steps, 'Again', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(names(seen)).toEqual(['UserPromptSubmit', 'PostToolUseFailure', 'StopFailure']);
});

/** Whether it takes as long as calls under way are waited for; by a timer of the same loop, which a busy machine delays as well. */
async function waits(work: () => Promise<unknown>): Promise<boolean> {
  const done = work().then(() => false);
  return (await Promise.race([done, sleep(1_900, true)])) || (await done);
}

test('no turn waits for ever for a call that its framework has gone on without: the call ends by itself', async () => {
  const failing = async (error: Error): Promise<never> => await Promise.reject(error);
  const ends = {
    'a failed round': { round: () => failing(new Error('down')), came: 'down', fired: ['StopFailure'] },
    'a finished round': { round: done, came: 'done', fired: ['Stop'] },
    'an aborted round': { round: () => failing(new DOMException('aborted', 'AbortError')), came: 'aborted', fired: [] },
  };
  for (const [name, { round, came, fired }] of Object.entries(ends)) {
    const { session, seen } = await opened();
    const steps = new Steps(session);
    let end!: (response: string) => void;
    const execute = () => new Promise((resolve) => (end = resolve));
    let slow: Promise<{ status: string }> | undefined;
    const turn = runTurn(steps, 'Go', async () => {
      slow = steps.run(call({ execute }));
      await started(seen);
      return await round();
    });
    expect(
      await turn.then(
        ({ status }) => status,
        (error: Error) => error.message,
      ),
      name,
    ).toBe(came);
    const before = ['SessionStart', 'UserPromptSubmit', 'PreToolUse'];
    if (name === 'an aborted round') {
      expect(names(seen)).toEqual([...before, 'PostToolUseFailure']);
      continue;
    }
    expect(names(seen), name).toEqual([...before, ...fired]);
    // It is waited for once. When it has ended, it is told of, and it is in the next batch.
    expect(await waits(() => steps.endBatch())).toBe(false);
    end('written');
    expect(await slow).toMatchObject({ status: 'ran' });
    await steps.endBatch();
    expect(names(seen), name).toEqual([...before, ...fired, 'PostToolUse', 'PostToolBatch']);
  }
});

test("a framework's own limit and control flow do not wait for calls under way", async () => {
  for (const error of [new RangeError('20 turns'), new Pause('which one?')]) {
    const { session, seen } = await opened();
    const steps = new Steps(session, { limit: (one) => one instanceof RangeError, passThrough: isPause });
    let end!: (response: string) => void;
    let slow: Promise<unknown> | undefined;
    const turn = runTurn(steps, 'Go', async () => {
      slow = steps.run(call({ execute: () => new Promise((resolve) => (end = resolve)) }));
      await started(seen);
      throw error;
    });
    expect(await waits(() => expect(turn).rejects.toBe(error))).toBe(false);
    expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit', 'PreToolUse']);
    // They may still end, and are in the batch then.
    setTimeout(() => end('written'), 10);
    await steps.endBatch();
    await slow;
    expect(names(seen).slice(3)).toEqual(['PostToolUse', 'PostToolBatch']);
  }
});

test('a tool that ends the batch of its own call, or of one around it, does not wait for itself', async () => {
  const { session, seen } = await opened();
  const steps = new Steps(session);
  const ends = call({ id: 'inner', execute: () => steps.endBatch() });
  const work = async (): Promise<void> => {
    await steps.run(call({ id: 'outer', execute: () => steps.run(ends) }));
    expect(await steps.asks(ends)).toBe(false);
    await steps.run(ends);
  };
  expect(await waits(work)).toBe(false);
  const batches = seen.filter(({ event }) => event === 'PostToolBatch').map(({ input }) => input['tool_calls']);
  expect(batches).toMatchObject([[{ tool_use_id: 'inner' }, { tool_use_id: 'outer' }]]);
});

test('a call that ends late is in no batch of another agent', async () => {
  const { session, seen } = await opened();
  const steps = new Steps(session);
  let end!: (response: string) => void;
  const slow = steps.run(call({ id: 'late', execute: () => new Promise((resolve) => (end = resolve)) }));
  await steps.endBatch();
  await steps.handTo({ agent_type: 'clerk' });
  end('written');
  await slow;
  await steps.run(call({ id: 'own' }));
  await steps.endBatch();
  const batches = seen.filter(({ event }) => event === 'PostToolBatch');
  expect(batches.map(({ input }) => [input['agent_type'], input['tool_calls']])).toMatchObject([
    [undefined, [{ tool_use_id: 'late' }]],
    ['clerk', [{ tool_use_id: 'own' }]],
  ]);
});

test('a call whose hooks end in a later turn does not end that turn', async () => {
  const { host, session } = await opened();
  const [asked, answer] = [deferred<void>(), deferred<unknown>()];
  on(host, 'PostToolUse', () => {
    asked.resolve();
    return answer.promise;
  });
  const steps = new Steps(session);
  const late = steps.run(call());
  await asked.promise;
  const interrupted = session.interrupt();
  await session.prompt('Another');
  steps.begin();
  answer.resolve({ continue: false });
  expect((await late).endsLoop).toBe(true);
  await interrupted;
  expect(steps.over).toBeUndefined();
});

test('a subagent whose work does not obey the signal is closed once it fires', async () => {
  const { host, session, seen } = await opened();
  const caller = new AbortController();
  let agent: Session | undefined;
  const spawn = { agent_type: 'clerk', signal: caller.signal, hooks: ended.hooks() };
  const work = runAgent(session, spawn, (child) => {
    agent = child;
    setImmediate(() => caller.abort());
    return new Promise(() => undefined);
  });
  await expect(work).rejects.toThrow('aborted');
  await ended.check({ host, session, seen, agent });
});

test("an agent whose caller has aborted is not begun, and the error is the caller's reason", async () => {
  const { session, seen } = await opened();
  const reason = new Error('enough');
  const work = runAgent(session, { agent_type: 'reader', signal: AbortSignal.abort(reason) }, () => 'read');
  await expect(work).rejects.toBe(reason);
  expect(names(seen)).not.toContain('SubagentStart');
});

describe('a call that was judged and waits for the framework', () => {
  /** The ends that the loop may have meanwhile. */
  const ends: Readonly<Record<string, (of: { session: Session; host: Host; abort: AbortController }) => unknown>> = {
    'session.interrupt()': ({ session }) => session.interrupt(),
    'session.close()': ({ session }) => session.close(),
    'host.close()': ({ host }) => host.close(),
    "a signal, the session's or the caller's": ({ abort }) => abort.abort(),
    'a denial with interrupt of another call': ({ session }) =>
      session.tool(call({ id: 'other', needsApproval: true, ask: () => ({ behavior: 'deny', interrupt: true }) })),
  };
  const signals = {
    "the session's": (signal: AbortSignal) => ({ session: { signal }, steps: {}, run: {} }),
    "the caller's": (signal: AbortSignal) => ({ session: {}, steps: { signal }, run: {} }),
    "the call's": (signal: AbortSignal) => ({ session: {}, steps: {}, run: { signal } }),
  };
  const cases = Object.entries(ends).flatMap(([end, by]) =>
    Object.entries(signals).map(([of, given]) => ({ end, by, of, given })),
  );

  test.each(cases)('does not start when it is made after $end (signal: $of)', async ({ by, given }) => {
    const abort = new AbortController();
    const how = given(abort.signal);
    const { host, session, seen } = await opened(how.session);
    const records: unknown[] = [];
    host.events$.subscribe((record) => {
      if (record.type === 'tool_call' && record.tool_use_id === 'call-1') records.push([record.status, record.ran]);
    });
    const steps = new Steps(session, how.steps);
    let ran = 0;
    const made = call({ execute: () => ++ran });
    expect(await steps.asks(made, how.run)).toBe(false);
    await by({ session, host, abort });
    expect(await steps.run(made, how.run)).toMatchObject({ status: 'interrupted', endsLoop: true });
    await new Promise(setImmediate);
    expect([ran, records]).toEqual([0, [['interrupted', false]]]);
    expect(steps.over).toBeDefined();
    expect(names(seen)).not.toContain('PostToolUse');
  });
});

test('an abort does not wait for the hooks of a call that has run, and does not end the next turn', async () => {
  const { host, session } = await opened();
  const [asked, answer] = [deferred<void>(), deferred<void>()];
  on(host, 'PostToolUse', () => {
    asked.resolve();
    return answer.promise;
  });
  const steps = new Steps(session);
  const stop = new AbortController();
  const made: Promise<unknown>[] = [];
  const first = runTurn(steps, 'Go', async () => {
    made.push(steps.run(call(), { signal: stop.signal }));
    await asked.promise;
    stop.abort();
    throw stop.signal.reason;
  });
  await expect(first).rejects.toThrow('aborted');
  const next = runTurn(steps, 'Once more', async () => {
    answer.resolve();
    await Promise.all(made);
    return await done();
  });
  expect(await next).toMatchObject({ status: 'done', text: 'Done.' });
});

test('the batch of a turn holds no calls that ended the turn before', async () => {
  const { host, session } = await opened();
  const batches: unknown[] = [];
  on(
    host,
    'PostToolBatch',
    (input: unknown) => void batches.push((input as { tool_calls?: unknown[] }).tool_calls?.length),
  );
  const steps = new Steps(session);
  const stop = new AbortController();
  const first = runTurn(steps, 'Go', async () => {
    const made = steps.run(call({ execute: () => new Promise(() => undefined) }), { signal: stop.signal });
    setImmediate(() => stop.abort());
    await made;
    throw stop.signal.reason;
  });
  await expect(first).rejects.toThrow('aborted');
  const next = await runTurn(steps, 'Once more', async () => {
    await steps.run(call({ id: 'call-2' }));
    await steps.endBatch();
    return await done();
  });
  expect([next.status, batches]).toEqual(['done', [1]]);
});

test('nor the others of a batch in which one ended the turn', async () => {
  const { host, session } = await opened();
  const batches: unknown[] = [];
  on(host, 'PostToolBatch', (input: unknown) => {
    batches.push((input as { tool_calls: { tool_use_id: string }[] }).tool_calls.map((one) => one.tool_use_id));
  });
  on(host, 'PostToolUse', ({ tool_use_id }: { tool_use_id: string }) =>
    tool_use_id === 'call-1' ? { continue: false, stopReason: 'enough' } : undefined,
  );
  const steps = new Steps(session);
  const first = await runTurn(steps, 'Go', async () => {
    await Promise.all([steps.run(call()), steps.run(call({ id: 'call-0' }))]);
    throw steps.leave();
  });
  const next = await runTurn(steps, 'Once more', async () => {
    await steps.run(call({ id: 'call-2' }));
    await steps.endBatch();
    return await done();
  });
  expect([first.status, next.status, batches]).toEqual(['ended', 'done', [['call-2']]]);
});
