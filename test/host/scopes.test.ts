import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { deny } from '../../src/events/output/helpers.js';
import type { HookScope } from '../../src/host/plugin-types.js';
import type { ScopeRef } from '../../src/scopes/tree.js';
import { INPUTS } from './inputs.js';
import { anyHooks, deferred, fireAny, fires, only, testHost, turn, until, watch } from './kit.js';

const PRE = INPUTS.PreToolUse;

/** Every handler writes its name; `ran()` takes what was written since. */
function logging() {
  const log: string[] = [];
  return {
    mark: (name: string) => ({ PreToolUse: [{ hooks: [() => void log.push(name)] }] }),
    ran: () => log.splice(0).join(' '),
    log,
  };
}

/** host, session, parent agent, child agent, and a sibling of the parent. */
function family(options: Parameters<typeof testHost>[0] = {}) {
  const { host, reports } = testHost(options);
  const { mark, ran, log } = logging();
  host.registerScoped('sibling', mark('sibling'));
  host.registerScoped('parent', mark('parent'));
  host.registerScoped('child', mark('child'), { parent: 'parent' });
  host.scope({ session: 's' }).register(mark('session'));
  host.register(mark('host'));
  return { host, reports, mark, ran, log };
}

const T = (agent: string): ScopeRef => ({ session: 't', agent });
const nameOf = (ref: ScopeRef): string => (typeof ref === 'string' ? ref : `${ref.session}/${ref.agent}`);

describe('a fire runs the hooks of its lineage, outermost first', () => {
  test.each<[ScopeRef | undefined, string]>([
    [undefined, 'host session'],
    ['parent', 'host session parent'],
    ['child', 'host session parent child'],
    ['sibling', 'host session sibling'],
    [{ agent: 'child' }, 'host session parent child'],
    [{ session: 's', agent: 'child' }, 'host session parent child'],
    [{ session: 's' }, 'host session'],
    [{ session: 'other' }, 'host'],
    [{ session: 'other', agent: 'child' }, 'host'],
    ['nobody', 'host session'],
  ])('in %j', async (scope, expected) => {
    const { host, ran } = family();
    await host.fire('PreToolUse', PRE, scope === undefined ? {} : { scope });
    expect(ran()).toBe(expected);
  });

  test('what is registered for the session of a host without one runs in every session', async () => {
    const { mark, ran } = logging();
    const host = createHost({ logger: () => {} });
    const undo = host.scope({}).register(mark('session'));
    host.register(mark('host'));
    for (const session_id of ['a', 'b', '']) {
      await host.fire('PreToolUse', { ...PRE, session_id } as never);
      expect(ran()).toBe('host session');
    }
    await host.fire('PreToolUse', PRE, { scope: { session: 'c' } });
    expect(ran()).toBe('host session');
    host.scope({ session: 'own' }).register(mark('own'));
    await host.fire('PreToolUse', PRE, { scope: { session: 'own' } });
    expect(ran()).toBe('host session own');
    undo();
    await host.fire('PreToolUse', { ...PRE, session_id: 'a' } as never);
    expect(ran()).toBe('host');
  });

  test('an agent_id in the input names the scope, unless the call does', async () => {
    const { host, ran } = family();
    await host.fire('PreToolUse', { ...PRE, agent_id: 'child' });
    expect(ran()).toBe('host session parent child');
    await host.fire('PreToolUse', { ...PRE, agent_id: 'child' }, { scope: 'sibling' });
    expect(ran()).toBe('host session sibling');
    await host.fire('PreToolUse', { ...PRE, agent_id: '' });
    expect(ran()).toBe('host session');
  });

  test('an id nobody opened is no error: base hooks fire, and the record says so', async () => {
    const { host, ran } = family();
    const seen = watch(host);
    await host.fire('PreToolUse', PRE, { scope: 'nobody' });
    await host.fire('PreToolUse', PRE, { scope: 'child' });
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('host session host session parent child host session');
    expect(fires(seen).map((f) => [f.scope, f.scope_known])).toEqual([
      ['nobody', false],
      ['child', true],
      ['session', true],
    ]);
  });

  test('a hook is told the scope that was fired in, as the record has it', async () => {
    const { host } = testHost();
    const scopes: string[] = [];
    host.register({ PreToolUse: [{ hooks: [(_, __, context) => void scopes.push(context.scope)] }] });
    host.registerScoped('a', {});
    for (const scope of [undefined, 'a', 'nobody']) await host.fire('PreToolUse', PRE, scope ? { scope } : {});
    expect(scopes).toEqual(['session', 'a', 'nobody']);
  });

  test('the main thread running as an agent has a type and no id: it is the session, and its Stop stays Stop', async () => {
    const { host } = testHost();
    const ran: string[] = [];
    host.spawnHooks('main', { Stop: [{ hooks: [() => void ran.push('own')] }] });
    host.register({
      Stop: [{ hooks: [() => void ran.push('stop')] }],
      SubagentStop: [{ hooks: [() => void ran.push('sub')] }],
    });
    await host.fire('Stop', { ...INPUTS.Stop, agent_type: 'main' });
    expect(ran).toEqual(['stop']);
  });
});

