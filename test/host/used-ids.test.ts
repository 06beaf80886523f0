import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { deny } from '../../src/events/output/helpers.js';
import { servicesOf } from '../../src/host/internals.js';
import { AgentScopes } from '../../src/server/agents.js';
import { WarmHosts } from '../../src/server/warm.js';
import { LazySignal } from '../../src/values/waiting/lazy-signal.js';
import { fires, watch } from './kit.js';

const TOOLS = { reviewer: 'Write', builder: 'Edit' };
const notes = { Notification: [{ hooks: [() => undefined] }] };
const A = { session: 's1', agent: 'a' };

const hooksOf = (type: keyof typeof TOOLS) => ({
  PreToolUse: [{ name: type, matcher: TOOLS[type], hooks: [() => deny(type)] }],
  SubagentStart: [{ name: type, hooks: [() => undefined] }],
});

/** A host in which agents of each type are denied one tool. */
function guarded() {
  const alarms: string[] = [];
  const host = createHost({ logger: () => undefined, onAlarm: ({ alarm }) => void alarms.push(alarm) }) as Host;
  const undos = (['reviewer', 'builder'] as const).map((type) => host.spawnHooks(type, hooksOf(type)));
  const undo = (): void => {
    for (const one of undos) one();
  };
  return { host, alarms, undo };
}

const named = (type?: string) => ({
  session_id: 's1',
  agent_id: 'a',
  ...(type === undefined ? {} : { agent_type: type }),
});
const start = (host: Host, type: string) => host.fire('SubagentStart', named(type) as never);
const stop = (host: Host, type: string) =>
  host.fire('SubagentStop', { ...named(type), stop_hook_active: false, agent_transcript_path: '' } as never);
const call = (tool: string, type?: string) =>
  ({ ...named(type), tool_name: tool, tool_input: {}, tool_use_id: tool }) as never;

/** Which types' hooks deny its calls, and which would by explain(). */
async function judgedAs(host: Host, type?: string): Promise<string[]> {
  const by: string[] = [];
  for (const [of, tool] of Object.entries(TOOLS)) {
    const shown = host.explain('PreToolUse', call(tool, type)).hooks.some(({ runs }) => runs);
    const { verdict } = await host.fire('PreToolUse', call(tool, type));
    expect(shown).toBe(verdict === 'deny');
    if (verdict === 'deny') by.push(of);
  }
  return by;
}

describe('a start that fails takes nothing from the agent that had the id', () => {
  test.each([
    'its parent is gone',
    'its scope has another parent',
    'wrong hooks',
    'a plugin that fails',
    'invalid input',
  ])('%s', async (how) => {
    for (const isHeard of [false, true]) {
      const { host } = guarded();
      const session = await host.openSession({ session_id: 's1' });
      await (await session.spawn({ id: 'a', agent_type: 'reviewer' })).close();
      const other = await session.spawn({ id: 'p', agent_type: 'helper' });
      if (isHeard) expect(await judgedAs(host)).toEqual(['reviewer']);
      const wrong = { PreToolUse: 'none' } as never;
      const failing = { name: 'p', apply: () => Promise.reject(new Error('no')) };
      const options = { id: 'a', agent_type: 'builder' };
      if (how === 'invalid input')
        await host.fire('SubagentStart', { ...named('builder'), cwd: 5 } as never).catch(() => undefined);
      else {
        if (how === 'its parent is gone') host.unregisterScoped({ session: 's1', agent: 'p' });
        if (how === 'its scope has another parent') host.registerScoped(A, notes);
        if (how === 'wrong hooks') Object.assign(options, { hooks: wrong });
        if (how === 'a plugin that fails') Object.assign(options, { plugins: [failing] });
        await expect(other.spawn(options)).rejects.toThrow();
      }
      expect(await judgedAs(host)).toEqual(['reviewer']);
      await host.close();
    }
  });
});

