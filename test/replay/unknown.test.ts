import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fire } from '../../src/host/fire/fire.js';
import type { FireSettings } from '../../src/host/fire-options.js';
import { servicesOf } from '../../src/host/internals.js';
import {
  agent,
  allow,
  ask,
  block,
  command,
  createHost,
  createRedactor,
  deny,
  type FireRecord,
  type Hooks,
  type Host,
  type HostOptions,
  http,
  mcpTool,
  prompt,
  rewrite,
  rule,
} from '../../src/index.js';
import { type Replayed, type ReplayOptions, replay } from '../../src/replay.js';
import { payload } from '../../src/testing.js';
import { all } from './all.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', session_id: 's1' };
const dir = mkdtempSync(join(tmpdir(), 'unknown-'));
afterAll(() => rmSync(dir, { recursive: true }));

function hostOf(hooks: Hooks, options: HostOptions = {}): Host {
  const host = createHost({ logger: () => undefined, ...options });
  host.register(hooks);
  return host;
}

async function record(hooks: Hooks, inputs: readonly object[] = [CALL], event = 'PreToolUse'): Promise<FireRecord[]> {
  const host = hostOf(hooks);
  const fires: FireRecord[] = [];
  host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
  for (const input of inputs) await host.fireAny(event, input as never);
  await host.close();
  return fires;
}

async function one(
  fires: readonly FireRecord[],
  hooks: Hooks,
  options: ReplayOptions & HostOptions = {},
): Promise<Replayed> {
  const { against, runCallbacks, ...host } = options;
  const [first] = await all(replay(hostOf(hooks, host), fires, { against, runCallbacks }));
  return first as Replayed;
}

const on = (...hooks: unknown[]): Hooks => ({ PreToolUse: [{ hooks: hooks as never }] });
const silent = () => undefined;
/** What nobody has asked. */
const stranger = () => allow();

test.each(['series', 'parallel'] as const)('a hook that answered plain { async: true } is known (%s)', async (mode) => {
  const hooks: Hooks = {
    PreToolUse: [
      { mode, hooks: [{ handler: () => ({ async: true }), name: 'notify' }, silent] },
      { hooks: [() => rewrite({ command: 'pwd' })] },
    ],
  };
  const { now, changed } = await one(await record(hooks), hooks);
  expect([changed, now.word, now.unknown]).toEqual([undefined, 'none', []]);
});

test('an agent whose events name several types has the hooks of all of them, which a replay does not claim to know', async () => {
  const host = createHost({ logger: () => undefined });
  const open = (one: Host): Host => {
    one.spawnHooks(
      'reviewer',
      on(() => deny('reviewers read')),
    );
    one.spawnHooks('worker', on(silent));
    return one;
  };
  const seen: FireRecord[] = [];
  open(host).events$.subscribe((r) => r.type === 'hook_fire' && seen.push(r));
  const of = (agent_type?: string) => ({ session_id: 's1', agent_id: 'a1', ...(agent_type && { agent_type }) });
  await host.fireAny('SubagentStart', of('reviewer'));
  for (const type of [undefined, 'worker', undefined, 'reviewer'])
    await host.fireAny('PreToolUse', { ...CALL, ...of(type) });
  // Another agent with its id is known again.
  await host.fireAny('SubagentStart', of('worker'));
  await host.fireAny('PreToolUse', { ...CALL, ...of() });
  await host.close();
  const calls = seen.filter(({ event }) => event === 'PreToolUse');
  expect(calls.map(({ decision }) => decision.verdict)).toEqual(['deny', 'deny', 'deny', 'deny', 'none']);
  const replayed = await all(replay(open(createHost({ logger: () => undefined })), seen));
  const unknown = 'unknown';
  expect(replayed.map(({ changed }) => changed)).toEqual([
    undefined,
    undefined,
    unknown,
    unknown,
    unknown,
    undefined,
    undefined,
  ]);
  expect(replayed[2]?.now.unknown[0]?.why).toBe('events of this agent name several types, whose hooks count together');
});

