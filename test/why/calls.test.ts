import { describe, expect, test } from 'vitest';
import { createHost, deny, type FireRecord, type HookRecord } from '../../src/index.js';
import { KeptRecords } from '../../src/page/records/kept.js';
import { callOf, callsIn } from '../../src/why/calls.js';
import { whatBecame } from '../../src/why/ran.js';
import { fire } from '../emit/samples.js';
import { growth } from '../growth.js';
import { SAMPLES } from '../store/records.js';

const CALL = { tool_name: 'Bash', tool_use_id: 'call_0', session_id: 's' };

/** `call_0` is denied, and the next `call_0` runs. */
async function reused(): Promise<HookRecord[]> {
  const records: HookRecord[] = [];
  const host = createHost({ logger: () => undefined });
  host.events$.subscribe((record) => records.push(record));
  host.register({
    PreToolUse: [
      {
        name: 'guard',
        hooks: [(input) => ((input.tool_input as { command: string }).command === 'rm' ? deny('no') : undefined)],
      },
    ],
  });
  await host.fire('PreToolUse', { ...CALL, tool_input: { command: 'rm' } });
  await host.fire('PreToolUse', { ...CALL, tool_input: { command: 'ls' } });
  await host.fire('PostToolUse', { ...CALL, tool_input: { command: 'ls' }, tool_response: 'x' });
  await host.close();
  return records.filter(({ type }) => type === 'hook_fire');
}

test('a call that was denied has not run because a later one with its id did', async () => {
  const records = (await reused()) as [FireRecord, FireRecord, FireRecord];
  const became = (record: HookRecord) => whatBecame(callOf(records, record));
  expect(became(records[0])).toEqual(['No record says whether it ran.']);
  expect(became(records[1])).toEqual(['It ran: PostToolUse was fired for it.']);
});

test.each([[['rm', 'ls']], [['ls', 'rm']], [['ls', 'pwd']], [['pwd', 'rm', 'ls']]])(
  'calls of one step with one id are told apart: %j',
  async (commands) => {
    const records: HookRecord[] = [];
    const host = createHost({ logger: () => undefined });
    host.events$.subscribe((record) => records.push(record));
    host.on('PreToolUse', (input) => (JSON.stringify(input.tool_input).includes('rm') ? deny('no rm') : undefined), {
      name: 'guard',
    });
    host.on('PostToolUse', () => undefined);
    const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
    const execute = () => new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all(
      commands.map((command) => session.tool({ id: 'call_0', name: 'Bash', input: { command }, execute })),
    );
    await host.close();
    const about = records.filter((record) => 'tool_use_id' in record && record.type !== 'system');
    for (const command of commands) {
      const asked = about.find(
        (one) =>
          one.type === 'hook_fire' &&
          one.event === 'PreToolUse' &&
          (one.input['tool_input'] as { command: string }).command === command,
      ) as HookRecord;
      // Where one was denied, an alarm tells of the run of another one.
      expect(
        whatBecame(callOf(about, asked)).filter((text) => !/^(ALARM|The denial that the alarm)/.test(text)),
      ).toEqual([
        command === 'rm'
          ? 'The call was denied and did not run: by guard, saying "no rm".'
          : expect.stringMatching(/^The call ran, allowed by/),
      ]);
    }
  },
);

test.each(['PostToolUse', 'PostToolUseFailure', 'PermissionRequest', 'PermissionDenied'] as const)(
  '%s is about the call of its id with its input, although another one was begun later',
  (event) => {
    const of = (name: string, command: string, verdict: 'deny' | 'none', at: number): HookRecord => ({
      ...fire(at, { event: name, decision: { ...fire().decision, verdict } }),
      time: new Date(Date.UTC(2026, 0, 1) + at).toISOString(),
      input: { tool_name: 'Bash', tool_input: { command } },
      ...{ host_id: 'one', fire_id: `fire ${at}` },
    });
    const [first, second] = [of('PreToolUse', 'rm', 'deny', 1), of('PreToolUse', 'ls', 'none', 2)];
    const told = of(event, 'rm', 'none', 3);
    for (const all of [
      [first, second, told],
      [{ ...second, seq: 0, time: first.time }, first, told],
    ]) {
      expect(callOf(all, first).records).toEqual([first, told]);
      expect(callOf(all, told)).toMatchObject({ records: [first, told], before: [], after: [], others: 1 });
    }
  },
);

