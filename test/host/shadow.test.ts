import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEnforcedIn } from '../../src/host/plan/shadows.js';
import {
  addContext,
  allow,
  ask,
  createHost,
  definePlugin,
  deny,
  type FireRecord,
  HOOK_EVENTS,
  type HookRecord,
  type Hooks,
  type HostOptions,
  rewrite,
  rule,
  stop,
} from '../../src/index.js';
import { generated } from '../seed.js';
import { inputOf } from './inputs.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', session_id: 's1' };

function watched(options: HostOptions = {}) {
  const records: HookRecord[] = [];
  const host = createHost({ logger: () => {}, ...options });
  host.events$.subscribe((record) => records.push(record));
  const fires = (): FireRecord[] => records.filter((one): one is FireRecord => one.type === 'hook_fire');
  return { host, records, fires, shadows: () => fires().filter((one) => one.shadow_of !== undefined) };
}

describe('a hook that is not enforced', () => {
  test.each([true, false])('has its predicate called once a fire, and a record if it says yes (%s)', async (first) => {
    const { host, fires, shadows } = watched();
    const asked: string[] = [];
    const ran: string[] = [];
    // Its next answer would be another.
    const matcher = (subject: string | undefined) => (asked.push(String(subject)) % 2 === 1) === first;
    const hooks = [() => void ran.push('trial')];
    host.register({ PreToolUse: [{ name: 'trial', enforce: false, matcher, hooks }] });
    for (const tool_use_id of ['t1', 't2']) {
      await host.fire('PreToolUse', { ...CALL, tool_use_id });
      while (asked.length < Number(tool_use_id.slice(1))) await new Promise(setImmediate);
    }
    await host.close();
    expect(asked).toEqual(['Bash', 'Bash']);
    expect(ran).toEqual(['trial']);
    expect(shadows().map(({ tool_use_id, handlers }) => [tool_use_id, handlers[0]?.status])).toEqual([
      [first ? 't1' : 't2', 'ran'],
    ]);
    // The record still identifies the predicate.
    expect(new Set(fires().map(({ handlers }) => handlers[0]?.predicate)).size).toBe(1);
  });

  test('has in its record that its predicate threw, in that fire only, which is called once', async () => {
    const { host, shadows } = watched();
    let asked = 0;
    const matcher = (): boolean => {
      asked += 1;
      if (asked !== 2) throw new TypeError(`no list ${asked}`);
      return true;
    };
    host.register({ PreToolUse: [{ name: 'trial', enforce: false, matcher, hooks: [() => deny('no')] }] });
    for (let n = 1; n <= 3; n++) {
      await host.fire('PreToolUse', CALL);
      while (shadows().length < n) await new Promise(setImmediate);
    }
    await host.close();
    const told = (n: number) => [`its matcher threw, so the hook runs: TypeError: no list ${n}`];
    expect(shadows().map(({ handlers: [one] }) => [one?.would, one?.warnings])).toEqual([
      ['deny', told(1)],
      ['deny', undefined],
      ['deny', told(3)],
    ]);
    expect(asked).toBe(3);
  });

  test('is asked after the decision, and its record says what it would have said', async () => {
    const { host, fires, records } = watched();
    const order: string[] = [];
    const guard = () => {
      order.push('guard');
      return deny('Not here.');
    };
    host.register({
      PreToolUse: [{ enforce: false, name: 'guard', hooks: [guard] }, { hooks: [() => void order.push('other')] }],
    });
    const decision = await host.fire('PreToolUse', CALL);
    order.push('decided');
    expect(decision.verdict).toBe('none');
    await host.close();
    expect(order).toEqual(['other', 'decided', 'guard']);
    const [main, shadow] = fires() as [FireRecord, FireRecord];
    expect(main.handlers[0]).toMatchObject({ name: 'guard', status: 'skipped', reason: 'shadow' });
    expect(shadow).toMatchObject({
      shadow_of: main.fire_id,
      would: 'deny',
      decision: { verdict: 'none', failures: [] },
    });
    expect(shadow.handlers).toMatchObject([{ name: 'guard', status: 'ran', would: 'deny' }]);
    expect(shadow.handlers[0]).not.toHaveProperty('verdict');
    const response = records.find(
      (one) => one.type === 'system' && one.subtype === 'hook_response' && one.name === 'guard',
    );
    expect(response).toMatchObject({ shadow: true, would: 'deny', fire_id: shadow.fire_id });
    expect(response).not.toHaveProperty('decision');
  });

  test('sees what was decided: the input as the hooks left it', async () => {
    const { host } = watched();
    const seen: unknown[] = [];
    host.register({
      PreToolUse: [
        { hooks: [() => rewrite({ command: 'ls -l' })] },
        { enforce: false, hooks: [({ tool_input }) => void seen.push(tool_input)] },
      ],
    });
    await host.fire('PreToolUse', CALL);
    await host.close();
    expect(JSON.stringify(seen)).toBe('[{"command":"ls -l"}]');
  });

  test('has a record without a final input, which nobody ran', async () => {
    const { host, shadows } = watched();
    const hooks = [{ enforce: false, name: 'rewrites', hooks: [() => rewrite({ command: 'x' })] }];
    host.register({ PreToolUse: hooks, PostToolUse: hooks } as Hooks);
    await host.fire('PreToolUse', CALL);
    await host.fire('PostToolUse', { ...CALL, tool_response: 'o' });
    await host.close();
    expect(shadows().map(({ final_input, versions }) => [final_input, versions])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(shadows().map(({ would_decide }) => would_decide)).toMatchObject([
      { updatedInput: { command: 'x' } },
      { updatedOutput: { command: 'x' } },
    ]);
  });

  test('is not asked where its matcher or its rule does not match, nor of a fire that was rejected', async () => {
    const { host, shadows } = watched();
    host.register({
      PreToolUse: [
        { enforce: false, matcher: 'Edit', hooks: [() => deny('x')] },
        { enforce: false, if: 'Bash(rm *)', hooks: [() => deny('x')] },
        { enforce: false, name: 'asked', hooks: [() => deny('x')] },
      ],
    });
    const end = new AbortController();
    const cut = host.fire('PreToolUse', CALL, { signal: AbortSignal.abort() });
    await expect(cut).rejects.toThrow();
    await host.fire('PreToolUse', CALL, { signal: end.signal });
    await host.close();
    expect(shadows().flatMap(({ handlers }) => handlers.map(({ name }) => name))).toEqual(['asked']);
  });

  test('takes no once, is nobody’s copy, wakes nobody, and its late context goes nowhere', async () => {
    const { host, shadows } = watched({ session: { session_id: 's1' } });
    const late = { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'late' } };
    const sleepy = {
      handler: async () => ({ async: true, hookSpecificOutput: { additionalContext: 'late' } }),
      async: 'two-phase' as const,
    };
    host.register({
      PreToolUse: [
        { enforce: false, once: true, name: 'once', hooks: [() => deny('x')] },
        { enforce: false, hooks: [sleepy as never] },
        { enforce: false, hooks: [() => ({ async: true, result: Promise.resolve(late) })] },
      ],
    });
    for (const id of ['t1', 't2']) await host.fire('PreToolUse', { ...CALL, tool_use_id: id });
    await host.close();
    expect(host.pendingContext()).toEqual([]);
    expect(shadows().filter(({ handlers }) => handlers[0]?.name === 'once')).toHaveLength(2);
  });

  test('one that throws, hangs or blocks is a record and nothing else', async () => {
    const { host, shadows } = watched({ closeTimeout: 0.2 });
    host.register({
      PreToolUse: [
        {
          enforce: false,
          onFailure: 'block',
          name: 'throws',
          hooks: [
            () => {
              throw new Error('boom');
            },
          ],
        },
        { enforce: false, onFailure: 'block', name: 'hangs', hooks: [() => new Promise(() => {})] },
        { enforce: false, name: 'stops', hooks: [() => stop('end')] },
      ],
    });
    expect(await host.fire('PreToolUse', CALL)).toMatchObject({ verdict: 'none', continue: true, failures: [] });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await host.close();
    const of = (name: string) => shadows().find(({ handlers }) => handlers[0]?.name === name);
    expect(of('throws')).toMatchObject({
      would: 'deny',
      handlers: [{ status: 'failed', failure: { cause: 'threw' } }],
    });
    expect(of('hangs')?.error).toBe('CLOSED');
    expect(of('stops')?.decision.continue).toBe(true);
  });

  test('raises no alarm: what it says of a call is no decision about it', async () => {
    const alarms: unknown[] = [];
    const { host } = watched({ onAlarm: (alarm) => void alarms.push(alarm) });
    host.register({ PreToolUse: [{ enforce: false, hooks: [() => deny('x')] }] });
    await host.fire('PreToolUse', CALL);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await host.fire('PostToolUse', { ...CALL, tool_response: 'ok' });
    await host.close();
    expect(alarms).toEqual([]);
  });
});

