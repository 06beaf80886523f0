import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/events/catalogue.js';
import { ENVIRONMENT, failureAnswer, REASONS } from '../../src/server/agent-protocol.js';
import { thinCommand, thinScript } from '../../src/server/client/thin.js';
import { BIN, type Finished, start } from '../cli/cli.js';
import { askedOf, bash, guardedUser, hooksFile, type User, until } from './kit.js';
import { nodeHere } from './node-here.js';

let here: ReturnType<typeof nodeHere>;
beforeAll(() => {
  here = nodeHere(mkdtempSync(join(tmpdir(), 'hookscope-node-')));
});
afterAll(() => here.stop());

let user: User;
const guarded = (): void => {
  user = guardedUser();
};
const asked = (): number => askedOf(user);

interface ThinOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly shell?: string;
  /** In place of the real one. */
  readonly node?: string;
}

function thin(
  args: readonly string[],
  input: unknown,
  { cwd, env, shell = 'dash', node = process.execPath }: ThinOptions = {},
): Promise<Finished> {
  return start(shell, [thinScript(), '--node', node, ...args], {
    cwd: cwd ?? join(user.path, 'project'),
    stdin: typeof input === 'string' ? input : JSON.stringify(input),
    env: { ...user.env, ...env },
  });
}

/** The thin command and the whole one come to the same. */
async function same(
  args: readonly string[],
  input: unknown,
  cwd?: string,
  node: string = process.execPath,
): Promise<Finished> {
  const one = await thin(args, input, { node, ...(cwd !== undefined && { cwd }) });
  const other = await user.hook(args, input, cwd);
  expect({ stdout: one.stdout, code: one.code }).toEqual({ stdout: other.stdout, code: other.code });
  return one;
}

/** A server that is none, on the socket of a user who had one. */
async function stranger(serve: (socket: Socket) => unknown, work: () => Promise<void>): Promise<void> {
  rmSync(user.places.socket, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(user.places.socket, resolve));
  try {
    await work();
  } finally {
    server.close();
  }
}

/** What a server leaves that was killed. */
const LEAVE_A_SOCKET = `
require('node:fs').rmSync(process.argv[1], { force: true });
require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'));`;

const left = (): string[] => readdirSync(user.places.run).filter((name) => name.startsWith('hook.'));

/** What the thin command has started, and itself. */
const running = (): string[] =>
  execFileSync('ps', ['-eo', 'args'])
    .toString()
    .split('\n')
    .filter((line) => /hookscope-hook\.sh|^curl /.test(line) && line.includes(user.path));
/** curl has begun, and waits for standard input. */
const isAsking = (): boolean => running().some((line) => line.startsWith('curl '));

/** Shells whose pipe can be opened once more, and one where what curl writes goes through a file. */
const FILE = { BASH_COMPAT: '50' };
const SHELLS: readonly (readonly [shell: string, env: NodeJS.ProcessEnv])[] = [
  ['dash', {}],
  ['bash', {}],
  ['bash', FILE],
];

