import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../create-host.js';
import type { FireRecord } from '../emit/fire-record.js';
import type { CustomEvents } from '../events/catalogue.js';
import { servicesOf } from '../host/internals.js';
import type { Undo } from '../host/types.js';
import { ended, warn } from '../plain.js';
import { ownVersion } from '../plugins/manifest.js';
import { ndjsonStore } from '../store/ndjson.js';
import { doneWithin, timerDelay } from '../values/waiting/timer.js';
import { approversIn, masksIn } from './ask/approvers.js';
import { Asker } from './ask/asker.js';
import { ownKey } from './ask/own-key.js';
import type { FleetEngine } from './engine.js';
import { usualHostId } from './host-id.js';
import { type DecisionLog, logHere, logInThread } from './log/log.js';
import { recentIn } from './log/masked.js';
import { natsEngine } from './nats/engine.js';
import { checkFleetOptions, completeOptions, type FleetOptions } from './options.js';
import { allowStamp, readAllowed } from './policy/allowed.js';
import { RECENT } from './policy/drift.js';
import { Follower } from './policy/follow.js';
import { ManagedPolicies } from './policy/managed.js';
import { type ChannelStatus, HEARTBEAT, type HostStatus } from './status.js';

/** Milliseconds between two looks at what the host allows, and at the clock. */
const LOOK = 1_000;
/** After so many of them it is tried again whether the last policy can be in force. */
const WAITING = 5;