test('an alarm about another call of the id is told as one', async () => {
  const records: HookRecord[] = [];
  const host = createHost({ logger: () => undefined });
  host.events$.subscribe((record) => records.push(record));
  host.on('PreToolUse', (input) => (JSON.stringify(input.tool_input).includes('rm') ? deny('no') : undefined));
  const send = (event: 'PreToolUse', command: string) =>
    host.fire(event, { ...CALL, tool_input: { command }, ...{ tool_response: 'x' } });
  await send('PreToolUse', 'ls');
  await send('PreToolUse', 'rm');
  await send('PostToolUse' as 'PreToolUse', 'ls');
  await host.close();
  const about = records.filter(({ type }) => type === 'hook_fire' || type === 'hook_alarm');
  const asked = about.filter((record) => record.type === 'hook_fire') as [FireRecord, FireRecord];
  expect(whatBecame(callOf(about, asked[0] as HookRecord))).toEqual([
    'It ran: PostToolUse was fired for it.',
    expect.stringMatching(/^ALARM not_honoured/),
    'The denial that the alarm names was that of another call with the same id.',
  ]);
  expect(whatBecame(callOf(about, asked[1] as HookRecord))).toEqual(['No record says whether it ran.']);
});

test('the page keeps them apart too, and lists as the same call what is of it alone', async () => {
  const records = await reused();
  const kept = new KeptRecords(false);
  for (const record of records) kept.add(JSON.stringify(record));
  kept.settle();
  const all = Number.POSITIVE_INFINITY;
  const [denied, asked, ran] = kept.rows.map((row) => kept.callOf(row, all));
  expect(denied && whatBecame(denied.found)).toEqual(['No record says whether it ran.']);
  expect([denied, asked, ran].map((call) => call?.others.map(({ event }) => event))).toEqual([
    [],
    ['PostToolUse'],
    ['PreToolUse'],
  ]);
});

test('the page knows of a call what had come by a moment', async () => {
  const [, asked, ran] = (await reused()) as [FireRecord, FireRecord, FireRecord];
  const later = { ...ran, seq: 9, time: new Date(Date.parse(asked.time) + 60_000).toISOString() };
  const kept = new KeptRecords(false);
  for (const record of [asked, later]) kept.add(JSON.stringify(record));
  kept.settle();
  const [row] = kept.rows;
  if (row === undefined) throw new Error('no row');
  expect(kept.callOf(row, row.at + 1000)).toMatchObject({
    found: { records: [{ event: 'PreToolUse' }] },
    others: [],
  });
  expect(kept.callOf(row, row.at + 60_000).others).toHaveLength(1);
});

