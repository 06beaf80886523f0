import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { allow, rewrite } from '../../src/events/output/helpers.js';
import { command } from '../../src/handlers/command/spec.js';
import { processes, uniqueSeconds } from '../handlers/shell-call.js';
import { INPUTS } from './inputs.js';
import { anyHooks, deferred, fireAny, fires, never, only, sleep, testHost, turn, until, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;
const aborted = { code: 'ABORTED', message: expect.stringContaining('do not read this as permission') };

describe.each([false, true])('a caller that aborts (watched: %s)', (watched) => {
  const make = () => {
    const made = testHost();
    return { ...made, seen: watched ? watch(made.host) : [] };
  };

  test('before it fires: nobody is called, and the record says so', async () => {
    const { host, seen } = make();
    let ran = 0;
    host.register({ PreToolUse: [{ hooks: [() => void ran++] }] });
    await expect(host.fire('PreToolUse', PRE, { signal: AbortSignal.abort() })).rejects.toMatchObject(aborted);
    expect(ran).toBe(0);
    expect(seen).toEqual(
      watched
        ? [
            expect.objectContaining({
              type: 'hook_fire',
              input: PRE,
              error: 'ABORTED',
              handlers: [expect.objectContaining({ status: 'skipped', reason: 'cancelled' })],
            }),
          ]
        : [],
    );
  });

  test('while one is asked: it rejects at once, and nobody is asked any more', async () => {
    const { host } = make();
    const caller = new AbortController();
    const gate = deferred<undefined>();
    const ran: string[] = [];
    host.register({
      PreToolUse: [
        {
          hooks: [
            () => {
              ran.push('first');
              return gate.promise;
            },
            () => void ran.push('second'),
          ],
        },
        { phase: 'observe', hooks: [() => void ran.push('observer')] },
      ],
    });
    const fire = host.fire('PreToolUse', PRE, { signal: caller.signal });
    await turn();
    caller.abort('why');
    await expect(fire).rejects.toMatchObject({ ...aborted, cause: 'why' });
    gate.resolve(undefined);
    await turn();
    expect(ran).toEqual(['first']);
  });

  test.each(['parallel', 'series'] as const)('a hook that was not started still has its one run: %s', async (mode) => {
    const { host } = make();
    const caller = new AbortController();
    let ran = 0;
    const guard = { handler: () => void ran++, once: true };
    host.register({ PreToolUse: [{ mode, hooks: [() => caller.abort(), guard] }] });
    await expect(host.fire('PreToolUse', PRE, { signal: caller.signal })).rejects.toMatchObject(aborted);
    expect(ran).toBe(0);
    await host.fire('PreToolUse', PRE);
    await host.fire('PreToolUse', PRE);
    expect(ran).toBe(1);
  });

  test('a hook outside the program that could not be handed its input still has its one run', async () => {
    const { host } = make();
    host.register({ PreToolUse: [{ once: true, hooks: [command('echo no >&2; exit 2')] }] });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const bad = { ...PRE, tool_input: circle };
    await expect(host.fire('PreToolUse', bad)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('deny');
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('none');
  });

  test('while what a first run needs is loaded: the hook still has its one run', async () => {
    const { host } = make();
    host.register({ PreToolUse: [{ once: true, hooks: [command('echo no >&2; exit 2')] }] });
    const caller = new AbortController();
    const fired = host.fire('PreToolUse', PRE, { signal: caller.signal });
    caller.abort();
    await expect(fired).rejects.toMatchObject(aborted);
    expect((await host.fire('PreToolUse', PRE)).verdict).toBe('deny');
  });

  test('never reads as permission: whoever allowed before', async () => {
    const { host } = make();
    const caller = new AbortController();
    host.register({ PreToolUse: [{ hooks: [() => allow(), async () => caller.abort(), () => allow()] }] });
    await expect(host.fire('PreToolUse', PRE, { signal: caller.signal })).rejects.toMatchObject(aborted);
  });

  const quiet = async (): Promise<void> => {};
  const ENDS: Readonly<Record<string, () => unknown>> = {
    'is silent': () => undefined,
    allows: () => allow(),
    throws: () => {
      throw new Error('x');
    },
    rejects: () => Promise.reject(new Error('x')),
    'never answers': never,
    'allows later': async () => allow(),
  };
  const PLACES: Readonly<Record<string, readonly (() => unknown)[]>> = {
    first: [],
    'after one in the same breath': [() => {}],
    'after one that took its time': [quiet],
    'after one that spoke': [() => allow()],
    'after one that spoke later': [async () => allow()],
  };
  const within = Object.keys(PLACES).flatMap((place) =>
    Object.keys(ENDS).flatMap((end) => [[end, place, true] as const, [end, place, false] as const]),
  );

  test.each(within)(
    'from within a handler that %s, %s: nobody is asked any more, with an observer (%s) or without',
    async (end, place, observed) => {
      const { host } = make();
      const caller = new AbortController();
      let signal: AbortSignal | undefined;
      let after = 0;
      const aborter = (_: unknown, __: unknown, context: { signal: AbortSignal }): unknown => {
        signal = context.signal;
        caller.abort();
        return ENDS[end]?.();
      };
      const hooks = [...(PLACES[place] ?? []), aborter, () => void after++, async () => void after++];
      host.register(anyHooks({ PreToolUse: [{ hooks }] }));
      if (observed) host.register({ PreToolUse: [{ phase: 'observe', hooks: [() => void after++] }] });
      await expect(host.fire('PreToolUse', PRE, { signal: caller.signal })).rejects.toMatchObject(aborted);
      await turn();
      await turn();
      expect(after).toBe(0);
      if (end === 'never answers') expect(signal?.aborted).toBe(true);
      expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
      expect(await host.close()).toEqual({ pending: [] });
    },
  );

  test('from within a parallel wave: who was not started is not', async () => {
    const { host } = make();
    const caller = new AbortController();
    const ran: string[] = [];
    host.register({
      PreToolUse: [
        { hooks: [async () => void ran.push('before')] },
        { stage: 1, mode: 'parallel', hooks: [() => caller.abort(), () => void ran.push('beside'), () => never()] },
      ],
    } as never);
    await expect(host.fire('PreToolUse', PRE, { signal: caller.signal })).rejects.toMatchObject(aborted);
    expect(ran).toEqual(['before']);
    expect(await host.close()).toEqual({ pending: [] });
  });

  test.each(['with nothing beside it', 'with a raw tap beside it'])(
    'from within a parallel wave: who was started is ended, %s',
    async (beside) => {
      const { host } = make();
      const caller = new AbortController();
      const signals: AbortSignal[] = [];
      const hang = (_: unknown, __: unknown, context: { signal: AbortSignal }): Promise<never> => {
        signals.push(context.signal);
        return never();
      };
      if (beside === 'with a raw tap beside it') host.hooks.PreToolUse.tap('raw', () => undefined);
      host.register({
        PreToolUse: [{ mode: 'parallel', timeout: 0, hooks: [hang, hang, () => caller.abort('why'), hang] }],
      } as never);
      await expect(host.fire('PreToolUse', PRE, { signal: caller.signal })).rejects.toMatchObject(aborted);
      expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
      expect(await host.close()).toEqual({ pending: [] });
    },
  );

  test('when it is decided: nothing happens any more', async () => {
    const { host } = make();
    const caller = new AbortController();
    const signals: AbortSignal[] = [];
    host.register({ PreToolUse: [{ hooks: [async (_, __, c) => void signals.push(c.signal), () => allow()] }] });
    const decision = await host.fire('PreToolUse', PRE, { signal: caller.signal });
    caller.abort();
    expect(decision.verdict).toBe('allow');
    expect(signals[0]?.aborted).toBe(false);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  test('what is answered after that is dropped, also what it wants followed', async () => {
    const { host } = make();
    const caller = new AbortController();
    const late = deferred<unknown>();
    host.register(anyHooks({ PostToolUse: [{ mode: 'parallel', hooks: [() => late.promise, () => late.promise] }] }));
    const fire = host.fire('PostToolUse', INPUTS.PostToolUse, { signal: caller.signal });
    caller.abort();
    await expect(fire).rejects.toMatchObject(aborted);
    late.resolve({ async: true, result: Promise.resolve({ systemMessage: 'late' }) });
    await turn();
    expect(host.pendingContext()).toEqual([]);
    expect(await host.close()).toEqual({ pending: [] });
  });

  test('while one is asked again', async () => {
    const { host } = make();
    const caller = new AbortController();
    const asked: string[] = [];
    host.register({
      PreToolUse: [
        {
          hooks: [
            async (_, __, { call }) => {
              asked.push(call);
              if (call === 'reask') caller.abort();
              return undefined;
            },
            async (_, __, { call }) => {
              asked.push(call);
              return undefined;
            },
            () => ({ hookSpecificOutput: { updatedInput: { command: 'pwd' } } }),
          ],
        },
      ],
    });
    await expect(host.fire('PreToolUse', PRE, { signal: caller.signal })).rejects.toMatchObject(aborted);
    await turn();
    expect(asked).toEqual(['first', 'first', 'reask']);
  });

  test('ends its fire and no other', async () => {
    const { host } = make();
    const caller = new AbortController();
    const gate = deferred<undefined>();
    host.register({ PreToolUse: [{ hooks: [() => gate.promise] }] });
    const [one, two] = [host.fire('PreToolUse', PRE, { signal: caller.signal }), host.fire('PreToolUse', PRE)];
    await turn();
    caller.abort();
    await expect(one).rejects.toMatchObject(aborted);
    gate.resolve(undefined);
    expect((await two).verdict).toBe('none');
  });

  test('many fires may share a signal', async () => {
    const { host } = make();
    const caller = new AbortController();
    const warnings: Error[] = [];
    const warn = (w: Error): void => void warnings.push(w);
    process.on('warning', warn);
    host.register({ PreToolUse: [{ hooks: [() => sleep(20) as Promise<unknown> as Promise<undefined>] }] });
    await Promise.all(Array.from({ length: 40 }, () => host.fire('PreToolUse', PRE, { signal: caller.signal })));
    await turn();
    process.off('warning', warn);
    expect(warnings).toEqual([]);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  test('ends a command and all that it started', async () => {
    const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: process.cwd() } });
    if (watched) watch(host);
    const seconds = uniqueSeconds();
    host.register({
      PreToolUse: [
        { mode: 'parallel', hooks: [command(`sleep ${seconds} | cat`), command(`sleep ${seconds} & wait`)] },
      ],
    });
    const caller = new AbortController();
    const fire = host.fire('PreToolUse', PRE, { signal: caller.signal });
    await until(() => processes(seconds).length >= 3);
    caller.abort();
    await expect(fire).rejects.toMatchObject(aborted);
    await until(() => processes(seconds).length === 0);
    expect(await host.close()).toEqual({ pending: [] });
  });
});

test('a command is not started when its fire was aborted while it was being loaded', async () => {
  const { host } = testHost({ session: { session_id: 's', transcript_path: '', cwd: process.cwd() } });
  const seconds = uniqueSeconds();
  const caller = new AbortController();
  for (let i = 0; i < 3; i++) {
    host.register({ PreToolUse: [{ mode: 'parallel', hooks: [command(`sleep ${seconds}`)] }] });
    const fire = host.fire('PreToolUse', PRE, { signal: caller.signal });
    caller.abort();
    await expect(fire).rejects.toMatchObject(aborted);
  }
  await sleep(300);
  expect(processes(seconds)).toEqual([]);
  expect(await host.close()).toEqual({ pending: [] });
});

test('the record of an aborted fire says so, with who was asked and who was not', async () => {
  const { host } = testHost();
  const seen = watch(host);
  const caller = new AbortController();
  host.register({ PreToolUse: [{ hooks: [() => allow(), never as never, () => {}] }] });
  const fire = host.fire('PreToolUse', PRE, { signal: caller.signal });
  await turn();
  caller.abort();
  await expect(fire).rejects.toMatchObject(aborted);
  await until(() => fires(seen).length === 1);
  const record = only(fires(seen));
  expect(record.error).toBe('ABORTED');
  expect(record.handlers.map((h) => [h.status, h.failure?.cause ?? h.reason])).toEqual([
    ['ran', undefined],
    ['failed', 'aborted'],
    ['skipped', 'cancelled'],
  ]);
  // Each that was started has ended, before the fire did.
  expect(seen.map((one) => ('subtype' in one ? one.subtype : one.type))).toEqual([
    'hook_started',
    'hook_response',
    'hook_started',
    'hook_response',
    'hook_fire',
  ]);
});

describe('the decision in the record of a rejected fire permits nothing', () => {
  const flat = (permissionDecision: string) => ({ hookSpecificOutput: { permissionDecision } });
  const behavior = { behavior: 'allow', updatedInput: { command: 'ls' }, updatedPermissions: [{ type: 'addRules' }] };
  const accept = { hookSpecificOutput: { action: 'accept', content: {} } };

  test.each([
    ['PreToolUse', { ...flat('allow'), reason: 'fine' }, 'none'],
    ['PreToolUse', flat('ask'), 'none'],
    ['PreToolUse', { hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'ls' } } }, 'none'],
    ['PreToolUse', flat('deny'), 'deny'],
    ['PermissionRequest', { hookSpecificOutput: { decision: behavior } }, 'none'],
    ['PermissionRequest', { hookSpecificOutput: { decision: { behavior: 'deny', message: 'no' } } }, 'deny'],
    ['Elicitation', accept, undefined],
    ['PostToolUse', { hookSpecificOutput: { updatedToolOutput: 'new' } }, undefined],
  ] as const)('%s: %j', async (event, output, verdict) => {
    const { host } = testHost();
    const seen = watch(host);
    const caller = new AbortController();
    host.register(anyHooks({ [event]: [{ hooks: [() => output, () => caller.abort()] }] }));
    await expect(fireAny(host, event, INPUTS[event], { signal: caller.signal })).rejects.toMatchObject(aborted);
    const { decision, handlers, final_input } = only(fires(seen));
    expect(final_input).toBeUndefined();
    expect(decision.verdict).toBe(verdict);
    const isDenied = verdict === 'deny';
    expect(decision.decidedBy).toBe(isDenied ? handlers[0]?.id : undefined);
    for (const key of ['updatedInput', 'updatedOutput', 'updatedPermissions', 'value'])
      expect(decision).not.toHaveProperty(key);
    if (!isDenied) expect(decision).not.toHaveProperty('reason');
    expect(decision.overruled).toEqual([]);
    // What each hook said is still there.
    expect(handlers[0]).toMatchObject({ status: 'ran', output });
  });

  test('what refuses stays: an Elicitation that hooks have declined', async () => {
    const action = 'decline';
    const { host } = testHost();
    const seen = watch(host);
    const caller = new AbortController();
    const answer = () => ({ hookSpecificOutput: { action } });
    host.register(anyHooks({ Elicitation: [{ hooks: [answer, () => caller.abort()] }] }));
    const fire = fireAny(host, 'Elicitation', INPUTS.Elicitation, { signal: caller.signal });
    await expect(fire).rejects.toMatchObject(aborted);
    const { decision, handlers } = only(fires(seen));
    expect(decision).toMatchObject({ value: { action }, decidedBy: handlers[0]?.id });
  });

  test('the inputs that its hooks judged are in the record, none of them as the one that runs', async () => {
    const { host } = testHost();
    const seen = watch(host);
    const caller = new AbortController();
    const hooks = [() => undefined, () => rewrite({ command: 'pwd' }), () => caller.abort()];
    host.register(anyHooks({ PreToolUse: [{ hooks }] }));
    await expect(fireAny(host, 'PreToolUse', INPUTS.PreToolUse, { signal: caller.signal })).rejects.toMatchObject(
      aborted,
    );
    const { final_input, versions, decision } = only(fires(seen));
    expect([final_input, versions]).toEqual([undefined, [{ command: 'pwd' }]]);
    expect(decision).not.toHaveProperty('updatedInput');
  });
});

describe('the record of a fire that is refused before it begins lists every hook of its scope', () => {
  const throwing = {
    ...PRE,
    get tool_input(): never {
      throw new Error('broken');
    },
  };
  test.each<[string, Record<string, unknown>, boolean]>([
    ['an aborted signal', PRE, true],
    ['a wrong input', { ...PRE, tool_name: 5 }, false],
    ['an input that throws', throwing, false],
  ])('%s', async (_, input, isAborted) => {
    const { host } = testHost();
    const seen = watch(host);
    const hook = (name: string) => ({ hooks: [{ name, handler: () => undefined }] });
    host.hooks.PreToolUse.tap({ name: 'early', stage: -1 }, () => undefined);
    host.register({
      PreToolUse: [hook('all'), { matcher: 'Write', ...hook('other tool') }, { phase: 'observe', ...hook('observer') }],
    });
    host.registerScoped('a1', { PreToolUse: [hook('own')] });
    host.registerScoped('a2', { PreToolUse: [hook('not here')] });
    const options = isAborted ? { scope: 'a1', signal: AbortSignal.abort() } : { scope: 'a1' };
    await expect(fireAny(host, 'PreToolUse', input, options)).rejects.toMatchObject({
      code: isAborted ? 'ABORTED' : 'INVALID_INPUT',
    });
    const { scope, scope_known: known, handlers, out_of_scope: others } = only(fires(seen));
    expect({ scope, known, others }).toEqual({ scope: 'a1', known: true, others: 1 });
    expect(handlers.map(({ name, status, reason }) => [name, status, reason])).toEqual(
      ['early', 'all', 'other tool', 'own', 'observer'].map((name) => [name, 'skipped', 'cancelled']),
    );
  });
});

describe.each([
  ['at once', false],
  ['while it is pending', true],
])('a hook of a parallel group that aborts the fire and answers %s', (_, pending) => {
  const COUNT = 3;
  const places = Array.from({ length: COUNT }, (__, i) => i);

  test.each(places)('leaves uncalled hooks out, and a once hook keeps its run (hook %d)', async (which) => {
    const { host } = testHost();
    const seen = watch(host);
    const caller = new AbortController();
    const called: number[] = [];
    const hooks = places.map((i) => ({
      once: true,
      handler: () => {
        called.push(i);
        if (i === which) caller.abort();
        return pending ? sleep(5) : undefined;
      },
    }));
    host.register({ PreToolUse: [{ mode: 'parallel', hooks: hooks as never }] });
    await expect(host.fire('PreToolUse', PRE, { signal: caller.signal })).rejects.toMatchObject(aborted);
    await until(() => fires(seen).length === 1);
    const asked = pending ? ['failed', 'aborted'] : ['ran', undefined];
    expect(only(fires(seen)).handlers.map((h) => [h.status, h.failure?.cause ?? h.reason])).toEqual(
      places.map((i) => (i <= which ? asked : ['skipped', 'cancelled'])),
    );
    expect(called).toEqual(places.slice(0, which + 1));
    const started = seen.filter((one) => 'subtype' in one && one.subtype === 'hook_started');
    expect(started).toHaveLength(which + 1);
    await host.fire('PreToolUse', PRE);
    expect(called).toEqual(places);
  });

  test.each(places)('says of the others only what they said about an earlier input (hook %d)', async (which) => {
    const { host } = testHost();
    const seen = watch(host);
    const caller = new AbortController();
    const handler = (i: number) => (input: { tool_input: unknown }) => {
      if ((input.tool_input as { command: string }).command !== 'other') return allow();
      if (i === which) caller.abort();
      return pending ? (sleep(5) as never) : undefined;
    };
    host.register({
      PreToolUse: [
        { mode: 'parallel', hooks: places.map((i) => handler(i)) as never },
        { hooks: [() => rewrite({ command: 'other' })] },
      ],
    });
    await expect(host.fire('PreToolUse', PRE, { signal: caller.signal })).rejects.toMatchObject(aborted);
    await until(() => fires(seen).length === 1);
    const rows = only(fires(seen)).handlers.slice(0, COUNT);
    expect(rows.map(({ judged, reasked }) => [judged, reasked])).toEqual(
      places.map((i) => (i <= which ? [1, 1] : [undefined, undefined])),
    );
    // Their allow was for an input that would not have run.
    expect(rows.filter(({ verdict }) => verdict === 'allow')).toEqual([]);
    for (const row of rows.slice(which + 1)) expect(row).toMatchObject({ status: 'ran' });
  });
});