describe.each(['wrong hooks', 'a plugin that fails', 'a signal that aborts'])('a spawn that fails (%s)', (how) => {
  const fails = async (host: Host, more: object = {}): Promise<void> => {
    const session = await host.openSession({ session_id: 's1' });
    const over = new AbortController();
    const options = {
      'wrong hooks': { hooks: { PreToolUse: 'none' } },
      'a plugin that fails': { plugins: [{ name: 'p', apply: () => Promise.reject(new Error('no')) }] },
      'a signal that aborts': { signal: over.signal, hooks: { SubagentStart: [{ hooks: [() => over.abort()] }] } },
    }[how];
    await expect(session.spawn({ id: 'a', agent_type: 'builder', ...options, ...more } as never)).rejects.toThrow();
  };

  test('leaves what was registered by hand for its id, before it or meanwhile', async () => {
    for (const when of ['before', 'meanwhile', 'a plugin', 'at work']) {
      const { host } = guarded();
      let ended = 0;
      const guard = { PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [() => deny('by hand')] }] } as const;
      const byHand = () => host.registerScoped(A, guard);
      if (when === 'before' || when === 'at work') byHand();
      if (when === 'at work') await start(host, 'reviewer');
      if (when === 'a plugin') {
        const apply = (scope: { register(hooks: object): unknown; onClose(call: () => void): void }): void => {
          scope.register(guard);
          scope.onClose(() => ended++);
        };
        await host.scope(A).use({ name: 'guard', apply } as never);
      }
      const plugins = [
        { name: 'm', apply: () => void byHand() },
        { name: 'p', apply: () => Promise.reject(new Error('no')) },
      ];
      await fails(host, when === 'meanwhile' ? { plugins, hooks: {} } : {});
      expect([when, (await host.fire('PreToolUse', call('Bash'))).verdict, ended]).toEqual([when, 'deny', 0]);
      expect(await judgedAs(host)).toEqual(when === 'at work' ? ['reviewer'] : []);
      await host.close();
    }
  });

  test('leaves an agent at work at work', async () => {
    const { host, alarms } = guarded();
    await start(host, 'reviewer');
    await fails(host);
    expect(await judgedAs(host)).toEqual(['reviewer']);
    expect(alarms).toEqual([]);
    await host.close();
  });
});

test('a spawn with wrong hooks or plugins resets nothing of the agent at work with its id', async () => {
  const host = createHost({ logger: () => undefined });
  let ended = 0;
  host.spawnHooks('searcher', ({ onClose }) => {
    let calls = 0;
    onClose(() => ended++);
    return { PreToolUse: [{ hooks: [() => (++calls > 1 ? deny('no more') : undefined)] }] };
  });
  await start(host as Host, 'searcher');
  await host.fire('PreToolUse', call('Write'));
  const session = await host.openSession({ session_id: 's1' });
  for (const wrong of [{ hooks: { PreToolUse: 'none' } }, { plugins: [{ name: 'p' }] }, { plugins: ['p'] }])
    await expect(session.spawn({ id: 'a', agent_type: 'x', ...wrong } as never)).rejects.toThrow();
  expect([(await host.fire('PreToolUse', call('Write'))).verdict, ended]).toEqual(['deny', 0]);
  await host.close();
});

test('while the plugins of a start that has failed clean up, the agent before it goes on as itself', async () => {
  const { host } = guarded();
  const session = await host.openSession({ session_id: 's1' });
  await (await session.spawn({ id: 'a', agent_type: 'reviewer' })).close();
  let clean: () => void = () => undefined;
  const cleaning = new Promise<void>((resolve) => {
    clean = resolve;
  });
  const slow = { name: 'slow', apply: (scope: { onClose(call: unknown): void }) => scope.onClose(() => cleaning) };
  const bad = { name: 'bad', apply: () => Promise.reject(new Error('no')) };
  const failed = session.spawn({ id: 'a', agent_type: 'builder', plugins: [slow, bad] } as never);
  failed.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await judgedAs(host)).toEqual(['reviewer']);
  clean();
  await expect(failed).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
  expect(await judgedAs(host)).toEqual(['reviewer']);
  await host.close();
});

