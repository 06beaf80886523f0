import { chmodSync, mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DoctorFinding } from '../../src/cli/doctor/finding.js';
import { bash, GUARD, guardedUser, hooksFile, type Running, type User } from './kit.js';

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
          `Since the server was started, a file that it serves is not what it was: ${guard} (changed). Hooks that need it fail as untrusted.`,
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
    const [[text] = []] = (await ofServer()).found;
    expect(text).toContain('files that it serves are not what they were: ');
    for (const file of [guard, more]) expect(text).toContain(file);
  });

  test('also a package that takes long to look at, as soon as it has changed', async () => {
    for (let i = 0; i < 1_000; i++) user.write(`node_modules/words/${i}.js`, '');
    user.write('node_modules/words/package.json', { name: 'words', main: '0.js' });
    user.write('plugin.mjs', `import 'words'; export default { name: 'guards', apply: () => undefined };`);
    await user.serve(['--hooks', 'hooks.json', '--plugin', './plugin.mjs']);
    for (let i = 0; i < 2; i++) await ask();
    expect((await ofServer()).found).toEqual([]);
    user.write('node_modules/words/7.js', '1');
    expect((await ofServer()).found[0]?.[0]).toContain('/words/**');
    expect((await user.run(['serve', '--accept'])).stderr).toMatch(/^hookscope: changed: .*\/words\/\*\*$/m);
    user.write('node_modules/words/7.js', '');
    expect((await user.run(['serve', '--accept'])).stdout).toContain('Nothing has changed');
  });

  test('goes on without its tokens, and commands that read take the records from its files', async () => {
    const server = await user.serve(['--hooks', 'hooks.json']);
    await ask();
    await server.stop();
    await user.serve(['--hooks', 'hooks.json']);
    rmSync(user.places.tokens);
    user.write('.claude/settings.json', '{');
    const { stdout, code } = await user.run(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem {2}The server that runs does not take the token to read: .*tokens\.json is gone/m);
    expect(stdout).toMatch(/^ {2}Start it again: hookscope serve --(?:hooks|config|plugin|project) .*\.$/m);
    expect(stdout).toMatch(/^problem {2}.*settings\.json:1/m);
    expect(stdout).toContain('1 fire in ');
    for (const args of [['history'], ['why', 'last'], ['stats']]) {
      const { stdout, stderr, code } = await user.run(args);
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/does not take the token of tokens\.json.*; its records are read from \S*records\.db\n$/),
      ]);
      expect(stdout).toContain(args[0] === 'stats' ? 'denials' : 'PreToolUse');
    }
    const named = await user.run(['history', '--store', user.places.socket]);
    expect([named.code, named.stderr]).toEqual([1, expect.stringMatching(/start it again .*--store\.\n$/)]);
  });

  test.each<[string, (user: User) => void]>([
    ['the folder of its socket is open', ({ places }) => chmodSync(places.run, 0o755)],
    [
      'the folder of its socket is a file',
      ({ places: { run } }) => {
        rmdirSync(run);
        writeFileSync(run, '');
      },
    ],
    ['the state folder is open', ({ places }) => chmodSync(places.state, 0o777)],
    [
      'the state folder is a link',
      ({ places: { state } }) => {
        renameSync(state, `${state}2`);
        symlinkSync(`${state}2`, state);
      },
    ],
  ])('sees what makes a call be denied: %s', async (_, change) => {
    const hook = () => user.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
    expect(await hook()).toMatchObject({ code: 0 });
    mkdirSync(user.places.run, { recursive: true, mode: 0o700 });
    expect(await ofServer()).toEqual({ found: [], code: 0 });
    change(user);
    const { code, stderr } = await hook();
    expect(code).toBe(2);
    const reason = stderr.split('\n')[0]?.replace('hookscope: ', '');
    const { found, code: exit } = await ofServer();
    expect([found.map(([text]) => text), exit]).toEqual([
      [`Hookscope stops whatever can be stopped, without asking a hook: ${reason}`],
      1,
    ]);
  });

  test('and those of the last one, which are refused without it too', async () => {
    const server = await user.serve(['--hooks', 'hooks.json']);
    await server.stop();
    expect(await ofServer()).toEqual({ found: [], code: 0 });
    const hooks = user.write('hooks.json', {});
    expect(await ofServer()).toEqual({
      found: [
        [
          `Since the last server was started, a file that it served is not what it was: ${hooks} (changed). Hooks that need it fail as untrusted.`,
          `Look at what changed, and accept it in a terminal: hookscope serve --hooks ${hooks}.`,
        ],
      ],
      code: 1,
    });
  });

  test('says that it was not asked, where it does not serve the files that were named', async () => {
    await user.serve([]);
    // A fire that began within a second of the start may have begun before.
    await sleep(1_100);
    await ask('--hooks', 'hooks.json');
    const [record] = user.records().filter(({ type }) => type === 'hook_fire');
    expect(await ofServer()).toEqual({
      found: [
        [
          `The server was not asked about the fire at ${record?.time}, although it runs: hookscope hook was given files that it does not serve, or only some of those that it serves, or --no-server. Each such fire starts a process.`,
          'Name the same files for the server and for the agent: the same --hooks, --config and --plugin.',
        ],
      ],
      code: 0,
    });
    expect((await ofServer('--store', join(user.places.state, 'records.db'))).found).toEqual([]);
  });

  test('says nothing of a fire that began before it, and ended when it was there', async () => {
    user.write('hooks.json', hooksFile('until [ -e begun.txt ]; do sleep 0.1; done; sleep 1'));
    const asking = ask('--hooks', 'hooks.json');
    await sleep(1_500);
    await user.serve([]);
    user.write('begun.txt', '');
    await asking;
    expect(await ofServer()).toEqual({ found: [], code: 0 });
  });
});