test.each<[string, (readonly [event: string, type?: string])[], unknown[]]>([
  [
    'that has gone on after its stop',
    [['SubagentStart', 'reviewer'], ['SubagentStop', 'reviewer'], ['PreToolUse'], ['PreToolUse', 'worker']],
    [undefined, undefined, undefined, 'unknown'],
  ],
  [
    'whose start is repeated',
    [
      ['SubagentStart', 'reviewer'],
      ['PreToolUse', 'worker'],
      ['SubagentStart', 'reviewer'],
      ['PreToolUse', 'worker'],
    ],
    [undefined, 'unknown', 'unknown', 'unknown'],
  ],
  [
    'that begins with the second type after its stop has only the hooks of that one',
    [['SubagentStart', 'reviewer'], ['SubagentStop', 'reviewer'], ['PreToolUse', 'worker'], ['PreToolUse']],
    [undefined, undefined, undefined, undefined],
  ],
])('an agent that names a second type, %s', async (_, steps, changes) => {
  const open = (): Host => {
    const host = createHost({ logger: () => undefined });
    host.spawnHooks(
      'reviewer',
      on(() => deny('reviewers read')),
    );
    host.spawnHooks('worker', on(silent));
    return host;
  };
  const host = open();
  const seen: FireRecord[] = [];
  host.events$.subscribe((r) => r.type === 'hook_fire' && seen.push(r));
  for (const [event, agent_type] of steps) {
    const more = event === 'SubagentStop' ? { stop_hook_active: false } : event === 'PreToolUse' ? CALL : {};
    await host.fireAny(event, { session_id: 's1', agent_id: 'a1', ...(agent_type && { agent_type }), ...more });
  }
  await host.close();
  expect((await all(replay(open(), seen))).map(({ changed }) => changed)).toEqual(changes);
});

describe('a hook of which no answer was recorded', () => {
  test('is unknown and never silence, with its name and why', async () => {
    const { now, changed, by } = await one(await record(on()), on({ handler: stranger, name: 'new' }));
    expect(changed).toBe('unknown');
    expect(by).toMatchObject({ name: 'new', kind: 'callback', why: expect.stringContaining('no answer') });
    expect(now).toMatchObject({ word: 'none', unknown: [{ name: 'new' }] });
  });

  test.each([
    ['another text', () => deny('b')],
    ['another name', undefined],
  ])('is also one of %s', async (_, handler) => {
    const old = () => deny('a');
    const fires = await record(on({ handler: old, name: 'guard' }));
    const named = handler ? { handler, name: 'guard' } : { handler: old, name: 'other' };
    expect((await one(fires, on(named))).changed).toBe('unknown');
    expect((await one(fires, on({ handler: old, name: 'guard' }))).changed).toBeUndefined();
  });

  test('is not asked where its matcher or its rule does not match', async () => {
    const fires = await record(on());
    const elsewhere: Hooks = {
      PreToolUse: [
        { matcher: 'Edit', hooks: [stranger] },
        { if: 'Bash(git *)', hooks: [stranger] },
      ],
    };
    expect((await one(fires, elsewhere)).changed).toBeUndefined();
  });

  test.each(['observe', 'background'])('does not matter in the %s', async (how) => {
    const group =
      how === 'observe'
        ? { phase: 'observe' as const, hooks: [stranger] }
        : { hooks: [{ handler: stranger, async: true }] };
    expect((await one(await record(on()), { PreToolUse: [group] })).changed).toBeUndefined();
  });

  test('on an event where nothing can be decided does not matter', async () => {
    const fires = await record({}, [{ reason: 'other' }], 'SessionEnd');
    expect((await one(fires, { SessionEnd: [{ hooks: [silent] }] })).changed).toBeUndefined();
  });

  test.each([
    ['UserPromptSubmit', { prompt: 'p' }],
    ['Stop', { stop_hook_active: false }],
    ['PostToolUse', { ...CALL, tool_response: {} }],
    ['SessionStart', { source: 'startup' }],
    ['PermissionRequest', CALL],
  ])('on %s it does', async (event, input) => {
    const fires = await record({}, [input], event);
    expect((await one(fires, { [event]: [{ hooks: [silent] }] } as Hooks)).changed).toBe('unknown');
  });
});

