import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { thinCommand } from '../../src/server/client/thin.js';
import { bash, createUser, GUARD, hooksFile, type Running, type User, until } from './kit.js';

let user: User;
let server: Running;
beforeEach(async () => {
  user = createUser();
  user.write('guard.sh', GUARD, 0o755);
  user.write('hooks.json', hooksFile(join(user.path, 'project/guard.sh')));
  server = await user.serve(['--hooks', 'hooks.json']);
});
afterEach(() => user.remove());

/** The call that a guard is there for. It is never let through: denied by the guard, or because the guard could not judge it. */
async function refused(why: RegExp): Promise<void> {
  for (const args of [
    ['PreToolUse', '--timeout', '4'],
    ['PreToolUse', '--timeout', '4', '--hooks', 'hooks.json'],
  ]) {
    const { stdout } = await user.hook(args, bash('rm x'));
    expect(stdout).toMatch(/"permissionDecision":"deny"/);
    expect(stdout).toMatch(why);
  }
}

describe('an agent with a shell, and the rights of its user', () => {
  test('stops the server: the hooks it served are asked all the same', async () => {
    await server.stop('SIGTERM');
    await refused(/nothing is removed/);
  });

  test('stops it and edits a guard: nothing is let through', async () => {
    await server.stop('SIGKILL');
    user.write('guard.sh', '#!/bin/sh\nexit 0\n', 0o755);
    await refused(/guard\.sh has changed since/);
  });

  test('stops it and takes the guard out of its file, or deletes that: nothing is let through', async () => {
    await server.stop('SIGKILL');
    user.write('hooks.json', {});
    await refused(/hooks\.json has changed since/);
    rmSync(join(user.path, 'project/hooks.json'));
    await refused(/hooks\.json/);
  });

  test('starts another with what it has edited: that does not start without a person', async () => {
    await server.stop('SIGKILL');
    user.write('hooks.json', {});
    await expect(user.serve(['--hooks', 'hooks.json'])).rejects.toThrow(
      /changed since it was served last: .*hooks\.json[\s\S]*nothing is served: start it at a terminal/,
    );
    await expect(user.serve(['--hooks', 'hooks.json', '--dev'])).rejects.toThrow(/nothing is served/);
    await refused(/hooks\.json has changed since/);
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
  });

  test('removes the socket: the hooks are asked without the server', async () => {
    rmSync(user.places.socket);
    await refused(/nothing is removed/);
  });

  test('removes what says what was served: where nothing is named nothing is let through', async () => {
    await server.stop('SIGKILL');
    rmSync(user.places.served);
    const nothing = await user.hook(['PreToolUse'], bash('rm x'));
    expect(nothing).toMatchObject({ code: 2, stdout: expect.stringMatching(/no hooks are named/) });
    writeFileSync(user.places.served, '{"version":1}', { mode: 0o600 });
    expect(await user.hook(['PreToolUse'], bash('rm x'))).toMatchObject({ code: 2 });
    writeFileSync(user.places.served, 'x', { mode: 0o666 });
    expect(await user.hook(['PreToolUse'], bash('rm x'))).toMatchObject({ code: 2 });
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

  test("leads the command elsewhere by a project's environment: the command says itself where the server is", async () => {
    const elsewhere = join(user.path, 'elsewhere');
    mkdirSync(elsewhere);
    const command = thinCommand('PreToolUse', { env: user.env });
    const env = { ...user.env, XDG_STATE_HOME: elsewhere, XDG_RUNTIME_DIR: elsewhere };
    const options = { env, cwd: user.path, input: JSON.stringify(bash('rm x')) };
    expect(execFileSync('/bin/sh', ['-c', command], options).toString()).toMatch(/nothing is removed/);
    expect(existsSync(join(elsewhere, 'hookscope'))).toBe(false);
  });
});
