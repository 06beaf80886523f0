import { afterEach } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { readSealed, type SealedBundle } from '../../src/fleet/bundle/bundle.js';
import { type Fleet, fleet } from '../../src/fleet/fleet.js';
import { MemoryBroker, memoryEngine } from '../../src/fleet/memory.js';
import { stateOf } from '../../src/fleet/operator.js';
import type { FleetOptions } from '../../src/fleet/options.js';
import { changesNotKept } from '../../src/fleet/policy/chain.js';
import { keepChange } from '../../src/fleet/policy/posts.js';
import { type HostStatus, readStatus } from '../../src/fleet/status.js';
import { newKey, ownFolder } from './bundles.js';

export const key = newKey();

/** An engine within this process, and how its broker is cut off; each contract of engines takes it. */
export async function memoryGround() {
  const broker = new MemoryBroker();
  return {
    open: async () => memoryEngine(broker),
    async cut() {
      broker.away = true;
      return async () => {
        broker.away = false;
      };
    },
    end: async () => undefined,
  };
}

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A fleet to try things in; told: what its hosts have said. */
export function ground() {
  const broker = new MemoryBroker();
  const operator = memoryEngine(broker);
  const told: string[] = [];
  const join = async (options: Partial<FleetOptions> = {}): Promise<{ team: Fleet; host: Host; folder: string }> => {
    const folder = options.folder ?? ownFolder();
    const team = await fleet({
      engine: memoryEngine(broker),
      team: 'acme',
      keys: [key.id],
      host: 'h1',
      patience: 0.2,
      logger: (text) => told.push(text),
      ...options,
      folder,
    });
    open.push(team);
    const host = createHost({ logger: () => undefined }) as Host;
    open.push(host);
    team.join(host);
    return { team, host, folder };
  };
  /** As `hookscope fleet push` does: a change of keys is kept besides, and before. `between`: what is done in between. */
  const push = async (bytes: Uint8Array, channel = 'stable', between?: () => Promise<void>): Promise<void> => {
    const sealed = sealedIn(bytes);
    const isMain = sealed !== undefined && !channel.includes('.');
    const state = isMain && (await stateOf(operator, { team: 'acme', channel, keys: sealed.signers }));
    const last = async (of: string): Promise<number> => (await operator.policy.history(of)).at(-1)?.version ?? 0;
    const changes = state ? changesNotKept(state.counted, sealed) : [];
    for (const one of changes) await keepChange(operator, one, await last(`${channel}.keys`));
    if (changes.some(({ id }) => id === sealed?.id)) await between?.();
    await operator.policy.post(channel, bytes, await last(channel));
  };
  /** What hosts have said of themselves. */
  const shared = async (): Promise<HostStatus[]> =>
    (await operator.state.all()).flatMap(({ bytes }) => readStatus(bytes) ?? []);
  return { broker, operator, told, join, push, shared };
}

function sealedIn(bytes: Uint8Array): SealedBundle | undefined {
  try {
    return readSealed(bytes);
  } catch {
    return undefined;
  }
}

export const bash = (command: string, more: object = {}) => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 't1',
  session_id: 's1',
  ...more,
});
export const verdict = async (host: Host, command: string, more: object = {}): Promise<string> =>
  (await host.fire('PreToolUse', bash(command, more) as never)).verdict;
export const channel = (team: Fleet) => team.status().channels[0];