describe('what is settled whatever an unknown hook says', () => {
  test('is that a rule denies, before it or after it, though what else the agent is told is not', async () => {
    const fires = await record(on());
    for (const hooks of [
      [stranger, rule('deny', 'no')],
      [rule('deny', 'no'), stranger],
    ]) {
      const { now, changed, by } = await one(fires, on(...hooks));
      expect({ changed, word: now.word, unknown: now.unknown.map(({ name }) => name) }).toEqual({
        changed: 'denied',
        word: 'deny',
        unknown: ['stranger'],
      });
      expect(by).toMatchObject({ kind: 'rule', asked: ': deny' });
    }
  });

  test('is no deny of a rule that looks at what the unknown hook could rewrite, unless it was asked first', async () => {
    const fires = await record(on());
    const looks = rule('deny', 'no', { if: 'Bash(ls *)' });
    expect((await one(fires, on(stranger, looks))).changed).toBe('unknown');
    expect((await one(fires, on(looks, stranger))).changed).toBe('denied');
  });

  test('is no deny that was recorded of another hook, which would be asked again about a rewrite', async () => {
    const guard = () => deny('no');
    const fires = await record(on(guard));
    expect((await one(fires, on(guard, stranger))).changed).toBe('unknown');
    expect(
      (
        await one(fires, {
          PreToolUse: [
            { phase: 'decide', hooks: [guard] },
            { phase: 'observe', hooks: [stranger] },
          ],
        })
      ).changed,
    ).toBeUndefined();
  });

  test('is nothing where the first or the last word counts, and an unknown hook may have it', async () => {
    const fires = await record(on());
    const last = { decisions: 'last' } as const;
    expect((await one(fires, on(rule('deny', 'no'), stranger), last)).changed).toBe('unknown');
    expect((await one(fires, on(stranger, rule('deny', 'no')), last)).changed).toBe('denied');
    const first = { decisions: 'first' } as const;
    expect((await one(fires, on(stranger, rule('deny', 'no')), first)).changed).toBe('unknown');
  });

  test('is a model that may not be switched to, where no hook can say more than that', async () => {
    const fires = await record(
      { PreModelSwitch: [{ hooks: [rule('deny', 'no')] }] },
      [payload.preModelSwitch()],
      'PreModelSwitch',
    );
    for (const hooks of [
      [stranger, rule('deny', 'never')],
      [rule('deny', 'never'), stranger],
    ])
      expect((await one(fires, { PreModelSwitch: [{ hooks }] })).changed).toBeUndefined();
  });
});

describe('a rewrite', () => {
  const short = (input: { tool_input: unknown }) =>
    JSON.stringify(input.tool_input).length < 20 ? rewrite({ command: 'ls -la' }) : undefined;
  const looks = (input: { tool_input: { command?: string } }) =>
    input.tool_input.command === 'ls -la' ? deny('long') : undefined;

  test('is computed anew: a hook that was asked about the rewritten input is known only there', async () => {
    const fires = await record(on(short, looks));
    expect(fires[0]?.decision.verdict).toBe('deny');
    expect((await one(fires, on(short, looks))).changed).toBeUndefined();
    // Without the rewrite it is asked about what it was never asked about.
    expect((await one(fires, on(looks))).changed).toBe('unknown');
    // The other was asked about both forms.
    expect(await one(fires, on(short))).toMatchObject({
      changed: 'allowed',
      now: { decision: { updatedInput: { command: 'ls -la' } } },
    });
  });

  test('that is gone is a change', async () => {
    const fires = await record(on(short));
    expect(await one(fires, on())).toMatchObject({
      changed: 'rewritten',
      by: { name: expect.stringContaining('short') },
    });
  });

  test('is judged by rules of the new configuration', async () => {
    const fires = await record(on(short));
    const { now } = await one(fires, on(short, rule('ask', 'long', { if: 'Bash(ls -la)' })));
    expect(now).toMatchObject({ word: 'ask', unknown: [] });
  });

  const OPEN = 'an unknown hook may rewrite what the guard denied';
  const VALUES = [{}, [], '', null, 0, false, { a: 1 }, Object.create(null)].map((value) => [value] as const);
  describe.each([
    ['PreToolUse', 'tool_input', deny],
    ['PermissionRequest', 'tool_input', deny],
    ['PostToolUse', 'tool_response', block],
    ['PostToolUseFailure', 'error', block],
  ] as const)(`of an unknown hook counts whatever value it would replace: %s, %s`, (event, field, refuse) => {
    const guard = (input: Record<string, unknown>) => (input[field] === 'safe' ? undefined : refuse('no'));
    const texts = VALUES.filter(([value]) => field !== 'error' || typeof value === 'string');
    test.each(texts)('%j', async (value) => {
      const call = { ...CALL, error: 'e', tool_response: 'r', [field]: value };
      const hooks = (...handlers: unknown[]): Hooks => ({ [event]: [{ hooks: handlers }] }) as never;
      const fires = await record(hooks(guard), [call], event);
      expect(fires[0]?.decision).toMatchObject(refuse === deny ? { verdict: 'deny' } : { blocked: true });
      const { changed, by } = await one(fires, hooks({ handler: stranger, name: 'new' }, guard));
      expect({ changed, by: by?.name }, OPEN).toEqual({ changed: 'unknown', by: 'new' });
    });
  });
});