test('a SubagentStart that is aborted while its hooks run changes nothing', async () => {
  for (const was of ['ended', 'late', 'at work', 'ended, then by hand', 'none']) {
    const { host, alarms } = guarded();
    if (was !== 'none') await start(host, 'reviewer');
    if (was !== 'none' && was !== 'at work') await stop(host, 'reviewer');
    if (was === 'late') await host.fire('PreToolUse', call('Read'));
    if (was.includes('by hand')) host.registerScoped(A, notes);
    const over = new AbortController();
    host.spawnHooks('builder', { SubagentStart: [{ hooks: [() => over.abort()] }] });
    const type = was === 'at work' ? 'reviewer' : 'builder';
    if (was === 'at work') host.register({ SubagentStart: [{ hooks: [() => over.abort()] }] });
    const started = host.fire('SubagentStart', named(type) as never, { signal: over.signal });
    await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    expect([was, await judgedAs(host)]).toEqual([was, was === 'none' ? [] : ['reviewer']]);
    expect(alarms.length).toBe(was === 'none' || was === 'at work' ? 0 : 1);
    await host.close();
  }
});

test.each(['no parent', 'a parent'])(
  'an agent that goes on has the hooks of its type, with an alarm, also where something was registered for it since (%s)',
  async (where) => {
    const { host, alarms } = guarded();
    const session = await host.openSession({ session_id: 's1' });
    await session.spawn({ id: 'top', agent_type: 'other' });
    await (await session.spawn({ id: 'a', agent_type: 'reviewer' })).close();
    host.registerScoped(A, notes, where === 'a parent' ? { parent: { session: 's1', agent: 'top' } } : {});
    expect(await judgedAs(host)).toEqual(['reviewer']);
    expect(alarms).toEqual(['reopened']);
    await host.close();
  },
);

describe.each(['spawn', 'SubagentStart', 'hookscope serve'])('an agent that starts with a used id (%s)', (how) => {
  const begin = async (host: Host): Promise<unknown> => {
    if (how === 'spawn')
      return (await host.openSession({ session_id: 's1' })).spawn({ id: 'a', agent_type: 'builder' });
    if (how === 'hookscope serve') {
      const spec = servicesOf(host).events['SubagentStart']?.spec as never;
      new AgentScopes(servicesOf(host)).before(spec, named('builder'));
    }
    return start(host, 'builder');
  };

  test.each([
    'nothing',
    'a late event',
    'by hand',
    'a late event, then by hand',
    'by hand, then a late event',
    'by hand before',
  ])('has the hooks of its own type alone: after %s', async (what) => {
    const { host } = guarded();
    const watched = watch(host);
    if (what === 'by hand before') host.registerScoped(A, notes);
    await start(host, 'reviewer');
    await stop(host, 'reviewer');
    for (const step of what.split(', then ')) {
      if (step === 'a late event') await host.fire('PreToolUse', call('Read'));
      if (step === 'by hand') host.registerScoped(A, notes);
    }
    const shown = host.explain('SubagentStart', named('builder') as never).hooks.filter(({ runs }) => runs);
    await begin(host);
    expect(shown.map(({ name }) => name)).toEqual(['builder']);
    expect(
      fires(watched)
        .at(-1)
        ?.handlers.map(({ name }) => name),
    ).toEqual(['builder']);
    expect([await judgedAs(host), await judgedAs(host, 'builder')]).toEqual([['builder'], ['builder']]);
    const isByHand = what.includes('by hand');
    expect(JSON.stringify(host.describe()).includes('"event":"Notification"')).toBe(isByHand);
    await host.close();
  });

  test('is known as such also where no hooks were by type when it started', async () => {
    const { host, undo } = guarded();
    await start(host, 'reviewer');
    await stop(host, 'reviewer');
    undo();
    await begin(host);
    for (const type of ['reviewer', 'builder'] as const) host.spawnHooks(type, hooksOf(type));
    expect(await judgedAs(host)).not.toContain('reviewer');
    await host.close();
  });
});