test.each([[[]], [['--port', '0']]])(
  'the advice to serve again names the agents’ port once, served with %j',
  async (port) => {
    await user.run(['connect', 'claude-code', '--write', '--http', '--port', '7007']);
    await (await user.serve(['--hooks', 'hooks.json', ...port])).stop();
    const [[, fix = ''] = []] = (await ofServer()).found;
    expect(fix.match(/--port \d+/g)).toEqual(['--port 7007']);
  },
);

describe('doctor, of a server that is gone after it has answered', () => {
  const missed = async () => {
    const { stdout } = await user.run(['doctor', '--json']);
    const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as DoctorFinding]));
    return found.filter(({ text }) => text.includes('stateless'));
  };
  const ways: [string, (server: Running) => unknown][] = [
    ['its socket is removed', () => rmSync(user.places.socket)],
    ['it was stopped', (server) => server.stop()],
  ];

  test.each(ways)('tells how many fires were made without it, and how to serve again: %s', async (_, end) => {
    // What was asked for before says nothing of the server.
    await ask('--hooks', 'hooks.json');
    const server = await user.serve(['--hooks', 'hooks.json']);
    await ask();
    await user.run(['history']);
    await end(server);
    expect(await missed()).toEqual([]);
    for (let i = 1; i <= 2; i++) {
      await ask();
      expect(await missed()).toEqual([
        {
          level: 'remark',
          about: 'server',
          text: `${i === 1 ? '1 fire' : '2 fires'} since the server last answered ${i === 1 ? 'was' : 'were'} made without it (stateless): hooks that remember something between calls start afresh each time.`,
          fix: `hookscope serve --hooks ${join(user.path, 'project/hooks.json')} starts it again.`,
        },
      ]);
    }
    // Whoever is connected, it may have been stopped on purpose.
    await user.run(['connect', 'codex', '--write', '--hooks', 'hooks.json']);
    expect((await missed()).map(({ level }) => level)).toEqual(['remark']);
    await server.stop();
    await user.serve(['--hooks', 'hooks.json']);
    expect(await missed()).toEqual([]);
  });

  test('counts no fire before its last answer, also of those that it was not asked about while it ran', async () => {
    user.write('own.json', hooksFile('/bin/true'));
    const server = await user.serve(['--hooks', 'hooks.json']);
    await ask();
    for (let i = 0; i < 3; i++) await ask('--hooks', 'own.json');
    await ask();
    await server.stop();
    expect(await missed()).toEqual([]);
    await ask('--hooks', 'own.json');
    expect((await missed()).map(({ text }) => text)).toEqual([expect.stringMatching(/^1 fire since/)]);
  });

  test('says nothing to whom no server has answered, though one has served once, nor of one without hooks', async () => {
    await user.run(['connect', 'codex', '--write', '--hooks', 'hooks.json']);
    await ask('--hooks', 'hooks.json');
    expect(await missed()).toEqual([]);
    await (await user.serve(['--hooks', 'hooks.json'])).stop();
    await ask('--hooks', 'hooks.json');
    expect(await missed()).toEqual([]);
    rmSync(user.places.served);
    const server = await user.serve([]);
    await ask();
    await server.stop();
    await ask('--hooks', 'hooks.json');
    expect(await missed()).toEqual([]);
  });
});