describe('what nobody knows of an input', () => {
  const secret =
    'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx-AAAAAA';
  const call = { ...CALL, tool_input: { command: `curl -H "x-api-key: ${secret}" https://example.com` } };

  test('where it is masked, a rule that looks at it is unknown, and one that does not is decided', async () => {
    const redactor = createRedactor();
    const fires = (await record(on(), [call])).map((fire) => redactor.redact(fire) as FireRecord);
    expect(JSON.stringify(fires)).not.toContain(secret);
    const looks = await one(fires, on(rule('deny', 'no', { if: 'Bash(curl *)' })));
    expect(looks).toMatchObject({ changed: 'unknown', by: { kind: 'rule', why: expect.stringContaining('masked') } });
    expect((await one(fires, on(rule('deny', 'no', { if: 'Bash' })))).changed).toBe('denied');
    expect((await one(fires, on(rule('deny', 'no', { if: 'Edit(*.ts)' })))).changed).toBeUndefined();
    expect((await one(fires, { PreToolUse: [{ matcher: 'Bash', hooks: [rule('deny', 'no')] }] })).changed).toBe(
      'denied',
    );
  });

  test('under the configuration that decided it, who was asked is known', async () => {
    const redactor = createRedactor();
    const hooks = on(rule('deny', 'no', { if: 'Bash(curl *)' }), rule('ask', 'sure', { if: 'Bash(git *)' }));
    const fires = (await record(hooks, [call])).map((fire) => redactor.redact(fire) as FireRecord);
    expect(await one(fires, hooks)).toMatchObject({ now: { word: 'deny', unknown: [] } });
  });

  test('masks of one’s own cannot be told from other texts: whoever looks at any is unknown', async () => {
    const redactor = createRedactor({
      mask: (text) => (text.includes(secret) ? text.replace(secret, '***') : undefined),
    });
    const fires = (await record(on(), [call])).map((fire) => redactor.redact(fire) as FireRecord);
    expect((await one(fires, on(rule('deny', 'no', { if: 'Bash(curl *)' })))).changed).toBe('unknown');
  });

  test('the same where it was too large and left out', async () => {
    const [fire] = (await record(on())) as [FireRecord];
    const cut = { ...fire, input: { ...fire.input, tool_input: {} }, truncated: ['input.tool_input.command'] };
    expect((await one([cut], on(rule('deny', 'no', { if: 'Bash(curl *)' })))).changed).toBe('unknown');
    expect((await one([cut], on(rule('deny', 'no', { if: 'Edit(*.ts)' })))).changed).toBeUndefined();
  });

  test('an answer that was left out is not known', async () => {
    const guard = () => deny('no');
    const [fire] = (await record(on(guard))) as [FireRecord];
    const { output: _, ...row } = fire.handlers[0] as FireRecord['handlers'][number];
    const cut = { ...fire, handlers: [row], truncated: ['handlers.0.output'] };
    expect((await one([cut], on(guard))).changed).toBe('unknown');
    expect((await one([{ ...fire, handlers: [], truncated: ['handlers.0…'] }], on(guard))).changed).toBe('unknown');
  });
});

