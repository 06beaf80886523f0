import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/session/types.js';
import { testHost } from '../host/kit.js';
import { names, opened } from './kit.js';

const call = { name: 'T', input: {}, execute: () => 1 };
const piece = { turn_id: 't', message_id: 'm', index: 0, final: true, delta: 'd' };

/** Every call there is. */
const CALLS: Record<string, (s: Session) => unknown> = {
  on: (s) => s.on('Stop', () => undefined),
  register: (s) => s.register({ Stop: [{ hooks: [() => undefined] }] }),
  use: (s) => s.use({ name: 'p', apply: () => undefined }),
  fire: (s) => s.fire('Setup', { trigger: 'init' }),
  prompt: (s) => s.prompt('p'),
  tool: (s) => s.tool(call),
  toolBatch: (s) => s.toolBatch([call]),
  endBatch: (s) => s.endBatch([], []),
  spawn: (s) => s.spawn({ agent_type: 'w' }),
  compact: (s) => s.compact({ trigger: 'auto', run: () => 's' }),
  notify: (s) => s.notify({ message: 'm' }),
  switchModel: (s) => s.switchModel({ to_model: 'm' }),
  'task.create': (s) => s.task.create({ task_id: '1', task_subject: 's' }),
  'task.complete': (s) => s.task.complete({ task_id: '1', task_subject: 's' }),
  'teammate.idle': (s) => s.teammate.idle({ teammate_name: 'n', team_name: 't' }),
  elicit: (s) => s.elicit({ mcp_server_name: 'mem', message: 'm' }),
  changeCwd: (s) => s.changeCwd('/x'),
  addDirectory: (s) => s.addDirectory('/x'),
  'worktree.create': (s) => s.worktree.create('n'),
  'worktree.remove': (s) => s.worktree.remove('/x'),
  display: (s) => s.display(piece),
  configChanged: (s) => s.configChanged({ source: 'user_settings' }),
  instructionsLoaded: (s) => s.instructionsLoaded({ file_path: '/x', memory_type: 'User', load_reason: 'include' }),
  watch: (s) => s.watch(['/x']),
};
/** Those that have nothing to do then, and what they answer. */
const HARMLESS: Record<string, [call: (s: Session) => unknown, answer: unknown]> = {
  stop: [(s) => s.stop(), { continues: false, continuations: 0, capped: false }],
  interrupt: [(s) => s.interrupt(), undefined],
  close: [(s) => s.close(), { cancelled: [] }],
  systemPrompt: [(s) => s.systemPrompt('base'), 'base'],
  pendingContext: [(s) => s.pendingContext(), []],
};
const closers: [string, (s: Session) => Promise<Session>][] = [
  ['a closed session', async (s) => s],
  ['an agent that stopped', async (s) => s.spawn({ agent_type: 'w', id: 'a' })],
];

const attempt = async (work: () => unknown): Promise<unknown> => work();

describe.each(closers)('on %s', (_, make) => {
  const closed = async () => {
    const all = await opened();
    const session = await make(all.session);
    if (session === all.session) await session.close();
    else await session.stop();
    all.seen.length = 0;
    return { ...all, session };
  };

  test.each(Object.keys(CALLS))('%s() fails with SESSION_CLOSED, and nothing is fired', async (name) => {
    const { session, seen } = await closed();
    const error = await attempt(() => CALLS[name]?.(session)).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'SESSION_CLOSED', details: { call: name } });
    expect(String(error)).toContain(`${name}() did nothing`);
    expect(names(seen)).toEqual([]);
  });

  test.each(Object.keys(HARMLESS))('%s() does nothing', async (name) => {
    const { session, seen } = await closed();
    const [work, answer] = HARMLESS[name] as [(s: Session) => unknown, unknown];
    expect(await work(session)).toEqual(answer);
    expect(names(seen)).toEqual([]);
  });
});

describe.each(['session', 'agent'])('hooks for a scope of the %s that was ended by its name', (which) => {
  test.each(['on', 'register', 'use'])(
    '%s() fails with SESSION_CLOSED, and no call of others runs them',
    async (name) => {
      const { host, session } = await opened();
      const agent = await session.spawn({ agent_type: 'w', id: 'a' });
      const { session_id } = session;
      expect(
        host.unregisterScoped(which === 'session' ? { session: session_id } : { session: session_id, agent: 'a' }),
      ).toBe(true);
      for (const one of which === 'session' ? [session, agent] : [agent]) {
        const error = await attempt(() => CALLS[name]?.(one)).catch((e: unknown) => e);
        expect(error).toMatchObject({ code: 'SESSION_CLOSED', details: { call: name, ended: 'scope' } });
        expect(String(error)).toContain(
          `has no scope any more, since unregisterScoped has ended it; ${name}() did nothing`,
        );
      }
      for (const others of [{}, { agent_id: 'a' }]) {
        const input = { session_id: 'other', stop_hook_active: false, ...others };
        expect(
          host
            .explain('Stop', input as never)
            .hooks.filter(({ runs }) => runs)
            .map(({ name }) => name),
        ).toEqual(['spy']);
      }
    },
  );
});