describe('doctor, of the address that an agent asks', () => {
  /** A port that is free, or at which something else than a server listens. */
  async function portOf(isTaken: boolean): Promise<number> {
    const stranger = createServer((socket) => void socket.on('data', (piece) => heard.push(String(piece))));
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const { port } = stranger.address() as AddressInfo;
    if (isTaken) strangers.push(stranger);
    else await new Promise((resolve) => stranger.close(resolve));
    return port;
  }
  const heard: string[] = [];
  const strangers: Server[] = [];
  afterEach(() => {
    for (const one of strangers.splice(0)) one.close();
    expect(heard.splice(0)).toEqual([]);
  });

  const NOBODY = /claude-code asks http:\S+ about its calls, but no server runs: Claude Code/;
  const STRANGER = /claude-code asks http:\S+ about its calls, and what listens there is not known to be your server: /;
  const ELSEWHERE = /claude-code asks http:\S+ about its calls, but the server that runs does not listen there: Claude/;
  type ServerPort = 'none' | 'no port' | 'any port' | 'that port' | 'another port' | 'that port, without its socket';
  test.each<[isTaken: boolean, server: ServerPort, expected: RegExp | undefined]>([
    [false, 'none', NOBODY],
    [true, 'none', STRANGER],
    [false, 'no port', ELSEWHERE],
    [true, 'no port', STRANGER],
    [false, 'another port', ELSEWHERE],
    [true, 'another port', STRANGER],
    [false, 'any port', ELSEWHERE],
    // It may be that one.
    [true, 'any port', undefined],
    [false, 'that port', undefined],
    [false, 'that port, without its socket', STRANGER],
  ])('at which something else listens (%j), and the server at %s', async (isTaken, at, expected) => {
    const port = await portOf(isTaken);
    expect((await user.run(['connect', 'claude-code', '--write', '--http', '--port', String(port)])).code).toBe(0);
    const own = { 'no port': [], 'any port': ['0'], 'another port': [String(await portOf(false))] }[at as string];
    if (at !== 'none')
      await user.serve(['--hooks', 'hooks.json', ...(own ?? [String(port)]).flatMap((one) => ['--port', one])]);
    if (at === 'that port, without its socket') rmSync(user.places.socket);
    const { found } = await ofServer();
    expect(found.map(([text]) => text)).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
    const [, fix = ''] = found[0] ?? [];
    if (expected === STRANGER)
      expect(fix).toMatch(/^End that program, .*connect claude-code --write --http --port PORT/);
    // A start there would fail as long as something else listens.
    else if (expected !== undefined) expect(fix).toContain(`--port ${port}`);
  });

  test('each project that asks at an address has the advice for its own folder', async () => {
    const [one, other] = [await portOf(false), await portOf(false)];
    const folders = ['first one', 'second'].map((name) => join(user.path, 'project', name));
    for (const cwd of folders) {
      mkdirSync(join(cwd, '.git'), { recursive: true });
      await user.run(['connect', 'claude-code', '--write', '--http', '--project', '--port', String(one)], { cwd });
    }
    await user.serve(['--hooks', 'hooks.json', '--port', String(other)]);
    const { found } = await ofServer();
    for (const cwd of folders) {
      const said = /\s/.test(cwd) ? `'${cwd}'` : cwd;
      const fixes = found
        .map(([, fix]) => fix)
        .filter((fix) => fix.startsWith(`Connect it again in ${said} with the port`));
      expect(fixes).toHaveLength(1);
      const [, command = ''] = / with the port of the server: hookscope (.*?)\. Or /.exec(fixes[0] as string) ?? [];
      await user.run(command.split(' '), { cwd });
    }
    expect((await ofServer()).found).toEqual([]);
  });

  test('each address has the advice for its own port, and beside a server at a third one the way to either', async () => {
    const [one, other, third] = [await portOf(false), await portOf(false), await portOf(false)];
    const connect = ['connect', 'claude-code', '--write', '--http', '--port'];
    await user.run([...connect, String(one)]);
    await user.run([...connect, String(other), '--project']);
    const advice = async () => {
      const { found } = await ofServer();
      return found.map(([text, fix]) => [/127.0.0.1:(\d+)/.exec(text)?.[1], fix.match(/--port \d+/g), fix]);
    };
    const apart = [one, other].map((port) => [
      String(port),
      [`--port ${port}`],
      expect.stringMatching(/^Start the server: /),
    ]);
    expect(await advice()).toEqual(expect.arrayContaining(apart));
    const server = await user.serve(['--hooks', 'hooks.json', '--port', String(third)]);
    const both = [one, other].map((port) => [
      String(port),
      [`--port ${third}`, `--port ${port}`],
      expect.stringMatching(
        /^Connect it again with the port of the server: .* Or stop the server, and then start the server: /,
      ),
    ]);
    expect(await advice()).toEqual(expect.arrayContaining(both));
    // What the advice says mends it.
    await user.run([...connect, String(third)]);
    await user.run([...connect, String(third), '--project']);
    expect(await advice()).toEqual([]);
    await server.stop();
    await user.serve(['--hooks', 'hooks.json']);
    for (const [, , fix] of await advice()) expect(fix).toMatch(/^Stop the server, and then start the server: /);
  });

  test.each([
    ['no port', []],
    ['another port', ['--port', '7008']],
    ['a longer port', ['--port', '17007']],
    ['that port', ['--port', '7007']],
  ])('an installed server with %s is started as it is only where that helps', async (what, options) => {
    await user.run(['connect', 'claude-code', '--write', '--http', '--port', '7007']);
    expect((await user.run(['serve', '--install', '--hooks', 'hooks.json', ...options])).code).toBe(0);
    const [, fix = ''] = (await ofServer()).found.find(([text]) => text.includes('asks http')) ?? [];
    if (what === 'that port') expect(fix).toBe('Start the server: systemctl --user start hookscope.');
    else expect(fix).toMatch(/^Install the server with that port: move .*hookscope\.service away, .* --port 7007\.$/);
  });
});

