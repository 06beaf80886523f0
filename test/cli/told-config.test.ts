import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { judgeConfigs } from '../../src/plugins/config-trust.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { createTrustStore, type TrustStore } from '../../src/trust/store.js';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { cli, type Finished } from './cli.js';

let folder: Folder;
let home: Folder;
let store: TrustStore;
beforeEach(() => {
  folder = createFolder();
  home = createFolder();
  store = createTrustStore(join(home.path, 'config/hookscope/trust.json'));
});
afterEach(() => {
  expect(existsSync(join(folder.path, 'ran'))).toBe(false);
  folder.remove();
  home.remove();
});

function run(...args: string[]): Promise<Finished> {
  return cli(args, { cwd: folder.path, env: { HOME: home.path, XDG_CONFIG_HOME: join(home.path, 'config') } });
}

async function accept(): Promise<void> {
  for (const { held } of await judgeConfigs(folder.path, store)) if (held) acceptTrust(held.request, store);
}

const input = (event: string): string =>
  home.write('input.json', event === 'UserPromptSubmit' ? { prompt: 'hello' } : LS);

const explained = (event: string, ...flags: string[]) => run('explain', event, '--input', input(event), ...flags);

const command = { type: 'command', command: 'touch ran; exit 2' };
const code = (event: string, more = ''): string =>
  `${more}; export default { hooks: { ${event}: [{ hooks: [() => ({ continue: false })] }] } };`;

/** A configuration of each kind, and the same one changed. */
const KINDS: [name: string, write: (event: string, more: string) => unknown][] = [
  ['hookscope.config.ts', code],
  ['hookscope.config.mjs', code],
  ['hookscope.config.js', code],
  ['hookscope.config.json', (event, more) => ({ hooks: { [event]: [{ name: `n${more}`, hooks: [command] }] } })],
];

describe.each(KINDS)('%s that is accepted', (name, write) => {
  test('is listed as accepted, and the question shows its text once', async () => {
    folder.write(name, write('PreToolUse', '/* new */'));
    const { stdout: asked } = await run('trust');
    expect(asked).not.toMatch(/^ {4}\+\{\}$/m);
    expect(asked.match(/^ {4}\+\+\+ /gm)).toHaveLength(1);
    await accept();
    const { stdout, code: exit } = await run('trust', '--list');
    expect([stdout, exit]).toEqual([expect.stringMatching(new RegExp(`^accepted .*${name} `)), 0]);
    await run('trust', '--forget');
    expect((await run('trust', '--list')).stdout).toMatch(/^never /);
  });

  test.each([
    ['PreToolUse', 'the call would be asked about'],
    ['PermissionRequest', 'the call would be denied'],
    ['UserPromptSubmit', 'it would be blocked'],
  ])('and has changed: explain and list say for %s what fire does', async (event, effect) => {
    folder.write(name, write(event, "'before'"));
    await accept();
    folder.write(name, write(event, "'after'"));
    const { stdout } = await explained(event);
    expect(stdout).toMatch(/\nwould fail instead of running:\n {2}1\. /);
    expect(stdout).toContain(`; ${effect}`);
    expect(stdout).not.toContain('no hook would run');
    expect(stdout).not.toContain('fails open');
    const { hooks } = JSON.parse((await explained(event, '--json')).stdout);
    expect(hooks).toEqual([expect.objectContaining({ runs: false, reason: 'untrusted' })]);
    expect(hooks[0]).not.toHaveProperty('failsOpen');
    const listed = (await run('list')).stdout;
    expect(listed).toContain('untrusted: ');
    expect(listed).not.toContain('fails open');
    const { decision } = JSON.parse((await run('fire', event, '--json', '--input', input(event))).stdout);
    const fired = { ask: 'the call would be asked about', deny: 'the call would be denied' }[
      decision.verdict as string
    ];
    expect(decision.blocked && fired === undefined ? 'it would be blocked' : fired).toBe(effect);
  });
});

describe('what is accepted and was not executed', () => {
  test.each([
    ...KINDS.slice(0, 3).map(([name]) => [name, { [name]: code('PreToolUse') }] as const),
    [
      'plugin ./p.mjs',
      {
        'hookscope.config.json': { plugins: ['./p.mjs'] },
        'p.mjs': "export default { name: 'p', apply: () => undefined };",
      },
    ] as const,
  ])('%s: explain and list say that its hooks are not known', async (name, files) => {
    for (const [file, text] of Object.entries(files)) folder.write(file, text);
    await accept();
    for (const args of [['list'], ['explain', 'PreToolUse', '--input', input('PreToolUse')]]) {
      const { stdout, stderr } = await run(...args);
      expect(stdout).toContain(`hooks not known: ${name} was not executed`);
      expect(`${stdout}${stderr}`).not.toMatch(/no hook would run|nothing is registered/);
      expect(stderr).toContain('not known here');
      expect(JSON.parse((await run(...args, '--json')).stdout)).toMatchObject({ unknown: [name] });
    }
  });
});