/** A place in a fleet. */
export interface Fleet {
  /** Its name in the fleet. */
  readonly host: string;
  /** Whether the broker is there now. */
  readonly connected: boolean;
  /** The status that `hookscope fleet status` shows. */
  status(): HostStatus;
  /**
   * Puts the fleet's policy above all that is registered in a host, and sends what is decided there. Call it before the first fire. The undo takes both back.
   * Throws BUNDLE_REFUSED: the host cannot take a bundle that is in force (it has no such event).
   */
  join<C extends CustomEvents>(host: Host<C>): Undo;
  /** Resolves when all decisions are sent, or after this many seconds. */
  drained(seconds?: number): Promise<void>;
  /** Sends what waits, at most `closeTimeout` seconds, and leaves. Hosts that have joined keep the policy. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Takes a place in a fleet: its signed policy is the managed scope of every host that joins, and what they decide is sent to the team's log. Resolves when the
 * fleet's word is known, or after `patience` seconds; then the last good policy counts, and where there never was one every gate asks.
 *
 * ```ts
 * const team = await fleet({ servers: 'nats://127.0.0.1:4222', credentials: 'host.nk', team: 'acme', keys: ['ed25519:…'] });
 * team.join(host);
 * ```
 * @throws HookscopeError INVALID_OPTIONS
 */
export async function fleet(options: FleetOptions): Promise<Fleet> {
  checkFleetOptions(options);
  const tell = unfailing(options.logger ?? warn);
  const how = completeOptions(options);
  const { team, folder, channels, closeTimeout } = how;
  const host = options.host ?? usualHostId(folder);
  const own = `${folder}/${host}`;
  const nats = { servers: how.servers, team, name: host, credentials: options.credentials, tls: options.tls };
  const engine = options.engine ?? natsEngine({ ...nats, tell });
  const bounds = { maxBytes: how.maxBytes, segmentBytes: Math.ceil(how.maxBytes / 8) };
  const log: DecisionLog =
    options.engine === undefined
      ? logInThread({ ...bounds, folder: own, host, nats }, tell)
      : logHere({ ...bounds, folder: own, host, engine, waitsForMasks: true, tell });
  const managed = new ManagedPolicies();
  const asker = new Asker({
    engine,
    team,
    host,
    when: how.askElsewhere,
    seconds: how.askTimeout,
    own: ownKey(options.credentials),
    // What leaves the host is masked, or does not leave it.
    approvers: () =>
      followers.some(({ isUnmasked }) => isUnmasked) ? [] : approversIn(followers.map(({ policy }) => policy)),
  });
  const version = await ownVersion();
  let alarms = 0;
  let left = false;

  async function* recent(): AsyncGenerator<FireRecord> {
    await log.drained(0);
    try {
      for await (const record of ndjsonStore(recentIn(own)).records({
        types: ['hook_fire'],
        newest: true,
        limit: RECENT,
      }))
        yield record as FireRecord;
    } catch {
      // Nothing has been decided yet.
    }
  }

  const status = (): HostStatus => ({
    host,
    at: new Date().toISOString(),
    version,
    ...(left && { left }),
    channels: followers.map((follower) => follower.status),
    log: log.status,
    alarms,
  });
  const share = async (): Promise<void> => {
    try {
      if (engine.connected) await engine.state.share(host, Buffer.from(JSON.stringify(status())));
    } catch {
      // It is said again with the next heartbeat.
    }
  };
  let soon: NodeJS.Timeout | undefined;
  /** Changes in the same turn are reported together. */
  const say = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      if (!left) void share();
    }, 5);
  };
  const changed = (): void => {
    const all = masksIn(followers.flatMap(({ masks }) => masks));
    const text = JSON.stringify([all.keys, all.paths, all.patterns.map(String)]);
    if (text !== masked) asker.mask(all);
    // What waits is sent once what is posted now is known: a mask may be in it.
    const holds = !followers.every(({ isHeard, isUnmasked }) => isHeard && !isUnmasked);
    if (text !== masked || holds !== isHeld) log.mask(all, holds);
    isHeld = holds;
    masked = text;
    say();
  };
  let masked = JSON.stringify([[], [], []]);
  let isHeld = true;
  const followers: Follower[] = [];
  for (const channel of channels)
    followers.push(
      new Follower({
        engine,
        team,
        channel,
        host,
        folder: own,
        directory: how.directory,
        keys: how.keys,
        managed,
        allowed: () => readAllowed(how.allow),
        claimed: () => followers.filter(({ status: of }) => of.channel !== channel).flatMap(({ roots }) => roots),
        recent,
        changed,
        tell,
      }),
    );
  let isTold = false;
  const tellAway = (): void => {
    isTold = true;
    tell(whileAway(engine, status().channels));
  };
  const forget = engine.onChange(() => {
    if (!engine.connected) {
      for (const follower of followers) follower.lost();
      changed();
      return tellAway();
    }
    for (const follower of followers) if (follower.waits) follower.again();
    if (isTold) tell(`the fleet at ${engine.place} is there again`);
    isTold = false;
    say();
  });
  const heartbeat = setInterval(() => void share(), HEARTBEAT * 1000);
  heartbeat.unref();
  let stamp = allowStamp(how.allow);
  let looks = 0;
  const looking = setInterval(() => {
    const now = allowStamp(how.allow);
    // A script that is allowed by its bytes may be put there after that was said.
    const isTime = ++looks % WAITING === 0;
    for (const follower of followers) {
      if (now !== stamp || (isTime && follower.waits)) follower.again();
      follower.look();
    }
    stamp = now;
  }, LOOK);
  looking.unref();
  const over = new AbortController();
  await Promise.all([log.begun, ...followers.map(({ begun }) => begun)]);
  changed();
  await Promise.race([
    Promise.all(followers.map(({ known }) => known)),
    sleep(timerDelay(how.patience), undefined, { signal: over.signal }).catch(() => undefined),
  ]);
  over.abort();
  // One that was never there has not changed.
  if (!engine.connected && !isTold) tellAway();
  let closing: Promise<void> | undefined;

  return {
    host,
    get connected() {
      return engine.connected;
    },
    status,
    join(joined) {
      const services = servicesOf(joined);
      const leave = managed.join(services);
      if (how.askElsewhere !== 'never') services.elsewhere = asker;
      const detach = log.attach(joined as Host);
      const heard = joined.events$.subscribe(({ type }) => {
        if (type !== 'hook_alarm') return;
        alarms += 1;
        say();
      });
      return () => {
        leave();
        if (services.elsewhere === asker) services.elsewhere = undefined;
        detach();
        heard.unsubscribe();
      };
    },
    drained: (seconds = closeTimeout) => log.drained(seconds),
    close() {
      closing ??= (async () => {
        clearInterval(heartbeat);
        clearInterval(looking);
        clearTimeout(soon);
        forget();
        asker.close();
        await Promise.all(followers.map((follower) => follower.close()));
        managed.close();
        await log.close(closeTimeout);
        left = true;
        await doneWithin(closeTimeout * 1000, share());
        if (options.engine === undefined) await engine.close();
      })();
      return closing;
    },
  };
}

/** That the broker is not there, why, and what counts meanwhile. */
function whileAway({ place, problem }: FleetEngine, channels: readonly ChannelStatus[]): string {
  const counts = channels.map(({ channel, revision, sequence, asks }) => {
    if (asks !== undefined) return `every gate asks (${asks})`;
    return revision === undefined
      ? `${channel} has no policy`
      : `the last policy of ${channel}, ${revision} (${sequence}), counts`;
  });
  const why = problem === undefined ? '' : `: ${problem}`;
  return `${ended(`the fleet at ${place} is not there${why}`)} It is tried again until it answers; meanwhile ${counts.join(', ')}, and decisions wait on disk`;
}

/** What a caller's function throws is reported by nobody: whoever calls it goes on. */
function unfailing(call: (text: string) => void): (text: string) => void {
  return (text) => {
    try {
      call(text);
    } catch {
      // The callback is only informed; what it throws changes nothing.
    }
  };
}
