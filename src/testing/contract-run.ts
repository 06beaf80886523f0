import { fail } from 'node:assert/strict';
import { createHost, type Host } from '../create-host.js';
import type { FireRecord } from '../emit/fire-record.js';
import type { HookRecord } from '../emit/record.js';
import type { HookEvent } from '../events/catalogue.js';
import type { FireOptions } from '../host/fire-options.js';
import { servicesOf } from '../host/internals.js';
import type { HostOptions } from '../host/options.js';
import type { Decision, DescribedHook, Description, Hooks } from '../host/types.js';
import type { PluginUse } from '../session/options.js';
import { doneWithin } from '../values/waiting/timer.js';
import { type LateEnd, lateEnds } from './background.js';
import type { Leftovers } from './left-behind.js';
import { SAMPLES } from './samples.js';
import { noLogger, registerTested } from './tested.js';

/** An event and its input. Fields that the input lacks are those of a sample. */
export type ContractInput = readonly [event: HookEvent, input?: Readonly<Record<string, unknown>> | undefined];

/** A plugin under test. */
export interface PluginUnderTest {
  readonly plugin: PluginUse;
  readonly denies: readonly ContractInput[];
  readonly passes: readonly ContractInput[];
  /** The seconds that a hook may take. */
  readonly patience: number;
  readonly host: HostOptions;
  /** What the plugin's cases have left behind so far. */
  readonly left: Leftovers;
}

export interface CaseOf {
  readonly name: string;
  /** The kinds of calls that the case needs. Without them it is left out. */
  readonly about?: readonly ('denies' | 'passes')[];
  run(under: PluginUnderTest): Promise<void>;
}

/** A host with the plugin, which is closed at the end of the case. */
export interface Stage {
  readonly host: Host;
  /** Unregisters the plugin. */
  undo(): unknown;
  /** The events for which the plugin has hooks, in any scope. */
  readonly events: readonly HookEvent[];
  /** The inputs to fire: each event for the main agent, and for an agent of each type that has its own hooks. */
  readonly asked: readonly ContractInput[];
  /** Rejects with an AssertionError if a hook does not answer in time. */
  fire(asked: ContractInput, options?: FireOptions): Promise<Decision>;
  /** Fires everything in `asked`. */
  fireAll(): Promise<void>;
  /** Waits for hooks in the background. Rejects with an AssertionError if one does not end in time. */
  settled(): Promise<void>;
  /** The record of the latest fire. */
  last(): FireRecord;
  /** The ends of the background runs of the latest fire. */
  late(): readonly LateEnd[];
}

/** This id is outside every share (`enforce: 0.1`), so that a hook that is only being tried out never decides in a contract. */
const SESSION = { session_id: 'contract-3538' };

/** Runs a case with the plugin in a host of its own, and closes the host. A hook that never ends cannot hang the case. */
export async function onStage(
  { plugin, patience, host: given }: PluginUnderTest,
  run: (stage: Stage) => Promise<void>,
  beside?: Hooks,
): Promise<void> {
  const host = createHost({
    logger: noLogger,
    ...given,
    timeout: patience,
    closeTimeout: 2 * patience,
    session: { ...SESSION, ...given.session },
  });
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  try {
    if (beside) host.register(beside);
    const undo = await registerTested(plugin, 'PreToolUse', host);
    const events = eventsOf(host);
    const asked = [...events.map((event): ContractInput => [event]), ...(await askedOfAgents(host))];
    const fire: Stage['fire'] = async ([event, input], options) => {
      const decision = await host.fireAny(event, { ...structuredClone(SAMPLES[event]), ...input }, options);
      const late = decision.failures.find(({ cause }) => cause === 'timeout');
      if (late) fail(`${event} ${shortValue(input)}: ${late.name} does not answer within ${patience} s`);
      return decision;
    };
    const last: Stage['last'] = () =>
      records.findLast(
        (record): record is FireRecord => record.type === 'hook_fire' && record.shadow_of === undefined,
      ) as FireRecord;
    const { background } = servicesOf(host);
    await run({
      host,
      undo,
      events,
      asked,
      fire,
      fireAll: async () => void (await Promise.all(asked.map((one) => fire(one)))),
      async settled() {
        if (await doneWithin(patience * 1000, background.followed())) return;
        fail(`${background.names().join(', ')}: does not end in the background within ${patience} s`);
      },
      last,
      late: () => lateEnds({ record: last(), records }),
    });
  } finally {
    await doneWithin(patience * 1000 + 1000, host.close());
  }
}

/** Starts an agent of each type that has its own hooks. A function that makes hooks is only called then. */
async function askedOfAgents(host: Host): Promise<ContractInput[]> {
  const types = scopesOf(host.describe()).flatMap(({ kind, agentType }) =>
    kind === OF_TYPE && agentType !== undefined ? [agentType] : [],
  );
  const agents = types.map((agent_type, i) => ({ agent_id: `contract-agent-${i}`, agent_type }));
  for (const agent of agents)
    await host.fireAny('SubagentStart', { ...structuredClone(SAMPLES.SubagentStart), ...agent });
  const all = scopesOf(host.describe());
  return agents.flatMap((agent): ContractInput[] => {
    const own = all.filter(({ kind, scope }) => kind !== OF_TYPE && scope === agent.agent_id);
    return eventsAmong(own.flatMap(({ hooks }) => hooks)).map((event) => [event, agent]);
  });
}

/** The kind of the scope that has the hooks of an agent type, in a description. */
const OF_TYPE = 'agents of type';

const scopesOf = (one: Description): Description[] => [one, ...one.children.flatMap(scopesOf)];

/** All registered hooks, in all scopes. */
export function hooksOf(host: Host): readonly DescribedHook[] {
  return scopesOf(host.describe()).flatMap(({ hooks }) => hooks);
}

/** Whether there are any hooks, or functions that make hooks for each agent. */
export const hasHooks = (host: Host): boolean =>
  scopesOf(host.describe()).some(({ hooks, made = [] }) => hooks.length > 0 || made.length > 0);

/** The events that have hooks. */
export function eventsOf(host: Host): readonly HookEvent[] {
  return eventsAmong(hooksOf(host));
}

function eventsAmong(hooks: readonly DescribedHook[]): readonly HookEvent[] {
  const found = new Set(hooks.map(({ event }) => event));
  return (Object.keys(SAMPLES) as HookEvent[]).filter((event) => found.has(event));
}

/** A shortened value for a message. */
export function shortValue(value: unknown): string {
  const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
  return short(JSON.stringify(value, (_, part) => (typeof part === 'string' ? short(part, 60) : part)) ?? '', 300);
}
