import { describe, expect, test } from 'vitest';
import { createHost, deny, type Host, type Session } from '../../src/index.js';

const GUARD = { PreToolUse: [{ onFailure: 'block' as const, hooks: [() => deny('guard')] }] };
const plugin = { name: 'guards', apply: (scope: { register(hooks: unknown): unknown }) => void scope.register(GUARD) };
const allow = { permission: () => ({ behavior: 'allow' as const }) };

function hostOf(session_id?: string): { host: Host; lines: string[] } {
  const lines: string[] = [];
  const logger = (line: string): void => void lines.push(line);
  return { host: createHost({ logger, ...(session_id ? { session: { session_id } } : {}) }), lines };
}

const ran = async (agent: Session): Promise<string> =>
  (await agent.tool({ name: 'Bash', input: {}, execute: () => 'done' })).status;
const worker = (session: Session, more: object = {}) => session.spawn({ agent_type: 'worker', id: 'w1', ...more });
const GONE =
  'Agent "w1" starts without the hooks that were registered for its id: they ended with an earlier agent. Register them again, or for every agent of its type: spawnHooks("worker", …)';
const OF_FIRST =
  /^Hooks were registered without a session for "w1"\. The first session without an id takes them .* such as "[^"]+", go without\. Register them for \{ session, agent \}, or with spawnHooks, or give/;

describe.each(['of its own', 's1'])('in a host with a session id %s', (given) => {
  const name = given === 's1' ? given : undefined;
  test.each<[string, (host: Host, session: Session) => unknown]>([
    ['registerScoped(id)', (host) => host.registerScoped('w1', GUARD)],
    [
      'registerScoped({ session, agent })',
      (host, { session_id }) => host.registerScoped({ session: session_id, agent: 'w1' }, GUARD),
    ],
    ['scope(id).on', (host) => host.scope('w1').on('PreToolUse', () => deny('guard'))],
    ['scope(id).use', (host) => host.scope('w1').use(plugin as never)],
  ])('hooks by %s end with the agent that a session drives, and the next spawn of the id says so', async (_, add) => {
    for (const end of ['stop', 'close'] as const) {
      const { host, lines } = hostOf(name);
      const session = await host.openSession(allow);
      await add(host, session);
      const first = await worker(session);
      expect(await ran(first)).toBe('denied');
      await first[end]();
      expect(lines).toEqual([]);
      expect(await ran(await worker(session))).toBe('ran');
      expect(lines).toEqual([GONE]);
    }
  });
});

test('nothing is said of an agent that has its hooks, or never had any by hand', async () => {
  const { host, lines } = hostOf('s1');
  const session = await host.openSession(allow);
  const again = async (more?: object): Promise<string> => {
    const agent = await worker(session, more);
    agent.register({ Stop: [{ hooks: [() => undefined] }] });
    const status = await ran(agent);
    await agent.stop();
    return status;
  };
  host.registerScoped('w1', GUARD);
  expect(await again()).toBe('denied');
  host.registerScoped('w1', GUARD);
  expect(await again()).toBe('denied');
  // Undone while it runs, or ended by the user.
  const undo = host.registerScoped('w1', GUARD);
  const agent = await worker(session);
  undo();
  await agent.stop();
  host.registerScoped('w1', GUARD);
  host.unregisterScoped('w1');
  expect([await again(), await again({ hooks: GUARD }), await again()]).toEqual(['ran', 'denied', 'ran']);
  host.spawnHooks('worker', GUARD);
  expect([await again(), await again()]).toEqual(['denied', 'denied']);
  expect(lines).toEqual([]);
});

