import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleOf, ownFolder } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key } from './ground.js';

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
});
