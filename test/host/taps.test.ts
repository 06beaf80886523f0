import { AsyncSeriesBailHook } from 'tapable';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/record.js';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { addContext, allow, deny, stop } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { RawFire } from '../../src/host/hooks.js';
import type { FullTap as Tap } from '../../src/host/tap-meanings.js';
import { INPUTS } from './inputs.js';
import { deferred, fires, never, only, testHost, turn, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;
const rewrite = (command: string) => ({ hookSpecificOutput: { updatedInput: { command } } });

/** A host whose taps and handlers write their names. */
function logging(options = {}) {
  const made = testHost(options);
  const log: string[] = [];
  return { ...made, log, mark: (name: string) => () => void log.push(name), ran: () => log.splice(0).join(' ') };
}

describe('host.hooks', () => {
  test('has a real tapable hook for every event, one’s own too, with our plan as one tap', () => {
    const { host } = testHost({ events: { Deploy: defineEvent({ input: z.object({}), fold: 'observe' }) } });
    expect(Object.keys(host.hooks).toSorted()).toEqual([...HOOK_EVENTS, 'Deploy'].toSorted());
    for (const event of [...HOOK_EVENTS, 'Deploy'] as const) {
      const hook = host.hooks[event];
      expect(hook.constructor).toBe(AsyncSeriesBailHook);
      expect(hook).toBe(host.hooks[event]);
      expect(hook.name).toBe(event);
      expect(hook.taps.map((t) => [t.name, t.stage, t.type])).toEqual([['hookscope', 0, 'promise']]);
    }
    expect((host.hooks as Record<string, unknown>)['Nope']).toBeUndefined();
  });

  test('an event that is only looked at runs as before', async () => {
    const { host, mark, ran } = logging();
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    expect(host.hooks.PreToolUse.isUsed()).toBe(true);
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('plan');
  });

  test('cannot be called but by a fire', async () => {
    const { host, mark, ran } = logging();
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    await expect(host.hooks.PreToolUse.promise({} as RawFire<never>)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
    expect(ran()).toBe('');
  });
});

describe('a raw tap', () => {
  test.each([1, 2])('has its row in the record, be there %i of them', async (count) => {
    const { host } = testHost();
    const seen = watch(host);
    for (let i = 0; i < count; i++) host.hooks.PreToolUse.tap(`tap${i}`, () => undefined);
    await host.fire('PreToolUse', PRE);
    expect(fires(seen)[0]?.handlers.map(({ name, status }) => [name, status])).toEqual(
      Array.from({ length: count }, (_, i) => [`tap${i}`, 'ran']),
    );
  });

  test('runs around the plan, by stage and before', async () => {
    const { host, mark, ran } = logging();
    const { PreToolUse } = host.hooks;
    PreToolUse.tap({ name: 'late', stage: 10 }, mark('late'));
    PreToolUse.tap('after', mark('after'));
    PreToolUse.tapPromise({ name: 'early', stage: -10 }, async () => void mark('early')());
    PreToolUse.tapAsync({ name: 'before', before: 'hookscope' }, (_, done) => {
      mark('before')();
      done();
    });
    PreToolUse.tap({ name: 'first', before: 'early', stage: -10 }, mark('first'));
    PreToolUse.withOptions({ stage: 20 }).tap('latest', mark('latest'));
    host.register({
      PreToolUse: [
        { stage: 99, hooks: [mark('plan99')] },
        { stage: -99, hooks: [mark('plan-99')] },
        { phase: 'observe', hooks: [mark('observer')] },
      ],
    });
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('first early before plan-99 plan99 after late latest observer');
  });

  test('runs in every fire of its event, in whatever scope, with hooks or without', async () => {
    const { host, mark, ran } = logging();
    host.hooks.PreToolUse.tap('tap', mark('tap'));
    await host.fire('PreToolUse', PRE);
    host.registerScoped('a', { PreToolUse: [{ hooks: [mark('a')] }] });
    await host.fire('PreToolUse', PRE, { scope: 'a' });
    await host.fire('PreToolUse', { ...PRE, tool_name: 'Other', session_id: 't' });
    await host.fire('Stop', INPUTS.Stop);
    expect(ran()).toBe('tap a tap tap');
  });

  test('is given event, read-only input, tool use id and context', async () => {
    const { host } = testHost();
    const seen: RawFire[] = [];
    host.hooks.PreToolUse.tap('tap', (fire) => void seen.push(fire as never));
    host.hooks.PreToolUse.tap('writer', (fire) => {
      (fire.input as { tool_name: string }).tool_name = 'rm';
    });
    const decision = await host.fire('PreToolUse', PRE);
    const fire = only(seen);
    expect(Object.keys(fire)).toEqual(['event', 'input', 'toolUseID', 'context']);
    expect(fire).toMatchObject({ event: 'PreToolUse', toolUseID: 't1', input: { tool_name: 'Bash', session_id: 's' } });
    expect(fire.context).toMatchObject({ call: 'first', scope: 'session', signal: { aborted: false } });
    expect(only(decision.failures)).toMatchObject({
      name: 'writer',
      cause: 'threw',
      message: expect.stringContaining('read-only'),
    });
  });

  test('is folded like any handler, in the order it ran in', async () => {
    const { host } = testHost();
    host.hooks.PreToolUse.tap({ name: 'early', stage: -1 }, () => addContext('early'));
    host.register({ PreToolUse: [{ hooks: [() => addContext('plan')] }] }, { name: 'plan' });
    host.hooks.PreToolUse.tapPromise('late', async () => deny('no'));
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'no', additionalContext: ['early', 'plan'] });
    expect(decision.outcomes.map((o) => o.name)).toEqual(['early', 'plan', 'late']);
    expect(decision.decidedBy).toBe(decision.outcomes[2]?.id);
  });

  test.each([null, undefined, {}, [], 0, '', false, true, 'text', 1, () => {}, { permissionDecision: 'deny' }])(
    'never bails by what it returns: %j',
    async (value) => {
      const { host, mark, ran } = logging();
      host.hooks.PreToolUse.tap({ name: 'early', stage: -1 }, () => value);
      host.hooks.PreToolUse.tap('late', mark('late'));
      host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
      expect((await host.fire('PreToolUse', PRE)).verdict).toBe('none');
      expect(ran()).toBe('plan late');
    },
  );

  test('ends the run by `continue: false`, as any hook does', async () => {
    const { host, mark, ran } = logging();
    const seen = watch(host);
    host.hooks.PreToolUse.tap({ name: 'early', stage: -1 }, () => stop('enough'));
    host.hooks.PreToolUse.tap({ name: 'late', stage: 1 }, mark('late'));
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'deny', continue: false, reason: 'enough' });
    expect(ran()).toBe('');
    expect(only(fires(seen)).handlers.map(({ reason }) => reason)).toEqual([undefined, 'bailed', 'bailed']);
  });

  test.each(['tap', 'tapAsync', 'tapPromise'] as const)(
    'that fails (%s) is a failure by the host’s policy, and stops nobody',
    async (how) => {
      const { host, mark, ran } = logging({ onFailure: 'block' });
      const fail = {
        tap: () => {
          throw new Error('broken');
        },
        tapAsync: (_: unknown, done: (e: Error) => void) => done(new Error('broken')),
        tapPromise: () => Promise.reject(new Error('broken')),
      };
      (host.hooks.PreToolUse[how] as (o: object, f: unknown) => void)({ name: 'it', stage: -1 }, fail[how]);
      host.hooks.PreToolUse.tap('late', mark('late'));
      host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
      expect(await host.fire('PreToolUse', PRE)).toMatchObject({
        verdict: 'deny',
        failures: [{ name: 'it', cause: 'threw', message: expect.stringContaining('broken'), blocked: true }],
      });
      expect(ran()).toBe('plan late');
    },
  );

  test('that hangs runs out of the host’s time', async () => {
    const { host, mark, ran } = logging({ timeout: 0.03 });
    host.hooks.PreToolUse.tapAsync({ name: 'stuck', stage: -1 }, () => {});
    host.hooks.PreToolUse.tapPromise('stuck too', never);
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    const decision = await host.fire('PreToolUse', PRE);
    expect(decision.failures.map((f) => [f.name, f.cause])).toEqual([
      ['stuck', 'timeout'],
      ['stuck too', 'timeout'],
    ]);
    expect(ran()).toBe('plan');
  });

  test('is asked again like any handler, and may rewrite', async () => {
    const { host, log } = logging();
    const tap =
      (name: string, output?: () => unknown) =>
      (fire: { input: { tool_input: unknown }; context: { call: string } }) => {
        log.push(`${name}:${(fire.input.tool_input as { command: string }).command}:${fire.context.call}`);
        return output?.();
      };
    host.hooks.PreToolUse.tap({ name: 'early', stage: -1 }, tap('early'));
    host.hooks.PreToolUse.tapPromise('late', async (fire) => tap('late', () => rewrite('late'))(fire));
    host.register({ PreToolUse: [{ hooks: [() => rewrite('plan')] }] }, { name: 'plan' });
    const decision = await host.fire('PreToolUse', PRE);
    expect(log).toEqual(['early:ls:first', 'late:plan:first', 'early:late:reask']);
    expect(decision.updatedInput).toEqual({ command: 'late' });
    const names = new Map(decision.outcomes.map((o) => [o.id, o.name]));
    expect(decision.conflicts.map((c) => [names.get(c.winner), names.get(c.loser)])).toEqual([['late', 'plan']]);
  });

  test('that says stop ends the run like any handler from code', async () => {
    const { host, mark, ran } = logging();
    host.hooks.PreToolUse.tap({ name: 'early', stage: -1 }, () => stop('enough'));
    host.hooks.PreToolUse.tap('late', mark('late'));
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }, { phase: 'observe', hooks: [mark('observer')] }] });
    expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'deny', continue: false });
    expect(ran()).toBe('observer');
  });

  test('is recorded where it ran, or as bailed; elsewhere counts registrations alone', async () => {
    const { host, mark } = logging();
    const seen = watch(host);
    host.hooks.PreToolUse.tap({ name: 'late', stage: 5 }, mark('late'));
    host.hooks.PreToolUse.tap({ name: 'early', stage: -5 }, () => allow());
    host.register(
      {
        PreToolUse: [
          { matcher: 'Bash', hooks: [mark('plan')] },
          { matcher: 'Read', hooks: [() => stop()] },
        ],
      },
      { name: 'plan' },
    );
    await host.fire('PreToolUse', PRE);
    await host.fire('PreToolUse', { ...PRE, tool_name: 'Read' });
    const [one, two] = fires(seen);
    expect(one?.handlers.map((h) => [h.name, h.handler, h.source.kind, h.status, h.wave])).toEqual(
      [
        ['early', 'tap', 'tap', 'ran', 0],
        ['plan/mark', 'callback', 'code', 'ran', 1],
        ['plan', 'callback', 'code', 'skipped', null],
        ['late', 'tap', 'tap', 'ran', 2],
      ].map((row) => [
        row[0] === 'plan/mark' || row[0] === 'plan' ? expect.stringMatching(/^plan/) : row[0],
        ...row.slice(1),
      ]),
    );
    expect(two?.handlers.map((h) => [h.handler, h.status, h.reason])).toEqual([
      ['tap', 'ran', undefined],
      ['callback', 'skipped', 'matcher'],
      ['callback', 'ran', undefined],
      ['tap', 'skipped', 'bailed'],
    ]);
    expect([one?.out_of_scope, two?.out_of_scope]).toEqual([0, 0]);
    expect(
      seen.filter((r) => r.type === 'system' && r.name === 'early').map((r) => 'subtype' in r && r.subtype),
    ).toEqual(['hook_started', 'hook_response', 'hook_started', 'hook_response']);
  });

  test('of fires at the same time are each of its own fire', async () => {
    const { host } = testHost();
    const gates = new Map<string, ReturnType<typeof deferred>>();
    host.hooks.PreToolUse.tapPromise('tap', async (fire) => {
      const id = fire.toolUseID as string;
      const gate = deferred();
      gates.set(id, gate);
      await gate.promise;
      return addContext(id);
    });
    const all = ['a', 'b', 'c'].map((tool_use_id) => host.fire('PreToolUse', { ...PRE, tool_use_id }));
    await turn();
    for (const id of ['c', 'a', 'b']) gates.get(id)?.resolve(0);
    expect((await Promise.all(all)).map((d) => d.additionalContext)).toEqual([['a'], ['b'], ['c']]);
  });

  test('of an event of one’s own works like any', async () => {
    const { host } = testHost({
      events: { Deploy: defineEvent({ input: z.object({ target: z.string() }), subject: 'target', fold: 'gate' }) },
    });
    host.hooks.Deploy.tap('tap', (fire) => (fire.input.target === 'prod' ? deny('not there') : undefined));
    expect(await host.fire('Deploy', { target: 'prod' })).toMatchObject({ verdict: 'deny', reason: 'not there' });
    expect((await host.fire('Deploy', { target: 'test' })).verdict).toBe('none');
  });
});