describe.each([undefined, 's2'])('hooks for a nested agent, in session %s', (session_id) => {
  const ref = session_id ? { session: session_id, agent: 'inner' } : 'inner';
  const text = session_id ? '{ session: "s2", agent: "inner" }' : '"inner"';
  const open = async () => {
    const { host } = hostOf('s1');
    const session = await host.openSession({ ...allow, ...(session_id ? { session_id } : {}) });
    return { host, spawn: () => session.spawn({ agent_type: 'worker', id: 'outer' }) };
  };
  const nested = (outer: Session) => outer.spawn({ agent_type: 'worker', id: 'inner' });

  test('wait for it where they name its parent', async () => {
    const { host, spawn } = await open();
    const outer = await spawn();
    host.registerScoped(ref, GUARD, { parent: 'outer' });
    expect(await ran(await nested(outer))).toBe('denied');
  });

  test('that do not are an error that says how to keep them', async () => {
    const { host, spawn } = await open();
    host.registerScoped(ref, GUARD);
    const outer = await spawn();
    const advice = [
      `Register its hooks only once "outer" is open, with registerScoped(${text}, hooks, { parent: "outer" }).`,
      `Those that it has now end with unregisterScoped(${text}): register them again.`,
    ].join(' ');
    await expect(nested(outer)).rejects.toThrow(advice);
    expect(() => host.registerScoped(ref, GUARD, { parent: 'outer' })).toThrow(advice);
    host.unregisterScoped(ref);
    host.registerScoped(ref, GUARD, { parent: 'outer' });
    expect(await ran(await nested(outer))).toBe('denied');
  });

  test('under another agent do not move to the session', async () => {
    const { host, spawn } = await open();
    await spawn();
    host.registerScoped(ref, GUARD, { parent: 'outer' });
    const parent = session_id ? { session: session_id } : { session: 's1' };
    expect(() => host.registerScoped(ref, GUARD, { parent })).toThrow(
      `end it with unregisterScoped(${text}) and register its hooks again without a parent.`,
    );
  });
});

describe('hooks for an agent’s id alone, in a host without a session id', () => {
  test('are the first session’s, which is said once when another opens', async () => {
    const { host, lines } = hostOf();
    host.registerScoped('w1', GUARD);
    host.registerScoped({ session: 'other', agent: 'w2' }, GUARD);
    const [first, second] = [await host.openSession(allow), await host.openSession(allow)];
    expect([await ran(await worker(first)), await ran(await worker(second))]).toEqual(['denied', 'ran']);
    await host.openSession(allow);
    expect(lines).toEqual([expect.stringMatching(OF_FIRST)]);
    expect(lines[0]).toContain(second.session_id);
  });

  test.each<[string, (session: Session) => Promise<unknown>]>([
    ['the session that never spawned it', (session) => session.close()],
    ['its agent', async (session) => (await worker(session)).stop()],
    ['both', async (session) => worker(session).then(() => session.close())],
  ])('end with %s', async (_, end) => {
    const { host, lines } = hostOf();
    host.registerScoped('w1', GUARD);
    await end(await host.openSession(allow));
    expect(lines).toEqual([]);
    const further = await host.openSession({ ...allow, session_id: 'further' });
    expect(await ran(await worker(further))).toBe('ran');
    expect(lines).toEqual([expect.stringMatching(OF_FIRST)]);
  });

  test.each<[string, (host: Host) => unknown, ids: readonly (string | undefined)[]]>([
    ['every session has an id', (host) => host.registerScoped('w1', GUARD), ['s1', 's2']],
    ['there are only hooks by type', (host) => host.spawnHooks('worker', GUARD), [undefined, undefined]],
    [
      'they name their session',
      (host) => host.registerScoped({ session: 's2', agent: 'w1' }, GUARD),
      [undefined, 's2'],
    ],
  ])('nothing is said where %s', async (_, add, ids) => {
    const { host, lines } = hostOf();
    add(host);
    for (const session_id of ids) {
      const session = await host.openSession({ ...allow, ...(session_id ? { session_id } : {}) });
      const status = await ran(await worker(session));
      expect(status).toBe(session_id === undefined && ids.includes('s2') ? 'ran' : 'denied');
    }
    expect(lines).toEqual([]);
  });
});
