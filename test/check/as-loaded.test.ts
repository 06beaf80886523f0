import { describe, expect, test } from 'vitest';
import { checkSources } from '../../src/check/check.js';
import type { FileKind } from '../../src/check/files/kinds.js';
import { readSource } from '../../src/check/files/source-file.js';
import type { ClaudeProblem } from '../../src/claude-code/files/findings.js';
import { readSettings } from '../../src/claude-code/files/settings.js';
import { CATALOGUE, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { isRemark } from '../../src/files/json-comments.js';
import { compileMatcher } from '../../src/matching/matcher.js';
import { generated, randomFrom, SEED } from '../seed.js';

const MACHINE = { cwd: '/project', home: '/nobody', path: '', managed: '/nowhere' };

type Said = Pick<ClaudeProblem, 'level' | 'rule' | 'where'>;

/** What the loader says of a file of that kind, and what `hookscope check` says of it. */
async function both(text: string, kind: FileKind): Promise<{ loader: readonly Said[]; check: readonly Said[] }> {
  const more = { managed: kind === 'managed', hooksOnly: kind === 'plugin' };
  const { problems } = await readSettings(text, '/project/a.json', {
    events: HOOK_EVENTS,
    onInvalid: 'drop',
    ...more,
  });
  const file = readSource('/project/a.json', text, { kind, project: '/project', plugin: undefined });
  const { findings } = await checkSources(file ? [file] : [], MACHINE);
  const said = ({ level, rule, where }: { level: string; rule: string; where: string }) =>
    ({ level, rule, where }) as Said;
  return {
    loader: problems.filter(({ where }) => !where.split('.').some(isRemark)).map(said),
    check: findings.map(said),
  };
}

/** What the loader says and `check` does not. A file of another shape is said to be one, and no more. */
async function missed(text: string, kind: FileKind): Promise<Said[]> {
  const { loader, check } = await both(text, kind);
  const isFound = ({ level, rule, where }: Said): boolean =>
    check.some(
      (one) =>
        (one.rule === 'other-shape' && one.level === 'error') ||
        (one.rule === rule && one.where === where && (level === 'warning' || one.level === 'error')),
    );
  return loader.filter((one) => !isFound(one));
}

const guard = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'exit 2' }] }] };

describe('settings that lose their hooks are an error, beside a good guard too', () => {
  test.each<[string, object, string, string]>([
    ['a list of URLs that is none', { allowedHttpHookUrls: [-1] }, 'wrong-value', 'allowedHttpHookUrls'],
    ['a list of variables that is none', { httpHookAllowedEnvVars: 'A' }, 'wrong-value', 'httpHookAllowedEnvVars'],
    ['a switch in quotes', { disableAllHooks: 'true' }, 'wrong-value', 'disableAllHooks'],
    ['a policy in quotes', { allowManagedHooksOnly: 'true' }, 'wrong-value', 'allowManagedHooksOnly'],
    ['options that are text', { pluginConfigs: { 'a@b': { options: 'x' } } }, 'wrong-value', 'pluginConfigs'],
    ['plugins that are text', { enabledPlugins: 'x' }, 'wrong-value', 'enabledPlugins'],
  ])('%s', async (_, more, rule, where) => {
    for (const kind of ['managed', 'user', 'project', 'local', 'settings'] as const) {
      const { loader, check } = await both(JSON.stringify({ hooks: guard, ...more }), kind);
      expect([kind, loader]).toEqual([kind, [{ level: 'error', rule, where }]]);
      expect([kind, check]).toEqual([kind, expect.arrayContaining([{ level: 'error', rule, where }])]);
    }
  });

  test.each(['Hooks', 'hook', 'HOOKS', 'hoks'])('"%s" in the place of "hooks"', async (key) => {
    const { check } = await both(JSON.stringify({ [key]: guard }), 'project');
    expect(check).toEqual([{ level: 'error', rule: 'other-shape', where: '' }]);
  });
});

test.each([
  ['a key that is nearly one', { disableAllHook: true }, 'disableAllHook'],
  ['a key beside "hooks" that is nearly it', { Hooks: {} }, 'Hooks'],
  ['only managed hooks', { allowManagedHooksOnly: true }, 'allowManagedHooksOnly'],
  ['only managed rules', { allowManagedPermissionRulesOnly: true }, 'allowManagedPermissionRulesOnly'],
  ['only managed servers', { allowManagedMcpServersOnly: true }, 'allowManagedMcpServersOnly'],
  ['known marketplaces', { strictKnownMarketplaces: [] }, 'strictKnownMarketplaces'],
  ['blocked marketplaces', { blockedMarketplaces: [] }, 'blockedMarketplaces'],
])('%s that does nothing is a warning of both', async (_, more, where) => {
  const warning = { level: 'warning', rule: 'unknown-key', where };
  const { loader, check } = await both(JSON.stringify({ hooks: guard, ...more }), 'project');
  expect(loader).toEqual([warning]);
  expect(check).toContainEqual(warning);
});

test.each(['managed', 'plugin'] as const)(
  'what counts in managed settings alone is no warning in %s files',
  async (kind) => {
    const keys = { allowManagedHooksOnly: true, strictKnownMarketplaces: [], allowManagedMcpServersOnly: true };
    const { loader, check } = await both(JSON.stringify({ hooks: guard, ...keys }), kind);
    expect(loader).toEqual([]);
    expect(check.filter(({ rule }) => rule === 'unknown-key')).toEqual([]);
  },
);

test('a policy that is not asked for needs no warning', async () => {
  expect((await both('{ "allowManagedHooksOnly": false }', 'project')).loader).toEqual([]);
});

