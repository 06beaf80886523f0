import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { thinScript } from '../../src/server/client/thin.js';
import { BIN, start } from '../cli/cli.js';
import { bash, createUser, GUARD, guardedUser, hooksFile, send, type User, until } from './kit.js';

let user: User;
beforeAll(() => {
  user = createUser();
  user.write('guard.sh', GUARD, 0o755);
  user.write('hooks.json', hooksFile(join(user.path, 'project/guard.sh')));
  writeFileSync(join(user.path, 'file'), '');
  symlinkSync(join(user.path, 'nowhere/at/all'), join(user.path, 'dangling'));
  symlinkSync('loop', join(user.path, 'loop'));
});
afterAll(() => user.remove());

const asked = (): number => {
  const file = join(user.path, 'project/asked');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};
const alive = (mark: string): boolean => execFileSync('ps', ['-eo', 'args']).toString().includes(mark);

describe('a state or runtime folder that cannot be', () => {
  const BAD = ['/proc/hookscope-test', 'file', 'file/below', 'dangling', 'dangling/below', 'loop', 'loop/below'];
  const at = (path: string): string => (path.startsWith('/') ? path : join(user.path, path));

  test.each(BAD)('%s is one error and a block, without a hang', async (path) => {
    const input = { stdin: JSON.stringify(bash('ls')) };
    const args = ['PreToolUse', '--hooks', 'hooks.json'];
    const before = asked();
    const state = await user.run(['hook', ...args], { ...input, env: { XDG_STATE_HOME: at(path) } });
    expect(state).toMatchObject({ code: 2, stdout: expect.stringMatching(/"deny"/) });
    expect(state.stderr.trim().split('\n')).toEqual([expect.stringContaining(at(path))]);
    expect(state.stderr).toMatch(/cannot be used|no folder/);
    expect(asked()).toBe(before);
    const allowed = [...args, '--on-failure', 'allow'];
    const told = await user.run(['hook', ...allowed], { ...input, env: { XDG_STATE_HOME: at(path) } });
    const stderr = state.stderr.replace(/\.\n$/, '; nothing is blocked (--on-failure allow)\n');
    expect(told).toMatchObject({ code: 1, stdout: '', stderr });
    for (const env of [{ XDG_STATE_HOME: at(path) }, { XDG_RUNTIME_DIR: at(path) }]) {
      const served = await user.run(['serve', '--hooks', 'hooks.json'], { env });
      expect(served).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(at(path)) });
    }
    // Nothing can be there, under /proc: without a server the hooks are asked here.
    const run = await user.run(['hook', ...args], { ...input, env: { XDG_RUNTIME_DIR: at(path) } });
    if (path.startsWith('/proc')) expect([run.code, asked()]).toEqual([0, before + 1]);
    else expect([run.code, run.stderr, asked()]).toEqual([2, expect.stringContaining(at(path)), before]);
  });
});

