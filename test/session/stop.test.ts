import { describe, expect, test } from 'vitest';
import { addContext, block } from '../../src/events/output/helpers.js';
import type { StopAnswer } from '../../src/session/steps/stop.js';
import type { Session } from '../../src/session/types.js';
import { anyHooks, fires, only, registerAs, until, watch } from '../host/kit.js';
import { byScope, names, on, opened } from './kit.js';

/** Stops until it may. */
async function stopAll(session: Session): Promise<StopAnswer[]> {
  const answers: StopAnswer[] = [];
  do answers.push(await session.stop({ lastMessage: 'done?' }));
  while (answers.at(-1)?.continues);
  return answers;
}

describe('a hook keeps the loop going', () => {
  test.each([
    ['block with a reason', { decision: 'block', reason: 'run the tests' }, 'run the tests'],
    ['context', addContext('two are failing'), 'two are failing'],
    ['both', { decision: 'block', reason: 'run', hookSpecificOutput: { additionalContext: 'two' } }, 'run\ntwo'],
    ['continue: true', { continue: true }, 'Continue.'],
  ])('with %s, which is the next instruction', async (_, said, instruction) => {
    const { host, session } = await opened();
    on(host, 'Stop', () => said);
    expect(await session.stop()).toMatchObject({ continues: true, instruction, continuations: 1, capped: false });
    expect(session.pendingContext()).toEqual([]);
  });

  test('with a system message, which waits for the next system prompt', async () => {
    const { host, session } = await opened();
    on(host, 'Stop', () => ({ continue: true, systemMessage: 'be quick' }));
    expect((await session.stop()).instruction).toBe('Continue.');
    expect(session.systemPrompt('base')).toBe('base\n\nbe quick');
  });
});

test('the cap ends the loop after 8 continuations in a row, and answer, decision and record say so', async () => {
  const { host, session, seen } = await opened();
  const records = watch(host);
  on(host, 'Stop', () => block('again'));
  await session.prompt('go');
  const answers = await stopAll(session);
  expect(answers.map((a) => a.continues)).toEqual([...Array(8).fill(true), false]);
  expect(answers.at(-1)).toMatchObject({
    capped: true,
    continuations: 8,
    decision: { continues: false, endedBy: 'cap' },
  });
  const stops = seen.filter((s) => s.event === 'Stop').map((s) => s.input['stop_hook_active']);
  expect(stops).toEqual([false, ...Array(8).fill(true)]);
  const record = fires(records).findLast((r) => r.event === 'Stop');
  expect(record?.decision).toMatchObject({
    continues: false,
    endedBy: 'cap',
    overruled: [only(record?.handlers.filter((h) => h.name !== 'spy') ?? []).id],
  });
});

test('a new prompt begins the count anew; so does a stop that was allowed', async () => {
  const { host, session, seen } = await opened({ maxStopContinuations: 2 });
  let going = true;
  on(host, 'Stop', () => (going ? block('again') : undefined));
  const active = () => seen.filter((s) => s.event === 'Stop').at(-1)?.input['stop_hook_active'];
  expect((await stopAll(session)).length).toBe(3);
  await session.prompt('next');
  await session.stop();
  await session.stop();
  await session.prompt('another');
  expect(await session.stop()).toMatchObject({ continues: true, continuations: 1 });
  expect(active()).toBe(false);
  going = false;
  expect(await session.stop()).toMatchObject({ continues: false, continuations: 1, capped: false });
  expect(active()).toBe(true);
  going = true;
  expect(await session.stop()).toMatchObject({ continues: true, continuations: 1 });
});

test('a cap of 0 never goes on', async () => {
  const { host, session } = await opened({}, { maxStopContinuations: 0 });
  on(host, 'Stop', () => block('again'));
  expect(await session.stop()).toMatchObject({ continues: false, continuations: 0, capped: true });
});

test('continue: false ends the loop, whoever blocks, and is not the cap', async () => {
  const { host, session } = await opened();
  on(host, 'Stop', () => block('again'));
  registerAs(host, { Stop: [{ hooks: [() => ({ continue: false, stopReason: 'enough' })] }] }, { dialect: 'claude' });
  expect(await session.stop()).toMatchObject({ continues: false, capped: false, decision: { reason: 'enough' } });
});

