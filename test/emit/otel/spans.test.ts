import { trace } from '@opentelemetry/api';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHost } from '../../../src/create-host.js';
import type { HookRecord } from '../../../src/emit/record.js';
import { CONVENTIONS, NAME } from '../../../src/emit/sinks/otel/names.js';
import { otelSink } from '../../../src/emit/sinks/otel.js';
import { allow, ask, defer, deny, rewrite } from '../../../src/events/output/helpers.js';
import type { HostOptions } from '../../../src/host/options.js';
import type { Session } from '../../../src/session/types.js';
import { named, telemetry, treesOf } from './kit.js';

const { providers, tracer, spans, reset, register, end } = telemetry();
beforeAll(register);
beforeEach(reset);
afterAll(end);

const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };

async function withHost(use: (host: ReturnType<typeof createHost>) => unknown, options: HostOptions = {}) {
  const sink = otelSink(providers);
  const host = createHost({ logger: () => undefined, ...options, tracing: sink });
  await use(host);
  await host.close();
  await sink.close();
  return spans();
}

describe('a tree of spans', () => {
  test('of a session: its agents, their calls, the fires of each, the hooks of each, and what hooks and tools began themselves', async () => {
    const own = (name: string) => tracer.startSpan(name).end();
    const work = async (host: ReturnType<typeof createHost>) => {
      host.register({
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              async function guard() {
                await null;
                own('asked elsewhere');
                return allow();
              },
            ],
          },
          {
            matcher: 'Write',
            mode: 'parallel',
            hooks: [
              { name: 'a', handler: async () => void own('in a') },
              { name: 'b', handler: async () => own('in b') },
            ],
          },
        ],
        PostToolUse: [{ matcher: 'Bash', hooks: [function after() {}] }],
      });
      const session = await host.openSession({ session_id: 's1' });
      await tracer.startActiveSpan('chat', async (chat) => {
        await session.tool({
          name: 'Bash',
          input: {},
          async execute() {
            own('in the tool');
            const child = await session.spawn({ agent_type: 'builder', id: 'b1' });
            await child.toolBatch(
              ['w1', 'w2'].map((id) => ({
                name: 'Write',
                id,
                input: {},
                effect: 'read',
                execute: () => own(`in ${id}`),
              })),
            );
            await child.close();
          },
        });
        chat.end();
      });
      await session.close();
    };
    const all = await withHost(work);
    const write = (id: string) => ({
      name: 'execute_tool Write',
      within: [
        { name: 'hook PostToolUse', within: [] },
        {
          name: 'hook PreToolUse',
          within: ['a', 'b'].map((name) => ({
            name: `run_guardrail ${name}`,
            within: [{ name: `in ${name}`, within: [] }],
          })),
        },
        { name: `in ${id}`, within: [] },
      ],
    });
    const leaf = (name: string) => ({ name, within: [] });
    expect(treesOf(all)).toEqual([
      leaf('chat'),
      {
        name: 'invoke_agent',
        within: [
          {
            name: 'execute_tool Bash',
            within: [
              { name: 'hook PostToolUse', within: [leaf('hook after')] },
              { name: 'hook PreToolUse', within: [{ name: 'run_guardrail guard', within: [leaf('asked elsewhere')] }] },
              leaf('in the tool'),
              {
                name: 'invoke_agent builder',
                within: [
                  expect.objectContaining({ name: 'execute_tool Write' }),
                  expect.objectContaining({ name: 'execute_tool Write' }),
                  leaf('hook PostToolBatch'),
                  leaf('hook SubagentStart'),
                  leaf('hook SubagentStop'),
                ],
              },
            ],
          },
          leaf('hook SessionEnd'),
          leaf('hook SessionStart'),
        ],
      },
    ]);
    const agent = treesOf(all)[1]?.within[0]?.within[3];
    expect(agent?.within.slice(0, 2)).toEqual(expect.arrayContaining([write('w1'), write('w2')]));
    // What the caller was in is not lost.
    const call = named(all, 'execute_tool Bash');
    expect(call.links.map(({ context }) => context.spanId)).toEqual([named(all, 'chat').spanContext().spanId]);
    expect(all.filter(({ links }) => links.length > 0)).toHaveLength(1);
  });

  test('of any agents and calls hangs together, and no part is outside the time of what it is a part of', async () => {
    type Plan = { readonly agents: readonly Plan[]; readonly calls: number };
    const plan: fc.Arbitrary<Plan> = fc.letrec<{ plan: Plan }>((tie) => ({
      plan: fc.record({
        agents: fc.oneof(
          { depthSize: 'small' },
          fc.constant([]),
          fc.tuple(tie('plan')),
          fc.tuple(tie('plan'), tie('plan')),
        ),
        calls: fc.nat(2),
      }),
    })).plan;
    const act = async (session: Session, { agents, calls }: Plan): Promise<void> => {
      const batch = Array.from({ length: calls }, () => ({ name: 'Bash', input: {}, execute: () => 'done' }));
      await Promise.all([
        ...batch.map((call) => session.tool(call)),
        ...agents.map(async (part) => {
          const child = await session.spawn({ agent_type: 'worker' });
          await act(child, part);
          await child.close();
        }),
      ]);
    };
    const property = async (given: Plan) => {
      reset();
      const all = await withHost(async (host) => {
        host.register({ PreToolUse: [{ hooks: [async () => allow()] }] });
        const session = await host.openSession();
        await act(session, given);
        await session.close();
      });
      const byId = new Map(all.map((span) => [span.spanContext().spanId, span]));
      const roots = all.filter((span) => span.parentSpanContext === undefined);
      expect(roots.map(({ name }) => name)).toEqual(['invoke_agent']);
      for (const span of all) {
        const parent = byId.get(span.parentSpanContext?.spanId ?? '');
        if (!parent) continue;
        expect(span.spanContext().traceId).toBe(parent.spanContext().traceId);
        // Beginnings are whole milliseconds.
        expect(timeOf(span.startTime)).toBeGreaterThanOrEqual(timeOf(parent.startTime));
        expect(timeOf(span.endTime)).toBeLessThanOrEqual(timeOf(parent.endTime) + 1.5);
        expect(span.attributes[NAME.unfinished]).toBeUndefined();
      }
      const count = ({ agents, calls }: Plan): number => agents.reduce((sum, part) => sum + count(part), calls);
      expect(all.filter(({ name }) => name === 'execute_tool Bash')).toHaveLength(count(given));
    };
    await fc.assert(fc.asyncProperty(plan, property), { numRuns: 15 });
  });

  test('ends in time also where the machine was busy while its clocks were read', async () => {
    const realNow = Date.now;
    let reads = 0;
    const stopped = vi.spyOn(Date, 'now').mockImplementation(() => {
      const end = performance.now() + (++reads % 2 === 0 ? 10 : 0);
      while (performance.now() < end);
      return realNow();
    });
    const all = await withHost(async (host) => {
      for (let i = 0; i < 4; i++) {
        const session = await host.openSession({ session_id: `s${i}` });
        const child = await session.spawn({ agent_type: 'worker' });
        await child.tool({ name: 'Bash', input: {}, execute: () => 'done' });
        await child.close();
        await session.close();
      }
    }).finally(() => stopped.mockRestore());
    const byId = new Map(all.map((span) => [span.spanContext().spanId, span]));
    const parts = all.flatMap((span) => {
      const parent = byId.get(span.parentSpanContext?.spanId ?? '');
      return parent === undefined ? [] : [[span, parent] as const];
    });
    expect(parts.length).toBeGreaterThan(8);
    for (const [span, parent] of parts)
      expect(timeOf(span.endTime), span.name).toBeLessThanOrEqual(timeOf(parent.endTime) + 1.5);
  });

  test('of a fire is part of what its caller is in, also of one that is refused', async () => {
    const all = await withHost((host) =>
      tracer.startActiveSpan('caller', async (caller) => {
        await host.fire('PreToolUse', bash);
        await host.fireAny('PreToolUse', { tool_name: 1 }).catch(() => undefined);
        caller.end();
      }),
    );
    const caller = named(all, 'caller').spanContext();
    const fires = all.filter(({ name }) => name === 'hook PreToolUse');
    expect(fires.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([caller.spanId, caller.spanId]);
    expect(fires.map(({ attributes, status }) => [attributes['error.type'], status.code])).toEqual([
      [undefined, 0],
      ['INVALID_INPUT', 2],
    ]);
  });

  test('of a fire within a hook is part of that hook', async () => {
    const all = await withHost(async (host) => {
      host.register({
        PreToolUse: [
          {
            hooks: [
              async function outer() {
                await host.fire('Notification', { message: 'm', notification_type: 'n' });
              },
            ],
          },
        ],
      });
      await host.fire('PreToolUse', bash);
    });
    const outer = named(all, 'run_guardrail outer').spanContext().spanId;
    expect(named(all, 'hook Notification').parentSpanContext?.spanId).toBe(outer);
  });

  test('of a hook in the background ends when that does', async () => {
    let done: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      done = resolve;
    });
    const all = await withHost(async (host) => {
      host.register({ PostToolUse: [{ hooks: [{ name: 'later', handler: () => waiting, async: true }] }] });
      await host.fire('PostToolUse', { ...bash, tool_response: {} });
      await new Promise((resolve) => setImmediate(resolve));
      expect(spans().map(({ name }) => name)).toEqual(['hook PostToolUse']);
      done();
    });
    expect(named(all, 'hook later').attributes).toMatchObject({ [NAME.background]: true, [NAME.outcome]: 'success' });
  });
});

