import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { AskerAlone } from '../../src/fleet/ask/alone.js';
import type { Fleet } from '../../src/fleet/fleet.js';
import type { JoinedFleet } from '../../src/fleet/joined.js';
import { applyLastGood, policiesOver } from '../../src/fleet/offline.js';
import { bundleOf, denies, ownFolder } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key, verdict } from './ground.js';

let made = 0;

/** A host's own configuration, with a package beside the file that allows it. */
function own(code: string, { version = '1.2.3', name = `guard-${++made}` } = {}) {
  const config = ownFolder();
  const root = join(config, 'node_modules', name);
  mkdirSync(root, { recursive: true });
  const write = (text: string, of = version): void => {
    writeFileSync(
      join(root, 'package.json'),
      JSON.stringify({ name, version: of, type: 'module', exports: './index.js' }),
    );
    writeFileSync(join(root, 'index.js'), text);
  };
  write(code);
  const allow = join(config, 'fleet-allow.json');
  const entry = `${name}@${version}`;
  /** Allows what a refusal says is to be allowed. */
  const allowAsSaid = (team: Fleet): void => {
    const reason = channel(team)?.refused?.reason ?? '';
    const [, hint] = /add (\{.*\}) to "plugins"/.exec(reason) ?? [];
    expect(hint, reason).toBeDefined();
    writeFileSync(allow, JSON.stringify({ plugins: JSON.parse(hint as string) }));
  };
  return { config, root, name, entry, allow, write, allowAsSaid };
}

const DENIES = `export default {
  name: 'guard',
  options: { parse: (given) => ({ word: 'rm', ...given }) },
  async apply(scope, { word }) {
    await null;
    globalThis.applied?.(word);
    scope.on('PreToolUse', ({ tool_input }) => tool_input.command.startsWith(word)
      ? { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'by the plugin' } }
      : undefined, { matcher: 'Bash' });
    scope.spawnHooks('reviewer', { PreToolUse: [{ hooks: [() => ({ decision: 'block', reason: 'no agents' })] }] });
    scope.onClose(() => globalThis.closed?.(word));
  },
};`;

const using = (entry: string, options?: object) => ({
  'acme/base.json': { ...denies('git push *', 'no'), plugins: [options === undefined ? entry : [entry, options]] },
});

/** Joined, with the plugin refused once, then allowed and in force. */
async function inForce(code = DENIES, options?: object) {
  const of = own(code);
  const all = ground();
  const one = await all.join({ allow: of.allow });
  await all.push(bundleOf(1, using(of.entry, options), [key]));
  await until(() => channel(one.team)?.refused !== undefined);
  of.allowAsSaid(one.team);
  await all.push(bundleOf(2, using(of.entry, options), [key]));
  await until(() => channel(one.team)?.sequence === 2);
  return { ...of, ...all, ...one };
}