describe('doctor, of files that connected commands name', () => {
  const unbound = async () => (await ofServer()).found.filter(([text]) => text.includes('nothing binds'));

  test('says that nothing binds them until a server has served them, and the advice, followed, binds them', async () => {
    user.write('own.mjs', `export const word = 'nothing';`);
    user.write('plugin.mjs', `import './own.mjs'; export default { name: 'guards', apply: () => undefined };`);
    user.write('hookscope.config.json', {});
    user.write('more.json', hooksFile('/bin/true', 'PostToolUse'));
    expect((await user.run(['connect', 'codex', '--write', '--hooks', 'hooks.json'])).code).toBe(0);
    const named = ['--hooks', 'more.json', '--config', 'hookscope.config.json', '--plugin', './plugin.mjs'];
    expect((await user.run(['connect', 'gemini', '--project', '--write', ...named])).code).toBe(0);
    const [[text = '', fix = ''] = []] = await unbound();
    const files = ['hooks.json', 'more.json', 'hookscope.config.json', 'plugin.mjs', 'own.mjs'];
    for (const file of files) expect(text).toContain(join(user.path, 'project', file));
    const [, words = ''] = /: hookscope serve (.*?)\. From then on/.exec(fix) ?? [];
    const server = await user.serve(words.split(' '));
    expect(await unbound()).toEqual([]);
    await server.stop();
    expect(await unbound()).toEqual([]);
    // So that a change fails, without a server too.
    user.write('hooks.json', {});
    const { stdout, code } = await ask('--hooks', 'hooks.json');
    expect([code, stdout]).toEqual([2, expect.stringContaining('has changed since the server was started with it')]);
  });

  test('until then a change counts at once, as the documents say', async () => {
    expect((await user.run(['connect', 'codex', '--write', '--hooks', 'hooks.json'])).code).toBe(0);
    user.write('hooks.json', {});
    expect((await ask('--hooks', 'hooks.json')).code).toBe(0);
    expect(await unbound()).toHaveLength(1);
    // A server without consent to changes binds nothing.
    const server = await user.serve(['--hooks', 'hooks.json', '--dev']);
    expect(await unbound()).toHaveLength(1);
    await server.stop();
  });

  test.each([
    ['no longer names them', ['--hooks', 'more.json'], 'The server that was started last did not serve '],
    ['binds nothing', ['--hooks', 'hooks.json', '--dev'], 'The server that was started last has --dev, so '],
  ])('does not say that none has served them where the last one %s', async (_, args, words) => {
    user.write('more.json', hooksFile('/bin/true', 'PostToolUse'));
    expect((await user.run(['connect', 'codex', '--write', '--hooks', 'hooks.json'])).code).toBe(0);
    await (await user.serve(['--hooks', 'hooks.json'])).stop();
    expect(await unbound()).toEqual([]);
    // As if a user had agreed in a terminal that less is bound.
    rmSync(user.places.served);
    await (await user.serve(args)).stop();
    const [[text = ''] = []] = await unbound();
    expect(text).toContain(words);
    expect(text).toContain(join(user.path, 'project/hooks.json'));
    expect(text).not.toContain('No server');
  });

  test('says nothing of files that are gone, nor of commands that have been taken out', async () => {
    const file = user.write('more.json', {});
    await user.run(['connect', 'codex', '--write', '--hooks', 'more.json']);
    expect(await unbound()).toHaveLength(1);
    rmSync(file);
    expect(await unbound()).toEqual([]);
    user.write('more.json', {});
    await user.run(['connect', 'codex', '--undo']);
    expect(await unbound()).toEqual([]);
  });
});
