import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listHeld } from '../../src/claude-code/trust/held.js';
import { judgeConfigs } from '../../src/plugins/config-trust.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { createTrustStore } from '../../src/trust/store.js';
import { createFolder, type Folder, LS } from '../plugins/folder.js';
import { cli, type Finished } from './cli.js';

let folder: Folder;
let home: Folder;
beforeEach(() => {
  folder = createFolder();
  home = createFolder();
});
afterEach(() => {
  folder.remove();
  home.remove();
});

const DENIES = "() => ({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' } })";
const guard = (more = ''): string =>
  `console.error('RAN'); ${more} export default { hooks: { PreToolUse: [{ matcher: 'Bash', onFailure: 'block', hooks: [${DENIES}] }] } };`;

function run(...args: string[]): Promise<Finished> {
  return cli(args, { cwd: folder.path, env: { HOME: home.path, XDG_CONFIG_HOME: join(home.path, 'config') } });
}

async function accept(): Promise<void> {
  const store = createTrustStore(join(home.path, 'config/hookscope/trust.json'));
  for (const { held } of await judgeConfigs(folder.path, store)) if (held) acceptTrust(held.request, store);
}

const call = (fields: object = {}): string => home.write('input.json', { ...LS, ...fields });

/** What was decided, and every line that was told. */
async function fired(event = 'PreToolUse', fields: object = {}) {
  const { stdout, stderr, code } = await run('fire', event, '--json', '--input', call(fields));
  const { decision } = (code === 0 ? JSON.parse(stdout) : {}) as { decision?: Record<string, unknown> };
  return { decision, told: stderr.trim().split('\n'), code };
}

test('one that was never accepted is held, and the command goes on without it', async () => {
  folder.write('hookscope.config.mjs', guard());
  const { decision, told } = await fired();
  expect(decision).toMatchObject({ verdict: 'none', failures: [] });
  expect(told).toEqual([
    `hookscope: held: ${folder.path}/hookscope.config.mjs is not accepted; see hookscope trust, or name it: --config hookscope.config.mjs`,
  ]);
});

describe('with --trust all', () => {
  test('one that was never accepted runs for this once, after it was said that it does, and not to be listed', async () => {
    folder.write('hookscope.config.mjs', guard());
    const { stdout, stderr } = await run('fire', 'PreToolUse', '--json', '--input', call(), '--trust', 'all');
    expect(JSON.parse(stdout).decision).toMatchObject({ verdict: 'deny', reason: 'no' });
    expect(stderr).toContain('using hookscope.config.mjs of this directory, which runs as code');
    expect((await run('list', '--trust', 'all')).stderr).not.toContain('RAN');
    // Nothing is kept.
    expect((await fired()).told.join()).toContain('held: ');
  });

  test('one that has changed since runs as it is, with the plugins that it names', async () => {
    const rule = (decision: string) => [{ hooks: [{ type: 'rule', decision, reason: 'r' }] }];
    folder.write('hookscope.config.json', { hooks: { PreToolUse: rule('allow') } });
    await accept();
    const plugin = `export default { name: 'p', apply: (scope) => scope.on('PreToolUse', ${DENIES}) };`;
    folder.write('p.mjs', plugin);
    folder.write('hookscope.config.json', { plugins: ['./p.mjs'], hooks: { PreToolUse: rule('ask') } });
    const all = await run('fire', 'PreToolUse', '--json', '--input', call(), '--trust', 'all');
    expect(JSON.parse(all.stdout).decision).toMatchObject({ verdict: 'deny', reason: 'no' });
    expect((await fired()).decision).toMatchObject({ failures: [{ cause: 'untrusted' }] });
  });

  test('it is said of an accepted one that another one comes before it', async () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'ask', reason: 'r' }] }] };
    folder.write('hookscope.config.json', { hooks });
    await accept();
    folder.write('hookscope.config.mjs', guard());
    const { stdout, stderr } = await run('fire', 'PreToolUse', '--json', '--input', call(), '--trust', 'all');
    expect(JSON.parse(stdout).decision).toMatchObject({ verdict: 'deny', reason: 'no' });
    expect(stderr).toContain(
      'hookscope.config.json of this directory does not run: hookscope.config.mjs comes before it',
    );
    expect(stderr).toContain('using hookscope.config.mjs of this directory');
  });

  test('one that is gone stays a guard that fails', async () => {
    folder.write('hookscope.config.mjs', guard());
    await accept();
    rmSync(join(folder.path, 'hookscope.config.mjs'));
    const { stdout } = await run('fire', 'PreToolUse', '--json', '--input', call(), '--trust', 'all');
    expect(JSON.parse(stdout).decision).toMatchObject({ failures: [{ cause: 'untrusted' }] });
  });
});

