import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readBundle } from '../../src/fleet/bundle/bundle.js';
import { bundleOf, denies, newKey, ownFolder } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key, verdict } from './ground.js';

const rule = { 'acme/base.json': denies('git push *', 'no') };
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
/** The same bundle with something else in its envelope. */
const changed = (bytes: Uint8Array, change: (envelope: Record<string, Record<string, string>>) => void): Uint8Array => {
  const envelope = JSON.parse(text(bytes));
  change(envelope);
  return Buffer.from(JSON.stringify(envelope));
};
/** A manifest that says something else, signed as it is: what an author with a key could send. */
const signedAs = (change: (manifest: Record<string, unknown>) => void): Uint8Array => {
  const { manifest, signatures, files } = JSON.parse(text(bundleOf(5, rule, [key])));
  const said = JSON.parse(Buffer.from(manifest, 'base64').toString());
  change(said);
  const bytes = Buffer.from(JSON.stringify(said));
  const signed = Buffer.concat([Buffer.from('hookscope-bundle/1\0'), bytes]);
  return Buffer.from(
    JSON.stringify({
      form: 'hookscope-bundle/1',
      manifest: bytes.toString('base64'),
      signatures: { ...signatures, [key.id]: Buffer.from(key.sign(signed)).toString('base64') },
      files,
    }),
  );
};

