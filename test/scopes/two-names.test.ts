import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { ask, rewrite } from '../../src/events/output/helpers.js';
import { servicesOf } from '../../src/host/internals.js';
import { rule } from '../../src/index.js';
import type { Scope } from '../../src/scopes/scope.js';
import { INPUTS } from '../host/inputs.js';
import { fires, watch } from '../host/kit.js';
import { generated, randomFrom, SEED } from '../seed.js';

const AGENTS = ['a', 'b', 'c'] as const;
const TYPES = ['reviewer', 'helper'] as const;
const silent = (name: string) => ({ PreToolUse: [{ hooks: [{ name, handler: () => undefined }] }] });
/** Hooks by hand: their names have a slash, and the last word is the name of the hook that has it. */
const renaming = (name: string) => ({
  PreToolUse: [{ hooks: [{ name, handler: () => rewrite({ command: name }) }] }],
});
const isByHand = (name: string): boolean => name.includes('/');

/** Whether a session driver holds it, or an agent that it is below: then its hooks are for no other session. */
const isHeld = (scope: Scope | undefined): boolean =>
  scope !== undefined &&
  (scope.heldBySession || (scope.kind === 'agent' && scope.parent?.kind === 'agent' && isHeld(scope.parent)));

/** The hooks by hand for a call, and the agents above each agent that it is about, under either name. */
function expectedFor(scopes: readonly Scope[], [session, own]: readonly [string, string], agent: string) {
  const above = new Map<string, Set<string>>([[agent, new Set()]]);
  const counted = scopes.filter((one) => one.session === session || (one.session === own && !isHeld(one)));
  const named = (found: readonly Scope[]) =>
    found.flatMap((one) => one.own('PreToolUse').flatMap(({ name }) => (isByHand(name) ? name : [])));
  const names = named(counted.filter(({ kind }) => kind === 'session'));
  // The loop also reaches the agents that it adds.
  for (const [id, direct] of above) {
    const found = counted.filter((one) => one.kind === 'agent' && one.id === id);
    names.push(...named(found));
    for (const { parent } of found) {
      if (parent?.kind !== 'agent') continue;
      direct.add(parent.id);
      if (!above.has(parent.id)) above.set(parent.id, new Set());
    }
  }
  for (const all of above.values()) for (const id of all) for (const one of above.get(id) ?? []) all.add(one);
  const isAbove = (one: string, other: string): boolean =>
    above.get(other)?.has(one) === true && !above.get(one)?.has(other);
  return { ids: above, names: names.sort(), isAbove };
}