describe('matchers that are functions', () => {
  const hooks = (matcher: (subject: string | undefined) => boolean): Hooks => ({
    PreToolUse: [{ matcher, hooks: [() => deny('no')] }],
  });
  const isBash = (subject: string | undefined): boolean => subject === 'Bash';

  test('are not called: the same function let the same hook be asked, another is unknown', async () => {
    const fires = await record(hooks(isBash), [CALL, { ...CALL, tool_name: 'Read' }]);
    let called = 0;
    const same = hooks(isBash);
    for await (const { changed } of replay(hostOf(same), fires)) expect(changed).toBeUndefined();
    const other = await one(
      fires,
      hooks((subject) => {
        called += 1;
        return subject !== 'Bash';
      }),
    );
    expect(other).toMatchObject({ changed: 'unknown', by: { why: 'its matcher is a function' } });
    expect(called).toBe(0);
  });

  test('are, where callbacks may run', async () => {
    const fires = await record(hooks(isBash));
    expect(
      (
        await one(
          fires,
          hooks((subject) => subject !== 'Bash'),
          { runCallbacks: true },
        )
      ).changed,
    ).toBe('allowed');
  });
});

describe('nothing runs', () => {
  test('no command, request, tool or model, and no callback unless it may', async () => {
    const left = join(dir, 'left-behind');
    const calls: string[] = [];
    const told = (what: string) => (): never => {
      calls.push(what);
      throw new Error(what);
    };
    const inside = () => void calls.push('callback');
    const hooks: Hooks = {
      PreToolUse: [
        {
          hooks: [
            command(`touch ${left}`),
            command('touch', { args: [left] }),
            command(`touch ${left}`, { async: true }),
            http('http://127.0.0.1:9/never'),
            mcpTool('server', 'tool'),
            prompt('may it?'),
            agent('may it?'),
            inside,
          ],
        },
      ],
      Stop: [{ hooks: [command(`touch ${left}`)] }],
    };
    const options: HostOptions = { model: told('model') as never, callTool: told('tool') as never };
    const fires = await record({}, [CALL]);
    const host = hostOf(hooks, options);
    host.spawnHooks('reviewer', () => {
      calls.push('maker');
      return {};
    });
    host.hooks.PreToolUse.tap('raw', () => void calls.push('tap'));
    const agents = await record({}, [{ ...CALL, agent_id: 'a1', agent_type: 'reviewer' }]);
    const found = await all(replay(host, [...fires, ...agents]));
    expect(found.map(({ changed }) => changed)).toEqual(['unknown', 'unknown']);
    expect(found[0]?.now.unknown.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['command', 'http', 'mcp_tool', 'prompt', 'agent', 'callback', 'tap']),
    );
    expect(found[1]?.now.unknown.at(-1)).toMatchObject({ name: 'spawnHooks("reviewer")' });
    await all(replay(host, fires, { runCallbacks: true }));
    await host.close();
    expect(existsSync(left)).toBe(false);
    // Once for all guesses about the others.
    expect(calls).toEqual(['callback']);
  });

  test('with runCallbacks, callbacks say what they say now', async () => {
    const fires = await record(on(() => deny('then')));
    expect(
      await one(
        fires,
        on(() => ask('now')),
        { runCallbacks: true },
      ),
    ).toMatchObject({
      changed: 'asked',
      now: { word: 'ask', decision: { reason: 'now' } },
    });
  });

  test('with runCallbacks, each is called once about each form of the input, whatever is guessed about others', async () => {
    const fires = await record(on());
    const seen: string[] = [];
    const looks = (input: { tool_input: unknown }) => {
      seen.push(JSON.stringify(input.tool_input));
      return JSON.stringify(input.tool_input).includes('-a')
        ? Promise.resolve(undefined)
        : rewrite({ command: 'ls -a' });
    };
    const throws = { handler: () => Promise.reject(new Error('broken')), name: 'throws', onFailure: 'block' };
    const hooks = on(command('./unknown.sh', { async: false }), looks, throws, { handler: looks, name: 'again' });
    const found = await one(fires, hooks, { runCallbacks: true });
    expect(found).toMatchObject({ changed: 'unknown', now: { word: 'deny' } });
    // The first is asked again about its own rewrite by nobody; the second sees that alone.
    expect(seen).toEqual(['{"command":"ls"}', '{"command":"ls -a"}']);
  });

  test('nothing is opened, registered, remembered or told in the host', async () => {
    const fires = await record(on(rule('deny', 'no')), [
      { ...CALL, agent_id: 'a1', agent_type: 'reviewer' },
      { ...CALL, session_id: 's9' },
    ]);
    const records: unknown[] = [];
    const logged: unknown[] = [];
    const host = createHost({ logger: (line) => logged.push(line), onAlarm: (alarm) => logged.push(alarm) });
    host.register(on(rule('deny', 'no'), { handler: () => deny('once'), once: true }));
    host.spawnHooks(
      'reviewer',
      on(() => undefined),
    );
    host.events$.subscribe((one) => records.push(one));
    // What agents will get is read anew each time, and numbered.
    const described = (): string => JSON.stringify(host.describe()).replaceAll(/#\d+/g, '');
    const before = described();
    await all(replay(host, fires));
    expect(described()).toBe(before);
    expect([records, logged]).toEqual([[], []]);
    expect((await host.fire('PreToolUse', CALL)).outcomes.map(({ decision }) => decision)).toEqual(['deny', 'deny']);
  });
});

