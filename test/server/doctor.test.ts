import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/cli/doctor/finding.js';
import { bash, GUARD, guardedUser, hooksFile, type User, until } from './kit.js';

let user: User;
beforeEach(() => {
  user = guardedUser();
});
afterEach(() => user.remove());

/** What doctor says of the server. */
async function ofServer(...args: string[]): Promise<{ found: [string, string][]; code: number | null }> {
  const { stdout, code } = await user.run(['doctor', '--json', ...args]);
  const lines = stdout.split('\n').filter((line) => line !== '');
  const found = lines.map((line) => JSON.parse(line) as DoctorFinding).filter(({ about }) => about === 'server');
  return { found: found.map(({ text, fix }) => [text, fix]), code };
}
const ask = (...args: string[]) => user.hook(['PreToolUse', ...args], bash('ls'));

describe('doctor, of a server that runs', () => {
  test('finds nothing wrong with one that serves what is asked for and has not changed', async () => {
    await user.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
    await user.serve(['--hooks', 'hooks.json']);
    await ask('--hooks', 'hooks.json');
    await ask();
    expect(await ofServer()).toEqual({ found: [], code: 0 });
  });

  test('names the files that have changed since it was started, or are gone, and how they are accepted', async () => {
    const more = user.write('more.json', hooksFile('/bin/true', 'PostToolUse'));
    await user.serve(['--hooks', 'hooks.json', '--hooks', 'more.json']);
    const guard = user.write('guard.sh', `${GUARD}# and more\n`, 0o755);
    await ask();
    const fix = 'Look at what changed, and accept it in a terminal: hookscope serve --accept.';
    expect(await ofServer()).toEqual({
      found: [
        [
          `Since the server was started, a file that it serves has changed or gone: ${guard}. Hooks that need it fail as untrusted.`,
          fix,
        ],
      ],
      code: 1,
    });
    // Who accepts what a hook failed for is told there, too.
    for (const args of [['doctor'], ['why', 'last']])
      expect((await user.run(args)).stdout).toMatch(
        /or is gone since it was accepted; .*: hookscope serve --accept\.$/m,
      );
    rmSync(more);
    let found: Awaited<ReturnType<typeof ofServer>>['found'] = [];
    // The server looks at its files again after a moment.
    await until(async () => {
      ({ found } = await ofServer());
      return found[0]?.[0]?.includes('files that it serves have changed or gone: ') === true;
    });
    for (const file of [guard, more]) expect(found[0]?.[0]).toContain(file);
  });

  test('says that it was not asked, where it does not serve the files that were named', async () => {
    await user.serve([]);
    await ask('--hooks', 'hooks.json');
    const [record] = user.records().filter(({ type }) => type === 'hook_fire');
    expect(await ofServer()).toEqual({
      found: [
        [
          `The server was not asked about the fire at ${record?.time}, although it runs: it does not serve the files that hookscope hook was given, or --no-server was. Each such fire starts a process.`,
          'Start the server with the files that the agent was connected with: the same --hooks, --config and --plugin.',
        ],
      ],
      code: 0,
    });
    expect((await ofServer('--store', join(user.places.state, 'records.db'))).found).toEqual([]);
  });
});