/** Values and keys that mean something here, among others. */
const VALUES: readonly unknown[] = [
  ...[null, 0, -1, 0.5, 1e9, '', ' ', 'x', '5', true, false, 'Bash(', '(a+)+$', '\u202e', 'toString'],
  ...[[], {}, [null], [[]], ['x'], { a: 1 }, { hooks: [] }, { options: 'x' }, { 'a@b': {} }, guard],
];
const KEYS = [
  ...[
    'hooks',
    'Hooks',
    'hook',
    'PreToolUse',
    'PreTooluse',
    'Stop',
    'matcher',
    'Matcher',
    'matchers',
    'type',
    'command',
  ],
  ...['timeout', 'timeOut', 'args', 'url', 'onFailure', 'env', 'permissions', 'constructor', 'toString', ''],
  ...['disableAllHooks', 'disableAllHook', 'allowManagedHooksOnly', 'allowedHttpHookUrls', 'allowedHttpHookUrl'],
  ...['httpHookAllowedEnvVars', 'enabledPlugins', 'enabledPlugin', 'pluginConfigs', 'strictKnownMarketplaces'],
];

/** Settings as people write them, with a mistake or two. */
function settings(random: () => number): string {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const value = (): unknown => structuredClone(pick(VALUES));
  const handler = (): object =>
    pick([
      { type: 'command', command: 'exit 2', timeout: 5 },
      { type: 'http', url: 'http://127.0.0.1:1/x', headers: { a: '$B' }, allowedEnvVars: ['B'] },
      { type: 'prompt', prompt: 'ok?' },
      { type: 'mcp_tool', server: 's', tool: 't' },
    ]);
  const more = { disableAllHooks: false, allowedHttpHookUrls: ['*'], enabledPlugins: { 'a@b': true } };
  const event = pick(['Stop', 'PostToolUse', 'SessionStart', 'PermissionRequest']);
  const whole: object = {
    hooks: { ...guard, [event]: [{ matcher: 'x', hooks: [handler(), handler()] }] },
    ...(random() < 0.5 ? more : {}),
    ...(random() < 0.3 ? { pluginConfigs: { 'a@b': { options: {} } }, httpHookAllowedEnvVars: ['A'] } : {}),
  };
  const data = JSON.parse(JSON.stringify(whole)) as object;
  const spots: [parent: Record<string, unknown>, key: string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      spots.push([node as Record<string, unknown>, key]);
      walk(value);
    }
  };
  walk(data);
  for (let mistakes = 1 + Math.floor(random() * 2); mistakes > 0; mistakes--) {
    const [parent, key] = random() < 0.3 ? [data as Record<string, unknown>, pick(Object.keys(data))] : pick(spots);
    const kind = random();
    if (kind < 0.5) parent[key] = value();
    else if (kind < 0.65) delete parent[key];
    else if (!Array.isArray(parent)) parent[pick(KEYS)] = random() < 0.5 ? value() : parent[key];
  }
  return textOf(data, random);
}

/** As JSON, in which a key may stand twice. */
function textOf(value: unknown, random: () => number): string {
  if (Array.isArray(value)) return `[${value.map((one) => textOf(one, random)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const entry = (): string => `${JSON.stringify(key)}: ${textOf(one, random)}`;
    return random() < 0.02 ? [entry(), entry()] : [entry()];
  });
  return `{${entries.join(',\n ')}}`;
}

test('whatever the loader says of a file, check says too', async () => {
  const random = randomFrom(SEED);
  const rules = new Set<string>();
  for (let i = 0; i < generated(400); i++) {
    const text = settings(random);
    for (const kind of ['project', 'managed', 'plugin'] as const) {
      expect(await missed(text, kind), `${kind}, seed ${SEED}: ${text}`).toEqual([]);
      for (const { rule } of (await both(text, kind)).loader) rules.add(rule);
    }
  }
  const usual = ['duplicate-key', 'other-shape', 'unknown-event', 'unknown-key', 'unknown-value', 'wrong-value'];
  expect([...rules]).toEqual(expect.arrayContaining(usual));
});

describe('what is said to be written in place of a matcher is no error itself, and matches', () => {
  const TOOL = 'mcp__github__create_issue';
  const given = [
    'mcp__github',
    'mcp__github__',
    'mcp__',
    'bash',
    'Wirte',
    'MultiEdit',
    'Edit|mcp__github',
    'Bash(git *)',
  ];

  test.each(['project', 'hooks-file'] as const)('in %s', async (kind) => {
    const found = async (matcher: string) => {
      const hooks = { PreToolUse: [{ matcher, hooks: [{ type: 'command', command: 'exit 2' }] }] };
      const text = JSON.stringify(kind === 'project' ? { hooks } : hooks);
      const file = readSource('/project/a.json', text, { kind, project: '/project', plugin: undefined });
      return (await checkSources(file ? [file] : [], MACHINE)).findings;
    };
    const followed: string[] = [];
    for (const matcher of given)
      for (const { rule, fix = '' } of await found(matcher)) {
        const [, written] = /[Ww]rite "([^"]+)"/.exec(fix) ?? [];
        if (written === undefined || !rule.startsWith('matcher')) continue;
        followed.push(written);
        expect(await found(written), `${matcher}: ${fix}`).not.toContainEqual(
          expect.objectContaining({ level: 'error' }),
        );
        const how = {
          dialect: kind === 'project' ? 'claude' : 'code',
          event: CATALOGUE.PreToolUse,
          where: 'a',
        } as const;
        const name = written.startsWith('mcp') ? TOOL : written;
        expect(compileMatcher(written, how).matcher.matches(name, {}), written).toBe(true);
      }
    expect(followed.filter((one) => one.startsWith('mcp__github__')).length).toBeGreaterThan(1);
  });
});
