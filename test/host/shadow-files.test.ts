import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadAgentHooks } from '../../src/foreign/load.js';
import { createHost, deny, type FireRecord, loadConfig } from '../../src/index.js';
import { applyConfig } from '../../src/plugins/config.js';
import { closeAll, createProject, denies, hook, hooksOn } from '../claude-code/project.js';

afterEach(closeAll);

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
const said = ({ decision: { verdict, reason } }: FireRecord) => [verdict, reason];

test("the hooks of Claude Code's files may be tried out by whoever loads them, managed ones may not", async () => {
  const project = createProject();
  project.write('project/.claude/settings.json', hooksOn('PreToolUse', hook('ours', denies('project'))));
  const tried = await project.load({ trust: 'all', enforce: false });
  expect(said(await tried.fire())).toEqual(['none', undefined]);
  project.write('managed/managed-settings.json', hooksOn('PreToolUse', hook('theirs', denies('managed'))));
  const managed = await project.load({ trust: 'all', enforce: false });
  const record = await managed.fire();
  expect(said(record)).toEqual(['deny', 'managed']);
  expect(record.handlers.map(({ status, reason }) => reason ?? status)).toEqual(['ran', 'shadow']);
});

test('a copy that is not enforced takes nothing from a managed hook, whose copy it is', async () => {
  const project = createProject();
  const same = hooksOn('PreToolUse', hook('same', denies('managed')));
  project.write('managed/managed-settings.json', same);
  project.write('project/.claude/settings.json', same);
  for (const enforce of [false, 0.5]) {
    const { fire } = await project.load({ trust: 'all', enforce });
    for (const session_id of ['a', 'b', 'c', 'd', 'e'])
      expect(said(await fire('PreToolUse', { ...project.call, session_id }))[0]).toBe('deny');
  }
});

/** Places of a hook: the file, and its matcher there. */
const PLACES = ['home', 'project'].flatMap((folder) =>
  ['*', 'Bash', 'Write'].map((matcher) => [folder, matcher] as const),
);

test('copies of one hook are asked once, like those that are enforced, whichever of them concern the call', async () => {
  const project = createProject();
  const log = join(project.dir, 'log');
  for (const places of PLACES.flatMap((one, i) => PLACES.slice(i).map((other) => [one, other]))) {
    for (const folder of ['home', 'project']) {
      const here = places.filter(([of]) => of === folder);
      const groups = here.map(([, matcher]) => ({ matcher, hooks: [hook('same', `echo ran >> ${log}`)] }));
      project.write(`${folder}/.claude/settings.json`, { hooks: { PreToolUse: groups } });
    }
    const ran = [];
    for (const enforce of [undefined, false]) {
      rmSync(log, { force: true });
      const { fire, host } = await project.load({ trust: 'all', ...(enforce === undefined ? {} : { enforce }) });
      await fire();
      await host.close();
      ran.push(existsSync(log) ? readFileSync(log, 'utf8') : '');
    }
    expect(ran, JSON.stringify(places)).toEqual([ran[0], ran[0]]);
    expect(ran[0]).toBe(places.some(([, matcher]) => matcher !== 'Write') ? 'ran\n' : '');
  }
});

test('what managed policy keeps from running does not run in the shadow either', async () => {
  const project = createProject();
  project.write('managed/managed-settings.json', { allowManagedHooksOnly: true });
  project.write(
    'project/.claude/settings.json',
    hooksOn('PreToolUse', hook('ours', `touch ${project.dir}/ran; ${denies('x')}`)),
  );
  const loaded = await project.load({ trust: 'all', enforce: false });
  expect((await loaded.fire()).handlers).toMatchObject([{ status: 'skipped', reason: 'policy' }]);
  await loaded.host.close();
  expect(existsSync(join(project.dir, 'ran'))).toBe(false);
});

test("`enforce` in Claude Code's own files does nothing, and that is said: the client enforces them", async () => {
  const project = createProject();
  const [group] = hooksOn('PreToolUse', hook('ours', denies('project'))).hooks['PreToolUse'] as object[];
  for (const file of ['project/.claude/settings.json', 'managed/managed-settings.json']) {
    project.write(file, { enforce: false, hooks: { PreToolUse: [{ enforce: false, ...group }] } });
    const loaded = await project.load({ trust: 'all' });
    expect(said(await loaded.fire())[0]).toBe('deny');
    expect(loaded.problems).toContainEqual(
      expect.objectContaining({ level: 'warning', where: 'hooks.PreToolUse[0].enforce' }),
    );
  }
});

