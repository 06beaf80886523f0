import { resolve } from 'node:path';
import type { Bundle } from '../../fleet/bundle/bundle.js';
import { readKey, type SigningKey } from '../../fleet/bundle/keys.js';
import { bundleOf, post, readSource, sourceOf, stateOf } from '../../fleet/operator.js';
import { checkPolicy } from '../../fleet/policy/check.js';
import { plain } from '../../plain.js';
import { wrongOption } from '../../values/options.js';
import type { Terminal } from '../terminal.js';
import { atBroker, channelOf, type FleetFlags, whereOf } from './flags.js';

/** Signs a folder and posts it. */
export async function pushVerb([folder]: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const where = whereOf(flags);
  const channel = channelOf(flags);
  const keys = keysOf(flags);
  const canary = flags.canary === undefined ? undefined : shareIn(flags.canary);
  const source = readSource(resolve(folder as string));
  const draft = { team: where.team, channel, source, revision: flags.revision, canary, keys };
  // A bundle that every host would refuse is not posted.
  const { needs } = await checkPolicy(bundleOf(draft, 1), process.cwd());
  for (const need of needs) terminal.tell(`hosts refuse it unless they allow it: ${need}`);
  const bundle = await atBroker(where, terminal, async (engine) => {
    await engine.prepare();
    return post(engine, draft, await stateOf(engine, channel, keys));
  });
  await terminal.print(posted(bundle));
  return 0;
}

/** Signs an earlier bundle again, with a higher sequence. */
export async function rollbackVerb(_: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const where = whereOf(flags);
  const channel = channelOf(flags);
  const keys = keysOf(flags);
  const bundle = await atBroker(where, terminal, async (engine) => {
    const state = await stateOf(engine, channel, keys);
    const current = state.history.at(-1);
    const before = state.history.slice(0, -1).reverse();
    const target =
      flags.to === undefined
        ? before.find(({ manifest }) => manifest.revision !== current?.manifest.revision)
        : [...state.history].reverse().find(({ manifest }) => manifest.revision === flags.to);
    if (target === undefined) {
      const there = [...new Set(state.history.map(({ manifest }) => manifest.revision))].join(', ') || 'none';
      throw wrongOption(
        'fleet rollback',
        flags.to === undefined
          ? `there is nothing before the last revision of ${channel}`
          : `${channel} has no revision ${flags.to}; there are ${there}`,
      );
    }
    const draft = { team: where.team, channel, source: sourceOf(target), revision: target.manifest.revision, keys };
    return post(engine, draft, state);
  });
  await terminal.print(posted(bundle));
  return 0;
}

function posted({ manifest, bytes }: Bundle): string {
  const { channel, revision, sequence, canary, files } = manifest;
  const who = canary === undefined ? 'all hosts' : `${canary * 100} % of hosts`;
  return `${channel} ${plain(revision)} (${sequence}) is posted for ${who}: ${Object.keys(files).length} files, ${bytes.length} bytes`;
}

function keysOf({ sign = [] }: FleetFlags): SigningKey[] {
  if (sign.length === 0) throw wrongOption('--sign', 'expected the file of a key; hookscope fleet keys new makes one');
  return sign.map((file) => readKey(resolve(file)));
}

function shareIn(text: string): number {
  const [, number, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const share = Number(number) / (percent === '%' ? 100 : 1);
  if (share > 0 && share < 1) return share;
  throw wrongOption('--canary', `expected a share of hosts over 0 and under 1, 5% or 0.05, got "${text}"`);
}
