import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineEvent } from '../../src/events/own-event.js';
import { definePlugin } from '../../src/plugins/define.js';
import { anyHooks, registerAs, testHost } from './kit.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' } };
const quiet = (): void => undefined;

/** Name, reason and words of what would not run. */
const whyNot = (host: ReturnType<typeof testHost>['host'], event: string, input: object = CALL) =>
  host
    .explain(event as 'PreToolUse', input as never)
    .hooks.filter(({ runs }) => !runs)
    .map(({ name, reason, why }) => [name, reason, why]);

test('explain says in words why a hook would not run, with what decided it', () => {
  const { host } = testHost();
  host.register(
    anyHooks({
      PreToolUse: [
        { name: 'other tool', matcher: 'Write', hooks: [quiet] },
        { name: 'other rule', if: 'Bash(rm *)', hooks: [quiet] },
        { name: 'both', matcher: 'Bash', hooks: [{ type: 'command', command: 'true', if: 'Edit(src/**)' }] },
      ],
      Stop: [{ name: 'no tool', if: 'Bash(rm *)', hooks: [quiet] }],
      FileChanged: [{ name: 'no file', matcher: '.env', hooks: [quiet] }],
    }),
  );
  expect(whyNot(host, 'PreToolUse')).toEqual([
    ['other tool', 'matcher', 'its matcher Write does not match Bash'],
    ['other rule', 'if', 'its rule Bash(rm *) does not match'],
    ['both', 'if', 'its rule Edit(src/**) does not match'],
  ]);
  expect(whyNot(host, 'Stop')).toEqual([['no tool', 'if', 'Stop has no tool call for its rule Bash(rm *)']]);
  expect(whyNot(host, 'FileChanged', {})).toEqual([
    ['no file', 'matcher', 'its matcher .env does not match an input without basename of file_path'],
  ]);
});

test('of hooks elsewhere it says whose they are: of which session, agent or type of agents', async () => {
  const { host } = testHost();
  host.scope({ session: 'other' }).register({ PreToolUse: [{ name: 'theirs', hooks: [quiet] }] });
  host.registerScoped('a1', { PreToolUse: [{ name: 'of one', hooks: [quiet] }] });
  host.registerScoped('a1', { PreToolUse: [{ name: 'tried out', enforce: false, hooks: [quiet] }] });
  host.spawnHooks('reviewer', { PreToolUse: [{ name: 'of a type', hooks: [quiet] }] });
  expect(whyNot(host, 'PreToolUse').sort()).toEqual([
    ['of a type', 'scope', 'only for agent reviewer'],
    ['of one', 'scope', 'only for agent a1'],
    ['theirs', 'scope', 'only for session other'],
    ['tried out', 'scope', 'only for agent a1'],
  ]);
  await host.fire('SubagentStart', { agent_id: 'r1', agent_type: 'reviewer' });
  expect(whyNot(host, 'PreToolUse').filter(([name]) => name === 'of a type')).toEqual([
    ['of a type', 'scope', 'only for agent reviewer'],
    ['of a type', 'scope', 'only for agent reviewer'],
  ]);
});

test('a hook with a share is listed once, inside and outside of its share, wherever it is registered', () => {
  const { host } = testHost();
  const group = (name: string) => ({ PreToolUse: [{ name, enforce: 0.3, hooks: [quiet] }] });
  host.register(group('of the host'));
  host.scope({ session: 's1' }).register(group('of a session'));
  host.scope({ session: 's1', agent: 'a1' }).register(group('of an agent'));
  host.spawnHooks('reviewer', group('of a type'));
  const standing = new Set<boolean>();
  for (const session_id of ['s1', ...Array.from({ length: 40 }, (_, i) => `q${i}`)])
    for (const of of [{}, { agent_id: 'a1' }, { agent_id: 'r1', agent_type: 'reviewer' }]) {
      const { hooks } = host.explain('PreToolUse', { ...CALL, session_id, ...of } as never);
      expect(hooks.map(({ name }) => name).sort()).toEqual(['of a session', 'of a type', 'of an agent', 'of the host']);
      for (const { name, runs } of hooks) if (name === 'of the host') standing.add(runs);
    }
  expect(standing).toEqual(new Set([true, false]));
});

