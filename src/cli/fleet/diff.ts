import { resolve } from 'node:path';
import type { FireRecord } from '../../emit/fire-record.js';
import { bundleOf, readSource } from '../../fleet/operator.js';
import { checkPolicy } from '../../fleet/policy/check.js';
import { driftOf } from '../../fleet/policy/drift.js';
import { fleetRecords } from '../../fleet/records.js';
import { plain, plainJson } from '../../plain.js';
import type { Terminal } from '../terminal.js';
import { atBroker, channelOf, type FleetFlags, whereOf } from './flags.js';
import { tellBeside } from './push.js';

/** Compares the fleet's recorded decisions with what the policy in a folder would decide. Nothing is posted, and nothing runs. */
export async function diffVerb([folder]: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const where = whereOf(flags);
  const source = await readSource(resolve(folder as string));
  tellBeside(resolve(folder as string), source, terminal);
  const draft = { team: where.team, channel: channelOf(flags), source, revision: undefined, keys: [] };
  const { policy, needs } = await checkPolicy(bundleOf(draft, 1), process.cwd(), { isNew: true });
  const since = flags.since === undefined ? {} : { since: flags.since };
  const drift = await atBroker(where, terminal, (engine) => {
    const store = fleetRecords(engine, undefined, { note: terminal.tell });
    return driftOf(policy, store.records({ types: ['hook_fire'], ...since }) as AsyncIterable<FireRecord>, 20);
  });
  for (const need of needs) terminal.tell(`hosts refuse it unless they allow it: ${need}`);
  const { fires, changed, unknown, kinds, unasked, examples } = drift;
  if (flags.json) await terminal.print(plainJson(drift));
  else {
    await terminal.print(`${changed} of ${fires} decisions would change`);
    for (const [kind, count] of Object.entries(kinds)) await terminal.print(`  ${count}  ${plain(kind)}`);
    for (const { fire, event, then, now, about } of examples)
      await terminal.print(`  ${plain(event)} ${plain(about)}: ${then} -> ${now}  ${plain(fire)}`);
    if (unknown > 0)
      await terminal.print(`of ${unknown} nobody knows: what they would have been asked was not recorded`);
    for (const [hook, times] of Object.entries(unasked)) await terminal.print(`  ${times}  ${plain(hook)}`);
  }
  return changed === 0 ? 0 : 1;
}
