import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ask, deny, rewrite } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import { command } from '../../src/handlers/command/spec.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fires, only, registerAs, testHost, watch } from './kit.js';

const fn = (): undefined => undefined;

test('describe() lists what is registered in running order, with all that matters to running it', () => {
  const { host } = testHost();
  host.register(
    {
      PreToolUse: [
        { stage: 2, hooks: [command('./late.sh', { timeout: 5 })] },
        {
          matcher: 'Bash|Edit',
          if: 'Bash(git *)',
          mode: 'parallel',
          phase: 'observe',
          onFailure: 'block',
          hooks: [fn],
        },
      ],
    },
    { name: 'guards' },
  );
  registerAs(
    host,
    { Stop: [{ hooks: [fn] }] },
    { plugin: 'plug', skip: { reason: 'trust', why: 'x' }, source: { kind: 'plugin', name: 'plug', file: '/p.js' } },
  );
  const hooks = host.describe().children[0]?.hooks ?? [];
  expect(hooks.map(({ id: _, ...h }) => h)).toEqual([
    expect.objectContaining({
      event: 'PreToolUse',
      handler: 'command',
      matcher: '*',
      stage: 2,
      mode: 'series',
      phase: 'decide',
      timeout: 5,
      onFailure: 'continue',
    }),
    {
      name: expect.stringMatching(/^guards/),
      event: 'PreToolUse',
      handler: 'callback',
      matcher: 'Bash|Edit',
      if: 'Bash(git *)',
      stage: 0,
      mode: 'parallel',
      phase: 'observe',
      timeout: 60,
      onFailure: 'block',
      source: { kind: 'code' },
    },
    expect.objectContaining({
      event: 'Stop',
      plugin: 'plug',
      skip: 'trust',
      source: { kind: 'plugin', name: 'plug', file: '/p.js' },
    }),
  ]);
  expect(new Set(hooks.map((h) => h.id)).size).toBe(3);
  const text = String(host.describe());
  for (const words of [
    'PreToolUse:Bash|Edit',
    'if Bash(git *)',
    'parallel',
    'observe',
    'on failure block',
    'stage 2',
    'never runs: trust, x',
    'plugin plug /p.js',
  ]) {
    expect(text).toContain(words);
  }
});

test('handlers are named by themselves, their group, the call, or the place they stand at', () => {
  const { host } = testHost();
  const named = function check(): undefined {
    return undefined;
  };
  const names = (register: () => unknown): string[] => {
    const before = host.describe().children[0]?.hooks.length ?? 0;
    register();
    return (host.describe().children[0]?.hooks ?? []).slice(before).map((h) => h.name);
  };
  expect(names(() => host.register({ Stop: [{ hooks: [named] }] }, { name: 'call' }))).toEqual(['call']);
  expect(names(() => host.register({ Stop: [{ hooks: [named, () => {}] }] }, { name: 'call' }))).toEqual([
    'call/check',
    'call',
  ]);
  expect(
    names(() =>
      host.register({ Stop: [{ name: 'group', hooks: [named, { handler: named, name: 'own' }] }] }, { name: 'call' }),
    ),
  ).toEqual(['group', 'own']);
  expect(names(() => host.register({ Stop: [{ hooks: [named, () => {}] }] }))).toEqual([
    'check',
    expect.stringMatching(/^describe\.test\.ts:\d+$/),
  ]);
  expect(names(() => host.register({ Stop: [{ hooks: [command('npm test'), command('x', { name: 'y' })] }] }))).toEqual(
    ['npm test', 'y'],
  );
});

