import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acceptChanges } from '../../src/cli/server/serve-accept.js';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { thinCommand } from '../../src/server/client/thin.js';
import { readTokens } from '../../src/server/tokens.js';
import { readAcceptances } from '../../src/trust/acceptances.js';
import { start } from '../cli/cli.js';
import { bash, GUARD, guardedUser, hooksFile, type Running, type User, until } from './kit.js';
import { asAPerson } from './person.js';

const SAID = 'POST /admin/accept, which said that it is hookscope serve --accept';

let user: User;
let server: Running;
const guarded = async (): Promise<void> => {
  user = guardedUser();
  server = await user.serve(['--hooks', 'hooks.json']);
};

/** The call that a guard is there for. It is never let through: denied by the guard, or because the guard could not judge it. */
async function refused(why: RegExp): Promise<void> {
  for (const args of [
    ['PreToolUse', '--timeout', '10'],
    ['PreToolUse', '--timeout', '10', '--hooks', 'hooks.json'],
  ]) {
    const { stdout } = await user.hook(args, bash('rm x'));
    expect(stdout).toMatch(/"permissionDecision":"deny"/);
    expect(stdout).toMatch(why);
  }
}

describe('an agent with a shell, and the rights of its user', () => {
  beforeEach(guarded);
  afterEach(() => user.remove());

  test('stops the server: the hooks it served are asked all the same', async () => {
    await server.stop('SIGTERM');
    await refused(/nothing is removed/);
  });

  test('starts another that names less, or binds nothing: that does not start without a person', async () => {
    await server.stop('SIGKILL');
    user.write('empty.json', {});
    for (const args of [[], ['--hooks', 'empty.json'], ['--no-config'], ['--hooks', 'hooks.json', '--dev']])
      expect(await user.refused(args)).toMatch(/(?:no longer named: --hooks|unasked: --dev)[\s\S]*nothing is served/);
    await refused(/nothing is removed/);
    // More than before may be served, and then is what nobody takes away.
    const more = await user.serve(['--hooks', 'hooks.json', '--hooks', 'empty.json', '--project', user.path]);
    await more.stop();
    expect(await user.refused(['--hooks', 'hooks.json', '--hooks', 'empty.json'])).toMatch(
      /no longer named: --project/,
    );
  });

  test('lets it hang: the call is refused before the agent gives up', async () => {
    const [worker] = execFileSync('pgrep', ['-P', String(server.child.pid)])
      .toString()
      .trim()
      .split('\n')
      .map(Number);
    process.kill(worker as number, 'SIGSTOP');
    try {
      const { code, stdout } = await user.hook(['PreToolUse', '--timeout', '3'], bash('ls'));
      expect(code).toBe(2);
      expect(stdout).toMatch(/has not answered in time/);
    } finally {
      process.kill(worker as number, 'SIGCONT');
    }
  });

  test('removes or changes the tokens: the guard is asked here, or nothing is let through', async () => {
    rmSync(user.places.fireHeader);
    await refused(/nothing is removed/);
    writeFileSync(user.places.fireHeader, `Authorization: Bearer ${'x'.repeat(43)}\n`, { mode: 0o600 });
    await refused(/the server refused the request \(HTTP 401\)/);
    writeFileSync(user.places.proof, `${'x'.repeat(43)}\n`, { mode: 0o600 });
    await refused(/find out which program it is/);
    rmSync(user.places.proof);
    await refused(/nothing is removed/);
  });

  test('puts pipes, and files without an end, where the thin command reads and writes: it answers all the same', async () => {
    const { fireHeader, proof, run } = user.places;
    const command = thinCommand('PreToolUse', { env: user.env, timeout: 20 });
    const options = { env: user.env, cwd: join(user.path, 'project'), stdin: JSON.stringify(bash('rm x')) };
    for (const file of [fireHeader, proof])
      for (const put of [
        () => execFileSync('mkfifo', ['-m', '600', file]),
        () => {
          writeFileSync(file, '', { mode: 0o600 });
          truncateSync(file, 1e9);
        },
      ]) {
        const before = readFileSync(file);
        rmSync(file);
        put();
        const { code, stdout } = await start('/bin/sh', ['-c', command], options);
        expect([code, stdout]).toEqual([2, expect.stringMatching(/"deny".*(?:it is no file|more than any of ours)/)]);
        rmSync(file);
        writeFileSync(file, before, { mode: 0o600 });
      }
    // Where one of the next processes keeps its input.
    const next = Number(execFileSync('/bin/sh', ['-c', 'echo $$']).toString());
    const names = Array.from({ length: 2_000 }, (_, i) => join(run, `hook.${next + i}.0`));
    execFileSync('mkfifo', names);
    expect(await start('/bin/sh', ['-c', command], options)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/"deny".*nothing is removed/),
    });
  });

  test('removes the socket: the hooks are asked without the server', async () => {
    rmSync(user.places.socket);
    await refused(/nothing is removed/);
  });

  test('deletes the records: calls are judged as before, and what comes is kept', async () => {
    await refused(/nothing is removed/);
    await until(() => user.records().length > 2);
    const names = readdirSync(user.places.state).filter((name) => name.startsWith('records'));
    for (const name of names) rmSync(join(user.places.state, name));
    await refused(/nothing is removed/);
    await server.stop();
    await user.serve(['--hooks', 'hooks.json']);
    await refused(/nothing is removed/);
    await until(() => user.records().some(({ type }) => type === 'hook_fire'));
  });

  test('edits the records: calls are judged as before, and history says what it has written', async () => {
    await refused(/nothing is removed/);
    await until(() => user.records().length > 2);
    await server.stop();
    const database = openSqlite(join(user.places.state, 'records.db'));
    database.exec("UPDATE records SET json = replace(json, 'nothing is removed', 'I was never here')");
    database.close();
    expect((await user.run(['history', '--blocked'])).stdout).toMatch(/I was never here/);
    await refused(/nothing is removed/);
  });

  test('accepts what it has edited, by the API or at a terminal of its own: doctor and a file tell of it', async () => {
    await refused(/nothing is removed/);
    const guard = join(user.path, 'project/guard.sh');
    const edits = ['#!/bin/sh\necho first >&2; exit 2\n', '#!/bin/sh\necho second >&2; exit 2\n'];
    const hashes = [GUARD, ...edits].map((text) => createHash('sha256').update(text).digest('hex'));
    const headers = { authorization: `Bearer ${readTokens(user.places)?.admin}`, host: 'hookscope' };
    const ask = (path: string, method: string, body = '') =>
      new Promise<string>((resolve, reject) => {
        const how = { socketPath: user.places.socket, path, method, headers };
        request(how, (answer) => void text(answer).then(resolve, reject))
          .on('error', reject)
          .end(body);
      });
    user.write('guard.sh', edits[0], 0o755);
    await refused(/guard\.sh (?:has changed|is not what)/);
    const { state } = JSON.parse(await ask('/admin/changes', 'GET')) as { state: string };
    expect(await ask('/admin/accept', 'POST', JSON.stringify({ state }))).toBe('{"ok":true}');
    await refused(/first/);
    user.write('guard.sh', edits[1], 0o755);
    await refused(/guard\.sh (?:has changed|is not what)/);
    expect(await asAPerson(user, (terminal) => acceptChanges(terminal))).toBe(0);
    await refused(/second/);
    const file = join(user.places.state, 'acceptances.jsonl');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file, 'utf8').trim().split('\n');
    expect(kept.map((line) => JSON.parse(line) as object)).toEqual([
      { at: expect.any(String), how: 'POST /admin/accept', what: guard, from: hashes[0], to: hashes[1] },
      // The server knows what the request says of itself, and no more.
      { at: expect.any(String), how: SAID, what: guard, from: hashes[1], to: hashes[2] },
    ]);
    const { stdout } = await user.run(['doctor']);
    for (const how of ['POST /admin/accept', SAID]) expect(stdout).toContain(`by ${how}, SHA-256 `);
    expect(stdout).toMatch(/remark {2}.*guard\.sh was accepted at .* by POST \/admin\/accept/);
    // What was refused is not accepted.
    user.write('hooks.json', '{');
    // The process that is being replaced may still answer the first question.
    const acceptBroken = async (): Promise<string> => {
      const { state: now } = JSON.parse(await ask('/admin/changes', 'GET')) as { state: string };
      const answer = await ask('/admin/accept', 'POST', JSON.stringify({ state: now }));
      return answer.includes('meanwhile') ? acceptBroken() : answer;
    };
    expect(await acceptBroken()).toMatch(/^\{"ok":false.*is not JSON/);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(4);
    expect(readAcceptances(0, user.places.state)).toHaveLength(2);
    rmSync(file);
    mkdirSync(file);
    expect((await user.run(['doctor'])).stdout).toMatch(/What was accepted cannot be read/);
    // A pipe in its place holds nobody up, and nothing is accepted that is not kept.
    rmSync(file, { recursive: true });
    execFileSync('mkfifo', [file]);
    expect(await acceptBroken()).toMatch(/is no regular file/);
    expect((await user.run(['doctor'])).stdout).toMatch(/What was accepted cannot be read/);
  });

  test("leads the command elsewhere by a project's environment: the command says itself where the server is", async () => {
    const elsewhere = join(user.path, 'elsewhere');
    mkdirSync(elsewhere);
    const command = thinCommand('PreToolUse', { env: user.env });
    const env = { ...user.env, XDG_STATE_HOME: elsewhere, XDG_RUNTIME_DIR: elsewhere };
    const options = { env, cwd: user.path, input: JSON.stringify(bash('rm x')) };
    expect(execFileSync('/bin/sh', ['-c', command], options).toString()).toMatch(/nothing is removed/);
    expect(existsSync(join(elsewhere, 'hookscope'))).toBe(false);
    // What is not set is by the home of whoever connected.
    const { XDG_STATE_HOME: _, XDG_CONFIG_HOME: __, ...usual } = user.env;
    expect(thinCommand('PreToolUse', { env: usual })).toMatch(
      `XDG_STATE_HOME=${user.path}/home/.local/state XDG_RUNTIME_DIR=${user.path}/run XDG_CONFIG_HOME=${user.path}/home/.config `,
    );
    mkdirSync(join(user.path, 'home/.local/state'), { recursive: true });
    renameSync(user.places.state, join(user.path, 'home/.local/state/hookscope'));
    const byHome = { ...options, env: { ...usual, HOME: elsewhere } };
    for (const running of [true, false]) {
      if (!running) await server.stop();
      expect(execFileSync('/bin/sh', ['-c', thinCommand('PreToolUse', { env: usual })], byHome).toString()).toMatch(
        /nothing is removed/,
      );
    }
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test("puts programs and code in the place of the command's own by a project's environment: none of it runs", async () => {
    const bin = join(user.path, 'bin');
    mkdirSync(bin);
    const said = join(user.path, 'said');
    const programs = ['sh', 'bash', 'node', 'curl', 'cat', 'head', 'ls', 'mktemp', 'rm', 'date', 'sleep', 'kill'];
    for (const name of programs)
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >>${said}\necho '{}'\n`, { mode: 0o755 });
    writeFileSync(join(bin, 'code.sh'), `echo code >>${said}\ncurl() { echo '{}'; }\n`);
    writeFileSync(join(bin, 'code.cjs'), `console.log('{}'); process.exit(0);`);
    const code = { BASH_ENV: join(bin, 'code.sh'), ENV: join(bin, 'code.sh'), NODE_OPTIONS: `-r ${bin}/code.cjs` };
    const env = { ...user.env, ...code, PATH: `${bin}:${user.env['PATH']}`, 'BASH_FUNC_sh%%': "() { echo '{}'; }" };
    const command = thinCommand('PreToolUse', { env: user.env, timeout: 20 });
    const options = { env, cwd: user.path, stdin: JSON.stringify(bash('rm x')) };
    const denied = { code: 0, stdout: expect.stringMatching(/"deny".*nothing is removed/) };
    expect(await start('/bin/sh', ['-c', command], options)).toMatchObject(denied);
    await server.stop();
    expect(await start('/bin/sh', ['-c', command], options)).toMatchObject(denied);
    expect(existsSync(said)).toBe(false);
    // What connect was started with may have a project's programs in front.
    const path = ['.', '', 'bin', join(user.path, 'node_modules/.bin'), '/usr/bin', '/bin'].join(':');
    expect(thinCommand('PreToolUse', { env: { PATH: path } })).toContain(' PATH=/usr/bin:/bin ');
    expect(thinCommand('PreToolUse', { env: { PATH: '.' } })).toContain(' PATH=/usr/local/bin:/usr/bin:/bin ');
  });

  test('leaves its hooks the PATH that connect had, with a server and without one', async () => {
    const [own, project] = ['own', 'project-bin'].map((name) => join(user.path, name)) as [string, string];
    for (const folder of [own, project]) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'is-allowed'), `#!/bin/sh\necho "nothing is removed, says ${folder}" >&2\nexit 2\n`, {
        mode: 0o755,
      });
    }
    await server.stop();
    user.write('named.json', hooksFile('is-allowed'));
    const connected = { ...user.env, PATH: `${own}:${user.env['PATH']}` };
    const command = thinCommand('PreToolUse', {
      env: connected,
      set: { hooks: ['hooks.json', 'named.json'] },
      cwd: join(user.path, 'project'),
      timeout: 20,
    });
    const options = {
      env: { ...user.env, PATH: `${project}:${user.env['PATH']}` },
      cwd: user.path,
      stdin: JSON.stringify(bash('mv x y')),
    };
    const said = `says ${own}`;
    expect((await start('/bin/sh', ['-c', command], options)).stdout).toContain(said);
    // Of a server it is the PATH that this was started with.
    await user.serve(['--hooks', 'hooks.json', '--hooks', 'named.json'], {
      env: { PATH: connected.PATH },
    });
    expect((await start('/bin/sh', ['-c', command], options)).stdout).toContain(said);
  });
});