test('what was served last stays as it was written where a disk has no room for all that is to be', async () => {
  const own = guardedUser();
  onTestFinished(() => own.remove());
  const first = await own.serve(['--hooks', 'hooks.json']);
  await first.stop();
  const before = readFileSync(own.places.served, 'utf8');
  const more = Array.from({ length: 40 }, (_, i) => own.write(`more/${i}.json`, {}));
  const args = ['serve', ...['hooks.json', ...more].flatMap((file) => ['--hooks', file])];
  // In the middle of the file the system takes a part of what is written, and says so only by a number.
  const limited = ['-c', 'trap "" XFSZ; ulimit -f 8; exec "$@"', 'sh', process.execPath, BIN, ...args];
  const { code, stderr } = await start('/bin/sh', limited, { cwd: join(own.path, 'project'), stdin: '', env: own.env });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/served\.json: cannot be used \(EFBIG/)]);
  expect(readFileSync(own.places.served, 'utf8')).toBe(before);
  expect(readdirSync(own.places.state).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

describe('a plugin that is named by its package', () => {
  const plugin = (reason: string): string =>
    `export default { name: 'named', apply(scope) { scope.register({ PreToolUse: [{ hooks: [() => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: '${reason}' } })] }] }); } };`;
  const install = (project: string, reason: string): string => {
    user.write(`${project}/index.js`, plugin(reason));
    const manifest = { name: 'guards', version: '1.0.0', type: 'module', exports: './index.js' };
    return user.write(`${project}/package.json`, manifest);
  };

  test('is the one that the name leads to from where it is named; where it leads elsewhere later, nothing is let through', async () => {
    install('one/node_modules/guards', 'one');
    install('two/node_modules/guards', 'two');
    install('store/old', 'linked');
    install('store/new', 'swapped');
    const root = (name: string): string => join(user.path, 'project', name);
    mkdirSync(join(root('three'), 'node_modules'), { recursive: true });
    const link = join(root('three'), 'node_modules/guards');
    symlinkSync(join(root('store'), 'old'), link);
    const said = async (project: string) =>
      (await user.hook(['PreToolUse', '--plugin', 'guards'], bash('ls'), root(project))).stdout;
    const fires = () => user.records().flatMap((record) => (record.type === 'hook_fire' ? [record] : []));
    const before = fires().length;
    let server = await user.serve(['--plugin', 'guards'], { cwd: root('one') });
    for (const project of ['one', 'two', 'three'])
      expect(await said(project)).toMatch(new RegExp(`"${project === 'three' ? 'linked' : project}"`));
    await until(() => fires().length >= before + 3);
    const alone = fires()
      .slice(before)
      .map((fire) => fire.stateless ?? false);
    expect(alone.sort()).toEqual([false, true, true]);
    await server.stop();
    // Nobody takes the served one away by starting another.
    expect(await user.refused(['--plugin', 'guards'], { cwd: root('three') })).toMatch(/no longer named: --plugin/);
    rmSync(user.places.served);
    server = await user.serve(['--plugin', 'guards'], { cwd: root('three') });
    expect(await said('three')).toMatch(/"linked"/);
    rmSync(link);
    symlinkSync(join(root('store'), 'new'), link);
    expect(await said('three')).toMatch(/"deny".*three\/node_modules\/guards has changed since/);
    await server.stop();
    expect(await said('three')).toMatch(/"deny".*three\/node_modules\/guards has changed since/);
    expect(await user.refused(['--plugin', 'guards'], { cwd: root('three') })).toMatch(/nothing is served/);
    rmSync(user.places.served);
  });
});

describe('CLAUDE_PROJECT_DIR of a call', () => {
  test('is what was registered, else what the agent says, else what is found from its folder', async () => {
    const told = join(user.path, 'told');
    user.write('tells.json', hooksFile(`printf '%s' "$CLAUDE_PROJECT_DIR" > ${told}`));
    for (const name of ['plain/deep', 'found/.claude', 'found/deep/er', 'repo/.git', 'repo/deep', 'own/deep'])
      mkdirSync(join(user.path, 'project', name), { recursive: true });
    const folder = (name: string): string => join(user.path, 'project', name);
    const cases: [cwd: string, says: string | undefined, is: string][] = [
      ['plain/deep', undefined, 'plain/deep'],
      ['found/deep/er', undefined, 'found'],
      ['repo/deep', undefined, 'repo'],
      ['found/deep/er', 'plain', 'plain'],
      ['own/deep', undefined, 'own'],
    ];
    const server = await user.serve(['--hooks', 'tells.json', '--port', '0', '--project', folder('own')]);
    const { fire } = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as { fire: string };
    const host = `127.0.0.1:${server.port}`;
    for (const [cwd, says, is] of cases) {
      const more = says === undefined ? {} : { 'hookscope-env': `CLAUDE_PROJECT_DIR=${folder(says)}` };
      const headers = { host, authorization: `Bearer ${fire}`, ...more };
      const body = JSON.stringify(bash('ls', { cwd: folder(cwd) }));
      await send({ port: server.port as number }, { path: '/hooks/PreToolUse', headers, body });
      expect([cwd, readFileSync(told, 'utf8')]).toEqual([cwd, folder(is)]);
    }
    await server.stop();
    for (const [cwd, says, is] of cases) {
      const env = says === undefined ? {} : { CLAUDE_PROJECT_DIR: folder(says) };
      const stdin = JSON.stringify(bash('ls', { cwd: folder(cwd) }));
      const { code } = await user.run(['hook', 'PreToolUse'], { cwd: folder(cwd), stdin, env });
      expect([code, cwd, readFileSync(told, 'utf8')]).toEqual([0, cwd, folder(is)]);
    }
    rmSync(user.places.served);
  });
});

describe('the thin command without a server', () => {
  /** A hook that takes as long as one that computes, and for nothing. */
  const WAITS = '() => { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }';

  test('that is killed takes its Node, and the hooks that run, with it', async () => {
    user.write('slow.json', hooksFile('sleep 1237'));
    const args = [thinScript(), '--node', process.execPath, 'PreToolUse', '--hooks', 'slow.json'];
    const child = spawn('dash', args, { cwd: join(user.path, 'project'), env: user.env, stdio: 'pipe' });
    child.stdin.end(JSON.stringify(bash('ls')));
    await until(() => alive('sleep 1237'));
    child.kill('SIGKILL');
    await until(() => !alive('sleep 1237') && !alive('hook PreToolUse --hooks slow.json'));
  });

  test('answers for a hook that never gives back control, before the agent gives up', async () => {
    const stuck = user.write(
      'stuck.mjs',
      `export default { name: 'stuck', apply(scope) { scope.register({ PreToolUse: [{ hooks: [${WAITS}] }] }); } };`,
    );
    const args = [thinScript(), '--node', process.execPath, 'PreToolUse', '--plugin', stuck, '--timeout', '3'];
    const child = spawn('dash', args, { cwd: user.path, env: user.env, stdio: 'pipe' });
    child.stdin.end(JSON.stringify(bash('ls')));
    let stdout = '';
    child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, stdout]).toEqual([2, expect.stringMatching(/"deny".*its hooks have not answered in time/)]);
    expect(alive(stuck)).toBe(false);
  });

  test('nor does Node alone let a call through for what never ends', async () => {
    const ways = {
      'spins.mjs':
        'apply(scope) { scope.register({ PreToolUse: [{ hooks: [() => { for (;;) try { for (;;); } catch {} }] }] }); }',
      'waits.mjs': `apply(scope) { scope.register({ PreToolUse: [{ hooks: [${WAITS}] }] }); }`,
      'turns.mjs':
        'apply(scope) { const on = () => Promise.resolve().then(on); scope.register({ PreToolUse: [{ hooks: [on] }] }); }',
      'loads.mjs': 'apply() {}, it: await new Promise((resolve) => setInterval(resolve, 2 ** 30))',
    };
    for (const [name, plugin] of Object.entries(ways)) user.write(name, `export default { name: 'stuck', ${plugin} };`);
    // With nobody at its other end.
    execFileSync('mkfifo', [join(user.path, 'project/pipe.json')]);
    // By every way that leads to code, and what is none.
    user.write('config.mjs', `export default { hooks: { PreToolUse: [{ hooks: [${WAITS}] }] } };`);
    user.write('config.json', '{ "plugins": ["./waits.mjs"] }');
    user.write('sleeps.json', hooksFile('sleep 1238'));
    const named = [
      ...['spins', 'turns', 'loads'].map((name) => ['--plugin', `./${name}.mjs`]),
      ...['config.mjs', 'config.json'].map((name) => ['--config', name]),
      ...['sleeps.json', 'pipe.json'].map((name) => ['--hooks', name]),
    ];
    // Whoever waits for them in vain has to be a process, which ends.
    const hook = (args: readonly string[]) => user.spawnHook(['PreToolUse', '--timeout', '4', ...args], bash('ls'));
    const [allowed, ...blocked] = await Promise.all([
      hook(['--on-failure', 'allow', '--hooks', 'pipe.json']),
      ...named.map((args) => hook(args)),
    ]);
    const said = expect.stringMatching(/have not answered in time/) as string;
    expect(allowed).toMatchObject({ code: 1, stdout: '', stderr: said });
    for (const [i, one] of blocked.entries())
      expect(one, named[i]?.join(' ')).toMatchObject({ code: 2, stdout: expect.stringMatching(/"deny".*in time/) });
    expect(alive('sleep 1238')).toBe(false);
  });
});

test.each([
  [
    'a hooks file',
    ['--hooks', 'gone.json'],
    /gone\.json: there is no such file; the input of the event is not a JSON object/,
  ],
  [
    'a configuration',
    ['--config', 'gone.json'],
    /gone\.json: there is no such file; the input of the event is not a JSON object/,
  ],
  [
    'a plugin',
    ['--plugin', './gone.mjs'],
    /gone\.mjs.* There is no such file; the input of the event is not a JSON object/,
  ],
  [
    'several',
    ['--hooks', 'gone.json', '--config', 'lost.json'],
    /gone\.json: there is no such file; .*lost\.json: there is no such file; the input of the event is no/,
  ],
])('%s that is gone is named before the input that is none', async (_, named, why) => {
  for (const stdin of ['', '[]', '{bad']) {
    const { code, stderr } = await user.run(['hook', 'PreToolUse', ...named], { stdin });
    expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
  }
  const { code, stderr } = await user.run(['fire', 'PreToolUse', ...named, '--input', '{bad']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/there is no such file; .*--input: is not JSON/i)]);
});