const timeOf = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6;

const guardrail = (name: string) => `gen_ai.guardrail.${name}`;

const ALLOWED_OTHERWISE = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command: 'ls -a' } },
};

describe('what a hook said is apart from what was done', () => {
  test.each([
    ['allow', () => allow('fine'), 'allow', 'allow', undefined],
    ['nothing', () => undefined, 'allow', undefined, undefined],
    ['deny', () => deny('no'), 'deny', 'block', undefined],
    ['ask', () => ask('sure?'), 'escalate', 'escalate', undefined],
    ['defer', () => defer('later'), 'escalate', 'escalate', undefined],
    ['rewrite', () => rewrite({ command: 'ls -a' }), 'modify', undefined, true],
    ['rewrite and allow', () => ALLOWED_OTHERWISE, 'modify', 'modify', true],
    ['throw', () => Promise.reject(new Error('no')), undefined, undefined, undefined],
  ])('%s', async (name, answer, verdict, action, modified) => {
    const all = await withHost(async (host) => {
      host.register({ PreToolUse: [{ hooks: [{ name: 'guard', handler: answer as never }] }] });
      await host.fire('PreToolUse', bash);
    });
    const { attributes, status } = named(all, 'run_guardrail guard');
    expect(attributes[guardrail('verdict.type')]).toBe(verdict);
    expect(attributes[guardrail('action.type')]).toBe(action);
    expect(attributes[guardrail('security.content.modified')]).toBe(modified);
    expect(attributes).toMatchObject({
      'gen_ai.operation.name': 'run_guardrail',
      [guardrail('component.name')]: 'guard',
      [guardrail('target.type')]: 'input',
      [guardrail('target.subtype')]: 'tool_call',
      [guardrail('target.id')]: 't1',
    });
    expect([attributes['error.type'], status.code]).toEqual(name === 'throw' ? ['threw', 2] : [undefined, 0]);
  });

  test('of a hook that was asked again each run has its own verdict, and a rewrite that was dropped has modified nothing', async () => {
    const all = await withHost(async (host) => {
      const to = (command: string) => rewrite({ command });
      const given = (input: object) => ((input as { tool_input: unknown }).tool_input as { command: string }).command;
      host.register({
        PreToolUse: [
          {
            hooks: [
              { name: 'once', handler: (input) => (given(input).includes('-n') ? undefined : to('ls -n')) },
              { name: 'denies', handler: (input) => (given(input) === 'ls -n' ? deny('no') : undefined) },
              { name: 'insists', handler: () => to('ls -n -v') },
              { name: 'loses', handler: () => to('ls -n -w') },
            ],
          },
        ],
      });
      await host.fire('PreToolUse', bash);
    });
    const of = (name: string) =>
      all
        .filter((span) => span.name === `run_guardrail ${name}`)
        .sort((a, b) => timeOf(a.startTime) - timeOf(b.startTime))
        .map(({ attributes }) => [
          attributes[guardrail('verdict.type')],
          attributes[guardrail('security.content.modified')],
        ]);
    expect(of('once')[0]).toEqual(['modify', true]);
    expect(of('once').at(-1)).toEqual(['allow', undefined]);
    expect(of('denies')[0]).toEqual(['deny', undefined]);
    expect(of('denies').at(-1)).toEqual(['allow', undefined]);
    expect(of('insists').at(-1)).toEqual(['modify', false]);
    expect(of('loses')[0]).toEqual(['modify', true]);
  });

  test('a rewrite that equals what is there is none, and one of a hook that only observes modifies nothing', async () => {
    const to = (command: string) => () => rewrite({ command });
    const fires = [[to('ls')], [to('ls'), to('ls -n')]];
    for (const [same, ...others] of fires) {
      reset();
      const all = await withHost(async (host) => {
        const hooks = [
          { name: 'same', handler: same as never },
          ...others.map((handler) => ({ name: 'other', handler })),
        ];
        host.register({
          PreToolUse: [{ hooks }, { phase: 'observe', hooks: [{ name: 'watches', handler: to('never') }] }],
        } as never);
        await host.fire('PreToolUse', bash);
      });
      const first = all
        .filter((span) => span.name === 'run_guardrail same')
        .sort((a, b) => timeOf(a.startTime) - timeOf(b.startTime))[0];
      expect(first?.attributes[guardrail('verdict.type')]).toBe('allow');
      expect(first?.attributes[guardrail('security.content.modified')]).toBeUndefined();
      expect(named(all, 'run_guardrail watches').attributes[guardrail('security.content.modified')]).toBe(false);
    }
  });

  test('no action is told where no hook has decided: what becomes of the call is on its span', async () => {
    const all = await withHost(async (host) => {
      host.register({
        PermissionRequest: [{ hooks: [function watcher() {}] }],
        PreToolUse: [{ matcher: 'Edit', hooks: [() => rewrite({ command: 'ls -a' })] }],
      });
      const session = await host.openSession();
      for (const name of ['Bash', 'Edit'])
        await session.tool({ name, input: bash.tool_input, permission: () => ({ behavior: 'ask' }), execute: () => 1 });
      await session.close();
    });
    const gates = all.filter(({ name }) => /Permission|PreTool|watcher|callback/.test(name));
    expect(gates.length).toBeGreaterThan(4);
    expect(gates.map(({ attributes }) => attributes[guardrail('action.type')])).toEqual(gates.map(() => undefined));
    const calls = all.filter(({ name }) => name.startsWith('execute_tool'));
    expect(calls.map(({ attributes }) => attributes['hookscope.tool.status'])).toEqual(['denied', 'denied']);
  });

  test('a failure that counts as a denial is one, and is still a failure', async () => {
    const all = await withHost(async (host) => {
      host.register({
        PreToolUse: [
          {
            onFailure: 'block',
            hooks: [
              function guard() {
                throw new Error('x');
              },
            ],
          },
        ],
      });
      await host.fire('PreToolUse', bash);
    });
    expect(named(all, 'run_guardrail guard').attributes).toMatchObject({
      [guardrail('verdict.type')]: 'deny',
      [guardrail('action.type')]: 'block',
      'error.type': 'threw',
    });
  });

  test('one that was overruled said deny, and it was allowed', async () => {
    const all = await withHost(
      async (host) => {
        host.register({
          PreToolUse: [
            {
              hooks: [
                function first() {
                  return allow();
                },
                function second() {
                  return deny('no');
                },
              ],
            },
          ],
        });
        await host.fire('PreToolUse', bash);
      },
      { decisions: 'first' },
    );
    const of = (name: string) => {
      const { attributes } = named(all, name);
      return [attributes[guardrail('verdict.type')], attributes[guardrail('action.type')]];
    };
    expect(of('run_guardrail second')).toEqual(['deny', 'allow']);
    expect(of('run_guardrail first')).toEqual(['allow', 'allow']);
    expect(named(all, 'hook PreToolUse').attributes).toMatchObject({ [NAME.overruled]: 1, [NAME.decidedBy]: 'first' });
  });

  test('where nothing can be denied a hook is no guardrail', async () => {
    const all = await withHost(async (host) => {
      host.register({
        Stop: [
          {
            hooks: [
              function more() {
                return { decision: 'block' as const, reason: 'go on' };
              },
            ],
          },
        ],
      });
      await host.fire('Stop', { stop_hook_active: false });
    });
    const { attributes } = named(all, 'hook more');
    expect(Object.keys(attributes).filter((key) => key.startsWith(guardrail('')))).toEqual([]);
    expect(attributes).toMatchObject({ [NAME.ownVerdict]: 'block', [NAME.event]: 'Stop' });
  });

  test('an alarm is an error in the call that it is about', async () => {
    const all = await withHost(async (host) => {
      const session = await host.openSession();
      host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
      await session.tool({ name: 'Bash', id: 't1', input: {}, execute: () => 'ran' });
      // It ran all the same.
      await session.fire('PostToolUse', { ...bash, tool_response: 'ran' });
      await session.close();
    });
    const alarm = named(all, 'alarm not_honoured');
    expect(alarm.parentSpanContext?.spanId).toBe(named(all, 'execute_tool Bash').spanContext().spanId);
    expect(alarm.status.code).toBe(2);
    expect(alarm.attributes).toMatchObject({ [NAME.alarm]: 'not_honoured', [NAME.evidence]: 'PostToolUse' });
  });
});