describe('an agent that has killed the server', () => {
  // All begin with what one that was killed has left.
  const folders = (): readonly (readonly [string, string])[] =>
    ['project', 'state'].map((name) => [join(user.path, name), join(user.path, 'kept', name)]);
  beforeAll(async () => {
    await guarded();
    await server.stop('SIGKILL');
    for (const [from, to] of folders()) cpSync(from, to, { recursive: true });
  });
  beforeEach(() => {
    for (const [to, from] of folders()) {
      rmSync(to, { recursive: true });
      cpSync(from, to, { recursive: true });
    }
  });
  afterAll(() => user.remove());

  test('stops it and edits a guard: nothing is let through', async () => {
    user.write('guard.sh', '#!/bin/sh\nexit 0\n', 0o755);
    await refused(/guard\.sh has changed since/);
  });

  test('stops it and takes the guard out of its file, or deletes that: nothing is let through', async () => {
    user.write('hooks.json', {});
    await refused(/hooks\.json has changed since/);
    rmSync(join(user.path, 'project/hooks.json'));
    await refused(/hooks\.json/);
  });

  test('starts another with what it has edited: that does not start without a person', async () => {
    user.write('hooks.json', {});
    expect(await user.refused(['--hooks', 'hooks.json'])).toMatch(
      /changed since it was served last: .*hooks\.json[\s\S]*nothing is served: start it at a terminal/,
    );
    expect(await user.refused(['--hooks', 'hooks.json', '--dev'])).toMatch(/nothing is served/);
    await refused(/hooks\.json has changed since/);
  });

  test('removes what says what was served: where nothing is named nothing is let through', async () => {
    rmSync(user.places.served);
    const nothing = await user.hook(['PreToolUse'], bash('rm x'));
    expect(nothing).toMatchObject({ code: 2, stdout: expect.stringMatching(/no hooks are named/) });
    writeFileSync(user.places.served, '{"version":1}', { mode: 0o600 });
    expect(await user.hook(['PreToolUse'], bash('rm x'))).toMatchObject({ code: 2 });
    writeFileSync(user.places.served, 'x', { mode: 0o666 });
    expect(await user.hook(['PreToolUse'], bash('rm x'))).toMatchObject({ code: 2 });
    // A size that nobody has the time to read.
    rmSync(user.places.served);
    writeFileSync(user.places.served, '', { mode: 0o600 });
    truncateSync(user.places.served, 3e9);
    expect(await user.hook(['PreToolUse'], bash('rm x'))).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/"deny".*it has 3000000000 bytes, more than any of ours/),
    });
  });

  test('puts a program in the place of the server: what that says is not believed', async () => {
    const { fire } = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as { fire: string };
    const proof = readFileSync(user.places.proof, 'utf8').trim();
    // Who has the token that agents are given can ask, on a port, and is shown nothing to repeat.
    expect(proof).not.toContain(fire);
    for (const shown of ['', `hookscope-proof: ${fire}\r\n`, `hookscope-proof: ${proof}x\r\n`]) {
      for (const status of ['200 OK', '200 OK\r\nhookscope-exit: 0']) {
        const answer = `HTTP/1.1 ${status}\r\n${shown}content-length: 2\r\n\r\n{}`;
        rmSync(user.places.socket, { force: true });
        const stranger = createServer((socket) =>
          socket.on('error', () => undefined).once('data', () => socket.end(answer)),
        );
        await new Promise<void>((resolve) => stranger.listen(user.places.socket, resolve));
        const command = thinCommand('PreToolUse', { env: user.env, timeout: 4 });
        const options = { env: user.env, cwd: user.path, stdin: JSON.stringify(bash('rm x')) };
        const thin = await start('/bin/sh', ['-c', command], options);
        const whole = status === '200 OK' ? await user.hook(['PreToolUse', '--timeout', '4'], bash('rm x')) : thin;
        for (const said of [thin, whole])
          expect(said).toMatchObject({
            code: 2,
            stdout: expect.stringMatching(/"deny".*find out which program it is/),
          });
        await new Promise((resolve) => stranger.close(resolve));
      }
    }
    expect(existsSync(join(user.path, 'project/asked'))).toBe(false);
    // What has no end is not read, and whoever looks at changes is shown none of its own making.
    rmSync(user.places.socket, { force: true });
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const changes = '21\r\n{"changes":[],"state":"","ok":true}\r\n';
    const endless = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.write(head + changes)),
    );
    await new Promise<void>((resolve) => endless.listen(user.places.socket, resolve));
    expect(await user.hook(['PreToolUse', '--timeout', '600'], bash('rm x'))).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/"deny".*find out which program it is/),
    });
    expect(await user.run(['serve', '--accept'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/does not prove that it is the server of this user/),
    });
    await new Promise((resolve) => endless.close(resolve));
  });
});
