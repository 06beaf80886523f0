import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { BIN, cli } from '../../cli/cli.js';

const running = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of running) {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGTERM');
    await gone;
  }
  running.clear();
});

/** One machine's user in a folder: its own configuration and state. */
export function machine(folder: string, name: string) {
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(folder, name, 'state'),
    XDG_CONFIG_HOME: join(folder, name, 'config'),
    XDG_RUNTIME_DIR: '',
  };
  const start = (...args: string[]) => startAs(process.execPath, BIN, ...args);
  const startAs = (program: string, ...args: string[]) => {
    const child = spawn(program, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const said = { text: '' };
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said.text += chunk));
    running.add(child);
    child.once('exit', () => running.delete(child));
    return { child, said };
  };
  const run = async (args: readonly string[], stdin = '') => {
    const { child, said } = start(...args);
    child.stdin?.end(stdin);
    const [code] = await once(child, 'close');
    return { code, text: said.text };
  };
  /** Within this process; each verb is a process where docs/fleet.md is followed. */
  const fleet = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(['fleet', ...args], { cwd: folder, env });
    return { code, text: `${stdout}${stderr}` };
  };
  return { start, startAs, run, fleet };
}

export const call = (command: string): string =>
  JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 's1',
    transcript_path: '',
    cwd: '/',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: 't1',
  });
