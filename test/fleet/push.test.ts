import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diffVerb } from '../../src/cli/fleet/diff.js';
import { pushVerb, tellBeside } from '../../src/cli/fleet/push.js';
import type { Terminal } from '../../src/cli/terminal.js';
import type { Bundle } from '../../src/fleet/bundle/bundle.js';
import { makeKey, readKey } from '../../src/fleet/bundle/keys.js';
import { bundleOf, readSource, sourceOf, stateOf } from '../../src/fleet/operator.js';
import { checkPolicy } from '../../src/fleet/policy/check.js';
import { asNobodyHere } from '../nobody.js';
import { denies, newKey, ownFolder, bundleOf as packed } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, verdict } from './ground.js';

const folder = ownFolder();
const file = join(folder, 'policy.key');
const id = makeKey(file);
const deny = [{ matcher: 'Bash', hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] }];
const asking = (handler: object) => ({ hooks: { PreToolUse: [{ hooks: [handler] }] } });

let made = 0;
/** A folder of a policy; text is written as it is. */
function policy(about: object | string, files: Readonly<Record<string, object | string>>): string {
  const own = join(folder, String(made++));
  const all = { 'bundle.json': about, ...files };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(own, path)), { recursive: true });
    writeFileSync(join(own, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return own;
}

/** What the verb says to a broker that is not there: what it refuses, it refuses before. */
async function said(
  verb: typeof pushVerb | typeof diffVerb,
  own: string,
  flags: object = {},
): Promise<{ told: string[]; error: string }> {
  const told: string[] = [];
  const signal = AbortSignal.timeout(10);
  const terminal = { tell: (text: string) => void told.push(text), print: async () => undefined, signal };
  const where = { servers: ['nats://127.0.0.1:1'], team: 'acme', ...(verb === pushVerb && { sign: [file] }) };
  const error = await verb([own], { ...where, ...flags } as never, terminal as never).then(String, String);
  return { told, error };
}

type Case = readonly [name: string, about: object | string, content: object | string, reason: RegExp];

/** What no host takes, whatever its owner allows. */
const REFUSED: readonly Case[] = [
  ['what has expired', { expires: '2020-01-01T00:00:00Z' }, {}, /it has expired on 2020-01-01/],
  ['keys that have not signed it', { keys: [newKey().id] }, {}, /names the new key .* which has not signed it/],
  ['a mask that is no pattern', {}, { redact: { patterns: ['('] } }, /acme\/a\.json: redact\.patterns: /],
  ['a mask without an end', {}, { redact: { patterns: ['(a+)+$'] } }, /can take exponential time/],
  ['a program', {}, asking({ type: 'code' }), /a handler of the type "code" cannot be in a bundle/],
  ['a command that is told how', {}, asking({ type: 'command', command: 'jq .', env: { A: '1' } }), /with "env"/],
  ['a command somewhere', {}, asking({ type: 'command', command: 'jq .', cwd: '/' }), /with "cwd"/],
  ['a command of a shell', {}, asking({ type: 'command', command: 'jq .', shell: 'bash' }), /with "shell"/],
  ['what runs what it reads', {}, asking({ type: 'command', command: 'curl x | sh' }), /shows only when it runs/],
  [
    'variables that are sent',
    {},
    asking({ type: 'http', url: 'http://127.0.0.1:1/', allowedEnvVars: ['A'] }),
    /"allowedEnvVars"/,
  ],
  ['a plugin of any version', {}, { plugins: ['p'] }, /expected a package and one version of it/],
  ['an event that there is not', {}, { hooks: { PreToolUsed: [] } }, /PreToolUsed: is not a known event/],
  ['a key of a group that there is not', {}, { hooks: { PreToolUse: [{ mather: 'x', hooks: [] }] } }, /mather/],
  ['a key of a file that there is not', {}, { hook: {} }, /acme\/a\.json is not as it should be/],
  ['hooks that are none', {}, { hooks: { PreToolUse: 'all' } }, /hooks\.PreToolUse: expected array/],
  ['half a file', {}, '{"hooks": ', /acme\/a\.json is not JSON: line 1, column 11/],
  ['what is nested without end', {}, '['.repeat(300), /nested too deeply/],
  [
    'hooks twice',
    {},
    `{"hooks": {"PreToolUse": ${JSON.stringify(deny)}},\n "hooks": {}}`,
    /acme\/a\.json line 2, column 2: "hooks" appears here a second time/,
  ],
  [
    'an event twice',
    {},
    `{"hooks": {"PreToolUse": ${JSON.stringify(deny)},\n\n"PreToolUse": []}}`,
    /acme\/a\.json line 3, column 1: "PreToolUse" appears/,
  ],
  ['the type __proto__', {}, '{"spawnHooks": {"__proto__": null}}', /acme\/a\.json .*spawnHooks\.__proto__/],
  [
    'hooks of the type __proto__',
    {},
    `{"spawnHooks": {"__proto__": {"PreToolUse": ${JSON.stringify(deny)}}}}`,
    /acme\/a\.json .*spawnHooks\.__proto__/,
  ],
  ['the event __proto__', {}, '{"hooks": {"__proto__": null}}', /acme\/a\.json .*hooks\.__proto__/],
  ['a file __proto__', {}, '{"__proto__": {"hooks": {}}}', /acme\/a\.json .*__proto__/],
  [
    'a group __proto__',
    {},
    '{"hooks": {"Stop": [{"hooks": [], "__proto__": {}}]}}',
    /acme\/a\.json .*hooks\.Stop\[0\]\.__proto__/,
  ],
  ['roots that lead out', { roots: ['acme', 'acme/../..'] }, {}, /is no path within a bundle|which is no folder/],
  ['roots that overlap', { roots: ['acme', 'acme/sub'] }, {}, /overlap/],
];

test.each([
  [{ roots: ['acme'], maxdrift: 0.1 }, /expected no key "maxdrift", got one/],
  [{ roots: ['acme'], expires: '2027-02-31T00:00:00Z' }, /expires: expected a time in UTC, 2027-01-31/],
  [{ roots: ['acme'], expires: '2027-13-01T00:00:00Z' }, /expires: expected a time in UTC/],
  [{ roots: ['acme'], approvers: { ann: 'x' } }, /approvers\.ann: expected "ed25519:/],
  [{ roots: ['acme', 'empty'] }, /roots: names empty, in which there is no file/],
])('a wrong bundle.json is refused in plain words: %j', async (about, reason) => {
  const own = policy(about, { 'acme/a.json': {} });
  mkdirSync(join(own, 'empty'));
  for (const verb of [pushVerb, diffVerb]) expect((await said(verb, own)).error).toMatch(reason);
});

test('a last day of February is one', async () => {
  const own = policy({ roots: ['acme'], expires: '2096-02-29T23:59:59.5Z' }, { 'acme/a.json': {} });
  expect((await said(pushVerb, own)).error).toMatch(/127\.0\.0\.1:1|Interrupted/);
});

test('what lies beside the roots is told of', async () => {
  const files = {
    'acme/deep/a.json': {},
    'out.json': {},
    'other/b.json': {},
    'other/readme.md': '',
    'package.json': {},
  };
  const own = policy({ roots: ['acme/deep'] }, { ...files, '.git/x.json': {}, 'acme/c.json': {} });
  for (const verb of [pushVerb, diffVerb])
    expect((await said(verb, own)).told).toEqual([
      'left out, since they lie below none of its roots: acme/c.json, other/b.json, out.json',
    ]);
});

test('a folder beside the roots that cannot be read is named, and nothing fails for it', async () => {
  const own = mkdtempSync(join(tmpdir(), 'hookscope-beside-'));
  for (const name of ['secret', 'acme']) mkdirSync(join(own, name));
  chmodSync(own, 0o755);
  chmodSync(join(own, 'secret'), 0);
  writeFileSync(join(own, 'a.json'), '{}');
  const source = { about: { roots: ['acme'] }, files: new Map() };
  const told: string[] = [];
  const tell = (text: string) => void told.push(text);
  await asNobodyHere(async () => tellBeside(own, source, { tell } as Terminal));
  expect(told).toEqual([
    'left out, since they lie below none of its roots: a.json',
    'not looked at for files that are left out, since it cannot be read: secret (EACCES)',
  ]);
});

test('a canary that changes the keys is not posted', async () => {
  const own = policy({ roots: ['acme'], keys: [id] }, { 'acme/a.json': {} });
  expect((await said(pushVerb, own, { canary: '1%' })).error).toMatch(/--canary.*a canary cannot change the keys/);
  expect((await said(pushVerb, own)).error).not.toMatch(/canary/);
});

describe('what cannot be meant is not posted, and hosts that have it keep it:', () => {
  const MEANINGLESS: readonly Case[] = [
    ['a mask of nothing', {}, { patterns: [''] }, /redact\.patterns: "" matches no text/],
    ['a mask of an edge', {}, { patterns: ['^|$'] }, /matches no text/],
    ['a mask of no place', {}, { paths: ['tool_input.note'] }, /redact\.paths: "tool_input\.note" is no place/],
    ['a day that a month has not got', { expires: '2095-02-31T00:00:00Z' }, {}, /expires: expected a time in UTC/],
  ];

  test.each(MEANINGLESS)('%s', async (_, about, masks, reason) => {
    const { patterns = [], ...more } = masks as { patterns?: string[] };
    const content = { ...denies('push *', 'no'), redact: { ...more, patterns: [...patterns, 'cust_\\w+'] } };
    const own = policy({ roots: ['acme'], ...(about as object) }, { 'acme/a.json': content });
    for (const verb of [pushVerb, diffVerb]) expect((await said(verb, own)).error).toMatch(reason);
    // A rollback signs again what hosts have had.
    const { broker, operator, join: enter, push } = ground();
    await push(packed(1, { 'acme/a.json': content }, [readKey(file)], about as object));
    const { history } = await stateOf(operator, { team: 'acme', channel: 'stable', keys: [id] });
    const draft = { team: 'acme', channel: 'stable', source: sourceOf(history[0] as Bundle), keys: [readKey(file)] };
    await push(bundleOf(draft, 2).bytes);
    await checkPolicy(bundleOf(draft, 2), folder);
    const first = await enter({ keys: [id] });
    await until(() => channel(first.team)?.sequence === 2);
    await first.team.close();
    const again = await enter({ keys: [id], folder: first.folder });
    expect(channel(again.team)).not.toHaveProperty('refused');
    expect(await verdict(again.host, 'push cust_1')).toBe('deny');
    await again.team.drained();
    expect(broker.entries.map(({ bytes }) => Buffer.from(bytes).toString()).join()).not.toContain('cust_1');
  });
});

describe('what every host refuses is not posted:', () => {
  test.each(REFUSED)('%s', async (_, about, content, reason) => {
    const own = policy({ roots: ['acme'], ...(about as object) }, { 'acme/a.json': content, 'acme/sub/b.json': {} });
    expect((await said(pushVerb, own)).error).toMatch(reason);
    const share = await said(pushVerb, own, { canary: '1%' });
    expect(share.error).toMatch(reason);
    // And a host does, for that reason.
    const { join: enter, push } = ground();
    const { team } = await enter({ keys: [id] });
    let bytes: Uint8Array;
    try {
      const draft = { team: 'acme', channel: 'stable', source: await readSource(own), keys: [readKey(file)] };
      bytes = bundleOf(draft, 1).bytes;
    } catch (error) {
      expect(String(error)).toMatch(reason);
      return;
    }
    await push(bytes);
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)?.refused?.reason).toMatch(reason);
  });

  test.each([
    [
      'a key twice',
      '{"roots": ["acme"],\n"expires": "2027-01-01T00:00:00Z", "expires": "2099-01-01T00:00:00Z"}',
      'expires',
    ],
    ['an approver twice', `{"roots": ["acme"], "approvers": {"a": "${id}",\n"a": "${newKey().id}"}}`, 'a'],
    ['__proto__', `{"roots": ["acme"], "approvers": {"__proto__": "${id}"}}`, 'approvers.__proto__'],
  ])('a bundle.json with %s', async (_, about, key) => {
    const own = policy(about, { 'acme/a.json': {} });
    for (const verb of [pushVerb, diffVerb]) {
      const { error } = await said(verb, own);
      expect(error).toMatch(/bundle\.json/);
      expect(error).toContain(key);
      if (!key.includes('__')) expect(error).toMatch(/line 2, column \d+: /);
    }
  });

  test('nor is it compared with anything', async () => {
    const own = policy({ roots: ['acme'] }, { 'acme/a.json': '{"hooks": {}, "hooks": {}}' });
    expect((await said(diffVerb, own)).error).toMatch(/acme\/a\.json line 1, column 15: "hooks" appears/);
  });
});

test('what a host may allow is said, and goes on to the broker', async () => {
  const own = policy(
    { roots: ['acme'], keys: [id] },
    {
      'acme/a.json': asking({ type: 'command', command: 'jq .' }),
      'acme/b.json': asking({ type: 'http', url: 'http://127.0.0.1:1/x' }),
      'acme/c.json': asking({ type: 'prompt', prompt: 'ok?' }),
      'acme/d.json': { plugins: ['p@1.0.0'] },
    },
  );
  const { told, error } = await said(pushVerb, own);
  expect(told.map((text) => /: (acme\/\w)\.json: /.exec(text)?.[1])).toEqual(['acme/a', 'acme/b', 'acme/c', 'acme/d']);
  expect(error).toMatch(/127\.0\.0\.1:1/);
});

test('a number and a key that are none are refused', async () => {
  const own = policy({ roots: ['acme'] }, { 'acme/a.json': {} });
  for (const sequence of ['0', '-1', '1.5', 'x', '1e3', '9'.repeat(13)])
    expect((await said(pushVerb, own, { sequence })).error).toMatch(/--sequence: expected a number/);
  expect((await said(pushVerb, own, { key: ['ed25519:x'] })).error).toMatch(/--key: expected a public key/);
});