describe('what came of a hook otherwise', () => {
  test('a timeout counts where it has the same time, and is unknown where it has more', async () => {
    const never = { handler: () => new Promise(() => undefined), name: 'slow', onFailure: 'block' as const };
    const fires = await record(on({ ...never, timeout: 0.01 }));
    expect((await one(fires, on({ ...never, timeout: 0.01 }))).changed).toBeUndefined();
    expect((await one(fires, on({ ...never, timeout: 30 }))).changed).toBe('unknown');
  });

  test('what a failure does is computed anew', async () => {
    const broken = {
      handler: () => {
        throw new Error('broken');
      },
      name: 'broken',
    };
    const fires = await record(on(broken));
    expect((await one(fires, on({ ...broken, onFailure: 'block' }))).changed).toBe('denied');
    expect((await one(fires, on({ ...broken, onFailure: 'ask' }))).changed).toBe('asked');
  });

  test('one that was tried out in the shadow is known when it is enforced', async () => {
    const guard = () => deny('no');
    const fires = await record({ PreToolUse: [{ enforce: false, hooks: [guard] }] });
    expect(fires).toHaveLength(2);
    expect(await one(fires, on(guard))).toMatchObject({ changed: 'denied', now: { unknown: [] } });
  });

  test('a fire that was rejected decided nothing', async () => {
    const [fire] = (await record(on())) as [FireRecord];
    expect(await all(replay(hostOf(on(rule('deny', 'no'))), [{ ...fire, error: 'ABORTED' }]))).toEqual([]);
  });

  test('an event that the configuration does not know, or whose input it refuses, is unknown', async () => {
    const [fire] = (await record(on())) as [FireRecord];
    const [odd, refused] = await all(
      replay(hostOf(on()), [
        { ...fire, event: 'Odd' },
        { ...fire, input: {} },
      ]),
    );
    expect(odd).toMatchObject({ changed: 'unknown', now: { problem: expect.stringContaining('Odd') } });
    expect(refused).toMatchObject({ changed: 'unknown', now: { problem: expect.stringContaining('tool_name') } });
  });
});

describe('two configurations', () => {
  test('are compared over the same inputs, whatever was recorded', async () => {
    const fires = await record(on());
    const against = hostOf(on(rule('deny', 'no')));
    expect(await one(fires, on(rule('ask', 'sure')), { against })).toMatchObject({
      changed: 'asked',
      now: { word: 'ask' },
      by: { kind: 'rule' },
    });
    expect((await one(fires, on(rule('ask', 'sure')), { against })).then?.word).toBe('deny');
    expect((await one(fires, on(rule('deny', 'no')), { against })).changed).toBeUndefined();
  });

  test('are the same where an answer is not known and the hooks are the same', async () => {
    const fires = await record(on());
    const against = hostOf(on({ handler: stranger, name: 'new' }));
    expect((await one(fires, on({ handler: stranger, name: 'new' }), { against })).changed).toBeUndefined();
    expect((await one(fires, on({ handler: stranger, name: 'new', onFailure: 'block' }), { against })).changed).toBe(
      'unknown',
    );
  });
});