test('explain and describe name raw taps, where they will run', async () => {
  const { host, mark } = logging();
  host.hooks.PreToolUse.tap({ name: 'late', stage: 5 }, mark('late'));
  host.hooks.PreToolUse.tap({ name: 'lockdown', stage: -10 }, mark('lockdown'));
  host.hooks.PreToolUse.tap({ name: 'second', stage: -5 }, mark('second'));
  host.register({
    PreToolUse: [
      { name: 'one', mode: 'parallel', hooks: [mark('one'), mark('two')] },
      { name: 'other', matcher: 'Read', hooks: [mark('other')] },
      { name: 'observer', phase: 'observe', hooks: [mark('observer')] },
    ],
  });
  const { hooks } = host.explain('PreToolUse', PRE);
  const seen = watch(host);
  await host.fire('PreToolUse', PRE);
  const rows = fires(seen)[0]?.handlers ?? [];
  const ran = rows.filter(({ status }) => status === 'ran').sort((a, b) => (a.wave ?? 0) - (b.wave ?? 0));
  expect(hooks.filter(({ runs }) => runs).map(({ id, wave }) => [id, wave])).toEqual(
    ran.map(({ id, wave }) => [id, wave]),
  );
  expect(ran.map(({ name }) => name)).toEqual(['lockdown', 'second', 'one', 'one', 'late', 'observer']);
  expect(host.explain('PostToolUse', INPUTS.PostToolUse).hooks).toEqual([]);
  for (const name of ['lockdown', 'second', 'late']) expect(String(host.describe())).toContain(`tap ${name}`);
});

