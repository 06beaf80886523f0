import { expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { readBundle } from '../../src/fleet/bundle/bundle.js';
import { checkPolicy } from '../../src/fleet/policy/check.js';
import { driftOf } from '../../src/fleet/policy/drift.js';
import { bundleOf } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key } from './ground.js';

const POLICY = {
  spawnHooks: {
    reviewer: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] }] },
  },
};

/** A helper below a reviewer writes under the first policy; the scope of the reviewer may have ended. Then the second is posted. */
async function pushed(first: object, second: object, ends = false) {
  const { join, push } = ground();
  const { host, team } = await join();
  await push(bundleOf(1, { 'acme/a.json': first }, [key]));
  await until(() => channel(team)?.sequence === 1);
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(JSON.parse(JSON.stringify(record)));
  });
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
  const reviewer = await session.spawn({ agent_type: 'reviewer' });
  const helper = await reviewer.spawn({ agent_type: 'helper' });
  if (ends) host.unregisterScoped({ session: session.session_id, agent: reviewer.agent_id as string });
  await helper.tool({ name: 'Write', input: {}, execute: () => 'written' });
  await team.drained();
  await push(bundleOf(2, { 'acme/a.json': second }, [key], { maxDrift: 0 }));
  await until(() => channel(team)?.sequence === 2 || channel(team)?.refused !== undefined);
  return { records, sequence: channel(team)?.sequence, refused: JSON.stringify(channel(team)?.refused) };
}

test.each([false, true])(
  'drift knows whom an agent is below, whether or not the scope above has ended: %s',
  async (ends) => {
    expect(await pushed(POLICY, POLICY, ends)).toMatchObject({ sequence: 2, refused: undefined });
    const added = await pushed({}, POLICY);
    expect(added.refused).toContain('none to deny');
    const removed = await pushed(POLICY, {}, ends);
    expect(removed.refused).toContain('deny to none');
  },
);

test('of an older record, which does not say it, the decision is unknown, and has not changed', async () => {
  const { records } = await pushed(POLICY, POLICY);
  async function* older(): AsyncGenerator<FireRecord> {
    for (const { agents_above: _, ...record } of records) yield record as FireRecord;
  }
  const bundle = readBundle(bundleOf(2, { 'acme/a.json': POLICY }, [key]));
  const drift = await driftOf((await checkPolicy(bundle, '/')).policy, older());
  expect(drift).toMatchObject({ fires: 1, changed: 0, unknown: 1 });
});