/** Agents are registered by hand, start, stop and are spawned, with and without a session. */
async function play(host: Host, random: () => number): Promise<void> {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const seen = watch(host);
  const { registrar, session } = servicesOf(host);
  const own = session.session_id as string;
  for (const type of TYPES) host.spawnHooks(type, silent(type));
  type Driver = Awaited<ReturnType<Host['openSession']>>;
  const drivers: Driver[] = [];
  const spawned: { id: string; by: Driver; agent: Driver }[] = [];
  const steps: string[] = [];
  for (let i = 0; i < 12; i++) {
    const id = pick(AGENTS);
    const type = pick(TYPES);
    const named = pick([undefined, undefined, 's1', 's1', 's2']);
    const ofSession = named === undefined ? {} : { session_id: named };
    const step = pick([
      'hand',
      'hand',
      'hand',
      'hand',
      'session',
      'unhand',
      'open',
      'spawn',
      'spawn',
      'close',
      'start',
      'stop',
    ]);
    const driver = pick(drivers);
    const open = registrar.root.tree().filter((one) => one.kind === 'agent' && one.session === (named ?? own));
    const parent = pick([undefined, ...open])?.id;
    const ref = named === undefined ? { agent: id } : { session: named, agent: id };
    steps.push([step, id, type, named, driver?.session_id === own ? 'own' : driver?.session_id, parent].join(' '));
    try {
      if (step === 'hand') host.registerScoped(ref, renaming(`${named ?? ''}/${id}`), parent ? { parent } : {});
      else if (step === 'session')
        host.scope({ ...ref, agent: undefined } as never).register(renaming(`${named ?? ''}/`));
      else if (step === 'unhand') await host.unregisterScoped(ref);
      else if (step === 'open')
        drivers.push(
          (await host.openSession({
            ...ofSession,
            ...(pick([true, false]) ? { hooks: silent('driver') } : {}),
          })) as Driver,
        );
      else if (step === 'spawn' && driver) {
        const by = spawned.find((one) => one.by === driver && one.id === parent)?.agent ?? driver;
        spawned.push({ id, by: driver, agent: (await by.spawn({ id, agent_type: type })) as never });
      } else if (step === 'close') await spawned.splice(0, 1)[0]?.agent.close();
      else if (step === 'start')
        await host.fire('SubagentStart', { ...ofSession, agent_id: id, agent_type: type } as never);
      else if (step === 'stop')
        await host.fire('SubagentStop', {
          ...INPUTS.SubagentStop,
          ...ofSession,
          agent_id: id,
          agent_type: type,
        } as never);
    } catch (error) {
      expect((error as { code?: string }).code, steps.join(', ')).toMatch(/^[A-Z_]+$/);
    }
    for (const at of ['s1', pick([undefined, 's1', 's2'])]) {
      const agent_id = pick(AGENTS);
      const says = pick([{}, {}, { agent_type: type }]);
      const input = { ...INPUTS.PreToolUse, ...(at === undefined ? {} : { session_id: at }), ...says, agent_id };
      const words = `${steps.join(', ')}: ${agent_id} in ${at}, ${JSON.stringify(says)}`;
      const { ids, names, isAbove } = expectedFor(registrar.root.tree(), [at ?? own, own], agent_id);
      const show = ({ id, scope }: { id: string; scope: string }): string => `${id} in ${scope}`;
      const explained = host.explain('PreToolUse', input as never).hooks.filter(({ reason }) => reason !== 'scope');
      const { updatedInput } = (await host.fire('PreToolUse', input as never)) as {
        updatedInput?: { command: string };
      };
      const listed = fires(seen).at(-1)?.handlers ?? [];
      const ran = listed.filter(({ status }) => status === 'ran');
      expect(ran.map(show), words).toEqual(explained.filter(({ runs }) => runs).map(show));
      expect(listed.map(show).sort(), words).toEqual(explained.map(show).sort());
      const byHand = ran.map(({ name }) => name).filter(isByHand);
      expect([...byHand].sort(), words).toEqual(names);
      for (const { name, scope } of ran)
        expect(isByHand(name) || name === 'driver' || ids.has(scope), words).toBe(true);
      const idOf = (name: string): string => name.slice(name.indexOf('/') + 1);
      for (const [i, name] of byHand.entries())
        for (const later of byHand.slice(i))
          expect(isAbove(idOf(later), idOf(name)), `${words}: ${later} after ${name}`).toBe(false);
      const last = updatedInput?.command ?? '';
      for (const name of byHand) expect(isAbove(idOf(name), idOf(last)), `${words}: ${last} over ${name}`).toBe(false);
      seen.length = 0;
    }
  }
  await host.close();
}

test('hooks run for no agent but their own and those below it, under both names, and explain() says which', async () => {
  const random = randomFrom(SEED);
  for (let i = 0; i < generated(40); i++) await play(createHost({ logger: () => undefined }) as Host, random);
});