test('records alone make the same spans of fires and hooks, with hooks called by their kind', async () => {
  const records: HookRecord[] = [];
  const host = createHost();
  host.events$.subscribe((record) => void records.push(record));
  host.register({
    PreToolUse: [
      {
        hooks: [
          function guard() {
            return deny('no');
          },
        ],
      },
    ],
  });
  await host.fire('PreToolUse', bash);
  const sink = otelSink(providers);
  await trace.getTracer('x').startActiveSpan('reader', async (reader) => {
    for (const record of records) sink.push(record);
    await sink.close();
    reader.end();
  });
  expect(treesOf(spans())).toMatchObject([
    { name: 'hook PreToolUse', within: [{ name: 'run_guardrail callback' }] },
    { name: 'reader', within: [] },
  ]);
  expect(named(spans(), 'run_guardrail callback').attributes[guardrail('verdict.type')]).toBe('deny');
  await host.close();
});

test.each(['tracing', 'attach'] as const)('a hook is counted where it is registered, by the option %s', async (how) => {
  const own = telemetry();
  const sink = otelSink(own.providers);
  const host = createHost(how === 'tracing' ? { tracing: sink } : {});
  if (how === 'attach') sink.attach(host.events$);
  host.register({ PreToolUse: [{ hooks: [() => undefined] }] });
  host.registerScoped('a1', { PreToolUse: [{ hooks: [() => undefined] }] });
  await host.fire('PreToolUse', { ...bash, session_id: 's1', agent_id: 'a1' });
  const session = await host.openSession({ session_id: 's1' });
  session.register({ PreToolUse: [{ hooks: [() => undefined] }] });
  await session.fire('PreToolUse', bash);
  await host.close();
  await sink.close();
  const runs = (await own.points()).filter(({ name }) => name === 'hookscope.runs');
  const counted = runs.map(({ attributes, value }) => [attributes[NAME.scopeKind], value]);
  expect(counted.sort()).toEqual([
    ['agent', 1],
    ['host', 2],
    ['session', 1],
  ]);
  const kinds = own.spans().flatMap(({ attributes }) => attributes[NAME.scopeKind] ?? []);
  expect(kinds.sort()).toEqual(['agent', 'host', 'host', 'session']);
  await own.end();
  register();
});

