import type { BundleManifest } from '../../fleet/bundle/manifest.js';
import { FLEET_NAME, type FleetEngine, type Shared } from '../../fleet/engine.js';
import { postedFor } from '../../fleet/operator.js';
import { hostsIn, isSilent, type ReportedStatus, standingOf } from '../../fleet/status.js';
import { column, plain, plainJson } from '../../plain.js';
import { sha256 } from '../../values/sha256.js';
import type { Terminal } from '../terminal.js';
import { atBroker, type FleetFlags, whereOf } from './flags.js';

/** The last report of each host. */
export async function statusVerb(_: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const { all, posted } = await atBroker(whereOf(flags), terminal, async (engine) => {
    const said = await engine.state.all();
    return { all: said, posted: await postedIn(engine, whereOf(flags).team, said) };
  });
  const hosts = hostsIn(all);
  if (flags.json)
    for (const status of hosts)
      await terminal.print(plainJson({ ...status, state: stateOf(status), behind: behindOf(status, posted) }));
  else
    for (const line of [
      ...posted.map((one) => headOf(one, hosts)),
      ...hosts.flatMap((status) => linesOf(status, posted)),
    ])
      await terminal.print(line);
  if (hosts.length === 0) terminal.tell('no host has joined');
  const isGood = hosts.every(
    (status) => stateOf(status) !== 'silent' && status.channels.every(({ refused, asks }) => !refused && !asks),
  );
  return isGood ? 0 : 1;
}

/** The bundle that the hosts of a channel should have. */
type ChannelTarget = Pick<BundleManifest, 'channel' | 'revision' | 'sequence'> & {
  readonly digest: string;
  readonly since: string;
};

/** A limit, since a host may report channels that do not exist. */
const MOST_CHANNELS = 20;

/** The bundles in the channels that hosts follow. */
async function postedIn(engine: FleetEngine, team: string, all: readonly Shared[]): Promise<ChannelTarget[]> {
  const said = hostsIn(all).flatMap((status) => status.channels);
  const named = [...new Set(said.map(({ channel }) => channel))].filter((channel) => FLEET_NAME.test(channel)).sort();
  const found = await Promise.all(
    named.slice(0, MOST_CHANNELS).map((channel) => {
      const have = said.flatMap((one) => (one.channel === channel ? (one.digest ?? []) : []));
      return postedFor(engine, channel, { team, have });
    }),
  );
  return found.flatMap((one) =>
    one ? { ...one.bundle.manifest, digest: sha256(one.bundle.bytes), since: one.since } : [],
  );
}

/** The line about a channel: what was posted in it, and how many hosts have that. */
function headOf(posted: ChannelTarget, hosts: readonly ReportedStatus[]): string {
  const { channel, revision, sequence, since } = posted;
  const own = hosts
    .filter((status) => stateOf(status) !== 'left')
    .flatMap(({ channels }) => channels.filter((one) => one.channel === channel));
  const have = own.filter((one) => standingOf(one, posted) === 'has it').length;
  const ahead = own.filter((one) => standingOf(one, posted) === 'ahead');
  const trying = ahead.filter(({ canary }) => canary !== undefined).length;
  const others = [
    trying > 0 ? `, ${trying} with a canary` : '',
    ahead.length > trying ? `, ${ahead.length - trying} with a higher number` : '',
  ].join('');
  return plain(
    `${channel} ${revision} (${sequence}), posted ${since.slice(0, 19)}Z: ${have} of ${own.length} hosts have it${others}`,
  );
}

/** Channels in which the host lacks the posted bundle and is not ahead of it. */
const behindOf = ({ channels }: ReportedStatus, posted: readonly ChannelTarget[]): string[] =>
  posted.flatMap((one) => {
    const own = channels.find(({ channel }) => channel === one.channel);
    return own !== undefined && standingOf(own, one) === 'behind' ? [one.channel] : [];
  });

type HostState = 'there' | 'left' | 'silent';

function stateOf(status: ReportedStatus): HostState {
  if (status.left) return 'left';
  return isSilent(status) ? 'silent' : 'there';
}

/** When the host reported, by this machine's clock if the report's age is known. */
const heardOf = ({ at, age }: ReportedStatus): string =>
  age === undefined ? at : new Date(Date.now() - age).toISOString();

/** How long the oldest decision had waited at the time of the report, by the host's own clock. */
function ageOf(oldest: string | undefined, at: string): string {
  const seconds = oldest === undefined ? 0 : Math.round((Date.parse(at) - Date.parse(oldest)) / 1000);
  return seconds > 0 ? `, for ${seconds} s` : '';
}

function linesOf(status: ReportedStatus, posted: readonly ChannelTarget[]): string[] {
  const { host, channels, log, alarms } = status;
  const at = heardOf(status);
  const state = stateOf(status);
  const behind = behindOf(status, posted);
  return channels.flatMap(({ channel, revision, sequence, counted, since, canary, asks, refused }) => {
    const what =
      revision === undefined ? 'no policy' : `${revision} (${sequence})${canary === undefined ? '' : ' canary'}`;
    const notes = [
      since === undefined ? '' : `since ${since.slice(0, 19)}Z`,
      state === 'there' ? '' : state === 'left' ? `left ${at.slice(0, 19)}Z` : `SILENT since ${at.slice(0, 19)}Z`,
      behind.includes(channel) ? 'BEHIND' : '',
      counted === undefined ? '' : `${counted} counted last`,
      log.waiting > 0 ? `${log.waiting} decisions wait${ageOf(log.oldest, status.at)}` : '',
      log.dropped > 0 ? `${log.dropped} decisions DROPPED` : '',
      alarms > 0 ? `${alarms} ALARMS` : '',
    ].filter((note) => note !== '');
    return [
      `${column(plain(host), 24)}  ${column(plain(channel), 10)}  ${column(plain(what), 28)}  ${plain(notes.join(', '))}`,
      ...(asks === undefined ? [] : [`  every gate asks: ${plain(asks)}`]),
      ...(refused === undefined
        ? []
        : [
            `  refused${refused.revision === undefined ? '' : ` ${plain(refused.revision)} (${refused.sequence})`}: ${plain(refused.reason)}`,
          ]),
    ];
  });
}
