import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/record.js';
import { bash, createUser, type User } from './kit.js';

let user: User;
const fires = (): FireRecord[] => user.records().filter((record) => record.type === 'hook_fire');

describe('hookscope hook without a server, once it has answered', () => {
  beforeAll(() => {
    user = createUser();
  });
  afterAll(() => user.remove());

  const never = 'await new Promise(() => {})';
  // As processes, which these end or hang.
  test.each([
    ['exits with 0', 'enforce: false', 'process.exit(0)'],
    ['exits with 3 a little later', 'enforce: false', `setTimeout(() => process.exit(3), 5); ${never}`],
    ['throws in a timer', 'enforce: false', `setTimeout(() => { throw new Error('boom') }, 5); ${never}`],
    ['computes without end', 'enforce: false', 'for (;;);'],
    ['never answers', 'enforce: false', never],
    ['exits with 3 in the background', 'background', `setTimeout(() => process.exit(3), 50); ${never}`],
  ])('a hook that does not decide and %s changes nothing', async (_, how, code) => {
    const hook = how === 'background' ? '{ hooks: [{ handler: late, async: true }] }' : `{ ${how}, hooks: [late] }`;
    const plugin = user.write(
      `${code.replace(/\W+/g, '-')}-${how.length}.mjs`,
      `const late = async () => { ${code}; };
       const guard = ({ tool_input }) => (tool_input.command === 'rm' ? { decision: 'block', reason: 'guarded' } : undefined);
       export default { name: 'tried', apply: (scope) => scope.register({ PreToolUse: [${hook}, { hooks: [guard] }] }) };`,
    );
    const args = ['PreToolUse', '--plugin', plugin, '--no-server', '--timeout', '40'];
    const denied = await user.spawnHook(args, bash('rm'));
    // What Node prints where a thread has ended the process.
    const quiet = { code: 0, stderr: expect.stringMatching(/^(?:Waiting for the debugger.*\n)?$/) };
    expect(denied).toMatchObject(quiet);
    expect(denied.stdout).toContain('"permissionDecisionReason":"guarded"');
    expect(await user.spawnHook(args, bash('ls'))).toMatchObject({ ...quiet, stdout: '' });
  });

  test('asks hooks that are not enforced, and ends those that take long, but no hook in the background', async () => {
    const done = join(user.path, 'project/done');
    user.write('tried.json', {
      PreToolUse: [
        { enforce: false, name: 'tried', hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] },
        { enforce: false, name: 'slow', hooks: [{ type: 'command', command: 'sleep 86400' }] },
        { name: 'late', hooks: [{ type: 'command', command: `sleep 1; echo > '${done}'`, async: true }] },
      ],
    });
    const input = bash('mv');
    expect(await user.hook(['PreToolUse', '--hooks', 'tried.json', '--no-server'], input)).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(existsSync(done)).toBe(true);
    const shadows = fires().filter((fire) => fire.tool_use_id === input['tool_use_id'] && fire.shadow_of !== undefined);
    expect(shadows.map(({ handlers, would, error }) => [handlers[0]?.name, would, error])).toEqual([
      ['tried', 'deny', undefined],
      ['slow', 'none', 'CLOSED'],
    ]);
  });
});
