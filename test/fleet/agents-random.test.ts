import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { servicesOf } from '../../src/host/internals.js';
import { replay } from '../../src/replay/replay.js';
import { AgentScopes } from '../../src/server/agents.js';
import { generated, randomFrom, SEED } from '../seed.js';
import { bundleOf } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key } from './ground.js';

/** The tool that agents of each type are denied. */
const TOOLS: Readonly<Record<string, string>> = { reviewer: 'Write', helper: 'Edit', builder: 'Read' };
const TYPES = Object.keys(TOOLS);
const hooksOf = (type: string) => ({
  PreToolUse: [{ name: type, matcher: TOOLS[type], hooks: [{ type: 'rule', decision: 'deny', reason: type }] }],
});
const BY_TYPE = Object.fromEntries(TYPES.map((type) => [type, hooksOf(type)]));
const notes = { Notification: [{ hooks: [() => undefined] }] };

const STEPS = ['spawn', 'close', 'start', 'stop', 'hand', 'unhand', 'fail', 'toggle', 'call', 'call', 'call'];
const SERVED = ['start', 'stop', 'hand', 'unhand', 'call', 'call'];

/** A host whose hooks by type can be taken away, and given back. */
interface World {
  readonly host: Host;
  toggle(): Promise<void>;
}

async function own(): Promise<World> {
  const host = createHost({ logger: () => undefined }) as Host;
  let undos: (() => void)[] = [];
  const toggle = async (): Promise<void> => {
    if (undos.length === 0) undos = TYPES.map((type) => host.spawnHooks(type, hooksOf(type) as never));
    else for (const undo of undos.splice(0)) undo();
  };
  await toggle();
  return { host, toggle };
}

async function policy(): Promise<World> {
  const { join, push } = ground();
  const { host, team } = await join();
  let sequence = 0;
  const toggle = async (): Promise<void> => {
    sequence += 1;
    const of = sequence;
    const files = { 'acme/agents.json': of % 2 === 1 ? { spawnHooks: BY_TYPE } : { hooks: {} } };
    await push(bundleOf(of, files as never, [key]));
    await until(() => channel(team)?.sequence === of);
  };
  await toggle();
  return { host, toggle };
}