describe('the thin command', () => {
  let isShared = false;
  beforeEach(() => {
    if (!isShared) guarded();
  });
  afterEach(async () => {
    if (!isShared) await user.remove();
  });

  test('says and exits as the whole one, without a server', async () => {
    await same(['PreToolUse', '--hooks', 'hooks.json'], bash('rm x'));
    const also = (args: readonly string[], input: unknown) => same(args, input, undefined, here.path);
    for (const input of [bash('ls'), bash('rm x'), '{bad']) await also(['PreToolUse', '--hooks', 'hooks.json'], input);
    for (const input of ['', '[]']) await also(['Notification', '--hooks', 'hooks.json'], input);
    await also(['PreToolUse'], bash('ls'));
    await also(['PreToolUse', '--hooks', 'gone.json'], bash('ls'));
    await also(['PreToolUse', '--hooks', 'gone.json', '--on-failure', 'allow'], bash('ls'));
    await also(['PreToolUze', '--hooks', 'hooks.json'], bash('ls'));
    await also(['pre-tool-use', '--hooks', 'hooks.json'], bash('rm x'));
    await also(['PreToolUse', '--hoks', 'hooks.json'], bash('ls'));
  });

  test('says and exits as the whole one, with a server', async () => {
    await user.serve(['--hooks', 'hooks.json']);
    for (const input of [bash('ls'), bash('rm x'), '{bad', '', '[]', bash('\u202e\u0007 rm')]) {
      const { stdout, code } = await same(['PreToolUse', '--hooks', 'hooks.json'], input);
      for (const [shell, env] of SHELLS.slice(1))
        expect(await thin(['PreToolUse'], input, { shell, env })).toMatchObject({ stdout, code });
    }
    for (const input of [bash('rm x'), '{bad'])
      await same(['PreToolUse', '--as', 'claude-code', '--on-failure', 'allow', '--timeout', '30'], input);
    for (const event of ['PermissionRequest', 'Notification']) {
      await same([event], bash('ls'));
      await same([event], '{bad');
    }
    expect(asked()).toBeGreaterThan(0);
    user.write('other.json', hooksFile('echo other >&2; exit 2'));
    const before = asked();
    expect((await same(['PreToolUse', '--hooks', 'other.json'], bash('ls'))).stdout).toMatch(/other/);
    expect(asked()).toBe(before);
    expect(left()).toEqual([]);
  });

  test('paths with spaces, quotes, dollars, another script: nothing of them is taken for shell', async () => {
    const folder = `a 'b' "c" $(touch pwned) \`id\` ü;&|<>*?\\ d`;
    const cwd = join(user.path, 'project', folder);
    user.write(`${folder}/hooks.json`, hooksFile(join(user.path, 'project/guard.sh')));
    await user.serve(['--hooks', join(cwd, 'hooks.json')]);
    const answer = await same(['PreToolUse', '--hooks', 'hooks.json'], bash('rm x'), cwd);
    expect(answer.stdout).toMatch(/nothing is removed/);
    const command = thinCommand('PreToolUse', {
      set: { hooks: ['hooks.json'] },
      cwd,
      timeout: 30,
      onFailure: 'block',
      env: user.env,
    });
    const run = execFileSync('/bin/sh', ['-c', command], {
      cwd: '/',
      env: user.env,
      input: JSON.stringify(bash('rm x')),
    });
    expect(run.toString()).toBe(answer.stdout);
    await until(() => user.records().filter(({ type }) => type === 'hook_fire').length > 2);
    const fires = user.records().filter((record) => record.type === 'hook_fire');
    expect(fires.map((record) => record.type === 'hook_fire' && record.stateless)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(existsSync(join(cwd, 'pwned')) || existsSync('/pwned')).toBe(false);
    // A line end fits into no head: Node asks the hooks itself.
    const lines = join(user.path, 'project', 'x\ny');
    mkdirSync(lines);
    expect((await same(['PreToolUse'], bash('rm x'), lines)).stdout).toMatch(/nothing is removed/);
  });

  test('a Node that does not start lets nothing through, and standard input that is closed neither', async () => {
    const env = { NODE_OPTIONS: '--require ./is-not-there.js' };
    const denied = await thin(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'), { env });
    expect(denied.code).toBe(2);
    expect(denied.stdout).toMatch(/"deny".*ended with 1"/);
    const allowed = ['PreToolUse', '--hooks', 'hooks.json', '--on-failure', 'allow'];
    expect(await thin(allowed, bash('ls'), { env })).toMatchObject({ code: 1, stdout: '' });
    const closed = ['-c', `exec dash ${thinScript()} "$@" <&-`, 'sh', '--node', process.execPath];
    const end = { cwd: join(user.path, 'project'), env: user.env, stdin: '' };
    const unread = await start('dash', [...closed, 'PermissionRequest', '--hooks', 'hooks.json'], end);
    expect(unread).toMatchObject({ code: 2, stdout: expect.stringMatching(/"deny"/) as string });
  });

  /** A folder with the programs that the command may use, without one of them. */
  const without = (missing: string): string => {
    const bin = join(user.path, `no-${missing}`);
    mkdirSync(bin);
    for (const name of ['dash', 'bash', ...TOOLS.filter((tool) => tool !== missing)])
      symlinkSync(execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(bin, name));
    return bin;
  };
  const TOOLS = ['sleep', 'curl', 'head', 'cat', 'ls', 'rm', 'mktemp'];

  test('whatever program is missing, the reason of the guard is given, or that program is named', async () => {
    const rule = (reason: string, of: string) => ({ type: 'rule', decision: 'deny', reason, if: `Bash(${of} *)` });
    const long = 'é'.repeat(9_000);
    user.write('rules.json', { PreToolUse: [{ matcher: 'Bash', hooks: [rule('no rm', 'rm'), rule(long, 'long')] }] });
    await user.serve(['--hooks', 'rules.json']);
    for (const tool of TOOLS) {
      const bin = without(tool);
      for (const shell of ['dash', 'bash'])
        for (const place of [{}, { XDG_RUNTIME_DIR: join(user.path, 'nowhere') }]) {
          const ask = (command: string) =>
            thin(['PreToolUse', '--hooks', 'rules.json'], bash(command), {
              env: { PATH: bin, ...place },
              shell: join(bin, shell),
            });
          const missing = `the program ${tool} is not found on the PATH`;
          const said = async (command: string) => {
            const { stdout, stderr } = await ask(command);
            return [stdout.match(/Reason":"(.*?)"/)?.[1], stderr.trimEnd()];
          };
          const none = [`hookscope: ${missing}`, `hookscope: ${missing}`];
          const isServed = place.XDG_RUNTIME_DIR === undefined;
          expect([tool, shell, await said('rm x')]).toEqual([tool, shell, tool === 'sleep' ? none : ['no rm', '']]);
          const isLost = tool === 'sleep' || (tool === 'head' && isServed);
          expect([tool, shell, await said('long x')]).toEqual([tool, shell, isLost ? none : [long, '']]);
        }
    }
  });

  test('without the program cat, nobody says that standard input was open', async () => {
    await user.serve(['--hooks', 'hooks.json']);
    const bin = without('cat');
    rmSync(join(bin, 'curl'));
    writeFileSync(join(bin, 'curl'), '#!/bin/sh\nexec sleep 20 >/dev/null\n', { mode: 0o755 });
    for (const shell of ['dash', 'bash']) {
      const env = { PATH: bin };
      const answer = await thin(['PreToolUse', '--timeout', '1'], bash('ls'), { env, shell: join(bin, shell) });
      const { stdout, stderr, code } = failureAnswer(CATALOGUE.PreToolUse, REASONS.late, 'block');
      expect(answer).toEqual({ code, stdout, stderr });
    }
  });

  describe('beside one server', () => {
    beforeAll(async () => {
      isShared = true;
      guarded();
      user.write('slow.sh', '#!/bin/sh\necho asked >> asked\nexec sleep 60\n', 0o755);
      user.write('slow.json', hooksFile(join(user.path, 'project/slow.sh'), 'PermissionRequest'));
      await user.serve(['--hooks', 'hooks.json', '--hooks', 'slow.json']);
    });
    beforeEach(() => {
      rmSync(join(user.path, 'project/asked'), { force: true });
      rmSync(join(user.path, 'bin'), { recursive: true, force: true });
    });
    afterAll(async () => {
      isShared = false;
      await user.remove();
    });

    test('where there is no curl, Node asks the server', async () => {
      const bin = join(user.path, 'bin');
      mkdirSync(bin);
      for (const name of ['dash', 'sh', 'cat', 'ls', 'rm', 'mktemp', 'date', 'sleep', 'dirname'])
        symlinkSync(
          execFileSync('/bin/sh', ['-c', `command -v ${name}`])
            .toString()
            .trim(),
          join(bin, name),
        );
      const answer = await thin(['PreToolUse'], bash('rm curl'), { env: { PATH: bin }, shell: join(bin, 'dash') });
      expect(answer).toMatchObject({ code: 0, stdout: expect.stringMatching(/nothing is removed/) });
      const fired = () =>
        user.records().find((record) => record.type === 'hook_fire' && record.tool_use_id === 't-rm curl');
      await until(() => fired() !== undefined);
      const fire = fired();
      expect(fire).not.toHaveProperty('stateless');
      const none = await start(join(bin, 'dash'), [thinScript(), '--node', '/nowhere/node', 'PreToolUse'], {
        cwd: user.path,
        stdin: '{}',
        env: { ...user.env, PATH: bin },
      });
      expect(none).toMatchObject({ code: 2, stdout: expect.stringMatching(/"deny"/) });
    });

    test.each(['claude-code', 'copilot'])(
      'a curl that leaves out the headers of a descriptor, as before 7.55, asks no other hooks than those of the command, as %s',
      async (as) => {
        const bin = join(user.path, 'bin');
        mkdirSync(bin);
        const real = execFileSync('/bin/sh', ['-c', 'command -v curl']).toString().trim();
        const lines = ['#!/bin/bash', 'args=()', 'while [ $# -gt 0 ]; do', '  case $1:$2 in'];
        lines.push(
          '    -H:@*) shift ;;',
          '    *) args+=("$1") ;;',
          '  esac',
          '  shift',
          'done',
          `exec ${real} "\${args[@]}"`,
        );
        writeFileSync(join(bin, 'curl'), `${lines.join('\n')}\n`, { mode: 0o755 });
        user.write(
          'strict.json',
          JSON.stringify({ PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'strict says no' }] }] }),
        );
        const env = { PATH: `${bin}:${process.env['PATH']}` };
        const input =
          as === 'copilot'
            ? { sessionId: 's', timestamp: 1, cwd: user.path, toolName: 'bash', toolArgs: '{}' }
            : bash('ls');
        const event = as === 'copilot' ? 'preToolUse' : 'PreToolUse';
        const answer = await thin([event, '--as', as, '--hooks', 'strict.json'], input, { env });
        expect(answer.stdout).toContain('strict says no');
      },
    );

    test.each([2, 4, 126, 127])('Node asks if curl ends with %d and has sent nothing', async (code) => {
      const bin = join(user.path, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'curl'), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
      const env = { PATH: `${bin}:${process.env['PATH']}` };
      const answer = await thin(['PreToolUse'], bash('rm it'), { env });
      expect(answer).toMatchObject({ code: 0, stdout: expect.stringMatching(/nothing is removed/) });
    });

    test.each(['dash', 'bash'])(
      'a curl that does not give up in time is ended, of which %s says nothing',
      async (shell) => {
        const bin = join(user.path, 'bin');
        mkdirSync(bin);
        writeFileSync(join(bin, 'curl'), '#!/bin/sh\ncat >/dev/null\nexec sleep 20 >/dev/null\n', { mode: 0o755 });
        const env = { PATH: `${bin}:${process.env['PATH']}` };
        const answer = await thin(['PreToolUse', '--timeout', '2'], bash('ls'), { shell, env });
        const { stdout, stderr, code } = failureAnswer(CATALOGUE.PreToolUse, REASONS.late, 'block');
        expect(answer).toEqual({ code, stdout, stderr });
      },
    );

    test('standard input that is never closed blocks before the agent gives up, and nothing is left', async () => {
      const { spawn } = await import('node:child_process');
      const child = spawn('dash', [thinScript(), 'PreToolUse', '--timeout', '2'], { cwd: user.path, env: user.env });
      child.stdin.write('{"tool_name":');
      let stdout = '';
      child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
      const code = await new Promise((resolve) => child.once('close', resolve));
      child.stdin.destroy();
      expect({ code, stdout }).toEqual({
        code: 2,
        stdout: failureAnswer(CATALOGUE.PreToolUse, REASONS.open, 'block').stdout,
      });
      expect(left()).toEqual([]);
    });

    test('leaves nobody and nothing behind, answered or killed', async () => {
      const served = ['hooks.json', 'slow.json'].flatMap((name) => ['--hooks', join(user.path, 'project', name)]);
      const args = ['PreToolUse', '--timeout', '1234', ...served];
      await Promise.all([1, 2, 3].map(() => thin(args, bash('ls'))));
      const { spawn } = await import('node:child_process');
      // Who holds the other end of standard input goes on.
      const writer = spawn('sh', ['-c', 'printf %s "{"; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
      const child = spawn('dash', [thinScript(), ...args], {
        cwd: user.path,
        env: user.env,
        stdio: [writer.stdout, 'ignore', 'ignore'],
      });
      // It waits for its input, and somebody waits beside it.
      await until(() => isAsking() && running().length > 2);
      child.kill('SIGKILL');
      await until(() => running().length === 0 && left().length === 0);
      expect(execFileSync('ps', ['-eo', 'args']).toString()).not.toMatch(/sleep 1229/);
      writer.kill();
    });

    test('functions that a bash takes from the environment are not called', async () => {
      const bin = join(user.path, 'bin');
      mkdirSync(bin);
      symlinkSync(execFileSync('/bin/sh', ['-c', 'command -v bash']).toString().trim(), join(bin, 'sh'));
      const words =
        'alias bg cat cd command curl date echo eval exec exit false fg getopts kill ls printf pwd read return';
      const more =
        'quit node rm set shift sleep test trap true type umask unset wait hash fail line leave ask_node seconds say ended address ask over';
      const env = Object.fromEntries(
        `${words} ${more}`.split(' ').map((name) => [`BASH_FUNC_${name}%%`, '() {  echo "{}"; builtin exit 0; }']),
      );
      for (const input of [bash('ls'), bash('rm x')]) {
        const answer = await thin(['PreToolUse'], input, { env, shell: join(bin, 'sh') });
        expect(answer).toEqual(await thin(['PreToolUse'], input));
      }
      expect(asked()).toBe(4);
    });

    test('options that a bash takes from the environment, and limits that end a shell, neither let anything through nor show a secret', async () => {
      const denied = await thin(['PreToolUse'], bash('rm x'));
      const env = { SHELLOPTS: 'allexport:errexit:keyword:monitor:noclobber:noglob:nounset:verbose:xtrace' };
      const { stderr, ...said } = await thin(['PreToolUse'], bash('rm x'), { shell: 'bash', env });
      expect(said).toMatchObject({ code: denied.code, stdout: denied.stdout });
      const limited = async (limit: string, env: NodeJS.ProcessEnv) => {
        const script = `ulimit ${limit}; exec bash "$@" 2>&1`;
        const end = {
          cwd: join(user.path, 'project'),
          stdin: JSON.stringify(bash('rm x')),
          env: { ...user.env, ...env },
        };
        const answer = await start('bash', ['-c', script, 'sh', thinScript(), 'PreToolUse', '--timeout', '2'], end);
        expect(answer.code, limit).toBe(2);
        return answer.stdout;
      };
      // Where a bash has its script open is the last descriptor that there may be: here the one that the proof is opened on.
      const shown = [
        stderr,
        await limited('-n 8', {}),
        await limited('-f 0', FILE),
        await limited('-n 9', { POSIXLY_CORRECT: '1' }),
      ];
      for (const file of [user.places.proof, user.places.fireHeader])
        expect(shown.join('')).not.toContain(readFileSync(file, 'utf8').trim().split(' ').pop());
    });

    test('a folder that others can enter is not believed: nothing is sent, and it is said', async () => {
      chmodSync(user.places.run, 0o755);
      try {
        const answer = await same(['PreToolUse'], bash('ls'));
        expect(answer).toMatchObject({ code: 2, stdout: expect.stringMatching(/open to other users/) });
        expect(asked()).toBe(0);
      } finally {
        chmodSync(user.places.run, 0o700);
      }
    });

    test('what nobody gets is not let through', async () => {
      const into = (args: readonly string[], env: NodeJS.ProcessEnv): Promise<Finished> =>
        start('dash', ['-c', 'exec "$@" >/dev/full', 'sh', ...args], {
          cwd: join(user.path, 'project'),
          stdin: JSON.stringify(bash('rm x')),
          env: { ...user.env, ...env },
        });
      const asThin = ['dash', thinScript(), '--node', process.execPath];
      const served = ['--hooks', 'hooks.json', '--hooks', 'slow.json'];
      for (const isServed of [false, true]) {
        const alone = isServed ? {} : { XDG_RUNTIME_DIR: join(user.path, 'nowhere') };
        for (const command of [asThin, [process.execPath, BIN, 'hook']]) {
          expect((await into([...command, 'PreToolUse', ...served], alone)).code).toBe(2);
          const codex = ['PreToolUse', '--as', 'codex', ...served];
          expect((await into([...command, ...codex], alone)).code).toBe(2);
        }
      }
    });

    test.each([
      ['SIGTERM', 'dash', {}],
      ['SIGINT', 'bash', {}],
      ['SIGHUP', 'bash', FILE],
      ['SIGUSR2', 'dash', {}],
      ['SIGALRM', 'bash', {}],
    ] as const)(
      'ended by %s in %s, while it reads, asks, or Node asks for it: not let through, in the same words, and nothing is left',
      async (signal, shell, env) => {
        const { spawn } = await import('node:child_process');
        const said = { code: 2, stdout: failureAnswer(CATALOGUE.PermissionRequest, REASONS.ended, 'block').stdout };
        const ended = async (
          args: readonly string[],
          isReady: () => boolean,
          isWhole: boolean,
          group: boolean,
          more: NodeJS.ProcessEnv = {},
        ) => {
          const child = spawn(shell, [thinScript(), '--node', process.execPath, 'PermissionRequest', ...args], {
            cwd: join(user.path, 'project'),
            env: { ...user.env, ...env, ...more },
            detached: true,
          });
          let stdout = '';
          child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
          child.stdin.write('{"tool_name":');
          if (isWhole) child.stdin.end('"Bash","tool_input":{}}');
          await until(isReady);
          const interrupt = () => process.kill(group ? -(child.pid as number) : (child.pid as number), signal);
          interrupt();
          // A bash loses one SIGINT of some hundreds, and goes on.
          const again = setInterval(interrupt, 2000);
          const code = await new Promise((resolve) => child.once('close', resolve));
          clearInterval(again);
          child.stdin.destroy();
          return { code, stdout };
        };
        // Without a server, Node is asked, and has begun.
        const alone = { XDG_RUNTIME_DIR: join(user.path, 'nowhere') };
        expect(await ended(['--hooks', 'slow.json'], () => asked() === 1, true, false, alone)).toEqual(said);
        expect(await ended([], isAsking, false, false)).toEqual(said);
        expect(left()).toEqual([]);
        expect(await ended([], () => asked() === 2, true, true)).toEqual(said);
        expect(left()).toEqual([]);
      },
    );
  });

  test('a folder whose name fits into no line: Node asks the server, which knows it by its name', async () => {
    const hex = `printf %s "$CLAUDE_PROJECT_DIR" | od -An -v -tx1 | tr -d ' \\n'`;
    const seen = user.write('seen.sh', `#!/bin/sh\ncat > "$(dirname "$0")/seen"; ${hex} >&2; exit 2\n`, 0o755);
    user.write('seen.json', hooksFile(seen));
    const names = ['new\nline', 'ends ', 'tab\tand\u0001', '%41 日本\r'];
    const folders = names.map((name) => join(user.path, 'project', name));
    for (const folder of folders) mkdirSync(folder);
    await user.serve(['--hooks', 'seen.json', ...folders.flatMap((folder) => ['--project', folder])]);
    for (const cwd of folders) {
      for (const args of [['PreToolUse'], ['PreToolUse', '--hooks', '../seen.json']]) {
        const isFirst = cwd === folders[0] && args.length === 1;
        const { stdout } = await same(args, bash('ls'), cwd, isFirst ? process.execPath : here.path);
        expect(JSON.parse(stdout)).toMatchObject({
          hookSpecificOutput: { permissionDecisionReason: Buffer.from(cwd).toString('hex') },
        });
        expect(JSON.parse(readFileSync(join(user.path, 'project/seen'), 'utf8'))).toMatchObject({ cwd });
      }
    }
    const fires = () => user.records().flatMap((record) => (record.type === 'hook_fire' ? [record.stateless] : []));
    await until(() => fires().length === folders.length * 4);
    expect(new Set(fires())).toEqual(new Set([undefined]));
  });

  test('files whose names fit into no line are asked about, too', async () => {
    const file = user.write('hooks\nof %0a.json', hooksFile(join(user.path, 'project/guard.sh')));
    await user.serve(['--hooks', file]);
    await same(['PreToolUse', '--hooks', file], bash('rm x'));
    await until(() => user.records().some(({ type }) => type === 'hook_fire'));
    expect(user.records().filter((record) => record.type === 'hook_fire' && record.stateless)).toEqual([]);
  });

  test('is what is built, and plain POSIX', () => {
    expect(thinScript()).toBe(join(BIN, '../../hookscope-hook.sh'));
    execFileSync('dash', ['-n', thinScript()]);
  });
});

describe('the thin command, where something else is in the place of the server', () => {
  beforeAll(async () => {
    guarded();
    const real = await user.serve(['--hooks', 'hooks.json']);
    await real.stop();
  });
  afterAll(() => user.remove());
  beforeEach(() => rmSync(join(user.path, 'project/asked'), { force: true }));

  test.each([
    ['dies before it answers', (socket: Socket) => socket.once('data', () => socket.destroy())],
    ['hangs', () => undefined],
    [
      'answers nonsense',
      (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes')),
    ],
    [
      'answers half',
      (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\n{}')),
    ],
    [
      'knows no token',
      (socket: Socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}')),
    ],
    [
      'redirects',
      (socket: Socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n')),
    ],
  ])('a server that %s: not let through, and no hook is asked beside it, in the same words', async (_, serve) => {
    await stranger(serve, async () => {
      const answer = await same(['PreToolUse', '--hooks', 'hooks.json', '--timeout', '2'], bash('ls'));
      expect(answer.code).toBe(2);
      expect(JSON.parse(answer.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
      expect(asked()).toBe(0);
      expect(left()).toEqual([]);
    });
  });

  /** A server of this user that answers so. */
  const answering = async (body: string | ((outgoing: ServerResponse) => void), work: () => Promise<void>) => {
    const proof = readFileSync(user.places.proof, 'utf8').trim();
    const server = createHttpServer((incoming, outgoing) => {
      incoming.resume().on('end', () => {
        outgoing.writeHead(200, { 'hookscope-proof': proof });
        if (typeof body === 'string') outgoing.end(body);
        else body(outgoing);
      });
    });
    await stranger((socket) => server.emit('connection', socket), work);
  };

  test.each([
    '{not json}',
    '{}garbage{}',
    '{}\n{}',
    '{"decision":"block"}\n{"decision":"approve"}',
    '{"decision":"block"} or not {}',
    '{"decision":block}',
    '{decision:"block"}',
    '[{}]',
    '"{}"',
    'null',
    '',
    '{',
    '{"decision":"block"',
  ])('an answer of %j lets nothing through', async (body) => {
    await answering(body, async () => {
      const { code } = await same(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
      expect(code).toBe(2);
      await same(['PreToolUse', '--as', 'codex', '--hooks', 'hooks.json'], bash('ls'));
    });
  });

  test.each(['{}', '{"decision":"block"}', '{"a":{"b":[1]}}', '{"a":[]}', '{"a":true}', '{"a":null}', '{"a":-1.5e10}'])(
    'an answer of %j is one',
    async (body) => {
      await answering(body, async () => {
        const { code, stdout } = await same(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
        expect([code, stdout]).toEqual([0, body === '{}' ? '' : `${body}\n`]);
      });
    },
  );

  test.each([
    ['without an end', Number.POSITIVE_INFINITY],
    ['that is a byte too large', 8 * 1024 * 1024 + 1],
  ])('an answer %s is not read on, and answered in the same words', async (_, bytes) => {
    const piece = Buffer.alloc(65_536, '}');
    const pour = (outgoing: ServerResponse): void => {
      let left = bytes;
      const more = (): void => {
        while (left > 0 && !outgoing.destroyed) {
          const some = piece.subarray(0, Math.min(left, piece.length));
          left -= some.length;
          if (!outgoing.write(some)) return void outgoing.once('drain', more);
        }
        if (left === 0) outgoing.end();
      };
      more();
    };
    const { stdout, stderr, code } = failureAnswer(
      CATALOGUE.PreToolUse,
      'the answer of the server is larger than 8 MiB',
      'block',
    );
    await answering(pour, async () => {
      expect(await user.hook(['PreToolUse'], bash('ls'))).toMatchObject({ stdout, code });
      for (const [shell, env] of SHELLS)
        expect(await thin(['PreToolUse'], bash('ls'), { shell, env })).toEqual({ stdout, stderr, code });
      expect(left()).toEqual([]);
      expect(running()).toEqual([]);
    });
  });

  test('an answer of many megabytes is one', async () => {
    const body = JSON.stringify({ systemMessage: 'ü'.repeat(3_900_000) });
    await answering(body, async () => {
      for (const [shell, env] of SHELLS)
        expect((await thin(['PreToolUse'], bash('ls'), { shell, env })).stdout === `${body}\n`, shell).toBe(true);
    });
  });

  test('a server that dies at once: the hooks are asked once or not at all, and then nothing is let through', async () => {
    await stranger(
      (socket) => socket.destroy(),
      async () => {
        for (let i = 1; i <= 4; i++) {
          const before = asked();
          const node = i === 1 ? process.execPath : here.path;
          const { code, stdout } = await thin(['PreToolUse', '--timeout', '20'], bash('rm x'), { node });
          expect(stdout).toMatch(/"deny"/);
          expect(asked() - before).toBe(code === 2 ? 0 : 1);
        }
      },
    );
  });

  test('what a server says that it has not judged, and a socket that nobody listens on: Node judges the whole of the input', async () => {
    // More than a pipe holds, and a line's end at its end.
    const input = `${JSON.stringify({ ...bash('rm x'), filler: 'x'.repeat(100_000) })}\n`;
    const proof = readFileSync(user.places.proof, 'utf8').trim();
    let told = '';
    const answers: Finished[] = [];
    const ask = async (): Promise<void> => {
      for (const [i, [shell, env]] of SHELLS.entries()) {
        const node = i === 0 ? process.execPath : here.path;
        answers.push(await thin(['PreToolUse', '--hooks', 'hooks.json'], input, { shell, env, node }));
      }
    };
    const server = createHttpServer((incoming, outgoing) => {
      told = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => (told += piece));
      incoming.on('end', () => {
        outgoing.writeHead(421, { 'hookscope-proof': proof, 'hookscope-returned': 'yes' });
        outgoing.end(told);
      });
    });
    await stranger((socket) => server.emit('connection', socket), ask);
    expect(told).toBe(input);
    spawnSync(process.execPath, ['-e', LEAVE_A_SOCKET, user.places.socket]);
    await ask();
    for (const { code, stdout } of answers) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        hookSpecificOutput: { permissionDecisionReason: 'nothing is removed' },
      });
    }
    expect(asked()).toBe(6);
    expect(left()).toEqual([]);
  });

  // Elsewhere it is known of a bash alone how much time has passed.
  test.runIf(process.platform === 'linux')(
    'a server that says late that it has not judged leaves the hooks the rest of the time',
    async () => {
      const proof = readFileSync(user.places.proof, 'utf8').trim();
      user.write('slow.json', hooksFile('sleep 7; echo too late >&2; exit 2'));
      const server = createHttpServer((incoming, outgoing) => {
        outgoing.writeHead(421, { 'hookscope-proof': proof, 'hookscope-returned': 'yes' });
        setTimeout(() => incoming.pipe(outgoing), 2000);
      });
      const args = ['PreToolUse', '--hooks', 'slow.json', '--timeout', '10'];
      await stranger(
        (socket) => server.emit('connection', socket),
        async () => {
          const answers = await Promise.all(SHELLS.map(([shell, env]) => thin(args, bash('ls'), { shell, env })));
          const { stdout, code } = failureAnswer(CATALOGUE.PreToolUse, REASONS.alone, 'block');
          for (const answer of answers) expect(answer).toMatchObject({ stdout, code });
        },
      );
    },
  );

  test.each(SHELLS)(
    '%s keeps nothing of standard input, and of the answer no file that has a name',
    async (shell, env) => {
      let meanwhile: string[] | undefined;
      let told = '';
      await stranger(
        (socket) =>
          socket.on('data', (piece: Buffer) => {
            told += piece.toString();
            if (!told.includes('"Bash"}')) return;
            void until(() => left().length === 0).then(() => {
              meanwhile = left();
              socket.destroy();
            });
          }),
        async () => expect((await thin(['PreToolUse'], '{"tool_name":"Bash"}', { shell, env })).code).toBe(2),
      );
      expect(meanwhile).toEqual([]);
    },
  );

  test.each([
    'HTTP/1.1 101 Switching Protocols\r\n*Content-Length: 2\r\n\r\n{}',
    'HTTP/1.1 101 Switching Protocols\r\n*\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}',
    'HTTP/1.1 103 Early Hints\r\n*\r\nHTTP/1.1 500 X\r\nContent-Length: 2\r\n\r\n{}',
    'HTTP/1.1 200 OK\r\n*Content-Length: 2\r\n\r\n{}',
    'HTTP/1.1 500 X\r\n*Content-Length: 0\r\n\r\n',
    'HTTP/1.1 204 X\r\n*\r\n',
    '*\r\n',
  ])('what does not prove that it is the server is not obeyed: %j', async (head) => {
    const said = head.replace('*', 'hookscope-proof: \r\nhookscope-exit: 0\r\nhookscope-aside: obey me\r\n');
    await stranger(
      (socket) => socket.once('data', () => socket.end(said)),
      async () => {
        for (const [shell, env] of SHELLS) {
          const { code, stdout, stderr } = await thin(['PreToolUse'], bash('ls'), { shell, env });
          expect([shell, code, stdout]).toEqual([shell, 2, expect.stringContaining('"deny"')]);
          expect(stderr).not.toContain('obey');
        }
      },
    );
  });

  test('a failure has the shape of its event, for every event', async () => {
    await stranger(
      (socket) => socket.once('data', () => socket.destroy()),
      async () => {
        for (const spec of Object.values(CATALOGUE)) {
          const { stdout, code } = failureAnswer(spec, REASONS.died, 'block');
          expect(await thin([spec.name], '{}'), spec.name).toMatchObject({ stdout, code });
        }
      },
    );
  });

  test('sends nothing of the environment but what is listed, and the token on no command line', async () => {
    let head = '';
    let lines = '';
    await stranger(
      (socket) =>
        socket.on('data', (piece: Buffer) => {
          head += piece.toString();
          lines += execFileSync('ps', ['-eo', 'args']).toString();
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        }),
      async () => {
        const env = { SECRET_KEY: 'do-not-send', CLAUDE_PROJECT_DIR: user.path, CLAUDECODE: '1', LANG: 'a\nx-evil: 1' };
        expect(await thin(['PreToolUse'], bash('ls'), { env })).toMatchObject({ code: 2 });
        const token = readFileSync(user.places.fireHeader, 'utf8').trim().split(' ').pop() as string;
        expect(head).toMatch(new RegExp(`authorization: Bearer ${token}\r\n`, 'i'));
        expect(head).toMatch(`hookscope-env: CLAUDE_PROJECT_DIR=${user.path}`);
        expect(head).toMatch(/hookscope-env: CLAUDECODE=1/);
        expect(head).not.toMatch(/do-not-send|SECRET_KEY|x-evil/);
        const names = [...head.matchAll(/hookscope-env: (\w+)=/g)].map(([, name]) => name);
        expect(names.filter((name) => !(ENVIRONMENT as readonly string[]).includes(name as string))).toEqual([]);
        expect(lines).toMatch(/curl/);
        expect(lines).not.toContain(token);
      },
    );
  });
});
