import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listHeldAgentFiles } from '../../src/foreign/load.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { createTrustStore } from '../../src/trust/store.js';
import { payloadsOf } from '../agents/recorded.js';
import { cli, type Finished, spawnCli } from '../cli/cli.js';
import { createFolder, type Folder } from '../plugins/folder.js';

let folder: Folder;
let home: Folder;
beforeAll(() => {
  folder = createFolder();
  home = createFolder();
  const guard = { type: 'command', command: 'echo no >&2; exit 2' };
  folder.write('theirs.json', JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [guard] }] } }));
  folder.write('.gemini/settings.json', JSON.stringify({ hooks: { BeforeTool: [{ hooks: [guard] }] } }));
});
afterAll(() => {
  folder.remove();
  home.remove();
});

const env = (): Record<string, string> => ({
  HOME: home.path,
  XDG_CONFIG_HOME: join(home.path, 'config'),
  XDG_STATE_HOME: join(home.path, 'state'),
  XDG_RUNTIME_DIR: join(home.path, 'run'),
});
const run = (...args: string[]): Promise<Finished> => cli(args, { cwd: folder.path, env: env() });
const LS = JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'ls' } });

test('list, explain and fire take a file of another agent behind its name', async () => {
  const listed = await run('list', '--from', 'codex', 'theirs.json');
  expect(listed.stdout).toContain('PreToolUse:Bash  command echo no >&2; exit 2');
  const explained = await run('explain', 'PreToolUse', '--input', LS, '--from', 'codex', 'theirs.json', '--json');
  expect(JSON.parse(explained.stdout).hooks).toMatchObject([{ runs: true, source: { kind: 'codex', name: 'named' } }]);
  const fired = await run('fire', 'PreToolUse', '--input', LS, '--from', 'codex', 'theirs.json', '--json');
  expect(JSON.parse(fired.stdout).decision).toMatchObject({ verdict: 'deny', reason: 'no' });
});

test("hook answers one agent with another's hooks, each in its own words", async () => {
  const [payload] = payloadsOf('gemini').filter(({ file }) => file === 'BeforeTool.json');
  const args = ['hook', 'BeforeTool', '--as', 'gemini', '--no-server', '--from', 'codex', 'theirs.json'];
  const { stdout, code } = await spawnCli(args, { cwd: folder.path, env: env(), stdin: payload?.text ?? '' });
  expect([JSON.parse(stdout), code]).toEqual([{ decision: 'deny', reason: 'no' }, 0]);
});

test('what is found is held until it is accepted, and trust lists it where that agent is named', async () => {
  const fire = () => run('fire', 'PreToolUse', '--input', LS, '--from', 'gemini', '--json');
  const before = await fire();
  expect(before.stderr).toContain('see hookscope trust --from gemini');
  expect(JSON.parse(before.stdout).decision.verdict).toBe('none');
  expect((await run('trust', '--list')).stdout).not.toContain('settings.json');
  const listed = await run('trust', '--from', 'gemini', '--list');
  expect([listed.stdout, listed.code]).toEqual([expect.stringContaining('never'), 1]);
  const store = createTrustStore(join(home.path, 'config/hookscope/trust.json'));
  const held = await listHeldAgentFiles('gemini', { projectDir: folder.path, home: home.path, trust: store });
  for (const { request } of held) acceptTrust(request, store);
  expect(JSON.parse((await fire()).stdout).decision).toMatchObject({ verdict: 'deny', reason: 'no' });
});

test.each([
  [['codexx'], 'expected an agent, one of codex, copilot, gemini, cursor'],
  [['codex', 'nowhere.json'], 'nowhere.json: there is no such file'],
])('--from %j is refused', async (words, message) => {
  const { stderr, code } = await run('list', '--from', ...words);
  expect([stderr, code]).toEqual([expect.stringContaining(message), 1]);
});