test.each(['lineage', 'all'] as const)(
  "hooks for all sessions in the host's own session are its own once it has a driver, with merge: '%s'",
  async (merge) => {
    const host = createHost({ merge, logger: () => undefined });
    host.registerScoped({}, renaming('all/'));
    host.registerScoped('a', silent('a'));
    host.registerScoped({ session: 's1' }, silent('s1'));
    const asked = async () => {
      const call = { ...INPUTS.PreToolUse, session_id: 's1', agent_id: 'a' };
      return ((await host.fire('PreToolUse', call as never)).updatedInput as { command?: string } | undefined)?.command;
    };
    const before = await asked();
    const session = await host.openSession();
    expect([before, await asked()]).toEqual(['all/', undefined]);
    await session.close();
    await host.close();
  },
);

test('an agent known under two names does not take the last word from any that is above it, at whatever depth', async () => {
  const host = createHost({ logger: () => undefined });
  host.registerScoped('a', renaming('/a'));
  host.registerScoped('b', renaming('/b'), { parent: 'a' });
  host.registerScoped('c', silent('c'), { parent: 'b' });
  host.registerScoped({ session: 's1', agent: 'c' }, renaming('s1/c'));
  const call = { ...INPUTS.PreToolUse, session_id: 's1', agent_id: 'c' } as never;
  expect(host.explain('PreToolUse', call).hooks.map(({ name }) => name)).toEqual(['/a', '/b', 'c', 's1/c']);
  expect((await host.fire('PreToolUse', call)).updatedInput).toEqual({ command: '/a' });
  await host.close();
});

test('the hooks of an agent that the own session has spawned, and of those below it, are for no other session', async () => {
  const host = createHost({ logger: () => undefined });
  const session = await host.openSession();
  const agent = await session.spawn({ id: 'a', agent_type: 'worker' });
  agent.register(silent('a'));
  host.registerScoped('b', silent('b'), { parent: 'a' });
  host.registerScoped('c', silent('c'), { parent: 'b' });
  const asked = ['b', 'c'].flatMap((agent_id) =>
    [session.session_id, 's1'].map((session_id) => {
      const { hooks } = host.explain('PreToolUse', { ...INPUTS.PreToolUse, session_id, agent_id } as never);
      return hooks.flatMap(({ name, runs }) => (runs ? name : [])).join(' ');
    }),
  );
  expect(asked).toEqual(['a b', '', 'a b c', '']);
  await host.close();
});

test("of what an outer agent's hook asked a rule further inside allows nothing, though agents above both have ended since", async () => {
  const host = createHost({ logger: () => undefined });
  for (const [agent, parent] of [['x'], ['y', 'x'], ['z', 'y'], ['a', 'z']] as const)
    host.registerScoped(agent, silent(agent), parent ? { parent } : {});
  host.registerScoped({ session: 's1', agent: 'a' }, { PreToolUse: [{ hooks: [() => ask('sure?')] }] });
  host.registerScoped(
    { session: 's1', agent: 'b' },
    { PermissionRequest: [{ hooks: [rule('allow')] }] },
    { parent: { session: 's1', agent: 'a' } },
  );
  const call = { ...INPUTS.PreToolUse, session_id: 's1', agent_id: 'b' } as never;
  const request = async () => {
    const { tool_use_id: _, ...input } = call as Record<string, unknown>;
    return (await host.fire('PermissionRequest', input as never)).verdict;
  };
  expect((await host.fire('PreToolUse', call)).verdict).toBe('ask');
  const before = await request();
  await host.unregisterScoped('x');
  expect([before, await request()]).toEqual(['none', 'none']);
  await host.close();
});

test('a long chain of agents without hooks of their own for an event is asked about', async () => {
  const host = createHost({ logger: () => undefined });
  for (let i = 0; i < 10_000; i++)
    host.registerScoped(`a${i}`, { Stop: [{ hooks: [() => undefined] }] }, i > 0 ? { parent: `a${i - 1}` } : {});
  host.registerScoped('a0', { PreToolUse: [{ hooks: [() => ask('sure?')] }] });
  const call = { ...INPUTS.PreToolUse, agent_id: 'a9999' } as never;
  expect((await host.fire('PreToolUse', call)).verdict).toBe('ask');
  await host.close();
});