/** Plays what agents do, in a random order; every call is judged by what explain() says, and by the type that its agent has. */
async function play(
  { host, toggle }: World,
  random: () => number,
  { isServed = false, mayToggle = false, isKept = false } = {},
) {
  const upTo = (most: number): number => Math.floor(random() * most);
  const pick = <T>(all: readonly T[]): T => all[upTo(all.length)] as T;
  const services = servicesOf(host);
  const served = new AgentScopes(services);
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(JSON.parse(JSON.stringify(record)));
  });
  const session = await host.openSession({ session_id: 's1', permission: () => ({ behavior: 'allow' }) });
  const live: { id: string; agent: typeof session; close(): unknown }[] = [];
  const started = new Set<string>();
  const types = new Map<string, string>();
  const above = new Map<string, ReadonlySet<string>>();
  const steps: string[] = [];
  let areOn = true;
  const fire = async (event: string, input: Record<string, unknown>) => {
    const spec = services.events[event]?.spec as never;
    if (isServed) served.before(spec, input);
    const runs = host.explain(event as never, input as never).hooks.filter((hook) => hook.runs);
    const decision = await host.fireAny(event, input);
    if (isServed) served.after(spec, input, false);
    const ran = records.at(-1)?.handlers.filter(({ status }) => status === 'ran') ?? [];
    const show = ({ name, scope }: { name: string; scope: string }): string => `${name} in ${scope}`;
    expect(ran.map(show), steps.join(', ')).toEqual(runs.map(show));
    return (decision as { verdict?: string }).verdict;
  };
  for (let i = 0; i < 14; i++) {
    const id = pick(isServed ? ['a'] : ['a', 'b', 'c']);
    const type = pick(TYPES);
    const named = { session_id: 's1', agent_id: id };
    const step = pick(isServed ? SERVED : STEPS);
    const own = pick([true, false]);
    const scope = own ? { session: 's1', agent: id } : id;
    if (step === 'spawn' && !started.has(id)) {
      const by = pick([undefined, ...live]);
      steps.push(`${by?.id ?? 'the session'} spawns the ${type} ${id}`);
      const agent = await (by?.agent ?? session).spawn({ id, agent_type: type }).catch(() => undefined);
      if (agent === undefined) continue;
      live.push({ id, agent: agent as never, close: () => agent.close() });
      started.add(id);
      types.set(id, type);
      above.set(id, new Set(by ? [types.get(by.id) as string, ...(above.get(by.id) ?? [])] : []));
    } else if (step === 'fail' && !started.has(id)) {
      steps.push(`the ${type} ${id} fails to start`);
      const failing = (pick([undefined, ...live])?.agent ?? session).spawn({
        id,
        agent_type: type,
        hooks: { PreToolUse: 1 } as never,
      });
      await expect(failing).rejects.toThrow();
    } else if (step === 'close' && live.length > 0) {
      const [one] = live.splice(upTo(live.length), 1) as [(typeof live)[number]];
      steps.push(`${one.id} closes`);
      await one.close();
      started.delete(one.id);
    } else if (step === 'start' && !started.has(id)) {
      steps.push(`the ${type} ${id} starts`);
      if (types.get(id) !== type) above.delete(id);
      types.set(id, type);
      started.add(id);
      await fire('SubagentStart', { ...named, agent_type: type });
    } else if (step === 'stop' && types.has(id) && !live.some((one) => one.id === id)) {
      steps.push(`${id} stops`);
      started.delete(id);
      const more = { stop_hook_active: false, agent_transcript_path: '' };
      await fire('SubagentStop', { ...named, agent_type: types.get(id), ...more });
    } else if (step === 'hand') {
      steps.push(`a hook by hand for ${id}${own ? '' : ' in all sessions'}`);
      host.registerScoped(scope, notes);
    } else if (step === 'unhand' && !live.some((one) => one.id === id)) {
      steps.push(`the scope of ${id}${own ? '' : ' in all sessions'} is ended`);
      host.unregisterScoped(scope);
    } else if (step === 'toggle' && mayToggle) {
      steps.push('the hooks by type come or go');
      areOn = !areOn;
      await toggle();
    } else if (step === 'call') {
      const tool = pick(TYPES);
      const known = types.get(id);
      const saysType = known !== undefined && (isServed || pick([true, false]));
      steps.push(`${id}${saysType ? `, a ${known},` : ''} uses ${TOOLS[tool]}`);
      const more = saysType ? { agent_type: known } : {};
      const use = { tool_name: TOOLS[tool], tool_input: {}, tool_use_id: `t${i}` };
      const verdict = await fire('PreToolUse', { ...named, ...more, ...use });
      const isBelow = above.get(id)?.has(tool) === true;
      // A living agent keeps the hooks of its host that it has got, and gets no others.
      if (areOn && tool === known && !isKept) expect(verdict, steps.join(', ')).toBe('deny');
      if ((!areOn && !isKept) || (tool !== known && !isBelow)) expect(verdict, steps.join(', ')).toBe('none');
    }
  }
  await host.close();
  return { records, steps: steps.join(', ') };
}

describe.each([
  ['hooks by type', own, 40, {}],
  ['hooks by type that come and go', own, 25, { mayToggle: true, isKept: true }],
  ['hooks by type under hookscope serve', own, 40, { isServed: true }],
  ['a policy', policy, 8, {}],
  ['policies that come and go', policy, 6, { mayToggle: true }],
] as const)('of agents that start, end, go on and use ids again, under %s,', (_, make, few, how) => {
  test('what explain() says runs, what runs is of their type, and a replay says so again', async () => {
    const random = randomFrom(SEED);
    for (let i = 0; i < generated(few); i++) {
      const { records, steps } = await play(await make(), random, how);
      if ('mayToggle' in how) continue;
      const { host } = await make();
      for await (const { fire, then, now, changed } of replay(host, records))
        expect(changed, `${steps}: ${fire.event} of ${fire.agent}, ${then?.word} -> ${now.word}`).toBeUndefined();
      await host.close();
    }
  });
});
