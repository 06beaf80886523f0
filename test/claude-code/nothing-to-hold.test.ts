import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { listHeld } from '../../src/claude-code/trust/held.js';
import { closeAll, createProject, hook, hooksOn, memoryStore } from './project.js';

afterEach(closeAll);

/** Values of each key that do nothing, and values that name a hook, a plugin or a restriction, or are wrong. */
const VALUES: Readonly<Record<string, { nothing: readonly unknown[]; something: readonly unknown[] }>> = {
  hooks: {
    nothing: [{}, { PreToolUse: [] }, { PreToolUse: [], Stop: [] }],
    something: [hooksOn('PreToolUse', hook('a')).hooks, { Stop: [], PreToolUse: [{ hooks: [] }] }, [], null],
  },
  disableAllHooks: { nothing: [false], something: [true, 'true', 0, null] },
  allowManagedHooksOnly: { nothing: [false], something: [true, {}] },
  allowedHttpHookUrls: { nothing: [], something: [[], ['https://a/*'], {}, false] },
  httpHookAllowedEnvVars: { nothing: [], something: [[], ['A']] },
  enabledPlugins: { nothing: [{}], something: [{ 'a@b': true }, { 'a@b': false }, [], null] },
  pluginConfigs: { nothing: [{}], something: [{ 'a@b': {} }, { 'a@b': { options: { x: 1 } } }, []] },
  permissions: { nothing: [{ deny: ['Read'] }], something: [] },
};

type Settings = Readonly<Record<string, unknown>>;

/** All pairs of values of two keys, and each value alone. */
function* contents(): Generator<{ settings: Settings; does: boolean }> {
  const all = Object.entries(VALUES).flatMap(([key, { nothing, something }]) => [
    ...nothing.map((value) => ({ key, value, does: false })),
    ...something.map((value) => ({ key, value, does: true })),
  ]);
  for (const one of all)
    for (const other of all) {
      if (one.key === other.key && one !== other) continue;
      yield { settings: { [one.key]: one.value, [other.key]: other.value }, does: one.does || other.does };
    }
}

test.each(['settings.json', 'settings.local.json'])('%s is held unless all that it says does nothing', async (name) => {
  const project = createProject();
  const counts = { held: 0, free: 0 };
  for (const { settings, does } of contents()) {
    project.write(`project/.claude/${name}`, settings);
    const held = await listHeld({ ...project.files, trust: memoryStore() });
    expect([settings, held.map(({ state }) => state)]).toEqual([settings, does ? ['never'] : []]);
    counts[does ? 'held' : 'free'] += 1;
  }
  expect(Math.min(counts.held, counts.free)).toBeGreaterThan(50);
});

test('a file that was accepted and then changes from or to one that does nothing has changed', async () => {
  const project = createProject();
  const nothing = [{}, { disableAllHooks: false }, { enabledPlugins: {}, hooks: { PreToolUse: [] } }];
  const something = [{ disableAllHooks: true }, { enabledPlugins: { 'a@b': false } }, hooksOn('PreToolUse', hook('a'))];
  for (const one of nothing)
    for (const other of something)
      for (const [before, after] of [
        [other, one],
        [one, other],
      ] as const) {
        const trust = memoryStore();
        project.write('project/.claude/settings.json', before);
        await project.acceptAll(trust);
        project.write('project/.claude/settings.json', after);
        const held = await listHeld({ ...project.files, trust });
        expect([before, after, held.map(({ state }) => state)]).toEqual([
          before,
          after,
          [before === other ? 'changed' : 'never'],
        ]);
      }
});

test.each([
  ['of a project', 'project/.claude/settings.json', {}],
  ['of a plugin', 'plug/hooks/hooks.json', {}],
  ['of a plugin, where no file of the project is read', 'plug/hooks/hooks.json', { places: ['user'] }],
] as const)('a guard %s does not vanish when its file says no more than what does nothing', async (_, file, more) => {
  for (const after of [{ hooks: {} }, { hooks: { PreToolUse: [] } }, { disableAllHooks: false, hooks: {} }]) {
    const project = createProject();
    const trust = memoryStore();
    const options = { ...more, ...(file.startsWith('plug/') && { plugins: [join(project.path, 'plug')] }) };
    project.write(file, hooksOn('PreToolUse', hook('guard')));
    await project.acceptAll(trust, options);
    project.write(file, after);
    const { handlers, decision } = await (await project.load({ trust, ...options })).fire();
    expect(handlers).toMatchObject([{ status: 'failed', failure: { cause: 'untrusted' } }]);
    expect(decision.verdict).toBe('ask');
  }
});