describe('agents of types without hooks push none of a type with hooks out of memory', () => {
  const others = async (host: Host, how: string): Promise<void> => {
    const session = how === 'spawned' ? await host.openSession({ session_id: 's1' }) : undefined;
    for (let i = 0; i < 1_200; i++) {
      const other = { session_id: 's1', agent_id: `o${i}`, agent_type: 'other' };
      if (session) await (await session.spawn({ id: other.agent_id, agent_type: 'other' })).close();
      else {
        await host.fire('SubagentStart', other as never);
        await host.fire('SubagentStop', { ...other, stop_hook_active: false, agent_transcript_path: '' } as never);
      }
    }
    await session?.close();
  };

  test.each(['told of', 'spawned'])('%s', async (how) => {
    const { host, alarms } = guarded();
    await start(host, 'reviewer');
    await stop(host, 'reviewer');
    await others(host, how);
    expect(await judgedAs(host)).toEqual(['reviewer']);
    expect(alarms).toEqual(['reopened']);
    await host.close();
  });

  test('also where its hooks came after its end, or have gone since', async () => {
    for (const when of ['came', 'have gone']) {
      const host = createHost({ logger: () => undefined, onAlarm: () => undefined }) as Host;
      host.spawnHooks('helper', {});
      const add = () => host.spawnHooks('reviewer', hooksOf('reviewer'));
      const undo = when === 'came' ? undefined : add();
      await start(host, 'reviewer');
      await stop(host, 'reviewer');
      if (undo) undo();
      else add();
      await others(host, 'told of');
      if (undo) add();
      expect(await judgedAs(host)).toEqual(['reviewer']);
      await host.close();
    }
  });
});