describe('enforce', () => {
  const hooks: Hooks = { PreToolUse: [{ name: 'guard', hooks: [() => deny('x')] }] };
  const plugin = definePlugin({ name: 'p', apply: (scope) => scope.register(hooks as never) });
  const outer = definePlugin({ name: 'outer', apply: (scope) => scope.use(plugin) });

  test.each([
    [
      'a group',
      (host: ReturnType<typeof createHost>) =>
        host.register({ PreToolUse: [{ enforce: false, hooks: [() => deny('x')] }] }),
    ],
    ['a registration', (host: ReturnType<typeof createHost>) => host.register(hooks as never, { enforce: false })],
    ['on', (host: ReturnType<typeof createHost>) => host.on('PreToolUse', () => deny('x'), { enforce: false })],
    ['a plugin', (host: ReturnType<typeof createHost>) => host.use(plugin, undefined, { enforce: false })],
    ['a plugin within', (host: ReturnType<typeof createHost>) => host.use(outer, undefined, { enforce: false })],
    [
      'a rule',
      (host: ReturnType<typeof createHost>) =>
        host.register({ PreToolUse: [{ enforce: false, hooks: [rule('deny', 'x')] }] }),
    ],
    [
      'an agent',
      (host: ReturnType<typeof createHost>) => host.spawnHooks('worker', hooks as never, { enforce: false }),
    ],
  ])('of %s', async (_, put) => {
    const { host, shadows } = watched();
    await put(host as never);
    const agent = { agent_id: 'a1', agent_type: 'worker' };
    expect((await host.fire('PreToolUse', { ...CALL, ...agent })).verdict).toBe('none');
    expect(host.explain('PreToolUse', { ...CALL, ...agent }).hooks[0]).toMatchObject({ runs: false, reason: 'shadow' });
    await host.close();
    expect(shadows()).toMatchObject([{ would: 'deny' }]);
  });

  test('what is enforced less counts; true changes nothing', async () => {
    const { host } = watched();
    host.register({ PreToolUse: [{ enforce: true, hooks: [() => deny('x')] }] }, { enforce: false });
    expect((await host.fire('PreToolUse', CALL)).verdict).toBe('none');
    host.register({ PreToolUse: [{ enforce: true, hooks: [() => deny('x')] }] }, { enforce: 1 });
    expect((await host.fire('PreToolUse', CALL)).verdict).toBe('deny');
    await host.close();
  });

  test.each([2, -0.1, Number.NaN, 'no', null])('%j is an error', (enforce) => {
    const host = createHost();
    expect(() => host.register({ PreToolUse: [{ enforce: enforce as never, hooks: [() => undefined] }] })).toThrow(
      'share of sessions',
    );
    expect(() => host.register({}, { enforce: enforce as never })).toThrow('share of sessions');
  });

  test('a share is of sessions: each decides alike for good, and about so many do', async () => {
    const { host, shadows } = watched();
    host.register({ PreToolUse: [{ enforce: 0.25, hooks: [() => deny('x')] }] });
    const denied: string[] = [];
    for (let i = 0; i < 400; i++) {
      const session_id = `session-${i}`;
      const [first, again] = [
        await host.fire('PreToolUse', { ...CALL, session_id }),
        await host.fire('PreToolUse', { ...CALL, session_id, agent_id: 'a' }),
      ];
      expect(again.verdict).toBe(first.verdict);
      if (first.verdict === 'deny') denied.push(session_id);
    }
    await host.close();
    expect(denied.length).toBeGreaterThan(60);
    expect(denied.length).toBeLessThan(140);
    expect(new Set(shadows().map(({ session_id }) => session_id)).size).toBe(400 - denied.length);
    expect(denied.every((id) => isEnforcedIn(0.5, id))).toBe(true);
  });
});