describe('rewrites that race', () => {
  test('count as they came then', async () => {
    const host = hostOf({});
    const fires: FireRecord[] = [];
    host.events$.subscribe((record) => record.type === 'hook_fire' && fires.push(record));
    let hasAnswered: () => void = () => undefined;
    const quick = new Promise<void>((resolve) => {
      hasAnswered = resolve;
    });
    const first = () => {
      hasAnswered();
      return rewrite({ command: 'quick' });
    };
    const second = async () => {
      await quick;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return rewrite({ command: 'slow' });
    };
    const hooks = {
      PreToolUse: [
        {
          mode: 'parallel',
          hooks: [
            { handler: second, name: 'a' },
            { handler: first, name: 'b' },
          ],
        },
      ],
    };
    const race = (of: Host): unknown => servicesOf(of).registrar.register(undefined, hooks, { racing: true });
    race(host);
    await host.fire('PreToolUse', CALL);
    await host.close();
    expect(fires[0]?.final_input?.['tool_input']).toEqual({ command: 'slow' });
    const now = hostOf({});
    race(now);
    const [found] = await all(replay(now, fires));
    expect(found).toMatchObject({ now: { decision: { updatedInput: { command: 'slow' } }, unknown: [] } });
    expect(found?.changed).toBeUndefined();
  });
});

describe('a hook that is not as it was accepted', () => {
  test('fails as untrusted, and its files are looked at once', async () => {
    const fires = await record(on(), [CALL, CALL, CALL]);
    const host = hostOf({});
    let looked = 0;
    const trustCheckOf = () => () => {
      looked += 1;
      return { file: 'settings.json', why: 'guard.sh has changed' };
    };
    servicesOf(host).registrar.register(undefined, on(command('./guard.sh')), { trustCheckOf });
    const found = await all(replay(host, fires));
    expect(found.map(({ changed, now }) => [changed, now.word])).toEqual([
      ['asked', 'ask'],
      ['asked', 'ask'],
      ['asked', 'ask'],
    ]);
    expect(looked).toBe(1);
  });
});

test.each([
  [false, ['deny', 'deny', 'deny', 'deny']],
  [true, ['deny', 'deny', 'none', 'none']],
])('an agent’s hooks end with its stop, and begin again where it goes on (once: %s)', async (once, expected) => {
  const agent = { agent_id: 'a1', agent_type: 'reviewer', session_id: 's1' };
  const inputs: [string, object][] = [
    ['SubagentStart', agent],
    ['PreToolUse', { ...CALL, ...agent }],
    ['SubagentStop', { ...agent, stop_hook_active: false, agent_transcript_path: '' }],
    ['PreToolUse', { ...CALL, ...agent }],
    ['PreToolUse', { ...CALL, ...agent }],
    ['SubagentStart', agent],
    ['PreToolUse', { ...CALL, session_id: 's1', agent_id: 'a1' }],
  ];
  const make = (why = 'no'): Host => {
    const host = hostOf({});
    host.spawnHooks('reviewer', { PreToolUse: [{ once, hooks: [rule('deny', why)] }] });
    return host;
  };
  const host = make();
  const fires: FireRecord[] = [];
  host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
  for (const [event, input] of inputs) await host.fireAny(event, input as never);
  await host.close();
  const verdicts = fires.filter(({ event }) => event === 'PreToolUse').map(({ decision }) => decision.verdict);
  expect(verdicts).toEqual(expected);
  const found = await all(replay(make(), fires));
  expect(found.filter(({ changed }) => changed !== undefined)).toEqual([]);
  expect(found.map(({ now }) => now.word).filter((_, i) => [1, 3, 4, 6].includes(i))).toEqual(verdicts);
  const other = await all(replay(make('never'), fires));
  expect(other.map(({ now }) => now.word).filter((_, i) => [1, 3, 4, 6].includes(i))).toEqual(verdicts);
});