describe('an interceptor', () => {
  test('sees the calls, the taps and their registering, ours too', async () => {
    const { host, mark, log } = logging();
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    host.hooks.PreToolUse.intercept({
      call: (fire) => void log.push(`call ${(fire as RawFire).event}`),
      tap: (tap) => void log.push(`tap ${tap.name}`),
      register: (tap) => {
        log.push(`register ${tap.name}`);
        return tap;
      },
      done: () => void log.push('done'),
    });
    host.hooks.PreToolUse.tap('mine', mark('mine'));
    await host.fire('PreToolUse', PRE);
    expect(log).toEqual([
      'register hookscope',
      'register mine',
      'call PreToolUse',
      'tap hookscope',
      'plan',
      'tap mine',
      'mine',
      'done',
    ]);
  });

  test('whose register answers nothing leaves the taps as they are', async () => {
    const { host, ran, mark } = logging();
    host.hooks.PreToolUse.tapPromise({ name: 'early', stage: -1 }, async () => deny('early'));
    host.hooks.PreToolUse.intercept({ register: () => undefined as never });
    host.hooks.PreToolUse.tapPromise({ name: 'late', stage: 1 }, async () => deny('late'));
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    const decision = await host.fire('PreToolUse', PRE);
    expect([decision.verdict, decision.reason, ran()]).toEqual(['deny', 'early', 'plan']);
    expect(decision.failures).toEqual([]);
  });

  test('that registers taps of another name or stage is obeyed', async () => {
    const { host, mark, ran } = logging();
    host.hooks.PreToolUse.intercept({ register: (tap) => (tap.name === 'hookscope' ? tap : { ...tap, stage: -1 }) });
    host.hooks.PreToolUse.tap('mine', mark('mine'));
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('mine plan');
  });

  test('that wraps taps leaves them in the record, whether they came before or after it', async () => {
    const { host, log } = logging();
    const seen = watch(host);
    host.register({ PreToolUse: [{ name: 'plan', hooks: [() => undefined] }] });
    host.hooks.PreToolUse.tap({ name: 'before', stage: -1 }, () => deny('no'));
    host.hooks.PreToolUse.intercept({
      register: ({ fn, ...tap }) => ({
        ...tap,
        fn: (fire: unknown): unknown => {
          log.push(tap.name);
          return Reflect.apply(fn, undefined, [fire]);
        },
      }),
    });
    host.hooks.PreToolUse.tap('after', () => undefined);
    const { decidedBy } = await host.fire('PreToolUse', PRE);
    expect(log).toEqual(['before', 'hookscope', 'after']);
    const { handlers } = only(fires(seen));
    expect(handlers.map(({ name, status }) => [name, status])).toEqual([
      ['before', 'ran'],
      ['plan', 'ran'],
      ['after', 'ran'],
    ]);
    expect(handlers.find(({ id }) => id === decidedBy)).toMatchObject({ name: 'before', verdict: 'deny' });
  });

  test.each(['call', 'tap'] as const)(
    'that throws at %s keeps the plan from nothing, and is reported',
    async (where) => {
      const { host, reports, mark, ran } = logging();
      host.register({ PreToolUse: [{ hooks: [mark('plan'), () => deny('no')] }] });
      host.hooks.PreToolUse.intercept({
        [where]: () => {
          throw new Error('interceptor');
        },
      });
      expect(await host.fire('PreToolUse', PRE)).toMatchObject({ verdict: 'deny', reason: 'no', failures: [] });
      expect(ran()).toBe('plan');
      expect(only(reports)).toContain('interceptor');
    },
  );

  test('that throws at a tap or at the end keeps no tap from running, and runs nothing twice', async () => {
    const { host, reports, mark, ran } = logging();
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    host.hooks.PreToolUse.tap('late', mark('late'));
    host.hooks.PreToolUse.intercept({
      tap: (tap) => {
        if (tap.name === 'late') throw new Error('interceptor');
      },
      done: () => {
        throw new Error('done');
      },
    });
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('plan late');
    expect(reports).toHaveLength(2);
  });

  test('a tap with tapable’s `context` option is called with the fire', async () => {
    const { host } = logging();
    const seen: unknown[] = [];
    host.hooks.PreToolUse.tap(
      { name: 'audit', context: true, stage: 1 } as never,
      (fire) => void seen.push(fire.event),
    );
    host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('deny');
    expect(seen).toEqual(['PreToolUse']);
  });

  test('that makes a tap bail keeps the plan from nothing', async () => {
    const { host, mark, ran } = logging();
    host.hooks.PreToolUse.intercept({
      register: (tap) => (tap.name === 'early' ? { ...tap, fn: async () => 'bail' } : tap),
    });
    host.hooks.PreToolUse.tapPromise({ name: 'early', stage: -1 }, async () => undefined);
    host.register({ PreToolUse: [{ hooks: [mark('plan'), () => deny('no')] }] });
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('deny');
    expect(ran()).toBe('plan');
  });

  type Fn = (fire: unknown) => Promise<unknown>;
  type Wrapped = { readonly type?: string; readonly context?: boolean; readonly fn: unknown };
  const broken = (): Error => new Error('broken');
  /** What a `register` may put in a tap's place, and whether that fails. */
  const WRAPPERS: Readonly<Record<string, readonly [wrap: (fn: Fn) => Wrapped, fails: boolean]>> = {
    calls: [(fn) => ({ fn: (fire: unknown) => fn(fire) }), false],
    rejects: [() => ({ fn: () => Promise.reject(broken()) }), true],
    throws: [
      () => ({
        fn: () => {
          throw broken();
        },
      }),
      true,
    ],
    'rejects later': [
      () => ({
        fn: async () => {
          await turn();
          throw broken();
        },
      }),
      true,
    ],
    'calls, then throws': [
      (fn) => ({
        fn: (fire: unknown) => {
          void fn(fire);
          throw broken();
        },
      }),
      true,
    ],
    'calls, then rejects': [
      (fn) => ({
        fn: async (fire: unknown) => {
          void fn(fire);
          throw broken();
        },
      }),
      true,
    ],
    'forgets to return': [(fn) => ({ fn: (fire: unknown) => void fn(fire) }), false],
    'returns another value': [
      (fn) => ({
        fn: (fire: unknown) => {
          void fn(fire);
          return 5;
        },
      }),
      false,
    ],
    'has a result': [(fn) => ({ fn: async (fire: unknown) => fn(fire).then(() => 'bail') }), false],
    'returns a broken thenable': [
      () => ({
        fn: () => ({
          // biome-ignore lint/suspicious/noThenProperty: that is what is tried
          then(): void {
            throw broken();
          },
        }),
      }),
      true,
    ],
    'is no function': [() => ({ fn: 5 }), true],
    'has a callback': [
      (fn) => ({
        type: 'async',
        fn: (fire: unknown, done: (e?: unknown) => void) => fn(fire).then(() => done(), done),
      }),
      false,
    ],
    'has a callback with an error': [
      () => ({ type: 'async', fn: (_: unknown, done: (e?: unknown) => void) => done(broken()) }),
      true,
    ],
    'is synchronous': [(fn) => ({ type: 'sync', fn: (fire: unknown) => void fn(fire) }), false],
    'has a context': [(fn) => ({ context: true, fn: (_: unknown, fire: unknown) => fn(fire) }), false],
    'has a context and throws': [
      () => ({
        context: true,
        fn: () => {
          throw broken();
        },
      }),
      true,
    ],
    'calls later': [(fn) => ({ fn: (fire: unknown) => void setImmediate(() => void fn(fire)) }), false],
    'calls later, with a promise': [
      (fn) => ({
        fn: async (fire: unknown) => {
          setImmediate(() => void fn(fire));
        },
      }),
      false,
    ],
    'does not call': [() => ({ fn: async () => undefined }), false],
    'has no promise': [() => ({ fn: () => 5 }), false],
    'is the tap, synchronous': [(fn) => ({ type: 'sync', fn }), false],
    'is the tap, with a callback': [(fn) => ({ type: 'async', fn }), false],
    'is the tap, with a context': [(fn) => ({ context: true, fn }), false],
    'calls twice': [(fn) => ({ fn: async (fire: unknown) => [await fn(fire), await fn(fire)] }), false],
  };
  test.each(Object.keys(WRAPPERS))(
    'whose wrapper %s keeps no tap and no hook from running, each once and in its place',
    async (how) => {
      for (const name of ['first', 'second', 'hookscope', 'third', 'fourth'])
        for (const copies of [true, false])
          for (const before of [true, false]) await wrapping(how, name, { copies, before });
    },
  );
  async function wrapping(
    how: string,
    wrapped: string,
    { copies, before }: { copies: boolean; before: boolean },
  ): Promise<void> {
    const { host, reports, mark, ran } = logging();
    const seen = watch(host);
    const [wrap, fails] = WRAPPERS[how] as (typeof WRAPPERS)[string];
    const intercept = (): void => {
      host.hooks.PreToolUse.intercept({
        register: (tap) => {
          if (tap.name !== wrapped) return tap;
          const made = wrap(tap.fn as Fn) as object;
          return (copies ? { ...tap, ...made } : Object.assign(tap, made)) as typeof tap;
        },
      });
      host.hooks.PreToolUse.intercept({ register: (tap) => ({ ...tap }) });
    };
    if (before) intercept();
    const names = ['first', 'second', 'third', 'fourth'];
    for (const [i, name] of names.entries())
      host.hooks.PreToolUse.tapPromise({ name, stage: [-2, -1, 1, 2][i] as number }, async () => {
        await turn();
        mark(name)();
        return name === wrapped ? deny(name) : undefined;
      });
    if (!before) intercept();
    host.register({ PreToolUse: [{ hooks: [() => turn().then(mark('plan'))] }] });
    const explained = host.explain('PreToolUse', PRE).hooks.map(({ name }) => name);
    const { verdict, reason } = await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('first second plan third fourth');
    expect([verdict, reason]).toEqual(wrapped === 'hookscope' ? ['none', undefined] : ['deny', wrapped]);
    expect(reports).toHaveLength(fails ? 1 : 0);
    expect(only(fires(seen)).handlers.map(({ status }) => status)).toEqual(Array(5).fill('ran'));
    for (const name of names) expect(explained).toContain(name);
  }

  test.each([undefined, null, 1, 'tap', true])('whose register gives %j leaves the taps as they are', async (given) => {
    const { host, reports, mark, ran } = logging();
    host.hooks.PreToolUse.tap({ name: 'early', stage: -1 }, mark('early'));
    host.hooks.PreToolUse.intercept({ register: () => given as never });
    host.hooks.PreToolUse.tap('late', mark('late'));
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    await host.fire('PreToolUse', PRE);
    expect([ran(), reports]).toEqual(['early plan late', []]);
  });

  test.each<[string, () => (tap: Tap) => Tap]>([
    [
      'the tap of the same name',
      () => {
        const known: Record<string, Tap> = {};
        return (tap) => (known[tap.name] ??= tap);
      },
    ],
    [
      'the function of the first tap of the same name',
      () => {
        const known: Record<string, Tap['fn']> = {};
        return (tap) => {
          known[tap.name] ??= tap.fn;
          return { ...tap, fn: known[tap.name] as Tap['fn'] };
        };
      },
    ],
    [
      'one object for all',
      () => {
        const shared = { name: 'shared', type: 'promise', fn: async () => undefined } as Tap;
        return () => shared;
      },
    ],
    [
      'one function for all',
      () => {
        const fn = async (): Promise<undefined> => undefined;
        return (tap) => ({ ...tap, fn });
      },
    ],
    [
      'the function of the tap before',
      () => {
        let last: Tap['fn'] | undefined;
        return (tap) => {
          const fn = last ?? tap.fn;
          last = tap.fn;
          return { ...tap, fn };
        };
      },
    ],
  ])('whose register puts %s in the place of taps keeps none from running, once', async (_, made) => {
    for (const before of [true, false]) {
      const { host, mark, ran } = logging();
      const seen = watch(host);
      if (before) host.hooks.PreToolUse.intercept({ register: made() as never });
      for (const name of ['a', 'guard', 'guard', 'b']) host.hooks.PreToolUse.tap({ name, stage: 1 }, mark(name));
      host.hooks.PreToolUse.tapPromise({ name: 'guard', stage: 1 }, async () => deny('no'));
      if (!before) host.hooks.PreToolUse.intercept({ register: made() as never });
      host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
      expect((await host.fire('PreToolUse', PRE)).verdict).toBe('deny');
      expect(ran().split(' ').toSorted()).toEqual(['a', 'b', 'guard', 'guard', 'plan']);
      const { handlers } = only(fires(seen));
      expect(handlers.map(({ status }) => status)).toEqual(Array(6).fill('ran'));
      expect(new Set(handlers.map(({ id }) => id)).size).toBe(6);
    }
  });

  test('whose register throws keeps the tap out, and one that is tapped again runs once', async () => {
    const { host, mark, ran } = logging();
    let refused = 0;
    host.hooks.PreToolUse.intercept({
      register: (tap) => {
        if (tap.name === 'guard' && refused++ === 0) throw new Error('not yet');
        return tap;
      },
    });
    const tap = (): void => host.hooks.PreToolUse.tap('guard', mark('guard'));
    expect(tap).toThrow('not yet');
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('plan');
    tap();
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('plan guard');
  });

  type PreToolUse = Host['hooks']['PreToolUse'];
  const namesIn = ({ hooks, children }: Pick<ReturnType<Host['describe']>, 'hooks' | 'children'>): string[] => [
    ...hooks.map(({ name }) => name),
    ...children.flatMap(namesIn),
  ];
  const lists = (host: Host): string[][] => [
    host
      .explain('PreToolUse', PRE)
      .hooks.map(({ name }) => name)
      .toSorted(),
    namesIn(host.describe()).toSorted(),
  ];

  test.each<[string, (hook: PreToolUse) => void]>([
    ['the list of taps', (hook) => hook.taps.splice(0)],
    ['all but our tap', (hook) => hook.taps.splice(1)],
    [
      'an interceptor that is put into the list',
      (hook) => hook.interceptors.push({ register: (t: Tap) => ({ ...t, fn: () => 5 }) } as never),
    ],
    ['the list of interceptors', (hook) => hook.interceptors.splice(0)],
    [
      'a tap with another function, which calls the first,',
      (hook) => {
        const at = hook.taps.findIndex(({ name }) => name === 'first');
        const tap = hook.taps[at] as Tap;
        hook.taps[at] = {
          ...tap,
          fn: (...args: unknown[]) => (tap.fn as (...args: unknown[]) => unknown)(...args),
        } as Tap;
      },
    ],
    ['a copy of each tap', (hook) => hook.taps.push(...hook.taps.map((tap) => ({ ...tap })))],
  ])('%s that is changed by hand keeps no tap from running, nor out of the lists', async (_, change) => {
    for (const fired of [true, false]) {
      const { host, mark, ran } = logging();
      const seen = watch(host);
      host.hooks.PreToolUse.tap({ name: 'first', stage: 1 }, mark('first'));
      if (fired) await host.fire('PreToolUse', PRE);
      change(host.hooks.PreToolUse);
      host.hooks.PreToolUse.tapPromise({ name: 'second', stage: 2 }, async () => {
        mark('second')();
        return deny('no');
      });
      host.register({ PreToolUse: [{ hooks: [{ name: 'plan', handler: mark('plan') }] }] });
      ran();
      const { decidedBy } = await host.fire('PreToolUse', PRE);
      const { handlers } = fires(seen).at(-1) as FireRecord;
      expect(ran().split(' ').toSorted()).toEqual(['first', 'plan', 'second']);
      expect(handlers.map(({ name }) => name).toSorted()).toEqual(['first', 'plan', 'second']);
      expect(handlers.find(({ id }) => id === decidedBy)?.name).toBe('second');
      for (const list of lists(host)) expect(list).toEqual(['first', 'plan', 'second']);
    }
  });

  /** An interceptor that puts an async function, whose promise rejects after `wait`, in each tap's place. */
  const puttingAsync = (hook: PreToolUse, answer: (done: () => void) => void, wait: () => Promise<void>) =>
    hook.intercept({
      register: (tap) => ({
        ...tap,
        type: 'async',
        fn: async (_: unknown, done: () => void) => {
          answer(done);
          await wait();
          throw new Error('boom');
        },
      }),
    });

  test.each<[string, boolean, (hook: PreToolUse, wait: () => Promise<void>) => void]>([
    [
      'a tap',
      true,
      (hook, wait) =>
        hook.tapAsync('async', async () => {
          await wait();
          throw new Error('boom');
        }),
    ],
    [
      'a tap that has answered',
      false,
      (hook, wait) =>
        hook.tapAsync('async', async (_, done) => {
          done(null, undefined);
          await wait();
          throw new Error('boom');
        }),
    ],
    ['what a register puts in a tap’s place', false, (hook, wait) => puttingAsync(hook, () => undefined, wait)],
    [
      'what a register puts in a tap’s place and has answered',
      false,
      (hook, wait) => puttingAsync(hook, (done) => done(), wait),
    ],
  ])('and %s with a callback whose promise rejects is told, and every tap runs', async (_, isFailure, add) => {
    for (const wait of [async () => undefined, turn]) {
      const { host, reports, mark, ran } = logging();
      const seen = watch(host);
      add(host.hooks.PreToolUse, wait);
      host.hooks.PreToolUse.tapPromise('guard', async () => {
        mark('guard')();
        return deny('no');
      });
      host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
      const { verdict } = await host.fire('PreToolUse', PRE);
      await turn();
      expect([verdict, ran()]).toEqual(['deny', 'plan guard']);
      const failed = only(fires(seen)).handlers.filter(({ status }) => status !== 'ran');
      expect(failed).toHaveLength(isFailure ? 1 : 0);
      expect(`${JSON.stringify(failed)} ${reports.join()}`).toContain('boom');
    }
  });

  test('that asks for the lists while a tap is registered leaves it in them', async () => {
    for (const ask of ['describe', 'explain', 'fire'] as const) {
      const { host, mark } = logging();
      const seen = watch(host);
      const asks = {
        describe: () => host.describe(),
        explain: () => host.explain('PreToolUse', PRE),
        fire: () => void host.fire('PreToolUse', PRE),
      };
      host.hooks.PreToolUse.intercept({
        register: (tap) => {
          asks[ask]();
          return tap;
        },
      });
      host.hooks.PreToolUse.tap('other', mark('other'));
      host.hooks.PreToolUse.tap('guard', () => deny('no'));
      const { verdict, decidedBy } = await host.fire('PreToolUse', PRE);
      const { handlers } = fires(seen).at(-1) as FireRecord;
      expect([verdict, handlers.map(({ id }) => id)]).toEqual(['deny', [expect.any(String), decidedBy]]);
      for (const list of lists(host)) expect(list).toEqual(['guard', 'other']);
    }
  });

  test('taps that are copied by hand are still those of the record', async () => {
    const { host } = logging();
    const seen = watch(host);
    const { PreToolUse } = host.hooks;
    PreToolUse.tap({ name: 'guard', stage: -1 }, () => deny('no'));
    PreToolUse.taps = PreToolUse.taps.map((tap) => ({ ...tap }));
    const { verdict, decidedBy } = await host.fire('PreToolUse', PRE);
    expect([verdict, only(fires(seen)).handlers.map(({ id }) => id)]).toEqual(['deny', [decidedBy]]);
  });

  test('whose throw is hostile is reported all the same', async () => {
    const { host, reports, mark, ran } = logging();
    host.register({ PreToolUse: [{ hooks: [mark('plan')] }] });
    host.hooks.PreToolUse.intercept({
      call: () => {
        throw Object.create(null);
      },
    });
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('plan');
    expect(reports).toHaveLength(1);
  });
});