test('hooks that a function makes for each agent are named before they are there, by explain and describe', async () => {
  const { host } = testHost();
  const made = (host: { describe(): unknown }) => String(host.describe()).match(/hooks made when .*/g);
  expect(host.explain('PreToolUse', CALL as never)).not.toHaveProperty('made');
  expect(made(host)).toBeNull();
  const undo = host.spawnHooks('reviewer', () => ({ PreToolUse: [{ name: 'of each', hooks: [quiet] }] }));
  await host.use(
    definePlugin({
      name: 'quota',
      apply: (scope) => void scope.spawnHooks('reviewer', () => ({}), { name: 'searches' }),
    }),
  );
  const place = expect.stringMatching(/^explain\.test\.ts:\d+$/);
  const both = [
    { agentType: 'reviewer', source: { kind: 'spawn', name: 'reviewer' }, name: place },
    { agentType: 'reviewer', source: { kind: 'plugin', name: 'quota' }, plugin: 'quota', name: 'searches' },
  ];
  const input = { ...CALL, agent_id: 'r1', agent_type: 'reviewer' };
  expect(host.explain('PreToolUse', input as never)).toMatchObject({ made: both, hooks: [] });
  const types = host.describe().children[0]?.children.filter(({ kind }) => kind === 'agents of type');
  expect(types).toMatchObject([{ scope: 'reviewer', hooks: [], made: both }]);
  expect(made(host)).toEqual([
    expect.stringMatching(
      /^hooks made when an agent of type reviewer starts {2}\[explain\.test\.ts:\d+ spawn reviewer\]$/,
    ),
    'hooks made when an agent of type reviewer starts  [searches plugin quota]',
  ]);
  await host.fire('SubagentStart', { agent_id: 'r1', agent_type: 'reviewer' });
  expect(host.explain('PreToolUse', input as never).hooks.map(({ name, runs }) => [name, runs])).toEqual([
    ['of each', true],
  ]);
  undo();
  expect(host.explain('PreToolUse', input as never).made).toHaveLength(1);
});

test('of a hook that has had its one run it says so, of a copy which is the one', async () => {
  const { host } = testHost();
  host.register({ PreToolUse: [{ name: 'first time', once: true, hooks: [quiet] }] });
  await host.fire('PreToolUse', CALL);
  expect(whyNot(host, 'PreToolUse')).toEqual([['first time', 'once', 'it has run once in this scope']]);

  const twice = testHost().host;
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] };
  registerAs(twice, hooks, { dialect: 'claude', file: '/p/a.json' } as never);
  registerAs(twice, hooks, { dialect: 'claude', file: '/p/b.json' } as never);
  expect(whyNot(twice, 'PreToolUse')).toEqual([['true', 'duplicate', expect.stringMatching(/^a copy of \S+/)]]);
});

test('explain calls no handler, tap or maker of hooks, and asks what decides who would run', () => {
  const called: string[] = [];
  const Own = defineEvent({
    input: z.object({ kind: z.string() }),
    fold: 'gate',
    subject: ({ kind }) => {
      called.push('subject');
      return kind;
    },
  });
  const { host } = testHost({ events: { Own } });
  const says = (what: string, answer?: unknown) => (): never => {
    called.push(what);
    return answer as never;
  };
  const group = { matcher: says('predicate', true), hooks: [says('handler')] };
  host.register(anyHooks({ Own: [group] }) as never);
  registerAs(
    host as never,
    { Own: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    { trustCheckOf: () => says('trust') },
  );
  host.hooks.Own.tap('raw', says('tap'));
  host.spawnHooks('builder', says('maker'));
  const input = {
    agent_id: 'a',
    agent_type: 'builder',
    get kind() {
      called.push('getter');
      return 'x';
    },
  };
  const before = JSON.stringify(host.describe());
  called.length = 0;
  host.explain('Own', input);
  expect([...new Set(called)].sort()).toEqual(['getter', 'predicate', 'subject', 'trust']);
  called.length = 0;
  expect(JSON.stringify(host.describe())).toBe(before);
});
