import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { readAllowed, whyNotAllowed } from '../../src/fleet/policy/allowed.js';
import { sha256 } from '../../src/values/sha256.js';
import { bundleOf, ownFolder, script } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key, verdict } from './ground.js';

describe('what may run', () => {
  const command = (line: string) => ({
    hooks: { PreToolUse: [{ onFailure: 'block', hooks: [{ type: 'command', command: line }] }] },
  });

  test('a command runs where the host has allowed it by its bytes, and fails as untrusted when they change', async () => {
    const { join: enter, push } = ground();
    const folder = ownFolder();
    const script = join(folder, 'guard.sh');
    writeFileSync(script, '#!/bin/sh\necho "by the script" >&2\nexit 2\n', { mode: 0o755 });
    const allow = join(folder, 'allow.json');
    const { host, team } = await enter({ allow, directory: folder });
    await push(bundleOf(1, { 'acme/base.json': command(script) }, [key]));
    await until(() => channel(team)?.refused !== undefined);
    const [, hint] = /add (\{.*\}) to "commands"/.exec(channel(team)?.refused?.reason ?? '') ?? [];
    writeFileSync(allow, JSON.stringify({ commands: JSON.parse(hint as string) }));
    await push(bundleOf(2, { 'acme/base.json': command(script) }, [key]));
    await until(() => channel(team)?.sequence === 2);
    expect(await host.fire('PreToolUse', bash('ls') as never)).toMatchObject({
      verdict: 'deny',
      reason: 'by the script',
    });
    writeFileSync(script, '#!/bin/sh\nexit 0\n');
    const after = await host.fire('PreToolUse', bash('ls') as never);
    expect(after.verdict).toBe('deny');
    expect(after.failures[0]?.cause).toBe('untrusted');
  });

  test('is what was allowed by its bytes also in a host that joins after they have changed', async () => {
    const { join: enter, push } = ground();
    const folder = ownFolder();
    const script = join(folder, 'guard.sh');
    writeFileSync(script, '#!/bin/sh\nexit 2\n', { mode: 0o755 });
    const allow = join(folder, 'allow.json');
    writeFileSync(allow, JSON.stringify({ commands: { [script]: { [script]: sha256(readFileSync(script)) } } }));
    const { team } = await enter({ allow, directory: folder });
    await push(bundleOf(1, { 'acme/base.json': command(script) }, [key]));
    await until(() => channel(team)?.sequence === 1);
    writeFileSync(script, `#!/bin/sh\ntouch ${folder}/ran\nexit 0\n`);
    const late = createHost({ logger: () => undefined }) as Host;
    team.join(late);
    expect(await late.fire('PreToolUse', bash('ls') as never)).toMatchObject({
      verdict: 'deny',
      failures: [{ cause: 'untrusted' }],
    });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    // As it was, and no program any more.
    writeFileSync(script, '#!/bin/sh\nexit 2\n');
    chmodSync(script, 0o644);
    expect((await late.fire('PreToolUse', bash('ls') as never)).failures[0]?.cause).toBe('untrusted');
    await late.close();
  });

  test('is not half of a file: a key that stands twice in it is an error that says so', () => {
    const folder = ownFolder();
    const allow = join(folder, 'allow.json');
    for (const twice of [
      '{"commands":{"a":{}},"http":[],"commands":{"b":{}}}',
      '{"commands":{"a":{},"a":{"f":"1"}}}',
    ]) {
      writeFileSync(allow, twice);
      expect(() => readAllowed(allow)).toThrow(`${allow}: has a key twice in one object; put both into one`);
    }
    writeFileSync(allow, '\uFEFF{"commands":{"a":{}},"http":["commands"]}');
    expect(readAllowed(allow).list).toEqual({ commands: { a: {} }, http: ['commands'] });
  });

  test('is looked at again when its file changes: what was in force and is allowed no more does not run, and gates ask', async () => {
    const { join: enter, push } = ground();
    const { allow, ran, allows, hook } = script();
    allows(true);
    const { host, team } = await enter({ allow });
    const files = {
      'acme/a.json': { hooks: { PreToolUse: [{ hooks: [hook] }] }, redact: { patterns: ['cust_\\w+'] } },
      'acme/b.json': {
        hooks: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'Once', once: true }] }] },
      },
    };
    await push(bundleOf(1, files, [key]));
    await until(() => channel(team)?.sequence === 1);
    expect([await verdict(host, 'a'), await verdict(host, 'b')]).toEqual(['deny', 'none']);
    expect(existsSync(ran)).toBe(true);
    // What has nothing to do with it leaves it as it is: what was to run once has run.
    allows(true, { http: ['https://else.example'] });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await verdict(host, 'c')).toBe('none');
    rmSync(ran);
    allows(false);
    await until(() => channel(team)?.asks !== undefined);
    expect(channel(team)?.refused).toMatchObject({ sequence: 1, reason: expect.stringMatching(/does not allow/) });
    expect(await verdict(host, 'cust_12345')).toBe('ask');
    const late = createHost({ logger: () => undefined }) as Host;
    team.join(late);
    expect(await verdict(late, 'd')).toBe('ask');
    await late.close();
    expect(existsSync(ran)).toBe(false);
    allows(true);
    await until(() => channel(team)?.sequence === 1);
    expect(channel(team)?.refused).toBeUndefined();
    await verdict(host, 'e');
    expect(existsSync(ran)).toBe(true);
  });

  const exec = { type: 'command', command: 'grep', args: ['-qE', 'password|touch x|"$(id)"'] };
  const mcp = (server: string, tool: string) => ({ type: 'mcp_tool', server, tool });
  test.each([
    [exec, { commands: { '["grep","-qE","password|touch x|\\"$(id)\\""]': {} } }, undefined],
    [exec, { commands: { 'grep -qE password|touch x|"$(id)"': {} } }, /add \{"\[\\"grep\\",\\"-qE\\",.*\]":\{\}\} to/],
    [{ ...exec, args: [] }, { commands: { grep: {} } }, /runs the command \["grep"\], which/],
    // What an allowed list says, as a line of a shell.
    [
      { type: 'command', command: '["echo","$(touch x)"]' },
      { commands: { '["echo","$(touch x)"]': {} } },
      /could also be one with "args"/,
    ],
    [mcp('a', 'b/c'), { mcp: ['a/b/c'] }, undefined],
    [mcp('a/b', 'c'), { mcp: ['a/b/c'] }, /calls the tool \["a\/b","c"\], which/],
    [mcp('a/b', 'c'), { mcp: ['["a/b","c"]'] }, undefined],
    [mcp('["a', 'b","c"]'), { mcp: ['["a/b","c"]'] }, /calls the tool \["\[\\"a",/],
  ])('is known by a name that nothing else has: %j under %j', (handler, list, why) => {
    const said = whyNotAllowed(handler, { file: 'allow.json', list }, ownFolder());
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(why);
  });
});
