import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/cli/doctor/finding.js';
import { acceptAll } from './accept.js';
import { bash, guardedUser, type User } from './kit.js';

let user: User;
beforeEach(() => {
  user = guardedUser();
});
afterEach(() => user.remove());

const AGENTS = ['claude-code', 'codex', 'copilot', 'gemini', 'cursor'];
const NAMED = ['--hooks', 'hooks.json'];

/** What there is that could answer, and the options of connect. */
const PLACES: [what: string, args: readonly string[], prepare: () => Promise<unknown>][] = [
  ['nothing', [], async () => undefined],
  ['a configuration that nobody has accepted', [], async () => config()],
  ['hooks that are named', NAMED, async () => undefined],
  [
    'a configuration that is accepted',
    [],
    async () => {
      config();
      await acceptAll(`${user.path}/project`, user.env);
    },
  ],
  ['a server that runs', [], () => user.serve(NAMED)],
  ['what a server has left', [], async () => (await user.serve(NAMED)).stop()],
];

function config(): void {
  const rule = { type: 'rule', decision: 'ask', reason: 'no' };
  user.write('hookscope.config.json', { hooks: { PreToolUse: [{ if: 'Bash(rm *)', hooks: [rule] }] } });
}

test.each(PLACES)(
  'with %s: connect warns and doctor finds a problem if a call would be denied',
  async (_, args, prepare) => {
    await prepare();
    const { code } = await user.hook(['PreToolUse', ...args], bash('ls'));
    const isDenied = code === 2;
    for (const agent of AGENTS) {
      const { stderr, code } = await user.run(['connect', agent, '--write', ...args]);
      expect([agent, code, stderr.includes('warning: no hooks are named')]).toEqual([agent, 0, isDenied]);
    }
    const { stdout, code: found } = await user.run(['doctor', '--json']);
    const problems = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as DoctorFinding)
      .filter(({ text }) => text.includes('without hooks, and no server is running'));
    expect(problems.map(({ text }) => text.split(' ')[0])).toEqual(isDenied ? expect.arrayContaining(AGENTS) : []);
    expect(problems.every(({ level }) => level === 'problem')).toBe(true);
    if (isDenied) expect(found).toBe(1);
  },
);