test.each(['subscribers', 'no subscriber'])(
  'a start whose input makes no sense is refused where only hooks by type are for it (%s)',
  async (who) => {
    const { host } = guarded();
    if (who === 'subscribers') watch(host);
    const wrong = { ...named('reviewer'), cwd: 5 } as never;
    await expect(host.fire('SubagentStart', wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await host.close();
  },
);

test('what starts and stops where no hooks were by type is known once there are some', async () => {
  for (const was of ['stopped', 'at work', 'stopped, then aborted', 'stopped long ago']) {
    const alarms: string[] = [];
    const host = createHost({ logger: () => undefined, onAlarm: ({ alarm }) => void alarms.push(alarm) }) as Host;
    host.register({ SubagentStart: [{ hooks: [() => undefined] }] });
    await start(host, 'reviewer');
    if (was !== 'at work') await stop(host, 'reviewer');
    if (was.includes('aborted')) {
      const over = new AbortController();
      host.register({ SubagentStart: [{ hooks: [() => over.abort()] }] });
      const started = host.fire('SubagentStart', named('builder') as never, { signal: over.signal });
      await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    }
    for (let i = 0; was.includes('long ago') && i < 20_001; i++) {
      const other = { session_id: 's1', agent_id: `o${i}`, agent_type: 'other' };
      await host.fire('SubagentStart', other as never);
      await host.fire('SubagentStop', { ...other, stop_hook_active: false, agent_transcript_path: '' } as never);
    }
    for (const type of ['reviewer', 'builder'] as const) host.spawnHooks(type, hooksOf(type));
    const isKnown = was !== 'stopped long ago';
    expect([was, await judgedAs(host), alarms.length]).toEqual([
      was,
      isKnown ? ['reviewer'] : [],
      isKnown && was !== 'at work' ? 1 : 0,
    ]);
    await host.close();
  }
});

test('what a function made for the earlier agent is cleaned up, and what it left for the next turn is gone', async () => {
  const host = createHost({ logger: () => undefined });
  const ended: string[] = [];
  host.spawnHooks('reviewer', ({ agent_type, onClose }) => {
    onClose(() => ended.push(agent_type));
    return { PreToolUse: [{ hooks: [() => deny('reviewer')] }] };
  });
  await start(host as Host, 'reviewer');
  await stop(host as Host, 'reviewer');
  await host.fire('PreToolUse', call('Write'));
  host.registerScoped(A, notes);
  const scope = servicesOf(host as Host).registrar.scope(A);
  scope.pending.push('late');
  await start(host as Host, 'builder');
  expect(ended).toEqual(['reviewer', 'reviewer']);
  expect(scope.closed).toBe(false);
  expect(scope.pending).toEqual([]);
  expect((await host.fire('PreToolUse', call('Write'))).verdict).toBe('none');
  await host.close();
});

test('under hookscope serve a start whose input makes no sense takes nothing from the agent that had the id', async () => {
  const { host } = guarded();
  const hosts = new WarmHosts({ host, binding: { changed: () => [] } as never }, []);
  const specOf = (event: string) => servicesOf(host).events[event]?.spec as never;
  const ask = (event: string, input: object) =>
    hosts.ask(specOf(event), input as never, { cwd: '/', env: {}, signal: new LazySignal() });
  await ask('SubagentStart', named('reviewer'));
  await ask('SubagentStop', { ...named('reviewer'), stop_hook_active: false, agent_transcript_path: '' });
  await expect(ask('SubagentStart', { ...named('builder'), cwd: 5 })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await judgedAs(host)).toEqual(['reviewer']);
  expect(await judgedAs(host, 'reviewer')).toEqual(['reviewer']);
  await host.close();
});

test('under hookscope serve an agent is passed on with its type, and whether it had ended', async () => {
  const { host } = guarded();
  const services = servicesOf(host);
  const specOf = (event: string) => services.events[event]?.spec as never;
  const agents = new AgentScopes(services);
  const told: object[] = [];
  agents.passOn((one) => void told.push(one));
  agents.before(specOf('SubagentStart'), named('reviewer'));
  agents.after(specOf('SubagentStop'), named('reviewer'), false);
  agents.before(specOf('PreToolUse'), named('reviewer'));
  agents.before(specOf('PreToolUse'), named('reviewer'));
  agents.before(specOf('SubagentStart'), named('builder'));
  const of = (type: string, more: object = {}) => ({ ...A, type, ...more });
  const all = [of('reviewer'), of('reviewer', { ended: true }), of('reviewer', { late: true }), of('builder')];
  expect(told).toEqual(all);
  const next = guarded().host;
  const taken = new AgentScopes(servicesOf(next));
  for (const one of told) taken.takeOver(one as never);
  expect([await judgedAs(host), await judgedAs(next)]).toEqual([['builder'], ['builder']]);
});

test('an agent for which hooks were registered by hand before it started goes on without an alarm, its hooks as they were', async () => {
  for (const isByHand of [false, true]) {
    const alarms: string[] = [];
    const host = createHost({ logger: () => undefined, onAlarm: ({ alarm }) => void alarms.push(alarm) }) as Host;
    host.spawnHooks('reviewer', () => {
      let calls = 0;
      return { PreToolUse: [{ hooks: [() => deny(String(++calls))] }] };
    });
    if (isByHand) host.registerScoped(A, notes);
    await start(host, 'reviewer');
    await host.fire('PreToolUse', call('Write'));
    await stop(host, 'reviewer');
    const { reason } = await host.fire('PreToolUse', call('Write'));
    expect([reason, alarms]).toEqual(isByHand ? ['2', []] : ['1', ['reopened']]);
    await host.close();
  }
});
