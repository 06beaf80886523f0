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
import { within } from '../values/waiting/timer.js';
import { type LateEnd, lateEnds } from './background.js';
import type { LeftBehind } from './left-behind.js';
import { SAMPLES } from './samples.js';
import { noLogger, put } from './tested.js';

/** An event and its input; what is left out of the input is a sample's. */
export type ContractInput = readonly [event: HookEvent, input?: Readonly<Record<string, unknown>> | undefined];

/** A plugin under test. */
export interface Under {
  readonly plugin: PluginUse;
  readonly denies: readonly ContractInput[];
  readonly passes: readonly ContractInput[];
  /** Seconds. */
  readonly patience: number;
  readonly host: HostOptions;
  /** What its cases have left so far. */
  readonly left: LeftBehind;
}

export interface CaseOf {
  readonly name: string;
  /** The calls without which it says nothing. */
  readonly about?: readonly ('denies' | 'passes')[];
  run(under: Under): Promise<void>;
}

/** A host with the plugin in it, which ends with the case. */
export interface Stage {
  readonly host: Host;
  /** Takes the plugin out. */
  undo(): unknown;
  /** The events that it has hooks for, whoever they are for. */
  readonly events: readonly HookEvent[];
  /** Those events, each for one who is asked about it: the main agent, or an agent of a type that has hooks of its own. */
  readonly asked: readonly ContractInput[];
  /** Rejects with an AssertionError where a hook does not answer in time. */
  fire(asked: ContractInput, options?: FireOptions): Promise<Decision>;
  /** Fires every event that it has hooks for, for each who is asked. */
  fireAll(): Promise<void>;
  /** Waits for hooks in the background. Rejects with an AssertionError where one does not end in time. */
  settled(): Promise<void>;
  /** The record of the latest fire. */
  last(): FireRecord;
  /** What its hooks have said and how they have failed in the background since. */
  late(): readonly LateEnd[];
}

/** Outside every share of sessions in which a hook may be enforced: one that is only tried out guards nothing here, in every run. */
const SESSION = { session_id: 'contract-3538' };

/** Runs it with the plugin in its own host; the host is closed then, but what never ends does not hold the case. */
export async function onStage(
  { plugin, patience, host: given }: Under,
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
    const undo = await put(plugin, 'PreToolUse', host);
    const events = eventsOf(host);
    const asked = [...events.map((event): ContractInput => [event]), ...(await askedOfAgents(host))];
    const fire: Stage['fire'] = async ([event, input], options) => {
      const decision = await host.fireAny(event, { ...structuredClone(SAMPLES[event]), ...input }, options);
      const late = decision.failures.find(({ cause }) => cause === 'timeout');
      if (late) fail(`${event} ${shown(input)}: ${late.name} does not answer within ${patience} s`);
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
        if (await within(patience * 1000, background.followed())) return;
        fail(`${background.names().join(', ')}: does not end in the background within ${patience} s`);
      },
      last,
      late: () => lateEnds({ record: last(), records }),
    });
  } finally {
    await within(patience * 1000 + 1000, host.close());
  }
}

/** Starts an agent of each type that has hooks of its own. A function that makes hooks says only then which they are. */
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

/** The kind of a scope in a description that holds the hooks of an agent type. */
const OF_TYPE = 'agents of type';

const scopesOf = (one: Description): Description[] => [one, ...one.children.flatMap(scopesOf)];

/** All that is registered, in whichever scope. */
export function hooksOf(host: Host): readonly DescribedHook[] {
  return scopesOf(host.describe()).flatMap(({ hooks }) => hooks);
}

/** Whether there are hooks, or functions that make them for each agent. */
export const hasHooks = (host: Host): boolean =>
  scopesOf(host.describe()).some(({ hooks, made = [] }) => hooks.length > 0 || made.length > 0);

/** The events that anything is registered for: the plugin's, where nothing else is. */
export function eventsOf(host: Host): readonly HookEvent[] {
  return eventsAmong(hooksOf(host));
}

function eventsAmong(hooks: readonly DescribedHook[]): readonly HookEvent[] {
  const found = new Set(hooks.map(({ event }) => event));
  return (Object.keys(SAMPLES) as HookEvent[]).filter((event) => found.has(event));
}

/** The value in a few words, for a failure. */
export function shown(value: unknown): string {
  const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
  return short(JSON.stringify(value, (_, part) => (typeof part === 'string' ? short(part, 60) : part)) ?? '', 300);
}