test('one that is accepted runs when something is fired, after it was said that it does, and not to be listed', async () => {
  folder.write('hookscope.config.mjs', guard());
  await accept();
  const { decision, told } = await fired();
  expect(decision).toMatchObject({ verdict: 'deny', reason: 'no' });
  expect(told).toEqual([
    'hookscope: using hookscope.config.mjs of this directory, which runs as code (--no-config goes without)',
    'RAN',
  ]);
  const list = await run('list');
  expect(list.stderr).toContain('hookscope.config.mjs of this directory, which runs as code, was not named');
  expect(list.stderr).not.toContain('RAN');
});

describe('one that was accepted and has changed', () => {
  test('or is gone does not run, and what it guarded is asked about', async () => {
    folder.write('hookscope.config.mjs', guard('/* speaks of UserPromptSubmit */'));
    await accept();
    for (const change of [
      () => void folder.write('hookscope.config.mjs', guard("console.error('CHANGED');")),
      () => rmSync(join(folder.path, 'hookscope.config.mjs')),
    ]) {
      change();
      const { decision, told } = await fired();
      expect(decision).toMatchObject({ verdict: 'ask', failures: [{ cause: 'untrusted' }] });
      expect(told).toEqual([
        expect.stringMatching(/^hookscope: untrusted: .*hookscope\.config\.mjs.*; see hookscope trust$/),
      ]);
    }
    expect((await fired('PermissionRequest')).decision).toMatchObject({ verdict: 'deny' });
    expect((await fired('UserPromptSubmit', { prompt: 'x' })).decision).toMatchObject({ blocked: true });
    expect((await fired('PostToolUse', { tool_response: {} })).decision).toMatchObject({ failures: [] });
  });

  test('and is JSON fails with the hooks that it had, where it had them', async () => {
    const script = { type: 'command', command: './guard.sh', onFailure: 'block' };
    folder.write('guard.sh', '#!/bin/sh\nexit 0\n', 0o755);
    folder.write('hookscope.config.json', { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [script] }] } });
    await accept();
    expect((await fired()).decision).toMatchObject({ verdict: 'none', failures: [] });
    folder.write('hookscope.config.json', {});
    expect((await fired()).decision).toMatchObject({ verdict: 'deny', failures: [{ cause: 'untrusted' }] });
    expect((await fired('PreToolUse', { tool_name: 'Read' })).decision).toMatchObject({
      verdict: 'none',
      failures: [],
    });
  });

  const RULE = {
    name: 'guard',
    matcher: 'Bash',
    onFailure: 'block',
    hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }],
  };
  test.each([
    [
      'a group',
      'hookscope.config.json',
      { hooks: { PreToolUse: [RULE] } },
      { hooks: { PreToolUse: [{ ...RULE, enforce: false }] } },
    ],
    [
      'the file',
      'hookscope.config.json',
      { hooks: { PreToolUse: [RULE] } },
      { enforce: 0, hooks: { PreToolUse: [RULE] } },
    ],
    ['code', 'hookscope.config.mjs', guard(), guard().replace("matcher: 'Bash'", "matcher: 'Bash', enforce: false")],
  ])(
    'by `enforce: false` on %s does not loosen its guards until that is accepted, and the question says what it is',
    async (_, name, before, after) => {
      folder.write(name, before);
      await accept();
      if (name.endsWith('json')) expect((await fired()).decision).toMatchObject({ verdict: 'deny', reason: 'no' });
      folder.write(name, after);
      expect((await fired()).decision).toMatchObject({
        verdict: name.endsWith('json') ? 'deny' : 'ask',
        failures: [{ cause: 'untrusted' }],
      });
      const asked = await run('trust');
      expect(asked.code).toBe(1);
      expect(asked.stdout).toContain('\n  it changes what is enforced: a hook with "enforce": false, or a share');
      expect(asked.stdout).toMatch(/^ {4}\+.*"?enforce"?: ?(false|0)/m);
      await accept();
      if (name.endsWith('json')) expect((await fired()).decision).toMatchObject({ verdict: 'none', failures: [] });
      expect((await run('trust')).stdout).toBe('Nothing waits for consent.\n');
    },
  );

  test('is not hidden by a new one that would go before it, nor is one that is as it was', async () => {
    folder.write('hookscope.config.json', {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] },
    });
    await accept();
    folder.write('hookscope.config.ts', guard());
    const { decision, told } = await fired();
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'no' });
    expect(told.map((line) => line.split(' ')[1])).toEqual(['held:', 'using']);
  });
});