describe('a plugin of a bundle', () => {
  test('runs where the host allows the package, its version and its bytes; in the managed scope, with the bundle that brought it', async () => {
    const { host, team, push } = await inForce();
    const records: FireRecord[] = [];
    host.events$.subscribe((record) => {
      if (record.type === 'hook_fire') records.push(record);
    });
    const decision = await host.fire('PreToolUse', bash('rm x') as never);
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'by the plugin' });
    expect(records[0]?.handlers.find(({ plugin }) => plugin === 'guard')).toMatchObject({
      scope: 'managed',
      source: { kind: 'fleet', name: 'stable@2 r2', file: 'acme/base.json' },
    });
    expect(await verdict(host, 'ls')).toBe('none');
    expect(await verdict(host, 'ls', { agent_id: 'a', agent_type: 'reviewer' })).toBe('deny');
    const other = createHost({ logger: () => undefined }) as Host;
    team.join(other);
    expect(await verdict(other, 'rm x')).toBe('deny');
    const closed: string[] = [];
    Object.assign(globalThis, { closed: (word: string) => closed.push(word) });
    await push(bundleOf(3, { 'acme/base.json': denies('git push *', 'no') }, [key]));
    await until(() => channel(team)?.sequence === 3);
    expect(await verdict(host, 'rm x')).toBe('none');
    expect(await verdict(other, 'rm x')).toBe('none');
    await until(() => closed.length === 1);
    await other.close();
  });

  test('is applied once by a process that fires once and asks the team, and ended with its host', async () => {
    const { folder, allow } = await inForce();
    const told: string[] = [];
    Object.assign(globalThis, {
      applied: () => told.push('applied'),
      closed: () => told.push('closed'),
    });
    const joined: JoinedFleet = {
      servers: ['nats://127.0.0.1:1'],
      team: 'acme',
      host: 'h1',
      keys: [key.id],
      folder,
      allow,
    };
    const host = createHost({ logger: () => undefined }) as Host;
    await applyLastGood(host, joined);
    const asker = new AskerAlone({ ...joined, askElsewhere: 'first' }, policiesOver(host));
    const open = { fireId: 'f', event: 'PreToolUse', input: bash('x'), rewritten: false, reason: 'r', hooks: [] };
    const answered = await asker.ask({ ...open, attended: false, within: 500 }, new AbortController().signal);
    expect(answered).toMatchObject({ answer: 'none' });
    await asker.close();
    expect(await verdict(host, 'rm x')).toBe('deny');
    expect(told).toEqual(['applied']);
    await host.close();
    expect(told).toEqual(['applied', 'closed']);
    for (const name of ['applied', 'closed']) Reflect.deleteProperty(globalThis, name);
  });

  test('counts as soon as it is installed and allowed: nobody has to post the bundle again, nor start the host again', async () => {
    const { root, allow, entry, name, config, allowAsSaid } = own(DENIES);
    renameSync(root, join(config, 'elsewhere'));
    const { join: enter, push, told } = ground();
    const { host, team } = await enter({ allow });
    await push(bundleOf(1, using(entry), [key]));
    await until(() => /is not installed/.test(channel(team)?.refused?.reason ?? ''));
    renameSync(join(config, 'elsewhere'), root);
    await until(() => /does not allow/.test(channel(team)?.refused?.reason ?? ''));
    allowAsSaid(team);
    await until(() => channel(team)?.sequence === 1);
    expect(await verdict(host, 'rm x')).toBe('deny');
    // Each reason is told once.
    expect(told.filter((text) => text.includes(name))).toHaveLength(2);
  });

  test('has the options that the bundle says; wrong ones refuse the bundle', async () => {
    const { host, team, push, entry } = await inForce(DENIES, { word: 'curl' });
    expect(await verdict(host, 'curl x')).toBe('deny');
    await push(bundleOf(3, using(entry, { word: 1 }), [key]));
    await until(() => channel(team)?.sequence === 3);
    const failing = await inForce(DENIES.replace("{ word: 'rm', ...given }", '{ word: given.word.trim() }'), {
      word: 'x',
    });
    await failing.push(bundleOf(3, using(failing.entry, { word: 1 }), [key]));
    await until(() => channel(failing.team)?.refused !== undefined);
    expect(channel(failing.team)).toMatchObject({
      sequence: 2,
      refused: { sequence: 3, reason: expect.stringMatching(/guard.*options/) },
    });
  });

  test('is in force at the next start without the broker, and asks on every gate once its bytes are others', async () => {
    const { broker, join: enter, team, host, folder, allow, root, write } = await inForce();
    await team.close();
    broker.away = true;
    expect(await verdict(host, 'rm x')).toBe('deny');
    const again = await enter({ folder, allow });
    expect(await verdict(again.host, 'rm x')).toBe('deny');
    await again.team.close();
    write(`${DENIES}\n// changed`);
    const changed = await enter({ folder, allow });
    expect(channel(changed.team)?.refused?.reason).toMatch(
      `${root} is not what ${allow} allows: the SHA-256 of its files is `,
    );
    expect(await verdict(changed.host, 'ls')).toBe('ask');
  });

  test('ends when both the fleet and the last of its hosts are gone, whichever is first', async () => {
    for (const first of ['team', 'host'] as const) {
      const { host, team } = await inForce(DENIES, { word: first });
      const closed: string[] = [];
      Object.assign(globalThis, { closed: (word: string) => closed.push(word) });
      const [one, other] = first === 'team' ? [team, host] : [host, team];
      await one.close();
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(closed).toEqual([]);
      await other.close();
      await until(() => closed.length === 1);
      expect(closed).toEqual([first]);
    }
  });

  test.each<[string, string, RegExp]>([
    [
      'throws while it is applied',
      "export default { name: 'p', apply() { throw new Error('no database'); } };",
      /no database/,
    ],
    ['cannot be imported', 'export default nothing;', /nothing is not defined/],
    ['is no plugin', 'export default () => 1;', /its default export is a function/],
    [
      'registers for an event that there is not',
      "export default { name: 'p', apply(scope) { scope.on('PreTool', () => undefined); } };",
      /PreTool/,
    ],
    [
      "makes the hooks of an agent's type by a function",
      "export default { name: 'p', apply(scope) { scope.spawnHooks('a', () => ({})); } };",
      /in a bundle the hooks of an agent's type are an object/,
    ],
  ])('that %s refuses the bundle, and the last good one stays', async (_, code, reason) => {
    const of = own(code);
    const { join: enter, push } = ground();
    const { host, team } = await enter({ allow: of.allow });
    await push(bundleOf(1, { 'acme/base.json': denies('git push *', 'no') }, [key]));
    await until(() => channel(team)?.sequence === 1);
    await push(bundleOf(2, using(of.entry), [key]));
    await until(() => channel(team)?.refused !== undefined);
    of.allowAsSaid(team);
    await push(bundleOf(3, using(of.entry), [key]));
    await until(() => channel(team)?.refused?.sequence === 3);
    expect(channel(team)?.refused?.reason).toMatch(reason);
    expect(channel(team)?.sequence).toBe(1);
    expect(await verdict(host, 'git push x')).toBe('deny');
  });

  test('is not looked for in a project, nor under a path, nor in a range of versions; another version is refused', async () => {
    const of = own(DENIES);
    const project = own(DENIES);
    const { join: enter, push } = ground();
    const { team } = await enter({ allow: of.allow, directory: project.config });
    const says = async (sequence: number, entry: string): Promise<string> => {
      await push(bundleOf(sequence, using(entry), [key]));
      await until(() => channel(team)?.refused?.sequence === sequence);
      return channel(team)?.refused?.reason as string;
    };
    expect(await says(1, project.entry)).toMatch(/is not installed beside .*: npm install --prefix /);
    for (const [i, entry] of [
      `./${of.name}@1.2.3`,
      `../${of.name}@1.2.3`,
      `${of.root}@1.2.3`,
      of.name,
      `${of.name}@^1.2.3`,
    ].entries())
      expect(await says(2 + i, entry)).toMatch(/expected a package and one version of it, name@1\.2\.3/);
    expect(await says(9, `${of.name}@1.2.4`)).toMatch(/is version 1\.2\.3/);
    writeFileSync(of.allow, JSON.stringify({ plugins: { [of.entry]: 'a'.repeat(64) } }));
    expect(await says(10, of.entry)).toMatch(/is not what .*fleet-allow\.json allows/);
  });

  test('that was loaded before it was updated counts after a restart, and not half', async () => {
    const { host, team, push, write, allowAsSaid, name } = await inForce();
    write(DENIES.replaceAll('by the plugin', 'by the new one'), '1.3.0');
    const entry = `${name}@1.3.0`;
    await push(bundleOf(3, using(entry), [key]));
    await until(() => channel(team)?.refused?.sequence === 3);
    allowAsSaid(team);
    await push(bundleOf(4, using(entry), [key]));
    await until(() => channel(team)?.refused?.sequence === 4);
    expect(channel(team)?.refused?.reason).toMatch(/it counts once the process is started again/);
    expect((await host.fire('PreToolUse', bash('rm x') as never)).reason).toBe('by the plugin');
  });

  test('registers nothing once it is applied, and takes nothing back that is in force', async () => {
    const { host } = await inForce(
      `export default { name: 'p', apply(scope) {
        const undo = scope.on('PreToolUse', ({ tool_input }) => {
          if (tool_input.command === 'later') scope.on('PreToolUse', () => undefined);
          undo();
          return { decision: 'block', reason: 'still here' };
        });
      } };`,
    );
    for (let i = 0; i < 2; i++) expect((await host.fire('PreToolUse', bash('x') as never)).reason).toBe('still here');
    const late = await host.fire('PreToolUse', bash('later') as never);
    expect(late.failures[0]?.message).toMatch(/registers its hooks while it is applied/);
  });
});