describe('an agent', () => {
  test('that is blocked goes on alone, with a Stop of its own, and ends when it may stop', async () => {
    const { host, session, seen } = await opened();
    let blocks = 1;
    const first = await session.spawn({
      agent_type: 'w',
      id: 'first',
      hooks: { Stop: [{ hooks: [() => (blocks-- > 0 ? block('not yet') : undefined)] }] },
    });
    const second = await session.spawn({ agent_type: 'w', id: 'second' });
    expect(await first.stop()).toMatchObject({ continues: true, instruction: 'not yet' });
    expect(await second.stop()).toMatchObject({ continues: false });
    expect([first.closed, second.closed, session.closed]).toEqual([false, true, false]);
    expect((await first.tool({ name: 'T', input: {}, execute: () => 1 })).status).toBe('ran');
    expect(await first.stop()).toMatchObject({ continues: false });
    expect(await session.stop()).toMatchObject({ continues: false });
    expect(byScope(seen)['first']).toEqual([
      'SubagentStart',
      'SubagentStop',
      'PreToolUse:T',
      'PostToolUse:T',
      'SubagentStop',
    ]);
    expect(host.describe().children[0]?.children.flatMap((s) => s.children)).toEqual([]);
    expect(only(byScope(seen)['main']?.filter((e) => e === 'Stop') ?? [])).toBe('Stop');
  });

  test('has a cap and a count of its own', async () => {
    const { host, session } = await opened({ maxStopContinuations: 1 });
    on(host, 'SubagentStop', () => block('again'));
    const a = await session.spawn({ agent_type: 'w' });
    const b = await session.spawn({ agent_type: 'w', maxStopContinuations: 2 });
    expect((await stopAll(a)).map((s) => s.continues)).toEqual([true, false]);
    expect((await stopAll(b)).map((s) => s.continues)).toEqual([true, true, false]);
    expect([a.closed, b.closed]).toEqual([true, true]);
  });

  test('whose tool hook says continue: false ends without a SubagentStop; its parent goes on', async () => {
    const { host, session, seen } = await opened();
    registerAs(
      host,
      { PostToolUse: [{ hooks: [() => ({ continue: false, stopReason: 'enough' })] }] },
      { dialect: 'claude' },
    );
    const child = await session.spawn({ agent_type: 'w', id: 'a' });
    const { endsLoop, reason } = await child.toolBatch([{ name: 'T', input: {}, execute: () => 1 }]);
    expect({ endsLoop, reason }).toEqual({ endsLoop: true, reason: 'enough' });
    expect(await child.stop()).toMatchObject({ continues: false });
    expect(byScope(seen)['a']).toEqual(['SubagentStart', 'PreToolUse:T', 'PostToolUse:T']);
    expect([child.closed, session.closed]).toEqual([true, false]);
  });
});

test('a loop that a hook ended has no Stop, until the next prompt', async () => {
  const { host, session, seen } = await opened();
  let ends = true;
  on(host, 'PostToolBatch', () => (ends ? block('stop here') : undefined));
  const batch = () => session.toolBatch([{ name: 'T', input: {}, execute: () => 1 }]);
  await session.prompt('one');
  expect(await batch()).toMatchObject({ endsLoop: true, reason: 'stop here' });
  expect(await session.stop()).toEqual({ continues: false, continuations: 0, capped: false });
  ends = false;
  await session.prompt('two');
  await batch();
  await session.stop();
  expect(names(seen).filter((e) => e === 'Stop')).toHaveLength(1);
});

test('an error of the API is a StopFailure that nothing waits for', async () => {
  const { host, session, seen } = await opened();
  let done = false;
  const hang = new Promise<void>((resolve) => setTimeout(resolve, 50));
  on(host, 'StopFailure', async () => {
    await hang;
    done = true;
  });
  expect(await session.stop({ error: 'rate_limit', errorDetails: '429', lastMessage: 'l' })).toEqual({
    continues: false,
    continuations: 0,
    capped: false,
  });
  expect(done).toBe(false);
  await until(() => done);
  expect(seen.at(-1)).toMatchObject({
    event: 'StopFailure',
    input: { error: 'rate_limit', error_details: '429', last_assistant_message: 'l' },
  });
  expect(names(seen)).not.toContain('Stop');
});

test('two stops at once are one', async () => {
  const { host, session, seen } = await opened();
  on(host, 'SubagentStop', () => new Promise((resolve) => setTimeout(resolve, 20)));
  const child = await session.spawn({ agent_type: 'w' });
  const [a, b] = await Promise.all([child.stop(), child.stop()]);
  expect(a).toBe(b);
  expect(names(seen).filter((e) => e === 'SubagentStop')).toHaveLength(1);
});

describe.each(['session', 'agent'])('a stop in a hook of the stop joins it: of a %s', (which) => {
  const before = {
    'at once': () => undefined,
    'after a moment': () => Promise.resolve(),
    later: () => new Promise(setImmediate),
  };
  const awaited = [true, false];
  const cases = Object.entries(before).flatMap(([when, wait]) => awaited.map((waits) => ({ when, wait, waits })));

  test.each(cases)('$when, and waits for it: $waits', async ({ wait, waits }) => {
    const { host, session } = await opened();
    const stopped: unknown[] = [];
    const one = which === 'agent' ? await session.spawn({ agent_type: 'w' }) : session;
    let calls = 0;
    const hook = async () => {
      calls++;
      const waiting = wait();
      if (waiting) await waiting;
      const stop = one.stop().then((answer) => stopped.push(answer));
      if (waits) await stop;
    };
    host.on(which === 'agent' ? 'SubagentStop' : 'Stop', hook, { timeout: 0.05 });
    const answer = await one.stop();
    await new Promise(setImmediate);
    expect(answer).toMatchObject({ continues: false });
    expect([calls, stopped.length, stopped[0]]).toEqual([1, 1, answer]);
    expect(answer.decision?.failures.map((failure) => failure.cause)).toEqual(waits ? ['timeout'] : []);
  });
});

test('what hooks say at a stop that ends waits for the next turn, and an ended agent has none', async () => {
  const { host, session } = await opened({ maxStopContinuations: 0 });
  host.register(
    anyHooks({
      Stop: [{ hooks: [() => addContext('for later')] }],
      SubagentStop: [{ hooks: [() => addContext('for nobody')] }],
    }),
  );
  const child = await session.spawn({ agent_type: 'w' });
  await child.stop();
  await session.stop();
  expect([child.systemPrompt('c'), session.systemPrompt('s'), session.systemPrompt('s')]).toEqual([
    'c',
    's\n\nfor later',
    's',
  ]);
});