test('JSON that was never accepted is listed, with why it does not run', async () => {
  folder.write('hookscope.config.json', {
    plugins: ['./p.mjs'],
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'touch ran' }] }] },
    spawnHooks: { r: { Stop: [{ hooks: [{ type: 'command', command: 'touch ran' }] }] } },
  });
  folder.write('p.mjs', "import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');");
  const { stdout } = await run('list');
  expect(stdout.match(/touch ran {2}\[never runs: trust, .*is not accepted/g)).toHaveLength(2);
  expect((await fired()).decision).toMatchObject({ verdict: 'none' });
  expect(existsSync(join(folder.path, 'ran'))).toBe(false);
});

test('a plugin whose name nobody could see is not loaded, and nothing is fired without it', async () => {
  folder.write('hookscope.config.mjs', "export default { plugins: [['./p', 'mjs'].join('.')] };");
  folder.write('p.mjs', "console.error('RAN'); export default { name: 'p', apply() {} };");
  await accept();
  const { code, told } = await fired();
  expect(code).toBe(1);
  expect(told.at(-1)).toContain('it names the plugin "./p.mjs" in a way that nobody could see');
  folder.write('hookscope.config.mjs', "export default { plugins: ['./p.mjs'] };");
  await accept();
  expect((await fired()).told).toContain('RAN');
});

test('--config and --no-config leave what is found alone', async () => {
  folder.write('hookscope.config.mjs', guard());
  await accept();
  folder.write('hookscope.config.mjs', guard('/* changed */'));
  expect((await run('list', '--no-config')).stderr).toBe(
    'hookscope: nothing is registered; name it with --config, --plugin or --hooks\n',
  );
  folder.write('empty.json', {});
  expect((await run('list', '--no-config', '--hooks', 'empty.json')).stderr).toBe(
    'hookscope: nothing is registered; there are no hooks in empty.json\n',
  );
  const named = await run('list', '--config', 'hookscope.config.mjs');
  expect(named.stderr).toBe('hookscope: using hookscope.config.mjs, which runs as code\nRAN\n');
  expect(named.stdout).toContain('PreToolUse:Bash');
});

test('one that is accepted and that others may write stops the command, and says how to go on', async () => {
  const file = folder.write('hookscope.config.mjs', guard());
  await accept();
  chmodSync(file, 0o666);
  const { code, told } = await fired();
  expect(code).toBe(1);
  expect(told).toEqual([expect.stringMatching(/may be written by other users.*--config.*--no-config/)]);
});

test('a script that is replaced while its first phase runs is not started for the second', async () => {
  const second = "echo RAN >> ran; echo '{}'";
  const first = `cat >/dev/null; echo '${second.replaceAll("'", `'"'"'`)}' > follow.sh; echo '{"async":true}'`;
  folder.write('follow.sh', `#!/bin/sh\n${first}\n`, 0o755);
  const follow = { type: 'command', command: './follow.sh', async: 'two-phase' };
  folder.write('hookscope.config.json', { hooks: { PostToolUse: [{ hooks: [follow] }] } });
  await accept();
  const input = call({ tool_response: 'done', cwd: folder.path });
  const { stdout } = await run('fire', 'PostToolUse', '--json', '--input', input);
  const message = expect.stringContaining('follow.sh is not what was accepted');
  expect(JSON.parse(stdout).handlers).toMatchObject([{ status: 'failed', failure: { cause: 'untrusted', message } }]);
  expect(readFileSync(join(folder.path, 'follow.sh'), 'utf8')).toBe(`${second}\n`);
  expect(existsSync(join(folder.path, 'ran'))).toBe(false);
});