describe('sessions', () => {
  test('may use the same agent id', async () => {
    const { host } = testHost();
    const { mark, ran } = logging();
    for (const session of ['s', 't']) {
      host.scope({ session }).register(mark(session));
      host.registerScoped({ session, agent: 'a' }, mark(`${session}/a`));
    }
    await host.fire('PreToolUse', { ...PRE, session_id: 't' }, { scope: 'a' });
    expect(ran()).toBe('t t/a');
    await host.fire('PreToolUse', { ...PRE, agent_id: 'a' });
    expect(ran()).toBe('s s/a');
    await host.fire('PreToolUse', PRE, { scope: { session: 't', agent: 'a' } });
    expect(ran()).toBe('t t/a');
    expect(host.unregisterScoped({ session: 't', agent: 'a' })).toBe(true);
    await host.fire('PreToolUse', { ...PRE, session_id: 't', agent_id: 'a' });
    await host.fire('PreToolUse', { ...PRE, agent_id: 'a' });
    expect(ran()).toBe('t s s/a');
  });

  test('that the scope names is the session that hooks, records, alarms and shares go by', async () => {
    const alarms: unknown[] = [];
    const { host } = testHost({ session: { session_id: 'own' }, onAlarm: ({ session_id }) => alarms.push(session_id) });
    const seen = watch(host);
    const given: unknown[] = [];
    const guard = ({ session_id }: { session_id: string }) => {
      given.push(session_id);
      return deny('no');
    };
    const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
    for (const [scope, input] of [
      [{ session: 's2', agent: 'a1' }, call],
      [{ session: 's2' }, call],
      [{ agent: 'a1' }, call],
      [{ session: 's2' }, { ...call, session_id: 's3' }],
    ] as const) {
      host.registerScoped(scope, { PreToolUse: [{ hooks: [guard as never] }] });
      await host.fire('PreToolUse', input, { scope });
      await host.fire('PostToolUse', { ...input, tool_response: 'x' }, { scope });
    }
    expect([...new Set(given)]).toEqual(['s2', 'own', 's3']);
    expect(fires(seen).map(({ session_id }) => session_id)).toEqual(['s2', 's2', 's2', 's2', 'own', 'own', 's3', 's3']);
    expect(alarms.slice(0, 3)).toEqual(['s2', 's2', 'own']);

    const { host: share } = testHost({ session: { session_id: 'own' } });
    share.on('PreToolUse', () => deny('x'), { enforce: 0.5 });
    for (let i = 0; i < 20; i++) {
      const scope = { session: `s${i}` };
      const { verdict } = await share.fire('PreToolUse', { ...call, session_id: `s${i}` });
      expect((await share.fire('PreToolUse', call, { scope })).verdict).toBe(verdict);
      const runs = share.explain('PreToolUse', call, { scope }).hooks[0]?.runs;
      expect(runs).toBe(verdict === 'deny');
    }
  });

  test('an agent of the host’s session is not found from another', async () => {
    const { host, ran } = family();
    await host.fire('PreToolUse', { ...PRE, session_id: 'other' }, { scope: 'child' });
    expect(ran()).toBe('host');
  });

  test('in a host without a session of its own, one opened without a session is found from every one', async () => {
    const host: Host = createHost();
    const { mark, ran } = logging();
    host.registerScoped('a', mark('a'));
    await host.fire('PreToolUse', { ...PRE, session_id: 'x', agent_id: 'a' });
    await host.fire('PreToolUse', { ...PRE, session_id: 'y' }, { scope: 'a' });
    await host.fire('PreToolUse', PRE, { scope: 'a' });
    expect(ran()).toBe('a a a');
  });

  test('the parent of an agent is looked for in its own session', async () => {
    const { host } = testHost();
    const { mark, ran } = logging();
    host.registerScoped('p', mark('s/p'));
    host.registerScoped({ session: 't', agent: 'p' }, mark('t/p'));
    host.registerScoped({ session: 't', agent: 'c' }, mark('t/c'), { parent: 'p' });
    // The same wish again is no conflict.
    host.registerScoped({ session: 't', agent: 'c' }, mark('t/c2'), { parent: 'p' });
    await host.fire('PreToolUse', { ...PRE, session_id: 't', agent_id: 'c' });
    expect(ran()).toBe('t/p t/c t/c2');
  });

  test.each<[ScopeRef, ScopeRef]>([
    ['c', { session: 't', agent: 'p' }],
    ['c', { session: 't' }],
    [{ agent: 'c' }, { session: 't', agent: 'p' }],
    [
      { session: 's', agent: 'c' },
      { session: 't', agent: 'p' },
    ],
  ])('a parent of another session is refused, and nothing is opened (%o below %o)', async (ref, parent) => {
    const { host } = testHost();
    const { mark, ran } = logging();
    host.registerScoped({ session: 't', agent: 'p' }, mark('t/p'));
    const wrong = { code: 'INVALID_OPTIONS', message: expect.stringContaining('same session as "c", got one of "t"') };
    expect(() => host.registerScoped(ref, mark('c'), { parent })).toThrow(expect.objectContaining(wrong));
    expect(host.unregisterScoped(ref)).toBe(false);
    await host.fire('PreToolUse', { ...PRE, session_id: 's', agent_id: 'c' });
    expect(ran()).toBe('');
  });

  // Both names are of one agent: its own hooks, and those of its ancestors, whichever of the names they were registered with.
  test.each<[string, readonly (readonly [ScopeRef, ScopeRef?])[], string]>([
    ['the parent, for all sessions', [['p'], [T('p')], [T('c'), 'p']], 'p t/p t/c'],
    ['the parent of the parent', [['p'], [T('p')], [T('m'), 'p'], [T('c'), 'm']], 'p t/p t/m t/c'],
    ['the agent and its parent', [['p'], ['c'], [T('p')], [T('c'), 'p']], 'p c t/p t/c'],
    ['the agent and two above it', [['p'], ['m'], ['c'], [T('p')], [T('m'), 'p'], [T('c'), 'm']], 'p m c t/p t/m t/c'],
    ['the parent, for all sessions, above the agent', [['p'], ['c', 'p'], [T('p')]], 'p t/p c'],
    ['all of it', [['p'], ['c', 'p'], [T('p')], [T('c'), 'p']], 'p t/p c t/c'],
  ])('of an agent below others, those of all sessions and of its own are asked: %s', async (_, opened, asked) => {
    const host: Host = createHost();
    const { mark, ran } = logging();
    for (const [ref, parent] of opened) host.registerScoped(ref, mark(nameOf(ref)), parent ? { parent } : {});
    const call = { ...PRE, session_id: 't', agent_id: 'c' };
    await host.fire('PreToolUse', call);
    const sorted = (names: string): string => names.split(' ').sort().join(' ');
    expect(sorted(ran())).toBe(sorted(asked));
    const shown = host.explain('PreToolUse', call).hooks.filter(({ runs }) => runs);
    expect(shown).toHaveLength(asked.split(' ').length);
    await host.fire('PreToolUse', { ...call, session_id: 'u' });
    expect(ran().includes('t/')).toBe(false);
    // What is undone, or comes later, counts from the next fire on.
    host.unregisterScoped('p');
    await host.fire('PreToolUse', call);
    expect(ran().split(' ')).not.toContain('p');
    const hasOwn = opened.some(([ref]) => nameOf(ref) === 't/c');
    host.registerScoped('p', mark('later'));
    await host.fire('PreToolUse', call);
    expect(ran().split(' ').includes('later')).toBe(hasOwn);
  });

  test('a parent that names no session is one of the session of the agent', async () => {
    const { host } = testHost();
    const { mark, ran } = logging();
    host.registerScoped('p', mark('s/p'));
    host.registerScoped({ session: 't', agent: 'p' }, mark('t/p'));
    host.registerScoped({ session: 't', agent: 'c' }, mark('t/c'), { parent: { agent: 'p' } });
    await host.fire('PreToolUse', { ...PRE, session_id: 't', agent_id: 'c' });
    expect(ran()).toBe('t/p t/c');
  });

  test('a session whose last hook is gone is forgotten, and may come again', async () => {
    const { host } = testHost();
    const { mark, ran } = logging();
    for (let i = 0; i < 3; i++) {
      const undo = host.scope({ session: 't' }).register(mark('t'));
      await host.fire('PreToolUse', { ...PRE, session_id: 't' });
      undo();
      await host.fire('PreToolUse', { ...PRE, session_id: 't' });
    }
    expect(ran()).toBe('t t t');
    expect(host.describe().children[0]?.children).toEqual([]);
  });
});

