import { fleetRecords } from '../../fleet/records.js';
import { column, plain, plainJson } from '../../plain.js';
import { showRecords } from '../history/history.js';
import type { Terminal } from '../terminal.js';
import { atBroker, type FleetFlags, whereOf } from './flags.js';

/** The decisions of all hosts, as `history` shows those of one. */
export function logVerb(_: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  return atBroker(whereOf(flags), terminal, (engine) => {
    const store = fleetRecords(engine, flags.host, { note: terminal.tell });
    return showRecords(store, flags, terminal, (record, text) => {
      const host = store.hostOf(record) ?? '';
      return flags.json
        ? text.replace(/^\{/, `{"fleet_host":${plainJson(host)},`)
        : `${column(plain(host), 16)}  ${text}`;
    });
  });
}