test('every method of a session is in one of the two tables', async () => {
  const { session } = await opened();
  const methods = Object.entries(Object.getOwnPropertyDescriptors(session)).flatMap(([name, { value }]) => {
    if (typeof value === 'function') return [name];
    if (!['task', 'teammate', 'worktree'].includes(name)) return [];
    return Object.keys(value as object).map((inner) => `${name}.${inner}`);
  });
  expect(methods.sort()).toEqual([...Object.keys(CALLS), ...Object.keys(HARMLESS)].sort());
});

describe('ids that are taken', () => {
  test('of a session', async () => {
    const { host } = await opened({ session_id: 'x' });
    await expect(host.openSession({ session_id: 'x' })).rejects.toMatchObject({
      code: 'SESSION_OPEN',
      message: 'Session "x" is open already. Close it first, or choose another id.',
    });
  });

  test('of an agent that runs, but not of one that ended', async () => {
    const { session } = await opened();
    const first = await session.spawn({ agent_type: 'w', id: 'a' });
    await expect(session.spawn({ agent_type: 'w', id: 'a' })).rejects.toMatchObject({ code: 'SESSION_OPEN' });
    await first.stop();
    await expect(session.spawn({ agent_type: 'w', id: 'a' })).resolves.toMatchObject({ id: 'a' });
  });
});

test.each(['gone', 'never there'])('a parent that is %s', async (which) => {
  const { session } = await opened();
  const parent = await session.spawn({ agent_type: 'w', id: 'gone' });
  await parent.close();
  await expect(session.spawn({ agent_type: 'w', parent: which })).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
});

test.each([
  ['no name', { name: '' }, 'INVALID_OPTIONS'],
  ['an id that is no string', { id: 7 }, 'INVALID_OPTIONS'],
  ['an unknown effect', { effect: 'write' }, 'INVALID_OPTIONS'],
  ['nothing to execute', { execute: undefined }, 'INVALID_OPTIONS'],
  ['input that is no data', { input: { f: () => 1 } }, 'INVALID_INPUT'],
])('a call with %s is an error before anything of its batch runs', async (_, wrong, code) => {
  const { session, seen } = await opened();
  await expect(session.tool({ ...call, ...wrong } as never)).rejects.toMatchObject({ code });
  await expect(session.toolBatch([call, { ...call, ...wrong } as never])).rejects.toMatchObject({ code });
  expect(names(seen)).toEqual(['SessionStart']);
});

describe('an empty id or name is refused, since it would stand for several or none:', () => {
  const { host } = testHost();
  test.each<[string, (s: Session) => unknown]>([
    ['the session of a host', () => testHost({ session: { session_id: '' } })],
    ['a session', () => host.openSession({ session_id: '' })],
    ["a session's agent type", () => host.openSession({ agent_type: '' })],
    ['an agent type', (s) => s.spawn({ agent_type: '' })],
    ['an agent', (s) => s.spawn({ agent_type: 'w', id: '' })],
    ['a tool', (s) => s.tool({ ...call, name: '' })],
    ['a call', (s) => s.tool({ ...call, id: '' })],
    ['a prompt', (s) => s.prompt('p', { prompt_id: '' })],
    ['a command', (s) => s.prompt('p', { command: { command_name: '' } })],
    ['a server that asks', (s) => s.elicit({ mcp_server_name: '', message: 'm' })],
    ['a question of a server', (s) => s.elicit({ mcp_server_name: 'mem', message: 'm', elicitation_id: '' })],
    ['a model', (s) => s.switchModel({ to_model: '' })],
    ['a scope', () => host.registerScoped('', {})],
    ['the session of a scope', () => host.scope({ session: '' })],
    ['the agent of a scope', () => host.scope({ session: 's', agent: '' })],
    ['agents of a type', () => host.spawnHooks('', {})],
    ['a hook', () => host.on('Stop', () => undefined, { name: '' })],
  ])('%s', async (_, work) => {
    const { session, seen } = await opened();
    await expect(attempt(() => work(session))).rejects.toMatchObject({
      code: expect.stringMatching(/^INVALID_(OPTIONS|HOOKS)$/),
    });
    expect(names(seen)).toEqual(['SessionStart']);
  });
});