describe('where the subject of an event cannot be computed', () => {
  const oops = (): never => {
    throw new Error('no subject');
  };
  const BROKEN: Readonly<Record<string, () => string | undefined>> = {
    throws: oops,
    'throws a promise': () => {
      throw Promise.reject(new Error('unheard'));
    },
    'returns a promise': () => Promise.resolve('prod') as never,
    'returns a promise that is rejected': () => Promise.reject(new Error('unheard')) as never,
    'returns what throws as a text': () => ({ toString: oops }) as never,
  };
  const MATCHERS: readonly unknown[] = ['prod*', 'prod', /./, '!prod', (subject: string) => subject.length > 9];
  const deploy = (subject: () => string | undefined) =>
    defineEvent({ input: z.object({ target: z.string() }), subject, fold: 'gate', rewrites: REWRITES });
  const REWRITES = { field: 'target', keys: ['updatedInput'] };
  const HOOKS = [undefined, ...MATCHERS].map((matcher, i) => ({
    name: `h${i}`,
    ...(matcher === undefined ? {} : { matcher }),
  }));

  test.each(Object.entries(BROKEN))('because its function %s, every hook runs, and it is said', async (_, subject) => {
    for (const mode of ['series', 'parallel']) {
      const { host, reports } = testHost({ events: { Deploy: deploy(subject) }, onFailure: 'block' });
      const ran: string[] = [];
      const told = HOOKS.map((h) => ({ ...h, mode, hooks: [() => void ran.push(h.name)] }));
      host.register({ Deploy: told as never });
      expect((await host.fire('Deploy', { target: 'prod' })).verdict).toBe('none');
      expect(ran).toEqual(HOOKS.map(({ name }) => name));
      expect(reports[0]).toMatch(/subject function of event Deploy threw: .*its hooks run whatever their matcher/);

      const seen = watch(host);
      await host.fire('Deploy', { target: 'prod' });
      const rows = fires(seen)[0]?.handlers ?? [];
      const why = 'the subject of the event could not be computed, so it runs whatever its matcher';
      expect(rows.map(({ status, warnings = [] }) => [status, ...warnings])).toEqual([
        ['ran'],
        ...MATCHERS.map(() => ['ran', expect.stringContaining(why)]),
      ]);
      const explained = host.explain('Deploy', { target: 'prod' });
      expect(explained).not.toHaveProperty('subject');
      expect(explained.hooks.map(({ runs, why = '' }) => [runs, why])).toEqual([
        [true, ''],
        ...MATCHERS.map(() => [true, expect.stringContaining(why)]),
      ]);
    }
  });

  test('a guard under onFailure block, and one that is not enforced, are asked', async () => {
    const { host } = testHost({ events: { Deploy: deploy(oops) } });
    host.register({
      Deploy: [
        { matcher: 'dev', enforce: false, hooks: [() => ask('sure?')] },
        { matcher: 'prod*', onFailure: 'block', hooks: [() => deny('no')] },
      ],
    });
    const seen = watch(host);
    expect(await host.fire('Deploy', { target: 'prod' })).toMatchObject({ verdict: 'deny', reason: 'no' });
    await host.close();
    expect(fires(seen)).toHaveLength(2);
  });

  test('after a rewrite, the hooks that it could concern are asked', async () => {
    let calls = 0;
    const Deploy = deploy(() => (calls++ === 0 ? 'dev' : oops()));
    const { host } = testHost({ events: { Deploy } });
    host.register({
      Deploy: [
        { phase: 'rewrite', hooks: [() => rewrite('prod')] },
        { matcher: 'prod*', hooks: [() => deny('no')] },
      ],
    });
    expect(await host.fire('Deploy', { target: 'dev' })).toMatchObject({ verdict: 'deny', reason: 'no' });
  });

  test.each([undefined, '', null])('a subject that is %j is known: no matcher matches', async (nothing) => {
    const { host, reports } = testHost({ events: { Deploy: deploy(() => nothing as never) } });
    const ran: string[] = [];
    host.register({ Deploy: HOOKS.map((h) => ({ ...h, hooks: [() => void ran.push(h.name)] })) as never });
    await host.fire('Deploy', { target: 'prod' });
    expect([ran, reports]).toEqual([['h0'], []]);
  });

  test('one that can be computed in the next fire is compared in that one', async () => {
    let calls = 0;
    const { host } = testHost({ events: { Deploy: deploy(() => (calls++ % 2 === 0 ? oops() : '')) } });
    let ran = 0;
    host.register({ Deploy: [{ matcher: 'prod', hooks: [() => void ran++] }] });
    for (let i = 0; i < 4; i++) await host.fire('Deploy', { target: 'prod' });
    expect(ran).toBe(2);
  });
});