describe('the records of an id, as letters', () => {
  const decision = (verdict: 'deny' | 'none' | 'defer') => ({ ...fire().decision, verdict });
  const KINDS: Readonly<Record<string, (agent: string | undefined) => object>> = {
    a: () => fire(1, { decision: decision('none') }),
    d: () => fire(1, { decision: decision('deny') }),
    r: () => fire(1, { event: 'PostToolUse' }),
    f: () => fire(1, { event: 'PostToolUseFailure' }),
    q: () => fire(1, { event: 'PermissionRequest', decision: decision('none') }),
    n: () => fire(1, { event: 'PermissionRequest', decision: decision('deny') }),
    t: () => ({ ...SAMPLES.find(({ type }) => type === 'tool_call'), status: 'denied' }),
    l: () => ({ ...SAMPLES.find(({ type }) => type === 'tool_call'), status: 'deferred' }),
    x: () => ({ ...SAMPLES.find(({ type }) => type === 'hook_alarm') }),
  };
  /** A capital is the same of another agent; `s` is a shadow of the first fire. `?`: it may be the same call as one before. */
  const cut = (letters: string): string[] => {
    const records = [...letters].map((letter, i) => {
      const agent = letter === letter.toUpperCase() ? 'other' : 'one';
      const kind = letter === 's' ? fire(1, { shadow_of: 'fire 0' }) : KINDS[letter.toLowerCase()]?.(agent);
      return { ...kind, fire_id: `fire ${i}`, agent_id: agent } as HookRecord;
    });
    const calls = callsIn(records);
    return calls.map(({ records: own, chain }, at) => {
      const isUnsure = calls.findIndex((one) => one.chain === chain) < at;
      return `${isUnsure ? '?' : ''}${own.map((record) => letters[records.indexOf(record)]).join('')}`;
    });
  };
  test.each([
    ['ar', ['ar']],
    ['aqrt', ['aqrt']],
    ['arxar', ['arx', 'ar']],
    ['afdtar', ['af', 'dt', 'ar']],
    // A record that is about one of several equal calls stands apart.
    ['dar', ['d', '?a', '?r']],
    ['aar', ['a', '?a', '?r']],
    ['drx', ['drx']],
    ['aqtar', ['aqt', 'ar']],
    ['aqntar', ['aq', '?nt', '?a', '?r']],
    // The answer to a question that was left for later comes with the same id.
    ['alaqrt', ['alaqrt']],
    // Two calls of one step that were judged before either ran cannot be told apart, but both ran.
    ['aarr', ['ar', '?ar']],
    ['aadr', ['a', '?a', '?d', '?r']],
    ['dAR', ['d', 'AR']],
    ['dArR', ['dr', 'AR']],
    ['dars', ['ds', '?a', '?r']],
  ])('%s is cut into %j', (letters, calls) => {
    expect(cut(letters)).toEqual(calls);
  });
});

test('calls of one id are cut in a time that grows with how many there are, hooks that are not enforced too', async () => {
  const record = { ...fire(), ...CALL };
  const made = (count: number): HookRecord[] =>
    Array.from({ length: count }, (_, i): HookRecord[] => [
      { ...record, fire_id: `f${i}`, event: 'PreToolUse' },
      { ...record, fire_id: `s${i}`, event: 'PreToolUse', shadow_of: `f${i}` },
      { ...record, fire_id: `p${i}`, event: 'PostToolUse' },
    ]).flat();
  const [few, many] = [2_000, 16_000];
  const records = new Map([few, many].map((count) => [count, made(count)]));
  const cut = (count: number): void => {
    expect(callsIn(records.get(count) ?? []).length).toBe(count);
  };
  // Eight times as many; sixty-four times the work if each looked through all that came before.
  expect(await growth(cut, { few, many, most: 32 })).toBeLessThan(32);
});

