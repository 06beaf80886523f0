import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HookscopeError } from '../../errors.js';
import { FLEET_NAME } from '../../fleet/engine.js';
import { natsEngine } from '../../fleet/nats/engine.js';
import { plain } from '../../plain.js';
import { makeFolder } from '../../values/make-folder.js';
import { wrongOption } from '../../values/options.js';
import type { Terminal } from '../terminal.js';
import type { FleetFlags } from './flags.js';
import { configOf, makeCredentials, processOf, readUsers, writeUsers } from './nats-config.js';

/** Milliseconds for a broker to start. */
const PATIENCE = 10_000;

/** Runs a broker on this machine in the foreground, to try a fleet and as an example of the configuration. */
export async function upVerb(_: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const folder = resolve(flags.dir ?? 'fleet');
  makeFolder(folder);
  const known = readUsers(folder);
  const { port = known?.port ?? 4222 } = flags;
  if (port === 0) throw wrongOption('--port', 'expected a port from 1 to 65535, got "0"');
  const team = flags.team ?? known?.team ?? 'team';
  if (!FLEET_NAME.test(team)) throw wrongOption('--team', 'expected letters, digits, "_" and "-"');
  if (known !== undefined && known.team !== team)
    throw wrongOption('--team', `${folder} is for the team ${known.team}`);
  const operator = known?.operator ?? (await makeCredentials(folder, 'operator')).publicKey;
  writeUsers(folder, { team, port, operator, hosts: known?.hosts ?? {} });
  const server = spawn('nats-server', ['-c', configOf(folder), '--pid', processOf(folder)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-2_000);
  });
  const ended = new Promise<string>((done) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      done(
        error.code === 'ENOENT'
          ? 'there is no nats-server on the PATH: apt-get install nats-server, brew install nats-server'
          : error.message,
      ),
    );
    server.once('exit', (code, signal) => {
      const last = said.trim().split('\n').at(-1);
      done(`nats-server has ended (${signal ?? `${code}: ${last}`})`);
    });
  });
  const place = `nats://127.0.0.1:${port}`;
  const stop = (): void => void server.kill('SIGTERM');
  terminal.signal.addEventListener('abort', stop, { once: true });
  const engine = natsEngine({ servers: [place], team, name: 'operator', credentials: join(folder, 'operator.nk') });
  try {
    const problem = await Promise.race([ended, ready(engine, terminal.signal)]);
    if (problem !== undefined && !terminal.signal.aborted) {
      stop();
      throw new HookscopeError('FLEET_FAILED', { place, problem });
    }
    await engine.close();
    if (!terminal.signal.aborted)
      await terminal.print(
        `the team ${team} meets at ${place}; its operator's credentials are ${plain(join(folder, 'operator.nk'))}\nhookscope fleet keys host NAME --dir ${plain(folder)} makes those of a host`,
      );
    const why = await ended;
    if (!terminal.signal.aborted) throw new HookscopeError('FLEET_FAILED', { place, problem: why });
    return 0;
  } finally {
    await engine.close();
    if (server.exitCode === null && server.signalCode === null && server.pid !== undefined) {
      stop();
      await Promise.race([once(server, 'exit'), sleep(PATIENCE)]);
    }
  }
}

/** Waits until the broker answers and has all that a fleet stores. Undefined if it does, otherwise the problem. */
async function ready(engine: ReturnType<typeof natsEngine>, signal: AbortSignal): Promise<string | undefined> {
  let why = 'it does not answer';
  for (let left = PATIENCE / 50; left > 0 && !signal.aborted; left--) {
    try {
      if (engine.connected) {
        await engine.prepare();
        return undefined;
      }
    } catch (error) {
      why = (error as Error).message;
    }
    await sleep(50);
  }
  return why;
}