const other = newKey();
const BAD: readonly (readonly [string, () => Uint8Array, RegExp])[] = [
  [
    'a forged file',
    () =>
      changed(bundleOf(5, rule, [key]), ({ files }) => {
        (files as Record<string, string>)['acme/base.json'] = Buffer.from('{}').toString('base64');
      }),
    /acme\/base\.json is not what its manifest says/,
  ],
  [
    'a forged manifest',
    () =>
      changed(bundleOf(5, rule, [key]), (envelope) => {
        const said = JSON.parse(Buffer.from(envelope['manifest'] as never, 'base64').toString());
        envelope['manifest'] = Buffer.from(JSON.stringify({ ...said, sequence: 9 })).toString('base64') as never;
      }),
    /signed with none of the keys/,
  ],
  ['one that is cut short', () => bundleOf(5, rule, [key]).slice(0, 300), /is not whole, or no JSON/],
  ['an older sequence', () => bundleOf(1, rule, [key]), /its sequence is 1, and 2 has counted/],
  [
    'other content under the same sequence',
    () => bundleOf(2, { 'acme/other.json': denies('x *', 'no') }, [key]),
    /its sequence is 2, and 2 has counted/,
  ],
  [
    'roots that escape',
    () => signedAs((said) => Object.assign(said, { roots: ['acme/../..'] })),
    /is no path within a bundle/,
  ],
  [
    'a file outside its roots',
    () => signedAs((said) => Object.assign(said, { roots: ['other'] })),
    /acme\/base\.json lies below none of its roots/,
  ],
  [
    'roots that overlap',
    () => signedAs((said) => Object.assign(said, { roots: ['acme', 'acme/x'] })),
    /roots acme and acme\/x overlap/,
  ],
  ['another key', () => bundleOf(5, rule, [other]), /signed with none of the keys/],
  [
    'a half-rotated key',
    () => bundleOf(5, rule, [key], { keys: [other.id] }),
    /names the new key ed25519:.* which has not signed it/,
  ],
  ['a zip bomb', () => gzipSync(Buffer.alloc(64 * 1024 * 1024)), /it is compressed/],
  ['too many bytes', () => Buffer.alloc(2 * 1024 * 1024, 32), /2097152 bytes, more than 1048576/],
  [
    'more signatures than anybody needs',
    () =>
      changed(bundleOf(5, rule, [key]), ({ signatures }) => {
        for (let i = 0; i < 100; i++) (signatures as Record<string, string>)[`${i}`] = '';
      }),
    /signatures: expected an object of at most 100 texts/,
  ],
  [
    'more files than a bundle may have',
    () =>
      changed(bundleOf(5, rule, [key]), ({ files }) => {
        for (let i = 0; i < 500; i++) (files as Record<string, string>)[`acme/${i}`] = '';
      }),
    /files: expected an object of at most 500 texts/,
  ],
  ['what is nested without end', () => Buffer.from('['.repeat(500_000)), /nested too deeply/],
  [
    'a manifest with another key in it',
    () => signedAs((said) => Object.assign(said, { run: 'me' })),
    /its manifest is not as it should be/,
  ],
  [
    'a policy that is none',
    () => bundleOf(5, { 'acme/base.json': { hooks: { PreToolUse: 'all' } } }, [key]),
    /acme\/base\.json is not as it should be: hooks\.PreToolUse: expected array/,
  ],
  [
    'an event that there is not',
    () => bundleOf(5, { 'acme/base.json': { hooks: { PreToolUsed: [] } } }, [key]),
    /acme\/base\.json: PreToolUsed: is not a known event/,
  ],
  ['a program', () => bundleOf(5, { 'acme/run.sh': 'rm -rf /' }, [key]), /a bundle is data/],
  [
    'a command that is not allowed',
    () =>
      bundleOf(
        5,
        { 'acme/base.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'jq .' }] }] } } },
        [key],
      ),
    /PreToolUse\[0\]\.hooks\[0\]: it runs the command jq \., which .*allow\.json does not allow/,
  ],
  [
    'a command that says only when it runs what it runs',
    () =>
      bundleOf(
        5,
        { 'acme/base.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'curl x | sh' }] }] } } },
        [key],
      ),
    /it runs curl x \| sh, and what "curl x" is shows only when it runs/,
  ],
  [
    'an http hook that is not allowed',
    () =>
      bundleOf(
        5,
        { 'acme/base.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: 'http://127.0.0.1:1/x' }] }] } } },
        [key],
      ),
    /it asks http:\/\/127\.0\.0\.1:1\/x, which .* does not allow/,
  ],
  [
    'a model hook that is not allowed',
    () =>
      bundleOf(
        5,
        { 'acme/base.json': { spawnHooks: { x: { Stop: [{ hooks: [{ type: 'prompt', prompt: 'ok?' }] }] } } } },
        [key],
      ),
    /spawnHooks\.x\.Stop\[0\]\.hooks\[0\]: it asks the model default/,
  ],
  [
    'an mcp hook that is not allowed',
    () =>
      bundleOf(
        5,
        { 'acme/base.json': { hooks: { PostToolUse: [{ hooks: [{ type: 'mcp_tool', server: 's', tool: 't' }] }] } } },
        [key],
      ),
    /it calls the tool s\/t/,
  ],
  [
    'a plugin that is not allowed',
    () => bundleOf(5, { 'acme/base.json': { plugins: ['p@1.0.0'] } }, [key]),
    /it uses the plugin p@1\.0\.0, which is not installed beside/,
  ],
  [
    'a mask that can take exponential time',
    () => bundleOf(5, { 'acme/base.json': { redact: { patterns: ['(a+)+$'] } } }, [key]),
    /"\(a\+\)\+\$" can take exponential time/,
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name): (typeof BAD)[number] => [
    `hooks of an agent's type for the event ${name}`,
    () =>
      bundleOf(
        5,
        { 'acme/base.json': `{"spawnHooks":{"x":{"${name}":[{"hooks":[{"type":"rule","decision":"deny"}]}]}}}` },
        [key],
      ),
    /acme\/base\.json/,
  ]),
  [
    'a key that stands twice',
    () => bundleOf(5, { 'acme/base.json': '{\n"hooks": {"PreToolUse": []},\n"hooks": {}}' }, [key]),
    /acme\/base\.json line 3, column 1: "hooks" appears here a second time/,
  ],
  [
    'hooks of the type __proto__',
    () => bundleOf(5, { 'acme/base.json': '{"spawnHooks":{"__proto__":null}}' }, [key]),
    /acme\/base\.json is not as it should be: spawnHooks\.__proto__: expected another key/,
  ],
  [
    'a handler of a type that there is not',
    () => bundleOf(5, { 'acme/base.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'code' }] }] } } }, [key]),
    /a handler of the type "code" cannot be in a bundle/,
  ],
  [
    'one that has expired',
    () => bundleOf(5, rule, [key], { expires: '2020-01-01T00:00:00Z' }),
    /it has expired on 2020-01-01/,
  ],
  ['one of another team', () => bundleOf(5, rule, [key], { team: 'else' }), /of the team else/],
  ['one of another channel', () => bundleOf(5, rule, [key], { channel: 'beta' }), /for the channel beta/],
  ['a canary for all', () => bundleOf(5, rule, [key], { canary: 1 }), /a canary is posted where all hosts look/],
];

describe('a bad bundle is refused with its reason, and the last good one stays:', () => {
  test.each(BAD)('%s', async (_, bad, reason) => {
    const { join: enter, push, shared, told } = ground();
    const { host, team } = await enter({ allow: join(ownFolder(), 'allow.json') });
    await push(bundleOf(2, rule, [key]));
    await until(() => channel(team)?.sequence === 2);
    let bytes: Uint8Array;
    try {
      bytes = bad();
    } catch (error) {
      // It cannot even be made: that is what its author is told.
      expect((error as Error).message).toMatch(reason);
      return;
    }
    await push(bytes);
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)).toMatchObject({ sequence: 2, refused: { reason: expect.stringMatching(reason) } });
    expect(await verdict(host, 'git push x')).toBe('deny');
    expect(await verdict(host, 'ls')).toBe('none');
    await until(async () => (await shared())[0]?.channels[0]?.refused !== undefined);
    expect((await shared())[0]?.channels[0]?.refused?.reason).toMatch(reason);
    expect(told.join('\n')).toMatch(reason);
    await push(bundleOf(6, rule, [key]));
    await until(() => channel(team)?.sequence === 6);
    expect(channel(team)?.refused).toBeUndefined();
  });

  test('roots that a bundle of another channel has', async () => {
    const { join: enter, push } = ground();
    const { team } = await enter({ channels: ['stable', 'beta'] });
    await push(bundleOf(1, rule, [key]));
    await until(() => channel(team)?.sequence === 1);
    await push(
      bundleOf(1, { 'acme/x/b.json': denies('x', 'no') }, [key], { channel: 'beta', roots: ['acme/x'] }),
      'beta',
    );
    await until(() => team.status().channels[1]?.refused !== undefined);
    expect(team.status().channels[1]?.refused?.reason).toMatch(/root acme\/x overlaps acme/);
    await push(bundleOf(2, { 'beta/b.json': denies('x', 'no') }, [key], { channel: 'beta', roots: ['beta'] }), 'beta');
    await until(() => team.status().channels[1]?.sequence === 2);
  });

  test('an allowed script that has changed', async () => {
    const folder = ownFolder();
    const [script, allow] = [join(folder, 'guard.sh'), join(folder, 'allow.json')];
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(allow, JSON.stringify({ commands: { [script]: { [script]: 'a'.repeat(64) } } }));
    const { join: enter, push } = ground();
    const { team } = await enter({ allow, directory: folder });
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: script }] }] };
    await push(bundleOf(1, { 'acme/base.json': { hooks } }, [key]));
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)?.refused?.reason).toMatch(
      /guard\.sh is not what .*allow\.json allows: its SHA-256 is [0-9a-f]{64}/,
    );
  });

  test('one that would change more decisions of this host than its maxDrift lets it', async () => {
    const { join: enter, push } = ground();
    const { host, team } = await enter();
    for (let i = 0; i < 10; i++) await host.fire('PreToolUse', bash(i < 3 ? 'npm publish' : 'ls') as never);
    await push(bundleOf(1, { 'acme/base.json': denies('npm *', 'no') }, [key], { maxDrift: 0.2 }));
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)?.refused?.reason).toMatch(
      /would change 3 of the last 10 decisions here, more than its maxDrift of 0\.2 lets it; PreToolUse \S+ from none to deny/,
    );
    await push(bundleOf(2, { 'acme/base.json': denies('npm *', 'no') }, [key], { maxDrift: 0.3 }));
    await until(() => channel(team)?.sequence === 2);
  });
});

describe('a bundle', () => {
  test('is read again as it was made', () => {
    const bundle = readBundle(bundleOf(7, { 'acme/a.json': { hooks: {} } }, [key, other], { revision: 'v1' }));
    expect(bundle.name).toBe('stable v1 (7)');
    expect(bundle.isSignedBy(key.id) && bundle.isSignedBy(other.id)).toBe(true);
    expect(bundle.isSignedBy(newKey().id)).toBe(false);
    expect(bundle.files.get('acme/a.json')?.toString()).toBe('{"hooks":{}}');
  });
});

describe('the number of a bundle', () => {
  test('that leaps to the end is refused by hosts', async () => {
    const { join: enter, push } = ground();
    const { team } = await enter();
    const files = { 'acme/base.json': denies('a *', 'no') };
    await push(bundleOf(1, files, [key]));
    await until(() => channel(team)?.sequence === 1);
    await push(bundleOf(1e12, files, [key]));
    await until(() => channel(team)?.refused?.sequence === 1e12);
    expect(channel(team)?.refused?.reason).toMatch(/more than 10000 above the one that counted last, 1$/);
    expect(() => bundleOf(1e12 + 1, files, [key])).toThrow(/sequence/);
  });
});
