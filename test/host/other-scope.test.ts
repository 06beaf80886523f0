import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { deny } from '../../src/events/output/helpers.js';
import { replay } from '../../src/replay.js';
import { all } from '../replay/all.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fires, watch } from './kit.js';

const REVIEWER = { session: 's1', agent: 'a1' };
const TOOLS = { reviewer: 'Write', worker: 'Edit' };
const input = { session_id: 's1', agent_id: 'a1' };
const scope = { scope: REVIEWER };

const open = (): Host => {
  const host = createHost({ logger: () => undefined }) as Host;
  for (const [type, matcher] of Object.entries(TOOLS))
    host.spawnHooks(type, anyHooks({ PreToolUse: [{ name: type, matcher, hooks: [() => deny(type)] }] }));
  return host;
};

/** Which types' hooks deny the untyped calls of an agent. */
async function guardsOf(host: Host, agent = input): Promise<string[]> {
  const by: string[] = [];
  for (const [type, tool_name] of Object.entries(TOOLS)) {
    const call = { ...INPUTS.PreToolUse, agent_type: undefined, ...agent, tool_name } as never;
    if ((await host.fire('PreToolUse', call)).verdict === 'deny') by.push(type);
  }
  return by;
}

const EVENTS = ['PreToolUse', 'PostToolUse', 'Notification', 'SubagentStart', 'SubagentStop'] as const;
const OTHERS: [who: string, input: object][] = [
  ['another agent', { agent_id: 'a2' }],
  ['the same id in another session', { session_id: 's2' }],
];
const CASES = OTHERS.flatMap(([who, other]) => EVENTS.map((event) => [event, who, other] as const));

describe('an event that is judged in the scope of another agent', () => {
  test.each(CASES)('%s of %s gives that one no hooks, and takes none', async (event, _, other) => {
    const host = open();
    let ended = 0;
    host.spawnHooks('reviewer', ({ onClose }) => {
      onClose(() => void ended++);
      return {};
    });
    const seen = watch(host);
    await host.fire('SubagentStart', { ...INPUTS.SubagentStart, ...input, agent_type: 'reviewer' } as never);
    const worker = { ...INPUTS[event], ...input, agent_type: 'worker', tool_name: 'Write', ...other };
    const shown = host.explain(event, worker as never, scope).hooks.filter(({ runs }) => runs);
    const { verdict } = (await host.fireAny(event, worker as never, scope)) as { verdict?: string };
    expect(verdict).toBe(event === 'PreToolUse' ? 'deny' : undefined);
    expect(shown.map(({ name }) => name)).not.toContain('worker');
    expect(await guardsOf(host)).toEqual(['reviewer']);
    expect(ended).toBe(0);
    const scopes = fires(seen).map((one) => one.scope);
    expect(new Set(scopes)).toEqual(new Set(['a1']));
    // A record has one session, so that a replay takes a fire across sessions for one of its own.
    if ('session_id' in other) return;
    const replayed = await all(replay(open(), fires(seen), { runCallbacks: true }));
    expect(replayed.map(({ changed }) => changed)).toEqual(scopes.map(() => undefined));
  });

  test('does not begin that one', async () => {
    const host = open();
    for (const event of EVENTS)
      await host.fireAny(event, { ...INPUTS[event], ...input, agent_id: 'a2', agent_type: 'worker' } as never, scope);
    expect(await guardsOf(host)).toEqual([]);
    await host.close();
  });

  test('begins and ends its own agent', async () => {
    const host = open();
    const kid = { ...input, agent_id: 'kid' };
    const typed = { ...kid, agent_type: 'worker' };
    let closed = 0;
    host.spawnHooks('worker', ({ onClose }) => {
      onClose(() => void closed++);
      return {};
    });
    await host.fire('SubagentStart', { ...INPUTS.SubagentStart, ...typed } as never, scope);
    expect(await guardsOf(host, kid)).toEqual(['worker']);
    await host.fire('SubagentStop', { ...INPUTS.SubagentStop, ...typed } as never, scope);
    expect(closed).toBe(1);
    await host.close();
  });

  test('is a start that may fail: the agent that had the id goes on', async () => {
    const host = open();
    const kid = { ...input, agent_id: 'kid' };
    await host.fire('SubagentStart', { ...INPUTS.SubagentStart, ...kid, agent_type: 'reviewer' } as never);
    const abort = new AbortController();
    host.register(anyHooks({ SubagentStart: [{ hooks: [() => abort.abort()] }] }));
    const again = { ...INPUTS.SubagentStart, ...kid, agent_type: 'worker' } as never;
    await expect(host.fire('SubagentStart', again, { ...scope, signal: abort.signal })).rejects.toThrow();
    expect(await guardsOf(host, kid)).toEqual(['reviewer']);
    await host.close();
  });
});

describe('an event that names its agent by `scope` alone', () => {
  const call = { ...INPUTS.PreToolUse, agent_id: undefined, session_id: 's1', agent_type: 'worker', tool_name: 'Edit' };

  test('is judged by the hooks of another type that it names', async () => {
    const host = open();
    await host.fire('SubagentStart', { ...INPUTS.SubagentStart, ...input, agent_type: 'reviewer' } as never);
    for (const scope of [REVIEWER, 'a1'])
      expect((await host.fire('PreToolUse', call as never, { scope })).verdict).toBe('deny');
    expect(await guardsOf(host)).toEqual(['reviewer', 'worker']);
    await host.close();
  });

  test('is of that agent, whatever session its input names', async () => {
    const host = open();
    const { verdict } = await host.fire('PreToolUse', call as never, { scope: { session: 's2', agent: 'a1' } });
    expect(verdict).toBe('deny');
    expect(await guardsOf(host, { ...input, session_id: 's2' })).toEqual(['worker']);
    await host.close();
  });
});

test('a start in the scope of another agent reads an id that changes a few times only', async () => {
  const host = open();
  let reads = 0;
  const kid = {
    ...INPUTS.SubagentStart,
    session_id: 's1',
    agent_type: 'worker',
    get agent_id() {
      return `kid${reads++}`;
    },
  };
  await host.fire('SubagentStart', kid as never, scope);
  expect(reads).toBeLessThan(20);
  await host.close();
});
