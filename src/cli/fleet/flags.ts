import { resolve } from 'node:path';
import type { FleetEngine } from '../../fleet/engine.js';
import { type JoinedFleet, readJoined } from '../../fleet/joined.js';
import { checkFiles } from '../../fleet/nats/connection.js';
import { natsEngine } from '../../fleet/nats/engine.js';
import { wrongOption } from '../../values/options.js';
import type { FilterFlags } from '../history/filter.js';
import type { MaskFlags } from '../history/masked.js';
import type { Flags } from '../options.js';
import { type Terminal, unlessInterrupted } from '../terminal.js';

export type FleetFlags = FilterFlags &
  MaskFlags &
  Flags<
    | 'tlsCa'
    | 'tlsCert'
    | 'tlsKey'
    | 'servers'
    | 'team'
    | 'credentials'
    | 'key'
    | 'channel'
    | 'host'
    | 'allow'
    | 'deny'
    | 'reason'
    | 'askElsewhere'
    | 'askTimeout'
    | 'sign'
    | 'revision'
    | 'canary'
    | 'to'
    | 'sequence'
    | 'dir'
    | 'port'
    | 'limit'
    | 'long'
    | 'json'
  >;

/** A team's broker, and the identity to use there. */
export interface BrokerAddress extends Pick<JoinedFleet, 'servers' | 'team' | 'credentials' | 'tls'> {}

/** The given options, else the fleet that this machine has joined. Throws INVALID_OPTIONS if there is neither. */
export function whereOf({ servers, team, credentials, ...rest }: FleetFlags): BrokerAddress {
  const joined = readJoined();
  const at = servers ?? joined?.servers;
  if (at === undefined)
    throw wrongOption('--servers', 'expected the address of a broker, since no fleet was joined here');
  const as =
    credentials === undefined ? (servers === undefined ? joined?.credentials : undefined) : resolve(credentials);
  const tls = tlsOf(rest) ?? joined?.tls;
  return {
    servers: at,
    team: team ?? joined?.team ?? 'team',
    ...(as === undefined ? {} : { credentials: as }),
    ...(tls === undefined ? {} : { tls }),
  };
}

/** The files of the certificate authority, and of the client's own certificate and key. */
export function tlsOf({
  tlsCa,
  tlsCert,
  tlsKey,
}: Pick<FleetFlags, 'tlsCa' | 'tlsCert' | 'tlsKey'>): BrokerAddress['tls'] {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw wrongOption('--tls-cert', 'expected a certificate and its key, --tls-cert FILE --tls-key FILE');
  if (tlsCa === undefined && tlsCert === undefined) return undefined;
  return {
    ...(tlsCa === undefined ? {} : { ca: resolve(tlsCa) }),
    ...(tlsCert === undefined || tlsKey === undefined ? {} : { cert: resolve(tlsCert), key: resolve(tlsKey) }),
  };
}

export function channelOf({ channel = ['stable'] }: FleetFlags): string {
  if (channel.length !== 1) throw wrongOption('--channel', 'expected one of them');
  return channel[0] as string;
}

/** Milliseconds for a broker to answer. */
const PATIENCE = 5_000;

/** Connects to a broker and runs `use`, unless the user interrupts. Rejects with FLEET_FAILED if the broker does not answer, and with FILE if a file for the connection cannot be read. */
export async function atBroker<T>(
  where: BrokerAddress,
  terminal: Terminal,
  use: (engine: FleetEngine) => Promise<T>,
): Promise<T> {
  await checkFiles(where);
  const engine = natsEngine({ ...where, name: 'operator' });
  try {
    await connected(engine, terminal.signal);
    return await unlessInterrupted(terminal, use(engine));
  } finally {
    await engine.close();
  }
}

async function connected(engine: FleetEngine, signal: AbortSignal): Promise<void> {
  if (engine.connected) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, PATIENCE);
    const stop = engine.onChange(done);
    signal.addEventListener('abort', done, { once: true });
  });
  // The request rejects with the reason why there is no connection.
  if (!engine.connected) await engine.state.all();
}