test('an unknown key in an answer of the harness is a warning, with the nearest key', async () => {
  const answers = {
    permission: { behavior: 'allow', updatedInpt: {} },
    ask: { behavior: 'allow', mesage: 'fine', toolUseID: 't' },
    classify: { behavior: 'allow', colour: 1 },
  };
  for (const [name, answer] of Object.entries(answers)) {
    const { host, session, reports } = await opened({
      permission: undefined,
      permission_mode: name === 'classify' ? 'auto' : 'default',
      [name]: () => answer,
    });
    expect(await session.tool(call)).toMatchObject({ status: 'ran' });
    expect(reports).toEqual([
      {
        permission: 'permission(): unknown key "updatedInpt" in the answer; did you mean "updatedInput"?',
        ask: 'ask(): unknown key "mesage" in the answer; did you mean "message"?',
        classify: 'classify(): unknown key "colour" in the answer',
      }[name],
    ]);
    await host.close();
  }
});

test('a batch of nothing is nothing', async () => {
  const { session, seen } = await opened();
  expect(await session.toolBatch([])).toEqual({ results: [], endsLoop: false });
  expect(names(seen)).toEqual(['SessionStart']);
});

test("input that the host finds wrong is the harness's error, not a denial", async () => {
  const { host, session } = await opened();
  host.register({ Notification: [{ hooks: [() => undefined] }] });
  await expect(session.notify({ message: 7 as never })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test('a closed host opens no session', async () => {
  const { host } = await opened();
  await host.close();
  await expect(host.openSession({ session_id: 'x' })).rejects.toMatchObject({ code: 'CLOSED' });
});

describe('what a tool hands back that cannot be written down', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  test.each([
    ['a cycle', cycle, 'got a cycle'],
    ['a bigint', { n: 1n }, 'got bigint'],
  ])('%s is withheld, and the model is told', async (_, response, text) => {
    const { session } = await opened({ permission_mode: 'bypassPermissions' });
    const result = await session.tool({ ...call, execute: () => response });
    expect(result).toMatchObject({
      status: 'ran',
      content: expect.stringContaining(text),
      after: { event: 'PostToolUse' },
    });
  });

  const hostile = (target: object): object =>
    new Proxy(target, {
      getPrototypeOf: () => {
        throw hostile({});
      },
      get: () => {
        throw hostile({});
      },
    });
  test.each([
    ['a proxy that throws whatever it is asked', () => hostile(new Error('x'))],
    ['what inherits from one', () => Object.create(hostile({}))],
    ['a promise that rejects', () => Promise.reject(new Error('x'))],
  ])('a response whose getter throws %s is withheld', async (_, make) => {
    const { session } = await opened({ permission_mode: 'bypassPermissions' });
    const response = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw make();
      },
    });
    const result = await session.tool({ ...call, execute: () => response });
    expect(result).toMatchObject({ status: 'ran', content: expect.stringContaining('withheld') });
  });

  test('an error that cannot be printed is a failed call', async () => {
    const { session, seen } = await opened({ permission_mode: 'bypassPermissions' });
    const thrown = {
      toString() {
        throw new Error('no text');
      },
    };
    const result = await session.tool({ ...call, execute: () => Promise.reject(thrown) });
    expect(result).toMatchObject({ status: 'failed', isError: true });
    expect(names(seen)).toContain('PostToolUseFailure');
  });
});

describe('what is no answer, text or result is refused in words', () => {
  const ask = (answer: unknown) => (s: Session) =>
    s.elicit({ mcp_server_name: 'mem', message: 'm', ask: () => answer as never });
  const compact = (summary: unknown) => (s: Session) => s.compact({ trigger: 'auto', run: () => summary as never });
  const end = (result: unknown) => (s: Session) => s.endBatch([call], [result] as never);
  const odd = [undefined, null, 5, [], () => 1];
  const wrong: [where: RegExp, work: (s: Session) => unknown][] = [
    ...[...odd, 'accept', {}, { action: 'yes' }, { action: 'accept', content: 'x' }].map(
      (one): [RegExp, (s: Session) => unknown] => [/elicit: the answer of ask/, ask(one)],
    ),
    ...[...odd, {}].map((one): [RegExp, (s: Session) => unknown] => [/compact: the summary/, compact(one)]),
    ...[...odd, {}, { id: 'c' }].map((one): [RegExp, (s: Session) => unknown] => [/endBatch\.results\[0\]/, end(one)]),
    ...[...odd, {}].map((one): [RegExp, (s: Session) => unknown] => [/prompt: text/, (s) => s.prompt(one as never)]),
  ];

  test.each(wrong)('%s (%#)', async (where, work) => {
    const { session } = await opened();
    const error = await attempt(() => work(session)).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', message: expect.stringMatching(where) as string });
    await session.close();
  });
});
