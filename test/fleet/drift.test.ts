import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { rewrite } from '../../src/events/output/helpers.js';
import { type Bundle, readBundle } from '../../src/fleet/bundle/bundle.js';
import { checkPolicy } from '../../src/fleet/policy/check.js';
import { type Drift, driftOf } from '../../src/fleet/policy/drift.js';
import { bundleOf, denies, ownFolder } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key } from './ground.js';

const command = (line: string) => ({
  hooks: { PreToolUse: [{ onFailure: 'block', hooks: [{ type: 'command', command: line }] }] },
});

/** What a host under a bundle of this file has decided. */
async function decided(
  file: object,
  commands: readonly string[],
  { allow, register = () => undefined }: { allow?: string; register?: (host: Host) => void } = {},
) {
  const { join: enter, push } = ground();
  const { host, team } = await enter(allow === undefined ? {} : { allow });
  register(host);
  await push(bundleOf(1, { 'acme/base.json': file }, [key]));
  await until(() => channel(team)?.sequence === 1);
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(record);
  });
  for (const line of commands) await host.fire('PreToolUse', bash(line) as never);
  return records;
}

/** `what`: a file of the channel `stable`, or a bundle. */
async function drift(records: readonly FireRecord[], what: object | Bundle, folder = ownFolder()): Promise<Drift> {
  const bundle = 'manifest' in what ? what : readBundle(bundleOf(2, { 'acme/base.json': what }, [key]));
  const { policy } = await checkPolicy(bundle, folder);
  async function* all(): AsyncGenerator<FireRecord> {
    // As they come from a log.
    for (const record of records) yield JSON.parse(JSON.stringify(record));
  }
  return driftOf(policy, all());
}

const PUSH = denies('git push *', 'no');

/** A command that denies what has `bad` in it, allowed on the host. */
function guard() {
  const folder = ownFolder();
  const script = join(folder, 'guard.sh');
  writeFileSync(script, '#!/bin/sh\nif grep -q bad; then echo no >&2; exit 2; fi\n', { mode: 0o755 });
  return { folder, script };
}

/** `fleet-allow.json` as the refusal of a host says it. */
async function allowing(script: string, folder: string): Promise<string> {
  const allow = join(folder, 'allow.json');
  const { needs } = await checkPolicy(readBundle(bundleOf(1, { 'acme/base.json': command(script) }, [key])), folder);
  const [, hint] = /add (\{.*\}) to "commands"/.exec(needs[0] as string) ?? [];
  writeFileSync(allow, JSON.stringify({ commands: JSON.parse(hint as string) }));
  return allow;
}

describe('what another bundle would have decided', () => {
  test('is nothing else where it is the same, whatever other hooks have said', async () => {
    const records = await decided(PUSH, ['git push x', 'ls', 'rm x'], {
      register: (host) => {
        host.on('PreToolUse', ({ tool_input }) =>
          (tool_input as { command: string }).command.startsWith('rm')
            ? { decision: 'block', reason: 'own' }
            : undefined,
        );
        host.on('PreToolUse', () => ({ continue: false, stopReason: 'enough' }), { matcher: 'Bash', if: 'Bash(ls *)' });
      },
    });
    expect(await drift(records, PUSH)).toMatchObject({ fires: 3, changed: 0, unknown: 0 });
    // A deny that is not the bundle's stays one.
    expect(await drift(records, {})).toMatchObject({ changed: 1, kinds: { 'PreToolUse: deny -> none': 1 } });
  });

  test('has what its commands said then, and knows that it does not know what was never asked', async () => {
    const { folder, script } = guard();
    const records = await decided(command(script), ['ls', 'ls bad', 'git push x'], {
      allow: await allowing(script, folder),
    });
    expect(records.map(({ decision }) => decision.verdict)).toEqual(['none', 'deny', 'none']);
    expect(await drift(records, command(script), folder)).toMatchObject({ fires: 3, changed: 0, unknown: 0 });
    // Taken out, so that its deny goes; it used to stand.
    expect(await drift(records, PUSH)).toMatchObject({
      changed: 2,
      unknown: 0,
      kinds: { 'PreToolUse: deny -> none': 1 },
    });
    const other = `${script} --strict`;
    const found = await drift(records, command(other), folder);
    expect(found).toMatchObject({ fires: 3, unknown: 3 });
    expect(Object.values(found.unasked)).toEqual([3]);
    // Whatever the command would say, it stays a deny.
    const both = { hooks: { PreToolUse: [...PUSH.hooks.PreToolUse, ...command(other).hooks.PreToolUse] } };
    expect(await drift(records, both, folder)).toMatchObject({ unknown: 2 });
  });

  test('is about the input that ran, where a hook of the host has rewritten it', async () => {
    const records = await decided({}, ['ls'], {
      register: (host) => {
        host.on('PreToolUse', () => rewrite({ command: 'git push origin' }) as never, { phase: 'rewrite' });
      },
    });
    expect(records[0]?.final_input).toBeDefined();
    expect(await drift(records, PUSH)).toMatchObject({ changed: 1 });
    expect(await drift(records, denies('ls *', 'no'))).toMatchObject({ changed: 0 });
  });

  test('leaves what the bundles of other channels have said, in its decision and in what a host lets change', async () => {
    const { join: enter, push } = ground();
    const { host, team } = await enter({ channels: ['stable', 'stable-beta'] });
    const beta = { channel: 'stable-beta', roots: ['beta'] };
    await push(bundleOf(1, { 'acme/base.json': PUSH }, [key]));
    await push(bundleOf(1, { 'beta/base.json': denies('rm *', 'no') }, [key], beta), 'stable-beta');
    await until(() => team.status().channels.every(({ sequence }) => sequence === 1));
    const records: FireRecord[] = [];
    host.events$.subscribe((record) => {
      if (record.type === 'hook_fire') records.push(record);
    });
    for (const line of ['git push x', 'rm -rf x', 'rm y']) await host.fire('PreToolUse', bash(line) as never);
    expect(records.map(({ decision }) => decision.verdict)).toEqual(['deny', 'deny', 'deny']);
    expect(await drift(records, PUSH)).toMatchObject({ fires: 3, changed: 0 });
    expect(await drift(records, {})).toMatchObject({ changed: 1 });
    const inBeta = readBundle(bundleOf(2, { 'beta/base.json': {} }, [key], beta));
    expect(await drift(records, inBeta)).toMatchObject({ changed: 2 });
    await team.drained();
    await push(bundleOf(2, { 'acme/base.json': PUSH }, [key], { maxDrift: 0 }));
    await until(() => channel(team)?.sequence === 2);
    expect(channel(team)?.refused).toBeUndefined();
  });

  test('of what is not enforced changes nothing', async () => {
    const records = await decided({}, ['git push x']);
    expect(await drift(records, { ...PUSH, enforce: false })).toMatchObject({ fires: 1, changed: 0, unknown: 0 });
  });
});