test('hooks that are not enforced cannot loosen managed ones, whatever they say', async () => {
  const project = createProject();
  project.write('managed/managed-settings.json', hooksOn('PreToolUse', hook('theirs', denies('managed'))));
  const { host, fire } = await project.load({ trust: 'all', enforce: 0 });
  const answers = ['allow', 'ask', 'defer'].map((permissionDecision) => () => ({
    continue: false,
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, updatedInput: { command: 'other' } },
  }));
  host.register({ PreToolUse: [{ stage: -100, hooks: answers as never }] }, { enforce: false });
  const record = await fire();
  expect(said(record)).toEqual(['deny', 'managed']);
  expect(record.final_input).toBeUndefined();
  expect(record.decision.continue).toBe(true);
});

test("so may those of other agents' files, but not those of the system", async () => {
  const project = createProject();
  const file = project.write('project/.codex/hooks.json', {
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] },
  });
  for (const [enforce, verdict] of [
    [false, 'none'],
    [true, 'deny'],
  ] as const) {
    const host = createHost({ logger: () => {} });
    await loadAgentHooks({ host, agent: 'codex', file, projectDir: project.dir, enforce });
    expect((await host.fire('PreToolUse', CALL)).verdict).toBe(verdict);
    await host.close();
  }
  const host = createHost();
  await expect(loadAgentHooks({ host, agent: 'codex', file, enforce: 'no' as never })).rejects.toThrow(
    'share of sessions',
  );
  await host.close();
});

test('a configuration says it of all that it holds', async () => {
  const project = createProject();
  const rules = { PreToolUse: [{ enforce: true, hooks: [{ type: 'rule', decision: 'deny', reason: 'x' }] }] };
  project.write(
    'project/p.mjs',
    `export default { name: 'p', apply: (scope) => scope.register(${JSON.stringify(rules)}) };`,
  );
  const content = { enforce: false, hooks: rules, spawnHooks: { worker: rules }, plugins: ['./p.mjs'] };
  for (const enforce of [false, true]) {
    const { config, file } = await loadConfig(project.write(`project/c${enforce}.json`, { ...content, enforce }));
    const host = createHost({ logger: () => {} });
    await applyConfig(host, config, { file });
    const agent = { agent_id: 'a', agent_type: 'worker' };
    expect((await host.fire('PreToolUse', { ...CALL, ...agent })).verdict).toBe(enforce ? 'deny' : 'none');
    expect(host.explain('PreToolUse', { ...CALL, ...agent }).hooks).toHaveLength(3);
    await host.close();
  }
  const wrong = project.write('project/wrong.json', { enforce: 'no' });
  await expect(loadConfig(wrong)).rejects.toThrow(/wrong\.json: enforce: expected true, false/);
});

test('the share of a session is the same in every process and version', async () => {
  const host = createHost({ logger: () => {} });
  host.register({ PreToolUse: [{ enforce: 0.1, hooks: [() => deny('x')] }] });
  const denied: number[] = [];
  for (let i = 0; i < 100; i++)
    if ((await host.fire('PreToolUse', { ...CALL, session_id: `session-${i}` })).verdict === 'deny') denied.push(i);
  await host.close();
  // Known by heart: whoever changes the hash moves sessions of users who try something out.
  expect(denied).toEqual([0, 5, 11, 32, 35, 45, 63, 66, 77, 85, 88, 92]);
});

test.each([true, false])('a command in the background that would wake the agent, enforced: %s', async (enforce) => {
  const wakes: unknown[] = [];
  const host = createHost({ logger: () => {}, onWake: (wake) => void wakes.push(wake) });
  const background = { type: 'command', command: 'echo up >&2; exit 2', async: true, asyncRewake: true };
  host.register({ PreToolUse: [{ enforce, hooks: [background as never] }] });
  await host.fire('PreToolUse', CALL);
  await host.close();
  expect(wakes).toHaveLength(enforce ? 1 : 0);
});