test('a stream that is attached beside the option tracing adds nothing', async () => {
  const own = telemetry();
  const sink = otelSink(own.providers);
  const host = createHost({ tracing: sink });
  sink.attach(host.events$);
  host.register({
    PreToolUse: [
      { hooks: [async () => void (await host.fire('Notification', { message: 'm', notification_type: 'n' }))] },
    ],
  });
  await host.fire('PreToolUse', bash);
  await host.close();
  await sink.close();
  expect(treesOf(own.spans())).toEqual([
    {
      name: 'hook PreToolUse',
      within: [{ name: 'run_guardrail callback', within: [{ name: 'hook Notification', within: [] }] }],
    },
  ]);
  expect((await own.points()).find(({ name }) => name === 'hookscope.runs')?.value).toBe(1);
  await own.end();
  register();
});

describe('two calls with one id', () => {
  const calls = () =>
    spans()
      .filter(({ name }) => name.startsWith('execute_tool'))
      .map(({ name, attributes, endTime, startTime }) => ({
        name,
        status: attributes[NAME.status],
        unfinished: attributes[NAME.unfinished],
        isLong: timeOf(endTime) - timeOf(startTime) > 45,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  const permission = () => ({ behavior: 'allow' }) as const;
  const quick = { name: 'Bash', id: 'x', input: {}, execute: () => Promise.reject(new Error('no')) };
  const slow = { name: 'Read', id: 'x', input: {}, execute: () => new Promise((resolve) => setTimeout(resolve, 50)) };
  const expected = [
    { name: 'execute_tool Bash', status: 'failed', unfinished: undefined, isLong: false },
    { name: 'execute_tool Read', status: 'ran', unfinished: undefined, isLong: true },
  ];

  test('at once in one session have an end each', async () => {
    await withHost(async (host) => {
      const session = await host.openSession({ permission });
      await Promise.all([session.tool(slow), session.tool(quick)]);
      await session.close();
    });
    expect(calls()).toMatchObject(expected.map(({ isLong: _, ...one }) => one));
  });

  test('in two hosts that share a sink, and in sessions of one name, have their own', async () => {
    const sink = otelSink(providers);
    const call = async (agent_type: string, how: typeof slow | typeof quick) => {
      const host = createHost({ tracing: sink });
      const session = await host.openSession({ session_id: 'same', permission, agent_type });
      await session.tool({ ...how, name: 'Bash' });
      await session.close();
      await host.close();
    };
    await Promise.all([call('one', slow), call('other', quick)]);
    await sink.close();
    const ends = spans().filter(({ name }) => name === 'execute_tool Bash');
    expect(ends.map(({ attributes: of }) => [of['gen_ai.agent.name'], of[NAME.status], of[NAME.unfinished]])).toEqual([
      ['other', 'failed', undefined],
      ['one', 'ran', undefined],
    ]);
  });
});

test('the names follow a text that is named', () => {
  expect(CONVENTIONS.commit).toMatch(/^[0-9a-f]{40}$/);
});
