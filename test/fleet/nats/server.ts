import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { natsEngine } from '../../../src/fleet/nats/engine.js';

/** A `nats-server` with JetStream on 127.0.0.1, which can be killed and started again with what it had. */
export interface NatsServer {
  readonly url: string;
  readonly pid: number;
  /** As if the machine had lost power. */
  kill(): Promise<void>;
  /** As if it had lost its disk, too. */
  wipe(): void;
  start(): Promise<void>;
  end(): Promise<void>;
}

/** `config`: lines of its configuration beside port and JetStream. */
export async function startNats(config = ''): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-nats-'));
  const port = await freePort();
  const file = join(folder, 'nats.conf');
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: ${JSON.stringify(join(folder, 'store'))} }\n${config}\n`,
  );
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const started = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    started.stderr?.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-4_000);
    });
    child = started;
    // It restores its streams first, which takes a busy machine a while.
    for (let left = 6_000; left > 0; left--) {
      if (started.exitCode !== null) throw new Error(`nats-server ended with ${started.exitCode}: ${said}`);
      if (await answers(port)) return;
      await sleep(20);
    }
    throw new Error(`nats-server does not answer: ${said}`);
  };
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, 'exit');
    running.kill(signal);
    await gone;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return child?.pid as number;
    },
    kill: () => kill(),
    wipe: () => rmSync(join(folder, 'store'), { recursive: true, force: true }),
    start,
    async end() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

/** The same on a server of its own, which is killed. */
export async function natsGround() {
  const server = await startNats();
  return {
    open: async (name: string) => natsEngine({ servers: [server.url], team: 'acme', name }),
    async cut() {
      await server.kill();
      return () => server.start();
    },
    end: () => server.end(),
  };
}
