import type { Host } from '../create-host.js';
import type { CustomEvents } from '../events/catalogue.js';
import type { HostCore } from '../host/core.js';
import { servicesOf } from '../host/internals.js';
import { masksIn } from './ask/approvers.js';
import { usualHostId } from './host-id.js';
import type { JoinedFleet } from './joined.js';
import { type DecisionLog, logAside } from './log/log.js';
import { withoutPassword } from './nats/connection.js';
import { completeOptions } from './options.js';
import { readAllowed } from './policy/allowed.js';
import { readKept } from './policy/kept.js';
import { lastGood } from './policy/last-good.js';
import { ManagedPolicies } from './policy/managed.js';
import type { PreparedPolicy } from './policy/prepare.js';

/** What `applyLastGood` has put above a host, and what is masked there. */
interface LastGoodPolicy {
  readonly policies: PreparedPolicy[];
  readonly masks: PreparedPolicy['redact'][];
}
const OVER = new WeakMap<HostCore, LastGoodPolicy>();

/** The policies that `applyLastGood` has put above a host. */
export const policiesOver = (host: Host): readonly PreparedPolicy[] => OVER.get(servicesOf(host))?.policies ?? [];

/**
 * Puts the last good policy above a host that asks nobody: a command that fires once, or only looks. Where none is known every gate asks. Throws BUNDLE_REFUSED,
 * FILE, INVALID_CONFIG.
 */
export async function applyLastGood<C extends CustomEvents>(host: Host<C>, joined: JoinedFleet): Promise<void> {
  const { team: _, channels, folder, keys, directory, allow } = completeOptions(joined);
  const own = `${folder}/${joined.host ?? usualHostId(folder)}`;
  const managed = new ManagedPolicies();
  const core = servicesOf(host);
  const over: LastGoodPolicy = { policies: [], masks: [] };
  OVER.set(core, over);
  managed.join(core);
  for (const channel of channels) {
    const good = await lastGood(channel, readKept(own, channel, keys), {
      allowed: () => readAllowed(allow),
      directory,
      place: joined.servers.map(withoutPassword).join(', '),
    });
    managed.replace(channel, good);
    if (good.policy !== undefined) over.policies.push(good.policy);
    if (good.masks !== undefined) over.masks.push(good.masks);
  }
  managed.close();
}

/** Keeps what is decided without a connection: the next process of this host that has one sends it. */
export function keepForLater(host: Host, joined: JoinedFleet): DecisionLog {
  const { folder, maxBytes } = completeOptions(joined);
  const id = joined.host ?? usualHostId(folder);
  const log = logAside({ folder: `${folder}/${id}`, maxBytes, segmentBytes: Math.ceil(maxBytes / 8) });
  log.mask(masksIn(OVER.get(servicesOf(host))?.masks ?? []));
  log.attach(host);
  return log;
}