test('a long text that cannot be saved is cut all the same, and it is said', async () => {
  const { host, reports } = testHost();
  const folder = process.env['TMPDIR'];
  process.env['TMPDIR'] = '/dev/null/nowhere';
  try {
    host.register({ PreToolUse: [{ hooks: [() => ({ systemMessage: 'x'.repeat(10_001) })] }] });
    const [message] = (await host.fire('PreToolUse', INPUTS.PreToolUse)).systemMessages;
    expect(message).toContain('could not be saved');
    expect(only(reports)).toContain('could not be saved');
  } finally {
    if (folder === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = folder;
  }
});

test('a plugin that fails while it is applied leaves no hook, of plugins it applied neither', async () => {
  const { host } = testHost();
  const before = JSON.stringify(host.describe());
  const inner = {
    name: 'inner',
    apply: (scope: { register(hooks: unknown): unknown }) => void scope.register({ Stop: [{ hooks: [fn] }] }),
  };
  const outer = {
    name: 'outer',
    async apply(scope: {
      register(hooks: unknown): unknown;
      use(p: unknown): Promise<unknown>;
      spawnHooks(t: string, h: unknown): unknown;
    }) {
      scope.register({ PreToolUse: [{ hooks: [fn] }] });
      scope.spawnHooks('worker', { PreToolUse: [{ hooks: [fn] }] });
      await scope.use(inner);
      throw new Error('half way');
    },
  };
  await expect(host.use(outer as never)).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    details: { plugin: 'outer', message: 'half way' },
  });
  expect(JSON.stringify(host.describe())).toBe(before);
  await host.fire('PreToolUse', { ...INPUTS.PreToolUse, agent_id: 'a', agent_type: 'worker' });
  expect(JSON.stringify(host.describe())).toBe(before);
});

test('a plugin taken back leaves no hook', async () => {
  const { host } = testHost();
  const before = JSON.stringify(host.describe());
  const undo = await host.use({
    name: 'p',
    apply: (scope: { register(hooks: unknown): unknown }) => void scope.register(anyHooks({ Stop: [{ hooks: [fn] }] })),
  } as never);
  expect(host.describe().children[0]?.hooks).toMatchObject([{ plugin: 'p', source: { kind: 'plugin', name: 'p' } }]);
  void undo();
  void undo();
  expect(JSON.stringify(host.describe())).toBe(before);
});

test('says in which share of sessions a hook decides, with a share that a file or plugin has set', () => {
  const { host } = testHost();
  host.register({ PreToolUse: [{ name: 'some', enforce: 0.07, hooks: [fn] }] });
  host.register({ PreToolUse: [{ name: 'fewer', enforce: 0.5, hooks: [fn] }] }, { enforce: 0.2 });
  host.register({
    PreToolUse: [
      { name: 'none', enforce: false, hooks: [fn] },
      { name: 'all', hooks: [fn] },
    ],
  });
  const description = host.describe();
  expect((description.children[0]?.hooks ?? []).map(({ name, enforce }) => [name, enforce])).toEqual([
    ['some', 0.07],
    ['fewer', 0.2],
    ['none', undefined],
    ['all', undefined],
  ]);
  const lines = String(description).split('\n');
  expect(lines.filter((line) => line.includes('enforced in'))).toEqual([
    expect.stringContaining('enforced in 7 % of sessions'),
    expect.stringContaining('enforced in 20 % of sessions'),
  ]);
});

test('marks the guards that let a call go ahead when they fail, and only those', () => {
  const { host } = testHost();
  host.register(
    {
      PreToolUse: [
        { name: 'open', hooks: [fn] },
        { name: 'command', hooks: [command('./guard.sh')] },
        { name: 'closed', onFailure: 'block', hooks: [fn] },
        { name: 'asks', onFailure: 'ask', hooks: [fn] },
        { name: 'watches', phase: 'observe', hooks: [fn] },
        { name: 'late', hooks: [command('./late.sh', { async: true })] },
      ],
      PermissionRequest: [{ name: 'open', hooks: [fn] }],
      Stop: [{ name: 'ends', hooks: [fn] }],
      PostToolUse: [{ name: 'after', hooks: [fn] }],
    },
    {},
  );
  registerAs(host, { PreToolUse: [{ name: 'held', hooks: [fn] }] }, { skip: { reason: 'trust', why: 'x' } });
  const hooks = host.describe().children[0]?.hooks ?? [];
  const marked = hooks.filter((hook) => hook.failsOpen).map(({ event, name }) => `${event} ${name}`);
  expect(marked).toEqual(['PreToolUse open', 'PreToolUse command', 'PermissionRequest open']);
  const lines = String(host.describe()).split('\n');
  expect(lines.filter((line) => line.includes('[fails open; code]'))).toHaveLength(3);
  const explained = host.explain('PreToolUse', INPUTS.PreToolUse).hooks;
  expect(explained.filter((hook) => hook.failsOpen).map((hook) => hook.name)).toEqual(['open', 'command']);
});