describe('a call whose events came to several hosts', () => {
  const of = (host: string, event: string, ms: number, more: object = {}): HookRecord => ({
    ...fire(ms, { event, ...more } as Partial<FireRecord>),
    host_id: host,
    time: new Date(Date.UTC(2026, 0, 1) + ms).toISOString(),
  });
  const decision = (verdict: 'deny' | 'none') => ({ decision: { ...fire().decision, verdict } });
  const own = { unanswered: 'gone', handlers: [], decision: { ...fire().decision, decidedBy: 'hookscope' } };
  const alone = { stateless: true };
  const hosts = (record: HookRecord, all: readonly HookRecord[]) =>
    callOf(all, record).records.map(({ host_id }) => host_id);
  const became = (record: HookRecord, all: readonly HookRecord[]) => whatBecame(callOf(all, record));

  test('is one call, in the order of time', () => {
    const denied = of('own', 'PreToolUse', 1, own);
    const ran = of('server', 'PostToolUse', 2, decision('none'));
    for (const record of [denied, ran]) expect(hosts(record, [ran, denied])).toEqual(['own', 'server']);
    expect(became(ran, [ran, denied])).toEqual(['It ran, although it was denied: PostToolUse was fired for it.']);
  });

  test('is not said to have another with its id where there is only an alarm about it', () => {
    const denied = of('server', 'PreToolUse', 2, decision('deny'));
    const alarm = {
      ...SAMPLES.find(({ type }) => type === 'hook_alarm'),
      tool_use_id: (denied as FireRecord).tool_use_id,
      alarm: 'reopened',
      host_id: 'server',
    };
    for (const before of [[alarm], [alarm, alarm]] as HookRecord[][])
      expect(whatBecame({ records: [denied], before })[0]).toBe('No record says whether it ran.');
    expect(whatBecame({ records: [denied], before: [alarm as HookRecord, of('one', 'PreToolUse', 1)] })[0]).toBe(
      'No record says whether it ran; another call may have the same id.',
    );
  });

  test('may be two calls, where one command denied it and another did not, and one of them ran', () => {
    const denied = of('one', 'PreToolUse', 1, { ...decision('deny'), ...alone, revision: 'x' });
    const passed = of('two', 'PreToolUse', 2, { ...decision('none'), ...alone, revision: 'y' });
    const ran = of('three', 'PostToolUse', 3, { ...decision('none'), ...alone });
    const all = [denied, passed, ran];
    expect(became(denied, all)).toEqual([
      'No record says whether it ran: PostToolUse was fired under its id, but another call may have the same id.',
    ]);
    expect(became(passed, all)).toEqual([
      'PostToolUse was fired for it, or for a call with the same id that was denied; no record says for which.',
    ]);
    expect(became(ran, all)).toEqual([
      'It ran: PostToolUse was fired for it.',
      'PreToolUse was denied under its id before; no record says whether that was about this call.',
    ]);
    expect(callOf(all, denied)).toMatchObject({ after: [{ host_id: 'two' }, { host_id: 'three' }], others: 0 });
  });

  test('is one call, although one host got a time that another did not', () => {
    const at = (time: string) => ({ input: { ...fire().input, timestamp: time } });
    const denied = of('one', 'PreToolUse', 1, { ...decision('deny'), ...at('a') });
    const passed = of('two', 'PreToolUse', 2, { ...decision('none'), ...at('b') });
    const all = [denied, passed, of('two', 'PostToolUse', 3), of('one', 'PostToolUse', 4)];
    for (const record of all) {
      expect(hosts(record, all)).toEqual(['one', 'two', 'two', 'one']);
      expect(became(record, all)).toEqual(['It ran, although it was denied: PostToolUse was fired for it.']);
    }
  });

  test('may be one call, where a host denied it after it had run', () => {
    const { handlers } = fire();
    const slow = handlers.map((handler) => ({ ...handler, duration_ms: 2000 }));
    const passed = of('two', 'PreToolUse', 1, decision('none'));
    const ran = of('two', 'PostToolUse', 2);
    const denied = of('one', 'PreToolUse', 1500, { ...decision('deny'), handlers: slow });
    const all = [passed, ran, denied];
    expect(became(ran, all)).toEqual([
      'It ran: PostToolUse was fired for it.',
      'PreToolUse was denied under its id afterwards; no record says whether that was about this call.',
    ]);
    expect(became(denied, all)).toEqual([
      'No record says whether it ran: PostToolUse was fired under its id, but another call may have the same id.',
    ]);
    const next = of('one', 'PreToolUse', 4500, { ...decision('deny'), handlers: slow });
    expect(became(ran, [passed, ran, next])).toEqual(['It ran: PostToolUse was fired for it.']);
  });

  test('was not denied where an event of the program itself was, which is fired within the call', () => {
    const passed = of('one', 'PreToolUse', 1, decision('none'));
    const own = of('one', 'Deploy', 2, { decision: { ...fire().decision, event: 'Deploy', verdict: 'deny' } });
    const all = [passed, own, of('one', 'PostToolUse', 3)];
    expect(became(passed, all)).toEqual(['It ran: PostToolUse was fired for it.']);
  });

  test('are two calls, where commands were asked about something else, or with the same hooks and it was told of each that it ran', () => {
    const denied = of('one', 'PreToolUse', 1, { ...decision('deny'), ...alone, revision: 'x' });
    const other = { input: { ...fire().input, tool_input: { command: 'other' } } };
    const passed = of('two', 'PreToolUse', 2, { ...decision('none'), ...alone, ...other });
    const all = [denied, passed, of('three', 'PostToolUse', 3, { ...decision('none'), ...alone, ...other })];
    expect(callOf(all, denied)).toMatchObject({ after: [], others: 1 });
    expect(became(denied, all)).toEqual(['No record says whether it ran.']);
    expect(became(passed, all)).toEqual(['It ran: PostToolUse was fired for it.']);
    const [first, again] = ['one', 'two'].map((host, i) =>
      of(host, 'PreToolUse', i, { ...decision('none'), ...alone, revision: 'x' }),
    ) as [HookRecord, HookRecord];
    const ran = [3, 4].map((ms) => of(`${ms}`, 'PostToolUse', ms, { ...decision('none'), ...alone, revision: 'x' }));
    expect(callOf([first, again, ...ran], first)).toMatchObject({ after: [], others: 1 });
  });

  test('is one call where the server that denied it tells that it ran', () => {
    const denied = of('server', 'PreToolUse', 1, decision('deny'));
    const passed = of('two', 'PreToolUse', 2, { ...decision('none'), ...alone });
    const alarm = { ...SAMPLES.find(({ type }) => type === 'hook_alarm'), agent_id: fire().agent_id } as HookRecord;
    const told = { ...alarm, host_id: 'server', time: of('', '', 3).time };
    const all = [denied, passed, told, of('server', 'PostToolUse', 4), of('three', 'PostToolUse', 5, alone)];
    for (const record of all) {
      expect(hosts(record, all)).toEqual(['server', 'two', 'server', 'server', 'three']);
      expect(became(record, all)).toEqual([
        'It ran, although it was denied: PostToolUse was fired for it.',
        expect.stringContaining('ALARM'),
      ]);
    }
    // What hookscope answered in between may be about a later call, which the server was not asked about.
    const unsure = [denied, of('two', 'PreToolUse', 2, own), of('server', 'PostToolUse', 4)];
    expect(hosts(denied, unsure)).toEqual(['server']);
  });

  test('is one call with the fire that hookscope has answered for', () => {
    const input = { ...fire().input, cwd: '/filled/in' };
    const rejected = of('server', 'PreToolUse', 1, { ...decision('deny'), error: 'ABORTED', input });
    const answered = of('own', 'PreToolUse', 2, own);
    expect(hosts(rejected, [rejected, answered])).toEqual(['server', 'own']);
    expect(hosts(rejected, [rejected, { ...answered, time: of('', '', 60_000).time }])).toEqual(['server']);
    // Nobody was told what had been answered by then.
    const ran = of('server', 'PostToolUse', 2, decision('none'));
    expect(became(ran, [rejected, ran])).toEqual(['It ran: PostToolUse was fired for it.']);
    // One process that answers one event.
    const asked = of('one', 'PreToolUse', 1, { ...decision('deny'), ...alone });
    expect(hosts(asked, [asked, of('one', 'PreToolUse', 2, own)])).toEqual(['one', 'one']);
  });

  test('is not that of another agent', () => {
    const all = ['a', 'b'].flatMap((agent_id, at) => [
      of(`${agent_id}1`, 'PreToolUse', 2 * at, { ...decision('none'), ...alone, agent_id }),
      of(`${agent_id}2`, 'PostToolUse', 2 * at + 1, { ...alone, agent_id }),
    ]);
    expect(all.map((record) => hosts(record, all).join())).toEqual(['a1,a2', 'a1,a2', 'b1,b2', 'b1,b2']);
  });

  test('without a session, ids of other hosts are of other calls', () => {
    const all = [
      of('own', 'PreToolUse', 1, { ...own, session_id: '' }),
      of('b', 'PostToolUse', 2, { session_id: '' }),
    ] as const;
    expect(hosts(all[1], all)).toEqual(['b']);
  });
});
