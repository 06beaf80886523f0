import { type HostStatus, readStatus, SILENT } from '../../fleet/status.js';
import { column, plain, plainJson } from '../../plain.js';
import type { Terminal } from '../terminal.js';
import { atBroker, type FleetFlags, whereOf } from './flags.js';

/** What each host has last said of itself. */
export async function statusVerb(_: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const all = await atBroker(whereOf(flags), terminal, (engine) => engine.state.all());
  const hosts = all
    .flatMap(({ host, bytes }) => {
      const status = readStatus(bytes);
      // What a host says under another's name is not what that one says.
      return status === undefined || status.host !== host ? [] : [status];
    })
    .sort((a, b) => (a.host < b.host ? -1 : 1));
  if (flags.json) for (const status of hosts) await terminal.print(plainJson({ ...status, state: stateOf(status) }));
  else for (const line of hosts.flatMap(linesOf)) await terminal.print(line);
  if (hosts.length === 0) terminal.tell('no host has joined');
  const isGood = hosts.every(
    (status) => stateOf(status) !== 'silent' && status.channels.every(({ refused, asks }) => !refused && !asks),
  );
  return isGood ? 0 : 1;
}

type State = 'there' | 'left' | 'silent';

function stateOf({ left, at }: HostStatus): State {
  if (left) return 'left';
  return Date.now() - Date.parse(at) > SILENT * 1000 ? 'silent' : 'there';
}

function linesOf(status: HostStatus): string[] {
  const { host, at, channels, log, alarms } = status;
  const state = stateOf(status);
  return channels.flatMap(({ channel, revision, sequence, since, canary, asks, refused }) => {
    const what =
      revision === undefined ? 'no policy' : `${revision} (${sequence})${canary === undefined ? '' : ' canary'}`;
    const notes = [
      since === undefined ? '' : `since ${since.slice(0, 19)}Z`,
      state === 'there' ? '' : state === 'left' ? `left ${at.slice(0, 19)}Z` : `SILENT since ${at.slice(0, 19)}Z`,
      log.waiting > 0 ? `${log.waiting} decisions wait` : '',
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