describe('how it was fired', () => {
  const fired = async (hooks: Hooks, settings: FireSettings): Promise<Replayed> => {
    const host = hostOf(hooks);
    const fires: FireRecord[] = [];
    host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
    await fire(servicesOf(host), 'PreToolUse', { ...CALL }, settings);
    await host.close();
    return one(fires, hooks);
  };
  const broken = on({ handler: () => Promise.reject(new Error('broken')), name: 'broken' });
  const merges = on({ handler: () => rewrite({ description: 'List' }), name: 'merges' });

  test('guards that failed closed fail closed again', async () => {
    expect(await fired(broken, { guards: 'block' })).toMatchObject({ now: { word: 'deny' } });
    expect((await fired(broken, { guards: 'block' })).changed).toBeUndefined();
    expect(await fired(broken, {})).toMatchObject({ now: { word: 'none' } });
  });

  test('an agent that keeps what a rewrite leaves out does so again', async () => {
    const { now, changed } = await fired(merges, { keepsKeys: true });
    expect(now.decision['updatedInput']).toEqual({ command: 'ls', description: 'List' });
    expect(changed).toBeUndefined();
    expect((await fired(merges, {})).now.decision['updatedInput']).toEqual({ description: 'List' });
  });

  test('a rewrite that Claude Code would not take is no rewrite again', async () => {
    const output = { PostToolUse: [{ hooks: [{ handler: () => rewrite('text'), name: 'text' }] }] } as Hooks;
    const host = hostOf(output);
    const fires: FireRecord[] = [];
    host.events$.subscribe((each) => each.type === 'hook_fire' && fires.push(each));
    const input = { ...CALL, tool_response: { stdout: 'a' } };
    await fire(servicesOf(host), 'PostToolUse', input, { doneBy: 'client' });
    await fire(servicesOf(host), 'PostToolUse', input, { doneBy: 'session' });
    await host.close();
    const found = await all(replay(hostOf(output), fires));
    expect(found.map(({ now }) => now.decision['updatedOutput'])).toEqual([undefined, 'text']);
    expect(found.filter(({ changed }) => changed !== undefined)).toEqual([]);
  });
});

test('where what matchers look at is masked, whoever has a matcher is unknown', async () => {
  const [fire] = (await record(on())) as [FireRecord];
  const masked = {
    ...fire,
    input: { ...fire.input, tool_name: '[redacted secret hmac:0123456789abcdef]' },
    redacted: { key: 'k', count: 1 },
  };
  const hooks = (matcher: string): Hooks => ({ PreToolUse: [{ matcher, hooks: [rule('deny', 'no')] }] });
  expect((await one([masked], hooks('Bash'))).changed).toBe('unknown');
  expect((await one([masked], hooks('*'))).changed).toBe('denied');
});

describe('what is kept between fires', () => {
  test('one that runs once has one life in each agent', async () => {
    const of = (agent: string) => ({ ...CALL, agent_id: agent, agent_type: 'reviewer' });
    const fires = await record({}, [of('a1'), of('a2'), of('a1')]);
    const host = hostOf({});
    host.spawnHooks('reviewer', { PreToolUse: [{ once: true, hooks: [rule('deny', 'no')] }] });
    expect((await all(replay(host, fires))).map(({ now }) => now.word)).toEqual(['deny', 'deny', 'none']);
  });

  test('what was only guessed may be its run, so that the next fire is unknown too', async () => {
    const [fire] = (await record(on())) as [FireRecord];
    const command = '[redacted secret hmac:0123456789abcdef]';
    const masked = { ...fire, input: { ...fire.input, tool_input: { command } }, redacted: { key: 'k', count: 1 } };
    const hooks = on({ ...rule('deny', 'no', { if: 'Bash(ls *)' }), once: true });
    const found = await all(replay(hostOf(hooks), [masked, fire, fire]));
    expect(found.map(({ changed }) => changed)).toEqual(['unknown', 'unknown', undefined]);
  });

  test('what was decided in a replay is no decision that alarms look at', async () => {
    const fires = await record(on());
    const alarms: unknown[] = [];
    const host = createHost({ logger: () => undefined, onAlarm: (alarm) => alarms.push(alarm) });
    host.register(on(rule('deny', 'no')));
    expect((await all(replay(host, fires)))[0]?.now.word).toBe('deny');
    await host.fire('PostToolUse', { ...CALL, tool_response: {} });
    expect(alarms).toEqual([]);
    await host.fire('PreToolUse', CALL);
    await host.fire('PostToolUse', { ...CALL, tool_response: {} });
    expect(alarms).toHaveLength(1);
  });
});

test('what a denied call would have been rewritten to is no change', async () => {
  const renames = { handler: () => rewrite({ command: 'ls -la' }), name: 'renames' };
  const fires = await record(on(renames, rule('deny', 'no')));
  expect(fires[0]?.decision).toHaveProperty('updatedInput');
  expect((await one(fires, on(rule('deny', 'no')))).changed).toBeUndefined();
});