describe('scopes come and go', () => {
  test('ending a scope ends its children', async () => {
    const { host, ran } = family();
    expect(host.unregisterScoped('parent')).toBe(true);
    await host.fire('PreToolUse', PRE, { scope: 'child' });
    await host.fire('PreToolUse', PRE, { scope: 'parent' });
    expect(ran()).toBe('host session host session');
    expect([host.unregisterScoped('parent'), host.unregisterScoped('child')]).toEqual([false, false]);
    await host.fire('PreToolUse', PRE, { scope: 'sibling' });
    expect(ran()).toBe('host session sibling');
  });

  test('a scope opened again begins anew', async () => {
    const { host, mark, ran } = family();
    host.unregisterScoped('child');
    host.registerScoped('child', mark('again'), { parent: 'sibling' });
    await host.fire('PreToolUse', PRE, { scope: 'child' });
    expect(ran()).toBe('host session sibling again');
  });

  test('a registration added later to a parent, the session or the host reaches living children at once', async () => {
    const { host, mark, ran } = family();
    await host.fire('PreToolUse', PRE, { scope: 'child' });
    ran();
    const undo = host.scope('parent').register(mark('late'));
    await host.fire('PreToolUse', PRE, { scope: 'child' });
    expect(ran()).toBe('host session parent late child');
    undo();
    undo();
    host.register(mark('later'));
    await host.fire('PreToolUse', PRE, { scope: 'child' });
    expect(ran()).toBe('host later session parent child');
  });

  test('taking back what a scope that has ended had is nothing, also when one of its name is open again', async () => {
    const { host } = testHost();
    const { mark, ran } = logging();
    const undo = host.registerScoped('a', mark('old'));
    host.unregisterScoped('a');
    host.registerScoped('a', mark('new'));
    undo();
    await host.fire('PreToolUse', PRE, { scope: 'a' });
    expect(ran()).toBe('new');
  });

  test('nor is taking back what a child had that ended with its parent: hooks that come later run', async () => {
    const { host } = testHost();
    const { mark, ran } = logging();
    host.registerScoped('parent', {});
    const undo = host.registerScoped('child', mark('child'), { parent: 'parent' });
    host.unregisterScoped('parent');
    undo();
    host.register(mark('host'));
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('host');
  });

  test.each(['quick', 'watched', 'parallel'])('a fire in flight keeps the plan it started with (%s)', async (way) => {
    const { host } = testHost();
    const { mark, ran, log } = logging();
    if (way === 'watched') watch(host);
    const gate = deferred();
    const waiting = async () => {
      log.push('first');
      await gate.promise;
      return undefined;
    };
    host.register({ PreToolUse: [{ mode: way === 'parallel' ? 'parallel' : 'series', hooks: [waiting] }] });
    host.registerScoped('a', mark('a'));
    const undo = host.scope('a').register(mark('undone'));
    const fire = host.fire('PreToolUse', PRE, { scope: 'a' });
    await turn();
    undo();
    host.register(mark('late'));
    host.hooks.PreToolUse.tap('tapped', () => void log.push('tapped'));
    host.unregisterScoped('a');
    gate.resolve(undefined);
    await fire;
    expect(ran()).toBe('first a undone');
    await host.fire('PreToolUse', PRE, { scope: 'a' });
    expect(ran()).toBe('first late tapped');
  });

  test('the record of a fire in flight counts no hook elsewhere that is not', async () => {
    const { host } = testHost();
    const seen = watch(host);
    const gate = deferred();
    const undos = [
      host.register({ PreToolUse: [{ hooks: [() => gate.promise as Promise<undefined>, () => {}, () => {}] }] }),
    ];
    const fire = host.fire('PreToolUse', PRE);
    await turn();
    for (const undo of undos) undo();
    gate.resolve(undefined);
    await fire;
    expect(only(fires(seen)).out_of_scope).toBe(0);
  });

  test('hooks outside the lineage are counted', async () => {
    const { host } = family();
    const seen = watch(host);
    await host.fire('PreToolUse', PRE, { scope: 'child' });
    await host.fire('PreToolUse', PRE);
    host.unregisterScoped('parent');
    await host.fire('PreToolUse', PRE);
    expect(fires(seen).map((f) => [f.handlers.length, f.out_of_scope])).toEqual([
      [4, 1],
      [2, 3],
      [2, 1],
    ]);
  });

  test('a session that has no scope yet is no parent by name; the advice says how it is the parent', async () => {
    const { host } = testHost();
    const { mark, ran } = logging();
    const asked = () => host.registerScoped(T('c'), mark('c'), { parent: { session: 't' } });
    expect(asked).toThrow(
      'No scope "session t" is open to be the parent. Leave the parent out: the agent\'s session is its parent.',
    );
    for (const ref of ['c', T('c')] as const)
      expect(() => host.registerScoped(ref, mark('c'), { parent: {} })).toThrow('No scope "session" is open');
    host.registerScoped(T('c'), mark('c'));
    host.scope({ session: 't' }).register(mark('t'));
    await host.fire('PreToolUse', { ...PRE, session_id: 't', agent_id: 'c' });
    expect(ran()).toBe('t c');
    // It is open now.
    expect(asked).not.toThrow();
  });

  test.each<[string, (host: Host) => unknown, told: boolean]>([
    ['registerScoped', (host) => host.registerScoped('session', { PreToolUse: [{ hooks: [() => undefined] }] }), true],
    ['scope', (host) => host.scope('session').register({ PreToolUse: [{ hooks: [() => undefined] }] }), true],
    ['its own name', (host) => host.scope({ session: 'session' }), false],
    ['an agent’s own name', (host) => host.scope({ agent: 'session' }), false],
  ])('an agent that is called session, by %s, is probably meant to be the session', (_, call, told) => {
    const { host, reports } = testHost();
    call(host);
    call(host);
    expect(reports).toEqual(
      told
        ? [
            'Hooks in the scope "session" are for an agent with that id. The scope of a session is named { session: "…" }, by its id',
          ]
        : [],
    );
  });

  test('a parent that is not open is an error, as is another parent; nothing is opened or changed', () => {
    const { host, mark } = family();
    const before = JSON.stringify(host.describe());
    expect(() => host.registerScoped('x', mark('x'), { parent: 'nobody' })).toThrow(
      /"nobody" is open to be the parent/,
    );
    expect(() => host.registerScoped('child', mark('x'), { parent: 'sibling' })).toThrow(/already open under "parent"/);
    expect(JSON.stringify(host.describe())).toBe(before);
  });

  test('a handle has what the scope has, and opens it with the first hook', async () => {
    const { host } = testHost();
    const { mark, ran } = logging();
    const scope: HookScope = host.scope('a');
    expect(scope.id).toBe('a');
    expect(scope.describe()).toMatchObject({ scope: 'a', kind: 'agent', hooks: [], children: [] });
    expect(host.describe().children[0]?.children).toEqual([]);
    scope.register(mark('a'));
    await scope.use({
      name: 'plug',
      apply: (own: { register(hooks: unknown): unknown }) => void own.register(mark('plug')),
    });
    expect(scope.describe().hooks.map((h) => [h.event, h.plugin])).toEqual([
      ['PreToolUse', undefined],
      ['PreToolUse', 'plug'],
    ]);
    await host.fire('PreToolUse', PRE, { scope: 'a' });
    expect(ran()).toBe('a plug');
    expect(scope.close()).toBe(true);
    await host.fire('PreToolUse', PRE, { scope: 'a' });
    expect(ran()).toBe('');
  });

  test('the tree prints for people and is JSON for programs', () => {
    const { host } = family();
    const tree = host.describe();
    expect(JSON.parse(JSON.stringify(tree))).toEqual({ ...tree });
    const lines = String(tree)
      .split('\n')
      .map((l) => l.replace(/ {2}\S.*\[.*/, ''));
    expect(
      lines.filter((l) => /^ *(managed|host|session|agent)/.test(l)).map((l) => l.replace(/ \S+$/, (m) => m)),
    ).toEqual(['managed', '  host', '    session', '      agent sibling', '      agent parent', '        agent child']);
  });
});

describe('merge: all', () => {
  test('is the base and every live scope, in creation order', async () => {
    const { host, mark, ran } = family({ merge: 'all' });
    for (const scope of [undefined, 'child', 'sibling', 'nobody']) {
      await host.fire('PreToolUse', PRE, scope ? { scope } : {});
      expect(ran()).toBe('host session sibling parent child');
    }
    host.unregisterScoped('parent');
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('host session sibling');
    host.registerScoped('fresh', mark('fresh'));
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('host session sibling fresh');
    host.unregisterScoped('sibling');
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('host session fresh');
  });

  test('a scope that ended after one registration is not remembered', async () => {
    const { host } = testHost({ merge: 'all' });
    const { mark, ran } = logging();
    host.registerScoped('a', mark('a'));
    await host.fire('PreToolUse', PRE);
    host.unregisterScoped('a');
    await host.fire('PreToolUse', PRE);
    expect(ran()).toBe('a');
  });

  test('an agent’s own Stop is still only its own', async () => {
    const { host } = testHost({ merge: 'all' });
    const ran: string[] = [];
    for (const id of ['a', 'b']) host.registerScoped(id, { Stop: [{ hooks: [() => void ran.push(id)] }] });
    await host.fire('SubagentStop', { ...INPUTS.SubagentStop, agent_id: 'b' });
    await host.fire('Stop', INPUTS.Stop);
    expect(ran).toEqual(['b']);
  });
});

describe('a Stop in an agent’s own registrations', () => {
  test('is that agent’s SubagentStop, nobody else’s, and no Stop', async () => {
    const { host } = testHost();
    const ran: string[] = [];
    const stop = (name: string) => ({
      Stop: [{ hooks: [(input: { hook_event_name: string }) => void ran.push(`${name}:${input.hook_event_name}`)] }],
    });
    host.register(stop('host'));
    host.scope({ session: 's' }).register(stop('session'));
    host.registerScoped('parent', stop('parent'));
    host.registerScoped('child', stop('child'), { parent: 'parent' });
    const at = (agent_id: string) => ({ ...INPUTS.SubagentStop, agent_id });
    await host.fire('SubagentStop', at('child'));
    await host.fire('SubagentStop', at('parent'));
    await host.fire('SubagentStop', at('nobody'));
    await host.fire('Stop', INPUTS.Stop);
    expect(ran).toEqual(['child:SubagentStop', 'parent:SubagentStop', 'host:Stop', 'session:Stop']);
  });

  test('a SubagentStop there is every agent’s below it', async () => {
    const { host } = testHost();
    const ran: string[] = [];
    host.registerScoped('parent', { SubagentStop: [{ hooks: [() => void ran.push('parent')] }] });
    host.registerScoped('child', {}, { parent: 'parent' });
    await host.fire('SubagentStop', { ...INPUTS.SubagentStop, agent_id: 'child' });
    expect(ran).toEqual(['parent']);
  });

  test('answers as SubagentStop, and keeps that agent going', async () => {
    const { host } = testHost();
    host.registerScoped('a', {
      Stop: [
        {
          hooks: [
            () => ({
              decision: 'block',
              reason: 'more',
              hookSpecificOutput: { hookEventName: 'SubagentStop' as never },
            }),
          ],
        },
      ],
    });
    const decision = await host.fire('SubagentStop', { ...INPUTS.SubagentStop, agent_id: 'a' });
    expect(decision).toMatchObject({ continues: true, reason: 'more', failures: [] });
  });
});

describe('late context of background hooks waits for the scope whose fire produced it', () => {
  const late = (text: string) => ({
    PostToolUse: [
      {
        hooks: [
          () => ({
            async: true as const,
            result: turn().then(() => ({ hookSpecificOutput: { additionalContext: text } })),
          }),
        ],
      },
    ],
  });
  const POST = INPUTS.PostToolUse;

  test('one session’s does not reach another', async () => {
    const { host } = testHost();
    host.register(late('for s'));
    await host.fire('PostToolUse', POST);
    await until(() => host.pendingContext().length > 0);
    expect(host.pendingContext({ session: 'other' })).toEqual([]);
    expect(host.pendingContext()).toEqual(['for s']);
    await host.fire('PostToolUse', { ...POST, session_id: 'other' });
    await until(() => host.pendingContext({ session: 'other' }).length > 0);
    expect(host.pendingContext()).toEqual(['for s']);
  });

  test('an agent’s does not reach its session, nor its siblings', async () => {
    const { host } = testHost();
    host.register(late('mine'));
    host.registerScoped('a', {});
    host.registerScoped('b', {});
    await host.fire('PostToolUse', POST, { scope: 'a' });
    await until(() => host.pendingContext('a').length > 0);
    expect([host.pendingContext(), host.pendingContext('b'), host.pendingContext('a')]).toEqual([[], [], ['mine']]);
  });

  test('a session’s stays while agents of it come and go', async () => {
    const { host } = testHost();
    const gate = deferred<unknown>();
    host.register({ PostToolUse: [{ hooks: [() => ({ async: true, result: gate.promise })] }] });
    host.registerScoped('a', {});
    await host.fire('PostToolUse', POST);
    host.unregisterScoped('a');
    gate.resolve({ systemMessage: 'still here' });
    await until(() => host.pendingContext().length > 0);
    expect(host.pendingContext()).toEqual(['still here']);
    host.registerScoped('b', {});
    expect(host.pendingContext()).toEqual(['still here']);
    host.unregisterScoped('b');
    expect(host.pendingContext()).toEqual(['still here']);
  });

  test.each<[string, ref: ScopeRef | undefined, input: object, opens?: true]>([
    ['the default session', undefined, {}],
    ['a session', { session: 'other' }, { session_id: 'other' }],
    ['an agent with a scope', 'a', { agent_id: 'a' }, true],
    ['an agent without one', 'b', { agent_id: 'b' }],
    ['an agent of another session', { session: 'other', agent: 'b' }, { session_id: 'other', agent_id: 'b' }],
  ])('that of %s is taken once, and what comes later waits again', async (_, ref, input, opens) => {
    const { host } = testHost();
    host.register(late('mine'));
    if (opens) host.registerScoped(ref as ScopeRef, {});
    for (let turn = 0; turn < 3; turn++) {
      await host.fire('PostToolUse', { ...POST, ...input });
      await until(() => host.pendingContext(ref).length > 0);
      expect(host.takeContext(ref)).toEqual(['mine']);
      expect([host.takeContext(ref), host.pendingContext(ref)]).toEqual([[], []]);
    }
  });

  test('what a host gives, a session does not give again, and the other way round', async () => {
    const { host } = testHost();
    const session = await host.openSession();
    const add = async (): Promise<void> => {
      await host.fire('PostToolUse', { ...POST, session_id: session.session_id });
      await until(() => session.pendingContext().length > 0);
    };
    host.register(late('mine'));
    await add();
    expect([host.takeContext(), session.systemPrompt('')]).toEqual([['mine'], '']);
    await add();
    expect([session.systemPrompt(''), host.takeContext()]).toEqual(['mine', []]);
  });

  test('an agent’s ends with it', async () => {
    const { host } = testHost();
    const gate = deferred<unknown>();
    host.register({ PostToolUse: [{ hooks: [() => ({ async: true, result: gate.promise })] }] });
    host.registerScoped('a', {});
    await host.fire('PostToolUse', POST, { scope: 'a' });
    host.unregisterScoped('a');
    gate.resolve({ systemMessage: 'too late' });
    await turn();
    await turn();
    expect([host.pendingContext(), host.pendingContext('a')]).toEqual([[], []]);
  });
});

describe('an id that is no text', () => {
  test.each([
    ['agent_id', 5],
    ['agent_id', ['a']],
    ['agent_id', null],
    ['agent_id', new String('a')],
    ['session_id', 5],
    ['session_id', ['s']],
  ])(
    'names no scope, so nothing is decided: %s %j, whether or not others have hooks and somebody watches',
    async (key, id) => {
      for (const watched of [false, true]) {
        const { host } = testHost();
        if (watched) watch(host);
        host.registerScoped('a', anyHooks({ PreToolUse: [{ hooks: [() => ({ decision: 'block' })] }] }));
        const call = { tool_name: 'Bash', tool_input: {}, [key]: id };
        await expect(fireAny(host, 'PreToolUse', call)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      }
    },
  );
});

test('a chain of 5,000 agents, each started by the one before, ends as a short one does', async () => {
  const { host } = testHost();
  const hooks = { PreToolUse: [{ hooks: [() => undefined] }] };
  host.registerScoped('a0', hooks);
  for (let i = 1; i < 5_000; i++) host.registerScoped(`a${i}`, hooks, { parent: `a${i - 1}` });
  host.unregisterScoped('a1');
  const [session] = host.describe().children[0]?.children ?? [];
  expect(session?.children).toMatchObject([{ scope: 'a0', children: [] }]);
  await host.close();
});