/** What hooks may say, and do. */
const ANSWERS = {
  silent: () => undefined,
  empty: () => ({}),
  deny: () => deny('shadow says no'),
  allow: () => allow('shadow says yes'),
  ask: () => ask('shadow asks'),
  context: () => addContext('from the shadow'),
  rewrite: () => rewrite({ command: 'shadow' }),
  stop: () => stop('shadow ends it'),
  block: () => ({ decision: 'block', reason: 'shadow blocks' }),
  async: async () => deny('late'),
  throws: () => {
    throw new Error('shadow');
  },
} as const;
const answer = fc.constantFrom(...(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[]));

test('whatever 20 of them say, on any event, decisions, records and calls of the others are the same', async () => {
  const hook = fc.record({
    answer,
    mode: fc.constantFrom('series', 'parallel'),
    phase: fc.constantFrom('rewrite', 'decide', 'observe'),
    stage: fc.integer({ min: -1, max: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...HOOK_EVENTS),
      fc.array(hook, { maxLength: 5 }),
      fc.array(hook, { minLength: 20, maxLength: 20 }),
      fc.array(answer, { maxLength: 2 }),
      async (event, enforced, shadows, taps) => {
        const outcomes = await Promise.all(
          [false, true].map(async (withShadows) => {
            const { host, fires } = watched({ onFailure: 'block' });
            const calls: string[] = [];
            const groupOf = ({ answer, ...how }: (typeof enforced)[number], i: number) => ({
              ...how,
              name: `h${i}`,
              hooks: [
                () => {
                  if (i < 100) calls.push(`h${i}`);
                  return ANSWERS[answer]();
                },
              ],
            });
            host.register({ [event]: enforced.map(groupOf) } as Hooks);
            for (const [i, answer] of taps.entries())
              host.hooks[event].tapPromise({ name: `t${i}`, stage: i * 2 - 1 }, async () => {
                calls.push(`t${i}`);
                return ANSWERS[answer]() as undefined;
              });
            if (withShadows)
              host.register({
                [event]: shadows.map((one, i) => ({ ...groupOf(one, i + 100), enforce: false })),
              } as Hooks);
            const decision = await host.fireAny(event, inputOf(event));
            await host.close();
            const main = fires().find((one) => one.shadow_of === undefined) as FireRecord;
            const rows = main.handlers
              .filter(({ reason }) => reason !== 'shadow')
              .map(({ duration_ms: _, wave: __, ...row }) => row);
            if (withShadows) expect(fires().filter((one) => one.shadow_of === main.fire_id)).toHaveLength(20);
            return JSON.parse(
              JSON.stringify({
                decision: { ...decision },
                wire: decision,
                rows,
                calls,
                context: host.pendingContext(),
              }),
            );
          }),
        );
        expect(outcomes[1]).toEqual(outcomes[0]);
      },
    ),
    { numRuns: generated(30) },
  );
});

test('every kind of hooks file of ours may say it of all its hooks', async () => {
  const { loadHooksFile } = await import('../../src/index.js');
  const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-enforce-'));
  try {
    const file = join(folder, 'hooks.json');
    const rules = { PreToolUse: [{ enforce: true, hooks: [{ type: 'rule', decision: 'deny', reason: 'x' }] }] };
    writeFileSync(file, JSON.stringify({ enforce: false, hooks: rules }));
    const { host, shadows } = watched();
    host.register(await loadHooksFile(file));
    expect((await host.fire('PreToolUse', CALL)).verdict).toBe('none');
    await host.close();
    expect(shadows()).toMatchObject([{ would: 'deny' }]);
    writeFileSync(file, JSON.stringify({ enforce: 'no', hooks: rules }));
    await expect(loadHooksFile(file)).rejects.toThrow(/hooks\.json: enforce: expected true, false/);
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