test('hookscope trust asks about it, says what it would bind and what it cannot, and executes nothing', async () => {
  folder.write('hookscope.config.mjs', guard("import './lib.mjs'; await import(process.argv[9]);"));
  folder.write('lib.mjs', "console.error('RAN');");
  const { stdout, stderr, code } = await run('trust');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^config {2}.*hookscope\.config\.mjs\n {2}.* is not accepted/);
  expect(stdout).toMatch(/it names:\n {2}[\da-f]{12} {2}hookscope\.config\.mjs\n {2}[\da-f]{12} {2}lib\.mjs\n/);
  expect(stdout).toContain('no consent binds:\n  import(process.argv[9]) in hookscope.config.mjs');
  expect(stdout).toContain("console.error('RAN');");
  expect(stderr).toBe('hookscope: nothing was accepted: run it at a terminal to be asked\n');
  await accept();
  expect((await run('trust')).stdout).toBe('Nothing waits for consent.\n');
  rmSync(join(folder.path, 'hookscope.config.mjs'));
  expect((await run('trust', '--list')).stdout).toContain('gone');
  expect((await run('trust', '--forget')).stdout).toContain('forgotten');
  expect((await fired()).told).toEqual(['']);
});

test('what is named and runs as code is said first, whatever names it', async () => {
  const code = (id: string): string => `console.error('RAN ${id}'); export default { name: '${id}', apply() {} };`;
  const using = (what: string): string => `hookscope: using ${what}, which runs as code`;
  const event = ['PreToolUse', '--input', call()];
  // Files of their own for each: a module runs once in a process.
  let id = 0;
  const written = (): { named: string; json: string; p: string; q: string } => {
    id += 1;
    const [named, json, p, q] = [`named-${id}.mjs`, `named-${id}.json`, `./p-${id}.mjs`, `./q-${id}.mjs`] as const;
    folder.write(named, guard());
    folder.write(json, { plugins: [p, [q, {}]] });
    folder.write(p, code('p'));
    folder.write(q, code('q'));
    return { named, json, p, q };
  };
  const check = async (args: string[], flags: string[], told: string[]): Promise<void> => {
    const { stderr } = await run(...args, ...flags);
    expect(stderr.split('\n').filter((line) => /using|RAN/.test(line))).toEqual(told);
  };
  for (const args of [['list'], ['fire', '--exit-code', ...event]]) {
    const [a, b, c] = [written(), written(), written()];
    const both = ({ p, q }: typeof a): string[] => [
      ...[p, q].map((name) => using(`the plugin ${name}`)),
      ...['RAN p', 'RAN q'],
    ];
    await check(args, ['--config', a.named], [using(a.named), 'RAN']);
    await check(args, ['--config', b.json], both(b));
    await check(args, ['--no-config', '--plugin', c.p, '--plugin', c.q], both(c));
  }
});

test('a plugin that is not found is not said to be used', async () => {
  folder.write('names-none.json', { plugins: ['./none.mjs'] });
  for (const flags of [
    ['--no-config', '--plugin', 'nothere'],
    ['--config', 'names-none.json'],
  ]) {
    const { stderr, code } = await run('list', ...flags);
    expect([stderr, code]).toEqual([expect.stringContaining('was not found'), 1]);
    expect(stderr).not.toContain('using the plugin');
  }
});

test('what is not as it was accepted is told once, before what was named runs', async () => {
  const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './guard.sh' }] }] } };
  folder.write('guard.sh', '#!/bin/sh\nexit 0\n', 0o755);
  folder.write('.claude/settings.json', settings);
  const store = createTrustStore(join(home.path, 'config/hookscope/trust.json'));
  for (const { request } of await listHeld({ projectDir: folder.path, home: home.path, trust: store }))
    acceptTrust(request, store);
  for (const [i, change] of [
    () => void folder.write('guard.sh', '#!/bin/sh\nexit 1\n', 0o755),
    () => void folder.write('.claude/settings.json', { hooks: { ...settings.hooks, Stop: settings.hooks.PreToolUse } }),
    () => rmSync(join(folder.path, '.claude/settings.json')),
  ].entries()) {
    change();
    // A file of its own: a module runs once in a process.
    folder.write(`named-${i}.mjs`, guard());
    const { stderr } = await run(
      'fire',
      'PreToolUse',
      '--input',
      call(),
      '--config',
      `named-${i}.mjs`,
      '--claude-code',
    );
    const told = stderr.trim().split('\n');
    expect(told.map((line) => /untrusted|RAN/.exec(line)?.[0])).toEqual(['untrusted', undefined, 'RAN']);
  }
});
